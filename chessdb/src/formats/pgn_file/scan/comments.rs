//! Comments, and games that begin while one is open (section 3.4).

use memchr::memchr;

use super::{Line, Scanner, State};
use crate::formats::pgn_common::near::{near2, near3};
use crate::formats::pgn_common::section::skip_ignored;
use crate::formats::pgn_common::tag::{LONGEST_TAG, read_tag};

impl Scanner {
    /// Reads from the end of a comment up to the next comment, which is usually near, or to the end of the
    /// line.
    #[inline(always)]
    pub(super) fn behind_comment(&mut self, bytes: &[u8], at: usize) -> usize {
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

    /// Reads a comment, and further ones as long as they follow in its line, or up to a game that shows that
    /// one is unclosed.
    #[inline(always)]
    pub(super) fn comments(&mut self, bytes: &[u8], at: usize, end: usize) -> Line {
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
    pub(super) fn after_empty_line(
        &mut self,
        bytes: &[u8],
        at: usize,
        end: usize,
        has_ignored: bool,
    ) -> Line {
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
}

/// The tag that begins a game while a comment is open: an empty line at `at`, a tag `Event`, and another tag.
pub(in crate::formats::pgn_file) fn resynchronisation(
    bytes: &[u8],
    at: usize,
    line_end: u8,
) -> Option<usize> {
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
