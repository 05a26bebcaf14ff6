//! What a player has done, and what is new in it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::board::Color;
use chessdb_library::library::Library;
use chessdb_library::player::{PlayerFigures, Preparation, RepertoireChange};
use chessdb_library::positions::{AnswerOptions, BuildOptions, DatabasePart, Positions};
use chessdb_library::query::{Days, PlayerGame, Query};
use testkit::fake::{Fake, game};

/// White, Black, result, date, ratings, code, moves.
type Game<'a> = (&'a str, &'a str, &'a str, &'a str, [u16; 2], &'a str, &'a str);

/// A database with these games, and the games of the player of a query.
fn games_of(games: &[Game<'_>], query: &str) -> (Vec<DatabasePart>, Vec<PlayerGame>) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for (white, black, result, date, [own, other], eco, moves) in games {
        writeln!(
            text,
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n[Date \"{date}\"]\n\
             [WhiteElo \"{own}\"]\n[BlackElo \"{other}\"]\n[ECO \"{eco}\"]\n\n{moves} {result}\n"
        )
        .unwrap();
    }
    std::fs::write(folder.path().join("games.pgn"), text).unwrap();
    let library = Library::open(folder.path(), &Default::default()).unwrap();
    let databases = library.databases().iter();
    let parts =
        DatabasePart::all(databases.map(|entry| Arc::new(Positions::new(entry, BuildOptions::default()))));
    let options = AnswerOptions {
        threads: 2,
        ..AnswerOptions::default()
    };
    let played = Query::parse(query).unwrap().games_of_player(&parts, &options);
    (parts, played)
}

const GAMES: [Game<'_>; 6] = [
    (
        "Tal",
        "Smyslov",
        "1-0",
        "1959.10.04",
        [2650, 2690],
        "B10",
        "1. e4 c6",
    ),
    (
        "Botvinnik",
        "Tal",
        "1/2-1/2",
        "1960.03.17",
        [2690, 2700],
        "E48",
        "1. d4 Nf6",
    ),
    (
        "Botvinnik",
        "Tal",
        "1-0",
        "1960.??.??",
        [2690, 2700],
        "E48",
        "1. d4 Nf6",
    ),
    ("Tal", "Tal", "*", "????.??.??", [0, 2500], "?", "1. a3"),
    (
        "Keres",
        "Gligoric",
        "1-0",
        "1959.10.04",
        [2600, 2600],
        "B10",
        "1. e4 c6",
    ),
    ("Tal", "Keres", "0-1", "1959.09.20", [2650, 0], "B10", "1. e4 c6"),
];

#[test]
fn a_player_has_games_with_either_colour() {
    let found = |query: &str| {
        let games = games_of(&GAMES, query).1;
        let colors = games
            .iter()
            .map(|played| (played.game, played.color == Color::White));
        colors.collect::<Vec<_>>()
    };
    // By date, those without a year last.
    let all = [(5, true), (0, true), (2, false), (1, false), (3, true)];
    assert_eq!(found("player:tal"), all);
    assert_eq!(found("player:tal opponent:botvinnik"), [(2, false), (1, false)]);
    assert_eq!(
        found("player:tal black:tal year:1900.."),
        [(2, false), (1, false)]
    );
    assert_eq!(found("player:tal result:win"), [(0, true)]);
    assert_eq!(found("player:tal db:games.pgn"), all);
    assert_eq!(found("player:tal db:other.pgn"), []);
    // Both players of the last game have the name, and one of them made the move.
    for (positions, is_white) in [
        ("played:a3 by:player", true),
        ("played:a3 by:opponent", false),
        ("played:a3", true),
    ] {
        let both = found(&format!("player:tal {positions}"))
            .into_iter()
            .find(|&(game, _)| game == 3);
        assert_eq!(both, Some((3, is_white)), "{positions}");
    }
    assert_eq!(found("player:keres result:win"), [(5, false), (4, true)]);
    for query in [
        "tal",
        "white:tal",
        "-player:tal",
        "player:tal player:keres",
        "( player:tal )",
    ] {
        assert!(!Query::parse(query).unwrap().has_one_player(), "{query}");
        assert_eq!(found(query), [], "{query}");
    }
}

#[test]
fn games_are_counted_by_colour_opening_year_and_opponent() {
    let (parts, games) = games_of(&GAMES, "player:tal");
    let figures = PlayerFigures::of(&parts, &games);
    let results = |tally: &chessdb_library::player::PlayerTally| {
        (tally.games(), tally.wins(), tally.draws(), tally.losses())
    };
    assert_eq!(results(&figures.all), (5, 1, 1, 2));
    assert_eq!(figures.all.score(), Some(37.5));
    // 2690 three times; one and a half points of three is 50 percent.
    assert_eq!(
        (figures.all.opponents(), figures.all.performance()),
        (Some(2690), Some(2690))
    );
    assert_eq!(results(&figures.all.only(Color::White)), (3, 1, 0, 1));
    assert_eq!(results(&figures.all.only(Color::Black)), (2, 0, 1, 1));
    let openings = figures
        .openings
        .iter()
        .map(|(eco, own)| (eco.as_str(), results(own)));
    assert_eq!(
        openings.collect::<Vec<_>>(),
        // The code of a game without one follows from its move.
        [
            ("A00", (1, 0, 0, 0)),
            ("B10", (2, 1, 0, 1)),
            ("E48", (2, 0, 1, 1))
        ]
    );
    let years = figures.years.iter().map(|(&year, own)| (year, results(own)));
    assert_eq!(
        years.collect::<Vec<_>>(),
        [(1959, (2, 1, 0, 1)), (1960, (2, 0, 1, 1))]
    );
    let opponents = figures.opponents.iter().map(|(&first, own)| (first, own.games()));
    assert_eq!(opponents.collect::<Vec<_>>(), [(2500, 1), (2600, 3)]);
}

/// Some formats store codes in small letters, and codes that no opening has.
#[test]
fn codes_count_in_any_letter_case_and_only_those_that_exist() {
    let codes = [b"B10", b"b10", b"e99", b"Z99", b"B1x"];
    let games = codes.map(|code| game("Tal", "X").line("e4 c6").eco(code));
    let entry = Arc::new(Fake::of(games).at("games"));
    let positions = Arc::new(Positions::new(&entry, BuildOptions::default()));
    let parts = DatabasePart::all([positions]);
    let query = Query::parse("player:tal").unwrap();
    let games = query.games_of_player(&parts, &AnswerOptions::default());
    let figures = PlayerFigures::of(&parts, &games);
    let openings = figures
        .openings
        .iter()
        .map(|(eco, own)| (eco.as_str(), own.games()));
    assert_eq!(openings.collect::<Vec<_>>(), [("B10", 2), ("E99", 1)]);
}

/// The moves of changes as SAN of their last ones, with the numbers of games.
fn shown(changes: &[RepertoireChange]) -> Vec<(String, u32, (u32, u32))> {
    let shown = changes.iter().map(|change| {
        let mut position = change.start;
        let line = change
            .line
            .iter()
            .map(|&mv| position.play_legal(mv, &mut Default::default()).unwrap());
        let last = line.last().unwrap().to_string();
        (last, change.games, change.occurred)
    });
    shown.collect()
}

/// A game of Tal as White.
fn own<'a>(date: &'a str, moves: &'a str) -> Game<'a> {
    ("Tal", "X", "1-0", date, [0, 0], "?", moves)
}

#[test]
fn moves_are_new_or_given_up_in_positions_that_go_on_occurring() {
    let games = [
        // Three times, by two orders of moves.
        own("1960.01.01", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
        own("1960.01.02", "1. e4 Nc6 2. Nf3 e5 3. Bb5"),
        own("1960.01.03", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
        // Twice: that may be chance.
        own("1960.01.04", "1. e4 c5 2. c3"),
        own("????.??.??", "1. e4 c5 2. c3"),
        // The moves of the opponent do not count, nor positions that did not occur again.
        own("1960.01.05", "1. c4 g6 2. g3"),
        ("X", "Tal", "1-0", "1961.01.05", [0, 0], "?", "1. c4 g6 2. b3"),
        own("1961.05.01", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4"),
        own("1961.??.??", "1. e4 e5 2. Nf3 Nc6 3. Bc4"),
        own("1961.06.01", "1. e4 c5 2. Nf3"),
    ];
    let (parts, played) = games_of(&games, "player:tal");
    let preparation = Preparation::of(&parts, &played, None, 10);
    assert_eq!(preparation.since.to_string(), "1961..");
    assert_eq!(
        shown(&preparation.new),
        [("Bc4".to_owned(), 2, (3, 2)), ("Nf3".to_owned(), 1, (2, 1))]
    );
    assert_eq!(shown(&preparation.given_up), [("Bb5".to_owned(), 3, (3, 2))]);
    assert_eq!(preparation.recent.games(), 4);
    assert_eq!(
        preparation.lost.iter().map(|lost| lost.game).collect::<Vec<_>>(),
        [6]
    );
    // The latest first, games of an unknown day before others of the year, games of an unknown year last.
    let latest = preparation.latest.iter().map(|latest| latest.game);
    assert_eq!(latest.collect::<Vec<_>>(), [9, 7, 6, 8, 5, 3, 2, 1, 0, 4]);
    // A game whose month is unknown may have been played on these days.
    let since = Days::parse("1961.05.02..").unwrap();
    let preparation = Preparation::of(&parts, &played, Some(since), 2);
    assert_eq!(preparation.recent.games(), 2);
    assert_eq!(shown(&preparation.new), [("Nf3".to_owned(), 1, (2, 1))]);
    assert_eq!(preparation.latest.len(), 2);
}

/// A position that comes back within a game counts once, with the move that was played in it first.
#[test]
fn a_repetition_within_a_game_counts_once() {
    let knights = "1. Nf3 Nf6 2. Ng1 Ng8 ";
    let [old, other, new, late] = [
        format!("{knights}3. Nf3 Nf6 4. Ng1 Ng8 5. Nc3"),
        format!("{knights}3. Nc3"),
        "1. e4".to_owned(),
        format!("1. e4 Nf6 2. Nf3 Ng8 3. Ng1 Nf6 {}", "4. Nf3 Ng8 5. Ng1 Nf6"),
    ];
    let games = [
        own("1960.01.01", &old),
        own("1960.01.02", &other),
        own("1960.01.03", &old),
        own("1961.01.01", &new),
        own("1961.01.02", &late),
    ];
    let (parts, played) = games_of(&games, "player:tal");
    let preparation = Preparation::of(&parts, &played, None, 10);
    // Each of three games with 1. Nf3 has the position once; 3. Nc3 or 5. Nc3 is not a move in it.
    assert_eq!(shown(&preparation.given_up), [("Nf3".to_owned(), 3, (3, 2))]);
    assert_eq!(shown(&preparation.new), [("e4".to_owned(), 2, (3, 2))]);
    let lines = preparation
        .given_up
        .iter()
        .chain(&preparation.new)
        .map(|change| change.line.len());
    assert_eq!(lines.collect::<Vec<_>>(), [1, 1]);
}

/// Each list has the games that its description says, in its order. A slow count of random games must find the same.
#[test]
fn lists_have_the_games_and_examples_that_a_slow_count_finds() {
    const MOVES: [[&str; 3]; 4] = [
        ["e4", "d4", "c4"],
        ["e5", "c5", "d5"],
        ["Nf3", "Nc3", "a3"],
        ["Nc6", "a6", "Nf6"],
    ];
    let mut random = testkit::Random(5);
    let (mut new, mut given_up, mut lost) = (0, 0, 0);
    for _ in 0..testkit::cases(20, 500) {
        let dates: Vec<String> = (0..60)
            .map(|_| {
                let (year, month) = (1960 + random.below(2), 1 + random.below(12));
                format!("{year}.{month:02}.{:02}", 1 + random.below(28))
            })
            .collect();
        let lines: Vec<String> = (0..60)
            .map(|_| MOVES.map(|moves| random.pick(&moves)).join(" "))
            .collect();
        let games: Vec<Game<'_>> = dates
            .iter()
            .zip(&lines)
            .map(|(date, line)| {
                let [white, black] = random.pick(&[["Tal", "X"], ["X", "Tal"]]);
                let result = random.pick(&["1-0", "0-1", "1/2-1/2", "*"]);
                (white, black, result, date.as_str(), [0, 0], "?", line.as_str())
            })
            .collect();
        let (parts, played) = games_of(&games, "player:tal");
        let preparation = Preparation::of(&parts, &played, None, 1000);
        let is_new = |played: &PlayerGame| games[played.game as usize].3.starts_with("1961");
        let mut by_date = played.clone();
        by_date.sort_by_key(|played| (games[played.game as usize].3, played.game));
        let latest: Vec<PlayerGame> = by_date.iter().rev().copied().collect();
        assert_eq!(preparation.latest, latest);
        let is_lost = |played: &PlayerGame| {
            let losing = played.color.fold_wb("0-1", "1-0");
            games[played.game as usize].2 == losing
        };
        let all_lost = latest.iter().filter(|played| is_new(played) && is_lost(played));
        assert_eq!(preparation.lost, all_lost.copied().collect::<Vec<_>>());
        lost += preparation.lost.len();
        // The games with each choice of the player: a position and the move there.
        let mut choices: BTreeMap<(String, String), Vec<PlayerGame>> = BTreeMap::new();
        for own in &by_date {
            parts[0].database().main_line(own.game, &mut |ply| {
                if ply.before().turn() == own.color {
                    let choice = (ply.before().fen(), ply.san().to_string());
                    choices.entry(choice).or_default().push(*own);
                }
                ControlFlow::Continue(())
            });
        }
        let occurred = |fen: &str, is_after: bool| {
            let same = choices.iter().filter(|((own, _), _)| own == fen);
            same.flat_map(|(_, games)| games)
                .filter(|own| is_new(own) == is_after)
                .count() as u32
        };
        let mut wanted = [BTreeMap::new(), BTreeMap::new()];
        for (choice, games) in &choices {
            let counts = (occurred(&choice.0, false), occurred(&choice.0, true));
            let after = games.iter().filter(|own| is_new(own)).count();
            let (list, example) = match after {
                0 if games.len() >= 3 && counts.1 > 0 => (1, games.last()),
                _ if after == games.len() && counts.0 > 0 => (0, games.first()),
                _ => continue,
            };
            wanted[list].insert(choice.clone(), (*example.unwrap(), games.len() as u32, counts));
        }
        for (found, wanted) in [&preparation.new, &preparation.given_up].into_iter().zip(&wanted) {
            let shown = found.iter().map(|change| {
                let mut position = change.start;
                let (last, before) = change.line.split_last().unwrap();
                for &mv in before {
                    position.play_legal(mv, &mut Default::default()).unwrap();
                }
                let fen = position.fen();
                let san = position.play_legal(*last, &mut Default::default()).unwrap();
                (
                    (fen, san.to_string()),
                    (change.game, change.games, change.occurred),
                )
            });
            assert_eq!(&shown.collect::<BTreeMap<_, _>>(), wanted);
            assert_eq!(found.len(), wanted.len());
        }
        new += preparation.new.len();
        given_up += preparation.given_up.len();
    }
    assert!(new > 30 && given_up > 5 && lost > 100, "{new} {given_up} {lost}");
}

#[test]
fn forty_half_moves_are_an_opening() {
    // No position occurs twice.
    let pawns = [
        "a3 a6", "b3 b6", "c3 c6", "d3 d6", "e3 e6", "f3 f6", "g3 g6", "h3 h6",
    ];
    let again = [
        "a4 a5", "b4 b5", "c4 c5", "d4 d5", "e4 e5", "f4 f5", "g4 g5", "h4 h5",
    ];
    let pieces = ["Nd2 Nd7", "Ne2 Ne7", "Bb2 Bb7", "Bg2 Bg7"];
    let all = [&pawns[..], &again, &pieces].concat();
    let moves = |turns: usize, last: &str| {
        let mut moves = String::new();
        for (turn, number) in all.iter().take(turns).zip(1..) {
            write!(moves, "{number}. {turn} ").unwrap();
        }
        moves + last
    };
    for (turns, number) in [(19, 1), (20, 0)] {
        let (before, after) = (moves(turns, "Qc2"), moves(turns, "Qb3"));
        let games = [own("1960.01.01", &before), own("1961.01.01", &after)];
        let (parts, played) = games_of(&games, "player:tal");
        let preparation = Preparation::of(&parts, &played, None, 10);
        assert_eq!(preparation.new.len(), number, "{turns}");
    }
}
