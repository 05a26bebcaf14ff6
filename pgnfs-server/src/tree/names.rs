//! Names of games and blocks in `games/`, and of directories named after a text of the database.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use chessdb::{Database, TextId};
use chessdb_library::library::{LONGEST_NAME, cut, safe_name};
use chessdb_library::spelling::Names;

/// Normalizes a text to Unicode NFC, so that equal texts are equal as bytes. An empty text becomes `?`.
pub fn canonical(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_empty() {
        return Cow::Borrowed("?");
    }
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text;
    }
    Cow::Owned(text.nfc().collect())
}

/// The normalized text of an id.
pub fn canonical_text(database: &dyn Database, id: TextId) -> String {
    canonical(database.text(id).into()).into_owned()
}

/// Name of the directory for a normalized text.
pub fn directory_name(text: &str) -> Cow<'_, str> {
    match safe_name(text) {
        Cow::Borrowed(name) => Cow::Borrowed(cut(name, LONGEST_NAME)),
        Cow::Owned(name) => Cow::Owned(cut(&name, LONGEST_NAME).to_owned()),
    }
}

/// `Linares 1993`; without the year if it is unknown or already part of the event's text.
pub fn event_and_year(event: String, year: u16) -> String {
    if year == 0 {
        return event;
    }
    let year = format!("{year:04}");
    match event.as_str() {
        "?" => format!("unknown {year}"),
        text if text.contains(&year) => event,
        text => canonical(format!("{text} {year}").into()).into_owned(),
    }
}

/// The text that a directory has which stands for a stored text.
pub(super) fn shown(names: Option<&Names>, text: String) -> String {
    match names {
        Some(names) => names.shown(text),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_has_its_year_once() {
        let name = |event: &str, year| event_and_year(event.to_owned(), year);
        assert_eq!(name("Linares", 1993), "Linares 1993");
        assert_eq!(name("Linares 1993", 1993), "Linares 1993");
        assert_eq!(name("Linares 1993", 1994), "Linares 1993 1994");
        assert_eq!(name("Linares", 0), "Linares");
        assert_eq!(name("?", 1993), "unknown 1993");
        assert_eq!(name("?", 0), "?");
    }

    #[test]
    fn directories_have_safe_names() {
        assert_eq!(directory_name("Kasparov, Garry"), "Kasparov, Garry");
        assert_eq!(directory_name("a/b\0c\u{7f}"), "a_b_c_");
        assert_eq!(directory_name(&canonical(Cow::Borrowed(""))), "unknown");
        assert_eq!(directory_name(&"é".repeat(200)), "é".repeat(120));
        assert_eq!(canonical(Cow::Borrowed("Re\u{301}ti")), "Réti");
    }

    proptest! {
        #[test]
        fn directory_names_are_always_good(text in any::<String>()) {
            let name = directory_name(&canonical(Cow::Borrowed(&text))).into_owned();
            prop_assert!(!name.is_empty() && name.len() <= LONGEST_NAME);
            prop_assert!(!name.contains(['/', '\0']) && !matches!(name.as_str(), "." | ".." | "?"));
        }
    }
}
