//! Variations, including ones before the first move of their line (section 3.5).

use super::decode::Decoder;
use super::tokens::{Cursor, MoveToken, Variation};
use crate::replay::{Fault, Notation, Sink};

/// A part of the data that is read later.
pub(super) enum Frame {
    /// The rest of the line at this depth.
    Line(Cursor, usize),
    /// A variation of the line's first move.
    Variation(Cursor, usize),
}

impl<S: Sink> Decoder<'_, S> {
    /// Begins a variation of the last move. At the start of a line there is no move to replace, so the variation is put
    /// off until the first move was played.
    pub(super) fn start_variation(&mut self, at: usize) {
        if !S::WHOLE {
            return self.skip_variation();
        }
        match self.replay.start_variation() {
            Ok(()) => {}
            Err(Fault::NothingToReplace) => self.put_off_variation(at),
            Err(fault) => {
                self.too_deep(at, &fault);
                self.skip_variation();
            }
        }
    }

    /// Reports the first variation that is nested too deeply.
    fn too_deep(&mut self, at: usize, fault: &Fault) {
        if !self.is_too_deep {
            self.is_too_deep = true;
            self.fault(at, fault);
        }
    }

    fn skip_variation(&mut self) {
        if self.tokens.skip_line(&mut self.cursor, true) {
            // The end of the skipped part.
            self.tokens.next(&mut self.cursor);
        }
    }

    /// Postpones a variation before the first move of its line until after that move.
    #[cold]
    fn put_off_variation(&mut self, at: usize) {
        let Some(variation) = self.variation(at + 1) else {
            return;
        };
        self.early.push((self.replay.depth(), variation.inside));
        self.cursor.go_to(variation.after);
    }

    /// The variation whose contents begin here.
    pub(super) fn variation(&mut self, inside: usize) -> Option<Variation> {
        let tokens = self.tokens;
        let variations = self.variations.get_or_insert_with(|| tokens.variations());
        let found = variations.binary_search_by_key(&inside, |variation| variation.inside.at);
        variations.get(found.ok()?).copied()
    }

    /// Replays the variations that came before the first move of the line, which has now been played.
    #[cold]
    pub(super) fn replay_early(&mut self) {
        let depth = self.replay.depth();
        if self.early.last().is_none_or(|(line, _)| *line != depth) {
            return;
        }
        self.frames.push(Frame::Line(self.cursor, depth));
        while let Some((_, variation)) = self.early.pop_if(|(line, _)| *line == depth) {
            self.frames.push(Frame::Variation(variation, depth));
        }
        self.cursor.end = self.cursor.at;
    }

    /// Writes variations as comments if the first move of their line is missing. A variation without moves keeps its
    /// comments.
    pub(super) fn show_early(&mut self) {
        let depth = self.replay.depth();
        if self.replay.has_move() {
            return;
        }
        let first = self.early.partition_point(|(line, _)| *line < depth);
        for (_, mut variation) in self.early.split_off(first) {
            if self.variation(variation.at).is_some_and(|found| !found.has_move) {
                let tokens = self.tokens;
                while let Some(token) = tokens.next(&mut variation) {
                    if let MoveToken::Text(byte, text) = token {
                        self.comment(byte, text);
                    }
                }
                continue;
            }
            let position = *self.replay.position();
            let text = self.unplayed(position, &mut variation, Notation::San, true);
            self.replay.comment(&format!("({text})"));
        }
    }

    /// Ends the innermost variation.
    pub(super) fn end_variation(&mut self, at: usize) {
        if self.replay.depth() > 0 {
            self.close_line();
        } else if !self.has_stray_end {
            self.has_stray_end = true;
            self.fault(at, &Fault::StrayEnd);
        }
    }

    /// Leaves the line of a variation.
    pub(super) fn close_line(&mut self) {
        self.show_early();
        self.replay.end_variation();
    }

    /// Continues with the next postponed part. Returns false if nothing was postponed.
    pub(super) fn next_frame(&mut self) -> bool {
        let (depth, cursor, is_variation) = match self.frames.pop() {
            Some(Frame::Line(cursor, depth)) => (depth, cursor, false),
            Some(Frame::Variation(cursor, depth)) => (depth, cursor, true),
            None => return false,
        };
        while self.replay.depth() > depth {
            self.close_line();
        }
        if is_variation && let Err(fault) = self.replay.start_variation() {
            self.too_deep(cursor.at, &fault);
            return true;
        }
        self.cursor = cursor;
        true
    }
}
