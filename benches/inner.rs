//! Measures the inner loops separately: `cargo bench --bench inner`.
//!
//! Databases are written from the repository's own games, so these benches run everywhere. Targets are in
//! `benches/figures` and `scripts/bench`; these benches show where a change of a figure comes from.

#![allow(missing_docs)]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use chessdb::Options;
use chessdb::board::{Fen, Position, RunningKey, Undo};
use chessdb::pgn::append_game;
use chessdb_library::library::{Library, LibraryEntry, text_of};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pgnfs_server::inside::{ChessFs, Inode, ServeOptions};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position as _};

/// Formats that the example program writes, and the extension of the main file.
const WRITERS: &[(&str, &str)] = &[
    ("simplecdb", "dci"),
    ("chessbase", "cbf"),
    ("chess-assistant", "cdp"),
    ("jose", ""),
    ("brenner", "brn"),
];

/// Number of games in each database.
const GAMES: u32 = 1000;

criterion_group!(benches, games, board, reading, keys, tree);
criterion_main!(benches);

/// A library of one database written from the example games.
fn library(format: &str, extension: &str, folder: &Path) -> Option<Library> {
    let writer = Path::new(env!("CARGO_BIN_EXE_pgnfs")).with_file_name("examples/make_database");
    let base = folder.join(format);
    let made = Command::new(&writer)
        .args(["--count", &GAMES.to_string(), format])
        .arg(&base)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/games/classics.pgn"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("no {format} database: build {} first", writer.display());
        return None;
    }
    Some(Library::open(&base.with_extension(extension), &Options::default()).expect("a database"))
}

/// Decoding games, reading tags and writing PGN, for each format.
fn games(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    for (format, extension) in WRITERS {
        let Some(library) = library(format, extension, folder.path()) else {
            continue;
        };
        let entry: &LibraryEntry = &library.databases()[0];
        let games = entry.database.len();
        let mut group = criterion.benchmark_group(*format);
        group.throughput(Throughput::Elements(games.into()));
        group.bench_function("text", |b| {
            b.iter(|| {
                (0..games)
                    .map(|game| text_of(entry, game).pgn.len())
                    .sum::<usize>()
            })
        });
        group.bench_function("decode", |b| {
            b.iter(|| (0..games).for_each(|game| drop(black_box(entry.database.game(game)))))
        });
        group.bench_function("tags", |b| {
            b.iter(|| (0..games).for_each(|game| drop(black_box(entry.database.tags(game)))))
        });
        let decoded: Vec<_> = (0..games).map(|game| entry.database.game(game).game).collect();
        let mut text = Vec::new();
        group.bench_function("write", |b| {
            b.iter(|| {
                text.clear();
                decoded.iter().for_each(|game| append_game(&mut text, game));
                text.len()
            })
        });
        group.finish();
    }
}

/// Playing moves and computing their SAN.
fn board(criterion: &mut Criterion) {
    let start = Position::initial();
    let legal: Vec<chessdb::board::Move> = Chess::default()
        .legal_moves()
        .iter()
        .filter_map(|mv| Some(chessdb::board::Move::normal(mv.from()?, mv.to())))
        .collect();
    let mut group = criterion.benchmark_group("board");
    group.throughput(Throughput::Elements(legal.len() as u64));
    group.bench_function("play, name and take back", |b| {
        let mut position = start;
        let mut undo = Undo::default();
        b.iter(|| {
            for &mv in &legal {
                let _ = black_box(position.play_legal(mv, &mut undo));
                position.take_back(&undo);
            }
        })
    });
    group.bench_function("test legality", |b| {
        b.iter(|| legal.iter().filter(|&&mv| start.test(mv).is_ok()).count())
    });
    group.finish();
}

/// A position with captures, castling on both sides, and pieces that block each other.
const MIDDLE_GAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Parsing the text of moves.
fn reading(criterion: &mut Criterion) {
    let position = Fen::parse(MIDDLE_GAME).expect("a position").position;
    let theirs: shakmaty::fen::Fen = MIDDLE_GAME.parse().expect("a position");
    let theirs: Chess = theirs.into_position(CastlingMode::Standard).expect("a position");
    let legal = theirs.legal_moves();
    let san: Vec<String> = legal
        .iter()
        .map(|&mv| SanPlus::from_move(theirs.clone(), mv).to_string())
        .collect();
    let uci: Vec<String> = legal
        .iter()
        .map(|mv| mv.to_uci(CastlingMode::Standard).to_string())
        .collect();
    let mut group = criterion.benchmark_group("reading");
    group.throughput(Throughput::Elements(legal.len() as u64));
    for (name, texts) in [("SAN", san), ("UCI", uci)] {
        group.bench_function(name, |b| {
            b.iter(|| {
                texts
                    .iter()
                    .filter(|text| position.read_move(text).is_ok())
                    .count()
            })
        });
    }
    group.finish();
}

/// Computing keys of positions.
fn keys(criterion: &mut Criterion) {
    let start = Fen::parse(MIDDLE_GAME).expect("a position").position;
    let mut after = start;
    let mut undo = Undo::default();
    let capture = start.read_move("Qxf6").expect("a move");
    after.play_legal(capture, &mut undo).expect("a legal move");
    let running = RunningKey::new(&start);
    let mut group = criterion.benchmark_group("keys");
    group.throughput(Throughput::Elements(1));
    group.bench_function("from scratch", |b| b.iter(|| black_box(&after).key()));
    group.bench_function("after a move", |b| {
        b.iter(|| {
            let mut running = black_box(running);
            running.follow(black_box(&undo), &after);
            running.key(&after)
        })
    });
    group.finish();
}

/// Computing names and attributes.
fn tree(criterion: &mut Criterion) {
    let games = 100_000;
    let library = Library::from_databases(vec![testkit::fake::Fake::many(games).at("")]);
    let fs = ChessFs::new(library, ServeOptions::default());
    let child = |directory, name: &str| {
        fs.resolve(directory)?
            .open()?
            .child(name.as_ref())
            .map(|found| found.inode())
    };
    let players = child(Inode::ROOT, "players").expect("a view");
    let player = child(players, "White1, A").expect("a player");
    let count = |directory| {
        let mut entries = 0;
        let directory = fs.resolve(directory).expect("a directory");
        let directory = directory.open().expect("a directory");
        directory
            .read_dir(0, &mut |_| {
                entries += 1;
                ControlFlow::Continue(())
            })
            .expect("a directory");
        entries
    };
    let mut group = criterion.benchmark_group("tree");
    group.throughput(Throughput::Elements(count(player)));
    group.bench_function("names of games in a view", |b| b.iter(|| count(player)));
    group.throughput(Throughput::Elements(1));
    group.bench_function("look a player up", |b| b.iter(|| child(players, "White1, A")));
    group.bench_function("open a database and build its views", |b| {
        b.iter(|| {
            let library = Library::from_databases(vec![testkit::fake::Fake::many(1000).at("")]);
            let fs = ChessFs::new(library, ServeOptions::default());
            let root = fs.resolve(Inode::ROOT).expect("the root");
            let players = root
                .open()
                .expect("the root")
                .child("players".as_ref())
                .expect("a view");
            let players = players.open().expect("a view");
            players.child("White1, A".as_ref()).map(|found| found.inode())
        })
    });
    group.finish();
}
