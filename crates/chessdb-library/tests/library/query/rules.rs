//! What terms mean, one by one, in a few games.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chessdb::Database;
use chessdb_library::positions::{BuildOptions, Index, Selection};
use chessdb_library::query::{Query, SearchedGames};
use chessdb_library::spelling::{Names, Spelling};
use chessdb_library::task::{Cancel, Cancelled};
use testkit::samples::open_base;

use super::{answer, games, searched};

/// A database of PGN games.
pub fn database(pgn: &str) -> Arc<dyn Database> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    std::fs::write(path.with_extension("pgn"), pgn).unwrap();
    Arc::from(open_base(&path).unwrap())
}

/// A game with these tags, given as in `White=Tal; Round=1`, and this movetext.
pub fn game(tags: &str, movetext: &str) -> String {
    let tags = tags.split("; ").filter_map(|tag| tag.split_once('='));
    let tags: String = tags
        .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
        .collect();
    format!("{tags}\n{movetext}\n\n")
}

pub fn six() -> Arc<dyn Database> {
    let games = [
        game(
            "Event=Tata Steel; Site=Wijk aan Zee; Date=2013.01.12; Round=1.2; White=Carlsen, Magnus; \
             Black=Caruana, Fabiano; Result=1-0; WhiteElo=2861; BlackElo=2781; ECO=B90; WhiteTeam=Norway",
            "1. e4 {a fine move [%clk 1:00:00]} c5 2. Nf3 (2. c3) 2... d6 1-0",
        ),
        game(
            "Event=Tata Steel; Site=Wijk aan Zee; Date=2013.??.??; Round=10; White=Caruana, Fabiano; \
             Black=Carlsen,M; Result=1-0; WhiteElo=2800; ECO=C65; Annotator=Kelly",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O 1-0",
        ),
        game(
            "Event=Riga; Site=?; Date=1958.11.09; Round=-; White=Tal, Mihail; Black=O'Kelly de Galway, Alb\u{e9}ric; \
             Result=1/2-1/2; TimeControl=180+2; ECO=?",
            "1. d4 1/2-1/2",
        ),
        game(
            "Event=?; Date=????.??.??; Round=?; White=Vitaly; Black=?; Result=*",
            "*",
        ),
        game(
            "Event=Chess960; Date=2020.05.01; White=Carlsen, Magnus; Black=Carlsen, Henrik; Result=0-1; \
             Variant=Fischerandom; SetUp=1; FEN=4k3/8/8/8/8/8/4P3/4K3 w - - 0 1; WhiteElo=2500; BlackElo=2400",
            "1. e4 Kd7 2. e5 0-1",
        ),
        game(
            "Event=Tata Steel; Date=2013.01.13; Round=Final; White=Giri; Black=Tal; Result=0-1; BlackElo=2600",
            "1. e4 c5 0-1",
        ),
    ];
    database(&games.concat())
}

/// A FEN of the usual start position says nothing.
#[test]
fn the_usual_start_position_is_no_fen() {
    let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let tags = [
        format!("FEN={usual} w KQkq - 0 1"),
        format!("SetUp=1; FEN={usual} w KQkq - 0 1"),
        format!("Fen={usual} w KQkq - 0 1"),
        "White=B".to_owned(),
        // Another side to move, other rights, another board.
        format!("FEN={usual} b KQkq - 0 1"),
        format!("FEN={usual} w KQk - 0 1"),
        "FEN=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1".to_owned(),
        "FEN=4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned(),
    ];
    let pgn = tags.map(|tags| game(&format!("White=A; Black=B; Result=*; {tags}"), "*"));
    let database = database(&pgn.concat());
    let searched = searched(&*database, "a.pgn");
    for name in ["has:fen", "has:FEN"] {
        assert_eq!(games(name, &searched), [4, 5, 6, 7], "{name}");
        assert_eq!(games(&format!("-{name}"), &searched), [0, 1, 2, 3], "{name}");
    }
}

