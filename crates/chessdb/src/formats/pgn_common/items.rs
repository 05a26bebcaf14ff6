//! The items of movetext as written (section 5).

use encoding_rs::{Encoding, UTF_8};
use memchr::memchr;

use super::near::near1;
use super::promotion::bracketed_piece;
use super::results::before_glued_result;
use super::section::beginning;
use super::words::without_number;

/// Byte-order mark in UTF-8, which has no meaning.
pub(in crate::formats) const MARK: &[u8] = b"\xef\xbb\xbf";

/// One item of movetext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Item<'a> {
    /// A move, a number, a result, a glyph, or any other word.
    Word(&'a [u8]),
    /// The text between braces, and whether the closing brace exists.
    Comment(&'a [u8], bool),
    /// `$` and a number; `None` if it is greater than 255.
    Nag(Option<u8>),
    /// `(`
    Open,
    /// `)`
    Close,
    /// A bracket outside of comments: text that is not movetext.
    Bracket,
    /// A sign without meaning: `$` without a number, `%` within a line, `]`.
    Sign(u8),
}

/// Iterates over the items of movetext.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct Items<'a> {
    pub(in crate::formats) text: &'a [u8],
    line_end: u8,
    /// Offset of the next item.
    pub(in crate::formats) at: usize,
    /// Offset of the last item.
    pub(in crate::formats) start: usize,
    /// Start and end of the last word that was searched for its end. If only its beginning is used, the rest is not
    /// searched again.
    word: (usize, usize),
    blanks: WideBlanks,
}

/// Which bytes beyond ASCII separate words like blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WideBlanks {
    /// The blanks of Unicode in UTF-8, and the no-break space of windows-1252 where a byte is not UTF-8.
    Unicode,
    /// The no-break space of an encoding with a byte for each character.
    Byte,
    None,
}

impl<'a> Items<'a> {
    /// The items of a text, starting at an offset.
    pub(in crate::formats) fn new(text: &'a [u8], at: usize, line_end: u8) -> Items<'a> {
        Items {
            text,
            line_end,
            at,
            start: at,
            word: (0, 0),
            blanks: WideBlanks::Unicode,
        }
    }

    /// The items of a text in an encoding that the user has set.
    pub(in crate::formats) fn in_encoding(self, encoding: &'static Encoding) -> Items<'a> {
        let blanks = if encoding == UTF_8 {
            WideBlanks::Unicode
        } else if crate::text::decode(b"\xa0", encoding) == "\u{a0}" {
            WideBlanks::Byte
        } else {
            WideBlanks::None
        };
        Items { blanks, ..self }
    }

    /// The next item; `None` at the end.
    #[inline(always)]
    pub(in crate::formats) fn next(&mut self) -> Option<Item<'a>> {
        loop {
            let &first = self.text.get(self.at)?;
            self.start = self.at;
            match kind(first) {
                Kind::Space => self.at += 1,
                Kind::Word if first == 0xef && self.rest().starts_with(MARK) => self.at += MARK.len(),
                Kind::Word if first >= 0x80 && self.skip_wide_blank() => {}
                Kind::Word => return Some(self.word()),
                Kind::Special => {
                    if let Some(item) = self.special(first) {
                        return Some(item);
                    }
                }
            }
        }
    }

    /// Reads an item that starts with a special character.
    fn special(&mut self, first: u8) -> Option<Item<'a>> {
        self.at += 1;
        match first {
            b'{' => {
                let rest = self.rest();
                let end = memchr(b'}', rest);
                let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                self.at += end.map_or(rest.len(), |end| end + 1);
                Some(Item::Comment(text, end.is_some()))
            }
            b';' => Some(Item::Comment(self.rest_of_line(), true)),
            b'%' if self.is_first_column() => {
                self.rest_of_line();
                None
            }
            b'(' => Some(Item::Open),
            b')' => Some(Item::Close),
            b'[' => Some(Item::Bracket),
            b'$' => {
                let rest = self.rest();
                let len = rest.iter().take_while(|c| c.is_ascii_digit()).count();
                if len == 0 {
                    return Some(Item::Sign(first));
                }
                self.at += len;
                let mut digits = rest.get(..len).unwrap_or_default().iter();
                let number = digits.try_fold(0u8, |number, digit| {
                    number.checked_mul(10)?.checked_add(digit.wrapping_sub(b'0'))
                });
                Some(Item::Nag(number))
            }
            // A closing brace without an opening one.
            b'}' => None,
            _ => Some(Item::Sign(first)),
        }
    }

    #[cold]
    fn skip_wide_blank(&mut self) -> bool {
        let blank = self.blanks.len_at(self.rest());
        self.at += blank.unwrap_or(0);
        blank.is_some()
    }

