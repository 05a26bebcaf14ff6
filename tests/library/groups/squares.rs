//! Random questions, answered by looking at every square of every position that shakmaty reaches.
//!
//! Nothing here is shared with the search: boards are 64 characters, and moves are the text of their SAN.

use std::path::Path;
use std::sync::Arc;

use chessdb::formats::Database;
use chessdb_library::positions::{BuildOptions, Index};
use chessdb_library::query::{Bounds, Mirror, PositionGroup, PositionQuery, PositionTerm};

use crate::positions::counted::{databases, line};
use testkit::needs;
use testkit::samples::open_base;

/// A position of a game, with the SAN of the move that is played in it.
#[derive(Clone)]
struct Shown {
    /// The squares from a8 to h1, a blank for an empty one.
    squares: Vec<char>,
    turn: char,
    castling: String,
    en_passant: String,
    san: String,
}

impl Shown {
    fn new(epd: &str, san: &str) -> Shown {
        let fields: Vec<&str> = epd.split(' ').collect();
        let mut squares = Vec::new();
        for sign in fields[0].chars().filter(|&sign| sign != '/') {
            match sign.to_digit(10) {
                Some(number) => squares.extend((0..number).map(|_| ' ')),
                None => squares.push(sign),
            }
        }
        Shown {
            squares,
            turn: fields[1].chars().next().unwrap(),
            castling: fields[2].to_owned(),
            en_passant: fields[3].to_owned(),
            san: san.to_owned(),
        }
    }

    /// The position seen in a mirror.
    fn mirrored(&self, colour: bool, side: bool) -> Shown {
        let mut shown = self.clone();
        if colour {
            let ranks: Vec<char> = self.squares.chunks(8).rev().flatten().copied().collect();
            shown.squares = ranks.into_iter().map(other_case).collect();
            shown.turn = if self.turn == 'w' { 'b' } else { 'w' };
            let rights: String = self.castling.chars().map(other_case).collect();
            let (white, black): (Vec<char>, Vec<char>) =
                rights.chars().partition(|right| right.is_ascii_uppercase());
            shown.castling = white.into_iter().chain(black).collect();
            shown.en_passant = exchanged(&shown.en_passant, '1'..='8');
            shown.san = exchanged(&shown.san, '1'..='8');
        }
        if side {
            let files = shown.squares.chunks(8).flat_map(|rank| rank.iter().rev());
            shown.squares = files.copied().collect();
            shown.castling = "any".to_owned();
            shown.en_passant = exchanged(&shown.en_passant, 'a'..='h');
            shown.san = if shown.san.starts_with("O-O") {
                String::new()
            } else {
                exchanged(&shown.san, 'a'..='h')
            };
        }
        shown
    }

    fn count(&self, piece: char) -> i64 {
        self.squares.iter().filter(|&&other| other == piece).count() as i64
    }
}

fn other_case(letter: char) -> char {
    if letter.is_ascii_uppercase() {
        letter.to_ascii_lowercase()
    } else {
        letter.to_ascii_uppercase()
    }
}

/// A text in which the letters or digits of a range are in the opposite order.
fn exchanged(text: &str, range: std::ops::RangeInclusive<char>) -> String {
    let sum = *range.start() as u8 + *range.end() as u8;
    let signs = text.chars().map(|sign| match range.contains(&sign) {
        true => char::from(sum - sign as u8),
        false => sign,
    });
    signs.collect()
}

/// Numbers that look random, from a fixed seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn once_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }
}

/// A question about one position: the term, and the answer by squares.
type Asked = (PositionTerm, Box<dyn Fn(&Shown) -> bool>);

