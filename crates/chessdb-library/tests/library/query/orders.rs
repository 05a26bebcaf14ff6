//! The order of lists of games, beside an order that is made from the tags.

use std::cmp::Reverse;

use super::rules::{database, game};
use chessdb_library::query::{ListOrder, SortKey};

const ELOS: [&str; 7] = ["", "100", "2000", "2001", "2700", "99", "?"];

const DATES: [&str; 6] = [
    "????.??.??",
    "1990.??.??",
    "1990.05.??",
    "1990.05.06",
    "1990.06.01",
    "1991.01.01",
];

const LINES: [&str; 3] = ["", "1. d4", "1. e4 e5 2. Nf3"];

/// A rating, if it is one.
fn elo(text: &str) -> Option<f64> {
    text.parse().ok().filter(|elo| *elo >= 100.0)
}

/// Both ratings, the date and the line of a game.
type Values = [&'static str; 4];

/// The first has the lowest number; `None` for values that come last.
fn place(key: SortKey, [white, black, date, line]: Values) -> Option<i64> {
    match key {
        SortKey::Date => {
            let digits = date.replace('?', "0").replace('.', "");
            digits.parse().ok().filter(|number| *number > 0)
        }
        SortKey::Elo => {
            let known: Vec<f64> = [white, black].into_iter().filter_map(elo).collect();
            (!known.is_empty()).then_some(-known.iter().sum::<f64>() as i64)
        }
        SortKey::Length => Some(
            line.split(' ')
                .filter(|word| word.starts_with(char::is_alphabetic))
                .count() as i64,
        ),
    }
}

#[test]
fn games_of_all_ratings_dates_and_lengths_are_in_each_order() {
    let mut games: Vec<Values> = Vec::new();
    for white in ELOS {
        for black in ELOS {
            for (n, date) in DATES.into_iter().enumerate() {
                games.push([white, black, date, LINES[(n + white.len()) % 3]]);
            }
        }
    }
    let pgn = games.iter().map(|[white, black, date, line]| {
        let elos = format!("WhiteElo={white}; BlackElo={black}");
        game(
            &format!("White=A; Black=B; Result=*; Date={date}; {elos}"),
            &format!("{line} *"),
        )
    });
    let database = database(&pgn.collect::<String>());
    assert_eq!(database.len() as usize, games.len());
    let all: Vec<u32> = (0..database.len()).collect();
    let some: Vec<u32> = (0..database.len()).step_by(3).collect();
    for key in [
        None,
        Some(SortKey::Date),
        Some(SortKey::Elo),
        Some(SortKey::Length),
    ] {
        for is_reversed in [false, true] {
            for (games_asked, threads) in [(&all, 1), (&all, 2), (&some, 2)] {
                let mut wanted = games_asked.clone();
                match key {
                    None if is_reversed => wanted.reverse(),
                    None => {}
                    Some(key) => wanted.sort_by_key(|&number| {
                        let place = place(key, games[number as usize]);
                        let from_the_end = place.filter(|_| is_reversed).map(Reverse);
                        (place.is_none(), from_the_end, place.filter(|_| !is_reversed))
                    }),
                }
                let mut sorted = games_asked.clone();
                let order = ListOrder { key, is_reversed };
                order.arrange(&mut sorted, |&game| (&*database, game), threads);
                assert_eq!(sorted, wanted, "{order:?}");
            }
        }
    }
}

/// A strong player alone does not make a strong game: the other player may be weak.
#[test]
fn a_game_with_one_rating_comes_after_those_with_both() {
    let elos = [
        ("2000", "2000"),
        ("2700", ""),
        ("", "2350"),
        ("2700", "2690"),
        ("", ""),
        ("1999", "2000"),
    ];
    let pgn = elos.map(|(white, black)| {
        game(
            &format!("White=A; Black=B; Result=*; WhiteElo={white}; BlackElo={black}"),
            "*",
        )
    });
    let database = database(&pgn.concat());
    let mut games: Vec<u32> = (0..6).collect();
    ListOrder::from(SortKey::Elo).arrange(&mut games, |&game| (&*database, game), 1);
    assert_eq!(games, [3, 0, 5, 1, 2, 4]);
}
