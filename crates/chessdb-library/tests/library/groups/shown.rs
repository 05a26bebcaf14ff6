//! Positions as 64 characters, for answers that share nothing with the search.

/// A position of a game, with the SAN of the move that is played in it.
#[derive(Clone)]
pub struct Shown {
    /// The squares from a8 to h1, a blank for an empty one.
    pub squares: Vec<char>,
    pub turn: char,
    pub castling: String,
    pub en_passant: String,
    pub san: String,
    /// The square that a piece leaves in that move, unless it castles.
    pub from: String,
}

impl Shown {
    pub fn new(epd: &str, san: &str) -> Shown {
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
            from: String::new(),
        }
    }

    /// Finds the square that a piece of the side to move leaves, by the position after the move.
    pub fn followed_by(mut self, next: Option<&Shown>) -> Shown {
        let is_own = |piece: char| piece.is_ascii_uppercase() == (self.turn == 'w') && piece != ' ';
        let left = next.and_then(|next| {
            let mut pairs = self.squares.iter().zip(&next.squares);
            pairs.position(|(&before, &after)| is_own(before) && after == ' ')
        });
        if let Some(place) = left.filter(|_| !self.san.starts_with("O-O")) {
            let file = char::from(b'a' + place as u8 % 8);
            self.from = format!("{file}{}", 8 - place / 8);
        }
        self
    }

    /// The position seen in a mirror.
    pub fn mirrored(&self, colour: bool, side: bool) -> Shown {
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
            shown.from = exchanged(&shown.from, '1'..='8');
        }
        if side {
            let files = shown.squares.chunks(8).flat_map(|rank| rank.iter().rev());
            shown.squares = files.copied().collect();
            shown.castling = "any".to_owned();
            shown.from = exchanged(&shown.from, 'a'..='h');
            shown.en_passant = exchanged(&shown.en_passant, 'a'..='h');
            shown.san = if shown.san.starts_with("O-O") {
                String::new()
            } else {
                exchanged(&shown.san, 'a'..='h')
            };
        }
        shown
    }

    pub fn count(&self, piece: char) -> i64 {
        self.squares.iter().filter(|&&other| other == piece).count() as i64
    }
}

pub fn other_case(letter: char) -> char {
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
