use super::folder::{FolderFile, PARTIAL, walk_to};
use super::program::{code_file, path_of_map, program_hash};
use super::scans::{WholeFile, write_whole};
use super::space::name;
use super::*;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{MemfdFlags, SealFlags, Uid, chown, fcntl_add_seals, memfd_create};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Bytes of a kept file with a text of less than a page.
const SMALL: u64 = 2 * 4096 + 8;

fn open(path: &Path, space: Space) -> io::Result<KeptFiles> {
    KeptFiles::open(path, "options", space)
}

fn folder() -> (tempfile::TempDir, KeptFiles) {
    let folder = tempfile::tempdir().unwrap();
    let files = open(&folder.path().join("cache/kept"), Space::default()).unwrap();
    (folder, files)
}

/// A file of a kind; each number stands for another database.
fn file(files: &KeptFiles, kind: KeptKind, number: u64) -> KeptFile {
    let identity = crate::mapped::Identity {
        device: 1,
        inode: number,
        size: 5,
        modified: 0,
    };
    let mut origin = SourceFiles::new("x", "format", "");
    origin.add_file("x", identity, 0);
    files.file(kind, "", &[origin])
}

fn sizes(files: &KeptFiles, number: u64) -> KeptFile {
    file(files, KeptKind::Sizes, number)
}

fn put(file: &KeptFile, text: &[u8]) -> io::Result<()> {
    file.write(|out, key| write_whole(out, key, |out| out.write_all(text)))
        .map(|_| ())
}

fn text(file: &KeptFile) -> Option<Vec<u8>> {
    let read: Sections<WholeFile> = file.read(1 << 20)?;
    let mapped: Sections<WholeFile> = file.load().unwrap();
    let text = mapped.all(WholeFile).unwrap().to_vec();
    assert_eq!(read.all(WholeFile).unwrap(), text);
    Some(text)
}

fn age(path: &Path, age: Duration) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

fn names(files: &KeptFiles) -> usize {
    fs::read_dir(&files.shared.folder.path).unwrap().count()
}

#[test]
fn kinds_are_in_order() {
    for (n, row) in KINDS.iter().enumerate() {
        assert_eq!((row.kind as usize, row.kind.row().extension), (n, row.extension));
    }
}

#[test]
fn a_file_is_what_was_written_last() {
    let (_folder, files) = folder();
    let file = |number| sizes(&files, number);
    assert_eq!(text(&file(7)), None);
    put(&file(7), b"first").unwrap();
    put(&file(7), b"second").unwrap();
    put(&file(8), b"").unwrap();
    assert_eq!(text(&file(7)).as_deref(), Some(&b"second"[..]));
    assert!(file(7).read::<WholeFile>(6).is_none(), "larger than allowed");
    assert_eq!(text(&file(8)).as_deref(), Some(&b""[..]));
    assert_eq!(names(&files), 2);
    file(7).remove();
    file(7).remove();
    assert_eq!(names(&files), 1);
    let modes = [files.shared.folder.path.clone(), file(8).path()]
        .map(|path| fs::metadata(path).unwrap().permissions().mode() & 0o777);
    assert_eq!(modes, [0o700, 0o600]);
}

/// A full disk: only the header fits. Small contents are written when the buffer is flushed, large ones before.
#[test]
fn a_file_whose_contents_do_not_fit_is_not_sealed() {
    let key = b"key";
    for (len, is_written) in [(0, true), (1, false), (100_000, false), (3 << 20, false)] {
        let mut file = File::from(memfd_create("full", MemfdFlags::ALLOW_SEALING).unwrap());
        file.set_len(begin(key)).unwrap();
        fcntl_add_seals(&file, SealFlags::GROW).unwrap();
        let content = vec![7; len];
        let written = write_whole(&mut file, key, |out| out.write_all(&content));
        assert_eq!(written.is_ok(), is_written, "{len}: {written:?}");
    }
}

