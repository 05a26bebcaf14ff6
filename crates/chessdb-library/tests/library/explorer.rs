//! The explorer gives the same answers from the stored values of an index as from the games.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::sync::Arc;

use chessdb::board::Color;
use chessdb::game::Outcome;
use chessdb_library::explorer::{Explored, ExploredGame, ExplorerFilter, ExplorerLimits, GameCard};
use chessdb_library::library::Library;
use chessdb_library::positions::{
    AnswerOptions, Answers, BuildOptions, DatabasePart, IndexUse, Pattern, Positions,
};
use chessdb_library::query::Query;

const LIMITS: ExplorerLimits = ExplorerLimits {
    moves: 12,
    strongest: 15,
    latest: 8,
    months: false,
    side: None,
};

/// Games with many moves, results, dates and ratings, also unknown ones.
fn pgn(games: usize) -> String {
    let mut text = String::new();
    for n in 0..games {
        let moves = match n % 40 {
            0 => "1. d4 d5",
            1 => "1. Nf3 Nf6 2. d4 d5",
            2 => "1. c4",
            3 => "1. --",
            4 => "",
            n if n < 20 => "1. e4 c5",
            _ => "1. e4 e5 2. Nf3",
        };
        // One game each with a move of its own.
        let moves = match n {
            7 => "1. a3",
            9 => "1. b3",
            // Of two games with this move, one has a result.
            51 | 54 => "1. e4 h6",
            _ => moves,
        };
        let result = ["1-0", "0-1", "1/2-1/2", "1-0", "*"][n % 5];
        let date = match n % 11 {
            0 => "????.??.??".to_owned(),
            1 => format!("{}.??.??", 1900 + n % 90),
            _ => format!("{}.{:02}.{:02}", 1900 + n * 7 % 100, 1 + n % 12, 1 + n % 28),
        };
        let (white, black) = (1000 + n * 37 % 1800, 1000 + n * 53 % 1800);
        writeln!(
            text,
            "[White \"w{n}\"]\n[Black \"b\"]\n[Result \"{result}\"]\n[Date \"{date}\"]\n[WhiteElo \"{white}\"]\n\
             [BlackElo \"{black}\"]\n\n{moves} {result}\n"
        )
        .unwrap();
    }
    text
}

/// The same databases with indexes and without.
fn answers(databases: &[usize]) -> [Answers; 2] {
    let folder = tempfile::tempdir().unwrap();
    for (number, &games) in databases.iter().enumerate() {
        fs::write(folder.path().join(format!("{number}.pgn")), pgn(games)).unwrap();
    }
    let library = Library::open(folder.path(), &Default::default()).unwrap();
    [IndexUse::Yes, IndexUse::No].map(|index| {
        let entries = library.databases().iter();
        let positions = entries.map(|entry| Arc::new(Positions::new(entry, BuildOptions::default())));
        let options = AnswerOptions {
            index,
            threads: 2,
            ..AnswerOptions::default()
        };
        Answers::new(DatabasePart::all(positions), options)
    })
}

/// The months of all databases together are counted game by game.
#[test]
fn months_are_summed_over_databases_and_all_their_games() {
    // More games than a thread takes at a time.
    let databases = [60, 4200, 200];
    let mut expected: BTreeMap<(u16, u8), [u32; 3]> = BTreeMap::new();
    for n in databases.into_iter().flat_map(|games| 0..games) {
        // As in `pgn`: games whose month is known, and that have a result.
        if n % 11 >= 2 && n % 5 < 4 {
            let of_month = expected
                .entry(((1900 + n * 7 % 100) as u16, (1 + n % 12) as u8))
                .or_default();
            of_month[[0, 2, 1, 0][n % 5]] += 1;
        }
    }
    let pattern = Pattern::of_moves("").unwrap();
    let limits = ExplorerLimits {
        months: true,
        ..LIMITS
    };
    for answers in answers(&databases) {
        let found = Explored::find(&answers, &pattern, &ExplorerFilter::default(), limits, |_| ()).unwrap();
        let months = found.months.into_iter();
        let months: BTreeMap<_, _> = months
            .map(|(month, of)| (month, [of.white, of.draws, of.black]))
            .collect();
        assert_eq!(months, expected);
    }
}

