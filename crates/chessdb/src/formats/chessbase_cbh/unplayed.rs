//! Lines that cannot be played. A remark shows them as text (sections 7.4 and 14.2).

use std::ops::Range;

use super::codes::{Cursor, Encoding, NoItem, Stored};
use super::decode::{Game, LIMITS, Next, Pending, meaning};
use super::pieces::{Pieces, Played, kind};
use crate::board::Role;
use crate::replay::{Fault, Notation, Sink, StoredLine};

/// A remark has this in place of moves that are missing or not shown.
const LEFT_OUT: &str = "...";

/// The rest of a line from its first move that cannot be played, with its variations.
pub(super) struct UnplayedLine {
    line: StoredLine<Pieces>,
    /// The fault, its place, and what the remark has before the moves.
    fault: (u64, Fault, String),
    /// The comments on its moves.
    comments: String,
}

impl<E: Encoding, S: Sink> Game<'_, E, S> {
    /// Stops playing the current line. The rest of it becomes text.
    #[cold]
    pub(super) fn leave(&mut self, offset: u64, fault: Fault, detail: String) {
        self.is_whole &= self.replay.depth() > 0;
        let (position, pieces) = (*self.replay.position(), *self.replay.state());
        self.unplayed = Some(UnplayedLine {
            line: StoredLine::new(position, pieces, Notation::Long),
            fault: (offset, fault, detail),
            comments: String::new(),
        });
    }

    /// Adds a move to the line that is not played, and goes to its first variation, if it has any.
    #[cold]
    pub(super) fn unplayed_move(
        &mut self,
        stored: Stored,
        ends_line: bool,
        place: Cursor,
        variations: Range<u32>,
        cursor: &mut Cursor,
    ) -> Next {
        let Some(UnplayedLine { line, comments, .. }) = &mut self.unplayed else {
            return Next::EndOfLine;
        };
        if place.moves >= LIMITS.moves {
            line.word(LEFT_OUT);
            return Next::EndOfGame;
        }
        // An alternative to the first move of a variation becomes another variation of the same move.
        let is_first = line.depth() > 0 && !line.has_move();
        match meaning(stored, line.position(), line.state(), self.is_chess960) {
            Some(mv) => {
                let mut pieces = *line.state();
                pieces.follow(line.position().turn(), &Played::of(line.position(), mv));
                line.play(mv, pieces);
            }
            None => line.pass(format_args!("{}?", letter(stored))),
        }
        self.annotations.append_comments(place.moves, comments);
        if !variations.is_empty() {
            if !is_first {
                let rest = (!ends_line).then_some(*cursor);
                self.pending.push(Pending::Rest(rest));
            }
            self.add_variations(variations);
            if !is_first {
                return self.next_unplayed(cursor);
            }
        }
        if ends_line { Next::EndOfLine } else { Next::Item }
    }

    /// Goes on after a variation of the line that is not played.
    fn next_unplayed(&mut self, cursor: &mut Cursor) -> Next {
        while let Some(pending) = self.pending.pop() {
            match (pending, &mut self.unplayed) {
                (Pending::Variation(start), Some(UnplayedLine { line, .. })) => {
                    if line.depth() < LIMITS.depth && line.start_variation() {
                        *cursor = start;
                        return Next::Item;
                    }
                    line.word(format_args!("({LEFT_OUT})"));
                }
                (Pending::Rest(Some(rest)), _) => {
                    *cursor = rest;
                    return Next::Item;
                }
                _ => return Next::EndOfLine,
            }
        }
        Next::EndOfLine
    }

    /// Ends a line that is not played and has no mark of its end. The text shows that the line is cut.
    #[cold]
    pub(super) fn no_unplayed_item(&mut self, reason: NoItem) -> Next {
        let may_end = reason == NoItem::End && self.encoding.may_end_without_mark() && !self.record.is_cut;
        if let Some(UnplayedLine { line, .. }) = &mut self.unplayed
            && (line.depth() > 0 || self.replay.depth() > 0 || !may_end)
        {
            line.word(LEFT_OUT);
        }
        Next::EndOfLine
    }

    /// Handles the end of a line in text that is not played. `None` if the whole unplayed line has ended.
    #[cold]
    pub(super) fn end_unplayed(&mut self, cursor: &mut Cursor) -> Option<Next> {
        let unplayed = self.unplayed.as_mut()?;
        if unplayed.line.end_variation() {
            return Some(self.next_unplayed(cursor));
        }
        self.report_unplayed();
        None
    }

    /// Reports the line that is not played, if there is one.
    pub(super) fn report_unplayed(&mut self) {
        let Some(UnplayedLine {
            line,
            fault,
            comments,
        }) = self.unplayed.take()
        else {
            return;
        };
        let (offset, fault, detail) = fault;
        self.replay.fault_with(offset, &fault, &(detail + &line.detail()));
        self.replay.comment(&comments);
    }
}

/// The letter of the piece that a move is of.
fn letter(stored: Stored) -> char {
    let role = match stored {
        Stored::Step { slot, .. } => kind(slot),
        _ => Role::King,
    };
    role.upper_char()
}