#[test]
fn a_file_is_for_one_kind_one_set_of_options_and_one_state() {
    let (scratch, files) = folder();
    let identity = |size| crate::mapped::Identity {
        device: 1,
        inode: 2,
        size,
        modified: 3,
    };
    let origin = |part: &str, name: &str, size, changed| {
        let mut origin = SourceFiles::new("x", "format", part);
        origin.add_file(name, identity(size), changed);
        origin
    };
    let first = || origin("", "x", 5, 6);
    put(&files.file(KeptKind::Scan, "a", &[first()]), b"text").unwrap();
    assert!(text(&files.file(KeptKind::Scan, "a", &[first()])).is_some());
    let others = open(&files.shared.folder.path, Space::default()).unwrap();
    assert!(text(&others.file(KeptKind::Scan, "a", &[first()])).is_some());
    let other_options =
        KeptFiles::open(&scratch.path().join("cache/kept"), "others", Space::default()).unwrap();
    let wrong = [
        other_options.file(KeptKind::Scan, "a", &[first()]),
        files.file(KeptKind::Views, "a", &[first()]),
        files.file(KeptKind::Scan, "b", &[first()]),
        files.file(KeptKind::Scan, "a", &[first(), first()]),
        files.file(KeptKind::Scan, "a", &[origin("part", "x", 5, 6)]),
        files.file(KeptKind::Scan, "a", &[origin("", "y", 5, 6)]),
        files.file(KeptKind::Scan, "a", &[origin("", "x", 4, 6)]),
        files.file(KeptKind::Scan, "a", &[origin("", "x", 5, 7)]),
    ];
    for (n, file) in wrong.iter().enumerate() {
        assert_eq!(text(file), None, "{n}");
    }
    // Another state has the same name, and replaces the file.
    assert!(wrong[6].load_earlier::<WholeFile>().is_some());
    put(&wrong[6], b"newer").unwrap();
    assert_eq!(
        (names(&files), text(&files.file(KeptKind::Scan, "a", &[first()]))),
        (1, None)
    );
    let program = KeptFiles {
        program: || Some(1),
        ..files.clone()
    };
    assert!(text(&program.file(KeptKind::Scan, "a", &[origin("", "x", 4, 6)])).is_none());
}

#[test]
fn only_regular_files_are_read() {
    let (_folder, files) = folder();
    let file = |number| sizes(&files, number);
    put(&file(1), b"text").unwrap();
    symlink(file(1).path(), file(2).path()).unwrap();
    fs::create_dir(file(3).path()).unwrap();
    assert_eq!((text(&file(2)), text(&file(3))), (None, None));
    assert!(put(&file(3), b"text").is_err());
    assert_eq!(names(&files), 3, "nothing is left of what could not be written");
}

#[test]
fn only_unused_files_are_removed() {
    let (_folder, files) = folder();
    let file = |number| sizes(&files, number);
    let folder = &files.shared.folder.path;
    for number in 0..4 {
        put(&file(number), b"text").unwrap();
        age(&file(number).path(), DAY * [80, 81, 82, 95][number as usize]);
    }
    let others = [
        "notes.txt",
        "v2-00000000000000000000000000000000.txt",
        "v2-1.sizes",
        "v1-00000000000000000000000000000000.sizes",
    ];
    for other in others {
        fs::write(folder.join(other), "mine").unwrap();
        age(&folder.join(other), DAY * 1000);
    }
    let partial = |turn| folder.join(format!("{}.1-{turn}.{PARTIAL}", name(KeptKind::Sizes, 9)));
    for turn in [0, 1] {
        fs::write(partial(turn), "part").unwrap();
    }
    age(&partial(0), DAY);
    // Reading counts as use.
    assert!(text(&file(3)).is_some());
    files.tidy(Space::default());
    let there = |number| file(number).path().exists();
    assert_eq!([0, 1, 2, 3].map(there), [true, true, true, true]);
    age(&file(1).path(), DAY * 91);
    files.tidy(Space::default());
    assert_eq!([0, 1, 2, 3].map(there), [true, false, true, true]);
    assert!(!partial(0).exists() && partial(1).exists());
    assert_eq!(names(&files), 3 + others.len() + 1);
    files.tidy(Space {
        bytes: 2 * SMALL + 500,
        reserve: 0,
    });
    assert_eq!(
        [0, 1, 2, 3].map(there),
        [true, false, false, true],
        "the one used least recently goes"
    );
}

/// The names of files that remain of `files`, which are given as kind, days since the last use, and bytes.
fn remaining(space: Space, files: &[(KeptKind, u64, u64)]) -> Vec<(KeptKind, u64)> {
    let now = SystemTime::now();
    let found = files
        .iter()
        .zip(0..)
        .map(|(&(kind, days, bytes), number)| FolderFile {
            name: name(kind, number),
            used: now - DAY * days as u32,
            bytes,
        });
    let surplus = space.surplus(found.collect(), now);
    let remain = files
        .iter()
        .zip(0..)
        .filter(|&(&(kind, ..), number)| !surplus.contains(&name(kind, number)));
    remain.map(|(&(kind, days, _), _)| (kind, days)).collect()
}

