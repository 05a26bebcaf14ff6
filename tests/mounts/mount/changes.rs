//! Sources that change while they are mounted.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;

use super::scratch::{Scratch, pgnfs, run, wait_for};
use super::simplecdb::{self, Game, IMMORTAL, OPERA};
use testkit::needs;
use testkit::open_files::deleted_files;

const EIO: i32 = 5;

/// A change counts so late that the old state is still shown when a test looks.
const LATER: &str = "quiet=3000";

const OTHER: Game = Game {
    white: "Other, Player",
    ..OPERA
};

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn first_game(scratch: &Scratch, database: &str) -> PathBuf {
    scratch
        .mount
        .join(database)
        .join("games/000001-001000/000001.pgn")
}

/// Writes a database elsewhere and renames its files into place, as careful programs do.
fn replace(scratch: &Scratch, base: &str, games: &[Game]) {
    let new = scratch.path("new");
    fs::create_dir_all(&new).unwrap();
    simplecdb::write(&new.join("x"), games);
    for extension in ["dcn", "dcs", "dce", "dcg", "dci"] {
        let target = scratch.source.join(base).with_extension(extension);
        fs::rename(new.join("x").with_extension(extension), target).unwrap();
    }
}

fn remove(scratch: &Scratch, base: &str) {
    for extension in ["dci", "dcg", "dcn", "dcs", "dce"] {
        fs::remove_file(scratch.source.join(base).with_extension(extension)).unwrap();
    }
}

fn white_is(path: &Path, name: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.contains(&format!("[White \"{name}\"]")))
}

/// Runs a test with both ways to detect changes.
fn with_all_means(test: fn(&[&str])) {
    needs!(mount);
    thread::scope(|scope| {
        for means in ["watch=inotify", "watch=poll:1"] {
            scope.spawn(move || test(&["-o", means]));
        }
    });
}

#[test]
fn a_database_that_is_replaced_shows_its_new_state() {
    with_all_means(|means| {
        let scratch = Scratch::new();
        let foreground = scratch.mount_in_foreground(means, "warn");
        let game = first_game(&scratch, "a.dci");
        let second = game.with_file_name("000003.pgn");
        assert!(!exists(&second) && !exists(&scratch.mount.join("a.dci/players/Other, Player")));
        let before = fs::metadata(&game).unwrap();
        let neighbour = fs::metadata(first_game(&scratch, "sub/b.dci")).unwrap();
        let mut open = File::open(&game).unwrap();
        let mut unread = File::open(scratch.games().remove(1)).unwrap();
        replace(&scratch, "a", &[OTHER, IMMORTAL, OPERA]);
        wait_for("the new state", || white_is(&game, "Other, Player"));
        assert!(exists(&second) && exists(&scratch.mount.join("a.dci/players/Other, Player")));
        assert!(!exists(
            &scratch.mount.join("a.dci/players/Morphy, Paul/1858.11.02_x")
        ));
        assert_ne!(fs::metadata(&game).unwrap().ino(), before.ino());
        // An open file shows the old state, even parts that were not read before.
        let mut text = String::new();
        open.read_to_string(&mut text).unwrap();
        assert!(text.contains("[White \"Morphy, Paul\"]"), "{text}");
        assert_eq!(open.metadata().unwrap().ino(), before.ino());
        text.clear();
        unread.read_to_string(&mut text).unwrap();
        assert!(text.contains("[White \"Anderssen, Adolf\"]"), "{text}");
        // The neighbour has not changed.
        let now = fs::metadata(first_game(&scratch, "sub/b.dci")).unwrap();
        assert_eq!(now.ino(), neighbour.ino());
        assert_eq!(scratch.log(), "");
        drop((open, unread));
        foreground.signal("TERM");
        assert_eq!(foreground.end().code(), Some(0));
    });
}

