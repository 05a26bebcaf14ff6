//! Listing directories in small pieces, from any offset, and while they change.

use std::fs::{self, File};
use std::mem::MaybeUninit;

use rustix::fs::{RawDir, SeekFrom};
use rustix::io::Errno;

use crate::common::needs;
use crate::scratch::{Scratch, wait_for};
use crate::simplecdb::{self, IMMORTAL, OPERA};

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
    // This must not make the kernel look up entries of the old state.
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
