//! Move data as tokens, and the texts that belong to them (sections 3.1, 4).
//!
//! | byte | token |
//! |---|---|
//! | 00-9f | move of one byte |
//! | a0-af b | move of two bytes |
//! | b0 n, b1-cf | NAG n, NAG byte - b0 |
//! | d0-d3 | result 0-1, 1/2-1/2, 1-0, `*` |
//! | e1-e5 | error note with a text |
//! | d4-e0, e6-ef | comment with a text |
//! | f0, f1 | start and end of a variation |
//! | f2-fe | none, ignored |
//! | ff | end |

use super::myisam::Charset;
use super::text::{TextDecoder, comment};
use crate::game::Outcome;

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveToken<'a> {
    Move {
        code: u8,
        second: u8,
    },
    Nag(u8),
    Result(Outcome),
    /// First byte, and the text if one is left.
    Text(u8, Option<&'a [u8]>),
    Start,
    End,
    Nothing,
    /// End of the data.
    Finish,
    /// The second byte is missing.
    Cut,
}

/// A position in the move data and in the texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) at: usize,
    pub(super) end: usize,
    text: usize,
}

impl Cursor {
    /// Goes to a place that has been found without a range. The range stays.
    pub(super) fn go_to(&mut self, place: Cursor) {
        *self = Cursor {
            end: self.end,
            ..place
        };
    }
}

/// A variation in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variation {
    /// The contents of the variation, including its end.
    pub(super) inside: Cursor,
    /// The rest of the data after the variation.
    pub(super) after: Cursor,
    /// True if it contains a move, also one inside a variation.
    pub(super) has_move: bool,
}

/// Closes the last open variation.
fn close(found: &mut [Variation], open: &mut Vec<usize>, after: Cursor) {
    let Some(variation) = open.pop().and_then(|place| found.get_mut(place)) else {
        return;
    };
    variation.inside.end = after.at;
    variation.after = after;
    let has_move = variation.has_move;
    if let Some(outer) = open.last().and_then(|&place| found.get_mut(place)) {
        outer.has_move |= has_move;
    }
}

/// The place of the texts.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextSource<'a> {
    /// In a separate column.
    Column(&'a [u8]),
    /// After their tokens.
    Inline,
}

/// The two readings of the NAG code b0 (section 3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZeroNag {
    WithValue,
    Alone,
}

/// The move data of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens<'a> {
    pub(super) bin: &'a [u8],
    pub(super) source: TextSource<'a>,
    pub(super) charset: Charset,
    pub(super) texts: TextDecoder,
    pub(super) zero_nag: ZeroNag,
}

impl<'a> Tokens<'a> {
    /// A cursor at the start.
    pub(super) fn start(&self) -> Cursor {
        Cursor {
            at: 0,
            end: self.bin.len(),
            text: 0,
        }
    }

    /// False if no variation can begin.
    pub(super) fn may_have_variations(&self) -> bool {
        self.bin.contains(&0xf0)
    }

    /// False if no variation can extend a list of pieces in the main line (section 3.2).
    pub(super) fn may_promote_in_variations(&self) -> bool {
        self.may_have_variations() && self.bin.iter().any(|code| (0xa0..=0xa7).contains(code))
    }

    /// False if the code b0, which has two readings, does not occur.
    pub(super) fn has_zero_nag(&self) -> bool {
        self.bin.contains(&0xb0)
    }