#[test]
fn databases_and_folders_come_and_go() {
    with_all_means(|means| {
        let scratch = Scratch::new();
        scratch.mount(means);
        let (new, folder) = (scratch.mount.join("new.dci"), scratch.mount.join("club"));
        let info = scratch.mount.join("info.txt");
        assert!(!exists(&new) && !exists(&folder));
        assert!(fs::read_to_string(&info).unwrap().contains("Databases: 2"));
        let time = fs::metadata(&scratch.mount).unwrap().modified().unwrap();
        fs::create_dir_all(scratch.source.join("club/deep")).unwrap();
        simplecdb::write(&scratch.source.join("club/deep/c"), &[OTHER]);
        simplecdb::write(&scratch.source.join("new"), &[OTHER]);
        wait_for("new databases", || {
            exists(&new) && exists(&folder.join("deep/c.dci/all.pgn"))
        });
        // A moment after names of the new state are found, the kernel drops its data about the earlier state.
        wait_for("the new list of databases", || {
            fs::read_to_string(&info).unwrap().contains("Databases: 4")
        });
        wait_for("the new time", || {
            fs::metadata(&scratch.mount).unwrap().modified().unwrap() > time
        });
        let names = |path: &Path| -> Vec<String> {
            let entries = fs::read_dir(path).unwrap();
            let mut names: Vec<_> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert_eq!(
            names(&scratch.mount),
            ["a.dci", "all", "club", "info.txt", "new.dci", "sub"]
        );
        fs::rename(scratch.source.join("club"), scratch.source.join("team")).unwrap();
        remove(&scratch, "new");
        let moved = scratch.mount.join("team/deep/c.dci");
        wait_for("the new name", || {
            exists(&moved) && !exists(&new) && !exists(&folder)
        });
        assert_eq!(names(&scratch.mount), ["a.dci", "all", "info.txt", "sub", "team"]);
        // A folder that was added later is watched, too.
        simplecdb::write(&scratch.source.join("team/deep/d"), &[OTHER]);
        wait_for("a database in it", || {
            exists(&scratch.mount.join("team/deep/d.dci"))
        });
    });
}

#[test]
fn a_rewrite_in_place_is_never_a_mix() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&["-o", "cache-size=0", "-o", LATER], "error");
    let game = first_game(&scratch, "a.dci");
    let old = File::open(&game).unwrap();
    let other = File::open(scratch.games().remove(1)).unwrap();
    // The same sizes, but other bytes: the second game in the index is the first one in the new state.
    let before: Vec<_> = ["dci", "dcg"]
        .map(|extension| fs::metadata(scratch.source.join("a").with_extension(extension)).unwrap())
        .into();
    simplecdb::write(&scratch.source.join("a"), &[IMMORTAL, OPERA]);
    for (extension, before) in ["dci", "dcg"].iter().zip(before) {
        let now = fs::metadata(scratch.source.join("a").with_extension(extension)).unwrap();
        assert_eq!((now.ino(), now.len()), (before.ino(), before.len()));
    }
    for file in [&old, &other] {
        let error = (&mut &*file).read_to_string(&mut String::new()).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(EIO), "{error}");
    }
    let listed =
        fs::read_dir(scratch.mount.join("a.dci/players")).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    assert_eq!(listed.err().and_then(|error| error.raw_os_error()), Some(EIO));
    assert!(scratch.log().contains("a.dci: a.dc"), "{}", scratch.log());
    wait_for("the new state", || white_is(&game, "Anderssen, Adolf"));
    assert!(exists(&scratch.mount.join("a.dci/players/Morphy, Paul")));
    // The open file belongs to the old state, which is gone.
    let error = (&old)
        .seek(SeekFrom::Start(0))
        .and_then(|_| (&old).read(&mut [0; 10]));
    assert_eq!(error.err().and_then(|error| error.raw_os_error()), Some(EIO));
    drop((old, other));
    foreground.signal("TERM");
    assert_eq!(foreground.end().code(), Some(0));
}