    fn word(&mut self) -> Item<'a> {
        if !(self.word.0..self.word.1).contains(&self.at) {
            let end = self.at + self.word_len(self.rest());
            self.word = (self.at, end + self.promotion_len(end));
        }
        let mut len = self.word.1 - self.at;
        if let Some(before) = before_glued_result(self.rest().get(..len).unwrap_or_default()) {
            len = before;
        }
        let word = self.rest().get(..len).unwrap_or_default();
        self.at += len;
        // A pattern, because this is faster than comparing with MARK.
        Item::Word(match word {
            [word @ .., 0xef, 0xbb, 0xbf] => word,
            word => word,
        })
    }

    /// The length of the word at the start of a text.
    #[inline(always)]
    fn word_len(&self, text: &[u8]) -> usize {
        let is_plain = |c: &u8| kind(*c) == Kind::Word && c.is_ascii();
        let len = text.iter().position(|c| !is_plain(c)).unwrap_or(text.len());
        match text.get(len) {
            Some(0x80..) => self.blanks.word_len(text, len),
            _ => len,
        }
    }

    /// The length of a word's rest that begins with the piece of a promotion in brackets, as in `b8(R)+`.
    #[inline(always)]
    fn promotion_len(&self, at: usize) -> usize {
        match self.text.get(at) {
            Some(b'(' | b'[') => self.bracketed_len(at),
            _ => 0,
        }
    }

    #[cold]
    fn bracketed_len(&self, at: usize) -> usize {
        let [word, rest] = [self.text.get(self.at..at), self.text.get(at..)].map(Option::unwrap_or_default);
        let is_pawns = matches!(
            without_number(word).0,
            [b'a'..=b'h', .., b'1' | b'8'] | [b'a'..=b'h', .., b'1' | b'8', b'=' | b'/']
        );
        match bracketed_piece(rest) {
            Some((_, len)) if is_pawns => len + self.word_len(rest.get(len..).unwrap_or_default()),
            _ => 0,
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let end = memchr(self.line_end, rest).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// True if the item at [`Items::start`] is in the first column.
    fn is_first_column(&self) -> bool {
        let line = beginning(self.text, self.start, self.line_end, false);
        let before = line.checked_sub(1).and_then(|before| self.text.get(before));
        before.is_none_or(|&c| c == self.line_end)
    }

    /// Skips blanks and closed comments in braces.
    #[inline(always)]
    pub(in crate::formats) fn skip_comments(&mut self) {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\r') => self.at += 1,
                Some(b'{') => match near1(b'}', self.rest()) {
                    Some(end) => self.at += end + 1,
                    None => return,
                },
                _ => return,
            }
        }
    }

    /// Skips the rest of an open variation. Returns false if it is not closed.
    pub(in crate::formats) fn skip_variation(&mut self) -> bool {
        let mut depth = 1;
        while let Some(item) = self.next() {
            match item {
                Item::Open => depth += 1,
                Item::Close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return true;
            }
        }
        false
    }
}

impl WideBlanks {
    /// Number of bytes of a non-ASCII blank at the start of a text.
    fn len_at(self, text: &[u8]) -> Option<usize> {
        match (self, text) {
            (WideBlanks::Unicode, [0xc2, 0xa0, ..]) => Some(2),
            // U+2000 to U+200B, U+202F, U+2060, and U+3000.
            (
                WideBlanks::Unicode,
                [0xe2, 0x80, 0x80..=0x8b | 0xaf, ..] | [0xe2, 0x81, 0xa0, ..] | [0xe3, 0x80, 0x80, ..],
            ) => Some(3),
            (WideBlanks::Unicode | WideBlanks::Byte, [0xa0, ..]) => Some(1),
            _ => None,
        }
    }

    /// The length of the word at the start of a text, whose first byte beyond ASCII is at `at`.
    #[cold]
    fn word_len(self, text: &[u8], at: usize) -> usize {
        let mut at = at;
        while let Some(rest @ [first, ..]) = text.get(at..)
            && kind(*first) == Kind::Word
            && self.len_at(rest).is_none()
        {
            at += match self {
                WideBlanks::Unicode => character_len(rest),
                WideBlanks::Byte | WideBlanks::None => 1,
            };
        }
        at
    }
}

/// Number of bytes of the character in UTF-8 at the start of a text; 1 if it is invalid.
pub(super) fn character_len(text: &[u8]) -> usize {
    let is_inside = |c: &u8| (0x80..0xc0).contains(c);
    match text {
        [0xc2..=0xdf, a, ..] if is_inside(a) => 2,
        [0xe0..=0xef, a, b, ..] if is_inside(a) && is_inside(b) => 3,
        [0xf0..=0xf4, a, b, c, ..] if is_inside(a) && is_inside(b) && is_inside(c) => 4,
        _ => 1,
    }
}

/// The kind of a character at the start of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Space,
    Special,
}

