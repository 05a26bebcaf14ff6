//! Databases that open slowly, and file systems below the source that do not answer.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use chessdb::Options;
use chessdb_library::library::Library;
use serde_json::Value;

use super::scratch::{PATIENCE, Scratch, for_shell, pgnfs, run, wait_for};
use super::simplecdb::{self, Game, IMMORTAL, OPERA};
use testkit::hanging::{Hanging, Operation};
use testkit::needs;
use testkit::patience::Waiting;

const OTHER: Game = Game {
    white: "Other, Player",
    ..OPERA
};

/// A scratch folder with the databases `b.dci` and `deep/c.dci` in `source/slow`, a file system that can
/// hang.
struct Slow {
    // Dropped first, because a folder with a mount in it cannot be removed.
    hanging: Hanging,
    scratch: Scratch,
}

impl Slow {
    fn new() -> Slow {
        let scratch = Scratch::new();
        let (folder, point) = (scratch.path("slow"), scratch.source.join("slow"));
        fs::create_dir_all(folder.join("deep")).unwrap();
        fs::create_dir(&point).unwrap();
        simplecdb::write(&folder.join("b"), &[IMMORTAL, OPERA]);
        simplecdb::write(&folder.join("deep/c"), &[OPERA]);
        let hanging = Hanging::mount(&folder, &point);
        Slow { hanging, scratch }
    }

    /// Mounts, and gets the list of what is still being opened.
    fn mount(&self, options: &[&str]) {
        let ended = run(&mut self.scratch.mount_command(options));
        let message = format!(
            "pgnfs: still being opened: slow/b.dci, slow/deep/c.dci; pgnfs status --wait {} waits for that\n",
            for_shell(&self.scratch.mount)
        );
        assert_eq!((ended.code, ended.err), (Some(0), message));
    }

    fn shown(&self, path: &str) -> PathBuf {
        self.scratch.mount.join(path)
    }

    fn info(&self) -> String {
        fs::read_to_string(self.shown("info.txt")).unwrap_or_default()
    }

    fn status(&self) -> Value {
        let ended = run(pgnfs().args(["status", "--json"]).arg(&self.scratch.mount));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        serde_json::from_str(&ended.out).unwrap()
    }

    /// Waits for the databases that do not hang.
    fn wait_for_others(&self) {
        wait_for("the other databases", || self.info().contains("Databases: 2\n"));
    }

    /// Paths of the databases that are being opened.
    fn opening(&self) -> Vec<String> {
        let status = self.status();
        let opening = status["opening"].as_array().unwrap().iter();
        opening
            .map(|one| one["path"].as_str().unwrap().to_owned())
            .collect()
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.hanging.recover();
    }
}

fn games(path: &Path) -> usize {
    let folder = path.join("games/000001-001000");
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn a_mount_point_that_is_replaced_while_databases_open_is_refused() {
    needs!(mount);
    let slow = Slow::new();
    let scratch = &slow.scratch;
    let (elsewhere, old) = (scratch.path("elsewhere"), scratch.path("old"));
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("file"), "").unwrap();
    slow.hanging.hang(&[Operation::Read]);
    let ended = thread::scope(|scope| {
        let mounting = scope.spawn(|| run(&mut scratch.mount_command(&[])));
        wait_for("the mount point to be checked", || {
            let processes = scratch.processes().into_iter();
            let files = processes.filter_map(|process| fs::read_dir(format!("/proc/{process}/fd")).ok());
            let mut files = files
                .flatten()
                .filter_map(|file| fs::read_link(file.ok()?.path()).ok());
            files.any(|file| file == scratch.mount)
        });
        fs::rename(&scratch.mount, &old).unwrap();
        symlink(&elsewhere, &scratch.mount).unwrap();
        slow.hanging.recover();
        mounting.join().unwrap()
    });
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let message = format!("mount point {} was moved or replaced", scratch.mount.display());
    assert!(ended.err.contains(&message), "{}", ended.err);
    for path in [&elsewhere, &old, &scratch.mount] {
        assert_eq!(testkit::mounts::lines_at(path), [""; 0]);
    }
    assert!(elsewhere.join("file").exists());
}

