//! Results of games, in the tag and in movetext (sections 4.1 and 5.4).

use std::ops::Range;

use super::characters::decode;
use super::form::has_form;
use super::items::{Item, Items, MARK};
use super::values::{with_plain_dashes, with_plain_signs};
use super::words::{LONGEST, without_number};
use crate::game::Outcome;
use crate::text::Charset;

/// A result in any form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) struct Written {
    /// The result; unknown for `*`, and if both players lost.
    pub(in crate::formats) outcome: Outcome,
    /// True if the game was not played, or if both players lost it.
    pub(in crate::formats) is_unplayed: bool,
}

impl Written {
    fn usual(outcome: Outcome) -> Written {
        Written {
            outcome,
            is_unplayed: false,
        }
    }

    fn unplayed(outcome: Outcome) -> Written {
        Written {
            outcome,
            is_unplayed: true,
        }
    }

    /// False for `*`, which leaves the result open.
    pub(in crate::formats) fn is_certain(self) -> bool {
        self.is_unplayed || self.outcome != Outcome::Unknown
    }

    /// The text of the remark for a result without play.
    pub(super) fn meaning(self) -> &'static str {
        match self.outcome {
            Outcome::WhiteWins => "White won without play",
            Outcome::BlackWins => "Black won without play",
            Outcome::Draw => "the game was drawn without play",
            Outcome::Unknown => "both players lost",
        }
    }
}

/// Results as written by programs and people.
const RESULTS: [(&str, Outcome); 12] = [
    ("1-0", Outcome::WhiteWins),
    ("0-1", Outcome::BlackWins),
    ("1/2-1/2", Outcome::Draw),
    ("*", Outcome::Unknown),
    ("1/2", Outcome::Draw),
    ("1:0", Outcome::WhiteWins),
    ("0:1", Outcome::BlackWins),
    ("1/2:1/2", Outcome::Draw),
    ("½-½", Outcome::Draw),
    ("½:½", Outcome::Draw),
    ("½", Outcome::Draw),
    ("0.5-0.5", Outcome::Draw),
];

/// Results that are glyphs after a move.
const ALSO_GLYPHS: [(&str, Outcome); 2] = [("+-", Outcome::WhiteWins), ("-+", Outcome::BlackWins)];

/// Results of games that were not played, or that both players lost. In movetext they may be null moves, castling or
/// glyphs.
const UNPLAYED: [(&str, Outcome); 10] = [
    ("+--", Outcome::WhiteWins),
    ("+:-", Outcome::WhiteWins),
    ("+/-", Outcome::WhiteWins),
    ("--+", Outcome::BlackWins),
    ("-:+", Outcome::BlackWins),
    ("-/+", Outcome::BlackWins),
    ("---", Outcome::Unknown),
    ("-:-", Outcome::Unknown),
    ("0-0", Outcome::Unknown),
    ("0:0", Outcome::Unknown),
];

/// The texts after a result that mean that the loser was absent, in small letters without blanks.
const ABSENT: [&str; 6] = ["(forfeit)", "forfeit", "(ff)", "ff", "(f)", "f"];

/// Reads the result in a tag. Dashes of any kind are treated like the one in ASCII.
pub(in crate::formats) fn read_result(text: &str) -> Option<Written> {
    let text: String = with_plain_dashes(text).split_whitespace().collect();
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let text = inner.unwrap_or(&text);
    if let Some(outcome) = find(&RESULTS, text).or_else(|| find(&ALSO_GLYPHS, text)) {
        return Some(Written::usual(outcome));
    }
    if let Some(outcome) = find(&UNPLAYED, text) {
        return Some(Written::unplayed(outcome));
    }
    let text = text.to_ascii_lowercase();
    let won = ABSENT.iter().find_map(|absent| text.strip_suffix(absent))?;
    let outcome = find(&RESULTS, won)?;
    matches!(outcome, Outcome::WhiteWins | Outcome::BlackWins).then_some(Written::unplayed(outcome))
}

fn find(results: &[(&str, Outcome)], text: &str) -> Option<Outcome> {
    let found = results.iter().find(|(result, _)| *result == text);
    found.map(|&(_, outcome)| outcome)
}

/// Signs that may end a sentence after a result.
const END_OF_SENTENCE: [char; 3] = ['.', ',', '!'];

