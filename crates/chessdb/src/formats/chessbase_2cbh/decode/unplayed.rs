//! Lines that cannot be played. A remark shows them as text (sections 4.4, 14.3).

use super::{Game, LIMITS, Source};
use crate::formats::chessbase_2cbh::frame;
use crate::formats::chessbase_2cbh::words::{Table, square};
use crate::problem::{Problem, ProblemKind};
use crate::replay::{Fault, Sink};

/// The rest of a line from its first move that cannot be played.
pub(super) struct Line {
    /// Number of variations that were open when it began.
    pub(super) depth: usize,
    /// The fault, and its place.
    fault: Option<(u64, Fault)>,
    /// The stored moves.
    pub(super) text: String,
    /// The comments on these moves.
    comments: String,
    /// True if its end also ends a variation of the replay.
    is_open: bool,
}

impl<S: Sink> Game<'_, S> {
    /// Called when a move of the line cannot be played.
    #[cold]
    pub(super) fn stop(&mut self, word: u16, number: u32, at: usize, fault: Fault) {
        let fault = Some((self.source.place(at), fault));
        self.leave(fault, self.depth > 0);
        self.unplayed_move(word, number);
    }

    /// Ends the game, because it exceeds the limit of moves.
    #[cold]
    pub(super) fn stop_at_limit(&mut self, at: usize) {
        self.is_full = true;
        self.end_line();
        self.fault(self.source.place(at), &Fault::TooLong(LIMITS.moves));
    }

    /// Stops playing this line. Its remaining moves become text.
    pub(super) fn leave(&mut self, fault: Option<(u64, Fault)>, is_open: bool) {
        self.unplayed = Some(Line {
            depth: self.depth,
            fault,
            text: String::new(),
            comments: String::new(),
            is_open,
        });
    }

    /// Adds a move to the line that is left out.
    #[cold]
    pub(super) fn unplayed_move(&mut self, word: u16, number: u32) {
        let is_listed = self.replay.lists_faults();
        let Some(line) = &mut self.unplayed else { return };
        if is_listed {
            let text = match (self.source.frame.tag, Table::get().meaning(word)) {
                (frame::WITHOUT_KING, _) => squares_of(word),
                (_, Some(word)) => word.to_string(),
                (_, None) => format!("{word:04x}"),
            };
            if !line.text.is_empty() && !line.text.ends_with('(') {
                line.text.push(' ');
            }
            line.text += &text;
        }
        self.annotations.append_comments(number, &mut line.comments);
    }

    /// Reports a line that is left out.
    pub(super) fn end_line(&mut self) {
        let Some(line) = self.unplayed.take() else { return };
        let stored = match line.text.as_str() {
            "" => String::new(),
            text => format!("; the stored line goes on {text}"),
        };
        match line.fault {
            Some((at, fault)) => self.replay.fault_with(at, &fault, &stored),
            None => self.without_board(&stored),
        }
        self.replay.comment(&line.comments);
        if line.is_open {
            self.replay.end_variation();
        }
    }

    /// Starts a game whose start position is not playable. All of its moves become text (section 4.4).
    #[cold]
    pub(super) fn begin_without_board(&mut self) {
        self.leave(None, false);
        if let Some(line) = &mut self.unplayed {
            self.annotations.append_comments_of_game(&mut line.comments);
        }
    }

    #[cold]
    fn without_board(&mut self, stored: &str) {
        let Source {
            frame, start, origin, ..
        } = *self.source;
        let why = start.flaw.map_or_else(
            || "its moves are coded for positions without a king".to_owned(),
            |flaw| flaw.to_string(),
        );
        let what = format!("no game can be played from the start position: {why}");
        let detail = format!(" ({}){stored}", start.shown_fen());
        let fault = Fault::damage(what);
        if frame.tag == frame::WITHOUT_KING {
            // This is not damage, but PGN cannot represent such games.
            let (problem, remark) = fault.report(origin, frame.content_at(), &detail);
            self.replay.remark(&remark);
            self.replay.problem(Problem {
                kind: ProblemKind::Unsupported,
                ..problem
            });
        } else {
            self.replay.fault_with(frame.content_at(), &fault, &detail);
        }
    }
}

/// The squares of a word in a game without kings, or its hexadecimal digits if they are not squares.
fn squares_of(word: u16) -> String {
    match (square(word & 63), square(word >> 6)) {
        (Some(from), Some(to)) => format!("{from}-{to}"),
        _ => format!("{word:04x}"),
    }
}
