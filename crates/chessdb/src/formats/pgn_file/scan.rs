//! Finds where games start (section 3).
//!
//! The scanner reads a file once, from its start, in pieces of any length. Its state is only a few bytes.

mod comments;
mod tags;
#[cfg(test)]
mod tests;

use memchr::{memchr, memchr_iter, memchr3};

pub(super) use self::comments::resynchronisation;
use self::tags::indent_before;
use crate::formats::pgn_common::section::beginning;
use crate::formats::pgn_common::tag::LONGEST_TAG;

/// Maximum number of bytes after a place that may decide what begins there: two tags, and the rest of the lines where
/// they end.
pub(super) const LOOKAHEAD: usize = 4 * LONGEST_TAG;

/// Maximum number of comments without an end that are reported.
pub(super) const MOST_UNCLOSED: usize = 1000;

/// The results of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Offset of the first tag of each game, in ascending order.
    pub(super) starts: Vec<u64>,
    /// Offsets of games that begin inside an unclosed comment (section 3.3).
    pub(super) unclosed: Vec<u64>,
}

/// Finds the first tags of games.
#[derive(Clone, Debug)]
pub(super) struct Scanner {
    /// The byte that ends lines: a carriage return if the file has no line feeds.
    pub(super) line_end: u8,
    state: State,
    part: Part,
    /// True if the bytes to scan begin a line, apart from ignored bytes.
    is_line_start: bool,
    /// The bytes in front of the scanned range. They are searched for the result of a game.
    tail: [u8; TAIL],
    pub(super) found: Found,
}

/// Number of bytes before a tag in the middle of a line that decide whether it begins a game.
const TAIL: usize = 48;

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
    AfterComment,
    /// Inside braces.
    Comment,
    /// Inside braces, at the start of a line.
    CommentLine,
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
    /// This game starts at or after `until`. It is not part of the results.
    Start(Start),
}

/// The start of a game.
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
    /// A scanner at the start of a game.
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

    /// A scanner at the start of a file.
    pub(super) fn new(line_end: u8) -> Scanner {
        Scanner {
            line_end,
            state: State::LineStart,
            part: Part::Head,
            is_line_start: true,
            tail: [b'\n'; TAIL],
            found: Found::default(),
        }
    }

    /// True before the first tag of a file.
    pub(super) fn is_in_head(&self) -> bool {
        self.part == Part::Head
    }

    /// Scans `bytes`, which are at offset `base` in the file, up to the first game that starts at or after `until`.
    /// Unless `is_last`, the last [`LOOKAHEAD`] bytes only serve as lookahead.
    pub(super) fn scan(&mut self, bytes: &[u8], base: u64, is_last: bool, until: u64) -> Stop {
        let end = if is_last {
            bytes.len()
        } else {
            bytes.len().saturating_sub(LOOKAHEAD)
        };
        let mut at = 0;
        self.is_line_start &= self.state == State::Line;
        self.is_line_start |= self.state == State::LineStart;
        while at < end {
            let line = match self.state {
                State::LineStart => self.line_start(bytes, at, end),
                State::Line => self.line(bytes, at, end),
                State::AfterComment => self.after_comment(bytes, at, end),
                State::Comment => self.comments(bytes, at, end),
                State::CommentLine => self.comment_line(bytes, at, end),
                State::TagLine => Line::Inside(self.tags_of_line(bytes, at, end)),
                State::Rest => Line::Inside(self.rest(bytes, at)),
            };
            at = match line {
                Line::Inside(at) => at,
                Line::Game(tag) => {
                    let start = Start {
                        place: base + tag as u64,
                        is_unclosed: matches!(self.state, State::Comment | State::CommentLine),
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
        let read = match self.state {
            State::Line if !is_last => self.line_again(bytes, at),
            _ => at,
        };
        self.keep_tail(bytes.get(..read).unwrap_or_default());
        Stop::Read(read)
    }

    /// Keeps the last bytes that were read.
    fn keep_tail(&mut self, read: &[u8]) {
        let new = read.get(read.len().saturating_sub(TAIL)..).unwrap_or_default();
        self.tail.rotate_left(new.len());
        let after = TAIL - new.len();
        if let Some(end) = self.tail.get_mut(after..) {
            end.copy_from_slice(new);
        }
    }

    /// The place where reading continues after it stopped at `at` within a line. If the line has only ignored bytes
    /// before `at`, it is the start of the line.
    fn line_again(&mut self, bytes: &[u8], at: usize) -> usize {
        // A byte-order mark must stay in one piece.
        let at = match bytes.get(..at).unwrap_or_default() {
            [.., 0xef, 0xbb] => at - 2,
            [.., 0xef] => at - 1,
            _ => at,
        };
        // The same is true for blanks, because a tag after them may begin a game.
        let indent = match self.part {
            Part::Moves => indent_before(bytes, at),
            _ => 0,
        };
        let start = beginning(bytes, at - indent, self.line_end, self.part == Part::Head);
        if start > 0 && bytes.get(start - 1) == Some(&self.line_end) {
            self.state = State::LineStart;
            return start;
        }
        self.is_line_start &= start == 0 && indent == 0;
        at
    }

    /// Begins a game with the tag at `start`, in any state of the scanner.
    fn begin_game(&mut self, bytes: &[u8], start: usize) -> usize {
        self.part = Part::Tags {
            roster: 0,
            after_empty: false,
        };
        match self.bracket(bytes, start) {
            Line::Inside(at) | Line::Game(at) => at,
        }
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
            Some(_) if self.is_indented_game(bytes, found) || self.begins_game_in_line(bytes, found) => {
                return Line::Game(found);
            }
            Some(_) => {}
            None => return Line::Inside(end),
        }
        Line::Inside(found + 1)
    }

    /// True if a line has only ignored bytes before a place. Before the first tag of a file, blanks are ignored, too.
    #[inline]
    fn is_line_start(&self, bytes: &[u8], at: usize) -> bool {
        match beginning(bytes, at, self.line_end, self.part == Part::Head).checked_sub(1) {
            Some(before) => bytes.get(before) == Some(&self.line_end),
            None => self.is_line_start,
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
