//! Set-up positions (section 6.7).
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 36 | square and kind of White's pieces 0 to 17; 8, 0 if there is no such piece |
//! | 36 | 36 | the same for Black |
//! | 72 | 2 | plies before the position |
//! | 74 | 1 | castling: 1 White short, 2 White long, 4 Black short, 8 Black long |
//! | 75 | 1 | square onto which a pawn may take en passant, 0 none |

use std::borrow::Cow;
use std::num::NonZeroU32;

use super::codes::{Code, read};
use super::pieces::{NUMBERS, Pieces};
use crate::board::{Bitboard, Color, Fen, Move, Position, Rank, Role, Setup, Square};
use crate::bytes::le_u16;

const PLIES: usize = 72;
const CASTLING: usize = 74;
const EN_PASSANT: usize = 75;

/// The pair for a missing piece.
const ABSENT: [u8; 2] = [8, 0];

/// The rooks for the bits of the castling byte, from the lowest bit on.
const ROOKS: [(Color, Square); 4] = [
    (Color::White, Square::H1),
    (Color::White, Square::A1),
    (Color::Black, Square::H8),
    (Color::Black, Square::A8),
];

/// The start of a game.
pub(super) struct Start {
    pub(super) position: Position,
    pub(super) pieces: Pieces,
    pub(super) first_move: u32,
    /// `None` for the normal start position.
    pub(super) fen: Option<String>,
}

/// A set-up position that no game can be played from.
pub(super) struct Refused;

impl Start {
    pub(super) fn normal() -> Start {
        Start {
            position: Position::initial(),
            pieces: Pieces::initial(),
            first_move: 1,
            fen: None,
        }
    }
}

/// The place and the bytes of a record's set-up position. Only comments may come before it.
pub(super) fn find(codes: &[u8]) -> Option<(usize, &[u8])> {
    let mut at = 0;
    loop {
        match read(codes, at) {
            Ok(Some((Code::SetUp(bytes), _))) => return Some((at, bytes)),
            Ok(Some((Code::Comment(_) | Code::Mark, size))) => at += size,
            _ => return None,
        }
    }
}

/// Reads a set-up position.
///
/// # Errors
/// If no game can start there, with the reason.
pub(super) fn start(bytes: &[u8]) -> Result<Start, Cow<'static, str>> {
    let (mut setup, pieces) = pieces(bytes)?;
    let plies = le_u16(bytes, PLIES).unwrap_or(0);
    let turn = if plies.is_multiple_of(2) {
        Color::White
    } else {
        Color::Black
    };
    let first_move = u32::from(plies / 2) + 1;
    setup.turn = turn;
    setup.fullmoves = NonZeroU32::new(first_move).unwrap_or(NonZeroU32::MIN);
    setup.castling_rights = rights(&setup, bytes.get(CASTLING).copied().unwrap_or(0));
    setup.ep_square = bytes.get(EN_PASSANT).and_then(|&byte| match byte {
        0 => None,
        byte => square(byte),
    });
    let position = Position::from_setup(&setup).map_err(|error| Cow::Owned(error.to_string()))?;
    setup.ep_square = position
        .en_passant()
        .filter(|&target| can_take(&position, target));
    let is_normal = plies == 0 && setup == Setup::initial();
    Ok(Start {
        position,
        pieces,
        first_move,
        fen: (!is_normal).then(|| Fen::text(&setup)),
    })
}

/// All pieces, on the board and by number.
fn pieces(bytes: &[u8]) -> Result<(Setup, Pieces), &'static str> {
    let mut setup = Setup::empty();
    let mut pieces = Pieces::empty();
    let (pairs, _) = bytes.as_chunks::<2>();
    let numbers = [Color::White, Color::Black]
        .into_iter()
        .flat_map(|color| (0..NUMBERS).map(move |number| (color, number)));
    for ((color, number), &pair) in numbers.zip(pairs) {
        if pair == ABSENT {
            continue;
        }
        let [place, kind] = pair;
        let square = square(place).ok_or("a piece is outside the board")?;
        let role = match kind {
            1 => Role::Pawn,
            2 => Role::Knight,
            3 => Role::Bishop,
            4 => Role::Rook,
            5 => Role::Queen,
            6 => Role::King,
            _ => return Err("a piece is of no known kind"),
        };
        if setup.board.occupied().contains(square) {
            return Err("two pieces stand on one square");
        }
        setup.board.set_piece_at(square, role.of(color));
        pieces.place(color, number, square);
    }
    Ok((setup, pieces))
}

/// A square: rank in the high four bits, file in the low ones.
fn square(byte: u8) -> Option<Square> {
    (byte & 0x88 == 0).then(|| Square::new(u32::from(byte >> 1 & 0o70 | byte & 7)))
}

/// Rooks with the castling right that are in their corner, with the king on its home square.
fn rights(setup: &Setup, byte: u8) -> Bitboard {
    let board = &setup.board;
    let bits = ROOKS.into_iter().enumerate();
    let given = bits.filter(|(bit, _)| byte >> bit & 1 == 1);
    given
        .filter(|(_, (color, rook))| {
            let king = color.fold_wb(Square::E1, Square::E8);
            board.piece_at(king) == Some(color.king()) && board.piece_at(*rook) == Some(color.rook())
        })
        .map(|(_, (_, rook))| rook)
        .collect()
}

/// True if a pawn can legally capture en passant.
fn can_take(position: &Position, target: Square) -> bool {
    let rank = position.turn().relative_rank(Rank::Fifth);
    let pawns = position.of_kind(position.turn(), Role::Pawn) & Bitboard::from_rank(rank);
    pawns
        .into_iter()
        .any(|from| from.file() != target.file() && position.test(Move::normal(from, target)).is_ok())
}
