//! The tags before the moves of a game.

use super::tag::{Tag, blanks, read_tag, read_unquoted};
use memchr::memchr;

/// Iterates over the tags of a game and their offsets. Afterwards [`Section::at`] is the offset of the moves.
#[derive(Clone, Debug)]
pub(in crate::formats) struct Section<'a> {
    text: &'a [u8],
    line_end: u8,
    /// Offset of the next tag.
    pub(in crate::formats) at: usize,
    /// True if the current line contains only tags so far.
    in_line: bool,
    /// True if the previous line was empty.
    after_empty: bool,
}

impl<'a> Section<'a> {
    /// The tags at the beginning of a game.
    pub(in crate::formats) fn new(text: &'a [u8], line_end: u8) -> Section<'a> {
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

/// The first place from `at` on that is not in bytes ignored everywhere: byte-order marks, zeros and Ctrl-Z.
pub(in crate::formats) fn skip_ignored(bytes: &[u8], at: usize) -> usize {
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
