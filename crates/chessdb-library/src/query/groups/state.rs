//! Conditions on the side to move, on pieces and on the structure of pawns.

use std::fmt;
use std::ops::RangeInclusive;

use super::error::TermError;
use super::reflection::Reflection;
use crate::lines::{Change, KINDS, KeptMove, PieceTally, Pieces, PlainBoard, bits_of, place_of};
use crate::query::Bounds;
use chessdb::board::{Bitboard, ByColor, Color, File, Position, Role};
use chessdb::shakmaty::attacks;

/// A condition on the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoverState {
    Check,
    Mate,
    Stalemate,
}

impl MoverState {
    const NAMES: [(&str, MoverState); 3] = [
        ("check", MoverState::Check),
        ("mate", MoverState::Mate),
        ("stalemate", MoverState::Stalemate),
    ];

    /// Reads a name, in any letter case.
    pub(super) fn parse(text: &str) -> Result<(&'static str, MoverState), TermError> {
        named(&MoverState::NAMES, text).ok_or(TermError::State)
    }

    #[inline]
    pub(super) fn holds(self, position: &Position) -> bool {
        match self {
            MoverState::Check => position.is_check(),
            MoverState::Mate => position.is_checkmate(),
            MoverState::Stalemate => {
                !position.is_check() && !moves_freely(position) && position.legal_moves().is_empty()
            }
        }
    }
}

impl MoverState {
    /// False if it does not hold with these pieces and these next moves.
    pub(super) fn may_hold_on(self, board: &PlainBoard, rest: &[KeptMove]) -> bool {
        match self {
            MoverState::Check => board.is_check(),
            MoverState::Mate => ends(rest) && board.may_be_mated(),
            MoverState::Stalemate => ends(rest) && !board.is_check() && !moves_freely(board),
        }
    }

    /// Number of moves before the first position where it may hold.
    pub(super) fn first_chance(self, moves: &[KeptMove]) -> Option<usize> {
        match self {
            MoverState::Check => Some(0),
            MoverState::Mate | MoverState::Stalemate => {
                Some(KeptMove::first_null(moves).unwrap_or(moves.len()))
            }
        }
    }
}

/// True if no piece moves next, so that the side to move may have no legal move.
pub(super) fn ends(rest: &[KeptMove]) -> bool {
    rest.first().is_none_or(|mv| mv.is_null())
}

/// True if some piece of the side to move that cannot be pinned has a square to go to. Fast path: this test is cheap,
/// and true in most positions.
fn moves_freely(position: &impl Pieces) -> bool {
    let us = position.turn();
    let Some(king) = position.of_kind(us, Role::King).first() else {
        return false;
    };
    let occupied = position.occupied();
    // A pinned piece is the first one on a line from the king.
    let on_lines = attacks::queen_attacks(king, occupied) | Bitboard::from_square(king);
    let free = position.pieces(us) & !on_lines;
    let steps = beyond(free & position.of_kind(us, Role::Pawn), us) & !occupied;
    let others = free & !position.of_kind(us, Role::Pawn);
    steps.any()
        || others.into_iter().any(|square| {
            let role = position.role_at(square);
            role.is_some_and(|role| {
                let reached = attacks::attacks(square, role.of(us), occupied);
                (reached & !position.pieces(us)).any()
            })
        })
}

/// The squares one step ahead of these.
fn beyond(squares: Bitboard, color: Color) -> Bitboard {
    Bitboard(match color {
        Color::White => squares.0 << 8,
        Color::Black => squares.0 >> 8,
    })
}

/// Whether the bishops, one of each side, are on squares of one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bishops {
    Same,
    Opposite,
}

impl Bishops {
    const NAMES: [(&str, Bishops); 2] = [("same", Bishops::Same), ("opposite", Bishops::Opposite)];

    /// Reads a name, in any letter case.
    pub(super) fn parse(text: &str) -> Result<(&'static str, Bishops), TermError> {
        named(&Bishops::NAMES, text).ok_or(TermError::Bishops)
    }

    /// True if the bishops of each side on these squares are such.
    #[inline]
    pub(super) fn holds_for(self, bishops: impl Fn(Color) -> Bitboard) -> bool {
        let bishops = ByColor::new_with(bishops);
        let is_light = ByColor::new_with(|color| (bishops[color] & Bitboard::LIGHT_SQUARES).any());
        let are_same = is_light[Color::White] == is_light[Color::Black];
        bishops[Color::White].count() == 1
            && bishops[Color::Black].count() == 1
            && are_same == (self == Bishops::Same)
    }
}

/// Which pawns of a side are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PawnKind {
    /// All.
    Any,
    /// Pawns without an enemy pawn in front of them, on their own or a neighbouring file.
    Passed,
    /// Pawns without a pawn of their own side on the neighbouring files.
    Isolated,
    /// Pawns with a pawn of their own side in front of them on their file.
    Doubled,
}

