//! Comments, and games that begin while one is open (section 3.3).

use memchr::{memchr, memrchr_iter};

use super::{Line, Scanner, State};
use crate::formats::pgn_common::near::{near2, near4};
use crate::formats::pgn_common::section::skip_ignored;
use crate::formats::pgn_common::tag::{LONGEST_TAG, opens_game, read_tag};

/// Maximum length in bytes of a tag `Event` that begins a game in the middle of a line of an open comment, up to the
/// end of the line.
pub(super) const LONGEST_EVENT: usize = 1 << 10;

impl Scanner {
    /// Reads from the end of a comment up to the next comment, which is usually near, or to the end of the
    /// line.
    #[inline(always)]
    pub(super) fn after_comment(&mut self, bytes: &[u8], at: usize, end: usize) -> Line {
        self.state = State::AfterComment;
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(found) = near4([b'{', b';', self.line_end, b'['], rest) else {
            return Line::Inside(bytes.len());
        };
        self.state = match rest.get(found) {
            Some(b'{') => State::Comment,
            Some(b';') => State::Rest,
            Some(b'[') => return self.bracket_after_comment(bytes, at + found, end),
            _ => State::LineStart,
        };
        Line::Inside(at + found + 1)
    }

    #[cold]
    fn bracket_after_comment(&mut self, bytes: &[u8], bracket: usize, end: usize) -> Line {
        // The bytes after it may not be here yet.
        if bracket >= end {
            return Line::Inside(bracket);
        }
        if self.begins_game_in_line(bytes, bracket) {
            return Line::Game(bracket);
        }
        Line::Inside(bracket + 1)
    }

    /// Reads a comment, and further comments in the same line, or up to a game that reveals that a comment is not
    /// closed.
    #[inline(always)]
    pub(super) fn comments(&mut self, bytes: &[u8], at: usize, end: usize) -> Line {
        let mut at = at;
        while at < end && self.state == State::Comment {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(found) = near2(b'}', self.line_end, rest) else {
                // The line may end with a tag, so the whole line is read again with the next bytes.
                return Line::Inside(if end == bytes.len() {
                    end
                } else {
                    end.max(bytes.len() - LONGEST_EVENT)
                });
            };
            if rest.get(found) == Some(&b'}') {
                at = match self.after_comment(bytes, at + found + 1, end) {
                    Line::Inside(at) => at,
                    game @ Line::Game(_) => return game,
                };
                continue;
            }
            let line = at + found;
            // The bytes after it may not be here yet.
            if line >= end + LONGEST_EVENT {
                return Line::Inside(line - LONGEST_EVENT);
            }
            at = match bytes.get(line + 1) {
                Some(b'[' | b'\0' | 0x1a | 0xef) => {
                    if let Some(event) = event_at_end(bytes, at, line, self.line_end) {
                        return Line::Game(event);
                    }
                    match self.comment_line(bytes, line + 1, end) {
                        Line::Inside(at) => at,
                        game @ Line::Game(_) => return game,
                    }
                }
                _ => line + 1,
            };
        }
        Line::Inside(at)
    }

    /// Skips ignored bytes at the start of a line in a comment. A game that starts after them ends the comment.
    #[cold]
    pub(super) fn comment_line(&mut self, bytes: &[u8], at: usize, end: usize) -> Line {
        let start = skip_ignored(bytes, at);
        self.state = State::CommentLine;
        if start >= end {
            return Line::Inside(start);
        }
        if begins_game(bytes, start, self.line_end) {
            return Line::Game(start);
        }
        self.state = State::Comment;
        Line::Inside(start)
    }
}

/// A place where a game certainly begins, whatever comes before it: the empty line at `at` is followed by a tag `Event`
/// and, in the next line, another tag.
pub(in crate::formats::pgn_file) fn resynchronisation(
    bytes: &[u8],
    at: usize,
    line_end: u8,
) -> Option<usize> {
    let start = skip_ignored(bytes, empty_line(bytes, at, line_end)?);
    let text = bytes.get(start..)?;
    (is_event(text) && has_next_tag(text, line_end)).then_some(start)
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

/// True if the line at a place of an open comment starts a game. It does if it starts with a tag and the next line
/// does, too, or if it starts with a tag `Event` before an empty line or the first move.
pub(super) fn begins_game(bytes: &[u8], start: usize, line_end: u8) -> bool {
    let text = bytes.get(start..).unwrap_or_default();
    text.starts_with(b"[") && (has_next_tag(text, line_end) || is_event(text) && opens_game(text, line_end))
}

/// The tag `Event` at the end of a line of an open comment, if the next line starts with another tag. The line is read
/// starting at `at`, and ends at `line`.
pub(super) fn event_at_end(bytes: &[u8], at: usize, line: usize, line_end: u8) -> Option<usize> {
    let from = at.max(line.saturating_sub(LONGEST_EVENT));
    let text = bytes.get(from..line)?;
    if !text.trim_ascii_end().ends_with(b"]") || bytes.get(line + 1) != Some(&b'[') {
        return None;
    }
    let event = memrchr_iter(b'[', text).find(|&at| text.get(at..).is_some_and(is_event))?;
    let tag = read_tag(text.get(event..)?, line_end)?;
    let is_end = text.get(event + tag.len..)?.trim_ascii().is_empty();
    (is_end && read_tag(bytes.get(line + 1..)?, line_end).is_some()).then_some(from + event)
}

fn is_event(text: &[u8]) -> bool {
    text.first_chunk()
        .is_some_and(|start: &[u8; 8]| start.eq_ignore_ascii_case(b"[Event \""))
}

/// True if a text starts with a tag, and its next line with another tag.
fn has_next_tag(text: &[u8], line_end: u8) -> bool {
    let next = || {
        let tag = read_tag(text, line_end)?;
        let rest = text.get(tag.len..)?;
        let line = memchr(line_end, rest.get(..LONGEST_TAG).unwrap_or(rest))?;
        let next = rest.get(line + 1..)?;
        (next.first() == Some(&b'[')).then(|| read_tag(next, line_end))?
    };
    next().is_some()
}