#[test]
fn a_rewrite_whose_time_is_put_back_is_noticed() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&["-o", "cache-size=0", "-o", LATER]);
    let game = first_game(&scratch, "a.dci");
    let names = File::options()
        .write(true)
        .open(scratch.source.join("a.dcn"))
        .unwrap();
    let time = names.metadata().unwrap().modified().unwrap();
    names.write_at(b"Murphy", 10).unwrap();
    names.set_modified(time).unwrap();
    drop(names);
    let error = fs::read(&game).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(EIO), "{error}");
    wait_for("the new state", || white_is(&game, "Murphy, Paul"));
}

#[test]
fn a_database_that_is_cut_is_served_as_it_is_then() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    let index = scratch.source.join("a.dci");
    let (games, whole) = (scratch.games(), fs::read(&index).unwrap());
    let file = File::options().write(true).open(&index).unwrap();
    file.set_len(19 + 39).unwrap();
    wait_for("one game", || exists(&games[0]) && !exists(&games[1]));
    fs::write(&index, whole).unwrap();
    wait_for("two games", || exists(&games[1]));
    assert!(white_is(&games[1], "Anderssen, Adolf"));
}

#[test]
fn a_missing_source_leaves_a_mount_that_says_so() {
    with_all_means(|means| {
        let scratch = Scratch::new();
        scratch.mount(means);
        let (game, info) = (first_game(&scratch, "a.dci"), scratch.mount.join("info.txt"));
        assert!(white_is(&game, "Morphy, Paul"));
        let elsewhere = scratch.path("elsewhere");
        fs::rename(&scratch.source, &elsewhere).unwrap();
        wait_for("an empty mount", || !exists(&game));
        let text = fs::read_to_string(&info).unwrap();
        assert!(
            text.contains("Databases: 0") && text.contains("no such file or folder"),
            "{text}"
        );
        let source = text.lines().next().unwrap();
        assert!(
            source.contains(", missing or empty since ") && source.ends_with(" UTC"),
            "{text}"
        );
        let status = || run(pgnfs().arg("status").arg(&scratch.mount)).out;
        assert!(status().contains("missing or empty since "), "{}", status());
        assert_eq!(fs::read_dir(&scratch.mount).unwrap().count(), 1);
        // A link to the same files serves as well as the folder.
        symlink(&elsewhere, &scratch.source).unwrap();
        wait_for("the games", || white_is(&game, "Morphy, Paul"));
        // The kernel may still have the old text of this file, which it is told about after the games are back.
        wait_for("a source that is not gone", || {
            let text = fs::read_to_string(&info);
            text.is_ok_and(|text| !text.contains("empty since")) && !status().contains("empty since")
        });
        // The new target of the link.
        fs::create_dir(scratch.path("third")).unwrap();
        simplecdb::write(&scratch.path("third/a"), &[OTHER]);
        symlink(scratch.path("third"), scratch.path("link")).unwrap();
        fs::rename(scratch.path("link"), &scratch.source).unwrap();
        wait_for("what is there now", || white_is(&game, "Other, Player"));
        fs::remove_file(&scratch.source).unwrap();
        wait_for("nothing", || !exists(&game));
    });
}

#[test]
fn a_folder_above_the_source_is_moved_away() {
    with_all_means(|means| {
        let mut scratch = Scratch::new();
        let (top, elsewhere, link) = (
            scratch.path("top"),
            scratch.path("elsewhere"),
            scratch.path("link"),
        );
        fs::create_dir_all(top.join("club")).unwrap();
        fs::rename(&scratch.source, top.join("club/source")).unwrap();
        symlink(&top, &link).unwrap();
        // The path contains a link to the source.
        scratch.source = link.join("club/source");
        scratch.mount(means);
        let game = first_game(&scratch, "a.dci");
        assert!(white_is(&game, "Morphy, Paul"));
        fs::rename(&top, &elsewhere).unwrap();
        wait_for("an empty mount", || !exists(&game));
        fs::create_dir_all(top.join("club/source")).unwrap();
        simplecdb::write(&top.join("club/source/a"), &[OTHER]);
        wait_for("what has its name", || white_is(&game, "Other, Player"));
        symlink(&elsewhere, scratch.path("new")).unwrap();
        fs::rename(scratch.path("new"), &link).unwrap();
        wait_for("where the link leads now", || white_is(&game, "Morphy, Paul"));
    });
}

