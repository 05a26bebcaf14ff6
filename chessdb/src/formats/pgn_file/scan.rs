//! Finds the beginnings of games (section 3).
//!
//! The scanner reads a file once, from its beginning, in pieces of any length. Its state is only a few bits.

use memchr::{memchr, memchr_iter, memchr3};

use super::near::{near2, near3, tag_line};
use super::roster::{name_key, roster_bit};
use super::tag::{LONGEST_TAG, blanks, opens_game, read_tag, read_unquoted};

/// Number of bytes after a place on which a decision at that place may depend: two tags and the lines in
/// which they end.
pub(super) const LOOKAHEAD: usize = 4 * LONGEST_TAG;

/// Maximum number of blanks before a tag that begins a game within movetext.
const MOST_INDENT: usize = 64;

/// Maximum number of comments without an end that are reported.
pub(super) const MOST_UNCLOSED: usize = 1000;

/// The results of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Offset of the first tag of each game, in ascending order.
    pub(super) starts: Vec<u64>,
    /// Offsets of games that begin inside an unclosed comment (section 3.4).
    pub(super) unclosed: Vec<u64>,
}

/// Finds the first tags of games.
#[derive(Clone, Debug)]
pub(super) struct Scanner {
    /// The byte that ends lines: a carriage return if the file has no line feeds.
    pub(super) line_end: u8,
    state: State,
    part: Part,
    /// True if only ignored bytes precede the bytes to scan in their line.
    is_line_start: bool,
    pub(super) found: Found,
}

/// The part of a game or file that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Text before the first tag of the file.
    Head,
    /// The tags of a game.
    Tags {
        /// Tags of the roster that come first in their lines, as bits.
        roster: u8,
        /// True if the previous line was empty.
        after_empty: bool,
    },
    /// The text after the tags.
    Moves,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    LineStart,
    /// Within a line of movetext, with no comment before.
    Line,
    /// Within a line of movetext, after a comment.
    BehindComment,
    /// Inside braces.
    Comment,
    /// Inside braces, after an empty line and, if `has_ignored`, bytes that are ignored.
    AfterEmptyLine {
        has_ignored: bool,
    },
    /// After tags in their line.
    TagLine,
    /// In text that extends to the end of the line and has no meaning here.
    Rest,
}

/// Reason why [`Scanner::scan`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// This number of bytes was read. The caller passes the rest again, with the bytes that follow.
    Read(usize),
    /// This game begins at or after `until`. It is not part of the results.
    Start(Start),
}

/// The beginning of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) place: u64,
    /// True if the game begins inside an unclosed comment.
    pub(super) is_unclosed: bool,
}

impl Found {
    fn push(&mut self, start: Start) {
        self.starts.push(start.place);
        if start.is_unclosed && self.unclosed.len() < MOST_UNCLOSED {
            self.unclosed.push(start.place);
        }
    }

    /// Appends the results for the bytes that follow.
    pub(super) fn append(&mut self, after: Found) {
        self.starts.extend(after.starts);
        let room = MOST_UNCLOSED.saturating_sub(self.unclosed.len());
        self.unclosed.extend(after.unclosed.into_iter().take(room));
    }
}

impl Scanner {
    /// A scanner that starts at the beginning of a game.
    pub(super) fn at_game(line_end: u8, start: Start) -> Scanner {
        let mut scanner = Scanner {
            part: Part::Moves,
            ..Scanner::new(line_end)
        };
        if start.is_unclosed {
            scanner.found.unclosed.push(start.place);
        }
        scanner
    }

    /// A scanner for the beginning of a file.
    pub(super) fn new(line_end: u8) -> Scanner {
        Scanner {
            line_end,
            state: State::LineStart,
            part: Part::Head,
            is_line_start: true,
            found: Found::default(),
        }
    }

    /// True before the first tag of a file.
    pub(super) fn is_in_head(&self) -> bool {
        self.part == Part::Head
    }

