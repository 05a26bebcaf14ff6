//! The tags before the moves of a game.

use super::scan::skip_ignored;
use super::tag::{Tag, blanks, read_tag, read_unquoted};
use memchr::memchr;

/// Iterates over the tags of a game and their offsets. Afterwards [`Section::at`] is the offset of the moves.
#[derive(Clone, Debug)]
pub(super) struct Section<'a> {
    text: &'a [u8],
    line_end: u8,
    /// Offset of the next tag.
    pub(super) at: usize,
    /// True if the current line contains only tags so far.
    in_line: bool,
    /// True if the previous line was empty.
    after_empty: bool,
}

impl<'a> Section<'a> {
    /// The tags at the beginning of a game.
    pub(super) fn new(text: &'a [u8], line_end: u8) -> Section<'a> {
        Section {
            text,
            line_end,
            at: 0,
            in_line: false,
            after_empty: false,
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += memchr(self.line_end, rest).map_or(rest.len(), |end| end + 1);
        self.in_line = false;
    }
}

impl<'a> Iterator for Section<'a> {
    type Item = (usize, Tag<'a>);

    #[inline]
    fn next(&mut self) -> Option<(usize, Tag<'a>)> {
        loop {
            let at = skip_ignored(self.text, self.at);
            if !self.in_line && self.text.get(at) == Some(&b'%') {
                self.skip_line();
                continue;
            }
            let start = at + blanks(self.text.get(at..)?);
            match self.text.get(start)? {
                b'[' => {
                    let text = self.text.get(start..)?;
                    let unquoted = || {
                        let is_line = !self.in_line && !self.after_empty;
                        read_unquoted(text, self.line_end).filter(|_| is_line)
                    };
                    let tag = read_tag(text, self.line_end).or_else(unquoted)?;
                    self.after_empty = false;
                    self.at = start + tag.len;
                    self.in_line = true;
                    return Some((start, tag));
                }
                b'\r' | b'\n' => {
                    let is_end = self.text.get(start) == Some(&self.line_end);
                    self.at = start + 1;
                    self.after_empty |= is_end && !self.in_line;
                    self.in_line &= !is_end;
                }
                // A tag may follow ignored bytes in its line.
                b'\0' | 0x1a => self.at = start,
                _ => return None,
            }
        }
    }
}
