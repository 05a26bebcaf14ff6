//! Letters that are written in several ways, and texts without case and accents.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A text in small letters without accents.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let letters = text.nfkd().filter(|&c| !is_combining_mark(c));
    letters.flat_map(small).collect()
}

/// The words of a text, runs of letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// A text in small letters without accents, in both spellings of some letters: `ü` is u and ue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoldedText {
    /// Without accents.
    pub(crate) plain: String,
    /// With two letters in place of letters such as `ü`. `None` if it is the same.
    pub(crate) long: Option<String>,
}

impl FoldedText {
    pub(crate) fn of(text: &str) -> FoldedText {
        if text.is_ascii() {
            return FoldedText {
                plain: text.to_ascii_lowercase(),
                long: None,
            };
        }
        let [plain, long, _] = writings(text);
        let long = Some(long).filter(|long| *long != plain);
        FoldedText { plain, long }
    }

    /// The ways to write it.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> + Clone {
        [Some(&self.plain), self.long.as_ref()].into_iter().flatten()
    }
}

/// A text in small letters without accents, except on the letters that are written in two ways.
pub(crate) fn canonical(text: &str) -> String {
    let [_, _, canonical] = writings(text);
    canonical
}

/// Letters with two spellings: decomposed or not, without the accent, and with two letters. Two letters are never read
/// as one, so that Bauer and Samuel stay unchanged.
const TWO_WAYS: [(&str, char, &str); 5] = [
    ("a\u{308}", 'ä', "ae"),
    ("o\u{308}", 'ö', "oe"),
    ("u\u{308}", 'ü', "ue"),
    ("a\u{30a}", 'å', "aa"),
    ("ø", 'ø', "oe"),
];

/// A text in small letters: without accents, with two letters in place of letters such as `ü`, and with accents on
/// these letters alone.
fn writings(text: &str) -> [String; 3] {
    let (mut plain, mut long, mut canonical) = (String::new(), String::new(), String::new());
    let mut letters = text.nfkd().peekable();
    while let Some(letter) = letters.next() {
        if is_combining_mark(letter) {
            continue;
        }
        let small: String = small(letter).collect();
        let mark = letters.peek().copied().filter(|&mark| is_combining_mark(mark));
        let is_written = |decomposed: &str| {
            let mut signs = decomposed.chars();
            let base = signs.next();
            let is_same = match signs.next() {
                Some(accent) => mark == Some(accent) && small.chars().eq(base),
                None => letter.to_lowercase().eq(base),
            };
            is_same && signs.next().is_none()
        };
        plain += &small;
        match TWO_WAYS.iter().find(|(decomposed, ..)| is_written(decomposed)) {
            Some((_, letter, two)) => {
                long += two;
                canonical.push(*letter);
            }
            None => {
                long += &small;
                canonical += &small;
            }
        }
    }
    [plain, long, canonical]
}

/// A letter in small letters; special letters such as `ß` are written out as usual.
fn small(c: char) -> impl Iterator<Item = char> {
    let written = match c {
        'ß' | 'ẞ' => "ss",
        'ø' | 'Ø' => "o",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' => "d",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ı' => "i",
        'ς' => "σ",
        _ => "",
    };
    let other = written.is_empty().then(|| c.to_lowercase());
    written.chars().chain(other.into_iter().flatten())
}
