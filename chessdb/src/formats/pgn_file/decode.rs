//! Decoding movetext: items become the moves of a game (section 5).

use encoding_rs::Encoding;

use super::characters::decode;
use super::items::{Item, Items};
use super::symbols;
use super::values::{movetext_result, with_plain_dashes};
use super::words::{Word, read_word, without_marks, without_number};
use crate::board::{Move, ReadError};
use crate::game::Outcome;
use crate::replay::{Fault, Limits, Replay, Sink, Unplayed};

/// Section 8.
pub(super) const LIMITS: Limits = Limits {
    depth: 255,
    moves: u32::MAX,
};

/// Maximum length in characters of a quotation in a problem.
const LONGEST_QUOTE: usize = 40;

/// Decodes the movetext of one game.
pub(super) struct Decoder<'a, S> {
    /// The items, starting with the first one.
    moves: Items<'a>,
    items: Items<'a>,
    /// Offset of the text in the file.
    base: u64,
    encoding: &'static Encoding,
    replay: Replay<'a, S>,
    /// The last move number, if nothing has followed it.
    number: Option<usize>,
    /// Words that are not moves: the start of the first one and the end of the last one.
    unread: Option<(usize, usize)>,
    /// Offset of the parenthesis that began the last variation.
    opened: usize,
    /// Offsets of the parentheses that are never closed, in ascending order. Computed when needed.
    unclosed: Option<Vec<usize>>,
    /// How far the main line has been read.
    state: State,
}

/// State of the main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Moves,
    /// It cannot be played on. Everything up to the result is skipped.
    Broken,
    /// The result has been read.
    Over(Outcome),
}

/// The results of decoding a game.
pub(super) struct End<'a, S> {
    pub(super) replay: Replay<'a, S>,
    /// The result in the movetext.
    pub(super) outcome: Option<Outcome>,
    /// True if all moves of the main line were passed to a sink that is not whole.
    pub(super) is_certain: bool,
}