/// A board that a position matches, unless a sign is changed.
fn board(shown: &Shown, chance: &mut Chance) -> Asked {
    let mut sets: Vec<String> = Vec::new();
    for &piece in &shown.squares {
        let others = ["KQRBNP", "kqrbnp", "RN", "-", "pP", "rk-", "A", "a", "!"];
        let own = if piece == ' ' { '-' } else { piece };
        sets.push(match chance.below(12) {
            0 | 1 => own.to_string(),
            2 if piece.is_ascii_uppercase() => "A".to_owned(),
            2 if piece != ' ' => "a".to_owned(),
            3 if piece != ' ' => "!".to_owned(),
            4 => format!("{own}{}", chance.of(&others)),
            5 if chance.once_in(40) => (*chance.of(&others)).to_owned(),
            _ => "?".to_owned(),
        });
    }
    let mut text = String::new();
    for (place, set) in sets.iter().enumerate() {
        if place > 0 && place % 8 == 0 {
            text.push('/');
        }
        match set.len() {
            1 => text.push_str(set),
            _ => text.push_str(&format!("[{set}]")),
        }
    }
    let fits = |set: &str, piece: char| {
        set.chars().any(|sign| match sign {
            '?' => true,
            '-' => piece == ' ',
            '!' => piece != ' ',
            'A' => piece.is_ascii_uppercase(),
            'a' => piece.is_ascii_lowercase(),
            sign => sign == piece,
        })
    };
    let term = PositionTerm::board(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let holds = move |shown: &Shown| {
        sets.iter()
            .zip(&shown.squares)
            .all(|(set, &piece)| fits(set, piece))
    };
    (term, Box::new(holds))
}

fn pawns(shown: &Shown) -> Asked {
    let only_pawns = |squares: &[char]| -> String {
        let pawns = squares.iter().map(|&piece| match piece {
            'P' | 'p' => piece,
            _ => '1',
        });
        pawns.collect()
    };
    let own = only_pawns(&shown.squares);
    let ranks: Vec<&str> = (0..8).map(|rank| &own[8 * rank..8 * rank + 8]).collect();
    let term = PositionTerm::pawns(&ranks.join("/")).unwrap();
    (term, Box::new(move |shown| only_pawns(&shown.squares) == own))
}

fn material(shown: &Shown, chance: &mut Chance) -> Asked {
    let mut text = String::new();
    let mut ranges = Vec::new();
    for side in ["KQRBNP", "kqrbnp"] {
        let has_others = chance.once_in(3);
        let mut letters = side.chars();
        text.extend(letters.next());
        for letter in letters {
            let count = shown.count(letter);
            let (least, most) = match chance.below(8) {
                0 => {
                    text.push_str(&format!("{letter}*"));
                    (0, 99)
                }
                1 => {
                    text.push_str(&format!("{letter}+"));
                    (1, 99)
                }
                2 => {
                    let (least, most) = ((count - 1).max(0), count + chance.below(2) as i64);
                    text.push_str(&format!(" {letter}{least}-{most}"));
                    (least, most)
                }
                3 if has_others => (0, 99),
                4 if chance.once_in(4) => (0, if has_others { 99 } else { 0 }),
                5 if has_others => {
                    text.push_str(&format!("{letter}{count}"));
                    (count, count)
                }
                _ => {
                    text.extend((0..count).map(|_| letter));
                    (count, if count == 0 && has_others { 99 } else { count })
                }
            };
            ranges.push((letter, least..=most));
        }
        if has_others {
            text.push_str(" *");
        }
    }
    let term = PositionTerm::material(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let holds = move |shown: &Shown| {
        ranges
            .iter()
            .all(|(letter, range)| range.contains(&shown.count(*letter)))
    };
    (term, Box::new(holds))
}

fn worth(shown: &Shown) -> i64 {
    let values = [('P', 1), ('N', 3), ('B', 3), ('R', 5), ('Q', 9)];
    let values =
        values.map(|(letter, value)| value * (shown.count(letter) - shown.count(other_case(letter))));
    values.into_iter().sum()
}

fn difference(shown: &Shown, chance: &mut Chance) -> Asked {
    let own = worth(shown);
    let (least, most) = match chance.below(3) {
        0 => (Some(own), Some(own)),
        1 => (Some(own.max(1)), None),
        _ => (None, Some(own.min(-1))),
    };
    let holds = move |shown: &Shown| {
        let worth = worth(shown);
        least.is_none_or(|least| least <= worth) && most.is_none_or(|most| worth <= most)
    };
    (PositionTerm::diff(Bounds { least, most }), Box::new(holds))
}

fn exact(shown: &Shown, epd: &str, chance: &mut Chance) -> Asked {
    let (own, fields) = (shown.clone(), *chance.of(&[2, 3, 4, 4]));
    let text = epd.split(' ').take(fields).collect::<Vec<_>>().join(" ");
    let holds = move |shown: &Shown| {
        shown.squares == own.squares
            && shown.turn == own.turn
            && (fields < 3 || shown.castling == own.castling || shown.castling == "any")
            && (fields < 4 || shown.en_passant == own.en_passant)
    };
    (PositionTerm::fen(&text).unwrap(), Box::new(holds))
}

/// The piece, whether it takes, the target with any promotion, and the sign of check of a SAN.
fn parts(san: &str) -> (char, bool, String, String) {
    let sign: String = san.chars().filter(|sign| "+#".contains(*sign)).collect();
    let rest = san.trim_end_matches(['+', '#']);
    let letter = rest.chars().next().unwrap_or(' ');
    let piece = if letter.is_ascii_uppercase() { letter } else { 'P' };
    let (to, promotion) = rest
        .split_once('=')
        .map_or((rest, String::new()), |(to, role)| (to, format!("={role}")));
    let to = &to[to.len().saturating_sub(2)..];
    (piece, rest.contains('x'), format!("{to}{promotion}"), sign)
}

fn played(shown: &Shown, chance: &mut Chance) -> Option<Asked> {
    if shown.san.is_empty() || shown.san == "null" {
        return None;
    }
    let is_castling = |san: &str| san.starts_with("O-O");
    let own = shown.san.clone();
    let has_sign = own.ends_with(['+', '#']) && chance.once_in(2);
    let (piece, takes, target, sign) = parts(&own);
    let has_right_sign = move |other: &str| !has_sign || parts(other).3 == sign;
    let bare = own.trim_end_matches(['+', '#']).to_owned();
    let text = if has_sign { own.clone() } else { bare.clone() };
    if is_castling(&own) {
        let holds =
            move |shown: &Shown| shown.san.trim_end_matches(['+', '#']) == bare && has_right_sign(&shown.san);
        return Some((PositionTerm::played(&text).unwrap(), Box::new(holds)));
    }
    // Without what distinguishes the piece, which the SAN of the other move need not have.
    let letter = if piece == 'P' {
        String::new()
    } else {
        piece.to_string()
    };
    let either = chance.once_in(2);
    let taking = match (either, takes) {
        (true, _) => "*",
        (_, true) => "x",
        _ => "",
    };
    let sign = own.trim_start_matches(|sign| !"+#".contains(sign));
    let text = format!("{letter}{taking}{target}{}", if has_sign { sign } else { "" });
    let holds = move |shown: &Shown| {
        let other = parts(&shown.san);
        !shown.san.is_empty()
            && !is_castling(&shown.san)
            && shown.san != "null"
            && (other.0, &other.2) == (piece, &target)
            && (either || other.1 == takes)
            && has_right_sign(&shown.san)
    };
    let term = PositionTerm::played(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    Some((term, Box::new(holds)))
}

/// A group with the answer by squares for each of its terms.
struct AskedGroup {
    terms: Vec<Vec<Asked>>,
    ply: Option<(u32, u32)>,
    for_plies: u32,
}

impl AskedGroup {
    /// A group that holds at a position of a game, unless a term was changed.
    fn at(line: &[(String, Shown)], ply: usize, chance: &mut Chance) -> AskedGroup {
        let mut terms = Vec::new();
        let number = 1 + chance.below(2);
        while terms.len() < number {
            let (epd, shown) = &line[ply];
            let term = match chance.below(7) {
                0 | 1 => board(shown, chance),
                2 => pawns(shown),
                3 => material(shown, chance),
                4 => difference(shown, chance),
                5 => exact(shown, epd, chance),
                _ => match played(shown, chance) {
                    Some(term) => term,
                    None => continue,
                },
            };
            let mut alternatives = vec![term];
            if chance.once_in(6) {
                let (_, other) = chance.of(line);
                alternatives.push(pawns(other));
            }
            terms.push(alternatives);
        }
        let ply = ply as u32;
        AskedGroup {
            terms,
            ply: chance
                .once_in(4)
                .then(|| (ply.saturating_sub(chance.below(9) as u32), ply + 3)),
            for_plies: *chance.of(&[1, 1, 1, 1, 2, 3, 8]),
        }
    }

    fn holds(&self, ply: usize, shown: &Shown) -> bool {
        self.ply
            .is_none_or(|(least, most)| (least..=most).contains(&(ply as u32)))
            && self
                .terms
                .iter()
                .all(|alternatives| alternatives.iter().any(|(_, holds)| holds(shown)))
    }

    fn group(&self) -> PositionGroup {
        let terms = self.terms.iter();
        let ply = self.ply.map(|(least, most)| Bounds {
            least: Some(least.into()),
            most: Some(most.into()),
        });
        PositionGroup {
            terms: terms
                .map(|alternatives| alternatives.iter().map(|(term, _)| term.clone()).collect())
                .collect(),
            ply: ply.map(|bounds| vec![bounds]).into_iter().collect(),
            for_plies: self.for_plies,
        }
    }
}

/// The ply at which the last group holds first in one game, in one mirror image.
fn first(groups: &[AskedGroup], positions: &[Shown]) -> Option<usize> {
    let (mut from, mut first) = (0, 0);
    for group in groups {
        let length = group.for_plies as usize;
        first = (from..=positions.len().checked_sub(length)?)
            .find(|&begin| (begin..begin + length).all(|ply| group.holds(ply, &positions[ply])))?;
        from = first + length;
    }
    Some(first)
}

#[test]
fn random_questions_are_answered_as_by_a_look_at_every_square() {
    needs!(samples);
    let mut chance = Chance(1);
    let (mut questions, mut hits) = (0, 0);
    let mut all = databases(120);
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/games/classics");
    let examples: Arc<dyn Database> = Arc::from(open_base(&examples).unwrap());
    all.push(("examples".to_owned(), examples));
    for (name, database) in all {
        let lines: Vec<Vec<(String, Shown)>> = (0..database.len())
            .map(|game| {
                let line = line(&database.game(game).game).into_iter();
                line.map(|(epd, san)| (epd.clone(), Shown::new(&epd, &san)))
                    .collect()
            })
            .collect();
        let usable: Vec<_> = lines.iter().filter(|line| line.len() > 1).collect();
        if usable.is_empty() {
            continue;
        }
        let index = Index::in_memory(&database, BuildOptions::default(), &|_| ()).unwrap();
        for _ in 0..12 {
            let line = *chance.of(&usable);
            let number = *chance.of(&[0, 1, 1, 1, 1, 2, 2, 3]);
            let mut plies: Vec<usize> = (0..number).map(|_| chance.below(line.len())).collect();
            plies.sort_unstable();
            plies.dedup();
            let groups: Vec<_> = plies
                .iter()
                .map(|&ply| AskedGroup::at(line, ply, &mut chance))
                .collect();
            let mut excluded = Vec::new();
            if number == 0 || chance.once_in(5) {
                let ply = chance.below(line.len());
                let other = *chance.of(&usable);
                let mut group = AskedGroup::at(other, 0, &mut chance);
                if chance.once_in(2) {
                    group = AskedGroup::at(line, ply, &mut chance);
                }
                excluded.push(AskedGroup {
                    for_plies: 1,
                    ..group
                });
            }
            let (mirror, images) = *chance.of(&[
                (Mirror::None, &[(false, false)][..]),
                (Mirror::Colour, &[(false, false), (true, false)][..]),
                (Mirror::Side, &[(false, false), (false, true)][..]),
                (
                    Mirror::Both,
                    &[(false, false), (true, false), (false, true), (true, true)][..],
                ),
            ]);
            let query = PositionQuery {
                groups: groups.iter().map(AskedGroup::group).collect(),
                excluded: excluded.iter().map(AskedGroup::group).collect(),
                mirror,
            };
            let among = chance.once_in(3).then(|| {
                let games = (0..database.len()).filter(|_| chance.below(3) > 0);
                games.collect::<Vec<u32>>()
            });
            let mut expected = Vec::new();
            for (game, line) in (0..).zip(&lines) {
                if among.as_ref().is_some_and(|games| !games.contains(&game)) {
                    continue;
                }
                let mirrored = images.iter().map(|&(colour, side)| {
                    line.iter()
                        .map(|(_, shown)| shown.mirrored(colour, side))
                        .collect::<Vec<_>>()
                });
                let mirrored: Vec<Vec<Shown>> = mirrored.collect();
                let is_excluded = mirrored.iter().any(|line| {
                    excluded
                        .iter()
                        .any(|group| first(std::slice::from_ref(group), line).is_some())
                });
                let ply = mirrored.iter().filter_map(|line| first(&groups, line)).min();
                expected.extend(ply.filter(|_| !is_excluded).map(|ply| (game, ply as u32)));
            }
            for index in [None, Some(&index)] {
                let found = query
                    .find(&*database, among.as_deref(), index, 2, &|_| ())
                    .unwrap();
                let found: Vec<_> = found.iter().map(|found| (found.game, found.ply)).collect();
                assert_eq!(
                    found,
                    expected,
                    "{name}: {query:?}, with an index: {}",
                    index.is_some()
                );
            }
            questions += 1;
            hits += expected.len();
        }
    }
    assert!(
        questions > 300 && hits > 1000,
        "{questions} questions with {hits} hits"
    );
}
