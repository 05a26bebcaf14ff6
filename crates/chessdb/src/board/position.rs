//! A position: the pieces on the board and the other state that the rules need.

use std::sync::LazyLock;

use shakmaty::attacks;

use super::geometry::{reach, with_free_path};
use super::packed::PackedPiece;
use super::{Bitboard, CastlingSide, Color, File, Piece, Role, Square};

/// The pieces on the board, the side to move, the castling rights and the en passant square.
///
/// A position has at most one piece on each square. A king may be missing after [`Position::play`] played an
/// illegal move. Nothing panics then, and a side without a king is never in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The contents of each square.
    pub(super) pieces: [PackedPiece; 64],
    /// The squares of each role and colour; index 0 is for empty squares, so that no test is needed.
    pub(super) by_kind: [Bitboard; PackedPiece::KINDS],
    /// The squares of each colour.
    pub(super) by_color: [Bitboard; 2],
    /// Rooks that still have the right to castle.
    pub(super) castling: Bitboard,
    /// Pieces that give check to the side to move.
    pub(super) checkers: Bitboard,
    pub(super) turn: Color,
    /// The square that a pawn skipped in the last move.
    pub(super) en_passant: Option<Square>,
    /// False if the side that is not to move may be in check, because an illegal move was played.
    pub(super) sound: bool,
}

impl Default for Position {
    fn default() -> Position {
        Position::initial()
    }
}

impl Position {
    /// The normal start position, which is also the default.
    pub fn initial() -> Position {
        static INITIAL: LazyLock<Position> = LazyLock::new(|| {
            Position::from_pieces(&shakmaty::Board::new(), Color::White, Bitboard::CORNERS, None)
        });
        *INITIAL
    }

    /// A position from these pieces, which is not tested.
    pub(super) fn from_pieces(
        board: &shakmaty::Board,
        turn: Color,
        castling: Bitboard,
        en_passant: Option<Square>,
    ) -> Position {
        let mut position = Position {
            pieces: [PackedPiece::NONE; 64],
            by_kind: [Bitboard::EMPTY; PackedPiece::KINDS],
            by_color: [Bitboard::EMPTY; 2],
            castling,
            checkers: Bitboard::EMPTY,
            turn,
            en_passant,
            sound: true,
        };
        for (square, piece) in board.clone() {
            position.set(square, PackedPiece::new(piece.color, piece.role));
        }
        position.checkers = position.checks_on(turn);
        position
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// All pieces of a colour.
    ///
    /// ```
    /// use chessdb::board::{Color, Position, Role};
    ///
    /// let start = Position::initial();
    /// assert_eq!(start.pieces(Color::White).count(), 16);
    /// assert_eq!(start.of_kind(Color::White, Role::Pawn).count(), 8);
    /// ```
    #[inline]
    pub fn pieces(&self, color: Color) -> Bitboard {
        self.by_color[color as usize]
    }

    /// The pieces of one kind and colour.
    #[inline]
    pub fn of_kind(&self, color: Color, role: Role) -> Bitboard {
        self.by_kind[PackedPiece::new(color, role).index()]
    }

    /// Bishops, rooks and queens of a colour.
    #[inline]
    pub(super) fn sliders(&self, color: Color) -> Bitboard {
        self.of_kind(color, Role::Bishop) | self.of_kind(color, Role::Rook) | self.of_kind(color, Role::Queen)
    }

    /// The king's square; `None` if it was captured by an illegal move.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.of_kind(color, Role::King).first()
    }

    /// The king's square as an index, 64 without a king.
    #[inline]
    pub(super) fn king_index(&self, color: Color) -> usize {
        self.of_kind(color, Role::King).0.trailing_zeros() as usize
    }

