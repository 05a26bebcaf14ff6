//! Tags, and lines before the moves.

use super::{Line, Part, Scanner, State};
use crate::formats::pgn_common::between::lines_between;
use crate::formats::pgn_common::near::tag_line;
use crate::formats::pgn_common::results::ends_with_result;
use crate::formats::pgn_common::section::skip_line_start;
use crate::formats::pgn_common::tag::{
    LONGEST_TAG, blanks, bracket_line, opens_game, read_odd_tag, read_tag,
};
use crate::formats::pgn_file::roster::{name_key, roster_bit};

/// Maximum number of blanks before a tag that begins a game within movetext.
pub(super) const MOST_INDENT: usize = 64;

impl Scanner {
    /// Reads the tags at the start of a line.
    pub(super) fn line_start(&mut self, bytes: &[u8], at: usize, end: usize) -> Line {
        let at = self.usual_tags(bytes, at, end);
        let start = skip_line_start(bytes, at, self.line_end);
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

    /// Reads lines of usual tags after the first tag of a game. Returns the end of the lines read.
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

    /// Reads a line that starts with a bracket.
    #[inline(always)]
    pub(super) fn bracket(&mut self, bytes: &[u8], start: usize) -> Line {
        let text = bytes.get(start..).unwrap_or_default();
        let (bit, len) = match tag_line(text, self.line_end) {
            Some(line) => (roster_bit(line.name), Some(line.len)),
            None => match read_tag(text, self.line_end) {
                Some(tag) => (roster_bit(name_key(tag.name)), None),
                None => return Line::Inside(self.line_in_tags(bytes, start)),
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

    /// Reads a line that starts with a bracket, but not with a tag of the usual form. Returns the end of the part read.
    #[cold]
    fn line_in_tags(&mut self, bytes: &[u8], start: usize) -> usize {
        let is_in_tags = matches!(
            self.part,
            Part::Tags {
                after_empty: false,
                ..
            }
        );
        let text = bytes.get(start..).unwrap_or_default();
        match read_odd_tag(text, self.line_end).filter(|_| is_in_tags) {
            Some(tag) => {
                self.state = State::TagLine;
                start + tag.len
            }
            None => self
                .pass_between(bytes, start)
                .unwrap_or_else(|| self.begin_moves(start + 1)),
        }
    }

    /// The end of the lines at `start` that are not tags but belong to the tags; `None` if movetext begins there. If
    /// the next tag is a tag of the roster that the game already has, it begins another game, and the lines are the
    /// moves of this game. A line in brackets needs no tag after it.
    #[cold]
    fn pass_between(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let Part::Tags {
            roster,
            after_empty: false,
        } = self.part
        else {
            return None;
        };
        let text = bytes.get(start..)?;
        let len = match lines_between(text, self.line_end) {
            Some((_, tag)) if roster & roster_bit(name_key(tag.name)) != 0 => return None,
            Some((len, _)) => len,
            None => bracket_line(text, self.line_end)?,
        };
        self.state = State::LineStart;
        Some(start + len)
    }

    /// True if an indented line of movetext begins a game. Its first bracket is at `at`.
    pub(super) fn is_indented_game(&self, bytes: &[u8], at: usize) -> bool {
        let indent = indent_before(bytes, at);
        (1..=MOST_INDENT).contains(&indent)
            && self.part == Part::Moves
            && self.is_line_start(bytes, at - indent)
            && opens_game(bytes.get(at..).unwrap_or_default(), self.line_end)
    }

    /// True if a tag at `at`, in the middle of a line, begins a game: after a result, or before the first game after a
    /// comment.
    #[cold]
    pub(super) fn begins_game_in_line(&self, bytes: &[u8], at: usize) -> bool {
        let joined;
        let mut before = bytes
            .get(at.saturating_sub(self.tail.len())..at)
            .unwrap_or_default();
        if before.len() < self.tail.len() {
            joined = [&self.tail, before].concat();
            before = &joined;
        }
        tag_follows(
            before,
            self.part == Part::Head,
            bytes.get(at..).unwrap_or_default(),
            self.line_end,
        )
    }

    /// The tag that starts a game in a line of movetext that starts with white space.
    fn indented(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let tag = indented_bracket(bytes, start)?;
        opens_game(bytes.get(tag..)?, self.line_end).then_some(tag)
    }

    /// Reads a line before the moves that has no bracket in its first column.
    fn line_before_moves(&mut self, bytes: &[u8], start: usize) -> Line {
        let text = bytes.get(start..).unwrap_or_default();
        let inner = start + blanks(text.get(..LONGEST_TAG).unwrap_or(text));
        match bytes.get(inner) {
            Some(b'[') => self.bracket(bytes, inner),
            Some(&c) if c == self.line_end => self.empty_line(inner),
            Some(b'\r') if bytes.get(inner + 1) == Some(&self.line_end) => self.empty_line(inner + 1),
            Some(_) => Line::Inside(
                self.pass_between(bytes, start)
                    .unwrap_or_else(|| self.begin_moves(start)),
            ),
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
    pub(super) fn tags_of_line(&mut self, bytes: &[u8], start: usize, end: usize) -> usize {
        let mut at = start;
        while at < end {
            let text = bytes.get(at..).unwrap_or_default();
            match text.first() {
                Some(b'[') => {
                    match read_tag(text, self.line_end).or_else(|| read_odd_tag(text, self.line_end)) {
                        Some(tag) => at += tag.len,
                        None => {
                            return self
                                .pass_between(bytes, at)
                                .unwrap_or_else(|| self.begin_moves(at + 1));
                        }
                    }
                }
                Some(&c) if c == self.line_end => {
                    self.state = State::LineStart;
                    return at + 1;
                }
                Some(b' ' | b'\t' | b'\0' | 0x1a | b'\r') => at += 1,
                _ => {
                    return self
                        .pass_between(bytes, at)
                        .unwrap_or_else(|| self.begin_moves(at));
                }
            }
        }
        at
    }
}

/// True if `text` starts with a complete tag, and the line before it ends with a result or, in the head of a file, with
/// a comment.
pub(super) fn tag_follows(before: &[u8], is_in_head: bool, text: &[u8], line_end: u8) -> bool {
    let blanks = before
        .iter()
        .rev()
        .take_while(|c| matches!(c, b' ' | b'\t'))
        .count();
    let before = before.get(..before.len() - blanks).unwrap_or_default();
    if !(ends_with_result(before) || is_in_head && before.ends_with(b"}")) {
        return false;
    }
    let tag = read_tag(text, line_end).filter(|tag| tag.flaw.is_none());
    tag.is_some_and(|tag| text.get(..tag.len).is_some_and(|tag| !tag.contains(&line_end)))
}

/// The bracket at the start of a line, perhaps after blanks, up to [`MOST_INDENT`].
pub(super) fn indented_bracket(bytes: &[u8], start: usize) -> Option<usize> {
    let text = bytes.get(start..)?;
    let indent = blanks(text.get(..MOST_INDENT).unwrap_or(text));
    (text.get(indent) == Some(&b'[')).then_some(start + indent)
}

/// Number of blanks before a place, at most one more than [`MOST_INDENT`].
pub(super) fn indent_before(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or_default().iter().rev();
    let blanks = before.take_while(|c| matches!(c, b' ' | b'\t'));
    blanks.take(MOST_INDENT + 1).count()
}