    /// Scans `bytes`, which are at offset `base` in the file, up to the first game that begins at or after
    /// `until`. Unless `is_last`, the last [`LOOKAHEAD`] bytes only serve as lookahead.
    pub(super) fn scan(&mut self, bytes: &[u8], base: u64, is_last: bool, until: u64) -> Stop {
        let end = match is_last {
            true => bytes.len(),
            false => bytes.len().saturating_sub(LOOKAHEAD),
        };
        let mut at = 0;
        self.is_line_start &= self.state == State::Line;
        self.is_line_start |= self.state == State::LineStart;
        while at < end {
            let (line, is_unclosed) = match self.state {
                State::LineStart => (self.line_start(bytes, at, end), false),
                State::Line => (self.line(bytes, at, end), false),
                State::BehindComment => (Line::Inside(self.behind_comment(bytes, at)), false),
                State::Comment => (self.comments(bytes, at, end), true),
                State::AfterEmptyLine { has_ignored } => {
                    (self.after_empty_line(bytes, at, end, has_ignored), true)
                }
                State::TagLine => (Line::Inside(self.tags_of_line(bytes, at, end)), false),
                State::Rest => (Line::Inside(self.rest(bytes, at)), false),
            };
            at = match line {
                Line::Inside(at) => at,
                Line::Game(tag) => {
                    let start = Start {
                        place: base + tag as u64,
                        is_unclosed,
                    };
                    if start.place >= until {
                        return Stop::Start(start);
                    }
                    self.found.push(start);
                    self.begin_game(bytes, tag)
                }
            };
        }
        let at = at.min(bytes.len());
        match self.state {
            State::Line if !is_last => Stop::Read(self.line_again(bytes, at)),
            _ => Stop::Read(at),
        }
    }

    /// The place from which reading continues after stopping at `at`, within a line. It is the beginning of
    /// the line if only ignored bytes precede `at`.
    fn line_again(&mut self, bytes: &[u8], at: usize) -> usize {
        // A byte-order mark is not divided.
        let at = match bytes.get(..at).unwrap_or_default() {
            [.., 0xef, 0xbb] => at - 2,
            [.., 0xef] => at - 1,
            _ => at,
        };
        // A tag after the blanks may begin a game, so they are not divided either.
        let indent = match self.part {
            Part::Moves => indent_before(bytes, at),
            _ => 0,
        };
        let start = beginning(bytes, at - indent, self.part == Part::Head);
        if start > 0 && bytes.get(start - 1) == Some(&self.line_end) {
            self.state = State::LineStart;
            return start;
        }
        self.is_line_start &= start == 0 && indent == 0;
        at
    }

    /// Begins a game with the tag at `start`, whatever the state of the scanner.
    fn begin_game(&mut self, bytes: &[u8], start: usize) -> usize {
        self.part = Part::Tags {
            roster: 0,
            after_empty: false,
        };
        match self.bracket(bytes, start) {
            Line::Inside(at) | Line::Game(at) => at,
        }
    }

    /// Reads the tags at the beginning of a line.
    fn line_start(&mut self, bytes: &[u8], at: usize, end: usize) -> Line {
        let at = self.usual_tags(bytes, at, end);
        let start = skip_ignored(bytes, at);
        // The bytes after it may not be here yet.
        if start >= end {
            return Line::Inside(start);
        }
        let Some(&first) = bytes.get(start) else {
            return Line::Inside(bytes.len());
        };
        if first == b'[' {
            return self.bracket(bytes, start);
        }
        if first == b'%' {
            self.state = State::Rest;
            return Line::Inside(start);
        }
        if self.part == Part::Moves {
            if matches!(first, b' ' | b'\t')
                && let Some(tag) = self.indented(bytes, start)
            {
                return Line::Game(tag);
            }
            self.state = State::Line;
            return Line::Inside(start);
        }
        self.line_before_moves(bytes, start)
    }

