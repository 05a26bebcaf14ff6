//! Counts the instructions of the inner loops, which differ little from run to run, whatever else the machine does.
//!
//! `scripts/bench --check` runs these benches on databases that it makes from the example games, and compares
//! the counts with `benches/instructions/counts.tsv`. `PGNFS_DATABASES` is the folder of the databases.

#![allow(missing_docs)]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::board::{Move, Position, Undo};
use chessdb::Options;
use chessdb::game::{Game, Token};
use chessdb::pgn::append_game;
use chessdb_library::kept::{KeptFiles, Space, program_hash};
use chessdb_library::library::{Library, LibraryEntry};
use chessdb_library::positions::{BuildOptions, Index};
use gungraun::prelude::*;
use pgnfs_server::inside::{ChessFs, Inode, ServeOptions};

main!(
    config = LibraryBenchmarkConfig::default().pass_through_envs(["PGNFS_DATABASES"]),
    library_benchmark_groups = [inner]
);

library_benchmark_group!(
    name = inner,
    benchmarks = [export, main_lines, write, read_san, play, views, index]
);

// Decodes all games and writes them.
#[library_benchmark(setup = entry)]
#[bench::simplecdb("simplecdb.dci")]
#[bench::chessbase("chessbase.cbf")]
#[bench::chessbase_cbh("chessbase-cbh.cbh")]
#[bench::chessbase_2cbh("chessbase-2cbh.2cbh")]
#[bench::chess_assistant("chess-assistant.cdp")]
#[bench::jose("jose.jose")]
#[bench::brenner("brenner.brn")]
#[bench::scid("scid.si4")]
#[bench::pgn("pgn.pgn")]
fn export(entry: LibraryEntry) -> (usize, LibraryEntry) {
    let mut text = Vec::new();
    let written = (0..entry.database.len())
        .map(|game| {
            text.clear();
            append_game(&mut text, &entry.database.game(game).game);
            text.len()
        })
        .sum();
    (written, entry)
}

// Decodes the moves of all main lines.
#[library_benchmark(setup = entry)]
#[bench::simplecdb("simplecdb.dci")]
#[bench::chessbase("chessbase.cbf")]
#[bench::chessbase_cbh("chessbase-cbh.cbh")]
#[bench::chessbase_2cbh("chessbase-2cbh.2cbh")]
#[bench::chess_assistant("chess-assistant.cdp")]
#[bench::jose("jose.jose")]
#[bench::brenner("brenner.brn")]
#[bench::scid("scid.si4")]
#[bench::pgn("pgn.pgn")]
fn main_lines(entry: LibraryEntry) -> (u32, LibraryEntry) {
    let mut plies = 0;
    for game in 0..entry.database.len() {
        entry.database.main_line(game, &mut |ply| {
            black_box(ply);
            plies += 1;
            ControlFlow::Continue(())
        });
    }
    (plies, entry)
}

// Writes games that are decoded already.
#[library_benchmark(setup = games)]
#[bench::simplecdb("simplecdb.dci")]
fn write((games, mut text): (Vec<Game>, Vec<u8>)) -> (Vec<Game>, Vec<u8>) {
    for game in &games {
        append_game(&mut text, game);
    }
    (games, text)
}

// Reads the SAN of each move in its position.
#[library_benchmark(setup = moves)]
#[bench::simplecdb("simplecdb.dci")]
fn read_san(moves: Vec<(Position, String, Move)>) -> Vec<(Position, String, Move)> {
    for (position, san, _) in &moves {
        assert!(black_box(position.read_move(san)).is_ok());
    }
    moves
}

// Plays each move in its position and makes its SAN.
#[library_benchmark(setup = moves)]
#[bench::simplecdb("simplecdb.dci")]
fn play(mut moves: Vec<(Position, String, Move)>) -> Vec<(Position, String, Move)> {
    let mut undo = Undo::default();
    for (position, _, mv) in &mut moves {
        assert!(black_box(position.play_legal(*mv, &mut undo)).is_ok());
    }
    moves
}

// Builds the views of all games and lists their names.
#[library_benchmark(setup = file_system)]
#[bench::simplecdb("simplecdb.dci")]
fn views(fs: Arc<ChessFs>) -> Arc<ChessFs> {
    let root = fs.resolve(Inode::ROOT).expect("the root");
    let root = root.open().expect("the root");
    for view in ["players", "events", "years", "eco"] {
        let view = root.child(view.as_ref()).expect("a view").inode();
        let view = fs.resolve(view).expect("a view");
        let mut names = 0;
        let listed = view.open().expect("a view").read_dir(0, &mut |entry| {
            black_box(entry);
            names += 1;
            ControlFlow::Continue(())
        });
        listed.expect("a directory");
        assert!(names > 2);
    }
    fs
}

// Builds the index of positions.
#[library_benchmark(setup = entry_of_known_program)]
#[bench::simplecdb("simplecdb.dci")]
fn index(entry: LibraryEntry) -> LibraryEntry {
    let cache = tempfile::tempdir().expect("a folder");
    let files = KeptFiles::open(cache.path(), "", Space::default()).expect("a folder for the index");
    let options = BuildOptions {
        threads: 1,
        ..BuildOptions::default()
    };
    Index::build(&files, &entry, options, &|_| ()).expect("an index");
    entry
}

fn path(name: &str) -> PathBuf {
    let folder = std::env::var_os("PGNFS_DATABASES").expect("scripts/bench sets PGNFS_DATABASES");
    Path::new(&folder).join(name)
}

fn entry(name: &str) -> LibraryEntry {
    let library = Library::open(&path(name), &Options::default()).expect("a database");
    LibraryEntry::clone(library.databases().first().expect("a database"))
}

/// The same, after the program has hashed its own file. Names of kept files contain this hash; computing it must
/// not count.
fn entry_of_known_program(name: &str) -> LibraryEntry {
    black_box(program_hash());
    entry(name)
}

/// All games, and room for their text.
fn games(name: &str) -> (Vec<Game>, Vec<u8>) {
    let entry = entry(name);
    let games = (0..entry.database.len()).map(|game| entry.database.game(game).game);
    (games.collect(), Vec::with_capacity(1 << 20))
}

/// The moves of all main lines, each with its SAN and the position before it.
fn moves(name: &str) -> Vec<(Position, String, Move)> {
    let entry = entry(name);
    let mut moves = Vec::new();
    for game in 0..entry.database.len() {
        let decoded = entry.database.game(game).game;
        let tokens = decoded.movetext.tokens().iter();
        let mut sans = tokens.filter_map(|token| match token {
            Token::Move(san, _) => Some(san.to_string()),
            _ => None,
        });
        entry.database.main_line(game, &mut |ply| {
            moves.push((ply.before(), sans.next().expect("SAN"), ply.mv));
            ControlFlow::Continue(())
        });
    }
    moves
}

fn file_system(name: &str) -> Arc<ChessFs> {
    let library = Library::open(&path(name), &Options::default()).expect("a database");
    ChessFs::new(library, ServeOptions::default())
}
