//! Replays the games of every decoder on a board.
//!
//! A decoder reads bytes and reports their meaning: a move, a variation, a glyph, a comment, a fault. [`Replay`] keeps
//! the position, tests every move, enforces limits, writes the remarks and passes everything on to a [`Sink`]. The sink
//! [`Tree`] builds a whole game, and [`MainLine`] receives only the moves of the main line.

pub(crate) mod castling;
mod fault;
mod sink;
mod stored;

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::board::{Illegal, Move, Position, San, Step, Undo};
use crate::game::Game;
use crate::problem::{Problem, ProblemKind};

pub use crate::game::Tree;
pub use fault::Fault;
pub(crate) use sink::CountedLine;
pub use sink::{MainLine, Ply, Sink};
pub use stored::{Notation, StoredLine};

/// Faults get a remark each until a game has this many problems. Further faults are only counted, because a remark is
/// many times as long as the bytes that cause it.
const MOST_REMARKS: usize = 1000;

/// Limits of a game. The page of each format lists them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of variations open at once.
    pub depth: usize,
    /// Maximum number of moves in all lines together, null moves included.
    pub moves: u32,
}

impl Limits {
    /// No limits, for games of known size.
    pub const NONE: Limits = Limits {
        depth: usize::MAX,
        moves: u32::MAX,
    };
}

/// How remarks say where in the file a fault is. The page of each format defines it.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum PlaceForm {
    /// After the fault, with the extension of the file: `at .dcg offset 0x1f4`.
    Hexadecimal(&'static str),
    /// Before the fault, with the name of the file: `byte 500 of games.brn: `.
    #[default]
    Decimal,
}

/// The file that a game's bytes come from, for remarks and problems.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// The form of places in remarks.
    pub place: PlaceForm,
}

/// State that a format keeps for each line in addition to the position.
pub trait State: Clone {
    /// Called on the state of the line that becomes current when a variation begins or ends. Copies the part that all
    /// lines of a game share from `left`, the state of the line that was current before.
    fn carry(&mut self, left: &Self) {
        let _ = left;
    }
}

impl State for () {}

/// The replay of a game. `T` is the state that the format keeps for each line in addition to the position,
/// such as numbers of pieces.
#[derive(Debug)]
pub struct Replay<'a, S, T = ()> {
    line: Line<T>,
    /// The lines that enclose the current one, outermost first.
    outer: Vec<Line<T>>,
    sink: S,
    moves: u32,
    is_done: bool,
    limits: Limits,
    origin: Origin<'a>,
    problems: Vec<Problem>,
    /// Number of faults that were not listed: the faults beyond [`MOST_REMARKS`], or all faults if the sink takes only
    /// the main line.
    unlisted: u32,
}

#[derive(Clone, Debug)]
struct Line<T> {
    position: Position,
    /// Takes back the last move of this line, if it has one.
    undo: Undo,
    has_move: bool,
    /// Number of half-moves since the start of the game. Only counted if the sink takes variations.
    plies: u32,
    state: T,
    /// The state before the last move, if the format saved it.
    before: T,
}

impl Replay<'static, Tree> {
    /// A replay that builds a game beginning in `position` with move number `first_move`.
    ///
    /// ```
    /// use chessdb::board::{Move, Position, Square};
    /// use chessdb::replay::Replay;
    ///
    /// let mut replay = Replay::builder(Position::initial(), 1);
    /// replay.play(Move::normal(Square::E2, Square::E4)).unwrap();
    /// assert!(replay.play(Move::normal(Square::E7, Square::E4)).is_err());
    /// let (movetext, _) = replay.finish();
    /// assert_eq!(movetext.tokens().len(), 1);
    /// ```
    pub fn builder(position: Position, first_move: u32) -> Replay<'static, Tree> {
        let sink = Tree::beginning(&position, first_move, 0);
        Replay::new(sink, position, (), Limits::NONE, Origin::default())
    }
}

