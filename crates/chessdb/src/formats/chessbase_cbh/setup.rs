//! Start positions (section 7.2).
//!
//! ```text
//! byte
//! 1        bits 0-3: file of the pawn to take en passant, from 1, 0 for none; bit 4: Black begins
//! 2        castling rights: bit 0 White long, 1 White short, 2 Black long, 3 Black short
//! 3        number of the first move, 0 for 1
//! 4 to 27  the squares in order, from the highest bit on
//! ```
//!
//! A bit `0` is an empty square; a piece is `1`, a colour bit (1 is Black), and three bits: 1 king, 2 queen, 3 knight,
//! 4 bishop, 5 rook, 6 pawn.

use super::pieces::square;
use super::record::{ROOKS, Record, START};
use crate::board::{Bitboard, Color, Fen, File, Position, Rank, Role, Setup, SetupError, Square};
use crate::formats::chessbase_common::setup::with_files_of_rooks;
use crate::replay::castling::rooks_without_right;

/// The start position of a game.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) position: Position,
    pub(super) first_move: u32,
    /// Set if no game can be played from the position.
    pub(super) flaw: Option<SetupError>,
    /// True if the squares of kings and rooks in a game of Chess960 are impossible, so that neither side may castle.
    pub(super) has_wrong_rooks: bool,
    /// True if it has castling rights that are not stored.
    pub(super) has_added_rights: bool,
    /// The FEN of an unusual position.
    fen: Option<String>,
}

impl Start {
    /// The start of a record's game.
    pub(super) fn of(record: &Record<'_>) -> Start {
        match record.start {
            Some(start) => Start::read(*start, record.rooks.copied()),
            None => Start {
                position: Position::initial(),
                first_move: 1,
                flaw: None,
                has_wrong_rooks: false,
                has_added_rights: false,
                fen: None,
            },
        }
    }

    /// The rooks that are on their home squares, like their king, but have no stored right to castle. Always empty in
    /// Chess960.
    pub(super) fn rooks_without_right(&self, record: &Record<'_>) -> Bitboard {
        if record.start.is_none() || record.rooks.is_some() || self.flaw.is_some() {
            return Bitboard::EMPTY;
        }
        rooks_without_right(&self.position)
    }

    /// The same position with the rights of further rooks to castle.
    pub(super) fn with_rights(&self, rooks: Bitboard) -> Start {
        let mut setup = self.position.setup();
        setup.castling_rights |= rooks;
        Start {
            has_added_rights: true,
            ..Start::with(setup, self.first_move)
        }
    }

    /// FEN for the tag; `None` if the position is the usual one, or if no game can be played from it.
    pub(super) fn fen(&self) -> Option<&str> {
        self.fen.as_deref().filter(|_| self.flaw.is_none())
    }

    /// FEN of a position that no game can be played from.
    pub(super) fn flawed_fen(&self) -> &str {
        self.fen.as_deref().unwrap_or_default()
    }

    fn read(start: [u8; START], rooks: Option<[u8; ROOKS]>) -> Start {
        let [_, flags, rights, number, ..] = start;
        let mut setup = Setup::empty();
        setup.turn = match flags & 0x10 {
            0 => Color::White,
            _ => Color::Black,
        };
        read_pieces(&start, &mut setup);
        if let Some(file) = u32::from(flags & 15).checked_sub(1)
            && let Ok(file) = File::try_from(file)
        {
            setup.ep_square = Some(Square::from_coords(
                file,
                setup.turn.fold_wb(Rank::Sixth, Rank::Third),
            ));
        }
        let castling = match &rooks {
            Some(squares) => chess960_rooks(&setup, rights, squares),
            None => Some(classical_rooks(&setup, rights)),
        };
        setup.castling_rights = castling.unwrap_or_default();
        let stored = setup.castling_rights;
        let start = Start::with(setup, u32::from(number).max(1));
        let rights = match start.flaw {
            None => start.position.setup().castling_rights,
            Some(_) => stored,
        };
        Start {
            fen: match rooks {
                Some(_) => start.fen.map(|fen| with_files_of_rooks(&fen, rights)),
                None => start.fen,
            },
            has_wrong_rooks: castling.is_none(),
            ..start
        }
    }

