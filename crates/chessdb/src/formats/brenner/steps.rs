//! Tables for the bytes of most half-moves: the number of the piece and its step.
//!
//! Using them takes no branch. A processor would predict branches badly here, because the bytes of a game follow no
//! pattern.

use super::codes::{Code, Notation, table};
use super::numbers::key;
use super::reading::{HalfMoveReading, Right};
use crate::board::{Color, MOST_NUMBERS, Role, Square};

/// The meaning of a byte for one side.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// The number of the piece. If the byte is not a step, no piece has this number.
    pub(super) piece: u8,
    /// Sixteen for each rank north and one for each file east.
    by: i8,
}

/// The steps of both sides, Black's first.
pub(super) type Steps = [[Step; 256]; 2];

/// The steps of a reading in which pieces keep their numbers.
pub(super) fn steps(reading: HalfMoveReading) -> &'static Steps {
    static STEPS: [Steps; 4] = [
        both(Notation::Main, Right::Own),
        both(Notation::Main, Right::Diagram),
        both(Notation::Alternate, Right::Own),
        both(Notation::Alternate, Right::Diagram),
    ];
    let [main_own, main_diagram, alternate_own, alternate_diagram] = &STEPS;
    match (reading.notation, reading.right) {
        (Notation::Main, Right::Own) => main_own,
        (Notation::Main, Right::Diagram) => main_diagram,
        (Notation::Alternate, Right::Own) => alternate_own,
        (Notation::Alternate, Right::Diagram) => alternate_diagram,
    }
}

impl Step {
    /// The target square of the step; `None` if it is off the board.
    #[inline(always)]
    pub(super) fn from(self, from: Square) -> Option<Square> {
        let from = from as u8;
        // Files beyond the edge set bit 3, and ranks beyond it bit 7.
        let to = (from + (from & 0x38)).wrapping_add_signed(self.by);
        (to & 0x88 == 0).then(|| Square::new(u32::from(to >> 1 & 0x38 | to & 7)))
    }
}

const fn both(notation: Notation, right: Right) -> Steps {
    [
        side(notation, right, Color::Black),
        side(notation, right, Color::White),
    ]
}

#[allow(clippy::indexing_slicing)]
const fn side(notation: Notation, right: Right, us: Color) -> [Step; 256] {
    let codes = table(notation);
    #[allow(clippy::cast_possible_truncation)]
    let mut steps = [Step {
        piece: MOST_NUMBERS as u8,
        by: 0,
    }; 256];
    let mut byte = 0;
    while byte < 256 {
        match codes[byte] {
            Code::Piece {
                role,
                number,
                east,
                north,
            } => {
                steps[byte] = Step {
                    piece: key(role, number),
                    by: 16 * north + east,
                }
            }
            Code::Pawn { number, way } => {
                let (east, north) = way.distance(right, us);
                steps[byte] = Step {
                    piece: key(Role::Pawn, number),
                    by: 16 * north + east,
                }
            }
            Code::Prefix { .. } | Code::Unassigned => {}
        }
        byte += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::numbers::Numbers;
    use super::super::reading::{Numbering, READINGS};
    use crate::board::{Move, Position, Rank, Undo};

    fn is_last_rank(mv: Move) -> bool {
        matches!(mv, Move::Normal { to, .. } if matches!(to.rank(), Rank::First | Rank::Eighth))
    }

    #[test]
    fn the_tables_agree_with_the_description() {
        for (name, reading) in READINGS {
            let mut position = Position::initial();
            let mut numbers = Numbers::new(reading);
            let mut known = 0;
            // Legal moves are played, so that many positions are tested.
            for byte in (0..40u32).flat_map(|_| 8..=u8::MAX) {
                let given = numbers.step(position.turn(), byte);
                let given = given.map(|(from, to)| Move::normal(from, to));
                let mut next = numbers.clone();
                let expected = next.read(&position, byte).ok().flatten();
                match reading.numbering {
                    Numbering::Order => assert_eq!(given, None),
                    Numbering::Identity if expected.is_some() => {
                        assert_eq!(given, expected, "{name} {byte:x}")
                    }
                    // A pawn that reaches the last rank needs a prefix.
                    Numbering::Identity => assert!(given.is_none_or(is_last_rank), "{name} {byte:x}"),
                }
                known += u32::from(given.is_some());
                if let Some(mv) = expected
                    && position.advance(mv, &mut Undo::default()).is_ok()
                {
                    numbers = next;
                }
            }
            assert!(
                known > 500 || reading.numbering == Numbering::Order,
                "{name}: {known}"
            );
        }
    }
}
