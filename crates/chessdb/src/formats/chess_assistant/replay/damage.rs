//! Damage to a record: lines that end early, remarks, and problems (section 9).

use super::super::codes::{BadCode, Code, CodedMove, read};
use super::super::pieces::{DecodedMove, Pieces, is_possible};
use super::{Replaying, origin};
use crate::board::Position;
use crate::replay::{Fault, Notation, Sink, StoredLine, Unplayed};

/// An oddity that loses nothing: its first offset and number of occurrences.
#[derive(Clone, Copy, Default)]
pub(super) struct Doubt {
    first: usize,
    count: u32,
}

impl Doubt {
    pub(super) fn add(&mut self, at: usize) {
        if self.count == 0 {
            self.first = at;
        }
        self.count = self.count.saturating_add(1);
    }
}

impl<S: Sink> Replaying<'_, S> {
    /// Ends the current line because of an impossible move.
    #[cold]
    pub(super) fn impossible(&mut self, at: usize, fault: &Fault) {
        let remark = self.remark(at, fault, "");
        self.line.remark = Some(remark);
        self.line.end = self.line.at;
    }

    #[cold]
    pub(super) fn unplayed(&mut self, unplayed: Unplayed, meant: DecodedMove, at: usize) {
        let rest = match unplayed {
            Unplayed::Illegal(illegal) if illegal.is_pseudo_legal() => {
                let (position, pieces) = (*self.position(), self.line.pieces);
                self.stored_rest(position, pieces, meant, self.line.at, self.line.end)
            }
            _ => String::new(),
        };
        let remark = self.remark(at, &unplayed.into(), &rest);
        self.line.remark = Some(remark);
        self.line.end = self.line.at;
    }

    /// The rest of a line from a move that leaves the king in check, as the detail of a remark. `pieces` already
    /// include this move; the codes after it are from `at` to `end`.
    pub(super) fn stored_rest(
        &mut self,
        position: Position,
        mut pieces: Pieces,
        mut meant: DecodedMove,
        mut at: usize,
        end: usize,
    ) -> String {
        let mut line = StoredLine::new(position, (), Notation::Long);
        loop {
            line.play(meant.mv, ());
            let stored = loop {
                match read(self.source.record.codes, at) {
                    Ok(Some((code, size))) if at < end => match code {
                        Code::Move(stored) => {
                            at += size;
                            break stored;
                        }
                        Code::VariationStart => at = self.span(at).end + 1,
                        _ => at += size,
                    },
                    _ => return line.detail(),
                }
            };
            let position = line.position();
            match pieces.find(stored, position.turn(), self.source.reading) {
                Ok(next) if is_possible(position.test(next.mv)) => {
                    pieces.follow(position, next);
                    meant = next;
                }
                _ => {
                    line.word("...");
                    return line.detail();
                }
            }
        }
    }

    /// The remark for a variation whose first move cannot be played.
    pub(super) fn why_no_move(
        &mut self,
        stored: CodedMove,
        at: usize,
        (next, end): (usize, usize),
        position: &Position,
        mut pieces: Pieces,
    ) -> String {
        let meant = match pieces.find(stored, position.turn(), self.source.reading) {
            Ok(meant) => meant,
            Err(none) => return self.remark(at, &Fault::damage(none.to_string()), ""),
        };
        match position.test(meant.mv) {
            Err(illegal) if illegal.is_pseudo_legal() => {
                pieces.follow(position, meant);
                let rest = self.stored_rest(*position, pieces, meant, next, end);
                self.remark(at, &Fault::Illegal(illegal), &rest)
            }
            Err(illegal) => self.remark(at, &Fault::Illegal(illegal), ""),
            Ok(()) => String::new(),
        }
    }

    /// Reports why the codes of the main line end early.
    pub(super) fn report_early_end(&mut self) {
        let open = self.outline.as_ref().map_or(0, |outline| outline.open);
        let ended = self.ended.take().or_else(|| {
            let is_cut = self.source.record.missing > 0;
            is_cut.then(|| (self.source.record.codes.len(), self.missing()))
        });
        let (at, fault) = match (ended, open) {
            (None, 0) => return,
            (Some(ended), _) => ended,
            (None, _) => (self.source.record.codes.len(), Fault::OpenVariations),
        };
        let remark = self.remark(at, &fault, "");
        self.replay.remark(&remark);
    }

    /// Adds a problem and returns its remark.
    pub(super) fn remark(&mut self, at: usize, fault: &Fault, rest: &str) -> String {
        self.is_clean = false;
        let offset = (self.source.record.start + at) as u64;
        let origin = origin(self.source.file);
        let remark = self.replay.report(origin, offset, fault, rest);
        remark.unwrap_or_default()
    }

    pub(super) fn report_doubts(&mut self) {
        let doubts = [
            (self.stray_ends, Fault::StrayEnd.to_string()),
            (self.blank_comments, "a comment has no bytes".to_owned()),
        ];
        for (doubt, what) in doubts {
            let what = match doubt.count {
                0 => continue,
                1 => what,
                count => format!("{what}: here and {} times more", count - 1),
            };
            let offset = (self.source.record.start + doubt.first) as u64;
            self.replay.doubt(offset, what);
        }
    }

    pub(super) fn fault_of(&self, bad: BadCode) -> Fault {
        if bad == BadCode::Cut && self.source.record.missing > 0 {
            self.missing()
        } else {
            Fault::damage(bad.to_string())
        }
    }

    fn missing(&self) -> Fault {
        let missing = self.source.record.missing;
        Fault::damage(format!("the file ends {missing} bytes before the game does"))
    }
}