    /// The next token; `None` at the end of the cursor's range.
    #[inline(always)]
    pub(super) fn next(&self, cursor: &mut Cursor) -> Option<MoveToken<'a>> {
        if cursor.at >= cursor.end {
            return None;
        }
        let &byte = self.bin.get(cursor.at)?;
        cursor.at += 1;
        Some(match byte {
            0x00..=0x9f => MoveToken::Move {
                code: byte,
                second: 0,
            },
            0xa0..=0xaf => match self.second(cursor) {
                Some(second) => MoveToken::Move { code: byte, second },
                None => MoveToken::Cut,
            },
            0xb0 if self.zero_nag == ZeroNag::Alone => MoveToken::Nag(0),
            0xb0 => match self.second(cursor) {
                Some(nag) => MoveToken::Nag(nag),
                None => MoveToken::Cut,
            },
            0xb1..=0xcf => MoveToken::Nag(byte - 0xb0),
            0xd0 => MoveToken::Result(Outcome::BlackWins),
            0xd1 => MoveToken::Result(Outcome::Draw),
            0xd2 => MoveToken::Result(Outcome::WhiteWins),
            0xd3 => MoveToken::Result(Outcome::Unknown),
            0xd4..=0xef => MoveToken::Text(byte, self.text(cursor)),
            0xf0 => MoveToken::Start,
            0xf1 => MoveToken::End,
            0xf2..=0xfe => MoveToken::Nothing,
            0xff => MoveToken::Finish,
        })
    }

    fn second(&self, cursor: &mut Cursor) -> Option<u8> {
        let second = self.bin.get(cursor.at..cursor.end)?.first();
        cursor.at += usize::from(second.is_some());
        second.copied()
    }

    /// The next text, up to its zero byte.
    fn text(&self, cursor: &mut Cursor) -> Option<&'a [u8]> {
        let (texts, at) = match self.source {
            TextSource::Column(texts) => (texts, &mut cursor.text),
            TextSource::Inline => (self.bin.get(..cursor.end)?, &mut cursor.at),
        };
        let rest = texts.get(*at..).filter(|rest| !rest.is_empty())?;
        let len = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        *at = (*at + len + 1).min(texts.len());
        rest.get(..len)
    }

    /// A text as a comment; `None` if it is blank.
    pub(super) fn comment(&self, byte: u8, text: Option<&[u8]>) -> Option<String> {
        let Some(text) = text else {
            return Some("...".to_owned());
        };
        let decoded = self.texts.decode(text, self.charset);
        let clean = comment(&decoded);
        let note = match byte {
            0xe1 => "unreadable input: ",
            0xe2 => "illegal move: ",
            0xe3 => "ambiguous move: ",
            0xe4 => "unrecognized input: ",
            0xe5 => "input expected: ",
            _ => "",
        };
        (!note.is_empty() || !clean.trim().is_empty()).then(|| format!("{note}{clean}"))
    }

    /// All variations, sorted by their start.
    pub(super) fn variations(&self) -> Vec<Variation> {
        let mut cursor = self.start();
        let mut found: Vec<Variation> = Vec::new();
        let mut open = Vec::new();
        loop {
            let before = cursor;
            match self.next(&mut cursor) {
                Some(MoveToken::Start) => {
                    open.push(found.len());
                    found.push(Variation {
                        inside: cursor,
                        after: cursor,
                        has_move: false,
                    });
                }
                Some(MoveToken::End) => close(&mut found, &mut open, cursor),
                Some(MoveToken::Finish) | None => {
                    while !open.is_empty() {
                        close(&mut found, &mut open, before);
                    }
                    return found;
                }
                Some(MoveToken::Move { .. }) => {
                    if let Some(variation) = open.last().and_then(|&place| found.get_mut(place)) {
                        variation.has_move = true;
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// Skips the rest of the current line; its end is not consumed. Without an `outer` line, only the end of
    /// the data ends the line. Returns false if the end of the data was reached.
    pub(super) fn skip_line(&self, cursor: &mut Cursor, has_outer: bool) -> bool {
        let mut depth = 0usize;
        loop {
            let before = *cursor;
            match self.next(cursor) {
                Some(MoveToken::Start) => depth += 1,
                Some(MoveToken::End) if depth > 0 => depth -= 1,
                Some(MoveToken::End) if has_outer => {
                    *cursor = before;
                    return true;
                }
                Some(MoveToken::Finish) => {
                    *cursor = before;
                    return false;
                }
                Some(_) => {}
                None => return true,
            }
        }
    }

    /// The last result in the data.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let mut cursor = self.start();
        let mut outcome = None;
        while let Some(token) = self.next(&mut cursor) {
            match token {
                MoveToken::Result(found) => outcome = Some(found),
                MoveToken::Finish => break,
                _ => {}
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens<'a>(bin: &'a [u8], source: TextSource<'a>) -> Tokens<'a> {
        Tokens {
            bin,
            source,
            charset: Charset::Utf8,
            texts: TextDecoder::default(),
            zero_nag: ZeroNag::WithValue,
        }
    }

    fn all<'a>(tokens: &Tokens<'a>) -> Vec<MoveToken<'a>> {
        let mut cursor = tokens.start();
        std::iter::from_fn(|| tokens.next(&mut cursor)).collect()
    }

    #[test]
    fn texts_come_in_turn() {
        let column = TextSource::Column(b"one\0\0three");
        let bin = [0xe0, 0xd5, 0x0b, 0xef, 0xe1, 0xff];
        assert_eq!(
            all(&tokens(&bin, column)),
            [
                MoveToken::Text(0xe0, Some(b"one")),
                MoveToken::Text(0xd5, Some(b"")),
                MoveToken::Move {
                    code: 0x0b,
                    second: 0
                },
                MoveToken::Text(0xef, Some(b"three")),
                MoveToken::Text(0xe1, None),
                MoveToken::Finish,
            ]
        );
        let inline = tokens(b"\xe0one\0\x0b\xff", TextSource::Inline);
        assert_eq!(all(&inline).len(), 3);
    }

    #[test]
    fn cut_tokens_are_reported() {
        let column = TextSource::Column(b"");
        assert_eq!(all(&tokens(&[0xb0], column)), [MoveToken::Cut]);
        assert_eq!(all(&tokens(&[0xa3], column)), [MoveToken::Cut]);
        assert_eq!(
            tokens(&[0xd0, 0xd2, 0xff, 0xd1], column).outcome(),
            Some(Outcome::WhiteWins)
        );
    }

    #[test]
    fn variations_know_their_ends() {
        let bin = [0xf0, 0xf0, 0x01, 0xf1, 0xf1, 0xf0, 0xff];
        let spans: Vec<_> = tokens(&bin, TextSource::Inline)
            .variations()
            .iter()
            .map(|variation| (variation.inside.at, variation.inside.end))
            .collect();
        assert_eq!(spans, [(1, 5), (2, 4), (6, 6)]);
    }
}
