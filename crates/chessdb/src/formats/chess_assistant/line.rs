//! Lines of a game while they are read: the main line, variations, and variations that are written as text.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::annotation::Glyph;
use super::outline::Span;
use super::pieces::Pieces;
use crate::board::{Illegal, LongMove, Move, Position};

/// A line whose codes are being read.
pub(super) struct OpenLine {
    /// Place of the next code.
    pub(super) at: usize,
    /// Place after the last code.
    pub(super) end: usize,
    pub(super) has_move: bool,
    pub(super) pieces: Pieces,
    /// The pieces before the last move, for variations that replace it.
    pub(super) before: Pieces,
    /// Items that belong to the next move.
    pub(super) waiting: Vec<Waiting>,
    /// Number of items in `waiting` whose variations have been written as text.
    pub(super) rendered: usize,
    /// Alternatives to the last move, which are read after the annotations of the move.
    pub(super) owed: VecDeque<Span>,
    /// Why the line ends early.
    pub(super) remark: Option<String>,
    pub(super) form: Form,
}

/// The output of a line.
pub(super) enum Form {
    /// Movetext: the main line, or an open variation.
    Movetext,
    /// A comment in long algebraic notation (section 7.3).
    Text(Box<TextLine>),
}

/// An item that belongs to the next move of a line.
pub(super) enum Waiting {
    Text(Cow<'static, str>),
    Remark(String),
    Glyph(Glyph),
    /// An alternative to the next move.
    Variation(Span),
    /// A variation without a move to replace, which is written as text.
    Stray(Span),
    /// The text of such a variation.
    Rendered(String),
}

impl OpenLine {
    pub(super) fn new(at: usize, end: usize, pieces: Pieces, form: Form) -> OpenLine {
        OpenLine {
            at,
            end,
            has_move: false,
            pieces,
            before: Pieces::empty(),
            waiting: Vec::new(),
            rendered: 0,
            owed: VecDeque::new(),
            remark: None,
            form,
        }
    }

    /// The next variation to be written as text, and its index.
    pub(super) fn next_stray(&mut self) -> Option<(usize, Span)> {
        while let Some(waiting) = self.waiting.get(self.rendered) {
            let place = self.rendered;
            self.rendered += 1;
            if let Waiting::Stray(span) = *waiting {
                return Some((place, span));
            }
        }
        None
    }

    /// Marks waiting variations to be written as text, because no move follows.
    pub(super) fn strand_variations(&mut self) {
        for waiting in &mut self.waiting {
            if let Waiting::Variation(span) = *waiting {
                *waiting = Waiting::Stray(span);
                self.rendered = 0;
            }
        }
    }
}

/// A line in long algebraic notation: `d7d5 e4d5 $1 [text] (g8f6)`.
pub(super) struct TextLine {
    text: String,
    pub(super) position: Position,
    /// The position before the last move.
    pub(super) before: Position,
    /// Glyphs of the last move.
    nags: Vec<u8>,
    /// Place in `text` for its next glyph, before the other annotations of the move.
    nag_place: usize,
    /// Index of this text among the waiting items of the outer line; `None` for an alternative to its last
    /// move.
    pub(super) slot: Option<usize>,
}

impl TextLine {
    pub(super) fn new(position: Position, slot: Option<usize>) -> TextLine {
        TextLine {
            text: String::from("("),
            position,
            before: position,
            nags: Vec::new(),
            nag_place: 1,
            slot,
        }
    }

    /// Appends an item, with a space before it unless it is the first.
    pub(super) fn append(&mut self, item: &str) {
        if self.text.len() > 1 {
            self.text.push(' ');
        }
        self.text.push_str(item);
    }

    pub(super) fn play(&mut self, mv: Move) -> Result<(), Illegal> {
        self.position.test(mv)?;
        self.append(&LongMove(&self.position, mv).to_string());
        self.before = self.position;
        self.position.play(mv);
        self.nags.clear();
        self.nag_place = self.text.len();
        Ok(())
    }

    /// Adds a glyph to the last move, unless the move already has it.
    pub(super) fn nag(&mut self, nag: u8) {
        if !self.nags.contains(&nag) {
            self.nags.push(nag);
            let sign = format!(" ${nag}");
            self.text.insert_str(self.nag_place, &sign);
            self.nag_place += sign.len();
        }
    }

    pub(super) fn comment(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.append("[");
            self.text.push_str(text);
            self.text.push(']');
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push(')');
        self.text
    }
}