    /// Reads lines of usual tags after the first tag of a game. Returns the end of those read.
    #[inline(always)]
    fn usual_tags(&mut self, bytes: &[u8], at: usize, end: usize) -> usize {
        let Part::Tags {
            roster,
            after_empty: false,
        } = &mut self.part
        else {
            return at;
        };
        let mut at = at;
        while at < end && bytes.get(at) == Some(&b'[') {
            let Some(line) = tag_line(bytes.get(at..).unwrap_or_default(), self.line_end) else {
                break;
            };
            *roster |= roster_bit(line.name);
            at += line.len;
        }
        at
    }

    /// Reads a line that begins with a bracket.
    #[inline(always)]
    fn bracket(&mut self, bytes: &[u8], start: usize) -> Line {
        let text = bytes.get(start..).unwrap_or_default();
        let (bit, len) = match tag_line(text, self.line_end) {
            Some(line) => (roster_bit(line.name), Some(line.len)),
            None => match read_tag(text, self.line_end) {
                Some(tag) => (roster_bit(name_key(tag.name)), None),
                None => return Line::Inside(self.unquoted(bytes, start)),
            },
        };
        match &mut self.part {
            Part::Tags { roster, after_empty } if !*after_empty || *roster & bit == 0 => {
                *roster |= bit;
                *after_empty = false;
                self.state = State::LineStart;
                Line::Inside(match len {
                    Some(len) => start + len,
                    None => {
                        self.state = State::TagLine;
                        start
                    }
                })
            }
            _ => Line::Game(start),
        }
    }

    /// Reads a line that begins with a bracket but with no tag of the usual form. Returns the end of the part read.
    #[cold]
    fn unquoted(&mut self, bytes: &[u8], start: usize) -> usize {
        let is_in_tags = matches!(
            self.part,
            Part::Tags {
                after_empty: false,
                ..
            }
        );
        let text = bytes.get(start..).unwrap_or_default();
        match read_unquoted(text, self.line_end).filter(|_| is_in_tags) {
            Some(tag) => {
                self.state = State::LineStart;
                start + tag.len + 1
            }
            None => self.begin_moves(start + 1),
        }
    }

    /// True if a line of movetext begins a game although it is indented: its first bracket is at `at`.
    fn is_indented_game(&self, bytes: &[u8], at: usize) -> bool {
        let indent = indent_before(bytes, at);
        (1..=MOST_INDENT).contains(&indent)
            && self.part == Part::Moves
            && self.is_line_start(bytes, at - indent)
            && opens_game(bytes.get(at..).unwrap_or_default(), self.line_end)
    }

    /// The tag that begins a game in a line of movetext that begins with white space.
    fn indented(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let text = bytes.get(start..)?;
        let indent = blanks(text.get(..MOST_INDENT + 1).unwrap_or(text));
        let tag = text.get(indent..)?;
        let is_game = indent <= MOST_INDENT && tag.first() == Some(&b'[') && opens_game(tag, self.line_end);
        is_game.then_some(start + indent)
    }

    /// Reads a line before the moves that has no bracket in its first column.
    fn line_before_moves(&mut self, bytes: &[u8], start: usize) -> Line {
        let text = bytes.get(start..).unwrap_or_default();
        let inner = start + blanks(text.get(..LONGEST_TAG).unwrap_or(text));
        match bytes.get(inner) {
            Some(b'[') => self.bracket(bytes, inner),
            Some(&c) if c == self.line_end => self.empty_line(inner),
            Some(b'\r') if bytes.get(inner + 1) == Some(&self.line_end) => self.empty_line(inner + 1),
            Some(_) => Line::Inside(self.begin_moves(start)),
            None => Line::Inside(bytes.len()),
        }
    }

    fn empty_line(&mut self, end: usize) -> Line {
        if let Part::Tags { after_empty, .. } = &mut self.part {
            *after_empty = true;
        }
        Line::Inside(end + 1)
    }

