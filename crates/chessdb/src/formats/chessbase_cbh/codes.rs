//! The meaning of the bytes of moves (sections 8.1 to 8.4 and 8.7).
//!
//! Compact codes:
//!
//! ```text
//! code                               means
//! 0                                  null move
//! 1 to 8                             king one square: north, then clockwise, seen from White
//! 9, 10                              castling short, long
//! 11 to 38, 143 to 170, 171 to 198   queens 1 to 3
//! 39 to 52, 53 to 66, 199 to 212     rooks 1 to 3
//! 67 to 80, 81 to 94, 213 to 226     bishops 1 to 3
//! 95 to 102, 103 to 110, 227 to 234  knights 1 to 3
//! 111 + 4p, 112 + 4p                 pawn p (0 to 7) one, two squares
//! 113 + 4p, 114 + 4p                 pawn p takes to the player's right, left
//! 235                                a word follows
//! 236                                ignored
//! 254                                the position is kept
//! 255                                a line ends
//! ```
//!
//! Steps, as files and ranks modulo 8 (seven to the right is one to the left):
//!
//! - queen: (0,+i), (+i,0), (+i,+i), (+i,-i), each for i from 1 to 7; rooks have the first two, bishops the last two
//! - knight: (+2,+1), (+1,+2), (-1,+2), (-2,+1), (-2,-1), (-1,-2), (+1,-2), (+2,-1)
//!
//! A word has the from-square in bits 0-5, the target in 6-11, and in 12-13 a promotion: queen, rook, bishop, knight.
//! In simple words bit 14 ends the line and bit 15 keeps the position before the move.

use super::pieces::{Order, PAWNS, square};
use super::tables::{self, Table};
use crate::board::{CastlingSide, Role, Square};
use crate::bytes::be_u16;

/// A move as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Null,
    /// The king goes this number of files and ranks, modulo 8.
    King(u8, u8),
    Castle(CastlingSide),
    /// The piece in a slot goes this number of files and ranks, modulo 8. Both are reversed for Black's pawns.
    Step {
        slot: u8,
        files: u8,
        ranks: u8,
    },
    /// The squares of the move, and the promotion on the last rank.
    Squares {
        from: Square,
        to: Square,
        promotion: Role,
    },
}

/// The meaning of a code.
#[derive(Clone, Copy, Debug)]
enum Code {
    Move(Stored),
    /// Two bytes with the squares of the move follow.
    Squares,
    /// No meaning.
    Skip,
    /// The current position is kept for a variation.
    Push,
    /// A line ends.
    End,
    Unassigned,
}

/// One item of a game's bytes. In compact codes, it has one of the three parts; in simple words, it may have all of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// True if the position is kept. The line after the end of this line continues from it.
    pub(super) keeps_position: bool,
    pub(super) stored: Option<Stored>,
    pub(super) ends_line: bool,
}

impl Item {
    const NOTHING: Item = Item {
        keeps_position: false,
        stored: None,
        ends_line: false,
    };
}

/// A place in the bytes of a game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    /// The offset of the next byte.
    pub(super) at: u32,
    /// Number of moves before it, in all lines.
    pub(super) moves: u32,
    /// Number of positions that were kept before it.
    pub(super) kept: u32,
}

/// Why no item can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoItem {
    /// The bytes end.
    End,
    /// No move has this code.
    Unassigned(u8),
}

/// How moves are written.
pub(super) trait Encoding: Copy {
    /// Reads the item at the cursor, moves the cursor to the next item, and counts moves and kept positions.
    fn next(&self, bytes: &[u8], cursor: &mut Cursor) -> Result<Item, NoItem>;

    /// True if the main line may end without a mark.
    fn may_end_without_mark(&self) -> bool;
}

/// One byte a move, with few exceptions. The number of moves so far is subtracted from the byte; if `BEFORE` is true,
/// before it is translated with the table, otherwise after that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compact<const BEFORE: bool> {
    table: &'static Table,
}

/// Two bytes a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simple {
    table: &'static Table,
    before: bool,
    order: Order,
}

#[inline(always)]
fn translate(table: &Table, before: bool, byte: u8, moves: u32) -> u8 {
    let [moves, ..] = moves.to_le_bytes();
    let look_up = |byte: u8| table.get(usize::from(byte)).copied().unwrap_or(0);
    if before {
        look_up(byte.wrapping_sub(moves))
    } else {
        look_up(byte).wrapping_sub(moves)
    }
}

/// The word at a place, translated.
fn word(bytes: &[u8], at: u32, moves: u32, table: &Table, before: bool) -> Option<u16> {
    let bytes = be_u16(bytes, usize::try_from(at).ok()?)?.to_be_bytes();
    Some(u16::from_be_bytes(
        bytes.map(|byte| translate(table, before, byte, moves)),
    ))
}