impl<'a, S: Sink, T: State> Replay<'a, S, T> {
    /// A replay that begins in `position`.
    pub fn new(
        sink: S,
        position: Position,
        state: T,
        limits: Limits,
        origin: Origin<'a>,
    ) -> Replay<'a, S, T> {
        Replay {
            line: Line {
                position,
                undo: Undo::default(),
                has_move: false,
                plies: 0,
                before: state.clone(),
                state,
            },
            outer: Vec::new(),
            sink,
            moves: 0,
            is_done: false,
            limits,
            origin,
            problems: Vec::new(),
            unlisted: 0,
        }
    }

    /// The position after the last move of the current line.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.line.position
    }

    /// The position before the last move of the current line, where a variation on that move begins.
    pub fn position_before(&self) -> Option<Position> {
        self.line.has_move.then(|| {
            let mut position = self.line.position;
            position.take_back(&self.line.undo);
            position
        })
    }

    /// The position after the last move of the line that the current one branches off from; `None` in the main line.
    pub fn position_outside(&self) -> Option<Position> {
        self.outer.last().map(|line| line.position)
    }

    /// The format's state in the current line.
    #[inline]
    pub fn state(&self) -> &T {
        &self.line.state
    }

    /// Like [`Replay::state`], mutable.
    #[inline]
    pub fn state_mut(&mut self) -> &mut T {
        &mut self.line.state
    }

    /// The position, and the format's state, mutable.
    #[inline]
    pub fn parts(&mut self) -> (&Position, &mut T) {
        (&self.line.position, &mut self.line.state)
    }

    /// The state before the last move. A variation on this move starts with it, except that it takes the [shared
    /// part](State::carry) from the current state.
    pub fn state_before(&self) -> &T {
        &self.line.before
    }

    /// Saves the state for variations on the move that is about to be played, if the sink takes variations.
    #[inline]
    pub fn keep_state(&mut self) {
        if S::WHOLE {
            self.line.before.clone_from(&self.line.state);
        }
    }

    /// Sets the state after the move that was just played, and saves the previous one for variations on it.
    #[inline]
    pub fn follow(&mut self, after: T) {
        let before = std::mem::replace(&mut self.line.state, after);
        if S::WHOLE {
            self.line.before = before;
        }
    }

    /// Number of half-moves before the next one of the current line.
    pub(crate) fn plies(&self) -> u32 {
        self.line.plies
    }

    /// True if the current line has a move.
    #[inline]
    pub fn has_move(&self) -> bool {
        self.line.has_move
    }

    /// Number of variations that are open.
    #[inline]
    pub fn depth(&self) -> usize {
        self.outer.len()
    }

    /// True when the sink needs no further moves, so that the decoder should stop.
    #[inline]
    pub fn is_done(&self) -> bool {
        !S::WHOLE && self.is_done
    }

    /// Plays a move in the current line.
    ///
    /// # Errors
    /// If the move is illegal or exceeds the limit; nothing is changed.
    // Inlined so that each caller contains only the code for the kind of move that it plays.
    #[inline(always)]
    pub fn play(&mut self, mv: Move) -> Result<(), Unplayed> {
        if self.moves >= self.limits.moves {
            return Err(Unplayed::Limit(self.limits.moves));
        }
        let Line { position, undo, .. } = &mut self.line;
        let san = if S::WHOLE {
            position.play_legal(mv, undo).map_err(Unplayed::Illegal)?
        } else {
            position.advance(mv, undo).map_err(Unplayed::Illegal)?;
            San::NULL
        };
        self.played(mv, san);
        Ok(())
    }

    /// Plays a move whose piece and captured piece are known in the current line. Returns false, and changes nothing,
    /// if the move is not this simple or not legal; the caller then calls [`Self::play`].
    #[inline(always)]
    pub(crate) fn play_step(&mut self, step: Step) -> bool {
        if self.moves >= self.limits.moves {
            return false;
        }
        let Line { position, undo, .. } = &mut self.line;
        let san = if S::WHOLE {
            position.play_step::<true>(step, undo)
        } else {
            position.play_step::<false>(step, undo)
        };
        let Some(san) = san else { return false };
        self.played(Move::normal(step.from(), step.to()), san);
        true
    }

    /// Passes a move that was played to the sink.
    #[inline(always)]
    fn played(&mut self, mv: Move, san: San) {
        if S::WHOLE {
            self.sink.play(mv, san);
            self.line.plies += 1;
        } else {
            let ply = Ply {
                number: self.moves,
                mv,
                position: &self.line.position,
                undo: &self.line.undo,
            };
            self.is_done = self.sink.ply(&ply).is_break();
        }
        self.line.has_move = true;
        self.moves += 1;
    }

    /// Starts a variation on the last move of the current line. Must not be called if the sink takes only the main
    /// line: the decoder then skips variations.
    ///
    /// # Errors
    /// If the line has no move yet, or too many variations are open.
    pub fn start_variation(&mut self) -> Result<(), Fault> {
        let position = self.position_before().ok_or(Fault::NothingToReplace)?;
        if self.outer.len() >= self.limits.depth {
            return Err(Fault::TooDeep(self.limits.depth));
        }
        let mut before = self.line.before.clone();
        before.carry(&self.line.state);
        let inner = Line {
            position,
            undo: Undo::default(),
            has_move: false,
            plies: self.line.plies.saturating_sub(1),
            state: before.clone(),
            before,
        };
        self.outer.push(std::mem::replace(&mut self.line, inner));
        self.sink.start_variation();
        Ok(())
    }

    /// Ends the current variation. Returns false if none is open.
    ///
    /// A variation without moves is removed, and its comments are moved to the move that it would have
    /// replaced.
    pub fn end_variation(&mut self) -> bool {
        let Some(outer) = self.outer.pop() else {
            return false;
        };
        let inner = std::mem::replace(&mut self.line, outer);
        self.line.state.carry(&inner.state);
        self.sink.end_variation(!inner.has_move);
        true
    }

    /// Adds a glyph to the last move of the current line. Ignores 0, and a glyph before the first move.
    #[inline]
    pub fn nag(&mut self, nag: u8) {
        if S::WHOLE && nag != 0 && self.line.has_move {
            self.sink.nag(nag);
        }
    }

    /// Adds a comment after the last move of the current line, or at its start if it has no move yet. Ignores a comment
    /// that has only blanks and control characters.
    pub fn comment(&mut self, text: &str) {
        let is_shown = |c: char| !c.is_whitespace() && !c.is_control();
        if S::WHOLE && text.contains(is_shown) {
            self.sink.comment(text);
        }
    }

    /// Adds a remark where a comment would go. Ignores an empty one.
    #[cold]
    pub fn remark(&mut self, text: &str) {
        if S::WHOLE && !text.is_empty() {
            self.sink.remark(text);
        }
    }

    /// Adds a remark to the current move, and a problem.
    #[cold]
    pub fn fault(&mut self, offset: u64, fault: &Fault) {
        self.fault_with(offset, fault, "");
    }

    /// Like [`Replay::fault`], for a fault with this number of half-moves before it.
    #[cold]
    pub(crate) fn fault_of_ply(&mut self, plies: u32, offset: u64, fault: &Fault) {
        let now = std::mem::replace(&mut self.line.plies, plies);
        self.fault(offset, fault);
        self.line.plies = now;
    }

    /// Like [`Replay::fault`], with a detail that is only added to the remark: it may be long, and the
    /// problems of all games are kept in memory.
    #[cold]
    pub fn fault_with(&mut self, offset: u64, fault: &Fault, detail: &str) {
        self.fault_in(self.origin, offset, fault, detail);
    }

    /// Like [`Replay::fault_with`], for a fault in another file of the database.
    #[cold]
    pub fn fault_in(&mut self, origin: Origin<'_>, offset: u64, fault: &Fault, detail: &str) {
        if let Some(remark) = self.report(origin, offset, fault, detail) {
            self.remark(&remark);
        }
    }

    /// Adds a problem and returns the remark, for a decoder that puts remarks in another place; `None` if the fault is
    /// only counted.
    #[cold]
    pub fn report(&mut self, origin: Origin<'_>, offset: u64, fault: &Fault, detail: &str) -> Option<String> {
        if !self.lists_faults() {
            self.unlisted = self.unlisted.saturating_add(1);
            return None;
        }
        let (mut problem, remark) = fault.report(origin, offset, detail);
        problem.plies = Some(self.line.plies);
        self.problem(problem);
        Some(remark)
    }

    /// False if further faults are only counted, so that their details are not needed.
    pub fn lists_faults(&self) -> bool {
        S::WHOLE && self.problems.len() < MOST_REMARKS
    }

    /// Adds a problem without a remark in the game.
    #[cold]
    pub fn problem(&mut self, problem: Problem) {
        if S::WHOLE {
            self.problems.push(problem);
        }
    }

    /// Adds a problem about something odd. No part of the game is lost by it.
    #[cold]
    pub fn doubt(&mut self, offset: u64, what: impl Into<Cow<'static, str>>) {
        let what = what.into().into_owned();
        self.problem(Problem::new(ProblemKind::Doubt, self.origin.file, offset, what));
    }

    /// Closes open variations and returns the output of the sink and the problems.
    pub fn finish(mut self) -> (S::Output, Vec<Problem>) {
        while self.end_variation() {}
        if self.unlisted > 0 {
            let Origin { file, .. } = self.origin;
            let what = format!("{} more faults in this game are not listed", self.unlisted);
            self.sink.remark(&what);
            self.problems
                .push(Problem::new(ProblemKind::Limit, file, None, what));
        }
        (self.sink.finish(), self.problems)
    }
}

