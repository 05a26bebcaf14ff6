//! Variations. They are skipped where they are stored, and read where PGN needs them (sections 6.8 and 7.3 to 7.4).

use super::super::codes::{Code, read};
use super::super::line::{Form, OpenLine, TextLine, Waiting};
use super::super::outline::{Outline, Span};
use super::super::pieces::Pieces;
use super::super::reading::Side;
use super::Replaying;
use crate::board::Position;
use crate::replay::{Fault, Sink};

impl<S: Sink> Replaying<'_, S> {
    /// The variation that begins at this place.
    pub(super) fn span(&mut self, start: usize) -> Span {
        let codes = self.source.record.codes;
        let is_main = self.outline.is_none();
        let outline = self.outline.get_or_insert_with(|| Outline::new(codes, start));
        let span = outline.span(start).unwrap_or(Span {
            start,
            end: outline.end,
        });
        if is_main {
            let (end, bad) = (outline.end, outline.bad);
            self.line.end = end;
            self.ended = bad.map(|bad| (end, self.fault_of(bad)));
        }
        span
    }

    /// Handles the start of a variation, which waits for its move or for the annotations of that move.
    pub(super) fn variation(&mut self, at: usize) {
        let span = self.span(at);
        if self.source.reading.variations == Side::After {
            if !self.line.has_move {
                self.line.at = span.end + 1;
                return self.impossible(at, &Fault::NothingToReplace);
            }
            let position = self.position_before();
            if !S::WHOLE {
                // The sink takes only the main line.
            } else if self.has_moves(span, &position, &self.line.before) {
                self.line.owed.push_back(span);
            } else {
                self.empty_variation(span, position, self.line.before);
            }
        } else if S::WHOLE && self.has_moves(span, self.position(), &self.line.pieces) {
            self.line.waiting.push(Waiting::Variation(span));
        } else if S::WHOLE {
            self.empty_variation(span, *self.position(), self.line.pieces);
        }
        self.line.at = span.end + 1;
    }

    /// True if the first move of a variation can be played.
    pub(super) fn has_moves(&self, span: Span, position: &Position, pieces: &Pieces) -> bool {
        let mut at = span.start + 1;
        while at < span.end {
            match read(self.source.record.codes, at) {
                Ok(Some((Code::Move(stored), _))) => {
                    let meant = pieces.find(stored, position.turn(), self.source.reading);
                    return meant.is_ok_and(|meant| position.test(meant.mv).is_ok());
                }
                Ok(Some((Code::VariationStart, _))) => match self.outline.as_ref() {
                    Some(outline) if self.source.reading.variations == Side::Before => {
                        at = outline.span(at).map_or(span.end, |inner| inner.end + 1);
                    }
                    _ => return false,
                },
                Ok(Some((_, size))) => at += size,
                _ => return false,
            }
        }
        false
    }

    /// Moves the contents of a variation without moves in front of the next move (section 7.4).
    pub(super) fn empty_variation(&mut self, span: Span, position: Position, pieces: Pieces) {
        let mut ends = vec![span.end];
        let mut at = span.start + 1;
        while at < span.end {
            let Ok(Some((code, size))) = read(self.source.record.codes, at) else {
                return;
            };
            let from = at;
            at += size;
            let why = match code {
                Code::Comment(body) => {
                    let has_move = std::mem::replace(&mut self.line.has_move, false);
                    self.comment(body, from);
                    self.line.has_move = has_move;
                    continue;
                }
                Code::VariationEnd => {
                    ends.pop();
                    continue;
                }
                Code::VariationStart if self.source.reading.variations == Side::Before => {
                    let inner = self.span(from);
                    if self.has_moves(inner, &position, &pieces) {
                        self.line.waiting.push(Waiting::Stray(inner));
                        at = inner.end + 1;
                    } else {
                        ends.push(inner.end);
                    }
                    continue;
                }
                Code::VariationStart => self.remark(from, &Fault::NothingToReplace, ""),
                Code::Move(stored) => {
                    let end = ends.last().copied().unwrap_or(span.end);
                    self.why_no_move(stored, from, (at, end), &position, pieces)
                }
                Code::Mark | Code::SetUp(_) => continue,
            };
            self.line.waiting.push(Waiting::Remark(why));
            // The rest of this variation is skipped.
            at = ends.pop().map_or(span.end, |end| end + 1);
        }
    }

    /// Begins the next variation that must be read before the next move. Returns false if no variation is waiting.
    pub(super) fn enter_variation(&mut self) -> bool {
        let (span, slot) = match self.line.owed.pop_front() {
            Some(span) => (span, None),
            None => match self.line.next_stray() {
                Some((slot, span)) => (span, Some(slot)),
                None => return false,
            },
        };
        let (position, pieces) = match slot {
            Some(_) => (*self.position(), self.line.pieces),
            None => (self.position_before(), self.line.before),
        };
        let is_text = slot.is_some() || matches!(self.line.form, Form::Text(_));
        let form = if is_text {
            Form::Text(Box::new(TextLine::new(position, slot)))
        } else if self.replay.start_variation().is_ok() {
            Form::Movetext
        } else {
            return false;
        };
        let inner = OpenLine::new(span.start + 1, span.end, pieces, form);
        self.outer.push(std::mem::replace(&mut self.line, inner));
        true
    }

    /// Ends the current line, or begins a variation that must be read first. Returns true at the end of the main line.
    pub(super) fn close(&mut self) -> bool {
        if self.enter_variation() {
            return false;
        }
        self.line.strand_variations();
        if self.enter_variation() {
            return false;
        }
        for waiting in std::mem::take(&mut self.line.waiting) {
            match waiting {
                Waiting::Text(text) => self.text_comment(&text),
                Waiting::Remark(remark) => self.replay.remark(&remark),
                Waiting::Glyph(glyph) if self.line.has_move => self.nag(glyph.nag),
                Waiting::Glyph(glyph) => self.text_comment(glyph.sign),
                Waiting::Rendered(text) => match &mut self.line.form {
                    Form::Movetext => self.replay.comment(&text),
                    Form::Text(line) => line.append(&text),
                },
                Waiting::Variation(_) | Waiting::Stray(_) => {}
            }
        }
        if let Some(remark) = self.line.remark.take() {
            self.replay.remark(&remark);
        } else if self.outer.is_empty() {
            self.report_early_end();
        }
        let Some(outer) = self.outer.pop() else {
            return true;
        };
        let inner = std::mem::replace(&mut self.line, outer);
        match inner.form {
            Form::Movetext => {
                self.replay.end_variation();
            }
            Form::Text(text) => {
                let slot = text.slot;
                let text = text.finish();
                match (slot, &mut self.line.form) {
                    (Some(slot), _) => {
                        if let Some(place) = self.line.waiting.get_mut(slot) {
                            *place = Waiting::Rendered(text);
                        }
                    }
                    (None, Form::Text(line)) => line.append(&text),
                    (None, Form::Movetext) => {}
                }
            }
        }
        false
    }
}
