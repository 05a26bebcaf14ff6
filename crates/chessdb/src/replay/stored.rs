//! Moves that PGN cannot represent, as text for a remark or a comment.

use std::fmt::{Display, Write};

use super::State;
use crate::board::{LongMove, Move, Position, Undo};

/// Notation of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notation {
    /// `e2e4`, which does not depend on the rules.
    Long,
    /// SAN while the moves are legal.
    San,
}

/// Builds the text of a line of moves, legal or not: `e2e4 e7e5 (c7c5 g1f3) g1f3`.
///
/// `T` is the format's state for each line, as in a [`Replay`](super::Replay).
#[derive(Debug)]
pub struct StoredLine<T = ()> {
    line: StoredFrame<T>,
    outer: Vec<StoredFrame<T>>,
    notation: Notation,
    text: String,
}

#[derive(Clone, Debug)]
struct StoredFrame<T> {
    position: Position,
    state: T,
    /// Position and state where a variation on the last move starts.
    before: Option<Box<(Position, T)>>,
}

impl<T: State> StoredLine<T> {
    /// A line that continues from a position.
    pub fn new(position: Position, state: T, notation: Notation) -> StoredLine<T> {
        StoredLine {
            line: StoredFrame {
                position,
                state,
                before: None,
            },
            outer: Vec::new(),
            notation,
            text: String::new(),
        }
    }

    /// The position after the last move.
    pub fn position(&self) -> &Position {
        &self.line.position
    }

    /// The format's state.
    pub fn state(&self) -> &T {
        &self.line.state
    }

    /// Plays a move, legal or not. `after` is the format's new state.
    pub fn play(&mut self, mv: Move, after: T) {
        let before = self.line.position;
        let position = &mut self.line.position;
        match position.play_legal(mv, &mut Undo::default()) {
            Ok(san) if self.notation == Notation::San => self.word(san),
            Ok(_) => self.word(LongMove(&before, mv)),
            Err(_) => {
                position.play(mv);
                self.word(LongMove(&before, mv));
            }
        }
        let state = std::mem::replace(&mut self.line.state, after);
        self.line.before = Some(Box::new((before, state)));
    }

    /// Passes the turn, for a move that is known only by this word.
    pub fn pass(&mut self, word: impl Display) {
        let before = (self.line.position, self.line.state.clone());
        self.line.position.play(Move::Null);
        self.word(word);
        self.line.before = Some(Box::new(before));
    }

    /// True if the current line has a move.
    pub fn has_move(&self) -> bool {
        self.line.before.is_some()
    }

    /// Appends a word.
    pub fn word(&mut self, word: impl Display) {
        if !self.text.is_empty() && !self.text.ends_with('(') {
            self.text.push(' ');
        }
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{word}");
    }

    /// Number of variations that are open.
    pub fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Begins a variation on the last move. Returns false if the line has no move yet.
    pub fn start_variation(&mut self) -> bool {
        let Some((position, mut state)) = self.line.before.as_deref().cloned() else {
            return false;
        };
        state.carry(&self.line.state);
        self.start_line(position, state);
        true
    }

    /// Begins a variation on the last move. In a line without a move, it is a variation on the missing first move.
    pub(crate) fn start_early_variation(&mut self) {
        if !self.start_variation() {
            self.start_line(self.line.position, self.line.state.clone());
        }
    }

    fn start_line(&mut self, position: Position, state: T) {
        let inner = StoredFrame {
            position,
            state,
            before: None,
        };
        self.outer.push(std::mem::replace(&mut self.line, inner));
        self.word('(');
    }

    /// Ends a variation. Returns false if none is open.
    pub fn end_variation(&mut self) -> bool {
        match self.outer.pop() {
            Some(outer) => {
                let inner = std::mem::replace(&mut self.line, outer);
                self.line.state.carry(&inner.state);
                self.text.push(')');
                true
            }
            None => false,
        }
    }

    /// Closes open variations and returns the text.
    pub fn finish(mut self) -> String {
        while self.end_variation() {}
        self.text
    }

    /// Returns the text as the detail of a remark.
    pub fn detail(self) -> String {
        match self.finish().as_str() {
            "" => String::new(),
            text => format!("; the stored line goes on {text}"),
        }
    }
}
