//! Questions about the samples, answered from the tags of the PGN that the games are exported to, one game after another.

use std::collections::{BTreeMap, BTreeSet};

use chessdb::Database;
use chessdb_library::library::to_pgn;
use testkit::needs;
use testkit::pgn::read;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::{games, searched};
use crate::positions::counted::databases;

type Tags = BTreeMap<String, String>;

/// A term, and whether it holds for a game with these tags.
struct Question {
    text: String,
    holds: Box<dyn Fn(&Tags) -> bool>,
}

fn question(text: impl Into<String>, holds: impl Fn(&Tags) -> bool + 'static) -> Question {
    Question {
        text: text.into(),
        holds: Box::new(holds),
    }
}

fn known<'a>(tags: &'a Tags, name: &str) -> Option<&'a str> {
    let value = tags.get(name)?.as_str();
    (!["", "?", "????.??.??"].contains(&value)).then_some(value)
}

/// The words of a text without accents, in small letters.
fn words(text: &str) -> Vec<String> {
    let apart = text.nfkd().filter(|c| !is_combining_mark(*c)).collect::<String>();
    let mut small = apart.to_lowercase();
    for (letter, written) in [
        ("ß", "ss"),
        ("ø", "o"),
        ("ł", "l"),
        ("đ", "d"),
        ("æ", "ae"),
        ("œ", "oe"),
        ("ı", "i"),
    ] {
        small = small.replace(letter, written);
    }
    let words = small.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The words of a text of ASCII, which are written in a query as they are.
fn plain_words(text: &str) -> Option<Vec<String>> {
    text.is_ascii().then(|| words(text))
}

fn begins(text: Option<&str>, beginning: &str) -> bool {
    let words = text.map(words).unwrap_or_default();
    words.iter().any(|word| word.starts_with(beginning))
}

/// A rating, as in the columns of tables.
fn rating(tags: &Tags, name: &str) -> Option<i64> {
    let number: i64 = known(tags, name)?.trim().parse().ok()?;
    (100..=3999).contains(&number).then_some(number)
}

/// The year, month and day; `None` for a part that is unknown.
fn date(tags: &Tags) -> [Option<u32>; 3] {
    let mut parts = tags["Date"].split('.').map(|part| part.parse().ok());
    [(); 3].map(|()| parts.next().flatten())
}

const SIDES: [(&str, &str, &str, &str); 2] = [
    ("White", "Black", "WhiteElo", "BlackElo"),
    ("Black", "White", "BlackElo", "WhiteElo"),
];

/// Questions that some of the games answer.
fn questions(all: &[Tags], random: &mut impl FnMut(usize) -> usize) -> Vec<Question> {
    let mut questions = Vec::new();
    let some_game = |random: &mut dyn FnMut(usize) -> usize| &all[random(all.len())];
    for _ in 0..8 {
        for (field, tags) in [
            ("player", &["White", "Black"][..]),
            ("white", &["White"]),
            ("black", &["Black"]),
            ("event", &["Event"]),
            ("site", &["Site"]),
            ("annotator", &["Annotator"]),
            ("source", &["Source", "SourceTitle"]),
            ("team", &["WhiteTeam", "BlackTeam"]),
            ("", &["White", "Black", "Event"]),
        ] {
            let colon = if field.is_empty() { "" } else { ":" };
            let tag = tags[random(tags.len())];
            let words = known(some_game(random), tag)
                .and_then(plain_words)
                .unwrap_or_default();
            if let Some(word) = words.get(random(words.len().max(1))) {
                let beginning = word[..1 + random(word.len())].to_owned();
                if ["and", "or", "not", "then"].contains(&&*beginning) {
                    continue;
                }
                let text = format!("{field}{colon}{beginning}");
                questions.push(question(text, move |game| {
                    tags.iter().any(|tag| begins(known(game, tag), &beginning))
                }));
            }
            if !field.is_empty() {
                questions.push(question(format!("{field}:?"), move |game| {
                    let mut unknown = tags.iter().map(|tag| known(game, tag).is_none());
                    // A source is unknown where neither tag has one.
                    if field == "source" {
                        unknown.all(|is_unknown| is_unknown)
                    } else {
                        unknown.any(|is_unknown| is_unknown)
                    }
                }));
                if let Some(exact) = known(some_game(random), tag).map(str::to_owned) {
                    let text = exact.replace('\\', "\\\\").replace('"', "\\\"");
                    questions.push(question(format!("{field}:=\"{text}\""), move |game| {
                        tags.iter().any(|tag| known(game, tag) == Some(&exact))
                    }));
                }
            }
        }
        if let [Some(year), month, day] = date(some_game(random)) {
            let year_of = |game: &Tags| date(game)[0];
            questions.push(question(format!("year:{year:04}"), move |game| {
                year_of(game) == Some(year)
            }));
            questions.push(question(format!("year:..{year:04}"), move |game| {
                year_of(game).is_some_and(|other| other <= year)
            }));
            if let (Some(month), Some(day)) = (month, day) {
                let text = format!("date:{year:04}.{month:02}.{day:02}..");
                questions.push(question(text, move |game| {
                    let [Some(own_year), own_month, own_day] = date(game) else {
                        return false;
                    };
                    let last = (own_year, own_month.unwrap_or(12), own_day.unwrap_or(31));
                    last >= (year, month, day)
                }));
            }
        }
        if let Some(elo) = rating(some_game(random), "WhiteElo") {
            questions.push(question(format!("elo:{elo}.."), move |game| {
                let both = ["WhiteElo", "BlackElo"].map(|tag| rating(game, tag));
                both.into_iter().all(|own| own.is_some_and(|own| own >= elo))
            }));
            questions.push(question(format!("white_elo:..{elo}|?"), move |game| {
                rating(game, "WhiteElo").is_none_or(|own| own <= elo)
            }));
            questions.push(question("elo_diff:0..", |game| {
                let [white, black] = ["WhiteElo", "BlackElo"].map(|tag| rating(game, tag));
                white.zip(black).is_some_and(|(white, black)| white >= black)
            }));
        }
        let is_code = |code: &&str| {
            let bytes = code.as_bytes();
            bytes.len() >= 3
                && (b'A'..=b'E').contains(&bytes[0])
                && bytes[1..3].iter().all(u8::is_ascii_digit)
        };
        if let Some(code) = known(some_game(random), "ECO").filter(is_code) {
            let (code, first) = (code[..3].to_owned(), code[..2].to_owned());
            questions.push(question(format!("( eco:{first} has:ECO )"), move |game| {
                known(game, "ECO").is_some_and(|own| own.starts_with(&first))
            }));
            questions.push(question(format!("( eco:{code}.. has:ECO )"), move |game| {
                let own = known(game, "ECO").filter(is_code).map(|own| &own[..3]);
                own.is_some_and(|own| own >= code.as_str())
            }));
        }
        let result = some_game(random)["Result"].clone();
        questions.push(question(format!("result:{result}"), move |game| {
            game["Result"] == result
        }));
        if let Some(round) = known(some_game(random), "Round").and_then(|round| round.parse::<u32>().ok()) {
            questions.push(question(format!("round:{round}"), move |game| {
                let first = known(game, "Round").and_then(|own| own.split('.').next());
                first.is_some_and(|own| own.parse() == Ok(round))
            }));
        }
        let names: Vec<&String> = some_game(random).keys().collect();
        let name = names[random(names.len())].clone();
        // This word asks for a set-up. The tag is the sign of one.
        if name != "Chess960" {
            questions.push(question(format!("has:{name}"), move |game| {
                known(game, &name).is_some()
            }));
        }
    }
    questions
}

/// Questions about one player, which are several terms.
fn about_players(all: &[Tags], random: &mut impl FnMut(usize) -> usize) -> Vec<Question> {
    let mut questions = Vec::new();
    for _ in 0..6 {
        let game = &all[random(all.len())];
        let words = |tag: &str| known(game, tag).and_then(plain_words).unwrap_or_default();
        let (Some(player), Some(opponent)) = (words("White").pop(), words("Black").pop()) else {
            continue;
        };
        let of_player = |tags: &Tags, player: &str, holds: &dyn Fn(&str, &str, &str, &str) -> bool| {
            SIDES.iter().any(|(own, other, elo, other_elo)| {
                begins(known(tags, own), player) && holds(own, other, elo, other_elo)
            })
        };
        let text = format!("player:{player} opponent:{opponent}");
        let wanted = player.clone();
        questions.push(question(text, move |game| {
            of_player(game, &wanted, &|_, other, _, _| {
                begins(known(game, other), &opponent)
            })
        }));
        let wanted = player.clone();
        questions.push(question(format!("player:{player} result:win"), move |game| {
            of_player(game, &wanted, &|own, _, _, _| {
                game["Result"] == if own == "White" { "1-0" } else { "0-1" }
            })
        }));
        let wanted = player.clone();
        let text = format!("player:{player} elo:2000.. opponent_elo:..2500|?");
        questions.push(question(text, move |game| {
            of_player(game, &wanted, &|_, _, elo, other| {
                rating(game, elo).is_some_and(|own| own >= 2000)
                    && rating(game, other).is_none_or(|own| own <= 2500)
            })
        }));
        questions.push(question(format!("player:{player} elo_diff:..-1"), move |game| {
            of_player(game, &player, &|_, _, elo, other| {
                let both = rating(game, elo).zip(rating(game, other));
                both.is_some_and(|(own, other)| own < other)
            })
        }));
    }
    questions
}

#[test]
fn questions_about_tags_are_answered_as_by_a_reader_of_pgn() {
    needs!(samples);
    let mut state = 7u64;
    let mut random = move |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let (mut compared, mut found) = (0, 0);
    for (name, database) in databases(testkit::cases(100, 3000)) {
        let all: Vec<Tags> = (0..database.len()).map(|game| tags(&*database, game)).collect();
        let deleted: BTreeSet<u32> = (0..database.len())
            .filter(|&game| database.keys(game).deleted)
            .collect();
        for (tags, game) in all.iter().zip(0..) {
            let ratings = database.ratings(game);
            let both = [ratings.white, ratings.black].map(|rating| rating.map(i64::from));
            assert_eq!(
                both,
                ["WhiteElo", "BlackElo"].map(|tag| rating(tags, tag)),
                "{name}: game {game}"
            );
            if let Some(site) = database.site(game) {
                let tags = database.tags(game);
                assert_eq!(
                    Some(&*database.text(site)),
                    tags.get("Site"),
                    "{name}: game {game}"
                );
            }
        }
        let mut compare = |query: &str, holds: &dyn Fn(&Tags) -> bool| {
            let numbers = 0..database.len();
            let expected: Vec<u32> = numbers
                .filter(|game| !deleted.contains(game) && holds(&all[*game as usize]))
                .collect();
            let answer = games(query, &searched(&*database, ""));
            let first = answer.iter().zip(&expected).find(|(a, b)| a != b);
            assert!(
                answer == expected,
                "{name}: {query}: {} games, not {}; {first:?}",
                answer.len(),
                expected.len(),
            );
            compared += 1;
            found += answer.len();
        };
        let questions = questions(&all, &mut random);
        for one in &questions {
            compare(&one.text, &one.holds);
            compare(&format!("-{}", one.text), &|tags| !(one.holds)(tags));
        }
        for _ in 0..20 {
            let [a, b, c] = [(); 3].map(|()| &questions[random(questions.len())]);
            let has_player = [a, b, c].iter().any(|one| one.text.starts_with("player:"));
            let is_of_player = [a, b, c].iter().any(|one| one.text.starts_with("elo"));
            if has_player && is_of_player {
                continue;
            }
            let query = format!("{} -{} {}", a.text, b.text, c.text);
            compare(&query, &|tags| {
                (a.holds)(tags) && !(b.holds)(tags) && (c.holds)(tags)
            });
        }
        for one in about_players(&all, &mut random) {
            compare(&one.text, &one.holds);
        }
    }
    assert!(
        compared > 5000 && found > 100_000,
        "{compared} questions, {found} games"
    );
}

/// The tags of a game as a reader of PGN sees them.
fn tags(database: &dyn Database, game: u32) -> Tags {
    let game = chessdb::game::Game {
        tags: database.tags(game),
        ..chessdb::game::Game::default()
    };
    read(&to_pgn(&game)).swap_remove(0).tags
}