    /// The contents of a square.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.packed_at(square).role()
    }

    /// The colour of the piece on a square.
    pub fn color_at(&self, square: Square) -> Option<Color> {
        self.packed_at(square).color()
    }

    /// The piece on a square.
    ///
    /// ```
    /// use chessdb::board::{Color, Position, Role, Square};
    ///
    /// let start = Position::initial();
    /// assert_eq!(start.piece_at(Square::D8), Some(Role::Queen.of(Color::Black)));
    /// assert_eq!(start.piece_at(Square::D5), None);
    /// ```
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let packed = self.packed_at(square);
        packed
            .role()
            .zip(packed.color())
            .map(|(role, color)| role.of(color))
    }

    #[inline]
    pub(super) fn packed_at(&self, square: Square) -> PackedPiece {
        self.pieces[square as usize]
    }

    /// Rooks of both sides that still have the right to castle.
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The square that a pawn skipped in the last move, whether or not it can be captured there.
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// True if the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// True if the side to move is in check and has no legal move.
    ///
    /// ```
    /// use chessdb::board::Fen;
    ///
    /// let mate = Fen::parse("4R1k1/5ppp/8/8/8/8/8/4K3 b - - 0 1").unwrap().position;
    /// assert!(mate.is_checkmate());
    /// ```
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && !self.has_evasion()
    }

    /// The rook for castling to `side` by the side to move, whether or not castling is possible now.
    pub fn castling_rook(&self, side: CastlingSide) -> Option<Square> {
        self.castling_rook_of(self.turn, side)
    }

    /// The rook that the side to move castles with, even without the right to: then it is the rook in the corner.
    pub(crate) fn castling_rook_anyhow(&self, side: CastlingSide) -> Option<Square> {
        let file = match side {
            CastlingSide::KingSide => File::H,
            CastlingSide::QueenSide => File::A,
        };
        let corner = Square::from_coords(file, self.turn.backrank());
        let in_corner = || {
            self.of_kind(self.turn, Role::Rook)
                .contains(corner)
                .then_some(corner)
        };
        self.castling_rook(side).or_else(in_corner)
    }

    /// Like [`Position::castling_rook`], for a given side.
    pub(super) fn castling_rook_of(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let king = self.king(color)?;
        let rooks = self.castling & self.of_kind(color, Role::Rook) & Bitboard::from_rank(king.rank());
        match side {
            CastlingSide::KingSide => rooks.last().filter(|rook| rook.file() > king.file()),
            CastlingSide::QueenSide => rooks.first().filter(|rook| rook.file() < king.file()),
        }
    }

    /// Squares that a piece of `role` and the colour to move attacks from `square`.
    #[inline]
    pub fn attacks_from(&self, role: Role, square: Square) -> Bitboard {
        match role {
            Role::Pawn => attacks::pawn_attacks(self.turn, square),
            Role::Knight => attacks::knight_attacks(square),
            Role::Bishop => attacks::bishop_attacks(square, self.occupied()),
            Role::Rook => attacks::rook_attacks(square, self.occupied()),
            Role::Queen => attacks::queen_attacks(square, self.occupied()),
            Role::King => attacks::king_attacks(square),
        }
    }

    /// The square of the captured piece if the move captures: for en passant the square of the pawn, otherwise `to`.
    // Computed without a branch, because the processor cannot predict whether a piece captures.
    #[inline(always)]
    pub fn capture_square(&self, from: Square, to: Square) -> Square {
        let is_en_passant = self.packed_at(from).is_pawn()
            & (from.file() != to.file())
            & (self.packed_at(to) == PackedPiece::NONE);
        Square::new(to as u32 ^ u32::from(is_en_passant) << 3)
    }

    /// The pieces of `by` that attack `square` if `occupied` are the occupied squares.
    #[inline]
    pub(super) fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let near = (attacks::pawn_attacks(!by, square) & self.of_kind(by, Role::Pawn))
            | (attacks::knight_attacks(square) & self.of_kind(by, Role::Knight))
            | (attacks::king_attacks(square) & self.of_kind(by, Role::King));
        near | with_free_path(self.sliders_on_lines(by, square), square, occupied)
    }

    /// Bishops, rooks and queens of a colour that attack `square` on an empty board.
    #[inline]
    pub(super) fn sliders_on_lines(&self, color: Color, square: Square) -> Bitboard {
        let queens = self.of_kind(color, Role::Queen);
        (reach(PackedPiece::new(color, Role::Bishop), square) & (self.of_kind(color, Role::Bishop) | queens))
            | (reach(PackedPiece::new(color, Role::Rook), square)
                & (self.of_kind(color, Role::Rook) | queens))
    }

    /// Pieces that attack the king of `color`.
    pub(super) fn checks_on(&self, color: Color) -> Bitboard {
        match self.king(color) {
            Some(king) => self.attackers(king, !color, self.occupied()),
            None => Bitboard::EMPTY,
        }
    }

    /// Replaces the contents of a square.
    pub(super) fn set(&mut self, square: Square, piece: PackedPiece) {
        let bit = Bitboard::from_square(square);
        let gone = std::mem::replace(&mut self.pieces[square as usize], piece);
        self.by_kind[gone.index()] &= !bit;
        self.by_color = self.by_color.map(|pieces| pieces & !bit);
        if let Some(color) = piece.color() {
            self.by_kind[piece.index()] |= bit;
            self.by_color[color as usize] |= bit;
        }
    }
}
