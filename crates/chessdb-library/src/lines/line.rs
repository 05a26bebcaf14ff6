//! The positions of one game's main line, from the first one on.

use std::ops::ControlFlow;

use chessdb::Database;
use chessdb::board::{Move, Position};
use chessdb::replay::Ply;

/// A step of [`follow`].
#[derive(Clone, Copy)]
pub(crate) enum LineStep<'a> {
    /// The start position of the game.
    Start(&'a Position),
    /// A move has been played.
    Ply(&'a Ply<'a>),
}

/// Passes the start position of a game and its moves to `each` until it breaks.
#[inline]
pub(crate) fn follow(
    database: &dyn Database,
    game: u32,
    mut each: impl FnMut(LineStep<'_>) -> ControlFlow<()>,
) {
    let mut has_begun = false;
    database.main_line(game, &mut |ply| {
        if !has_begun {
            has_begun = true;
            each(LineStep::Start(&ply.before()))?;
        }
        each(LineStep::Ply(ply))
    });
    if has_begun {
        return;
    }
    // Without a move, the position comes from the tags.
    if let Some(start) = database.tags(game).start() {
        let _ = each(LineStep::Start(&start.position));
    }
}

/// The position of a game after `ply` moves of its main line, and the next move; `None` if the game has fewer
/// moves.
pub(crate) fn at(database: &dyn Database, game: u32, ply: u32) -> Option<(Position, Option<Move>)> {
    let mut reached = None;
    follow(database, game, |step| {
        let (number, position) = match step {
            LineStep::Start(position) => (0, position),
            LineStep::Ply(step) if step.number == ply => {
                if let Some((_, next)) = &mut reached {
                    *next = Some(step.mv);
                }
                return ControlFlow::Break(());
            }
            LineStep::Ply(step) => (step.number + 1, step.position),
        };
        if number == ply {
            reached = Some((*position, None));
        }
        ControlFlow::Continue(())
    });
    reached
}