    /// Begins movetext, unless this is text before the first tag.
    fn begin_moves(&mut self, at: usize) -> usize {
        if self.part != Part::Head {
            self.part = Part::Moves;
        }
        self.state = State::Line;
        at
    }

    /// Reads a line with more tags or movetext after its first tag, up to `end`. Returns the end of the part read.
    #[cold]
    fn tags_of_line(&mut self, bytes: &[u8], start: usize, end: usize) -> usize {
        let mut at = start;
        while at < end {
            let text = bytes.get(at..).unwrap_or_default();
            match text.first() {
                Some(b'[') => match read_tag(text, self.line_end) {
                    Some(tag) => at += tag.len,
                    None => return self.begin_moves(at + 1),
                },
                Some(&c) if c == self.line_end => {
                    self.state = State::LineStart;
                    return at + 1;
                }
                Some(b' ' | b'\t' | b'\0' | 0x1a | b'\r') => at += 1,
                _ => return self.begin_moves(at),
            }
        }
        at
    }

    /// Reads movetext up to a comment, a tag, or `end`, without examining every line.
    #[inline(always)]
    fn line(&mut self, bytes: &[u8], at: usize, end: usize) -> Line {
        let rest = bytes.get(at..end).unwrap_or_default();
        let len = memchr3(b'{', b';', b'[', rest).unwrap_or(rest.len());
        let passed = rest.get(..len).unwrap_or_default();
        if let Some(sign) = memchr_iter(b'%', passed).find(|sign| self.is_line_start(bytes, at + sign)) {
            self.state = State::Rest;
            return Line::Inside(at + sign);
        }
        let found = at + len;
        match rest.get(len) {
            Some(b'{') => self.state = State::Comment,
            Some(b';') => self.state = State::Rest,
            Some(_) if self.is_line_start(bytes, found) => {
                self.state = State::LineStart;
                return self.bracket(bytes, found);
            }
            Some(_) if self.is_indented_game(bytes, found) => return Line::Game(found),
            Some(_) => {}
            None => return Line::Inside(end),
        }
        Line::Inside(found + 1)
    }

    /// Reads from the end of a comment up to the next comment, which is usually near, or to the end of the
    /// line.
    #[inline(always)]
    fn behind_comment(&mut self, bytes: &[u8], at: usize) -> usize {
        self.state = State::BehindComment;
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(found) = near3(b'{', b';', self.line_end, rest) else {
            return bytes.len();
        };
        self.state = match rest.get(found) {
            Some(b'{') => State::Comment,
            Some(b';') => State::Rest,
            _ => State::LineStart,
        };
        at + found + 1
    }

    /// True if only ignored bytes precede a place in its line. Before the first tag of a file, they include
    /// blanks.
    #[inline]
    fn is_line_start(&self, bytes: &[u8], at: usize) -> bool {
        match beginning(bytes, at, self.part == Part::Head).checked_sub(1) {
            Some(before) => bytes.get(before) == Some(&self.line_end),
            None => self.is_line_start,
        }
    }

    /// Reads a comment, and further ones as long as they follow in its line, or up to a game that shows that
    /// one is unclosed.
    #[inline(always)]
    fn comments(&mut self, bytes: &[u8], at: usize, end: usize) -> Line {
        let mut at = at;
        while at < end && self.state == State::Comment {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(found) = near2(b'}', self.line_end, rest) else {
                return Line::Inside(bytes.len());
            };
            if rest.get(found) == Some(&b'}') {
                at = self.behind_comment(bytes, at + found + 1);
                continue;
            }
            let line = at + found;
            // The bytes after it may not be here yet.
            if line >= end {
                return Line::Inside(line);
            }
            at = match empty_line(bytes, line + 1, self.line_end) {
                None => line + 1,
                Some(after) => match self.after_empty_line(bytes, after, end, false) {
                    Line::Inside(at) => at,
                    game @ Line::Game(_) => return game,
                },
            };
        }
        Line::Inside(at)
    }

