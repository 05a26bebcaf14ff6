//! The tags before the moves of a game.

use std::ops::Range;

use memchr::memchr;

use super::between::lines_between;
use super::tag::{Tag, blanks, bracket_line, read_odd_tag, read_tag};

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
    has_tag: bool,
    /// Comments and other text between the tags read so far.
    pub(in crate::formats) between: Vec<Range<usize>>,
}

impl<'a> Section<'a> {
    /// The tags at the start of a game.
    pub(in crate::formats) fn new(text: &'a [u8], line_end: u8) -> Section<'a> {
        Section {
            text,
            line_end,
            at: 0,
            in_line: false,
            after_empty: false,
            has_tag: false,
            between: Vec::new(),
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

    /// The tag at `start` if it counts as a tag only after other tags.
    #[cold]
    fn odd_tag(&self, start: usize) -> Option<Tag<'a>> {
        let is_in_tags = self.has_tag && !self.after_empty;
        read_odd_tag(self.text.get(start..)?, self.line_end).filter(|_| is_in_tags)
    }

    /// Skips lines at `start` that belong to the tags. Returns false if movetext begins there.
    #[cold]
    fn pass_between(&mut self, start: usize) -> bool {
        if !self.has_tag || self.after_empty {
            return false;
        }
        let text = self.text.get(start..).unwrap_or_default();
        let between = lines_between(text, self.line_end).map(|(len, _)| len);
        let Some(len) = between.or_else(|| bracket_line(text, self.line_end)) else {
            return false;
        };
        self.between.push(start..start + len);
        self.at = start + len;
        self.in_line = false;
        true
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
                    let tag = read_tag(text, self.line_end).or_else(|| self.odd_tag(start));
                    let Some(tag) = tag else {
                        if self.pass_between(start) {
                            continue;
                        }
                        return None;
                    };
                    self.after_empty = false;
                    self.has_tag = true;
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
                _ if self.pass_between(start) => {}
                _ => return None,
            }
        }
    }
}

/// The first place from `at` on without bytes that are ignored everywhere: byte-order marks, zeros and Ctrl-Z.
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

/// The first place from the start of a line on that is not ignored. Where line feeds end lines, carriage returns at the
/// start of a line are ignored, too: some lines end with LF CR.
pub(in crate::formats) fn skip_line_start(bytes: &[u8], at: usize, line_end: u8) -> usize {
    let mut start = skip_ignored(bytes, at);
    while line_end == b'\n' && bytes.get(start) == Some(&b'\r') {
        start = skip_ignored(bytes, start + 1);
    }
    start
}

/// The place after the last byte before `at` that is not ignored at the start of a line, as in [`skip_line_start`].
/// Blanks are ignored only `with_blanks`.
#[inline]
pub(in crate::formats) fn beginning(bytes: &[u8], at: usize, line_end: u8, with_blanks: bool) -> usize {
    let mut at = at;
    loop {
        let before = bytes.get(..at).unwrap_or_default();
        at -= match before {
            [.., b'\0' | 0x1a] => 1,
            [.., b'\r'] if line_end == b'\n' => 1,
            [.., b' ' | b'\t'] if with_blanks => 1,
            [.., 0xef, 0xbb, 0xbf] => 3,
            _ => return at,
        };
    }
}