/// The squares in the low bits of a word.
fn squares(word: u16) -> Option<(Square, Square)> {
    let [_, from] = (word & 63).to_be_bytes();
    let [_, to] = ((word >> 6) & 63).to_be_bytes();
    Some((square(from)?, square(to)?))
}

fn promotion(word: u16) -> Role {
    match (word >> 12) & 3 {
        0 => Role::Queen,
        1 => Role::Rook,
        2 => Role::Bishop,
        _ => Role::Knight,
    }
}

impl<const BEFORE: bool> Encoding for Compact<BEFORE> {
    #[inline(always)]
    fn next(&self, bytes: &[u8], cursor: &mut Cursor) -> Result<Item, NoItem> {
        let byte = usize::try_from(cursor.at).ok().and_then(|at| bytes.get(at));
        let code = translate(self.table, BEFORE, *byte.ok_or(NoItem::End)?, cursor.moves);
        cursor.at += 1;
        let stored = match CODES.get(usize::from(code)) {
            Some(Code::Move(stored)) => *stored,
            Some(Code::Squares) => {
                let word = word(bytes, cursor.at, cursor.moves, self.table, BEFORE).ok_or(NoItem::End)?;
                cursor.at += 2;
                let (from, to) = squares(word).ok_or(NoItem::Unassigned(code))?;
                let promotion = promotion(word);
                Stored::Squares { from, to, promotion }
            }
            Some(Code::Push) => {
                cursor.kept += 1;
                return Ok(Item {
                    keeps_position: true,
                    ..Item::NOTHING
                });
            }
            Some(Code::End) => {
                return Ok(Item {
                    ends_line: true,
                    ..Item::NOTHING
                });
            }
            Some(Code::Skip) => return Ok(Item::NOTHING),
            Some(Code::Unassigned) | None => return Err(NoItem::Unassigned(code)),
        };
        cursor.moves += 1;
        Ok(Item {
            stored: Some(stored),
            ..Item::NOTHING
        })
    }

    fn may_end_without_mark(&self) -> bool {
        false
    }
}

impl Encoding for Simple {
    fn next(&self, bytes: &[u8], cursor: &mut Cursor) -> Result<Item, NoItem> {
        let word = word(bytes, cursor.at, cursor.moves, self.table, self.before).ok_or(NoItem::End)?;
        let (from, to) = squares(word).ok_or(NoItem::End)?;
        let stored = match (from, to, self.order) {
            (Square::A1, Square::A1, _) => Stored::Null,
            (from, to, Order::Normal) => Stored::Squares {
                from,
                to,
                promotion: promotion(word),
            },
            (to, from, Order::Reverse) => Stored::Squares {
                from,
                to,
                promotion: promotion(word),
            },
        };
        let keeps_position = word & 0x8000 != 0;
        cursor.at += 2;
        cursor.moves += 1;
        cursor.kept += u32::from(keeps_position);
        Ok(Item {
            keeps_position,
            stored: Some(stored),
            ends_line: word & 0x4000 != 0,
        })
    }

    fn may_end_without_mark(&self) -> bool {
        true
    }
}

/// How a mode writes moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mode {
    Before(Compact<true>, Order),
    After(Compact<false>, Order),
    Simple(Simple),
}

impl Mode {
    /// A mode by its number; `None` for modes that are not supported.
    pub(super) fn numbered(number: u8) -> Option<Mode> {
        use Order::{Normal, Reverse};
        let before = |table, order| Mode::Before(Compact { table }, order);
        let after = |table, order| Mode::After(Compact { table }, order);
        let simple = |table, before, order| Mode::Simple(Simple { table, before, order });
        Some(match number {
            0 => before(&tables::MODE_0, Normal),
            1 => simple(&tables::MODE_1, true, Normal),
            2 => before(&tables::MODE_2, Reverse),
            3 => simple(&tables::MODE_3, true, Reverse),
            4 => after(&tables::MODE_4, Normal),
            5 => simple(&tables::MODE_5, false, Normal),
            6 => after(&tables::MODE_6, Reverse),
            7 => simple(&tables::MODE_7, false, Reverse),
            10 => after(&tables::MODE_10, Normal),
            11 => after(&tables::MODE_11, Reverse),
            _ => return None,
        })
    }
}

/// The starts of the lines, and the number of moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    /// For each kept position, the start of the line that continues from it.
    pub(super) lines: Vec<Option<Cursor>>,
    /// Number of moves in all lines.
    pub(super) moves: u32,
}

impl Outline {
    /// Reads all bytes of a game up to its end.
    pub(super) fn read(encoding: &impl Encoding, bytes: &[u8]) -> Outline {
        let mut outline = Outline::default();
        let mut kept = Vec::new();
        let mut cursor = Cursor::default();
        while let Ok(item) = encoding.next(bytes, &mut cursor) {
            outline.moves = cursor.moves;
            if item.keeps_position {
                kept.push(outline.lines.len());
                outline.lines.push(None);
            }
            if item.ends_line {
                let Some(number) = kept.pop() else { break };
                if let Some(line) = outline.lines.get_mut(number) {
                    *line = Some(cursor);
                }
            }
        }
        outline
    }
}

