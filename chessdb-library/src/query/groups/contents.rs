//! What may be on a square.

use std::fmt;

use crate::lines::{Pieces, place_of};
use chessdb::board::{Bitboard, Color, Piece, Role};

use super::reflection::Reflection;

/// The letters of pieces in the order of their bits, and `-` for an empty square.
const LETTERS: [u8; 13] = *b"KQRBNPkqrbnp-";

/// Kinds of pieces in the order of their bits.
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// A set of pieces, one of which is on a square, or which may be empty: a bit for each of [`LETTERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SquareContents(u16);

impl SquareContents {
    pub(super) const NOTHING: SquareContents = SquareContents(0);
    pub(super) const ANY: SquareContents = SquareContents(0x1fff);
    const WHITE: SquareContents = SquareContents(0x3f);
    const BLACK: SquareContents = SquareContents(0xfc0);
    const PIECE: SquareContents = SquareContents(0xfff);
    const EMPTY: SquareContents = SquareContents(0x1000);

    /// The sets that have a sign of their own.
    const SIGNS: [(SquareContents, char); 4] = [
        (SquareContents::ANY, '?'),
        (SquareContents::PIECE, '!'),
        (SquareContents::WHITE, 'A'),
        (SquareContents::BLACK, 'a'),
    ];

    /// The set for a sign or the letter of a piece.
    pub(super) fn of_sign(sign: char) -> Option<SquareContents> {
        let with_sign = SquareContents::SIGNS.into_iter().find(|&(_, own)| own == sign);
        with_sign.map(|(contents, _)| contents).or_else(|| {
            let bit = LETTERS.iter().position(|&letter| char::from(letter) == sign)?;
            Some(SquareContents(1 << bit))
        })
    }

    /// The contents of either set.
    pub(super) fn or(self, other: SquareContents) -> SquareContents {
        SquareContents(self.0 | other.0)
    }

    /// True if only a piece of this colour may be there.
    pub(super) fn is_of(self, color: Color) -> bool {
        let others = !color.fold_wb(SquareContents::WHITE, SquareContents::BLACK).0;
        self.0 & others == 0
    }

    /// The piece, if only one may be there.
    pub(super) fn piece(self) -> Option<Piece> {
        let mut pieces = self.pieces();
        let piece = pieces.next().filter(|_| self.0.is_power_of_two());
        piece.map(|(color, role)| role.of(color))
    }

    fn pieces(self) -> impl Iterator<Item = (Color, Role)> {
        let pieces = [Color::White, Color::Black]
            .into_iter()
            .flat_map(|color| ROLES.map(|role| (color, role)));
        pieces
            .enumerate()
            .filter_map(move |(bit, piece)| (self.0 >> bit & 1 != 0).then_some(piece))
    }

    /// The set in a mirror image.
    pub(super) fn reflected(self, reflection: Reflection) -> SquareContents {
        if reflection.colour {
            let (white, black) = (self.0 & SquareContents::WHITE.0, self.0 & SquareContents::BLACK.0);
            SquareContents(self.0 & SquareContents::EMPTY.0 | white << 6 | black >> 6)
        } else {
            self
        }
    }

    /// A single piece.
    pub(super) fn of_piece(piece: Piece) -> SquareContents {
        SquareContents::of_sign(piece.char()).unwrap_or(SquareContents::NOTHING)
    }

    /// The set as bits at the [places](place_of) of the pieces, and bit 0 for an empty square.
    pub(super) fn places(self) -> u16 {
        let empty = u16::from(self.0 & SquareContents::EMPTY.0 != 0);
        self.pieces()
            .fold(empty, |bits, (color, role)| bits | 1 << place_of(color, role))
    }

    /// What has to be looked at for the squares with one of these contents.
    pub(super) fn kinds(self) -> PieceKinds {
        match self {
            SquareContents::WHITE => PieceKinds::Side(Color::White),
            SquareContents::BLACK => PieceKinds::Side(Color::Black),
            SquareContents::PIECE => PieceKinds::Both,
            SquareContents::EMPTY => PieceKinds::Empty,
            _ => match self.piece() {
                Some(piece) => PieceKinds::One(piece.color, piece.role),
                None => PieceKinds::Some {
                    pieces: self.pieces().collect(),
                    empty: self.0 & SquareContents::EMPTY.0 != 0,
                },
            },
        }
    }

    /// Number of different contents.
    pub(super) fn number(self) -> u32 {
        self.0.count_ones()
    }
}

/// The kinds of pieces of [`SquareContents`], from which the squares that have them follow quickly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PieceKinds {
    One(Color, Role),
    Side(Color),
    Both,
    Empty,
    Some { pieces: Vec<(Color, Role)>, empty: bool },
}

impl PieceKinds {
    /// The squares of a position that have one of them.
    #[inline]
    pub(super) fn squares(&self, position: &impl Pieces) -> Bitboard {
        match self {
            PieceKinds::One(color, role) => position.of_kind(*color, *role),
            PieceKinds::Side(color) => position.pieces(*color),
            PieceKinds::Both => position.occupied(),
            PieceKinds::Empty => !position.occupied(),
            PieceKinds::Some { pieces, empty } => {
                let empty = if *empty {
                    !position.occupied()
                } else {
                    Bitboard::EMPTY
                };
                pieces.iter().fold(empty, |squares, &(color, role)| {
                    squares | position.of_kind(color, role)
                })
            }
        }
    }
}

impl fmt::Display for SquareContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, sign)) = SquareContents::SIGNS.iter().find(|(own, _)| own == self) {
            return write!(f, "{sign}");
        }
        let letters = (0..LETTERS.len()).filter(|bit| self.0 >> bit & 1 != 0);
        let letters: String = letters.map(|bit| char::from(LETTERS[bit])).collect();
        match self.number() {
            1 => f.write_str(&letters),
            _ => write!(f, "[{letters}]"),
        }
    }
}