#[test]
fn terms_of_tags_find_what_they_say() {
    let database = six();
    let searched = searched(&*database, "club/a.pgn");
    for (query, expected) in [
        ("", &[0, 1, 2, 3, 4, 5][..]),
        ("carlsen", &[0, 1, 4]),
        ("\"carl mag\"", &[0, 4]),
        ("tata -carlsen", &[5]),
        ("player:tal", &[2, 5]),
        ("player:kelly", &[2]),
        ("player:alberic", &[2]),
        ("white:carlsen", &[0, 4]),
        ("black:carlsen|tal", &[1, 4, 5]),
        ("player:=\"Carlsen,M\"", &[1]),
        ("player:=\"carlsen,m\"", &[]),
        ("player:?", &[3]),
        ("player:carlsen opponent:caruana", &[0, 1]),
        // Both sides are the player, and neither side is the opponent alone.
        ("player:carlsen opponent:carlsen", &[4]),
        ("player:carlsen player:caruana", &[0, 1]),
        ("player:carlsen result:win", &[0, 4]),
        ("player:carlsen result:loss", &[1, 4]),
        ("player:carlsen -result:loss", &[0]),
        ("player:magnus result:win", &[0]),
        ("player:carlsen elo:2800..", &[0]),
        ("player:carlsen elo:?", &[1]),
        ("elo:2700..", &[0]),
        ("elo:?", &[2, 3]),
        ("-elo:2700..", &[1, 2, 3, 4, 5]),
        ("player:carlsen opponent_elo:2800..", &[1]),
        ("player:caruana opponent_elo:?", &[1]),
        ("elo_diff:50..", &[0, 4]),
        ("player:caruana elo_diff:..-50", &[0]),
        ("elo_diff:?", &[1, 2, 3, 5]),
        ("white_elo:2861 black_elo:2781", &[0]),
        ("event:tata", &[0, 1, 5]),
        ("event:?", &[3]),
        ("site:zee", &[0, 1]),
        ("site:?", &[2, 3, 4, 5]),
        ("annotator:kelly", &[1]),
        ("team:norway", &[0]),
        ("round:1", &[0]),
        ("round:1.2", &[0]),
        ("round:1..10", &[0, 1]),
        ("round:final", &[5]),
        ("round:-", &[2]),
        ("round:?", &[3, 4]),
        ("tag:timecontrol=180", &[2]),
        ("tag:TimeControl==180+2", &[2]),
        ("tag:TimeControl==180", &[]),
        ("tag:Variant=?", &[0, 1, 2, 3, 5]),
        ("has:BlackElo", &[0, 4, 5]),
        ("has:eco", &[0, 1]),
        ("has:comments", &[0]),
        ("has:clock", &[0]),
        ("has:variations", &[0]),
        ("has:fen", &[4]),
        ("has:chess960|annotator", &[1, 4]),
        ("year:2013", &[0, 1, 5]),
        ("date:2013.01.13..", &[1, 4, 5]),
        ("date:2013.01.12", &[0, 1]),
        ("year:..2013", &[0, 1, 2, 5]),
        ("-year:2013", &[2, 3, 4]),
        ("date:?", &[3]),
        ("eco:b", &[0, 5]),
        ("eco:B9..C7", &[0, 1]),
        ("eco:?", &[2, 3, 4, 5]),
        ("opening:najdorf", &[0]),
        ("opening:?", &[3, 4]),
        ("result:draw", &[2]),
        ("result:1/2-1/2|*", &[2, 3]),
        ("moves:0", &[3]),
        ("moves:1", &[2, 5]),
        ("moves:2..3", &[0, 4]),
        ("moves:4", &[1]),
        ("text:\"fine mov\"", &[0]),
        ("db:*.pgn", &[0, 1, 2, 3, 4, 5]),
        ("db:club/*", &[0, 1, 2, 3, 4, 5]),
        ("-db:club/*", &[]),
        ("db:other", &[]),
    ] {
        assert_eq!(games(query, &searched), expected, "{query}");
    }
}

#[test]
fn a_player_of_a_question_may_be_both_sides() {
    let sister = |white: &str, black: &str, result: &str| {
        let tags = format!(
            "White=Polgar, {white}; Black=Polgar, {black}; Result={result}; WhiteElo=2700; BlackElo=2500"
        );
        game(&tags, &format!("1. e4 {result}"))
    };
    let other = game(
        "White=Polgar, Judit; Black=Short; Result=1-0; WhiteElo=2700; BlackElo=2690",
        "1. e4 1-0",
    );
    let database = database(
        &[
            sister("Judit", "Zsuzsa", "1-0"),
            sister("Sofia", "Judit", "0-1"),
            other,
        ]
        .concat(),
    );
    let searched = searched(&*database, "");
    for (query, expected) in [
        ("player:polgar elo:2600..", &[0, 1, 2][..]),
        ("player:polgar elo:..2600", &[0, 1]),
        // An excluded term holds for neither side.
        ("player:polgar -elo:2600..", &[]),
        ("player:polgar -elo:..2600", &[2]),
        ("player:zsuzsa -elo:2600..", &[0]),
        ("player:judit -elo:2600..", &[1]),
        // One side must fulfil all the other terms.
        ("player:polgar elo:2600.. result:win", &[0, 2]),
        ("player:polgar elo:..2600 result:win", &[1]),
        ("player:polgar elo:2600.. result:loss", &[1]),
        ("player:polgar opponent_elo:2600.. result:win", &[1, 2]),
        ("player:polgar -result:win", &[]),
        ("player:polgar -opponent:short", &[0, 1]),
    ] {
        assert_eq!(games(query, &searched), expected, "{query}");
    }
}