#[test]
fn popular_positions_are_explored_from_the_index_alone() {
    let lines =
        ["", "e4", "e4 e5", "d4 d5", "Nf3 Nf6 d4 d5", "e4 c5"].map(|line| Pattern::of_moves(line).unwrap());
    // A position is popular from 2,048 games on.
    for databases in [&[2047][..], &[2048], &[2049], &[2300, 60, 2100]] {
        let [indexed, scanned] = answers(databases);
        for pattern in &lines {
            for limits in [
                LIMITS,
                ExplorerLimits {
                    moves: 1,
                    strongest: 0,
                    latest: 0,
                    ..LIMITS
                },
                ExplorerLimits {
                    strongest: 16,
                    ..LIMITS
                },
                ExplorerLimits { latest: 9, ..LIMITS },
                ExplorerLimits {
                    side: Some(Color::White),
                    ..LIMITS
                },
                ExplorerLimits {
                    side: Some(Color::Black),
                    ..LIMITS
                },
                ExplorerLimits {
                    months: true,
                    ..LIMITS
                },
            ] {
                let explored = |answers: &Answers, filter: &ExplorerFilter| {
                    Explored::find(answers, pattern, filter, limits, |_| ()).unwrap()
                };
                let all = ExplorerFilter::default();
                let (own, expected) = (explored(&indexed, &all), explored(&scanned, &all));
                assert_eq!(own, expected, "{databases:?} {limits:?}");
                assert_eq!(
                    own.strongest.len(),
                    limits.strongest.min(own.all.games() as usize)
                );
                assert_eq!(own.months.is_empty(), !limits.months);
                let some = ExplorerFilter {
                    since: Some((1950, 0)),
                    ..all
                };
                assert_eq!(explored(&indexed, &some), explored(&scanned, &some));
            }
        }
        let [is_popular, of_some] = [
            &indexed,
            &indexed.among(&Query::parse("year:1900..").unwrap(), &|_| ()),
        ]
        .map(|answers| {
            let stored = answers.parts().iter();
            let stored = stored.map(|part| part.popular(&lines[0], answers.options()).is_some());
            stored.collect::<Vec<_>>()
        });
        assert_eq!(
            is_popular,
            databases.iter().map(|&games| games >= 2048).collect::<Vec<_>>()
        );
        assert!(!of_some.contains(&true));
    }
}

#[test]
fn the_strongest_and_the_latest_games_come_first() {
    let [indexed, _] = answers(&[2500]);
    let explored = Explored::find(
        &indexed,
        &Pattern::of_moves("").unwrap(),
        &Default::default(),
        LIMITS,
        |_| (),
    )
    .unwrap();
    let database = indexed.parts()[0].database();
    let mut decided: Vec<(u32, u32, u32)> = (0..2500)
        .filter(|&game| database.keys(game).outcome != Outcome::Unknown)
        .map(|game| {
            let card = GameCard::of(database, game);
            let day = database.keys(game).date;
            let day = u32::from(day.year) * 10_000 + u32::from(day.month) * 100 + u32::from(day.day);
            (u32::from(card.white.1) + u32::from(card.black.1), day, game)
        })
        .collect();
    let numbers = |games: &[ExploredGame]| games.iter().map(|explored| explored.game).collect::<Vec<_>>();
    decided.sort_by_key(|&(strength, day, game)| Reverse((strength, day, game)));
    let strongest: Vec<u32> = decided.iter().take(15).map(|&(_, _, game)| game).collect();
    assert_eq!(numbers(&explored.strongest), strongest);
    decided.sort_by_key(|&(strength, day, game)| Reverse((day, strength, game)));
    let latest: Vec<u32> = decided.iter().take(8).map(|&(_, _, game)| game).collect();
    assert_eq!(numbers(&explored.latest), latest);
    // A move of one game has it; 1. b3 was played in a game without a result.
    let only = explored.moves.iter().filter(|mv| mv.game.is_some());
    assert_eq!(
        only.map(|mv| (mv.san.as_str(), mv.game)).collect::<Vec<_>>(),
        [("a3", Some(7))]
    );
    assert_eq!(explored.all.games() as usize, decided.len());
}