/// Why a move was not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unplayed {
    /// It breaks a rule.
    Illegal(Illegal),
    /// The game already has this many moves.
    Limit(u32),
}

/// Passes the moves of a main line to `each`. `begin` finds them without decoding the whole game; if it returns false
/// because it cannot tell how the line continues, `game` decodes the game for the remaining moves.
pub(crate) fn main_line_or(
    each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>,
    begin: impl FnOnce(CountedLine<'_>) -> bool,
    game: impl FnOnce() -> Game,
) {
    let mut passed = Some(0);
    let line = CountedLine {
        each,
        passed: &mut passed,
    };
    if !begin(line)
        && let Some(passed) = passed
    {
        main_line(&game(), &mut |ply| {
            if ply.number < passed {
                ControlFlow::Continue(())
            } else {
                each(ply)
            }
        });
    }
}

/// Passes the moves of a decoded game's main line to `each` until it breaks.
pub fn main_line(game: &Game, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
    let start = game.start().unwrap_or_default();
    let mut replay = Replay::new(MainLine(each), start, (), Limits::NONE, Origin::default());
    for (_, mv) in game.movetext.main_line() {
        let played = replay.play(mv.unpack());
        if played.is_err() || replay.is_done() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    /// A state for tests: all lines share the largest number so far.
    #[derive(Clone, Debug, Default)]
    struct Highest(u32);

    impl State for Highest {
        fn carry(&mut self, left: &Highest) {
            self.0 = self.0.max(left.0);
        }
    }

    #[test]
    fn what_lines_share_goes_into_variations_and_out_of_them() {
        let start = Position::initial();
        let sink = Tree::beginning(&start, 1, 0);
        let mut replay = Replay::new(sink, start, Highest(1), Limits::NONE, Origin::default());
        replay.play(Move::normal(Square::E2, Square::E4)).unwrap();
        replay.follow(Highest(2));
        assert_eq!(replay.state_before().0, 1);
        // The variation begins before the move, but has the shared part of the state after it.
        replay.start_variation().unwrap();
        assert_eq!((replay.state().0, replay.state_before().0), (2, 2));
        replay.play(Move::normal(Square::D2, Square::D4)).unwrap();
        replay.follow(Highest(3));
        assert!(replay.end_variation());
        assert_eq!(replay.state().0, 3);
        replay.start_variation().unwrap();
        assert_eq!(replay.state().0, 3);
    }
}