/// Maximum length of a result in bytes.
const LONGEST_RESULT: usize = 16;

/// Parses a word of movetext as a result.
pub(in crate::formats) fn movetext_result(word: &[u8], encoding: Charset) -> Option<Outcome> {
    let is_short = word.len() <= LONGEST_RESULT;
    is_short
        .then(|| result_of_text(&decode(word, encoding)))
        .flatten()
}

/// Like [`movetext_result`], for a decoded word. A sign may end the sentence.
pub(in crate::formats) fn result_of_text(text: &str) -> Option<Outcome> {
    let text = text.trim().trim_end_matches(END_OF_SENTENCE);
    find(&RESULTS, &with_plain_dashes(text))
}

/// The result in a word of movetext, perhaps after a move number: `3.1/2-1/2`.
pub(in crate::formats) fn numbered_result(word: &[u8], encoding: Charset) -> Option<Outcome> {
    let (word, _) = without_number(word);
    movetext_result(word, encoding)
}

/// The result if a word of movetext has the form of the standard.
pub(in crate::formats) fn usual_result(word: &[u8]) -> Option<Outcome> {
    match word {
        b"1-0" => Some(Outcome::WhiteWins),
        b"0-1" => Some(Outcome::BlackWins),
        b"1/2-1/2" => Some(Outcome::Draw),
        b"*" => Some(Outcome::Unknown),
        _ => None,
    }
}

/// The number of bytes of the move at the start of a word, if the rest is a result in the form of the standard, perhaps
/// with a sign that ends the sentence: `Qxf7#1-0`, `Qxf7#1-0.`.
#[inline(always)]
pub(super) fn before_glued_result(word: &[u8]) -> Option<usize> {
    match word {
        [_, _, .., b'-', b'0' | b'1'] | [_, _, .., b'/', b'2'] | [_, _, .., b'*'] => glued_result(word),
        [_, _, .., b'0'..=b'2' | b'*', b'.' | b',' | b'!'] => glued_result(word),
        _ => None,
    }
}

#[cold]
fn glued_result(word: &[u8]) -> Option<usize> {
    let results: [&[u8]; 4] = [b"1/2-1/2", b"1-0", b"0-1", b"*"];
    let word = without_end_of_sentence(word);
    results.into_iter().find_map(|result| {
        let before = word.strip_suffix(result)?;
        // The start of a long word shows whether it is one.
        let (mv, _) = without_number(before.get(..LONGEST).unwrap_or(before));
        let is_move = !mv.is_empty() && has_form(&with_plain_signs(&decode(mv, Charset::Utf8)));
        is_move.then_some(before.len())
    })
}

/// A word without the signs that end a sentence.
fn without_end_of_sentence(word: &[u8]) -> &[u8] {
    let len = word.iter().rposition(|sign| !b".,!".contains(sign));
    len.and_then(|len| word.get(..=len)).unwrap_or_default()
}

/// True if a text ends with a result, possibly glued to a move.
pub(in crate::formats) fn ends_with_result(text: &[u8]) -> bool {
    let is_end = |c: &u8| *c <= b' ' || b"{}();[]$%\x7f".contains(c);
    let word = text.rsplit(is_end).next().unwrap_or_default();
    movetext_result(word, Charset::Utf8).is_some() || before_glued_result(word).is_some()
}

/// Words that mean a result only at the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) struct LastWords {
    /// Offset of the first one.
    pub(in crate::formats) start: usize,
    /// Offset after the last one.
    pub(in crate::formats) end: usize,
    pub(in crate::formats) result: Written,
}

/// Number of bytes that are searched for these words.
const TAIL: usize = 32;

/// The last words of a game, if they are a result in an unusual form: with blanks, such as `1 - 0`, or a result without
/// play, if the tag has it, too, or the movetext has nothing else. Only comments and glyphs may follow them. `tag` returns
/// the result in the tag, and `moves` are the items of the movetext.
#[inline]
pub(in crate::formats) fn last_words(
    moves: Items<'_>,
    tag: impl Fn() -> Option<Written>,
    encoding: impl Fn() -> Charset,
) -> Option<LastWords> {
    let movetext = moves.text.get(moves.at..)?;
    match movetext.get(..trimmed_len(movetext))? {
        // Nearly all games end like this.
        [.., b'1', b'-', b'0'] | [.., b'0', b'-', b'1'] | [.., b'-', b'1', b'/', b'2'] | [.., b'*'] => None,
        _ => find_last_words(moves, &tag, &encoding),
    }
}