#[test]
fn no_kind_drives_out_the_reserve_of_another() {
    use KeptKind::{Positions, Scan, Sizes, Views};
    let space = Space {
        bytes: 10_000,
        reserve: 500,
    };
    let old = [
        (Sizes, 80, 200),
        (Sizes, 81, 300),
        (Views, 82, 400),
        (Scan, 83, 700),
    ];
    let flood = [
        (Positions, 1, 5_000),
        (Positions, 2, 3_000),
        (Positions, 3, 2_000),
    ];
    let all = [&old[..], &flood].concat();
    let left = remaining(space, &all);
    // 11,600 bytes: the index used least recently is removed, and no file of another kind.
    assert_eq!(
        left,
        [
            (Sizes, 80),
            (Sizes, 81),
            (Views, 82),
            (Scan, 83),
            (Positions, 1),
            (Positions, 2)
        ]
    );
    // Files that are only partly in the reserve are removed when nothing else is left.
    let huge = [&old[..], &[(Positions, 1, 7_000)], &[(Views, 5, 1_400)]].concat();
    assert_eq!(remaining(space, &huge).len(), 6, "9,999 bytes");
    let more = [&huge[..], &[(Scan, 2, 100)]].concat();
    let left = [
        (Sizes, 80),
        (Sizes, 81),
        (Scan, 83),
        (Positions, 1),
        (Views, 5),
        (Scan, 2),
    ];
    assert_eq!(
        remaining(space, &more),
        left,
        "800 bytes beyond the reserve of views"
    );
    let more = [&more[..], &[(Views, 4, 600)]].concat();
    let left = [
        (Sizes, 80),
        (Sizes, 81),
        (Scan, 83),
        (Positions, 1),
        (Scan, 2),
        (Views, 4),
    ];
    assert_eq!(remaining(space, &more), left, "1,800 and 600 of views");
    let more = [
        (Sizes, 80, 500),
        (Scan, 83, 700),
        (Positions, 2, 7_000),
        (Views, 5, 1_900),
    ];
    assert_eq!(remaining(space, &more), [(Sizes, 80), (Positions, 2), (Views, 5)]);
    // Without a reserve, the order of use decides alone.
    let bare = Space { reserve: 0, ..space };
    let left = [(Positions, 1), (Positions, 2), (Positions, 3)];
    assert_eq!(remaining(bare, &all), left);
    // A reserve for all kinds must fit into the space.
    let small = Space {
        bytes: 1_200,
        reserve: 1_000,
    };
    let one_each: Vec<_> = KINDS.iter().map(|row| (row.kind, 5, 100)).collect();
    assert_eq!(remaining(small, &one_each).len(), KINDS.len());
    let more = [&one_each[..], &[(Views, 1, 550)]].concat();
    assert_eq!(remaining(small, &more).len(), KINDS.len());
}

#[test]
fn a_file_larger_than_the_space_is_used_and_not_kept() {
    let (folder, _) = folder();
    let space = Space {
        bytes: 100_000,
        reserve: 2_000,
    };
    let files = open(&folder.path().join("small"), space).unwrap();
    let written = |kind, bytes: usize| -> Sections<WholeFile> {
        let kept = file(&files, kind, 1);
        let text = vec![7; bytes];
        kept.replace(|out, key| -> io::Result<()> { write_whole(out, key, |out| out.write_all(&text)) })
            .unwrap()
    };
    assert_eq!(files.refusal(KeptKind::Views, "x", 1, 10), None);
    for (kind, bytes) in [(KeptKind::Views, 90_000), (KeptKind::Positions, 90_000)] {
        let sections = written(kind, bytes);
        assert_eq!(sections.all(WholeFile).unwrap(), vec![7; bytes]);
        assert_eq!(names(&files), 0, "{kind:?}");
        let refusal = files.refusal(kind, "x", 1, 10).unwrap();
        assert!(refusal.contains("raise cache-space"), "{refusal}");
        assert_eq!(files.refusal(kind, "y", 1, 10), None);
    }
    assert!(
        files.refusal(KeptKind::Sizes, "y", 1, 100_000).is_some(),
        "it can be expected"
    );
    written(KeptKind::Parquet, 40_000);
    assert_eq!(names(&files), 1);
}

