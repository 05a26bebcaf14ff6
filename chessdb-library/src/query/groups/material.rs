//! Ranges of material.

use std::fmt;
use std::ops::RangeInclusive;

use crate::lines::{KINDS, PieceTally, Pieces, place_of};
use chessdb::board::{ByColor, Color, Role};

use super::error::TermError;
use super::reflection::Reflection;

/// The largest number of pieces of a kind, for a kind of which there may be any number.
const MOST: u8 = 64;

/// The numbers of pieces that both sides may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MaterialRange {
    least: PieceTally,
    most: PieceTally,
}

impl MaterialRange {
    /// Reads a list of letters with counts, White's pieces first.
    pub(super) fn parse(text: &str) -> Result<MaterialRange, TermError> {
        let mut counts = ByColor::<[Option<(u8, u8)>; 6]>::default();
        let mut has_others = ByColor::<bool>::default();
        let mut side = Color::White;
        let mut rest = text.trim();
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            if letter == ' ' {
                continue;
            }
            if letter == '*' {
                has_others[side] = true;
                continue;
            }
            let kind = KINDS
                .iter()
                .position(|(role, ..)| role.char() == letter.to_ascii_lowercase())
                .ok_or(TermError::Piece(letter))?;
            match Color::from_white(letter.is_ascii_uppercase()) {
                Color::White if side == Color::Black => return Err(TermError::WhiteFirst),
                color => side = color,
            }
            let is_king = kind == 0;
            let (range, after) = if is_king { (1..=1, rest) } else { count(rest)? };
            rest = after;
            let (least, most) = counts[side][kind].unwrap_or((0, 0));
            let add = |sum: u8, count: u8| sum.saturating_add(count).min(MOST);
            counts[side][kind] = Some((add(least, *range.start()), add(most, *range.end())));
        }
        if counts.iter().any(|counts| counts[0] != Some((1, 1))) {
            return Err(TermError::Kings);
        }
        let mut range = MaterialRange {
            least: PieceTally::default(),
            most: PieceTally([u8::MAX; 16]),
        };
        for color in Color::ALL {
            let unnamed = (0, if has_others[color] { MOST } else { 0 });
            for (&(role, ..), count) in KINDS.iter().zip(counts[color]) {
                let place = place_of(color, role);
                (range.least.0[place], range.most.0[place]) = count.unwrap_or(unnamed);
            }
        }
        Ok(range)
    }

    /// True if the numbers are in the range.
    #[inline]
    pub(super) fn has(&self, tally: &PieceTally) -> bool {
        // Without a branch for each, all are compared at once.
        (0..16).fold(true, |has, place| {
            has & (self.least.0[place] <= tally.0[place]) & (tally.0[place] <= self.most.0[place])
        })
    }

    /// True only if no game that has reached `position` can still reach a match: each missing piece needs a pawn that
    /// is promoted.
    pub(super) fn is_past(&self, position: &impl Pieces) -> bool {
        Color::ALL.into_iter().any(|color| {
            let missing = KINDS.iter().map(|&(role, ..)| {
                let count = position.of_kind(color, role).count();
                let least = usize::from(self.least.count(color, role));
                match role {
                    Role::Pawn => least,
                    _ => least.saturating_sub(count),
                }
            });
            position.of_kind(color, Role::Pawn).count() < missing.sum()
        })
    }

    /// The least and the most pieces of a side.
    pub(super) fn pieces_of(&self, color: Color) -> RangeInclusive<u32> {
        self.least.pieces_of(color)..=self.most.pieces_of(color)
    }

    pub(super) fn reflected(&self, reflection: Reflection) -> MaterialRange {
        let mut range = self.clone();
        for color in Color::ALL {
            for (role, ..) in KINDS {
                let (place, own) = (place_of(color, role), place_of(reflection.color(color), role));
                range.least.0[place] = self.least.0[own];
                range.most.0[place] = self.most.0[own];
            }
        }
        range
    }
}

/// Pieces of one side for pieces of the other, such as a rook for a bishop and a knight.
///
/// All pieces but pawns are balanced otherwise. Pawns are, too, if the text names some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Imbalance {
    /// White's pieces less Black's, of each kind in [`KINDS`].
    more: [i8; 6],
    has_pawns: bool,
}

impl Imbalance {
    /// Reads the pieces of both sides: `Rvbn`, where White has the rook. Without a difference of case, `RvBN`, either side
    /// may have it.
    pub(super) fn parse(text: &str) -> Result<Vec<Imbalance>, TermError> {
        let (first, second) = text.split_once(['v', 'V']).ok_or(TermError::Imbalance)?;
        let (first, second) = (pieces(first)?, pieces(second)?);
        let more = std::array::from_fn(|kind| first.counts[kind] - second.counts[kind]);
        let [white, black] = [more, more.map(|more: i8| -more)].map(|more| Imbalance {
            more,
            has_pawns: first.counts[PAWN] + second.counts[PAWN] > 0,
        });
        if more == [0; 6] {
            return Err(TermError::Imbalance);
        }
        Ok(match (first.color, second.color) {
            (Color::White, Color::Black) => vec![white],
            (Color::Black, Color::White) => vec![black],
            _ => vec![white, black],
        })
    }

