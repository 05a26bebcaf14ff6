use super::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use rustix::fs::{Uid, chown};

const DAY: Duration = Duration::from_secs(24 * 3600);

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("cache/kept"), "sizes").unwrap();
    (folder, store)
}

fn age(path: &Path, age: Duration) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

fn names(store: &Store) -> usize {
    fs::read_dir(&store.path).unwrap().count()
}

#[test]
fn a_file_is_what_was_written_last() {
    let (_folder, store) = store();
    assert_eq!(store.read(7, 10).unwrap_err().kind(), io::ErrorKind::NotFound);
    store.replace(7, b"first").unwrap();
    store.replace(7, b"second").unwrap();
    store.replace(8, b"").unwrap();
    assert_eq!(store.read(7, 6).unwrap(), b"second");
    assert!(store.read(7, 5).is_err(), "larger than allowed");
    assert_eq!(store.read(8, 5).unwrap(), b"");
    assert_eq!(names(&store), 2);
    store.remove(7);
    store.remove(7);
    assert_eq!(names(&store), 1);
    let modes = [store.path.clone(), store.path(8)]
        .map(|path| fs::metadata(path).unwrap().permissions().mode() & 0o777);
    assert_eq!(modes, [0o700, 0o600]);
}

#[test]
fn only_regular_files_are_read() {
    let (_folder, store) = store();
    store.replace(1, b"text").unwrap();
    symlink(store.path(1), store.path(2)).unwrap();
    fs::create_dir(store.path(3)).unwrap();
    assert!(store.read(2, 10).is_err() && store.read(3, 10).is_err());
    assert!(store.replace(3, b"text").is_err());
    assert_eq!(names(&store), 3, "nothing is left of what could not be written");
}

#[test]
fn only_unused_files_are_removed() {
    let (_folder, store) = store();
    for number in 0..4 {
        store.replace(number, &[0; 1000]).unwrap();
        age(&store.path(number), DAY * [80, 81, 82, 95][number as usize]);
    }
    let others = ["notes.txt", "00000000000000000000000000000000.txt", "1.sizes"];
    for other in others {
        fs::write(store.path.join(other), "mine").unwrap();
        age(&store.path.join(other), DAY * 1000);
    }
    let (dead, alive) = ("1-0.partial", "2-0.partial");
    for partial in [dead, alive] {
        fs::write(store.path(0).with_extension(partial), "part").unwrap();
    }
    age(&store.path(0).with_extension(dead), DAY);
    // Reading counts as use.
    store.read(3, 1000).unwrap();
    store.tidy_to(MOST_BYTES);
    let there = |number| store.path(number).exists();
    assert_eq!([0, 1, 2, 3].map(there), [true, true, true, true]);
    age(&store.path(1), DAY * 91);
    store.tidy_to(MOST_BYTES);
    assert_eq!([0, 1, 2, 3].map(there), [true, false, true, true]);
    assert_eq!(names(&store), 3 + others.len() + 1);
    store.tidy_to(2500);
    assert_eq!(
        [0, 1, 2, 3].map(there),
        [true, false, false, true],
        "the oldest goes"
    );
}

#[test]
fn a_file_has_no_name_before_it_is_complete() {
    let (_folder, store) = store();
    let written = store.replace_with(1, |file| -> io::Result<()> {
        file.write_all(b"text")?;
        assert_eq!(names(&store), 0, "what is left if the program is killed here");
        Ok(())
    });
    assert!(written.is_ok());
    let mut temporary = store.temporary().unwrap();
    temporary.write_all(b"text").unwrap();
    assert_eq!((names(&store), store.read(1, 4).unwrap()), (1, b"text".to_vec()));
}

