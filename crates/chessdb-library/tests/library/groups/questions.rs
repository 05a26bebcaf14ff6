//! Random terms about positions, each with its answer by testing every square.

use chessdb_library::query::{Bounds, PositionTerm};

use super::shown::{Shown, other_case};

/// Numbers that look random, from a fixed seed.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    pub fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn once_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }
}

/// A question about one position: the term, and the answer by squares.
pub type Asked = (PositionTerm, Box<dyn Fn(&Shown) -> bool>);

/// A board that a position matches, unless a sign is changed.
pub fn board(shown: &Shown, chance: &mut Chance) -> Asked {
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

pub fn pawns(shown: &Shown) -> Asked {
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

pub fn material(shown: &Shown, chance: &mut Chance) -> Asked {
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

pub fn difference(shown: &Shown, chance: &mut Chance) -> Asked {
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

pub fn exact(shown: &Shown, epd: &str, chance: &mut Chance) -> Asked {
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

pub fn played(shown: &Shown, chance: &mut Chance) -> Option<Asked> {
    if shown.san.is_empty() || shown.san == "null" {
        return None;
    }
    let is_castling = |san: &str| san.starts_with("O-O");
    let own = shown.san.clone();
    let has_sign = own.ends_with(['+', '#']) && chance.once_in(2);
    let (piece, takes, target, sign) = parts(&own);
    let has_right_sign = move |other: &str| {
        let other = parts(other).3;
        !has_sign || other == sign || (other == "#" && sign == "+")
    };
    let bare = own.trim_end_matches(['+', '#']).to_owned();
    let text = if has_sign { own.clone() } else { bare.clone() };
    if is_castling(&own) {
        let holds =
            move |shown: &Shown| shown.san.trim_end_matches(['+', '#']) == bare && has_right_sign(&shown.san);
        return Some((PositionTerm::played(&text).unwrap(), Box::new(holds)));
    }
    // With parts of the square of departure, whether or not they distinguish the piece.
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
    // A pawn that takes nothing stays on the file of its target.
    let (has_file, has_rank) = (
        chance.once_in(3) && (piece != 'P' || !taking.is_empty()),
        chance.once_in(3) && piece != 'P',
    );
    let departure = move |from: &str| -> String {
        let mut signs = from.chars();
        let (file, rank) = (signs.next(), signs.next());
        let file = file.filter(|_| has_file);
        file.into_iter().chain(rank.filter(|_| has_rank)).collect()
    };
    let from = departure(&shown.from);
    // A pattern has the whole origin.
    let origin = if either {
        let [file, rank] = [has_file, has_rank].map(|is_known| is_known.then_some(()));
        let mut known = from.chars();
        let file = file.and_then(|()| known.next()).unwrap_or('?');
        let rank = rank.and_then(|()| known.next()).unwrap_or('?');
        format!("{piece}{file}{rank}")
    } else {
        format!("{letter}{from}")
    };
    let text = format!("{origin}{taking}{target}{}", if has_sign { sign } else { "" });
    let holds = move |shown: &Shown| {
        let other = parts(&shown.san);
        !shown.san.is_empty()
            && !is_castling(&shown.san)
            && shown.san != "null"
            && (other.0, &other.2) == (piece, &target)
            && departure(&shown.from) == from
            && (either || other.1 == takes)
            && has_right_sign(&shown.san)
    };
    let term = PositionTerm::played(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    Some((term, Box::new(holds)))
}