    /// True if the numbers of pieces differ like this.
    #[inline]
    pub(super) fn is_in(&self, tally: &PieceTally) -> bool {
        let kinds = if self.has_pawns {
            &KINDS[..]
        } else {
            &KINDS[..PAWN]
        };
        kinds
            .iter()
            .zip(self.more)
            .fold(true, |is_so, (&(role, ..), more)| {
                let [white, black] =
                    [Color::White, Color::Black].map(|color| i16::from(tally.count(color, role)));
                is_so & (white - black == i16::from(more))
            })
    }

    pub(super) fn reflected(&self, reflection: Reflection) -> Imbalance {
        let sign = if reflection.colour { -1 } else { 1 };
        Imbalance {
            more: self.more.map(|more| sign * more),
            ..*self
        }
    }
}

impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
            for (&(role, ..), more) in KINDS.iter().zip(self.more) {
                for _ in 0..sign * more {
                    write!(f, "{}", role.of(color).char())?;
                }
            }
            if self.has_pawns && self.more[PAWN] == 0 {
                write!(f, "{}", Role::Pawn.of(color).char())?;
            }
            if color == Color::White {
                f.write_str("v")?;
            }
        }
        Ok(())
    }
}

/// The place of pawns in [`KINDS`].
const PAWN: usize = 5;

/// The pieces of one side of an imbalance.
struct SidePieces {
    counts: [i8; 6],
    /// The side, as the case of the letters says.
    color: Color,
}

/// Reads letters of pieces in one case, up to 16.
fn pieces(text: &str) -> Result<SidePieces, TermError> {
    let is_white = text.starts_with(|letter: char| letter.is_ascii_uppercase());
    if text.is_empty()
        || text.len() > 16
        || text.chars().any(|letter| letter.is_ascii_uppercase() != is_white)
    {
        return Err(TermError::Imbalance);
    }
    let mut counts = [0; 6];
    for letter in text.to_ascii_lowercase().chars() {
        let kind = KINDS.iter().position(|(role, ..)| role.char() == letter);
        let kind = kind.filter(|&kind| kind > 0).ok_or(TermError::Imbalance)?;
        counts[kind] += 1;
    }
    Ok(SidePieces {
        counts,
        color: Color::from_white(is_white),
    })
}

/// Reads what may follow a letter. Returns the count, and the rest of the text.
fn count(text: &str) -> Result<(RangeInclusive<u8>, &str), TermError> {
    if let Some(rest) = text.strip_prefix('+') {
        return Ok((1..=MOST, rest));
    }
    if let Some(rest) = text.strip_prefix('*') {
        return Ok((0..=MOST, rest));
    }
    let (least, rest) = number(text)?;
    let Some(least) = least else {
        return Ok((1..=1, rest));
    };
    let Some(rest) = rest.strip_prefix('-') else {
        return Ok((least..=least, rest));
    };
    let (most, rest) = number(rest)?;
    match most {
        Some(most) if least <= most => Ok((least..=most, rest)),
        _ => Err(TermError::Count),
    }
}

/// Reads a number, if the text begins with one.
fn number(text: &str) -> Result<(Option<u8>, &str), TermError> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    if number.is_empty() {
        return Ok((None, rest));
    }
    let number = number.parse().ok().filter(|&number| number <= MOST);
    number.map(|number| (Some(number), rest)).ok_or(TermError::Count)
}

impl fmt::Display for MaterialRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in [Color::White, Color::Black] {
            let counts =
                KINDS.map(|(role, ..)| (self.least.count(color, role), self.most.count(color, role)));
            let counts = &counts[1..];
            let number = |range| counts.iter().filter(|&&count| count == range).count();
            let has_others = number((0, MOST)) > number((0, 0));
            write!(f, "{}", Role::King.of(color).char())?;
            if has_others {
                f.write_str("*")?;
            }
            let unnamed = (0, if has_others { MOST } else { 0 });
            for (&(role, ..), &count) in KINDS[1..].iter().zip(counts) {
                let letter = role.of(color).char();
                match count {
                    _ if count == unnamed => {}
                    (1, 1) => write!(f, "{letter}")?,
                    (0, MOST) => write!(f, "{letter}*")?,
                    (1, MOST) => write!(f, "{letter}+")?,
                    (least, most) if least == most => write!(f, "{letter}{least}")?,
                    (2, MOST) => write!(f, "{letter}{letter}+")?,
                    (least, MOST) => write!(f, "{letter}{}{letter}+", least - 1)?,
                    (least, most) => write!(f, "{letter}{least}-{most}")?,
                }
            }
        }
        Ok(())
    }
}