impl<'a, S: Sink> Decoder<'a, S> {
    /// A decoder for the items of a game at offset `base` in the file.
    pub(super) fn new(
        items: Items<'a>,
        base: u64,
        encoding: &'static Encoding,
        replay: Replay<'a, S>,
    ) -> Decoder<'a, S> {
        Decoder {
            moves: items,
            items,
            base,
            encoding,
            replay,
            number: None,
            unread: None,
            opened: 0,
            unclosed: None,
            state: State::Moves,
        }
    }

    /// Decodes all movetext.
    pub(super) fn decode(mut self) -> End<'a, S> {
        let mut is_certain = true;
        while let Some(item) = self.items.next() {
            match item {
                Item::Word(word) => self.word(word),
                Item::Comment(text, is_closed) => self.comment(text, is_closed),
                Item::Nag(nag) => self.nag(nag),
                Item::Open => is_certain &= self.open(),
                Item::Close => self.close(),
                Item::Bracket => self.broken(self.items.start, &Fault::damage("this is no movetext")),
            }
            if self.replay.is_done() || !is_certain || !S::WHOLE && self.state != State::Moves {
                break;
            }
        }
        self.end(is_certain)
    }

    fn end(mut self, is_certain: bool) -> End<'a, S> {
        self.report_unread();
        if S::WHOLE && self.replay.depth() > 0 {
            self.fault(self.items.at, &Fault::OpenVariations);
        }
        let outcome = match self.state {
            State::Over(outcome) => Some(outcome),
            _ => None,
        };
        End {
            replay: self.replay,
            outcome,
            is_certain,
        }
    }

    #[inline(always)]
    fn word(&mut self, word: &'a [u8]) {
        let start = self.items.start;
        let (rest, is_number) = without_number(word);
        if is_number {
            self.number = Some(start);
            if rest.is_empty() {
                return;
            }
        }
        if self.unread.is_none() && self.state == State::Moves {
            let (text, marks) = without_marks(rest);
            if let Ok(mv) = self.replay.position().read_move(text) {
                return self.play(mv, symbols::of_marks(marks), start);
            }
        }
        self.other_word(rest, start);
    }

    #[inline(always)]
    fn play(&mut self, mv: Move, nag: u8, start: usize) {
        self.number = None;
        match self.replay.play(mv) {
            Ok(()) => {
                if S::WHOLE && nag != 0 {
                    self.replay.nag(nag);
                }
            }
            Err(unplayed) => self.unplayed(unplayed, start),
        }
    }

    #[cold]
    fn unplayed(&mut self, unplayed: Unplayed, start: usize) {
        self.broken(start, &unplayed.into());
    }

    #[cold]
    fn other_word(&mut self, word: &[u8], start: usize) {
        let text = with_plain_dashes(&decode(word, self.encoding));
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let meaning = match self.state {
            State::Moves => read_word(self.replay.position(), text),
            // Everything is text except a result.
            State::Broken => movetext_result(text).map_or(Word::Unreadable, Word::Result),
            State::Over(_) => Word::Unreadable,
        };
        match meaning {
            Word::Unreadable => self.unreadable(),
            Word::Nothing => {}
            Word::Glyph(nag) => self.replay.nag(nag),
            Word::Result(outcome) => self.result(outcome),
            Word::Move(mv, nag) => {
                self.report_unread();
                self.play(mv, nag, start);
            }
            Word::Unplayable(error) => self.unplayable(error, start),
        }
    }

    /// Handles an illegal move. The first move of a variation that is never closed may continue the outer
    /// line; its parenthesis is then ignored.
    #[cold]
    fn unplayable(&mut self, error: ReadError, start: usize) {
        self.report_unread();
        let word = self.items.text.get(start..self.items.at).unwrap_or_default();
        if S::WHOLE && self.replay.depth() > 0 && !self.replay.has_move() && self.is_unclosed() {
            let text = with_plain_dashes(&decode(without_number(word).0, self.encoding));
            if let Some(outer) = self.replay.position_outside()
                && let Word::Move(mv, nag) = read_word(&outer, &text)
            {
                self.replay.end_variation();
                self.fault(
                    start,
                    &Fault::damage("a parenthesis is never closed and means nothing"),
                );
                return self.play(mv, nag, start);
            }
        }
        self.broken(start, &Fault::damage(format!("illegal move: {error}")));
    }

    /// Handles a word that is not a move. Consecutive ones are a single fault.
    fn unreadable(&mut self) {
        self.number = None;
        let end = self.items.at;
        match &mut self.unread {
            Some((_, last)) => *last = end,
            None => self.unread = Some((self.items.start, end)),
        }
    }

    fn report_unread(&mut self) {
        let Some((start, end)) = self.unread.take() else {
            return;
        };
        let text = self.text(start, end);
        let short: String = text.chars().take(LONGEST_QUOTE).collect();
        let more = if short.len() < text.len() { "..." } else { "" };
        let what = match self.state {
            State::Over(_) => "this text comes after the result",
            _ => "this is no move",
        };
        let fault = Fault::damage(format!("{what}: {short}{more}"));
        let detail = text.get(short.len()..).filter(|rest| !rest.is_empty());
        let detail = detail.map_or_else(String::new, |rest| format!("; in full: {short}{rest}"));
        self.replay.fault_with(self.base + start as u64, &fault, &detail);
    }

    /// Handles a place from which the line cannot be played. The rest of it is kept as text.
    #[cold]
    fn broken(&mut self, start: usize, fault: &Fault) {
        if self.state != State::Moves {
            // It is part of the text already.
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
        let detail = match text.is_empty() {
            true => String::new(),
            false => format!("; the line goes on: {text}"),
        };
        self.replay.fault_with(self.base + start as u64, fault, &detail);
        if !is_inside {
            self.state = State::Broken;
        }
    }

    fn is_result(&self, word: &[u8]) -> bool {
        word.len() <= 16 && movetext_result(&decode(word, self.encoding)).is_some()
    }

    /// Handles a result, which is ignored in a variation.
    fn result(&mut self, outcome: Outcome) {
        self.report_unread();
        if self.replay.depth() == 0 {
            self.state = State::Over(outcome);
        }
    }

    fn comment(&mut self, text: &[u8], is_closed: bool) {
        if !S::WHOLE {
            return;
        }
        self.report_unread();
        let text = decode(text, self.encoding);
        match text.contains('\u{feff}') {
            true => self.replay.comment(&text.replace('\u{feff}', "")),
            false => self.replay.comment(&text),
        }
        if !is_closed {
            self.fault(self.items.start, &Fault::damage("the comment is not closed"));
        }
    }

    fn nag(&mut self, nag: Option<u8>) {
        self.report_unread();
        match nag {
            Some(nag) => self.replay.nag(nag),
            None => self.fault(self.items.start, &Fault::damage("a glyph has a number above 255")),
        }
    }

    /// Handles the start of a variation. Returns false if the main line cannot be read without its
    /// variations.
    fn open(&mut self) -> bool {
        let start = self.items.start;
        if !S::WHOLE {
            return self.items.skip_variation();
        }
        self.report_unread();
        if self.state != State::Moves {
            self.items.skip_variation();
            self.unread = Some((start, self.items.at));
            return true;
        }
        self.opened = start;
        if let Err(fault) = self.replay.start_variation() {
            self.items.skip_variation();
            let text = self.text(start, self.items.at);
            let detail = format!(": {text}");
            self.replay.fault_with(self.base + start as u64, &fault, &detail);
        }
        true
    }

    fn close(&mut self) {
        self.report_unread();
        if S::WHOLE && !self.replay.end_variation() {
            self.fault(self.items.start, &Fault::StrayEnd);
        }
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
    fn fault(&mut self, at: usize, fault: &Fault) {
        self.replay.fault(self.base + at as u64, fault);
    }

    /// A part of the movetext as a single line.
    fn text(&self, start: usize, end: usize) -> String {
        let text = decode(self.items.text.get(start..end).unwrap_or_default(), self.encoding);
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    }
}

/// The result in the movetext of a game, independent of its moves.
pub(super) fn find_result(items: Items<'_>, encoding: &'static Encoding) -> Option<Outcome> {
    let mut items = items;
    let mut skips = true;
    while let Some(item) = items.next() {
        match item {
            Item::Open if skips => {
                let inside = items;
                if !items.skip_variation() {
                    // A parenthesis that is never closed begins no variation, and neither do those after it.
                    skips = false;
                    items = inside;
                }
            }
            Item::Word([b'0' | b'1' | b'*' | 0xc2 | 0xbd, ..]) => {
                let word = items.text.get(items.start..items.at).unwrap_or_default();
                let found = match word.len() <= 16 {
                    true => movetext_result(&decode(word, encoding)),
                    false => None,
                };
                if found.is_some() {
                    return found;
                }
            }
            _ => {}
        }
    }
    None
}