#[test]
fn what_is_opened_slowly_appears_when_it_is_open() {
    needs!(mount);
    for watch in ["watch=auto", "watch=off"] {
        let slow = Slow::new();
        slow.hanging.hang(&[Operation::Read]);
        slow.mount(&["-o", watch, "-o", "open-wait=3"]);
        slow.wait_for_others();
        assert_eq!(games(&slow.shown("a.dci")), 2);
        assert!(!slow.shown("slow").exists());
        let info = slow.info();
        let (_, list) = info.split_once("\nBeing opened:\n").unwrap();
        assert_eq!(
            list,
            "  slow/b.dci: for more than 3 s\n  slow/deep/c.dci: for more than 3 s\n"
        );
        assert_eq!(slow.opening(), ["slow/b.dci", "slow/deep/c.dci"]);
        let ended = run(pgnfs().arg("status").arg(&slow.scratch.mount));
        assert!(
            ended.out.contains("\nslow/b.dci\n  being opened    for "),
            "{}",
            ended.out
        );
        let waiting = thread::scope(|scope| {
            let waiting = scope.spawn(|| run(pgnfs().args(["status", "--wait"]).arg(&slow.scratch.mount)));
            thread::sleep(Duration::from_secs(1));
            assert!(!waiting.is_finished());
            slow.hanging.recover();
            waiting.join().unwrap()
        });
        assert_eq!(waiting.code, Some(0), "{waiting:?}");
        assert_eq!(games(&slow.shown("slow/b.dci")), 2);
        assert_eq!(games(&slow.shown("slow/deep/c.dci")), 1);
        assert!(!slow.info().contains("Being opened"), "{}", slow.info());
        assert!(slow.opening().is_empty());
    }
}

#[test]
fn all_databases_can_be_read_while_further_ones_appear() {
    needs!(mount);
    let slow = Slow::new();
    slow.hanging.hang(&[Operation::Read]);
    slow.mount(&["-o", "open-wait=3"]);
    slow.wait_for_others();
    let players = slow.shown("all/players");
    let names = |directory: &Path| {
        let entries = fs::read_dir(directory).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name())
            .collect::<Vec<_>>()
    };
    let mut games = BTreeMap::new();
    for player in names(&players) {
        for game in names(&players.join(&player)) {
            let path = Path::new(&player).join(game);
            let file = players.join(&path);
            games.insert(
                path,
                (fs::metadata(&file).unwrap().ino(), fs::read(&file).unwrap()),
            );
        }
    }
    assert_eq!(games.len(), 6);
    let held = File::open(&players).unwrap();
    let mut table = File::open(slow.shown("all/tables/games.csv")).unwrap();
    let before = table.metadata().unwrap().len();
    slow.hanging.recover();
    wait_for("the slow databases", || {
        slow.info().contains("Databases: 4") && !slow.info().contains("Being opened")
    });
    // An open directory and an open file stay as they were, and games have their paths and inodes.
    let held = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
    for (path, (inode, text)) in &games {
        assert_eq!(&fs::read(held.join(path)).unwrap(), text, "{path:?}");
        let now = players.join(path);
        assert_eq!(fs::metadata(&now).unwrap().ino(), *inode, "{path:?}");
        assert_eq!(&fs::read(&now).unwrap(), text, "{path:?}");
    }
    let mut rows = String::new();
    table.read_to_string(&mut rows).unwrap();
    assert_eq!((rows.len() as u64, rows.lines().count()), (before, 1 + 3));
    let after = fs::read_to_string(slow.shown("all/tables/games.csv")).unwrap();
    assert_eq!(after.lines().count(), 1 + 6);
}

#[test]
fn a_mount_of_nothing_but_slow_databases_can_be_unmounted() {
    needs!(mount);
    let mount = |slow: &Slow, source: &str| {
        slow.hanging.hang(&[Operation::Read]);
        let ended = run(pgnfs()
            .args(["mount", "-o", "open-wait=0"])
            .arg(slow.scratch.source.join(source))
            .arg(&slow.scratch.mount));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(
            ended.err.starts_with("pgnfs: still being opened: b.dci"),
            "{ended:?}"
        );
    };
    let slow = Slow::new();
    mount(&slow, "slow");
    assert!(
        slow.info().contains("  b.dci: for more than 0 s\n"),
        "{}",
        slow.info()
    );
    slow.scratch.unmount();
    // An opening that began there still hangs.
    let slow = Slow::new();
    mount(&slow, "slow/b.dci");
    assert_eq!(slow.opening(), ["b.dci"]);
    slow.hanging.recover();
    wait_for("the games", || games(&slow.scratch.mount) == 2);
}