#[test]
fn positions_and_tags_are_asked_together() {
    let database = six();
    let whole = searched(&*database, "");
    for (query, expected) in [
        ("played:e4", &[(0, 0), (1, 0), (4, 0), (5, 0)][..]),
        ("line:\"e4 c5\"", &[(0, 2), (5, 2)]),
        ("carlsen line:\"e4 c5\"", &[(0, 2)]),
        ("line:\"e4 c5\" has:comments", &[(0, 2)]),
        ("line:e4 -carlsen", &[(5, 1)]),
        ("year:2013 played:e4 then played:O-O", &[(1, 6)]),
        ("year:2013 -played:O-O", &[(0, 0), (5, 0)]),
        ("-played:e4", &[(2, 0), (3, 0)]),
        ("-ply:2..", &[(2, 0), (3, 0)]),
        ("material:KPk has:fen", &[(4, 0)]),
        ("db:x played:e4", &[]),
    ] {
        assert_eq!(answer(query, &whole), expected, "{query}");
    }
    // An index and a selection do not change what holds for a game.
    let options = BuildOptions::default();
    let index = Index::in_memory(&database, options, &|_| ()).unwrap();
    let selection = Selection::of([0, 2, 5]);
    for query in [
        "carlsen line:e4",
        "line:e4",
        "line:\"e4 c5\" -black:tal",
        "elo:2700.. line:\"e4 c5\"",
        "carlsen -elo:2700.. line:e4",
        "line:\"e4 c5\" has:comments site:wijk",
        "deleted:any site:? pawns:rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
        "played:e4",
        "year:2013",
    ] {
        let with_index = SearchedGames {
            index: Some(&index),
            ..whole
        };
        assert_eq!(answer(query, &with_index), answer(query, &whole), "{query}");
        let some = SearchedGames {
            among: Some(&selection),
            ..whole
        };
        let mut expected = answer(query, &whole);
        expected.retain(|(game, _)| selection.has(*game));
        assert_eq!(answer(query, &some), expected, "{query}");
    }
}

#[test]
fn joined_spellings_count_beside_the_stored_ones() {
    let database = six();
    let names = Names::find(&[&*database], &Spelling::Fold);
    let whole = searched(&*database, "");
    let joined = SearchedGames {
        names: names.as_ref(),
        ..whole
    };
    let full = "player:=\"Carlsen, Magnus\"";
    assert_eq!(games(full, &whole), [0, 4]);
    assert_eq!(games(full, &joined), [0, 1, 4]);
    assert_eq!(games("player:=\"Carlsen,M\"", &joined), [1]);
    assert_eq!(games("player:magnus opponent:caruana", &joined), [0, 1]);
}

#[test]
fn a_cancelled_search_has_no_answer() {
    let database = database(&game("White=a; Result=*", "1. e4 *").repeat(5000));
    let whole = searched(&*database, "");
    for query in ["white:a", "white:a played:e4", "has:comments"] {
        let query = Query::parse(query).unwrap();
        let (cancel, done) = (Cancel::default(), AtomicU64::new(0));
        let all = cancel.run(|| {
            query.answer(&whole, 2, &|games| {
                done.fetch_add(games, Ordering::Relaxed);
            })
        });
        assert!(all.unwrap().is_ok());
        assert_eq!(done.into_inner(), 5000);
        let ended = cancel.run(|| query.answer(&whole, 2, &|_| cancel.cancel()));
        assert_eq!(ended.err(), Some(Cancelled));
    }
}

#[test]
fn every_example_of_the_page_is_a_query() {
    let page = include_str!("../../../../../docs/search.md");
    let examples = page
        .split("\n## Examples\n")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let examples: Vec<&str> = examples
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .collect();
    assert!(examples.len() >= 20, "{}", examples.len());
    for example in examples {
        Query::parse(example).unwrap_or_else(|error| panic!("{example}: {error}"));
    }
}