    fn with(setup: Setup, first_move: u32) -> Start {
        let (position, flaw) = match Position::from_setup(&setup) {
            Ok(position) => (position, None),
            Err(flaw) => (Position::unplayable(&setup), Some(flaw)),
        };
        let mut shown = match flaw {
            None => position.setup(),
            Some(_) => setup,
        };
        if let Some(number) = std::num::NonZeroU32::new(first_move) {
            shown.fullmoves = number;
        }
        Start {
            position,
            first_move,
            flaw,
            has_wrong_rooks: false,
            has_added_rights: false,
            fen: Some(Fen::text(&shown)),
        }
    }
}

/// Reads the pieces, square by square: 0 for an empty square, otherwise 1, a bit for the colour and three for the kind.
fn read_pieces(start: &[u8; START], setup: &mut Setup) {
    let bits = start.iter().skip(4);
    let mut bits = bits.flat_map(|&byte| (0..8).rev().map(move |bit| (byte >> bit) & 1));
    let mut next = || bits.next().unwrap_or(0);
    for square in (0..64).filter_map(square) {
        if next() == 0 {
            continue;
        }
        let color = match next() {
            0 => Color::White,
            _ => Color::Black,
        };
        let role = match (next() << 2) | (next() << 1) | next() {
            1 => Role::King,
            2 => Role::Queen,
            3 => Role::Knight,
            4 => Role::Bishop,
            5 => Role::Rook,
            6 => Role::Pawn,
            _ => continue,
        };
        setup.board.set_piece_at(square, role.of(color));
    }
}

/// The rooks with a right that are in their corner while their king is on its home square. Each corner has a bit of
/// `rights`, from the lowest on.
fn classical_rooks(setup: &Setup, rights: u8) -> Bitboard {
    const ROOKS: [(Color, Square, Square); 4] = [
        (Color::White, Square::E1, Square::A1),
        (Color::White, Square::E1, Square::H1),
        (Color::Black, Square::E8, Square::A8),
        (Color::Black, Square::E8, Square::H8),
    ];
    let has = |square, piece| setup.board.piece_at(square) == Some(piece);
    let of_bits = ROOKS.into_iter().enumerate();
    let rooks = of_bits.filter(|(bit, (color, king, rook))| {
        (rights >> bit) & 1 != 0 && has(*king, color.king()) && has(*rook, color.rook())
    });
    rooks.fold(Bitboard::EMPTY, |rooks, (_, (_, _, rook))| rooks.with(rook))
}

