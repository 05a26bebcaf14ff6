//! The faults of a game and their messages, which all formats share.

use std::borrow::Cow;
use std::fmt;

use super::{Origin, PlaceForm, Unplayed};
use crate::board::Illegal;
use crate::problem::{Problem, ProblemKind};

/// A fault in the bytes of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// An illegal move; its line ends before it.
    Illegal(Illegal),
    /// More than this number of variations would be open at once.
    TooDeep(usize),
    /// The game has more than this number of moves.
    TooLong(u32),
    /// A variation before the first move of its line.
    NothingToReplace,
    /// The end of a variation that was not started.
    StrayEnd,
    /// The game ends inside a variation.
    OpenVariations,
    /// The file ends inside the game.
    Cut,
    /// A line of a book has more than this number of plies.
    LongLine(usize),
    /// Damage specific to a format.
    Damage(Cow<'static, str>),
    /// Something odd, described in the same way. Nothing is lost.
    Doubt(Cow<'static, str>),
}

impl Fault {
    /// Damage specific to a format, described in lower case, without a full stop.
    pub fn damage(what: impl Into<Cow<'static, str>>) -> Fault {
        Fault::Damage(what.into())
    }

    fn kind(&self) -> ProblemKind {
        match self {
            Fault::TooDeep(_) | Fault::TooLong(_) | Fault::LongLine(_) => ProblemKind::Limit,
            Fault::Doubt(_) => ProblemKind::Doubt,
            _ => ProblemKind::Damage,
        }
    }

    /// The problem, and the remark for the game. Only the remark has the detail.
    pub fn report(&self, origin: Origin<'_>, offset: u64, detail: &str) -> (Problem, String) {
        let problem = Problem::new(self.kind(), origin.file, offset, self.to_string());
        let remark = match origin.place {
            PlaceForm::Hexadecimal(extension) => {
                format!("{self}{detail} at {extension} offset 0x{offset:x}")
            }
            PlaceForm::Decimal => format!("byte {offset} of {}: {self}{detail}", origin.file),
        };
        (problem, remark)
    }
}

impl From<Unplayed> for Fault {
    fn from(unplayed: Unplayed) -> Fault {
        match unplayed {
            Unplayed::Illegal(illegal) => Fault::Illegal(illegal),
            Unplayed::Limit(moves) => Fault::TooLong(moves),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Illegal(illegal) => write!(f, "illegal move: {illegal}"),
            Fault::TooDeep(depth) => write!(f, "variations are nested deeper than {depth} levels"),
            Fault::TooLong(moves) => write!(f, "the game has more than {moves} moves"),
            Fault::NothingToReplace => f.write_str("a variation starts before the first move of its line"),
            Fault::StrayEnd => f.write_str("a variation ends that never started"),
            Fault::OpenVariations => f.write_str("the game ends inside a variation"),
            Fault::Cut => f.write_str("the file ends inside the game"),
            Fault::LongLine(plies) => write!(f, "the line is longer than {plies} plies"),
            Fault::Damage(what) | Fault::Doubt(what) => f.write_str(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Move, Position, Square};
    use crate::game::Token;
    use crate::replay::Replay;

    /// The expected message of a fault. Every kind of fault and of illegal move is listed.
    fn words(fault: &Fault) -> &str {
        match fault {
            Fault::Illegal(illegal) => match illegal {
                Illegal::NoPiece => "illegal move: no piece of the side to move stands there",
                Illegal::OwnPiece => "illegal move: a piece of the own side stands on the target",
                Illegal::NotItsMove => "illegal move: the piece does not move that way",
                Illegal::Promotion => "illegal move: wrong promotion",
                Illegal::Castling => "illegal move: castling is not possible",
                Illegal::KingInCheck => "illegal move: the own king is left in check",
                Illegal::NullInCheck => "illegal move: null move in check",
            },
            Fault::TooDeep(_) => "variations are nested deeper than 9 levels",
            Fault::TooLong(_) => "the game has more than 9 moves",
            Fault::NothingToReplace => "a variation starts before the first move of its line",
            Fault::StrayEnd => "a variation ends that never started",
            Fault::OpenVariations => "the game ends inside a variation",
            Fault::Cut => "the file ends inside the game",
            Fault::LongLine(_) => "the line is longer than 9 plies",
            Fault::Damage(what) | Fault::Doubt(what) => what,
        }
    }

    #[test]
    fn each_fault_is_a_problem_and_a_remark() {
        let illegal = [
            Illegal::NoPiece,
            Illegal::OwnPiece,
            Illegal::NotItsMove,
            Illegal::Promotion,
            Illegal::Castling,
            Illegal::KingInCheck,
            Illegal::NullInCheck,
        ];
        let others = [
            Fault::TooDeep(9),
            Fault::TooLong(9),
            Fault::NothingToReplace,
            Fault::StrayEnd,
            Fault::OpenVariations,
            Fault::Cut,
            Fault::LongLine(9),
            Fault::damage("a byte is odd"),
            Fault::Doubt("a byte is strange".into()),
        ];
        for fault in illegal.map(Fault::Illegal).into_iter().chain(others) {
            let mut replay = Replay::builder(Position::initial(), 1);
            replay.play(Move::normal(Square::E2, Square::E4)).unwrap();
            replay.fault(0x1f, &fault);
            let (movetext, problems) = replay.finish();
            let [problem] = problems.as_slice() else {
                panic!("{problems:?}")
            };
            assert_eq!(
                (problem.what.as_str(), problem.offset),
                (words(&fault), Some(0x1f))
            );
            let remarks = movetext.tokens().iter().filter_map(|token| match token {
                Token::Remark(range) => Some(movetext.text(*range)),
                _ => None,
            });
            let remarks: Vec<&str> = remarks.collect();
            assert!(
                remarks.len() == 1 && remarks[0].contains(words(&fault)),
                "{remarks:?}"
            );
        }
    }
}