#[test]
fn something_is_mounted_on_the_source() {
    needs!(mount);
    let scratch = Scratch::new();
    // In a separate namespace, in which every user may mount.
    let script = r#"
        cd "$1" && mount -t tmpfs none elsewhere || exit 9
        cp source/a.* elsewhere
        "$2" mount -o open-wait=20 -o watch=inotify source mount || exit 8
        trap '"$2" unmount mount' EXIT
        wait_for() { for n in $(seq 200); do "$@" && return; sleep 0.1; done; exit 7; }
        wait_for test -e mount/sub
        mount --bind elsewhere source && wait_for test ! -e mount/sub && cat mount/a.dci/all.pgn
        umount -l source && wait_for test -e mount/sub
        mount --bind elsewhere source/sub && wait_for test -e mount/sub/a.dci
    "#;
    fs::create_dir(scratch.path("elsewhere")).unwrap();
    let Some(ended) = scratch.run_in_namespace(script) else {
        return;
    };
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("[White \"Morphy, Paul\"]"), "{ended:?}");
}

#[test]
fn a_single_database_is_followed() {
    needs!(mount);
    let mut scratch = Scratch::new();
    scratch.source.push("a.dci");
    scratch.mount(&[]);
    let folder = scratch.source.parent().unwrap().to_owned();
    let game = scratch.mount.join("games/000001-001000/000001.pgn");
    let third = game.with_file_name("000003.pgn");
    assert!(white_is(&game, "Morphy, Paul") && !exists(&third));
    simplecdb::write(&folder.join("a"), &[OTHER, OTHER, OTHER]);
    wait_for("the new state", || white_is(&game, "Other, Player"));
    assert!(exists(&third));
    fs::rename(folder.join("a.dci"), folder.join("b.dci")).unwrap();
    wait_for("an empty mount", || !exists(&game));
    let info = fs::read_to_string(scratch.mount.join("info.txt")).unwrap();
    assert!(info.contains("Databases: 0"), "{info}");
    fs::rename(folder.join("b.dci"), folder.join("a.dci")).unwrap();
    wait_for("the games", || white_is(&game, "Other, Player"));
    assert!(white_is(&scratch.mount.join("all.pgn"), "Other, Player"));
}

#[test]
fn changes_of_metadata_alone_have_no_effect() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&["-o", "cache-size=0"]);
    let game = first_game(&scratch, "a.dci");
    let inode = fs::metadata(&game).unwrap().ino();
    let games = scratch.source.join("a.dcg");
    let mut permissions = fs::metadata(&games).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&games, permissions).unwrap();
    fs::hard_link(&games, scratch.path("backup")).unwrap();
    File::open(&games).unwrap().read_to_end(&mut Vec::new()).unwrap();
    // A change elsewhere shows that the reload is complete.
    simplecdb::write(&scratch.source.join("new"), &[OTHER]);
    wait_for("the new one", || exists(&scratch.mount.join("new.dci")));
    assert_eq!(fs::metadata(&game).unwrap().ino(), inode);
    assert!(white_is(&game, "Morphy, Paul"));
}

