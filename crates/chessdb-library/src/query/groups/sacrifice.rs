//! Sacrifices: moves after which a side has less for some time.

use std::ops::ControlFlow;

use chessdb::Database;
use chessdb::board::{Color, Move, Position, Role};
use chessdb::replay::Ply;

use super::error::TermError;
use crate::lines::{BranchingLine, LineStep, PackedLine, PieceTally, Pieces, PlainBoard, follow, value_of};
use crate::query::Bounds;

/// Half-moves for which a side must have less, unless a query says otherwise.
const USUAL_PLIES: u32 = 6;

/// Maximum number of half-moves that a query may require.
pub const MOST_PLIES_OF_LESS: u32 = 1000;

/// What a side gives up by a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sacrifice {
    /// A pawn is 1, knights and bishops 3, rooks 5, queens 9.
    pub(super) bounds: Bounds,
    /// The half-moves for which the side must have less, starting with the reply.
    pub(super) plies: u32,
}

impl Sacrifice {
    /// Reads how much is given up: a number or a range, from 1.
    pub(super) fn parse(text: &str) -> Result<Sacrifice, TermError> {
        let bounds: Bounds = text.parse().map_err(|_| TermError::Sacrifice)?;
        if bounds.least.is_none_or(|least| least < 1) {
            return Err(TermError::Sacrifice);
        }
        Ok(Sacrifice {
            bounds,
            plies: USUAL_PLIES,
        })
    }

    /// True if the move that is played after `ply` others is such a sacrifice.
    pub(super) fn holds(&self, ply: u32, line: &LineMaterial) -> bool {
        line.given_up(ply as usize, self.plies as usize)
            .is_some_and(|given_up| self.bounds.contains(given_up))
    }

    /// Number of half-moves after a position that it depends on: the move, the reply, the half-moves with less
    /// material, and whether the line ends after them.
    pub(super) fn looks_ahead(&self) -> u32 {
        self.plies.saturating_add(3)
    }

    /// True if it is anywhere in a game.
    pub(super) fn is_anywhere(&self, line: &LineMaterial) -> bool {
        line.losses().any(|ply| self.holds(ply, line))
    }
}

/// The material in all positions of a main line, and who won.
#[derive(Debug, Default)]
pub(super) struct LineMaterial {
    /// In each position, the material of the side that moves first less the material of the other.
    differences: Vec<i64>,
    /// True if the side to move in the first position mated or won; in the second place, of the other side.
    wins: [bool; 2],
}

impl LineMaterial {
    /// Reads the main line of a game, which may be packed.
    pub(super) fn read(&mut self, database: &dyn Database, game: u32, packed: Option<&PackedLine>) {
        self.differences.clear();
        if let Some(line) = packed {
            return self.read_packed(line, database.keys(game).outcome.winner());
        }
        let mut first = Color::White;
        // Copying every position would take long, and only a check can be mate.
        let mut last_check: Option<(usize, Position)> = None;
        follow(database, game, |step| {
            let position = match step {
                LineStep::Start(position) => {
                    first = position.turn();
                    self.start(position);
                    position
                }
                LineStep::Ply(step) => {
                    self.play(step);
                    step.position
                }
            };
            if position.is_check() {
                last_check = Some((self.differences.len(), *position));
            }
            ControlFlow::Continue(())
        });
        let last = last_check.filter(|(positions, _)| *positions == self.differences.len());
        self.end(
            first,
            last.as_ref().map(|(_, position)| position),
            database.keys(game).outcome.winner(),
        );
    }

    /// Reads a packed line, which `winner` has won.
    fn read_packed(&mut self, line: &PackedLine, winner: Option<Color>) {
        let Some(board) = PlainBoard::at(&line.start) else {
            return;
        };
        let first = board.turn();
        let sign = first.fold_wb(1, -1);
        let mut last = sign * board.mailbox.counts.difference();
        let mut mailbox = board.mailbox;
        self.differences.push(last);
        self.differences.extend(line.moves.iter().map(|&mv| {
            last += sign * i64::from(mailbox.play_uncounted(mv));
            last
        }));
        let turn = if line.moves.len().is_multiple_of(2) {
            first
        } else {
            !first
        };
        let mated = PlainBoard::new(mailbox, turn)
            .may_be_mated()
            .then(|| line.end())
            .flatten();
        self.end(first, mated.as_ref(), winner);
    }

    /// Reads a line, which `winner` has won. Its first `shared` moves are the same as in the line that was read last in this game.
    pub(super) fn follow(&mut self, line: &BranchingLine, shared: u32, winner: Option<Color>) {
        match shared {
            0 => {
                self.differences.clear();
                self.start(line.start());
            }
            _ => self.differences.truncate(shared as usize + 1),
        }
        line.moves_from(shared).for_each(|step| self.play(&step));
        self.end(line.start().turn(), Some(line.position()), winner);
    }

    fn start(&mut self, position: &Position) {
        let difference = PieceTally::of(position).difference();
        let own = position.turn().fold_wb(difference, -difference);
        self.differences.push(own);
    }

    fn play(&mut self, step: &Ply<'_>) {
        let gain = gained_by(step);
        let before = self.differences.last().copied().unwrap_or(0);
        let own = if step.number.is_multiple_of(2) {
            gain
        } else {
            -gain
        };
        self.differences.push(before + own);
    }

    fn end(&mut self, first: Color, last: Option<&Position>, winner: Option<Color>) {
        let mated = last.filter(|last| last.is_checkmate()).map(Position::turn);
        self.wins = [first, !first].map(|side| winner == Some(side) || mated == Some(!side));
    }

    /// The plies where the side to move has less after its move and the reply.
    pub(super) fn losses(&self) -> impl Iterator<Item = u32> {
        let steps = (0..).zip(self.differences.windows(3));
        steps.filter_map(|(ply, step)| {
            let gain = step.last()? - step.first()?;
            let is_loss = if ply % 2 == 0 { gain < 0 } else { gain > 0 };
            is_loss.then_some(ply)
        })
    }

    /// What the side to move gives up for at least this number of half-moves, or to the end if it mates or wins: its
    /// least material before this move and its two previous moves, minus its most from the reply on.
    fn given_up(&self, ply: usize, plies: usize) -> Option<i64> {
        let side = ply % 2;
        let own = |difference: &i64| if side == 0 { *difference } else { -difference };
        let before = [Some(ply), ply.checked_sub(2), ply.checked_sub(4)];
        let before = before
            .into_iter()
            .flatten()
            .filter_map(|ply| self.differences.get(ply));
        let after = self.differences.get(ply + 2..)?;
        // Fast path: most moves give up nothing.
        if own(after.first()?) >= own(self.differences.get(ply)?) {
            return None;
        }
        if after.len() < plies && !self.wins[side] {
            return None;
        }
        let most = after.iter().take(plies).map(own).max()?;
        Some(before.map(own).min()? - most)
    }
}

/// The material that a move wins: a captured piece, and a promotion.
fn gained_by(step: &Ply<'_>) -> i64 {
    let taken = step.captured().map_or(0, |piece| value_of(piece.role));
    let promoted = match step.mv {
        Move::Normal {
            promotion: Some(role),
            ..
        } => value_of(role) - value_of(Role::Pawn),
        _ => 0,
    };
    taken + promoted
}
