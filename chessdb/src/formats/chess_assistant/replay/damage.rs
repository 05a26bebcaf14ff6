//! What is wrong with a record: lines that end early, remarks, and rows of the problems (section 9).

use std::borrow::Cow;

use super::super::codes::{BadCode, Code, StoredMove, read};
use super::super::pieces::{Meant, Pieces, is_possible};
use super::Replaying;
use crate::board::{Illegal, LongMove, Position};
use crate::formats::Problem;

/// An oddity that costs nothing: its first place, and how often it occurs.
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

impl Replaying<'_> {
    /// Ends the current line for a move that cannot be.
    #[cold]
    pub(super) fn impossible(&mut self, at: usize, reason: &str) {
        let remark = self.remark(at, reason, "");
        self.line.remark = Some(remark);
        self.line.end = self.line.at;
    }

    #[cold]
    pub(super) fn illegal(&mut self, illegal: Illegal, meant: Meant, at: usize) {
        let rest = if illegal.is_pseudo_legal() {
            let (position, pieces) = (*self.position(), self.line.pieces);
            self.stored_rest(position, pieces, meant, self.line.at, self.line.end)
        } else {
            String::new()
        };
        let remark = self.remark(at, &illegal.to_string(), &rest);
        self.line.remark = Some(remark);
        self.line.end = self.line.at;
    }

    /// The moves of a line from one on that hurts the king's safety, in long algebraic notation. `pieces` have
    /// followed it already; the codes behind it are those from `at` to `end`.
    pub(super) fn stored_rest(
        &mut self,
        mut position: Position,
        mut pieces: Pieces,
        mut meant: Meant,
        mut at: usize,
        end: usize,
    ) -> String {
        let mut rest = String::from("; the stored line goes on");
        loop {
            rest.push(' ');
            rest.push_str(&LongMove(&position, meant.mv).to_string());
            position.play(meant.mv);
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
                    _ => return rest,
                }
            };
            match pieces.find(stored, position.turn(), self.source.reading) {
                Ok(next) if is_possible(position.test(next.mv)) => {
                    pieces.follow(&position, next);
                    meant = next;
                }
                _ => return rest + " ...",
            }
        }
    }

    /// The remark on the first move of a variation, which cannot be played.
    pub(super) fn why_no_move(
        &mut self,
        stored: StoredMove,
        at: usize,
        (next, end): (usize, usize),
        position: &Position,
        mut pieces: Pieces,
    ) -> String {
        let meant = match pieces.find(stored, position.turn(), self.source.reading) {
            Ok(meant) => meant,
            Err(none) => return self.remark(at, &none.to_string(), ""),
        };
        match position.test(meant.mv) {
            Err(illegal) if illegal.is_pseudo_legal() => {
                pieces.follow(position, meant);
                let rest = self.stored_rest(*position, pieces, meant, next, end);
                self.remark(at, &illegal.to_string(), &rest)
            }
            Err(illegal) => self.remark(at, &illegal.to_string(), ""),
            Ok(()) => String::new(),
        }
    }

    /// What is wrong where the codes of the main line end.
    pub(super) fn say_how_it_ends(&mut self) {
        let open = self.outline.as_ref().map_or(0, |outline| outline.open);
        let ended = self.ended.take().or_else(|| {
            let is_cut = self.source.record.missing > 0;
            is_cut.then(|| {
                let reason = Cow::Owned(self.describe_missing());
                (self.source.record.codes.len(), reason)
            })
        });
        let not_closed = format!("{open} variations are not closed");
        let (at, reason) = match (ended, open) {
            (None, 0) => return,
            (Some(ended), 0) => ended,
            (None, _) => (self.source.record.codes.len(), Cow::Owned(not_closed)),
            (Some((at, reason)), _) => (at, Cow::Owned(format!("{reason}, and {not_closed}"))),
        };
        let remark = self.remark(at, &reason, "");
        self.say(&remark);
    }

    /// A remark, which makes a row in the problems as well.
    pub(super) fn remark(&mut self, at: usize, reason: &str, rest: &str) -> String {
        self.is_clean = false;
        let offset = self.source.record.start + at;
        self.problem(at, reason.to_owned());
        format!("pgnfs: {reason} at byte {offset} of {}{rest}", self.source.file)
    }

    pub(super) fn problem(&mut self, at: usize, what: String) {
        self.problems.push(Problem {
            file: self.source.file.to_owned(),
            offset: Some((self.source.record.start + at) as u64),
            what,
        });
    }

    pub(super) fn report_doubts(&mut self) {
        let doubts = [
            (self.stray_ends, "a variation ends that did not begin"),
            (self.blank_comments, "a comment has no bytes"),
        ];
        for (doubt, what) in doubts {
            match doubt.count {
                0 => {}
                1 => self.problem(doubt.first, what.to_owned()),
                count => self.problem(doubt.first, format!("{what}: here and {} times more", count - 1)),
            }
        }
    }

    pub(super) fn reason_of(&self, bad: BadCode) -> Cow<'static, str> {
        if bad == BadCode::Cut && self.source.record.missing > 0 {
            Cow::Owned(self.describe_missing())
        } else {
            Cow::Owned(bad.to_string())
        }
    }

    pub(super) fn describe_missing(&self) -> String {
        format!(
            "the file ends {} bytes before the game does",
            self.source.record.missing
        )
    }
}