#[test]
fn a_rename_of_a_hard_link_has_no_effect_on_the_other() {
    needs!(mount);
    let scratch = Scratch::new();
    let game = "[Event \"?\"]\n[White \"Morphy, Paul\"]\n\n1. e4 *\n\n";
    // Mapped, and copied.
    for (name, times) in [("long", 1000), ("short", 1)] {
        fs::write(scratch.source.join(format!("{name}.pgn")), game.repeat(times)).unwrap();
    }
    let other = |name: &str| scratch.source.join(name);
    for name in ["long", "short"] {
        fs::hard_link(other(&format!("{name}.pgn")), other(&format!("{name}-2.pgn"))).unwrap();
    }
    scratch.mount(&["-o", "cache-size=0"]);
    let opened = ["long.pgn", "short.pgn", "all"].map(|name| {
        let path = scratch.mount.join(name).join("players");
        (File::open(&path).unwrap(), fs::metadata(&path).unwrap().ino())
    });
    let read = |folder: &File| {
        let player = format!("/proc/self/fd/{}/Morphy, Paul", folder.as_raw_fd());
        let games = fs::read_dir(player).unwrap().map(|game| game.unwrap().path());
        games.map(|game| fs::read(game).unwrap().len()).sum::<usize>()
    };
    let before = opened.each_ref().map(|(folder, _)| read(folder));
    for name in ["long", "short"] {
        fs::rename(other(&format!("{name}-2.pgn")), other(&format!("{name}-3.pgn"))).unwrap();
    }
    assert_eq!(opened.each_ref().map(|(folder, _)| read(folder)), before);
    wait_for("the new name", || exists(&scratch.mount.join("long-3.pgn")));
    assert_eq!(opened.each_ref().map(|(folder, _)| read(folder)), before);
    for (name, (_, inode)) in ["long.pgn", "short.pgn"].iter().zip(&opened) {
        let path = scratch.mount.join(name).join("players");
        assert_eq!(fs::metadata(path).unwrap().ino(), *inode, "{name}");
    }
}

#[test]
fn files_that_were_replaced_are_closed() {
    with_all_means(|means| {
        let scratch = Scratch::new();
        let foreground = scratch.mount_in_foreground(means, "warn");
        let source = scratch.source.canonicalize().unwrap();
        for name in ["Other, Player", "Another, Player"] {
            replace(&scratch, "a", &[Game { white: name, ..OPERA }]);
            wait_for(name, || white_is(&first_game(&scratch, "a.dci"), name));
            wait_for("files to be closed", || {
                deleted_files(foreground.id(), &source).is_empty()
            });
        }
    });
}

#[test]
fn a_source_can_be_left_unwatched() {
    needs!(mount);
    let scratch = Scratch::new();
    let foreground = scratch.mount_in_foreground(&["-o", "watch=off"], "info");
    let threads = fs::read_dir(format!("/proc/{}/task", foreground.id())).unwrap();
    // A thread that has ended meanwhile has no name.
    let names: Vec<_> = threads
        .filter_map(|thread| fs::read_to_string(thread.unwrap().path().join("comm")).ok())
        .collect();
    assert!(!names.contains(&"reload\n".to_owned()), "{names:?}");
    let mut asked = None;
    wait_for("its socket", || {
        let ended = run(pgnfs().args(["status", "--json"]).arg(&scratch.mount));
        asked = serde_json::from_str::<serde_json::Value>(&ended.out).ok();
        asked.is_some()
    });
    assert_eq!(asked.unwrap()["watched"], false);
    replace(&scratch, "a", &[OTHER, OTHER]);
    assert!(white_is(&first_game(&scratch, "a.dci"), "Morphy, Paul"));
}

#[test]
fn a_listing_of_all_databases_fails_when_one_has_changed() {
    needs!(mount);
    for file in ["a.dci", "sub/b.dci"] {
        let scratch = Scratch::new();
        scratch.mount(&["-o", "watch=off"]);
        let file = File::options()
            .write(true)
            .open(scratch.source.join(file))
            .unwrap();
        file.set_len(file.metadata().unwrap().len() - 1).unwrap();
        for directory in ["all/players", "all/merged/players"] {
            let listed = fs::read_dir(scratch.mount.join(directory));
            let listed = listed.and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
            assert_eq!(listed.unwrap_err().raw_os_error(), Some(EIO), "{directory}");
        }
    }
}
