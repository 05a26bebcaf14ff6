//! Set-up positions: 33 bytes at the end of a record (section 9).
//!
//! Bytes 0 to 31 hold two squares each, a1 b1 .. h1, a2 .. h8, upper nibble first: 0 empty, 1 to 6 king, queen,
//! knight, bishop, rook, pawn, 8 more for Black. Byte 32 is the number of the first move less 1.

use super::header::Header;
use crate::board::{Bitboard, Color, Fen, Move, Position, Rank, Role, Setup, SetupError, Square};

/// Bytes of a position.
pub(super) const SIZE: usize = 33;

/// A stored position.
pub(super) struct StoredPosition {
    /// The board and the rest of the set-up, with castling rights by section 9.1.
    pub(super) setup: Setup,
    /// The position, or why no game can be played from it.
    pub(super) position: Result<Position, SetupError>,
    /// Number of the first move.
    pub(super) first_move: u32,
    /// Offset in the position of the first byte with an undefined piece.
    pub(super) invalid_at: Option<usize>,
    /// True if bytes are missing; the missing squares are empty.
    pub(super) is_cut: bool,
}

impl StoredPosition {
    /// Reads a position; `bytes` may be incomplete.
    pub(super) fn read(bytes: &[u8], header: &Header) -> StoredPosition {
        let mut setup = Setup::empty();
        setup.turn = header.set_up_turn();
        let mut invalid_at = None;
        let mut squares = Square::ALL.into_iter();
        for (at, byte) in bytes.iter().take(SIZE - 1).enumerate() {
            for (nibble, square) in [byte >> 4, byte & 15].into_iter().zip(squares.by_ref().take(2)) {
                match piece(nibble) {
                    Some((color, role)) => setup.board.set_piece_at(square, role.of(color)),
                    None if nibble == 0 => {}
                    None => invalid_at = invalid_at.or(Some(at)),
                }
            }
        }
        let first_move = bytes.get(SIZE - 1).map_or(1, |&number| u32::from(number) + 1);
        setup.fullmoves = first_move.try_into().unwrap_or(setup.fullmoves);
        setup.castling_rights = castling_rights(&setup, header);
        setup.ep_square = en_passant_square(&setup, header.set_up_file());
        let mut position = Position::from_setup(&setup);
        if let Some(square) = setup.ep_square
            && !position
                .as_ref()
                .is_ok_and(|position| can_take_en_passant(position, square))
        {
            setup.ep_square = None;
            position = Position::from_setup(&setup);
        }
        StoredPosition {
            position,
            setup,
            first_move,
            invalid_at,
            is_cut: bytes.len() < SIZE,
        }
    }

    /// True if a game can be played from the position.
    pub(super) fn is_playable(&self) -> bool {
        self.position.is_ok() && !self.is_cut
    }

    /// The position as FEN.
    pub(super) fn fen(&self) -> String {
        Fen::text(&self.setup)
    }
}

fn piece(nibble: u8) -> Option<(Color, Role)> {
    let color = Color::from_white(nibble < 8);
    let role = match nibble & 7 {
        1 => Role::King,
        2 => Role::Queen,
        3 => Role::Knight,
        4 => Role::Bishop,
        5 => Role::Rook,
        6 => Role::Pawn,
        _ => return None,
    };
    Some((color, role))
}

/// The castling rights in the header whose king and rook are on their home squares.
fn castling_rights(setup: &Setup, header: &Header) -> Bitboard {
    const ROOKS: [(Color, Square, Square); 4] = [
        (Color::White, Square::E1, Square::A1),
        (Color::White, Square::E1, Square::H1),
        (Color::Black, Square::E8, Square::A8),
        (Color::Black, Square::E8, Square::H8),
    ];
    let mut rights = Bitboard::EMPTY;
    for (has_right, (color, king, rook)) in header.set_up_rights().into_iter().zip(ROOKS) {
        let at_home = |square, role: Role| setup.board.piece_at(square) == Some(role.of(color));
        if has_right && at_home(king, Role::King) && at_home(rook, Role::Rook) {
            rights.add(rook);
        }
    }
    rights
}

/// The square behind the pawn on the stored file 1 to 8, if the pawn can have made a double step.
fn en_passant_square(setup: &Setup, file: u8) -> Option<Square> {
    let file = u32::from(file.checked_sub(1)?).try_into().ok()?;
    let square = Square::from_coords(file, setup.turn.relative_rank(Rank::Sixth));
    let forward = setup.turn.fold_wb(8, -8);
    let pawn = Role::Pawn.of(!setup.turn);
    let is_free = |square| setup.board.piece_at(square).is_none();
    let is_double_step = setup.board.piece_at(square.offset(-forward)?) == Some(pawn)
        && is_free(square)
        && is_free(square.offset(forward)?);
    is_double_step.then_some(square)
}

/// True if a pawn can legally capture a pawn that skipped `square`.
fn can_take_en_passant(position: &Position, square: Square) -> bool {
    let pawns = position.of_kind(position.turn(), Role::Pawn) & !Bitboard::from_file(square.file());
    pawns
        .into_iter()
        .any(|from| position.test(Move::normal(from, square)).is_ok())
}
