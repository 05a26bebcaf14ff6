//! Words of moves (section 4.2): every move of every piece on an empty board has its own.

use crate::writers::steps::{BISHOP, KING, KNIGHT, ROOK};
use std::collections::HashMap;
use std::sync::LazyLock;

use shakmaty::{CastlingSide, Color, File, Move, Rank, Role, Square};

/// Null move.
pub const NULL: u16 = 0xfffa;
/// The start position follows.
pub const START: u16 = 0xfffb;
/// The moves follow.
pub const MOVES: u16 = 0xfffc;
/// The move before has an alternative that comes later.
pub const KEEP: u16 = 0xfffd;
/// The end of a line.
pub const END: u16 = 0xffff;

/// The first word of castling, and of castling in Chess960.
const CASTLING: u16 = 0xb129;
const CHESS960: u16 = 0xb12d;

/// The piece that is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Taken {
    Nothing,
    Piece(Role),
    EnPassant,
}

/// A move that a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    pub color: Color,
    pub role: Role,
    pub from: Square,
    pub to: Square,
    pub promotion: Option<Role>,
    pub taken: Taken,
}

/// The words of a movetext as bytes.
pub fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The word of a legal move. `chess960` is the number of the start position in Chess960, 0 if it has none.
///
/// # Errors
/// A move that is not one of chess.
pub fn word(color: Color, mv: Move, chess960: Option<u16>) -> Result<u16, String> {
    static WORDS: LazyLock<HashMap<Named, u16>> = LazyLock::new(|| all().into_iter().zip(1..).collect());
    let named = match mv {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(rook > king);
            let number = 2 * color.fold_wb(0, 1) + u16::from(side.is_king_side());
            return Ok(match chess960 {
                Some(start) => CHESS960 + 4 * start + number,
                None => CASTLING + number,
            });
        }
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => Named {
            color,
            role,
            from,
            to,
            promotion,
            taken: capture.map_or(Taken::Nothing, Taken::Piece),
        },
        Move::EnPassant { from, to } => Named {
            color,
            role: Role::Pawn,
            from,
            to,
            promotion: None,
            taken: Taken::EnPassant,
        },
        Move::Put { .. } => return Err("a piece that is put on the board".to_owned()),
    };
    let word = WORDS.get(&named);
    word.copied().ok_or_else(|| format!("no word names {named:?}"))
}

/// A square by its number: file by file.
pub fn square(number: u32) -> Square {
    Square::from_coords(File::new(number >> 3), Rank::new(number & 7))
}

/// The number of a square.
pub fn number_of(square: Square) -> u16 {
    let [file, rank] = [u32::from(square.file()), u32::from(square.rank())];
    8 * file as u16 + rank as u16
}

/// Pieces in the order of their words.
const PIECES: [Role; 5] = [Role::King, Role::Queen, Role::Knight, Role::Bishop, Role::Rook];
/// The pieces that pawns promote to, and the pieces that can be captured with a promotion.
const OFFICERS: [Role; 4] = [Role::Queen, Role::Knight, Role::Bishop, Role::Rook];

/// The moves that words from 1 on name, without castling.
pub fn all() -> Vec<Named> {
    let mut all = Vec::new();
    for color in Color::ALL {
        for role in PIECES {
            for from in (0..64).map(square) {
                append_piece(color, role, from, &mut all);
            }
        }
    }
    for color in Color::ALL {
        for from in (0..64).map(square) {
            if !matches!(from.rank(), Rank::First | Rank::Eighth) {
                append_pawn(color, from, &mut all);
            }
        }
    }
    all
}

fn append_piece(color: Color, role: Role, from: Square, all: &mut Vec<Named>) {
    let (directions, furthest) = match role {
        Role::King => (KING.to_vec(), 1),
        Role::Knight => (KNIGHT.to_vec(), 1),
        Role::Bishop => (BISHOP.to_vec(), 7),
        Role::Rook => (ROOK.to_vec(), 7),
        _ => ([BISHOP, ROOK].concat(), 7),
    };
    for (files, ranks) in directions {
        for step in 1..=furthest {
            let Some(to) = beside(from, files * step, ranks * step) else {
                break;
            };
            let pieces = OFFICERS.into_iter().chain([Role::Pawn]).map(Taken::Piece);
            all.extend([Taken::Nothing].into_iter().chain(pieces).map(|taken| Named {
                color,
                role,
                from,
                to,
                promotion: None,
                taken,
            }));
        }
    }
}

fn append_pawn(color: Color, from: Square, all: &mut Vec<Named>) {
    let forward = color.fold_wb(1, -1);
    let promotes = from.rank() == color.fold_wb(Rank::Seventh, Rank::Second);
    let mut add = |to, promotion, taken| {
        all.push(Named {
            color,
            role: Role::Pawn,
            from,
            to,
            promotion,
            taken,
        });
    };
    let step = beside(from, 0, forward);
    let double =
        beside(from, 0, 2 * forward).filter(|_| from.rank() == color.fold_wb(Rank::Second, Rank::Seventh));
    match step {
        Some(to) if promotes => OFFICERS
            .iter()
            .for_each(|&role| add(to, Some(role), Taken::Nothing)),
        _ => double
            .into_iter()
            .chain(step)
            .for_each(|to| add(to, None, Taken::Nothing)),
    }
    for to in [-1, 1]
        .into_iter()
        .filter_map(|files| beside(from, files, forward))
    {
        if promotes {
            for taken in OFFICERS.map(Taken::Piece) {
                OFFICERS.iter().for_each(|&role| add(to, Some(role), taken));
            }
            continue;
        }
        let pieces = OFFICERS.into_iter().chain([Role::Pawn]);
        pieces.for_each(|taken| add(to, None, Taken::Piece(taken)));
        if from.rank() == color.fold_wb(Rank::Fifth, Rank::Fourth) {
            add(to, None, Taken::EnPassant);
        }
    }
}

/// The square that is this number of files and ranks away; `None` if it is not on the board.
fn beside(from: Square, files: i32, ranks: i32) -> Option<Square> {
    let file = u32::from(from.file()).checked_add_signed(files)?;
    let rank = u32::from(from.rank()).checked_add_signed(ranks)?;
    (file < 8 && rank < 8).then(|| square(8 * file + rank))
}