#[test]
fn files_of_the_earlier_layout_are_removed_and_nothing_else() {
    let (_folder, files) = folder();
    let folder = &files.shared.folder.path;
    put(&sizes(&files, 1), b"text").unwrap();
    let number = "0123456789abcdef0123456789abcdef";
    let earlier = ["sizes", "scan", "views", "positions"].map(|kind| folder.join(format!("{number}.{kind}")));
    let others = [
        format!("{number}.pgn"),
        format!("{number}.12-3.{PARTIAL}"),
        format!("{number}0.sizes"),
        "notes.sizes".to_owned(),
    ];
    for path in earlier
        .iter()
        .cloned()
        .chain(others.iter().map(|name| folder.join(name)))
    {
        fs::write(path, "bytes").unwrap();
    }
    let directory = folder.join(format!("{}.sizes", number.replace('0', "1")));
    fs::create_dir(&directory).unwrap();
    drop(open(folder, Space::default()).unwrap());
    assert!(earlier.iter().all(|path| !path.exists()));
    assert!(directory.exists() && text(&sizes(&files, 1)).is_some());
    assert_eq!(names(&files), 1 + 1 + others.len());
}

#[test]
fn a_file_has_no_name_before_it_is_complete() {
    let (_folder, files) = folder();
    let written = sizes(&files, 1).write(|file, key| -> io::Result<()> {
        write_whole(file, key, |out| out.write_all(b"text"))?;
        assert_eq!(names(&files), 0, "what is left if the program is killed here");
        Ok(())
    });
    assert!(written.is_ok());
    let mut temporary = files.temporary().unwrap();
    temporary.write_all(b"text").unwrap();
    assert_eq!(
        (names(&files), text(&sizes(&files, 1))),
        (1, Some(b"text".to_vec()))
    );
}

#[test]
fn a_deleted_folder_is_created_again() {
    let (scratch, files) = folder();
    let other = files.clone();
    let path = &files.shared.folder.path;
    put(&sizes(&files, 1), b"old").unwrap();
    fs::remove_dir_all(scratch.path().join("cache")).unwrap();
    assert_eq!(text(&sizes(&files, 1)), None);
    put(&sizes(&files, 2), b"new").unwrap();
    assert_eq!(text(&sizes(&other, 2)).as_deref(), Some(&b"new"[..]));
    let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    // Nothing is written through a link that took its place.
    let outside = scratch.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(path).unwrap();
    symlink(&outside, path).unwrap();
    assert!(put(&sizes(&files, 3), b"text").is_err() && files.temporary().is_err());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let (folder, _) = folder();
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(open(&folder.path().join("file/kept"), Space::default()).is_err());
    assert!(open(Path::new("/proc/kept"), Space::default()).is_err());
}

#[test]
fn a_folder_of_others_is_not_used() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("kept");
    let open = |path: &Path| open(path, Space::default());
    let refusal = |path: &Path| open(path).unwrap_err().to_string();
    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    drop(open(&folder).unwrap());
    for open in [0o777, 0o1777, 0o770, 0o702] {
        mode(open);
        assert!(refusal(&folder).contains("others can write to it"), "{open:o}");
    }
    mode(0o755);
    drop(open(&folder).unwrap());
    let link = scratch.path().join("link");
    symlink(&folder, &link).unwrap();
    for path in [link.clone(), link.join(""), link.join(".")] {
        assert!(refusal(&path).contains("symbolic link"), "{path:?}");
    }
    // Only root can change the owner.
    if rustix::process::geteuid().is_root() {
        chown(&folder, Some(Uid::from_raw(65534)), None).unwrap();
        assert!(refusal(&folder).contains("belongs to another user"));
        chown(&folder, Some(Uid::ROOT), None).unwrap();
        drop(open(&folder).unwrap());
    }
}