#[test]
fn a_deleted_folder_is_created_again() {
    let (folder, store) = store();
    let other = store.clone();
    store.replace(1, b"old").unwrap();
    fs::remove_dir_all(folder.path().join("cache")).unwrap();
    assert_eq!(store.read(1, 9).unwrap_err().kind(), io::ErrorKind::NotFound);
    store.replace(2, b"new").unwrap();
    assert_eq!(other.read(2, 9).unwrap(), b"new");
    let mode = fs::metadata(&store.path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    // Nothing is written where a link leads that took its place.
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(&store.path).unwrap();
    symlink(&outside, &store.path).unwrap();
    assert!(store.replace(3, b"text").is_err() && store.temporary().is_err());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let (folder, _) = store();
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(Store::open(&folder.path().join("file/kept"), "sizes").is_err());
    assert!(Store::open(Path::new("/proc/kept"), "sizes").is_err());
}

#[test]
fn a_folder_of_others_is_not_used() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("kept");
    let refusal = |path: &Path| Store::open(path, "sizes").unwrap_err().to_string();
    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    drop(Store::open(&folder, "sizes").unwrap());
    for open in [0o777, 0o1777, 0o770, 0o702] {
        mode(open);
        assert!(refusal(&folder).contains("others can write to it"), "{open:o}");
    }
    mode(0o755);
    drop(Store::open(&folder, "sizes").unwrap());
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
        drop(Store::open(&folder, "sizes").unwrap());
    }
}

#[test]
fn a_folder_that_replaces_it_is_not_touched() {
    let (scratch, store) = store();
    let (outside, moved) = (scratch.path().join("outside"), scratch.path().join("moved"));
    fs::create_dir(&outside).unwrap();
    let name = store.name(1);
    let partial = format!("{:032x}.1-0.{PARTIAL}", 7);
    for name in [&name, &partial] {
        fs::write(outside.join(name), "precious").unwrap();
        age(&outside.join(name), DAY * 1000);
    }
    store.replace(2, b"ours").unwrap();
    fs::rename(&store.path, &moved).unwrap();
    symlink(&outside, &store.path).unwrap();
    assert!(store.read(1, 100).is_err());
    assert_eq!(store.read(2, 100).unwrap(), b"ours");
    store.replace(1, b"ours").unwrap();
    store.replace(3, b"ours").unwrap();
    store.remove(3);
    store.tidy_to(MOST_BYTES);
    assert_eq!(fs::read(moved.join(&name)).unwrap(), b"ours");
    assert_eq!(fs::read_dir(&moved).unwrap().count(), 2);
    assert_eq!(
        fs::read_dir(&outside).unwrap().count(),
        2,
        "nothing is removed or added"
    );
    assert_eq!(fs::read(outside.join(&name)).unwrap(), b"precious");
}

#[test]
fn a_link_in_the_place_of_a_file_is_replaced_and_not_followed() {
    let (scratch, store) = store();
    let precious = scratch.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    symlink(&precious, store.path(1)).unwrap();
    store.tidy_to(MOST_BYTES);
    assert!(store.read(1, 100).is_err());
    store.replace(1, b"ours").unwrap();
    assert_eq!(store.read(1, 100).unwrap(), b"ours");
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
    let (_folder, store) = store();
    let store = store.with_most(1600);
    let put_old = |number| {
        fs::write(store.path(number), "old").unwrap();
        age(&store.path(number), DAY * 91);
    };
    let there = |number| store.path(number).exists();
    put_old(1);
    store.replace(100, b"first").unwrap();
    assert!(!there(1));
    put_old(2);
    store.replace(101, &[0; 60]).unwrap();
    assert!(there(2));
    store.clone().replace(102, &[0; 60]).unwrap();
    assert!(!there(2));
}

#[test]
fn a_use_is_noted_once_a_day() {
    let (_folder, store) = store();
    store.replace(1, b"text").unwrap();
    let changed = || {
        let meta = fs::metadata(store.path(1)).unwrap();
        (meta.ctime(), meta.ctime_nsec(), meta.modified().unwrap())
    };
    let before = changed();
    store.read(1, 4).unwrap();
    assert_eq!(changed(), before);
    age(&store.path(1), DAY * 2);
    store.read(1, 4).unwrap();
    assert!(
        fs::metadata(store.path(1))
            .unwrap()
            .modified()
            .unwrap()
            .elapsed()
            .unwrap()
            < DAY
    );
}
