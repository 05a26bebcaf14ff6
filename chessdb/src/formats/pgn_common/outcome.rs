//! The result of a game, from its tag and its movetext, without its moves (section 4.1).

use encoding_rs::Encoding;

use super::items::{Item, Items, MARK};
use super::values::movetext_result;
use crate::game::Outcome;

/// The result of a game whose tag has the result `tag`. A tag `*` says nothing: the result in the movetext counts
/// then. Movetext that ends with `*` is not searched for another one.
pub(in crate::formats) fn outcome(
    tag: Option<Outcome>,
    items: Items<'_>,
    encoding: &'static Encoding,
) -> Outcome {
    match tag {
        Some(Outcome::Unknown) if ends_with_star(items.text) => Outcome::Unknown,
        None | Some(Outcome::Unknown) => in_movetext(items, encoding).unwrap_or_default(),
        Some(outcome) => outcome,
    }
}

/// True if the last word of a game is `*`.
fn ends_with_star(text: &[u8]) -> bool {
    let mut words = text.rsplit(|c| c.is_ascii_whitespace() || matches!(c, 0 | 0x1a));
    let last = words.find(|word| !matches!(*word, b"" | MARK));
    last == Some(b"*")
}

/// The first result outside of variations and comments.
fn in_movetext(items: Items<'_>, encoding: &'static Encoding) -> Option<Outcome> {
    let mut items = items;
    let mut skips = true;
    while let Some(item) = items.next() {
        match item {
            Item::Open if skips => {
                let inside = items;
                if !items.skip_variation() {
                    // A parenthesis that is never closed begins no variation, and neither do those after it.
                    skips = false;
                    items = inside;
                }
            }
            Item::Word(word @ [b'0' | b'1' | b'*' | 0xc2 | 0xbd, ..]) => {
                if let Some(found) = movetext_result(word, encoding) {
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
    use encoding_rs::UTF_8;

    #[test]
    fn a_star_in_the_tag_says_nothing() {
        let read = |tag, text: &str| outcome(tag, Items::new(text.as_bytes(), 0, b'\n'), UTF_8);
        let star = Some(Outcome::Unknown);
        assert_eq!(read(star, "1. e4 e5 1/2-1/2\n\n"), Outcome::Draw);
        assert_eq!(read(star, "1. e4 (1. d4 0-1) e5 ½-½ {1-0}"), Outcome::Draw);
        assert_eq!(read(star, "1. e4 {1-0} e5 \0*\n\u{feff}\x1a"), Outcome::Unknown);
        assert_eq!(read(star, "1. e4 {1-0}"), Outcome::Unknown);
        assert_eq!(read(None, "1. e4 0-1"), Outcome::BlackWins);
        assert_eq!(read(Some(Outcome::WhiteWins), "1. e4 0-1"), Outcome::WhiteWins);
    }
}