/// Number of moves in the main line, legal or not.
pub(super) fn main_line_len(encoding: &impl Encoding, bytes: &[u8]) -> u32 {
    let mut cursor = Cursor::default();
    while let Ok(item) = encoding.next(bytes, &mut cursor) {
        if item.ends_line {
            break;
        }
    }
    cursor.moves
}

/// The meaning of each code (section 8.4).
static CODES: [Code; 256] = codes();

// Evaluated at compile time.
#[allow(clippy::indexing_slicing)]
const fn codes() -> [Code; 256] {
    let mut codes = [Code::Unassigned; 256];
    codes[0] = Code::Move(Stored::Null);
    // Files and ranks are modulo 8, so 7 is one back.
    let king = [(0, 1), (1, 1), (1, 0), (1, 7), (0, 7), (7, 7), (7, 0), (7, 1)];
    let mut n = 0;
    while n < 8 {
        codes[1 + n] = Code::Move(Stored::King(king[n].0, king[n].1));
        n += 1;
    }
    codes[9] = Code::Move(Stored::Castle(CastlingSide::KingSide));
    codes[10] = Code::Move(Stored::Castle(CastlingSide::QueenSide));
    let (straight, diagonal) = ([(0, 1), (1, 0)], [(1, 1), (1, 7)]);
    let all = [(0, 1), (1, 0), (1, 1), (1, 7)];
    // Code of the first step, slot of the piece.
    let queens = [(11, 0), (143, 1), (171, 2)];
    let rooks = [(39, 3), (53, 4), (199, 5)];
    let bishops = [(67, 6), (81, 7), (213, 8)];
    let mut n = 0;
    while n < 3 {
        codes = sliding(codes, queens[n], &all);
        codes = sliding(codes, rooks[n], &straight);
        codes = sliding(codes, bishops[n], &diagonal);
        n += 1;
    }
    let jumps = [(2, 1), (1, 2), (7, 2), (6, 1), (6, 7), (7, 6), (1, 6), (2, 7)];
    let knights = [(95, 9), (103, 10), (227, 11)];
    let mut n = 0;
    while n < 24 {
        let (first, slot) = knights[n / 8];
        codes[first + n % 8] = step(slot, jumps[n % 8]);
        n += 1;
    }
    let pawn = [(0, 1), (0, 2), (1, 1), (7, 1)];
    let mut n = 0;
    let mut slot = PAWNS;
    while n < 32 {
        codes[111 + n] = step(slot, pawn[n % 4]);
        n += 1;
        if n % 4 == 0 {
            slot += 1;
        }
    }
    codes[235] = Code::Squares;
    codes[236] = Code::Skip;
    codes[254] = Code::Push;
    codes[255] = Code::End;
    codes
}

const fn step(slot: u8, (files, ranks): (u8, u8)) -> Code {
    Code::Move(Stored::Step { slot, files, ranks })
}

/// Adds the steps of a piece: one to seven squares in each direction.
// Evaluated at compile time, too.
#[allow(clippy::indexing_slicing)]
const fn sliding(mut codes: [Code; 256], (first, slot): (usize, u8), directions: &[(u8, u8)]) -> [Code; 256] {
    let mut place = first;
    let mut n = 0;
    while n < directions.len() {
        let mut len = 1;
        while len < 8 {
            let (files, ranks) = directions[n];
            codes[place] = step(slot, ((files * len) & 7, (ranks * len) & 7));
            place += 1;
            len += 1;
        }
        n += 1;
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::super::pieces::first_slot;
    use super::*;

    #[test]
    fn codes_have_their_places() {
        let meaning = |code: usize| match CODES[code] {
            Code::Move(stored) => Some(stored),
            _ => None,
        };
        let step = |slot, files, ranks| Some(Stored::Step { slot, files, ranks });
        assert_eq!(meaning(8), Some(Stored::King(7, 1)));
        assert_eq!(meaning(38), step(0, 7, 1));
        assert_eq!(meaning(59), step(4, 0, 7));
        assert_eq!(meaning(66), step(4, 7, 0));
        assert_eq!(meaning(94), step(7, 7, 1));
        assert_eq!(meaning(110), step(10, 2, 7));
        assert_eq!(meaning(114), step(PAWNS, 7, 1));
        assert_eq!(meaning(139), step(PAWNS + 7, 0, 1));
        assert_eq!(meaning(198), step(2, 7, 1));
        assert_eq!(meaning(234), step(11, 2, 7));
        let unassigned = (0..=255).filter(|&code: &usize| matches!(CODES[code], Code::Unassigned));
        assert!(unassigned.eq(237..=253));
    }

    #[test]
    fn first_slots_are_those_of_the_codes() {
        let first = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn].map(first_slot);
        assert_eq!(first, [0, 3, 6, 9, PAWNS].map(Some));
    }
}
