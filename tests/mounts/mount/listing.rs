//! Listing directories in small pieces, from any offset, while they change, and with sizes.

use std::fs::{self, File};
use std::mem::MaybeUninit;
use std::process::Command;

use rustix::fs::{RawDir, SeekFrom};
use rustix::io::Errno;

use super::scratch::{Scratch, run, wait_for};
use super::simplecdb::{self, Game, IMMORTAL, OPERA};
use testkit::needs;

/// Size of the smallest entry in bytes.
const SMALLEST: usize = 24;

/// The next entries of a directory that fit into a buffer of this size: their names, and the offsets after
/// them.
fn some(directory: &File, bytes: usize) -> Result<Vec<(String, u64)>, Errno> {
    // The crate aligns the buffer by skipping its first bytes.
    let mut space = [MaybeUninit::uninit(); 1024 + 8];
    let skipped = space.as_ptr().align_offset(8);
    let mut buffer = RawDir::new(directory, &mut space[skipped..skipped + bytes]);
    let mut entries = Vec::new();
    while let Some(entry) = buffer.next() {
        let entry = entry?;
        let name = entry.file_name().to_str().unwrap().to_owned();
        entries.push((name, entry.next_entry_cookie()));
        if buffer.is_buffer_empty() {
            break;
        }
    }
    Ok(entries)
}

/// All entries of a directory from the present offset.
fn rest(directory: &File, bytes: usize) -> Result<Vec<(String, u64)>, Errno> {
    let mut all = Vec::new();
    loop {
        match some(directory, bytes)? {
            entries if entries.is_empty() => return Ok(all),
            entries => all.extend(entries),
        }
    }
}

fn names(entries: &[(String, u64)]) -> Vec<&str> {
    entries.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn a_buffer_may_be_small_and_the_place_any() {
    needs!(mount);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    for folder in ["", "sub", "a.dci", "a.dci/games/000001-001000", "a.dci/players"] {
        let path = scratch.mount.join(folder);
        let mut wanted: Vec<_> = fs::read_dir(&path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        wanted.extend([".".to_owned(), "..".to_owned()]);
        wanted.sort();
        let open = || File::open(&path).unwrap();
        for bytes in [1, 8, SMALLEST - 1] {
            assert_eq!(some(&open(), bytes), Err(Errno::INVAL), "{folder}: {bytes}");
        }
        for bytes in (SMALLEST..400).step_by(8) {
            match rest(&open(), bytes) {
                Ok(entries) => {
                    let mut found = names(&entries);
                    found.sort_unstable();
                    assert_eq!(found, wanted, "{folder}: {bytes}");
                }
                Err(error) => assert_eq!(error, Errno::INVAL, "{folder}: {bytes}"),
            }
        }
        // Seeks to every offset, the last one first.
        let directory = open();
        let entries = rest(&directory, 1024).unwrap();
        for (n, (_, place)) in entries.iter().enumerate().rev() {
            rustix::fs::seek(&directory, SeekFrom::Start(*place)).unwrap();
            assert_eq!(
                names(&rest(&directory, 1024).unwrap()),
                names(&entries[n + 1..]),
                "{folder}"
            );
        }
        // Seeks to invalid offsets.
        for place in [1 << 20, u64::from(u32::MAX), 1 << 32, 7 << 32, u64::MAX >> 1] {
            if rustix::fs::seek(&directory, SeekFrom::Start(place)).is_ok() {
                let listed = rest(&directory, 1024);
                let is_known = |entries: &Vec<(String, u64)>| {
                    names(entries)
                        .iter()
                        .all(|name| wanted.contains(&(*name).to_owned()))
                };
                assert!(
                    matches!(&listed, Ok(entries) if is_known(entries)) || listed == Err(Errno::STALE),
                    "{folder} {place}: {listed:?}"
                );
            }
        }
    }
}

/// Lists a folder, entry by entry, whose databases change after the first few entries.
fn listed_while_it_changes(scratch: &Scratch, change: impl Fn(), is_seen: impl Fn() -> bool) -> Vec<String> {
    let directory = File::open(scratch.mount.join("sub")).unwrap();
    let mut all = Vec::new();
    while all.len() < 4 {
        all.extend(some(&directory, SMALLEST + 8).unwrap());
    }
    change();
    wait_for("the new state", is_seen);
    all.extend(rest(&directory, SMALLEST + 8).unwrap());
    names(&all).into_iter().map(str::to_owned).collect()
}

#[test]
fn what_does_not_change_is_listed_once_while_others_do() {
    needs!(mount);
    let scratch = Scratch::new();
    fs::remove_dir_all(scratch.source.join("sub")).unwrap();
    fs::create_dir(scratch.source.join("sub")).unwrap();
    let database = |name: &str| scratch.source.join("sub").join(name);
    for name in ["b", "c", "d", "e", "f"] {
        simplecdb::write(&database(name), &[OPERA]);
    }
    scratch.mount(&[]);
    // The kernel must not look up entries of the old state because of this.
    let is_seen = || scratch.mount.join("sub/a.dci").exists();
    let change = || {
        // One database is removed before the offset, one is added there, and one after it is replaced.
        for extension in ["dci", "dcg", "dcn", "dcs", "dce"] {
            fs::remove_file(database("b").with_extension(extension)).unwrap();
        }
        simplecdb::write(&database("a"), &[OPERA]);
        simplecdb::write(&database("e"), &[IMMORTAL]);
    };
    let listed = listed_while_it_changes(&scratch, change, is_seen);
    for name in ["c.dci", "d.dci", "e.dci", "f.dci"] {
        let times = listed.iter().filter(|listed| *listed == name).count();
        assert_eq!(times, 1, "{name}: {listed:?}");
    }
}

/// A database with twelve players, each of whom has a directory with a thousand games.
fn write_players(scratch: &Scratch) {
    let players: Vec<[&str; 2]> = (0..6)
        .map(|n| ["White", "Black"].map(|color| &*format!("{color} {n:02}").leak()))
        .collect();
    let games: Vec<Game> = (0..6000)
        .map(|n| Game {
            white: players[n / 1000][0],
            black: players[n / 1000][1],
            ..OPERA
        })
        .collect();
    simplecdb::write(&scratch.source.join("players"), &games);
}

/// The look-ups of games in the log.
fn looked_up(scratch: &Scratch) -> usize {
    let log = scratch.log();
    let lines = log.lines().filter(|line| line.contains(": LOOKUP 0x"));
    lines.filter(|line| line.contains(".pgn\": 0x")).count()
}

#[test]
fn a_program_that_needs_sizes_gets_them_with_the_names() {
    needs!(mount);
    needs!(program "find", in "findutils");
    let scratch = Scratch::new();
    write_players(&scratch);
    let foreground = scratch.mount_in_foreground(&[], "pgnfs=trace");
    // All sizes are known then.
    fs::metadata(scratch.mount.join("players.dci/all.pgn")).unwrap();
    let before = looked_up(&scratch);
    // Another program may have listed the names only.
    for conditions in [["-name", "*.pgn"], ["-size", "+1c"]] {
        let players = scratch.mount.join("players.dci/players");
        let found = run(Command::new("find")
            .arg(players)
            .args(["-type", "f"])
            .args(conditions));
        assert_eq!((found.code, found.err.as_str()), (Some(0), ""));
        assert_eq!(found.out.lines().count(), 12_000, "{conditions:?}");
    }
    assert_eq!(looked_up(&scratch), before);
    drop(foreground);
}
