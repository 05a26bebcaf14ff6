//! Repertoires: which games follow them, and where games leave them.

use std::sync::Arc;

use chessdb_library::library::Library;
use chessdb_library::positions::{AnswerOptions, BuildOptions, DatabasePart, Positions};
use chessdb_library::query::Query;
use chessdb_library::repertoire::Repertoires;
use tempfile::TempDir;

/// Moves that White and Black want to play. The second game has other moves for Black.
const REPERTOIRE: &str = "[White \"A\"]\n\n1. e4 e5 (1... c5 2. Nf3 (2. c3 d5) 2... d6 3. d4) 2. Nf3 Nc6 3. Bb5 *\n\n\
    [White \"B\"]\n\n1. e4 e5 2. Nf3 Nf6 *\n\n";

/// Names, movetext, and the position in which the game begins, if it is not the usual one.
const GAMES: [(&str, &str, &str); 14] = [
    ("Tal Smyslov", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", ""),
    ("Tal Smyslov", "1. e4 e5 2. Nf3 d6 3. d4", ""),
    ("Smyslov Tal", "1. e4 e5 2. Bc4 Nc6 3. Nf3", ""),
    ("Tal Keres", "1. d4 d5", ""),
    ("Keres Tal", "1. e4 c5 2. c3 d5", ""),
    ("Keres Tal", "1. e4 c5 2. Nf3 e6 3. d4", ""),
    ("Tal Tal", "1. e4 c6 2. d4 d5", ""),
    // By another order of moves, from a position that the repertoire does not have.
    (
        "C D",
        "2. e4 e5 3. Bb5",
        "r1bqkbnr/pppppppp/2n5/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2",
    ),
    // The mirror image with colours exchanged, and one with files exchanged.
    (
        "E F",
        "1... e5 2. e4 Nf6 3. Nc3 Bb4",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
    ),
    (
        "G H",
        "1. d4 d5 2. Nc3 Nf6 3. Bg5",
        "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1",
    ),
    (
        "I J",
        "1. d4 (1. e4 e5 2. Nf3 Nc6 3. Bc4) (1. e4 c5 2. Nf3) 1... d5",
        "",
    ),
    ("K L", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4", ""),
    // Black's first move is not one of the repertoire, but the position after the second is.
    ("M N", "1. e4 d6 2. Nf3 c5 3. h3", ""),
    ("O P", "1. e4 d6 2. Nf3 c5 3. d4 g6", ""),
];

/// The part with the games, and how to ask it. The folder exists as long as it is searched.
fn opened() -> (TempDir, DatabasePart, AnswerOptions) {
    let folder = tempfile::tempdir().unwrap();
    let games = GAMES.map(|(names, moves, fen)| {
        let (white, black) = names.split_once(' ').unwrap();
        let setup = match fen {
            "" => String::new(),
            fen => format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n"),
        };
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n{setup}\n{moves} *\n\n")
    });
    std::fs::write(folder.path().join("games.pgn"), games.concat()).unwrap();
    std::fs::create_dir(folder.path().join("own")).unwrap();
    std::fs::write(folder.path().join("own/white.pgn"), REPERTOIRE).unwrap();
    let library = Library::open(folder.path(), &Default::default()).unwrap();
    let entries = library.databases();
    let games = entries.iter().find(|entry| entry.name() == "games.pgn").unwrap();
    let part = DatabasePart::of(Arc::new(Positions::new(games, BuildOptions::default())));
    let options = AnswerOptions {
        threads: 2,
        repertoires: Arc::new(Repertoires::of(entries.iter().cloned(), 2)),
        ..AnswerOptions::default()
    };
    (folder, part, options)
}

#[test]
fn a_game_follows_a_repertoire_wherever_it_has_moves() {
    let (_folder, part, options) = opened();
    for (query, expected) in [
        // Each with the first position that the repertoire has.
        (
            "repertoire:white.pgn by:white",
            &[(0, 0), (1, 0), (4, 0), (5, 0), (6, 0), (7, 2), (11, 0), (13, 0)][..],
        ),
        (
            "repertoire:own/white.pgn by:white ply:3..",
            &[(0, 4), (11, 4), (13, 4)],
        ),
        ("repertoire:own/* by:white white:tal", &[(0, 0), (1, 0), (6, 0)]),
        (
            "repertoire:white.pgn by:black",
            &[(0, 1), (2, 1), (4, 1), (11, 1)],
        ),
        (
            "player:tal repertoire:white.pgn by:player",
            &[(0, 0), (1, 0), (2, 1), (4, 1), (6, 0)],
        ),
        ("player:tal -repertoire:white.pgn by:player", &[(3, 0), (5, 0)]),
        (
            "-repertoire:white.pgn by:white",
            &[(2, 0), (3, 0), (8, 0), (9, 0), (10, 0), (12, 0)],
        ),
        ("-repertoire:white.pgn by:white line:e4,e5", &[(2, 2)]),
        ("repertoire:white.pgn by:white then played:a6", &[(0, 5), (11, 5)]),
        (
            "repertoire:white.pgn by:white then repertoire:white.pgn by:black",
            &[(0, 1), (4, 1), (11, 1)],
        ),
        (
            "( repertoire:white.pgn by:white | played:d4 ply:0 )",
            &[
                (0, 0),
                (1, 0),
                (3, 0),
                (4, 0),
                (5, 0),
                (6, 0),
                (7, 2),
                (9, 0),
                (10, 0),
                (11, 0),
                (13, 0),
            ],
        ),
        ("repertoire:games.pgn by:white white:i", &[(10, 0)]),
        ("repertoire:white.pgn|games.pgn by:white white:i", &[(10, 0)]),
        ("repertoire:white.pgn by:white mirror:colour white:e", &[(8, 0)]),
        ("repertoire:white.pgn by:black mirror:colour white:e", &[(8, 1)]),
        ("repertoire:white.pgn by:white mirror:side white:g", &[(9, 0)]),
        // The first variation leaves it.
        ("repertoire:white.pgn by:white in:variations white:i", &[(10, 0)]),
        ("repertoire:white.pgn by:white ply:4.. in:variations white:i", &[]),
        (
            "repertoire:white.pgn by:white ply:2 in:variations white:i",
            &[(10, 2)],
        ),
    ] {
        let found = Query::parse(query).unwrap().find(&part, &options, &|_| ());
        let found: Vec<(u32, u32)> = found.iter().map(|found| (found.game, found.ply)).collect();
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn a_game_leaves_a_repertoire_with_the_first_move_that_it_does_not_have() {
    let (_folder, part, options) = opened();
    for (query, expected) in [
        (
            "repertoire:white.pgn by:white",
            &["1 3 black d6 Nc6 Nf6", "5 3 black e6 d6", "6 1 black c6 c5 e5"][..],
        ),
        (
            "-repertoire:white.pgn by:white",
            &[
                "2 2 white Bc4 Nf3",
                "3 0 white d4 e4",
                "10 0 white d4 e4",
                "12 4 white h3 d4",
            ],
        ),
        (
            "player:tal -repertoire:white.pgn by:player",
            &["3 0 white d4 e4", "5 3 black e6 d6"],
        ),
        // The player's opponent is the side whose moves the repertoire has.
        (
            "player:keres -repertoire:white.pgn by:opponent",
            &["3 0 white d4 e4", "5 3 black e6 d6"],
        ),
        ("repertoire:none.pgn by:white", &[]),
        ("repertoire:white.pgn by:white mirror:colour", &[]),
    ] {
        let query = Query::parse(query).unwrap();
        let all: Vec<u32> = (0..GAMES.len() as u32).collect();
        let found = query.find(&part, &options, &|_| ());
        let games: Vec<u32> = found.iter().map(|found| found.game).collect();
        let left = query.left_in(&part, &games, &options, &|_| ());
        let rows: Vec<String> = left
            .iter()
            .map(|left| left.record(left.game.to_string()).join(" "))
            .collect();
        assert_eq!(rows, expected, "{}", query.canonical());
        assert!(query.left_in(&part, &all, &options, &|_| ()).len() >= left.len());
    }
}

/// `left:` finds the very games and moves that the table of deviations has.
#[test]
fn games_that_leave_a_repertoire_are_those_with_deviations() {
    let (_folder, part, options) = opened();
    let all: Vec<u32> = (0..GAMES.len() as u32).collect();
    for query in [
        "left:white.pgn",
        "left:white.pgn by:white",
        "left:white.pgn by:black",
        "left:own/*",
        "left:none.pgn",
        "player:tal left:white.pgn",
        "player:tal left:white.pgn by:player",
        "player:tal left:white.pgn by:opponent",
        "player:keres left:white.pgn by:opponent",
        "player:o left:white.pgn by:white",
    ] {
        let query = Query::parse(query).unwrap();
        let found = query.find(&part, &options, &|_| ());
        let found: Vec<(u32, u32)> = found.iter().map(|found| (found.game, found.ply)).collect();
        let left = query.left_in(&part, &all, &options, &|_| ());
        let left: Vec<(u32, u32)> = left.iter().map(|left| (left.game, left.ply)).collect();
        assert_eq!(found, left, "{}", query.canonical());
    }
    let found = |query: &str| -> Vec<(u32, u32)> {
        let found = Query::parse(query).unwrap().find(&part, &options, &|_| ());
        found.iter().map(|found| (found.game, found.ply)).collect()
    };
    // The last game comes back, and plays a move of the repertoire.
    assert_eq!(
        found("left:white.pgn by:white"),
        [(2, 2), (3, 0), (10, 0), (12, 4)]
    );
    assert_eq!(found("left:white.pgn by:black"), [(1, 3), (5, 3), (6, 1)]);
    assert_eq!(
        found("player:tal left:white.pgn by:player"),
        [(3, 0), (5, 3), (6, 1)]
    );
    assert_eq!(found("-left:white.pgn player:keres"), [(4, 0)]);
    // A game leaves it in a variation, too; the table is about main lines, and does not exist.
    let in_variations = "left:white.pgn in:variations ply:4..";
    assert_eq!(found(in_variations), [(10, 4), (12, 4)]);
    assert!(Query::parse(in_variations).unwrap().only_repertoire().is_none());
}

#[test]
fn a_repertoire_is_a_database_or_a_file() {
    let (folder, part, options) = opened();
    let file = folder.path().join("other.pgn");
    std::fs::write(&file, "[White \"A\"]\n\n1. d4 *\n\n").unwrap();
    // Folders of temporary files may have blanks.
    let query = |path: &str| Query::parse(&format!("repertoire:\"{path}\" by:white")).unwrap();
    let open = |path: &str| {
        let query = query(path);
        options
            .repertoires
            .open_files(&query.repertoires(), &Default::default())
    };
    let named = file.to_str().unwrap();
    assert_eq!(query(named).find(&part, &options, &|_| ()), []);
    open(named).unwrap();
    let found = query(named).find(&part, &options, &|_| ());
    assert_eq!(found.iter().map(|found| found.game).collect::<Vec<_>>(), [3, 10]);
    for (path, error) in [
        (
            "none.pgn",
            "no database here has this name, and there is no such file",
        ),
        (folder.path().join("games").to_str().unwrap(), "no such file"),
    ] {
        assert!(open(path).unwrap_err().to_string().contains(error), "{path}");
    }
    open("white.pgn").unwrap();
}

/// A source with `games.pgn`, which has one game, and `many.pgn`, which has `games` games, the last one with other
/// moves.
fn source_with(games: usize) -> (TempDir, DatabasePart, Arc<Repertoires>) {
    let folder = tempfile::tempdir().unwrap();
    let many = "[Event \"A\"]\n\n1. d4 *\n".repeat(games - 1) + "[Event \"A\"]\n\n1. e4 e5 2. Nf3 *\n";
    std::fs::write(folder.path().join("many.pgn"), many).unwrap();
    std::fs::write(
        folder.path().join("games.pgn"),
        "[Event \"B\"]\n\n1. e4 e5 2. Nc3 *\n",
    )
    .unwrap();
    let library = Library::open(folder.path(), &Default::default()).unwrap();
    let entries = library.databases();
    let games = entries.iter().find(|entry| entry.name() == "games.pgn").unwrap();
    let part = DatabasePart::of(Arc::new(Positions::new(games, BuildOptions::default())));
    let known = Arc::new(Repertoires::of(entries.iter().cloned(), 2));
    (folder, part, known)
}

#[test]
fn large_repertoires_are_read_in_parts() {
    for games in [65_536, 65_537] {
        let (_folder, part, repertoires) = source_with(games);
        let options = AnswerOptions {
            repertoires,
            ..AnswerOptions::default()
        };
        let query = Query::parse("-repertoire:many.pgn by:white").unwrap();
        let rows = query.left_in(&part, &[0], &options, &|_| ());
        let rows: Vec<String> = rows
            .iter()
            .map(|left| left.record(String::new()).join(" "))
            .collect();
        assert_eq!(rows, [" 2 white Nc3 Nf3"], "{games}");
    }
}

#[test]
fn a_repertoire_has_a_limit() {
    let query = Query::parse("repertoire:many.pgn by:white").unwrap();
    let (_folder, _, repertoires) = source_with(100_000);
    query.check_repertoires(&repertoires).unwrap();
    let (_folder, part, repertoires) = source_with(100_001);
    let error = query.check_repertoires(&repertoires).unwrap_err().to_string();
    assert_eq!(
        error,
        "repertoire:many.pgn: 100001 games are too many; a repertoire has at most 100000"
    );
    let options = AnswerOptions {
        repertoires,
        ..AnswerOptions::default()
    };
    assert_eq!(query.find(&part, &options, &|_| ()), []);
}
