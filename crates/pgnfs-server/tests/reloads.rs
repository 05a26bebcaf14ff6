//! Leftovers of databases that were replaced and of servers that stopped: memory, counted to the byte for all threads,
//! threads and descriptors.

use std::alloc::System;
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use chessdb::Options;
use chessdb_library::library::Library;
use pgnfs_server::inside::{
    ChessFs, CurrentState, FsError, Inode, OpenNode, PassOptions, ResolvedInode, ServeOptions,
};
use pgnfs_server::watch::{Means, QUIET};
use pgnfs_server::{OpenFile, Server};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use testkit::patience::wait_for;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes in use that a replacement may leave: the prefix of the old database's inodes, in a set.
const EACH: f64 = 24.0;

fn in_use() -> usize {
    let counted = INSTRUMENTED_SYSTEM.stats();
    counted.bytes_allocated.wrapping_sub(counted.bytes_deallocated)
}

/// A hundred games of an event. All states of a database are equally large.
fn write(path: &Path, event: u32) {
    let mut text = String::new();
    for game in 0..100 {
        let _ = write!(
            text,
            "[Event \"{event:06}\"]\n[White \"Player {game}\"]\n[Black \"Other {game}\"]\n\
             [Date \"1990.01.01\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n"
        );
    }
    let aside = path.with_extension("new");
    fs::write(&aside, text).unwrap();
    fs::rename(aside, path).unwrap();
}

/// Looks at a file or a directory like the kernel, which counts a look-up of each name on its path, reads it,
/// and forgets it.
fn look(live: &CurrentState, path: &str) -> Result<(), FsError> {
    let mut known = Vec::new();
    let mut here = live.resolve(Inode::ROOT)?;
    for name in path.split('/') {
        here = match name {
            "*" => first(live, &here.open()?)?,
            name => live.child(&here.open()?, OsStr::new(name))?,
        };
        assert!(live.hold(&[here.inode()]).is_empty(), "{path}");
        known.push(here.inode());
    }
    let here = here.open()?;
    here.attributes()?;
    match here.read(0, 1 << 20) {
        Err(FsError::IsADirectory) => here.read_dir(0, &mut |entry| {
            here.attributes_of(&entry, || false);
            ControlFlow::Continue(())
        })?,
        read => drop(read?),
    }
    for inode in known.into_iter().rev() {
        live.release(inode, 1);
    }
    Ok(())
}

/// The first entry of a directory.
fn first(live: &CurrentState, directory: &OpenNode) -> Result<ResolvedInode, FsError> {
    let mut name = String::new();
    directory.read_dir(0, &mut |entry| {
        name = entry.name.into_owned();
        if name.starts_with('.') {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    live.child(directory, OsStr::new(&name))
}

const LOOKED_AT: [&str; 12] = [
    "a.pgn/games/*/*",
    "a.pgn/players/*/*",
    "a.pgn/merged/players/*",
    "a.pgn/all.pgn",
    "a.pgn/tables/games.csv",
    "a.pgn/tables/games.parquet",
    "a.pgn/info.txt",
    "a.pgn/tables/problems.txt",
    "a.pgn/tables/duplicates.csv",
    "a.pgn/moves/e4/e5/*",
    "all/players/*",
    "all/tables/games.csv",
];

/// One after the other, because both count what the whole process holds.
#[test]
fn what_was_replaced_or_stopped_leaves_nothing_behind() {
    a_database_that_is_replaced_leaves_no_memory_behind();
    servers_that_are_dropped_leave_no_threads_and_descriptors_behind();
}

fn a_database_that_is_replaced_leaves_no_memory_behind() {
    let source = tempfile::tempdir().unwrap();
    let path = source.path().join("a.pgn");
    write(&path, 0);
    write(&source.path().join("b.pgn"), 0);
    let library = Library::open(source.path(), &Options::default()).unwrap();
    // Texts of games stay in the cache until it is full.
    let options = ServeOptions {
        cache_size: 0,
        ..ServeOptions::default()
    };
    let live = CurrentState::new(ChessFs::new(library, options));
    let mut event = 0;
    let mut replace = |times: u32| {
        for _ in 0..times {
            event += 1;
            write(&path, event);
            let library = live
                .current()
                .library()
                .reopen(&live.open_databases(), Duration::ZERO);
            assert!(!live.replace(library).is_empty(), "a new state");
            for path in LOOKED_AT {
                look(&live, path).unwrap_or_else(|error| panic!("{path}: {error:?}"));
            }
        }
        // Threads that opened databases end.
        thread::sleep(Duration::from_millis(200));
        in_use()
    };
    replace(20);
    let (before, after) = (replace(20), replace(60));
    let each = (after as f64 - before as f64) / 60.0;
    eprintln!("{each} bytes for each replacement");
    assert!(each <= EACH, "{each} bytes for each replacement");
}

/// The threads and the open descriptors of this process.
fn held() -> [usize; 2] {
    ["/proc/self/task", "/proc/self/fd"].map(|of| fs::read_dir(of).unwrap().count())
}

fn servers_that_are_dropped_leave_no_threads_and_descriptors_behind() {
    const SERVERS: usize = 20;
    let source = tempfile::tempdir().unwrap();
    write(&source.path().join("a.pgn"), 0);
    let serve = || {
        let open = |source: &Path| Library::open(source, &Options::default()).map_err(io::Error::other);
        let options = ServeOptions::default();
        let mut server = Server::open(source.path(), Means::Auto, QUIET, open, options).unwrap();
        let pass = PassOptions {
            threads: 1,
            lower_priority: || (),
        };
        server.start(pass, |_| ()).unwrap();
        server
    };
    let before = held();
    let servers: Vec<Server> = (0..SERVERS).map(|_| serve()).collect();
    let during = held();
    assert!(
        during
            .iter()
            .zip(before)
            .all(|(during, before)| *during >= before + SERVERS),
        "{before:?} {during:?}"
    );
    let (sender, answers) = channel();
    for server in &servers {
        let sender = sender.clone();
        let requests = server.requests();
        requests.open(
            0,
            "a.pgn/search/event:000000/all.pgn",
            move |file: Result<OpenFile, FsError>| {
                sender.send(file.map(|file| file.size())).unwrap();
            },
        );
    }
    drop(sender);
    drop(servers);
    // Each request was answered, or given up.
    assert_eq!(answers.iter().count(), SERVERS);
    // A thread of the first test may have ended since.
    let is_back = || held().iter().zip(before).all(|(now, before)| *now <= before);
    wait_for("what servers held to be given back", is_back);
}