#[test]
fn links_of_other_users_lead_to_no_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |path: &str| scratch.path().canonicalize().unwrap().join(path);
    fs::create_dir_all(at("there/deep")).unwrap();
    symlink("there", at("link")).unwrap();
    symlink(at("link/deep/.."), at("far")).unwrap();
    symlink("loop", at("loop")).unwrap();
    let own = rustix::process::geteuid().as_raw();
    let inode = |path: &str, user| {
        let opened = walk_to(&at(path), user);
        opened.map(|folder| fs::File::from(folder).metadata().unwrap().ino())
    };
    let expected = |path: &str| fs::metadata(at(path)).unwrap().ino();
    assert_eq!(inode("link/deep", own).unwrap(), expected("there/deep"));
    assert_eq!(inode("far/deep/../deep", own).unwrap(), expected("there/deep"));
    assert_eq!(inode("far/new/kept", own).unwrap(), expected("there/new/kept"));
    assert_eq!(inode("there/new", own + 1).unwrap(), expected("there/new"));
    for path in ["loop/kept", "link", "far"] {
        assert!(inode(path, own).is_err(), "{path}");
    }
    // Only root can change the owner. For other users, this user's own links count as foreign.
    let other = if own == 0 {
        for link in ["link", "far"] {
            lchown(at(link), Some(65534), None).unwrap();
        }
        own
    } else {
        own + 1
    };
    for path in ["link/kept", "far/kept", "link/deep"] {
        let refusal = inode(path, other).unwrap_err().to_string();
        assert!(refusal.contains("belongs to another user"), "{path}: {refusal}");
        assert!(!at("there/kept").exists());
    }
}

#[test]
fn a_folder_that_replaces_it_is_not_touched() {
    let (scratch, files) = folder();
    let path = &files.shared.folder.path;
    let (outside, moved) = (scratch.path().join("outside"), scratch.path().join("moved"));
    fs::create_dir(&outside).unwrap();
    let own = sizes(&files, 1).name;
    let partial = format!("{}.1-0.{PARTIAL}", name(KeptKind::Sizes, 7));
    for name in [&own, &partial] {
        fs::write(outside.join(name), "precious").unwrap();
        age(&outside.join(name), DAY * 1000);
    }
    put(&sizes(&files, 2), b"ours").unwrap();
    fs::rename(path, &moved).unwrap();
    symlink(&outside, path).unwrap();
    assert_eq!(text(&sizes(&files, 1)), None);
    assert_eq!(text(&sizes(&files, 2)).as_deref(), Some(&b"ours"[..]));
    put(&sizes(&files, 1), b"ours").unwrap();
    put(&sizes(&files, 3), b"ours").unwrap();
    sizes(&files, 3).remove();
    files.tidy(Space::default());
    assert_eq!(text(&sizes(&files, 1)).as_deref(), Some(&b"ours"[..]));
    assert_eq!(fs::read_dir(&moved).unwrap().count(), 2);
    assert_eq!(
        fs::read_dir(&outside).unwrap().count(),
        2,
        "nothing is removed or added"
    );
    assert_eq!(fs::read(outside.join(&own)).unwrap(), b"precious");
}

#[test]
fn a_link_in_the_place_of_a_file_is_replaced_and_not_followed() {
    let (scratch, files) = folder();
    let precious = scratch.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    symlink(&precious, sizes(&files, 1).path()).unwrap();
    files.tidy(Space::default());
    assert_eq!(text(&sizes(&files, 1)), None);
    put(&sizes(&files, 1), b"ours").unwrap();
    assert_eq!(text(&sizes(&files, 1)).as_deref(), Some(&b"ours"[..]));
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
}

#[test]
fn a_line_of_maps_has_the_path_of_a_library() {
    let line =
        "7f3a10000000-7f3a10200000 r-xp 00025000 fe:01 1443109                    /opt/a b/_chessdb.abi3.so";
    let path = Some("/opt/a b/_chessdb.abi3.so");
    assert_eq!(path_of_map(line, 0x7f3a_1000_0000), path);
    assert_eq!(path_of_map(line, 0x7f3a_101f_ffff), path);
    assert_eq!(path_of_map(line, 0x7f3a_1020_0000), None);
    let anonymous = "7f3a10000000-7f3a10200000 rw-p 00000000 00:00 0 ";
    assert_eq!(path_of_map(anonymous, 0x7f3a_1000_0000), None);
}

#[test]
fn the_code_is_in_the_program() {
    let code = code_file().unwrap().metadata().unwrap();
    let program = fs::metadata(std::env::current_exe().unwrap()).unwrap();
    assert_eq!((code.dev(), code.ino()), (program.dev(), program.ino()));
}

#[test]
fn a_program_has_one_hash() {
    assert!(program_hash().is_some() && program_hash() == program_hash());
}