#[test]
fn a_folder_that_does_not_answer_delays_nothing_else() {
    needs!(mount);
    for hanging in [&[Operation::List][..], &[Operation::Attributes], &Operation::ALL] {
        let slow = Slow::new();
        slow.scratch.mount(&[]);
        assert_eq!(games(&slow.shown("slow/b.dci")), 2);
        slow.hanging.hang(hanging);
        // A healthy database changes, and another one is added.
        simplecdb::write(&slow.scratch.source.join("a"), &[OTHER, OPERA, IMMORTAL]);
        simplecdb::write(&slow.scratch.source.join("new"), &[OTHER]);
        wait_for("the new state", || {
            games(&slow.shown("a.dci")) == 3 && games(&slow.shown("new.dci")) == 1
        });
        let why = "does not answer";
        assert!(
            hanging == [Operation::Attributes] || slow.info().contains(why),
            "{}",
            slow.info()
        );
        // An open database is kept.
        assert!(
            slow.info().contains("slow/b.dci: SimpleCDb, 2 games"),
            "{}",
            slow.info()
        );
        slow.hanging.recover();
        wait_for("the answer", || !slow.info().contains(why));
        assert_eq!(games(&slow.shown("slow/b.dci")), 2);
    }
}

#[test]
fn a_source_part_of_which_does_not_answer_can_be_mounted() {
    needs!(mount);
    let slow = Slow::new();
    slow.hanging.hang(&Operation::ALL);
    let ended = run(&mut slow.scratch.mount_command(&[]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.err.contains("slow: left out: the file system at "),
        "{ended:?}"
    );
    assert_eq!(games(&slow.shown("a.dci")), 2);
    assert!(
        slow.info().contains("Left out:\n  slow: the file system at "),
        "{}",
        slow.info()
    );
    slow.hanging.recover();
    wait_for("what was left out", || games(&slow.shown("slow/b.dci")) == 2);
    slow.hanging.hang(&Operation::ALL);
    slow.scratch.unmount();
}

#[test]
fn a_database_behind_links_stays_while_what_they_lead_to_does_not_answer() {
    needs!(mount);
    let slow = Slow::new();
    for extension in ["dci", "dcg", "dcn", "dcs", "dce"] {
        let link = slow.scratch.source.join(format!("link.{extension}"));
        symlink(format!("slow/b.{extension}"), link).unwrap();
    }
    // Only one of its files is on the other file system.
    simplecdb::write(&slow.scratch.source.join("half"), &[OPERA, OTHER]);
    let part = slow.scratch.source.join("half.dcg");
    fs::rename(&part, slow.scratch.path("slow/half.dcg")).unwrap();
    symlink("slow/half.dcg", &part).unwrap();
    slow.scratch.mount(&[]);
    let shown = ["a.dci", "half.dci", "link.dci"].map(|name| slow.shown(name));
    assert!(shown.iter().all(|database| games(database) == 2));
    let inodes = || {
        shown
            .each_ref()
            .map(|database| fs::metadata(database).unwrap().ino())
    };
    let before = inodes();
    slow.hanging.hang(&Operation::ALL);
    simplecdb::write(&slow.scratch.source.join("new"), &[OTHER]);
    wait_for("the new database", || games(&slow.shown("new.dci")) == 1);
    assert_eq!(inodes(), before);
    let info = slow.info();
    assert!(
        info.contains("link.dci: SimpleCDb, 2 games") && info.contains("half.dci: SimpleCDb, 2 games"),
        "{info}"
    );
    slow.hanging.recover();
    wait_for("the answer", || !slow.info().contains("does not answer"));
    assert_eq!(inodes(), before);
    slow.scratch.unmount();

    slow.hanging.hang(&Operation::ALL);
    let ended = run(&mut slow.scratch.mount_command(&[]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let info = slow.info();
    assert_eq!(info.matches("link.dci: the file system at ").count(), 1, "{info}");
    assert!(!slow.shown("half.dci").exists());
    slow.hanging.recover();
    wait_for("what was left out", || {
        shown.iter().all(|database| games(database) == 2)
    });
}

#[test]
fn very_many_files_are_joined_beside_a_link_that_does_not_answer() {
    needs!(mount);
    let slow = Slow::new();
    let game = "[Event \"small\"]\n\n1. e4 *\n";
    for n in 0..1001 {
        fs::write(slow.scratch.source.join(format!("{n:04}.pgn")), game).unwrap();
    }
    fs::write(slow.scratch.path("slow/behind.pgn"), game).unwrap();
    symlink("slow/behind.pgn", slow.scratch.source.join("link.pgn")).unwrap();
    slow.hanging.hang(&Operation::ALL);
    let ended = run(&mut slow.scratch.mount_command(&[]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let info = slow.info();
    assert!(info.contains("link.pgn: the file system at "), "{info}");
    let all = fs::read_to_string(slow.shown("small-files.pgn/all.pgn")).unwrap();
    assert_eq!(all.matches("[Event ").count(), 1001);
    slow.hanging.recover();
    wait_for("what was left out", || games(&slow.shown("link.pgn")) == 1);
    slow.scratch.unmount();
}

#[test]
fn a_source_that_does_not_answer_is_refused_soon() {
    needs!(mount);
    for source in ["slow", "slow/deep", "slow/b.dci"] {
        let slow = Slow::new();
        let source = slow.scratch.source.join(source);
        slow.hanging.hang(&Operation::ALL);
        let mut waiting = Waiting::begin();
        let ended = run(pgnfs().arg("mount").arg(&source).arg(&slow.scratch.mount));
        assert!(waiting.spent() < PATIENCE, "{:?}", waiting.spent());
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let point = slow.scratch.source.join("slow");
        let what = format!("the file system at {} does not answer: ", point.display());
        assert!(
            ended.err.contains(&what) && ended.err.contains(&*source.to_string_lossy()),
            "{ended:?}"
        );
    }
}

#[test]
fn a_mount_can_wait_for_its_source() {
    needs!(mount);
    for watch in ["watch=inotify", "watch=poll:1"] {
        let scratch = Scratch::new();
        let away = scratch.path("away");
        fs::rename(&scratch.source, &away).unwrap();
        let refused = run(&mut scratch.mount_command(&["-o", watch]));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        let mounted = run(&mut scratch.mount_command(&["-o", watch, "--wait-for-source"]));
        assert!(
            mounted.code == Some(0) && mounted.err.contains("no such file"),
            "{mounted:?}"
        );
        let entries = || fs::read_dir(&scratch.mount).unwrap().count();
        assert_eq!(entries(), 1);
        let info = || fs::read_to_string(scratch.mount.join("info.txt")).unwrap();
        assert!(info().contains("no such file"), "{}", info());
        // The folder of a disk is there before the disk.
        fs::create_dir(&scratch.source).unwrap();
        wait_for("an empty source", || !info().contains("no such file"));
        fs::remove_dir(&scratch.source).unwrap();
        fs::rename(&away, &scratch.source).unwrap();
        wait_for("the source", || entries() > 1);
        assert_eq!(scratch.games().len(), 2);
    }
}

/// On a slow disk every read counts. A `.cbf` has a number of games in its index, and names only in its records.
#[test]
fn opening_a_cbf_does_not_read_its_games() {
    needs!(mount);
    let folder = needs!(samples).join("data/chessbase");
    let scratch = Scratch::new();
    let point = scratch.path("disk");
    fs::create_dir(&point).unwrap();
    let disk = Hanging::mount(&folder, &point);
    let library = Library::open(&point.join("medium.cbf"), &Options::default()).unwrap();
    assert_eq!(library.databases()[0].database.len(), 4000);
    let (read, size) = (
        disk.bytes(),
        fs::metadata(folder.join("medium.cbf")).unwrap().len(),
    );
    assert!(0 < read && read < size / 2, "{read} of {size} bytes are read");
}
