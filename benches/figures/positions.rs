//! Figures of positions: searches without an index and with one, on the largest sample.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use chessdb::board::Position;
use chessdb::{Database, Options};
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::{GuardedDatabase, Library, LibraryEntry};
use chessdb_library::positions::{BuildOptions, Index, Pattern, scan};

use super::grown::{Grown, Random};
use super::{row, row_at_most, seconds};

/// The argument for these figures alone. A number may follow it: the sample is then grown to this number of games.
pub const ALONE: &str = "positions";

/// Number of positions of each kind that are searched.
const POSITIONS: usize = 1000;

/// Last ply from which positions are taken.
const LAST_PLY: u64 = 60;

/// Measures searches in the database at a path, grown to a number of games if one is given.
pub fn figures(source: &Path, games: Option<u32>) {
    let library = Library::open(source, &Options::default()).expect("a database");
    let entry = &mut LibraryEntry::clone(library.databases().first().expect("a database"));
    if let Some(games) = games {
        let base = entry.database.shared();
        entry.database = GuardedDatabase::of(Grown { base, games });
    }
    let games = f64::from(entry.database.len());
    println!("positions: {games} games of {}", entry.name());

    for line in [
        "e4 c5 Nf3",
        "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6",
        "e4 a5 Ke2",
    ] {
        let wanted = Pattern::of_moves(line).expect("moves");
        let start = seconds();
        let found = scan(&*entry.database, None, &wanted, None, 1, &|_| ()).len();
        let name = format!("find without index: {found} games, games/s and core");
        row(&name, games / (seconds() - start), Some(500_000.0));
    }

    let cache = tempfile::tempdir().expect("a folder");
    let files = KeptFiles::open(cache.path(), "", Space::default()).expect("a folder for the index");
    let options = BuildOptions {
        threads: 1,
        ..BuildOptions::default()
    };
    let start = seconds();
    let most = most_memory(|| {
        Index::build(&files, entry, options, &|_| ()).expect("an index");
    });
    let name = "building an index, CPU seconds a million games";
    row_at_most(name, (seconds() - start) / games * 1e6, 8.0);
    row_at_most("the same: most anonymous memory, MiB", most, 512.0);
    let file = std::fs::read_dir(cache.path())
        .expect("a folder")
        .flatten()
        .next();
    let bytes = file.and_then(|file| file.metadata().ok()).expect("a file").len();
    row_at_most("bytes of the index, a game", bytes as f64 / games, 64.0);
    let start = seconds();
    let index = Index::load(&files, entry).expect("an index");
    row_at_most("opening an index, milliseconds", (seconds() - start) * 1e3, 5.0);

    let patterns = random_positions(&entry.database.shared());
    let (mut shared, mut again, mut single) = (Vec::new(), Vec::new(), Vec::new());
    for pattern in &patterns {
        let ask = || {
            let start = seconds();
            let table = index.moves(pattern).expect("a sound index");
            (table.games(), seconds() - start)
        };
        match ask() {
            (0 | 1, taken) => single.push(taken),
            (_, taken) => {
                shared.push(taken);
                again.push(ask().1);
            }
        }
    }
    let (middle, _) = percentiles(&mut again);
    row(
        "moves table that was just asked for, median us",
        middle * 1e6,
        None,
    );
    let (first, rest) = percentiles(&mut shared);
    row_at_most("moves table of a shared position, median us", first * 1e6, 10.0);
    row_at_most("the same: slowest of a hundred, us", rest * 1e6, 1000.0);
    let (first, rest) = percentiles(&mut single);
    let name = "moves table of a single position, ms a million games";
    row_at_most(name, first * 1e3 / games * 1e6, 20.0);
    row_at_most(
        "the same: slowest of a hundred, ms",
        rest * 1e3 / games * 1e6,
        100.0,
    );

    let start = seconds();
    let novelties = index.novelties(&|_| ()).expect("a sound index").len();
    println!("{novelties} novelties in {:.2} s", seconds() - start);
}

/// Positions after random numbers of moves of random games, half of them of the first moves.
fn random_positions(database: &Arc<dyn Database>) -> Vec<Pattern> {
    let mut random = Random(1);
    let mut patterns = Vec::new();
    while patterns.len() < 2 * POSITIONS {
        let (game, ply) = (random.below(database.len().into()) as u32, random.below(LAST_PLY));
        let ply = if patterns.len() % 2 == 0 { ply } else { ply / 4 };
        let mut reached: Option<Position> = None;
        database.main_line(game, &mut |step| {
            if u64::from(step.number) == ply {
                reached = Some(*step.position);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        patterns.extend(reached.map(Pattern::new));
    }
    patterns
}

/// The median, and what one of a hundred exceeds.
fn percentiles(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

/// Most anonymous memory that this process has while `work` runs, in MiB.
fn most_memory(work: impl FnOnce()) -> f64 {
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let observer = scope.spawn(|| {
            let mut most = 0.0f64;
            while !is_done.load(Ordering::Relaxed) {
                most = most.max(anonymous_memory());
                thread::sleep(Duration::from_millis(20));
            }
            most
        });
        work();
        is_done.store(true, Ordering::Relaxed);
        observer.join().expect("no panic")
    })
}

/// Anonymous memory that this process has, in MiB: without the pages of mapped files.
fn anonymous_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib: f64 = line
        .and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .expect("RssAnon");
    kib / 1024.0
}