#[test]
fn the_folder_is_tidied_for_the_first_file_and_when_much_was_written() {
    let (folder, _) = folder();
    let space = Space {
        bytes: 24 * SMALL,
        ..Space::default()
    };
    let files = open(&folder.path().join("small"), space).unwrap();
    let file = |number| sizes(&files, number);
    let put_old = |number| {
        fs::write(file(number).path(), "old").unwrap();
        age(&file(number).path(), DAY * 91);
    };
    let there = |number| file(number).path().exists();
    put_old(1);
    put(&file(100), b"first").unwrap();
    assert!(!there(1));
    put_old(2);
    put(&file(101), b"text").unwrap();
    assert!(there(2));
    put(&sizes(&files.clone(), 102), b"text").unwrap();
    assert!(!there(2));
}

#[test]
fn a_use_is_noted_once_a_day() {
    let (_folder, files) = folder();
    let file = sizes(&files, 1);
    put(&file, b"text").unwrap();
    let meta = || fs::metadata(file.path()).unwrap();
    let changed = || (meta().ctime(), meta().ctime_nsec(), meta().modified().unwrap());
    let before = changed();
    text(&file);
    assert_eq!(changed(), before);
    age(&file.path(), DAY * 2);
    text(&file);
    assert!(meta().modified().unwrap().elapsed().unwrap() < DAY);
}

/// Each part of a key, in both orders: a file that was kept for one is used for no other.
#[test]
fn a_kept_file_is_used_for_the_same_key_in_all_its_parts() {
    let (scratch, files) = folder();
    let usual = crate::mapped::Identity {
        device: 1,
        inode: 2,
        size: 5,
        modified: 3,
    };
    let origin = |format: &str, part: &str, name: &str, identity, changed| {
        let mut origin = SourceFiles::new("x", format, part);
        origin.add_file(name, identity, changed);
        origin
    };
    let of = |origin: SourceFiles| files.file(KeptKind::Scan, "a", &[origin]);
    let first = || origin("format", "", "x", usual, 6);
    let of_identity = |identity| of(origin("format", "", "x", identity, 6));
    let of_folder = |folder: &str, name: &str, size, changed| {
        let mut origin = SourceFiles::new("x", "format", "");
        let identity = crate::mapped::Identity { size, ..usual };
        origin.add_folder(Path::new(folder), name, [("x", identity, changed)].into_iter());
        of(origin)
    };
    let mut with_name = first();
    with_name.add_name(b"x\xff");
    let other_options =
        KeptFiles::open(&scratch.path().join("cache/kept"), "others", Space::default()).unwrap();
    let other_program = KeptFiles {
        program: || Some(7),
        ..files.clone()
    };
    let mut all = vec![
        ("usual", of(first())),
        ("options", other_options.file(KeptKind::Scan, "a", &[first()])),
        ("program", other_program.file(KeptKind::Scan, "a", &[first()])),
        ("what", files.file(KeptKind::Scan, "b", &[first()])),
        ("databases", files.file(KeptKind::Scan, "a", &[first(), first()])),
        ("format", of(origin("other", "", "x", usual, 6))),
        ("part", of(origin("format", "part", "x", usual, 6))),
        ("name", of(origin("format", "", "y", usual, 6))),
        // No text goes on in the next one.
        ("format and part", of(origin("forma", "t", "x", usual, 6))),
        (
            "device",
            of_identity(crate::mapped::Identity { device: 9, ..usual }),
        ),
        (
            "inode",
            of_identity(crate::mapped::Identity { inode: 9, ..usual }),
        ),
        ("size", of_identity(crate::mapped::Identity { size: 9, ..usual })),
        (
            "modified",
            of_identity(crate::mapped::Identity { modified: 9, ..usual }),
        ),
        ("changed", of(origin("format", "", "x", usual, 9))),
        ("name on disk", of(with_name)),
        ("folder", of_folder("/a", "x", 5, 6)),
        ("path of folder", of_folder("/b", "x", 5, 6)),
        ("name of folder", of_folder("/a", "y", 5, 6)),
        ("sizes in folder", of_folder("/a", "x", 9, 6)),
        ("times in folder", of_folder("/a", "x", 5, 9)),
    ];
    // The kind of `all[0]` is among them.
    all.extend(
        KINDS
            .iter()
            .filter(|row| row.kind != KeptKind::Scan)
            .map(|row| (row.what, files.file(row.kind, "a", &[first()]))),
    );
    for (what, file) in &all {
        put(file, what.as_bytes()).unwrap();
        for (other, unused) in &all {
            let found = text(unused);
            let wanted = (what == other).then(|| what.as_bytes().to_vec());
            assert_eq!(found, wanted, "{other} after {what}");
        }
        file.remove();
    }
}