/// The number of some pawns of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PawnCount {
    pub(super) kind: PawnKind,
    pub(super) color: Color,
    pub(super) bounds: Bounds,
}

impl PawnCount {
    /// The changes by a move that can change the number.
    pub(super) fn watched(&self) -> Change {
        match self.kind {
            PawnKind::Any | PawnKind::Isolated | PawnKind::Doubled => 1 << place_of(self.color, Role::Pawn),
            PawnKind::Passed => bits_of(Role::Pawn),
        }
    }

    /// True if the number of these pawns is within the bounds.
    #[inline]
    pub(super) fn holds_for(&self, pawns: impl Fn(Color) -> Bitboard) -> bool {
        let own = pawns(self.color);
        let counted = match self.kind {
            PawnKind::Any => own,
            PawnKind::Passed => {
                let others = pawns(!self.color);
                own & !behind(others | beside(others), self.color)
            }
            PawnKind::Isolated => {
                let files = behind(own, Color::White) | own | behind(own, Color::Black);
                own & !beside(files)
            }
            PawnKind::Doubled => own & behind(own, self.color),
        };
        self.bounds.contains(counted.count() as i64)
    }
}

/// All squares behind these on their files, as seen from this side.
fn behind(squares: Bitboard, color: Color) -> Bitboard {
    let mut behind = squares.0;
    for ranks in [8, 16, 32] {
        behind |= match color {
            Color::White => behind >> ranks,
            Color::Black => behind << ranks,
        };
    }
    beyond(Bitboard(behind), !color)
}

/// The squares beside these on the same rank.
fn beside(squares: Bitboard) -> Bitboard {
    let (a_file, h_file) = (Bitboard::from_file(File::A), Bitboard::from_file(File::H));
    Bitboard((squares & !a_file).0 >> 1 | (squares & !h_file).0 << 1)
}

/// The row with this name, regardless of letter case.
fn named<T: Copy>(rows: &[(&'static str, T)], text: &str) -> Option<(&'static str, T)> {
    rows.iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(text))
        .copied()
}

/// The largest number of pieces of a kind, where any number is allowed.
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
        // Without branches, so that the compiler can compare all sixteen at once.
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
        let are_on_both_sides = |kind: usize| first.counts[kind] > 0 && second.counts[kind] > 0;
        if (0..PAWN).any(are_on_both_sides) || more == [0; 6] {
            return Err(TermError::Imbalance);
        }
        Ok(match (first.color, second.color) {
            (Color::White, Color::Black) => vec![white],
            (Color::Black, Color::White) => vec![black],
            _ => vec![white, black],
        })
    }

    /// True if the numbers of pieces have this difference.
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
        // A side without letters could not be read.
        let is_one_sided = [1, -1]
            .iter()
            .any(|sign| self.more.iter().all(|more| sign * more >= 0));
        for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
            for (&(role, ..), more) in KINDS.iter().zip(self.more) {
                for _ in 0..sign * more {
                    write!(f, "{}", role.of(color).char())?;
                }
            }
            if self.has_pawns && (self.more[PAWN] == 0 || is_one_sided) {
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
    /// The side given by the case of the letters.
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

/// Reads a number at the start of the text, if there is one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb::board::{Fen, Undo};

    #[test]
    fn a_plain_board_excludes_no_position_of_a_state() {
        const STATES: [MoverState; 3] = [MoverState::Check, MoverState::Mate, MoverState::Stalemate];
        let mut random = testkit::Random(1);
        let [mut held, mut excluded] = [[0; 3]; 2];
        for start in [
            "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1",
            "8/8/8/8/8/p1k5/8/K1n5 w - - 0 1",
            "5rnk/6pp/8/8/1b6/8/PP3R2/K5Q1 w - - 0 1",
            "8/P1P1P3/8/k7/8/K7/1p1p1p2/8 b - - 0 1",
        ] {
            for _ in 0..200 {
                let (mut position, mut undo) = (Fen::parse(start).unwrap().position, Undo::default());
                for _ in 0..60 {
                    let board = PlainBoard::of(&position);
                    for (number, state) in STATES.into_iter().enumerate() {
                        let (holds, may_hold) = (state.holds(&position), state.may_hold_on(&board, &[]));
                        assert!(may_hold || !holds, "{state:?} {board:?}");
                        held[number] += u32::from(holds);
                        excluded[number] += u32::from(!may_hold);
                    }
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    position.advance(random.pick(&moves), &mut undo).unwrap();
                }
            }
        }
        assert!(held.iter().all(|&held| held > 10), "{held:?}");
        assert!(excluded.iter().all(|&excluded| excluded > 10_000), "{excluded:?}");
    }
}