/// Length of a text without white space and bytes without meaning at its end.
fn trimmed_len(text: &[u8]) -> usize {
    let mut rest = text;
    loop {
        rest = match rest {
            [rest @ .., 0xef, 0xbb, 0xbf] | [rest @ .., 0..=b' ' | 0x7f] => rest,
            _ => return rest.len(),
        }
    }
}

#[cold]
fn find_last_words(
    moves: Items<'_>,
    tag: &dyn Fn() -> Option<Written>,
    encoding: &dyn Fn() -> Charset,
) -> Option<LastWords> {
    let words = words(moves)?;
    let from = words.end.saturating_sub(TAIL).max(words.start);
    let tail = moves.text.get(from..words.end)?;
    let mut starts = (0..tail.len()).rev().filter(|&at| {
        let begins = match at.checked_sub(1).and_then(|before| tail.get(before)) {
            // The first word of the tail may be cut, so it must not be compared.
            None => from == words.start,
            // A move ends with these marks.
            Some(b'!' | b'?') => tail.get(at).is_some_and(u8::is_ascii_digit),
            Some(c) => *c <= b' ' || b"{}();[]".contains(c),
        };
        begins && tail.get(at).is_some_and(|c| *c > b' ')
    });
    let last: Vec<usize> = starts.by_ref().take(3).collect();
    last.into_iter().find_map(|at| {
        let text = decode(tail.get(at..)?, encoding());
        let start = from + at;
        let is_alone = start == words.start;
        if result_of_text(&text).is_some() {
            return None;
        }
        let text = text.trim_end_matches(END_OF_SENTENCE);
        let is_sign = find(&ALSO_GLYPHS, text);
        let result = is_sign.map(Written::unplayed).or_else(|| read_result(text))?;
        let is_result = match result.is_unplayed {
            true => is_sign.is_none() && tag() == Some(result) || is_alone,
            // A glyph with blanks in it is not a result.
            false if text.starts_with(['+', '-']) => false,
            false => !text.starts_with('(') || is_alone,
        };
        let end = words.end;
        is_result.then_some(LastWords { start, end, result })
    })
}

/// The part of movetext from its first to its last item that is neither a comment nor a glyph with a number.
fn words(moves: Items<'_>) -> Option<Range<usize>> {
    let (mut items, mut words) = (moves, None);
    while let Some(item) = items.next() {
        if !matches!(item, Item::Comment(..) | Item::Nag(_)) {
            words.get_or_insert(items.start..items.at).end = items.at;
        }
    }
    words
}

/// True if the last word of a game is `*`.
fn ends_with_star(text: &[u8]) -> bool {
    let mut words = text.rsplit(|c| c.is_ascii_whitespace() || matches!(c, 0 | 0x1a));
    let last = words.find(|word| !matches!(*word, b"" | MARK));
    last.map(without_end_of_sentence)
        .is_some_and(|word| word == b"*" || word.ends_with(b"*") && before_glued_result(word).is_some())
}

/// The result of a game whose tag has the result `tag`. If the tag is `*`, the result in the movetext counts. Movetext
/// that ends with `*` is not searched for another result.
pub(in crate::formats) fn outcome(tag: Option<Written>, items: Items<'_>, encoding: Charset) -> Outcome {
    match tag {
        Some(tag) if tag.is_certain() => tag.outcome,
        Some(_) if ends_with_star(items.text) => Outcome::Unknown,
        _ => in_movetext(tag, items, encoding).unwrap_or_default(),
    }
}

