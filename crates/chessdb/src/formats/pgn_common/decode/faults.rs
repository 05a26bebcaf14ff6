//! Moves that cannot be played, and words that are not moves.

use super::{Decoder, State};
use crate::board::ReadError;
use crate::formats::pgn_common::characters::decode;
use crate::formats::pgn_common::items::{Item, Items};
use crate::formats::pgn_common::numbers::Verdict;
use crate::formats::pgn_common::results::numbered_result;
use crate::formats::pgn_common::values::with_plain_signs;
use crate::formats::pgn_common::words::{Word, read_word, without_number};
use crate::replay::{Fault, Sink};

/// Maximum length in characters of a quotation in a problem.
const LONGEST_QUOTE: usize = 40;

/// The start of a text, for a problem.
pub(in crate::formats::pgn_common) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The fault for a text that is left out, and the additional detail of its remark.
pub(in crate::formats::pgn_common) fn left_out(what: &str, text: &str) -> (Fault, String) {
    let quoted = short(text);
    let detail = if quoted == text {
        String::new()
    } else {
        format!("; in full: {text}")
    };
    (Fault::damage(format!("{what}: {quoted}")), detail)
}

/// True for a word with the sign of a drop or the name of a square.
fn names_square(word: &[u8]) -> bool {
    let is_square = |pair: &[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'8']);
    word.contains(&b'@') || word.windows(2).any(is_square)
}

impl<'a, S: Sink> Decoder<'a, S> {
    /// Handles an illegal move. The first move of a variation that is never closed may continue the outer
    /// line; its parenthesis is then ignored.
    #[cold]
    pub(super) fn unplayable(&mut self, error: ReadError, start: usize) {
        self.report_unread();
        let word = self.items.text.get(start..self.items.at).unwrap_or_default();
        if S::WHOLE && self.replay.depth() > 0 && !self.replay.has_move() && self.is_unclosed() {
            let text = with_plain_signs(&decode(without_number(word).0, self.stored.encoding()));
            if let Some(outer) = self.replay.position_outside()
                && let Word::Move(mv, signs) = read_word(&outer, &text, self.language)
            {
                self.end_variation();
                self.fault(start, &Fault::damage("unclosed parenthesis ignored"));
                return self.play_with(mv, &signs, start);
            }
        }
        self.has_failed = true;
        if !S::WHOLE && !self.is_certainly_english() {
            return;
        }
        let fault = match error {
            ReadError::NotAMove => format!("this is no move: {}", short(&self.text(start, self.items.at))),
            error => format!("illegal move: {error}"),
        };
        let instead = self.variation_beside(error);
        self.broken(start, &Fault::damage(fault));
        if let Some((inside, close)) = instead {
            self.instead = Some((close, self.items));
            self.items = inside;
        }
    }

    /// The items of the variation beside a null move in check, which shows the moves that were meant, and the offset
    /// of its closing parenthesis. Such a variation within another variation, or beside a move of the main line, stays
    /// text.
    fn variation_beside(&self, error: ReadError) -> Option<(Items<'a>, usize)> {
        if error != ReadError::NullInCheck || self.replay.depth() == 0 || self.instead.is_some() {
            return None;
        }
        let mut items = self.items;
        while matches!(items.next()?, Item::Comment(..) | Item::Nag(_)) {}
        let is_variation = items.text.get(items.start) == Some(&b'(');
        let inside = items;
        (is_variation && items.skip_variation()).then_some((inside, items.start))
    }

