//! Figures of questions about positions, without an index and with kept lines, on the largest sample.

use std::ops::ControlFlow;
use std::path::Path;

use chessdb::Options;
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::Library;
use chessdb_library::positions::{BuildOptions, Positions};
use chessdb_library::query::{Mirror, PositionGroup, PositionQuery, PositionTerm, SearchedGames, TermError};

use super::{fastest, row};

/// The argument for these figures alone.
pub const ALONE: &str = "query";

type Read = fn(&str) -> Result<PositionTerm, TermError>;

/// Games a second and core for a partial board, for material, and for a move.
const TARGETS: [f64; 3] = [1.5e6, 2.5e6, 1.5e6];

/// Terms, each with its mirror images and target.
const QUESTIONS: [(&str, Read, &str, Mirror, f64); 9] = [
    (
        "pieces",
        PositionTerm::board,
        "5rk1/5ppp/4p3/4P3/8/3B1N2/8/4K2R",
        Mirror::None,
        TARGETS[0],
    ),
    (
        "rooks",
        PositionTerm::board,
        "6k1/1R1R1ppp/8/8/8/8/8/6K1",
        Mirror::None,
        TARGETS[0],
    ),
    (
        "pawns",
        PositionTerm::board,
        "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8",
        Mirror::None,
        TARGETS[0],
    ),
    (
        "sets",
        PositionTerm::board,
        "6[rk]1/5[p-]pp/8/3[NB]4/8/5A2/6!1/8",
        Mirror::None,
        TARGETS[0],
    ),
    (
        "mirrored",
        PositionTerm::board,
        "8/pp3ppp/4p3/8/3P4/8/PP3PPP/8",
        Mirror::Both,
        TARGETS[0],
    ),
    (
        "material",
        PositionTerm::material,
        "KRPkr",
        Mirror::None,
        TARGETS[1],
    ),
    (
        "ranges",
        PositionTerm::material,
        "KR+P3-5*kr+p*",
        Mirror::None,
        TARGETS[1],
    ),
    (
        "mirrored",
        PositionTerm::material,
        "KB2P*kbnp*",
        Mirror::Colour,
        TARGETS[1],
    ),
    ("played", PositionTerm::played, "Bxh7+", Mirror::None, TARGETS[2]),
];

/// Measures questions in the database at a path.
pub fn figures(source: &Path) {
    let library = Library::open(source, &Options::default()).expect("a database");
    let entry = library.databases().first().expect("a database");
    let database = &*entry.database;
    let cache = tempfile::tempdir().expect("a folder");
    let files = KeptFiles::open(cache.path(), "", Space::default()).expect("a folder");
    let positions = Positions::new(entry, BuildOptions::default());
    positions.keep_in(&files);
    positions.lines().make(1, &|_| ());
    let games = f64::from(database.len());
    let replay = fastest(|| {
        let mut plies = 0;
        (0..database.len()).for_each(|game| {
            database.main_line(game, &mut |_| {
                plies += 1;
                ControlFlow::Continue(())
            });
        });
        plies
    });
    row("replay of all main lines, games/s and core", games / replay, None);
    for (name, read, text, mirror, target) in QUESTIONS {
        let term = read(text).expect("a term");
        let query = PositionQuery {
            groups: vec![PositionGroup {
                terms: vec![vec![term]],
                ..PositionGroup::default()
            }],
            mirror,
            ..PositionQuery::default()
        };
        let mut found = 0;
        let taken = fastest(|| {
            let searched = SearchedGames {
                lines: Some(positions.lines()),
                ..SearchedGames::all(&*positions.entry().database)
            };
            found = query.find(&searched, 1, &|_| ()).expect("no index").len();
            found + 1
        });
        let name = format!("{name}: {found} games, games/s and core");
        row(&name, games / taken, Some(target));
    }
}