/// The first result outside of variations and comments.
fn in_movetext(tag: Option<Written>, items: Items<'_>, encoding: Charset) -> Option<Outcome> {
    let last = last_words(items, || tag, || encoding);
    let mut items = items;
    let mut skips = true;
    while let Some(item) = items.next() {
        // The last words may be glued to a move.
        if let Some(last) = last
            && !matches!(item, Item::Comment(..))
            && (items.start..items.at).contains(&last.start)
        {
            return Some(last.result.outcome);
        }
        match item {
            Item::Open if skips => {
                let inside = items;
                if !items.skip_variation() {
                    // An unclosed parenthesis does not start a variation, and neither do the parentheses after it.
                    skips = false;
                    items = inside;
                }
            }
            // A result, or a move number.
            Item::Word(word @ [b'0'..=b'9' | b'*' | 0xc2 | 0xbd, ..]) => {
                if let Some(found) = numbered_result(word, encoding) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_in_their_forms() {
        for (outcome, usual, unplayed) in [
            (
                Outcome::WhiteWins,
                &["1-0", " 1 - 0 ", "1–0", "1:0", "(1-0)", "+-"][..],
                &["+--", "+:-", "+/-", "1-0 ff", "1-0F", "1-0 (forfeit)"][..],
            ),
            (
                Outcome::BlackWins,
                &["0-1", "0 - 1", "-+"],
                &["--+", "-:+", "-/+", "0-1ff"],
            ),
            (
                Outcome::Draw,
                &["1/2-1/2", "½–½", "0.5 - 0.5", "1/2:1/2", "½"],
                &[],
            ),
            (Outcome::Unknown, &["*"], &["0-0", "---", "-:-", "0 - 0"]),
        ] {
            for (texts, is_unplayed) in [(usual, false), (unplayed, true)] {
                for text in texts {
                    let wanted = Written { outcome, is_unplayed };
                    assert_eq!(read_result(text), Some(wanted), "{text}");
                }
            }
        }
        for text in ["?", "", "1-", "1/2-1/2 ff", "*ff", "--", "ff", "0-0-0", "(1-0"] {
            assert_eq!(read_result(text), None, "{text}");
        }
        for text in ["+-", "0-0", "+--", "1 - 0"] {
            assert_eq!(result_of_text(text), None, "{text}");
        }
    }

    #[test]
    fn a_result_may_be_glued_to_a_move() {
        for (mv, result) in [
            ("Qxf7", "1-0"),
            ("O-O", "0-1"),
            ("0-0", "0-1"),
            ("e8=Q", "1/2-1/2"),
            ("Qh4#!!", "0-1"),
            ("4.Qxf7", "1-0"),
            ("f6", "*"),
            ("♕h5", "1-0"),
            ("Sf3", "1-0"),
        ] {
            for end in ["", ".", "!"] {
                let word = [mv, result, end].concat();
                assert_eq!(before_glued_result(word.as_bytes()), Some(mv.len()), "{word}");
                assert!(ends_with_result(format!("1. e4 {word}").as_bytes()), "{word}");
            }
        }
        for word in [
            "1-0", "0-1", "1/2-1/2", "*", "e1-0", "1.0-1", "21-0", "0-0", "0-0-0", "**", "Game1-0", "1/2",
            "-1-0", "1-0.", "e1!", "e2.", "Qe1!!",
        ] {
            assert_eq!(before_glued_result(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn some_words_are_a_result_at_the_end_of_a_game() {
        let found = |text: &str, tag: &str| {
            let items = Items::new(text.as_bytes(), 0, b'\n');
            let found = last_words(items, || read_result(tag), || Charset::Utf8);
            found.map(|found| (found.start, found.result.outcome))
        };
        for (text, tag, wanted) in [
            ("1. e4 1 - 0\n\n", "*", Some((6, Outcome::WhiteWins))),
            ("1. e4 0- 1\0", "*", Some((6, Outcome::BlackWins))),
            ("1. e4 0.5 - 0.5", "?", Some((6, Outcome::Draw))),
            ("1. e4 ½ - ½", "1-0", Some((6, Outcome::Draw))),
            ("1. e4 1/2 - 1/2", "1-0", Some((6, Outcome::Draw))),
            ("1. e4 1/2", "1-0", None),
            ("1. e4 + -", "1-0", None),
            ("1. e4 +-", "+-", None),
            ("+-", "+-", Some((0, Outcome::WhiteWins))),
            ("1. e4 (1-0)", "1-0", None),
            ("1. e4 e5 0-0", "0-0", Some((9, Outcome::Unknown))),
            ("1. e4 e5 0-0", "*", None),
            ("1. e4 e5 0-0 {both lost}", "0-0", Some((9, Outcome::Unknown))),
            ("1. e4 e5 0-0 ; x\n", "0-0", Some((9, Outcome::Unknown))),
            ("1. e4 e5 0-0\n% x\n{y\nz}\n", "0-0", Some((9, Outcome::Unknown))),
            ("1. e4 e5 0-0 $1", "0-0", Some((9, Outcome::Unknown))),
            ("1. e4 e5 0-0.", "0-0", Some((9, Outcome::Unknown))),
            ("1. e4 {0-0} e5", "0-0", None),
            ("1. e4 e5 2. Nf3!0-0", "0-0", Some((16, Outcome::Unknown))),
            ("1. e4 e5 2. Nf3!1 - 0", "?", Some((16, Outcome::WhiteWins))),
            (
                "1. e4 1 - 0 {a comment that is longer than the bytes that are searched}",
                "?",
                Some((6, Outcome::WhiteWins)),
            ),
            ("--- {x}", "---", Some((0, Outcome::Unknown))),
            ("+-- {no show}", "?", Some((0, Outcome::WhiteWins))),
            ("1. e4 e5 0-0", "---", Some((9, Outcome::Unknown))),
            ("1. e4 e5 0-0 *", "0-0", None),
            ("0-0", "*", Some((0, Outcome::Unknown))),
            ("{a} 0-0", "*", Some((4, Outcome::Unknown))),
            ("1. 0-0", "*", None),
            (" +--\n", "?", Some((1, Outcome::WhiteWins))),
            ("1. e4 +--", "?", None),
            ("1. e4 +--", "+--", Some((6, Outcome::WhiteWins))),
            ("1. e4 --+", "1-0", None),
            ("1-0 ff", "1-0", Some((0, Outcome::WhiteWins))),
            ("(1-0)", "?", Some((0, Outcome::WhiteWins))),
            ("1. e4 (1. d4 0-0)", "0-0", None),
            ("1. e4 e5", "0-0", None),
            ("", "0-0", None),
        ] {
            assert_eq!(found(text, tag), wanted, "{text} {tag}");
        }
    }

    #[test]
    fn a_star_in_the_tag_says_nothing() {
        let read = |tag: &str, text: &str| {
            outcome(
                read_result(tag),
                Items::new(text.as_bytes(), 0, b'\n'),
                Charset::Utf8,
            )
        };
        assert_eq!(read("*", "1. e4 e5 1/2-1/2\n\n"), Outcome::Draw);
        assert_eq!(read("*", "1. e4 (1. d4 0-1) e5 ½-½ {1-0}"), Outcome::Draw);
        assert_eq!(read("*", "1. e4 {1-0} e5 \0*\n\u{feff}\x1a"), Outcome::Unknown);
        assert_eq!(read("*", "1. e4 {1-0}"), Outcome::Unknown);
        assert_eq!(read("", "1. e4 0-1"), Outcome::BlackWins);
        assert_eq!(read("1-0", "1. e4 0-1"), Outcome::WhiteWins);
        assert_eq!(read("*", "1. f3 e5 2. g4 Qh4#0-1"), Outcome::BlackWins);
        assert_eq!(read("", "1. f3 e5 2. g4 Qh4*"), Outcome::Unknown);
        assert_eq!(read("", "1. e4 {; 1 - 0} 1 - 0"), Outcome::WhiteWins);
        assert_eq!(read("", "1. e4 ; 1 - 0"), Outcome::Unknown);
        assert_eq!(read("0-0", "1. e4 1-0"), Outcome::Unknown);
        assert_eq!(read("?", "+--"), Outcome::WhiteWins);
        assert_eq!(read("", "1. e4 e5 2.1-0"), Outcome::WhiteWins);
        assert_eq!(read("*", "1. e4 e5 2. Nf3 Nc6 3.1/2-1/2"), Outcome::Draw);
        assert_eq!(read("*", "1. e4 0.5-0.5 0-1"), Outcome::Draw);
        for text in ["1. e4 1-0.", "1. e4 1-0,", "1. e4 1-0!", "1. e4 1–0."] {
            assert_eq!(read("*", text), Outcome::WhiteWins, "{text}");
        }
        assert_eq!(read("?", "1. e4 e5 0-0"), Outcome::Unknown);
        assert_eq!(read("?", "1. e4 1 - 0 {a}"), Outcome::WhiteWins);
        assert_eq!(read("?", "1. e4 e5 2. Nf3!1 - 0"), Outcome::WhiteWins);
    }
}
