//! Names of tags that differ from the usual names in letter case (section 4.1).

use super::tag::Tag;

/// The tags that a reader needs: the roster, the start position, and what searches and tables read.
const USUAL: [&str; 29] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "FEN",
    "SetUp",
    "Variant",
    "ECO",
    "WhiteElo",
    "BlackElo",
    "WhiteTitle",
    "BlackTitle",
    "EventDate",
    "UTCDate",
    "UTCTime",
    "TimeControl",
    "WhiteClock",
    "BlackClock",
    "Annotator",
    "Opening",
    "Source",
    "SourceTitle",
    "WhiteTeam",
    "BlackTeam",
    "WhiteRatingDiff",
    "BlackRatingDiff",
];

/// The usual name that a name matches in any letter case.
pub(in crate::formats) fn usual_name(name: &[u8]) -> Option<&'static str> {
    let is_same = |usual: &&&str| usual.len() == name.len() && usual.as_bytes().eq_ignore_ascii_case(name);
    USUAL.iter().find(is_same).copied()
}

/// The value of the first tag with exactly the wanted name. Without such a tag, of the first one in another letter
/// case.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::formats) struct FoundValue<'a> {
    exact: Option<&'a [u8]>,
    alike: Option<&'a [u8]>,
}

impl<'a> FoundValue<'a> {
    /// Offers a tag whose name is the wanted one in some letter case.
    pub(in crate::formats) fn offer(&mut self, name: &str, tag: &Tag<'a>) {
        if tag.name == name.as_bytes() {
            self.exact.get_or_insert(tag.value);
        } else {
            self.alike.get_or_insert(tag.value);
        }
    }

    /// True if no other tag can change the value.
    pub(in crate::formats) fn is_exact(self) -> bool {
        self.exact.is_some()
    }

    /// The value.
    pub(in crate::formats) fn get(self) -> Option<&'a [u8]> {
        self.exact.or(self.alike)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_any_letter_case() {
        for name in ["Fen", "fen", "FEN"] {
            assert_eq!(usual_name(name.as_bytes()), Some("FEN"));
        }
        assert_eq!(usual_name(b"eventdate"), Some("EventDate"));
        assert_eq!(usual_name(b"annotator"), Some("Annotator"));
        assert_eq!(usual_name(b"Mode"), None);
    }
}