/// The rooks that may castle in Chess960; `None` if a square does not exist, as ChessBase gives no castling then, or a
/// right's king or rook is not on its stored square (section 7.3).
fn chess960_rooks(setup: &Setup, rights: u8, squares: &[u8; ROOKS]) -> Option<Bitboard> {
    let [
        white_king,
        black_king,
        white_short,
        white_long,
        black_short,
        black_long,
        ..,
    ] = squares.map(square);
    let [white_king, black_king] = [white_king?, black_king?];
    let castling = [
        (Color::White, white_king, white_long?),
        (Color::White, white_king, white_short?),
        (Color::Black, black_king, black_long?),
        (Color::Black, black_king, black_short?),
    ];
    let mut rooks = Bitboard::EMPTY;
    for (bit, (color, king, rook)) in castling.into_iter().enumerate() {
        if (rights >> bit) & 1 == 0 {
            continue;
        }
        let is_at_home = |square: Square, piece| {
            square.rank() == color.backrank() && setup.board.piece_at(square) == Some(piece)
        };
        if !is_at_home(king, color.king()) || !is_at_home(rook, color.rook()) || rooks.contains(rook) {
            return None;
        }
        rooks.add(rook);
    }
    Some(rooks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A start with the given pieces, in the order of ChessBase's squares.
    fn start(head: [u8; 4], pieces: &[(u8, u8)]) -> [u8; START] {
        let mut bits = Vec::new();
        for square in 0..64 {
            match pieces.iter().find(|(place, _)| *place == square) {
                Some((_, piece)) => bits.extend((0..5).rev().map(|bit| (piece >> bit) & 1)),
                None => bits.push(0),
            }
        }
        let mut start = [0; START];
        start[..4].copy_from_slice(&head);
        for (place, bit) in bits.into_iter().enumerate() {
            start[4 + place / 8] |= bit << (7 - place % 8);
        }
        start
    }

    const KINGS: [(u8, u8); 2] = [(32, 0b10001), (39, 0b11001)];

    #[test]
    fn positions_are_read_file_by_file() {
        let mut pieces = KINGS.to_vec();
        // A rook on a1, and a pawn that has just gone to e4.
        pieces.extend([(0, 0b10101), (35, 0b10110)]);
        let read = Start::read(start([1, 0x15, 1, 20], &pieces), None);
        assert_eq!(read.fen(), Some("4k3/8/8/8/4P3/8/8/R3K3 b Q e3 0 20"));
        assert_eq!(read.first_move, 20);
        // White's king is on d1, so only Black may castle.
        let rooks = [(0, 0b10101), (56, 0b10101), (7, 0b11101), (63, 0b11101)];
        let pieces = [&[(24, 0b10001), (39, 0b11001)][..], &rooks].concat();
        let read = Start::read(start([1, 0, 15, 1], &pieces), None);
        assert_eq!(read.fen(), Some("r3k2r/8/8/8/8/8/8/R2K3R w kq - 0 1"));
        let read = Start::read(start([1, 0, 0, 0], &[(32, 0b10001)]), None);
        assert_eq!(read.flaw, Some(SetupError::Kings));
        assert_eq!(read.fen(), None);
    }

    #[test]
    fn rooks_of_chess960_have_their_files() {
        let mut pieces = KINGS.to_vec();
        pieces.extend([(48, 0b10101), (56, 0b10101), (55, 0b11101)]);
        let squares = [32, 39, 48, 0, 55, 7, 0, 253];
        let read = Start::read(start([1, 0, 0b1010, 1], &pieces), Some(squares));
        assert_eq!(read.fen(), Some("4k1r1/8/8/8/8/8/8/4K1RR w Gg - 0 1"));
        // In Chess960 no right is missing, even if a rook is on its home square.
        let record = |rooks| Record {
            offset: 0,
            mode: 10,
            start: Some(&[0; START]),
            rooks,
            moves: &[],
            moves_at: 0,
            is_cut: false,
        };
        let other = Bitboard::from_square(Square::H1);
        assert_eq!(read.rooks_without_right(&record(None)), other);
        assert_eq!(read.rooks_without_right(&record(Some(&squares))), Bitboard::EMPTY);
        // Without a right, a square need not have a rook, but it must exist.
        for (square, is_wrong) in [(1, false), (63, false), (64, true), (255, true)] {
            let unused = [32, 39, 48, square, 55, 7, 0, 253];
            let read = Start::read(start([1, 0, 0b1010, 1], &pieces), Some(unused));
            assert_eq!(read.has_wrong_rooks, is_wrong, "{square}");
            let rights = if is_wrong { "-" } else { "Gg" };
            let fen = format!("4k1r1/8/8/8/8/8/8/4K1RR w {rights} - 0 1");
            assert_eq!(read.fen(), Some(&*fen), "{square}");
        }
        let wrong = [32, 39, 48, 0, 115, 7, 0, 253];
        let read = Start::read(start([1, 0, 0b1010, 1], &pieces), Some(wrong));
        assert!(read.has_wrong_rooks);
        assert_eq!(read.fen(), Some("4k1r1/8/8/8/8/8/8/4K1RR w - - 0 1"));
    }
}
