//! Finds the piece and the target square of a byte (section 5). The byte has the number of the piece.

use std::fmt;

use super::codes::{Code, Way};
use super::reading::{HalfMoveReading, Numbering};
use super::steps::{Steps, steps};
use crate::board::{Bitboard, CastlingSide, Color, File, Move, PieceNumbers, Position, Rank, Role, Square};

/// Reads the half-moves of one game by the numbers of its pieces.
#[derive(Clone)]
pub(super) struct Numbers {
    reading: HalfMoveReading,
    /// The pieces by number, for readings in which a piece keeps its number.
    pieces: PieceNumbers,
    /// The steps of such readings.
    steps: Option<&'static Steps>,
    prefix: Option<Prefix>,
}

/// The piece that the previous byte announced for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Prefix {
    role: Role,
    number: u8,
}

impl Prefix {
    /// The damage if the prefix comes before something that it cannot refer to.
    fn before(self, next: &'static str) -> Damage {
        Damage::Prefix(self.role, self.number, next)
    }
}

/// Why a byte cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    Unassigned(u8),
    /// A prefix before something that it cannot refer to.
    Prefix(Role, u8, &'static str),
    NoPiece(Color, Role, u8),
    OffBoard(Role, u8),
    NumberInUse(Role, u8),
    NoPrefix,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Damage::Unassigned(byte) => write!(f, "unassigned byte {byte:02X}"),
            Damage::Prefix(role, number, next) => {
                write!(f, "prefix of {} {number} before {next}", name_of(role))
            }
            Damage::NoPiece(color, role, number) => write!(f, "{color} has no {} {number}", name_of(role)),
            Damage::OffBoard(role, number) => write!(f, "{} {number} would leave the board", name_of(role)),
            Damage::NumberInUse(role, number) => {
                write!(
                    f,
                    "promotion to {} {number}, but that number is in use",
                    name_of(role)
                )
            }
            Damage::NoPrefix => f.write_str("no promotion piece is stored"),
        }
    }
}