#[inline(always)]
fn kind(c: u8) -> Kind {
    match c {
        0..=b' ' | 0x7f => Kind::Space,
        b'{' | b'}' | b';' | b'(' | b')' | b'[' | b']' | b'$' | b'%' => Kind::Special,
        _ => Kind::Word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<String> {
        let mut items = Items::new(text.as_bytes(), 0, b'\n');
        let mut all = Vec::new();
        while let Some(item) = items.next() {
            let str = |bytes: &[u8]| crate::text::utf8(bytes).unwrap();
            all.push(match item {
                Item::Word(word) => str(word),
                Item::Comment(text, _) => format!("{{{}}}", str(text)),
                Item::Nag(Some(number)) => format!("${number}"),
                Item::Nag(None) => "$ above 255".to_owned(),
                Item::Open => "(".to_owned(),
                Item::Close => ")".to_owned(),
                Item::Bracket => "[".to_owned(),
                Item::Sign(sign) => format!("sign {}", char::from(sign)),
            });
        }
        all
    }

    #[test]
    fn blanks_beyond_ascii_separate_words() {
        for blank in [
            "\u{a0}", "\u{2000}", "\u{2009}", "\u{200b}", "\u{202f}", "\u{2060}", "\u{3000}",
        ] {
            let text = "1._e4_ _e5_2._à♘f3_1-0".replace('_', blank);
            assert_eq!(items(&text), ["1.", "e4", "e5", "2.", "à♘f3", "1-0"]);
        }
        assert_eq!(items("e4\u{200c}e5 {a\u{a0}b}"), ["e4\u{200c}e5", "{a\u{a0}b}"]);
        let words = |bytes: &'static [u8], encoding: Option<&'static Encoding>| {
            let mut items = Items::new(bytes, 0, b'\n');
            if let Some(encoding) = encoding {
                items = items.in_encoding(encoding);
            }
            std::iter::from_fn(|| items.next()).count()
        };
        assert_eq!(words(b"1.\xa0e4 \xc3\xa0", None), 3);
        assert_eq!(words(b"1.\xa0e4", Some(encoding_rs::WINDOWS_1251)), 2);
        assert_eq!(words(b"1.\xa0e4", Some(encoding_rs::IBM866)), 1);
    }

    #[test]
    fn ignored_bytes_begin_lines() {
        for text in [
            "e4\n%{\ne5",
            "e4\n\0%{\ne5",
            "e4\n\u{feff}%{\ne5",
            "e4\n\r%{\n\re5",
            "e4\n\u{feff}\x1a%{\ne5",
        ] {
            assert_eq!(items(text), ["e4", "e5"], "{text:?}");
        }
        assert_eq!(items("%{\ne5"), ["e5"]);
        assert_eq!(items("e4\0%e5"), ["e4", "sign %", "e5"]);
    }

    #[test]
    fn items_need_no_blanks_between_them() {
        assert_eq!(
            items("1.e4$1$14{a;b}(1.d4;x)\n)%\n%no\n} 2"),
            [
                "1.e4", "$1", "$14", "{a;b}", "(", "1.d4", "{x)}", ")", "sign %", "2"
            ]
        );
        assert_eq!(
            items("Qxf71-0 4.O-O0-1 e8=Q1/2-1/2 Qh4#!!0-1 f6* 1-0 B97*"),
            [
                "Qxf7", "1-0", "4.O-O", "0-1", "e8=Q", "1/2-1/2", "Qh4#!!", "0-1", "f6", "*", "1-0", "B97*"
            ]
        );
        assert_eq!(
            items("b8(R)+ a1(q) b8=(♘)! axb8[S] b8(=Л) 2.b8(N)1-0 e4(Nf6)"),
            [
                "b8(R)+",
                "a1(q)",
                "b8=(♘)!",
                "axb8[S]",
                "b8(=Л)",
                "2.b8(N)",
                "1-0",
                "e4",
                "(",
                "Nf6",
                ")"
            ]
        );
        assert_eq!(
            items("Rb8(N) b8(N e8(a) b8(Nf3) b7(N)"),
            [
                "Rb8", "(", "N", ")", "b8", "(", "N", "e8", "(", "a", ")", "b8", "(", "Nf3", ")", "b7", "(",
                "N", ")"
            ]
        );
        assert_eq!(
            items("$256 $ $f3 e4]{open"),
            ["$ above 255", "sign $", "sign $", "f3", "e4", "sign ]", "{open}"]
        );
        assert_eq!(
            items("$0 $254 $255 $0255 $256 $259 $260 $999 $0256"),
            [
                "$0",
                "$254",
                "$255",
                "$255",
                "$ above 255",
                "$ above 255",
                "$ above 255",
                "$ above 255",
                "$ above 255"
            ]
        );
        assert_eq!(items("\u{feff}1-0\u{feff} \u{feff}\n"), ["1-0"]);
    }
}