    /// Handles a word that is not a move, at a place where a move could be. It is skipped, unless the move numbers show
    /// that it was meant as a move: then its line ends there.
    #[cold]
    pub(super) fn no_move(&mut self, word: &[u8], start: usize) {
        if !S::WHOLE {
            self.is_certain = false;
            return;
        }
        let depth = self.replay.depth();
        let Some(counts) = &mut self.counts else {
            self.needs_counts = true;
            return;
        };
        counts.line.skip(word);
        let is_passed = counts.passed.0 == depth && start < counts.passed.1;
        let ends_line = !is_passed
            && match counts.line.judge(self.items, depth == 0, &mut counts.budget) {
                Verdict::NoMove(end) => {
                    counts.passed = (depth, end);
                    false
                }
                // Before the moves of a game there may be any text.
                Verdict::Move { is_numbered } if is_numbered || depth > 0 || self.replay.has_move() => true,
                _ => names_square(word),
            };
        if ends_line {
            let fault = format!("this is no move: {}", short(&self.text(start, self.items.at)));
            return self.broken(start, &Fault::damage(fault));
        }
        self.unreadable();
    }

    /// Handles a word that is not a move. Consecutive words without comments between them make a single fault.
    pub(super) fn unreadable(&mut self) {
        self.number = None;
        let (start, end) = (self.items.start, self.items.at);
        let is_comment = |c: &u8| matches!(c, b'{' | b';');
        if let Some((_, last)) = self.unread
            && let Some(between) = self.items.text.get(last..start)
            && between.iter().any(is_comment)
        {
            self.report_unread();
        }
        self.unread.get_or_insert((start, end)).1 = end;
    }

    pub(super) fn report_unread(&mut self) {
        let Some((start, end)) = self.unread.take() else {
            return;
        };
        let text = self.text(start, end);
        let what = match self.state {
            State::Over(_) => "this text comes after the result",
            _ if !text.contains(char::is_alphanumeric) => "a sign has no meaning here",
            _ => "this is no move",
        };
        let (fault, detail) = left_out(what, &text);
        self.replay.fault_with(self.stored.place(start), &fault, &detail);
    }

    /// Handles a move that cannot be played. The rest of its line is kept as text.
    #[cold]
    pub(super) fn broken(&mut self, start: usize, fault: &Fault) {
        if self.state != State::Moves {
            // The text of the fault already contains it.
            self.items.at = start + 1;
            return self.unreadable();
        }
        self.report_unread();
        if !S::WHOLE {
            self.state = State::Broken;
            return;
        }
        let from = self.number.take().unwrap_or(start);
        self.items.at = from;
        let is_inside = self.replay.depth() > 0;
        let mut depth = 0u32;
        let mut last = from;
        let end = loop {
            let before = self.items;
            match self.items.next() {
                Some(Item::Open) => depth += 1,
                Some(Item::Close) if depth == 0 && is_inside => {
                    self.items = before;
                    break last;
                }
                Some(Item::Close) => depth = depth.saturating_sub(1),
                Some(Item::Word(word)) if depth == 0 && !is_inside && self.is_result(word) => {
                    self.items = before;
                    break last;
                }
                Some(_) => {}
                None => break last,
            }
            last = self.items.at;
        };
        let text = self.text(from, end);
        let detail = if text.is_empty() {
            String::new()
        } else {
            format!("; the line goes on: {text}")
        };
        self.replay.fault_with(self.stored.place(start), fault, &detail);
        if !is_inside {
            self.state = State::Broken;
        }
    }

    fn is_result(&self, word: &[u8]) -> bool {
        self.items.start == self.last_start || numbered_result(word, self.stored.encoding()).is_some()
    }

    /// True if the parenthesis of the current variation is never closed.
    fn is_unclosed(&mut self) -> bool {
        let mut items = self.moves;
        let unclosed = self.unclosed.get_or_insert_with(|| {
            let mut open = Vec::new();
            while let Some(item) = items.next() {
                match item {
                    Item::Open => open.push(items.start),
                    Item::Close => drop(open.pop()),
                    _ => {}
                }
            }
            open
        });
        unclosed.binary_search(&self.opened).is_ok()
    }

    #[cold]
    pub(super) fn fault(&mut self, at: usize, fault: &Fault) {
        self.replay.fault(self.stored.place(at), fault);
    }

    /// A part of the movetext as a single line.
    pub(super) fn text(&self, start: usize, end: usize) -> String {
        self.stored.in_one_line(start..end)
    }
}
