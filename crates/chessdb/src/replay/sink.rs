//! Receivers of a replayed game.

use std::ops::ControlFlow;

use crate::board::{Move, Piece, Position, San, Undo};
use crate::game::{Movetext, Tree};

/// Receives a game while it is replayed. All moves are legal. A method that a sink does not implement ignores its call.
pub trait Sink {
    /// False for a sink that receives only the moves of the main line: no SAN is computed, no text is
    /// decoded, and variations are skipped.
    const WHOLE: bool;
    /// The result of the sink.
    type Output;

    /// A move of the current line. Only called if [`Sink::WHOLE`] is true.
    fn play(&mut self, mv: Move, san: San) {
        let _ = (mv, san);
    }
    /// A move of the main line. Only called if [`Sink::WHOLE`] is false, and not again after a break.
    fn ply(&mut self, ply: &Ply<'_>) -> ControlFlow<()> {
        let _ = ply;
        ControlFlow::Continue(())
    }
    /// Start of a variation on the last move of the current line.
    fn start_variation(&mut self) {}
    /// End of the variation, which is empty if it had no move.
    fn end_variation(&mut self, is_empty: bool) {
        let _ = is_empty;
    }
    /// A glyph of the last move.
    fn nag(&mut self, nag: u8) {
        let _ = nag;
    }
    /// A comment on the last move, or before the first move of a line.
    fn comment(&mut self, text: &str) {
        let _ = text;
    }
    /// A remark, in the same place as a comment.
    fn remark(&mut self, text: &str) {
        let _ = text;
    }
    /// End of the game.
    fn finish(self) -> Self::Output;
}

/// A move of the main line that has just been played.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Ply<'a> {
    /// Number of moves before it, from 0.
    pub number: u32,
    /// The move.
    pub mv: Move,
    /// The position after it.
    pub position: &'a Position,
    /// Takes the move back; also the argument of [`RunningKey::follow`](crate::board::RunningKey::follow).
    pub undo: &'a Undo,
}

impl<'a> Ply<'a> {
    /// A move that was played after `number` other moves. Playing it set `undo`.
    pub fn new(number: u32, mv: Move, position: &'a Position, undo: &'a Undo) -> Ply<'a> {
        Ply {
            number,
            mv,
            position,
            undo,
        }
    }

    /// The position before the move.
    pub fn before(&self) -> Position {
        let mut position = *self.position;
        position.take_back(self.undo);
        position
    }

    /// The piece that the move took, a pawn taken en passant included.
    pub fn captured(&self) -> Option<Piece> {
        match self.mv {
            Move::Normal { .. } => self.undo.captured(),
            Move::Castle(_) | Move::Null => None,
        }
    }

    /// The move as text. It is computed on each call, because most users of main lines do not need it.
    pub fn san(&self) -> San {
        let played = self.before().play_legal(self.mv, &mut Undo::default());
        played.unwrap_or(San::NULL)
    }
}

/// A sink that passes the moves of the main line to a function until it breaks.
pub struct MainLine<'f>(pub &'f mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>);

impl Sink for MainLine<'_> {
    const WHOLE: bool = false;
    type Output = ();

    #[inline]
    fn ply(&mut self, ply: &Ply<'_>) -> ControlFlow<()> {
        (self.0)(ply)
    }

    fn finish(self) {}
}

/// A [`MainLine`] that counts the moves that it has passed on.
pub(crate) struct CountedLine<'f> {
    pub(crate) each: &'f mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>,
    /// Number of moves passed on; `None` after a break.
    pub(crate) passed: &'f mut Option<u32>,
}

impl Sink for CountedLine<'_> {
    const WHOLE: bool = false;
    type Output = ();

    #[inline]
    fn ply(&mut self, ply: &Ply<'_>) -> ControlFlow<()> {
        let flow = (self.each)(ply);
        *self.passed = flow.is_continue().then_some(ply.number + 1);
        flow
    }

    fn finish(self) {}
}

impl Sink for Tree {
    const WHOLE: bool = true;
    type Output = Movetext;

    #[inline(always)]
    fn play(&mut self, mv: Move, san: San) {
        self.add_move(mv, san);
    }

    fn start_variation(&mut self) {
        Tree::start_variation(self);
    }

    fn end_variation(&mut self, is_empty: bool) {
        Tree::end_variation(self, is_empty);
    }

    fn nag(&mut self, nag: u8) {
        self.add_nag(nag);
    }

    fn comment(&mut self, text: &str) {
        self.add_comment(text);
    }

    fn remark(&mut self, text: &str) {
        self.add_remark(text);
    }

    fn finish(self) -> Movetext {
        self.into_movetext()
    }
}