fn name_of(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

impl Numbers {
    /// The numbers of the start position.
    pub(super) fn new(reading: HalfMoveReading) -> Numbers {
        let mut pieces = PieceNumbers::default();
        if reading.numbering == Numbering::Identity {
            place_start(&mut pieces);
        }
        Numbers {
            reading,
            pieces,
            steps: (reading.numbering == Numbering::Identity).then(|| steps(reading)),
            prefix: None,
        }
    }

    /// True between a prefix and the byte that it belongs to.
    pub(super) fn has_prefix(&self) -> bool {
        self.prefix.is_some()
    }

    /// Returns damage if a prefix is pending although something other than a half-move follows, described by `what`.
    pub(super) fn interrupt(&mut self, what: &'static str) -> Result<(), Damage> {
        match self.prefix.take() {
            Some(prefix) => Err(prefix.before(what)),
            None => Ok(()),
        }
    }

    /// Origin and target of a byte's move, if pieces keep their numbers and the byte needs no prefix. The move may be
    /// illegal.
    #[inline(always)]
    pub(super) fn step(&self, us: Color, byte: u8) -> Option<(Square, Square)> {
        let side = self.steps?.get(usize::from(us.is_white()))?;
        let step = side.get(usize::from(byte))?;
        let from = self.pieces.square(us, step.piece)?;
        Some((from, step.from(from)?))
    }

    /// Follows a step of `us`. A piece on `taken` is captured: see [`Position::capture_square`].
    #[inline(always)]
    pub(super) fn follow_step(&mut self, us: Color, from: Square, to: Square, taken: Square) {
        self.pieces.step(us, from, to, taken);
    }

    /// The move that a byte means in `position`; `None` for a prefix.
    ///
    /// The move may be illegal. It must be played before the next byte is read; if it cannot be played, the
    /// replay must end.
    #[inline]
    pub(super) fn read(&mut self, position: &Position, byte: u8) -> Result<Option<Move>, Damage> {
        let prefix = self.prefix.take();
        let alone = |next| prefix.map_or(Ok(()), |prefix: Prefix| Err(prefix.before(next)));
        let mv = match byte {
            4 | 5 => {
                alone("castling")?;
                Move::Castle(CastlingSide::from_king_side(byte == 4))
            }
            _ => match self.reading.notation.code(byte) {
                Code::Piece {
                    role,
                    number,
                    east,
                    north,
                } => {
                    let number = named(prefix, role, number)?;
                    self.piece(position, role, number, east, north)?
                }
                Code::Pawn { number, way } => self.pawn(position, number, way, prefix)?,
                Code::Prefix { role, number } => {
                    alone("another prefix")?;
                    self.prefix = Some(Prefix { role, number });
                    return Ok(None);
                }
                Code::Unassigned => {
                    alone("an unassigned byte")?;
                    return Err(Damage::Unassigned(byte));
                }
            },
        };
        if self.reading.numbering == Numbering::Identity {
            self.follow(position, mv, prefix);
        }
        Ok(Some(mv))
    }

    #[inline]
    fn piece(
        &self,
        position: &Position,
        role: Role,
        number: u8,
        east: i8,
        north: i8,
    ) -> Result<Move, Damage> {
        let from = self.square(position, role, number)?;
        let to = target(from, east, north).ok_or(Damage::OffBoard(role, number))?;
        Ok(Move::normal(from, to))
    }

    #[inline]
    fn pawn(
        &self,
        position: &Position,
        number: u8,
        way: Way,
        prefix: Option<Prefix>,
    ) -> Result<Move, Damage> {
        let us = position.turn();
        let from = self.square(position, Role::Pawn, number)?;
        let (east, north) = way.distance(self.reading.right, us);
        let to = target(from, east, north).ok_or(Damage::OffBoard(Role::Pawn, number))?;
        let promotes = to.rank() == us.relative_rank(Rank::Eighth);
        let promotion = match prefix {
            None if promotes => return Err(Damage::NoPrefix),
            Some(prefix) if !promotes => {
                return Err(prefix.before("a pawn's move to another rank than the last"));
            }
            Some(Prefix { role, number }) if self.is_in_use(us, role, number) => {
                return Err(Damage::NumberInUse(role, number));
            }
            _ => prefix.map(|prefix| prefix.role),
        };
        Ok(Move::Normal { from, to, promotion })
    }

    /// True if a promoted piece cannot get a number because another piece has it.
    fn is_in_use(&self, us: Color, role: Role, number: u8) -> bool {
        // In the reading `order` the number of a promotion is ignored.
        self.reading.numbering == Numbering::Identity && self.pieces.square(us, key(role, number)).is_some()
    }

    /// The square of the piece with a number.
    #[inline]
    fn square(&self, position: &Position, role: Role, number: u8) -> Result<Square, Damage> {
        let us = position.turn();
        let found = match (role, self.reading.numbering) {
            (Role::King, _) => position.king(us),
            (_, Numbering::Identity) => self.pieces.square(us, key(role, number)),
            (_, Numbering::Order) => in_order(position.of_kind(us, role), number),
        };
        found.ok_or(Damage::NoPiece(us, role, number))
    }

    /// Updates the numbers for a move. A promoted pawn gets the number of its prefix.
    #[inline]
    fn follow(&mut self, position: &Position, mv: Move, prefix: Option<Prefix>) {
        self.pieces.follow(position, mv);
        if let (
            Move::Normal {
                to,
                promotion: Some(_),
                ..
            },
            Some(Prefix { role, number }),
        ) = (mv, prefix)
        {
            let us = position.turn();
            self.pieces.remove(us, to);
            self.pieces.place(us, key(role, number), to);
        }
    }
}

/// The number of a byte's piece, from the byte itself or from the prefix before it.
#[inline]
fn named(prefix: Option<Prefix>, role: Role, number: u8) -> Result<u8, Damage> {
    match prefix {
        None => Ok(number),
        Some(prefix) if prefix.role == role => Ok(prefix.number),
        Some(prefix) => Err(prefix.before("a byte of another piece")),
    }
}

/// A number that is unique among all pieces of a side: eight for each role.
#[inline]
pub(super) const fn key(role: Role, number: u8) -> u8 {
    8 * role as u8 + number
}

/// Numbers in the start position: by file, separately for each kind.
fn place_start(pieces: &mut PieceNumbers) {
    let start = Position::initial();
    for color in Color::ALL {
        for role in Role::ALL {
            // All pieces of a kind are on one rank, so the squares are in the order of files.
            for (number, square) in (0..).zip(start.of_kind(color, role)) {
                pieces.place(color, key(role, number), square);
            }
        }
    }
}

/// The nth piece in the order of files, then ranks.
fn in_order(pieces: Bitboard, place: u8) -> Option<Square> {
    let by_file = File::ALL
        .into_iter()
        .flat_map(|file| pieces & Bitboard::from_file(file));
    by_file.into_iter().nth(usize::from(place))
}

/// The square at a distance from another; `None` if it is off the board.
#[inline]
fn target(from: Square, east: i8, north: i8) -> Option<Square> {
    let file = u32::from(from.file()).checked_add_signed(east.into())?;
    let rank = u32::from(from.rank()).checked_add_signed(north.into())?;
    (file < 8 && rank < 8).then(|| Square::from_coords(File::new(file), Rank::new(rank)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_beyond_the_edge_are_none() {
        assert_eq!(target(Square::A1, 7, 7), Some(Square::H8));
        assert_eq!(target(Square::A1, -1, 0), None);
        assert_eq!(target(Square::H8, 0, 1), None);
        assert_eq!(target(Square::E4, 4, 0), None);
    }

    #[test]
    fn the_order_is_by_file_then_by_rank() {
        let pieces = Bitboard::from_iter([Square::B7, Square::B2, Square::A8, Square::H1]);
        let squares: Vec<_> = (0..5).map(|place| in_order(pieces, place)).collect();
        let [a, b, c, d] = [Square::A8, Square::B2, Square::B7, Square::H1].map(Some);
        assert_eq!(squares, [a, b, c, d, None]);
    }
}
