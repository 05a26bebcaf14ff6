//! Mirror images of positions.

use chessdb::board::{Bitboard, Color, Move, Position, Rank, Setup, Square};

/// The mirror images of positions that count as well as the positions themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mirror {
    /// None.
    #[default]
    None,
    /// Those with sides and colours exchanged.
    Colour,
    /// Those with the files a to h exchanged, without castling rights.
    Side,
    /// Both of these, and both at once.
    Both,
}

/// A mirror image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reflection {
    /// Sides and colours are exchanged.
    pub(super) colour: bool,
    /// The files a to h are exchanged.
    pub(super) side: bool,
}

impl Mirror {
    /// The images that count, the position itself first.
    pub(super) fn reflections(self) -> impl Iterator<Item = Reflection> {
        let has_colour = matches!(self, Mirror::Colour | Mirror::Both);
        let has_side = matches!(self, Mirror::Side | Mirror::Both);
        let images = [(false, false), (true, false), (false, true), (true, true)];
        let images = images.map(|(colour, side)| Reflection { colour, side });
        images
            .into_iter()
            .filter(move |image| (has_colour || !image.colour) && (has_side || !image.side))
    }
}

impl Reflection {
    /// Both, one after the other.
    pub(super) fn and(self, other: Reflection) -> Reflection {
        Reflection {
            colour: self.colour != other.colour,
            side: self.side != other.side,
        }
    }

    /// The image of a square.
    pub(super) fn square(self, square: Square) -> Square {
        let square = if self.colour {
            square.flip_vertical()
        } else {
            square
        };
        if self.side {
            square.flip_horizontal()
        } else {
            square
        }
    }

    /// The image of a rank.
    pub(super) fn rank(self, rank: Rank) -> Rank {
        if self.colour { rank.flip_vertical() } else { rank }
    }

    /// The image of some squares.
    pub(super) fn squares(self, squares: Bitboard) -> Bitboard {
        let squares = if self.colour {
            squares.flip_vertical()
        } else {
            squares
        };
        if self.side {
            squares.flip_horizontal()
        } else {
            squares
        }
    }

    /// The colour of a piece in the image.
    pub(super) fn color(self, color: Color) -> Color {
        if self.colour { !color } else { color }
    }

    /// The image of a move; `None` of castling if files are exchanged.
    pub(super) fn played(self, mv: Move) -> Option<Move> {
        match mv {
            Move::Normal { from, to, promotion } => Some(Move::Normal {
                from: self.square(from),
                to: self.square(to),
                promotion,
            }),
            Move::Castle(_) if self.side => None,
            other => Some(other),
        }
    }

    /// The image of a position. If files are exchanged, it has no castling rights.
    pub(super) fn position(self, position: &Position) -> Option<Position> {
        let from = position.setup();
        let mut setup = Setup::empty();
        for (square, piece) in from.board {
            let piece = piece.role.of(self.color(piece.color));
            setup.board.set_piece_at(self.square(square), piece);
        }
        setup.turn = self.color(from.turn);
        if !self.side {
            setup.castling_rights = self.squares(from.castling_rights);
        }
        setup.ep_square = from.ep_square.map(|square| self.square(square));
        Position::from_setup(&setup).ok()
    }
}