    /// Skips ignored bytes after an empty line in a comment. A game that begins behind them ends the comment.
    #[cold]
    fn after_empty_line(&mut self, bytes: &[u8], at: usize, end: usize, has_ignored: bool) -> Line {
        let start = skip_ignored(bytes, at);
        let has_ignored = has_ignored || start > at;
        self.state = State::AfterEmptyLine { has_ignored };
        if start >= end {
            return Line::Inside(start);
        }
        if begins_game(bytes, start, self.line_end) {
            return Line::Game(start);
        }
        match empty_line(bytes, start, self.line_end).filter(|_| !has_ignored) {
            Some(after) => Line::Inside(after),
            None => {
                self.state = State::Comment;
                Line::Inside(start)
            }
        }
    }

    fn rest(&mut self, bytes: &[u8], at: usize) -> usize {
        match memchr(self.line_end, bytes.get(at..).unwrap_or_default()) {
            Some(found) => {
                self.state = State::LineStart;
                at + found + 1
            }
            None => bytes.len(),
        }
    }
}

/// The result of reading part of a line.
enum Line {
    /// No game begins here. Reading continues at this place.
    Inside(usize),
    /// The first tag of a game.
    Game(usize),
}

/// The tag that begins a game while a comment is open: an empty line at `at`, a tag `Event`, and another tag.
pub(super) fn resynchronisation(bytes: &[u8], at: usize, line_end: u8) -> Option<usize> {
    let start = skip_ignored(bytes, empty_line(bytes, at, line_end)?);
    begins_game(bytes, start, line_end).then_some(start)
}

/// The end of the empty line at a place.
fn empty_line(bytes: &[u8], at: usize, line_end: u8) -> Option<usize> {
    let text = bytes.get(at..)?;
    let empty = text
        .iter()
        .take(LONGEST_TAG)
        .position(|c| !matches!(c, b' ' | b'\t' | b'\r') || *c == line_end)?;
    (text.get(empty) == Some(&line_end)).then_some(at + empty + 1)
}

/// True if a tag `Event` is at a place, and another tag in the next line.
fn begins_game(bytes: &[u8], start: usize, line_end: u8) -> bool {
    let text = bytes.get(start..).unwrap_or_default();
    let second = || {
        let tag = read_tag(text, line_end)?;
        let next = text.get(tag.len..)?;
        let line = memchr(line_end, next.get(..LONGEST_TAG).unwrap_or(next))?;
        let second = next.get(line + 1..)?;
        (second.first() == Some(&b'[')).then(|| read_tag(second, line_end))?
    };
    text.starts_with(b"[Event \"") && second().is_some()
}

/// The first place from `at` on that is not in bytes ignored everywhere: byte-order marks, zeros and Ctrl-Z.
pub(super) fn skip_ignored(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    loop {
        at += match bytes.get(at) {
            Some(0xef)
                if bytes
                    .get(at..)
                    .is_some_and(|text| text.starts_with(b"\xef\xbb\xbf")) =>
            {
                3
            }
            Some(b'\0' | 0x1a) => 1,
            _ => return at,
        }
    }
}

/// Number of blanks before a place, at most one more than [`MOST_INDENT`].
fn indent_before(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or_default().iter().rev();
    let blanks = before.take_while(|c| matches!(c, b' ' | b'\t'));
    blanks.take(MOST_INDENT + 1).count()
}

/// The place after the last byte before `at` that is not ignored.
#[inline]
fn beginning(bytes: &[u8], at: usize, with_blanks: bool) -> usize {
    let mut at = at;
    loop {
        let before = bytes.get(..at).unwrap_or_default();
        at -= match before {
            [.., b'\0' | 0x1a] => 1,
            [.., b' ' | b'\t'] if with_blanks => 1,
            [.., 0xef, 0xbb, 0xbf] => 3,
            _ => return at,
        };
    }
}

#[cfg(test)]
mod tests;
