//! Comments, and games that begin while one is open (section 3.3).

use std::ops::Range;

use memchr::{memchr, memrchr_iter};

use super::tags::indented_bracket;
use super::{Line, Scanner, State};
use crate::formats::pgn_common::between::{begins_with_movetext, lines_between};
use crate::formats::pgn_common::near::{near2, near4};
use crate::formats::pgn_common::section::skip_ignored;
use crate::formats::pgn_common::tag::{
    Flaw, LONGEST_TAG, blanks, has_name, opens_game, read_odd_tag, read_tag,
};

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
            if let Some(event) = event_at_end(bytes, at, line, self.line_end) {
                return Line::Game(event);
            }
            at = match bytes.get(line + 1) {
                Some(b'[' | b' ' | b'\t' | b'\0' | 0x1a | 0xef) => {
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
        if let Some(game) = game_in_line(bytes, start, self.line_end) {
            return Line::Game(game);
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

/// The first tag of the game that starts in the line at a place of an open comment, perhaps after blanks. The next line
/// starts with a tag, too; or the tag is `Event`, and an empty line or more of a game follows.
pub(super) fn game_in_line(bytes: &[u8], start: usize, line_end: u8) -> Option<usize> {
    let start = indented_bracket(bytes, start)?;
    let text = bytes.get(start..)?;
    let is_game = has_next_tag(text, line_end)
        || is_event(text) && (opens_game(text, line_end) || goes_on_as_game(text, line_end));
    is_game.then_some(start)
}

/// The tag `Event` near the end of a line of an open comment, if only tags follow it there, and the next line starts with
/// a tag or, after several tags, is empty. The line is read starting at `at`, and ends at `line`.
#[inline(always)]
pub(super) fn event_at_end(bytes: &[u8], at: usize, line: usize, line_end: u8) -> Option<usize> {
    let from = at.max(line.saturating_sub(LONGEST_EVENT));
    let is_end = bytes.get(from..line)?.trim_ascii_end().ends_with(b"]");
    is_end.then(|| event_before(bytes, from..line, line_end))?
}

#[cold]
fn event_before(bytes: &[u8], line: Range<usize>, line_end: u8) -> Option<usize> {
    let text = bytes.get(line.clone())?;
    let event = memrchr_iter(b'[', text).find(|&at| text.get(at..).is_some_and(is_event))?;
    let mut rest = text.get(event..)?.trim_ascii_end();
    let mut tags = 0;
    while !rest.is_empty() {
        rest = rest.get(read_tag(rest, line_end)?.len..)?;
        rest = rest.get(blanks(rest)..)?;
        tags += 1;
    }
    let next = line.end + 1;
    let is_game = starts_with_tag(bytes.get(next..)?, line_end)
        || tags > 1 && empty_line(bytes, next, line_end).is_some();
    is_game.then_some(line.start + event)
}

fn is_event(text: &[u8]) -> bool {
    has_name(text, b"Event")
}

fn starts_with_tag(line: &[u8], line_end: u8) -> bool {
    let tag = indented_bracket(line, 0).and_then(|bracket| line.get(bracket..));
    tag.is_some_and(|tag| read_tag(tag, line_end).is_some())
}

/// The rest of the line after the tag at the start of a text, and the text that follows this line.
fn after_tag(text: &[u8], line_end: u8) -> Option<(&[u8], &[u8])> {
    let rest = text.get(read_tag(text, line_end)?.len..)?;
    let line = memchr(line_end, rest.get(..LONGEST_TAG).unwrap_or(rest))?;
    Some((rest.get(..line)?, rest.get(line + 1..)?))
}

/// True if a text starts with a tag, and its next line with another tag.
fn has_next_tag(text: &[u8], line_end: u8) -> bool {
    after_tag(text, line_end).is_some_and(|(_, next)| starts_with_tag(next, line_end))
}

/// True if a text starts with a line that is a tag, and goes on with movetext, or with lines that belong to the tags.
fn goes_on_as_game(text: &[u8], line_end: u8) -> bool {
    let next = after_tag(text, line_end).filter(|(rest, _)| rest.trim_ascii().is_empty());
    next.is_some_and(|(_, next)| {
        begins_with_movetext(next, line_end)
            || read_odd_tag(next, line_end).is_some_and(|tag| tag.flaw == Some(Flaw::Name))
            || lines_between(next, line_end).is_some()
    })
}
