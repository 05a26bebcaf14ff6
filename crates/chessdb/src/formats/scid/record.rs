//! The parts of a game (sections 5.1 to 5.3).
//!
//! | part | ends |
//! |---|---|
//! | further tags | with a zero |
//! | flags, and the FEN if bit 0 is set | the FEN with a zero |
//! | moves with their annotations | with `0F` |
//! | comments | each with a zero |
//!
//! A further tag is a byte n, the name, one byte with the length of the value, and the value. From 1 to 240 n is the
//! length of the stored name, from 241 to 250 the number of a known name, and from 251 to 254 the tag is skipped; 255
//! is the date of the event in three bytes, without a length.

use std::borrow::Cow;

use super::fields::date;
use crate::bytes::slice;
use crate::game::Date;

/// Names of tags that have a number, from 241 on.
const NAMES: [&str; 10] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
    "Setup",
    "Source",
    "SetUp",
];

/// Number of the first of [`NAMES`].
const FIRST_NAME: u8 = 241;

/// Number of the date of the event.
const EVENT_DATE: u8 = 255;

/// The bytes of a game; fewer if the file ends earlier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) bytes: &'a [u8],
    /// Offset of the game in the file.
    pub(super) start: u64,
    /// True if the file ends inside the game.
    pub(super) is_cut: bool,
}

/// One of the further tags.
pub(super) enum Tag<'a> {
    Text(Cow<'static, str>, &'a [u8]),
    EventDate(Date),
}

/// Why the moves of a game cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// Place in the record.
    pub(super) at: usize,
    pub(super) what: &'static str,
}

/// The parts of a game after its tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// The start position, where it is not the usual one.
    pub(super) fen: Option<&'a [u8]>,
    /// Place of the FEN in the record.
    pub(super) fen_at: usize,
    /// Place of the first byte of the moves in the record.
    pub(super) moves_at: usize,
}

impl<'a> Record<'a> {
    /// Passes the further tags to `each`, and returns the parts after them.
    pub(super) fn read(&self, mut each: impl FnMut(Tag<'a>)) -> Result<Parts<'a>, Damage> {
        let mut at = 0;
        while let Some(stored) = self.tag_at(at)? {
            if let Some(tag) = stored.tag() {
                each(tag);
            }
            at = stored.end;
        }
        self.after_tags(at + 1)
    }

    /// The parts after the tags. Unlike [`Record::read`], this does not read the names of tags, because main lines do
    /// not need them.
    pub(super) fn parts(&self) -> Result<Parts<'a>, Damage> {
        let mut at = 0;
        while let Some(stored) = self.tag_at(at)? {
            at = stored.end;
        }
        self.after_tags(at + 1)
    }

    /// The tag at a place; `None` at the end of the tags.
    #[inline]
    fn tag_at(&self, at: usize) -> Result<Option<StoredTag<'a>>, Damage> {
        let cut = Damage {
            at,
            what: "the tags do not end inside the game",
        };
        let kind = *self.bytes.get(at).ok_or(cut)?;
        let name_len = match kind {
            0 => return Ok(None),
            EVENT_DATE => {
                let value = slice(self.bytes, at + 1, 3).ok_or(cut)?;
                let (name, end) = (&[][..], at + 4);
                return Ok(Some(StoredTag {
                    kind,
                    name,
                    value,
                    end,
                }));
            }
            FIRST_NAME.. => 0,
            _ => usize::from(kind),
        };
        let name = slice(self.bytes, at + 1, name_len).ok_or(cut)?;
        let value_at = at + 1 + name_len;
        let len = *self.bytes.get(value_at).ok_or(cut)?;
        let value = slice(self.bytes, value_at + 1, len.into()).ok_or(cut)?;
        let end = value_at + 1 + value.len();
        Ok(Some(StoredTag {
            kind,
            name,
            value,
            end,
        }))
    }

    /// The parts of the game after its tags, which end before `at`.
    fn after_tags(&self, at: usize) -> Result<Parts<'a>, Damage> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let (flags, rest) = rest.split_first().ok_or(Damage {
            at,
            what: "the game ends before its moves",
        })?;
        if flags & 1 == 0 {
            return Ok(Parts {
                fen: None,
                fen_at: at,
                moves_at: at + 1,
            });
        }
        let len = rest.iter().position(|&byte| byte == 0).ok_or(Damage {
            at,
            what: "the start position does not end inside the game",
        })?;
        Ok(Parts {
            fen: rest.get(..len),
            fen_at: at + 1,
            moves_at: at + 1 + len + 1,
        })
    }
}

/// The stored form of a tag.
struct StoredTag<'a> {
    kind: u8,
    /// Empty if `kind` is the number of a known name.
    name: &'a [u8],
    value: &'a [u8],
    /// Place of the next tag.
    end: usize,
}

impl<'a> StoredTag<'a> {
    /// Name and value of the tag; `None` if its number is undefined, or if PGN does not allow the name.
    fn tag(&self) -> Option<Tag<'a>> {
        if self.kind == EVENT_DATE {
            let bits = self
                .value
                .iter()
                .fold(0, |bits, &byte| bits << 8 | u32::from(byte));
            return Some(Tag::EventDate(date(bits)));
        }
        let name = match self.kind.checked_sub(FIRST_NAME) {
            Some(number) => Cow::Borrowed(*NAMES.get(usize::from(number))?),
            None => name(self.name)?,
        };
        Some(Tag::Text(name, self.value))
    }
}

/// Frequent names of tags, which games borrow from here instead of allocating them.
const FREQUENT: [&str; 22] = [
    "WhiteTitle",
    "BlackTitle",
    "WhiteFideId",
    "BlackFideId",
    "WhiteTeam",
    "BlackTeam",
    "WhiteTeamCountry",
    "BlackTeamCountry",
    "WhiteClock",
    "BlackClock",
    "EventType",
    "EventRounds",
    "EventCountry",
    "EventCategory",
    "SourceTitle",
    "SourceVersion",
    "SourceVersionDate",
    "SourceQuality",
    "TimeControl",
    "Termination",
    "UTCDate",
    "UTCTime",
];

/// The name of a tag; `None` if it is not printable ASCII, which PGN does not allow.
fn name(bytes: &[u8]) -> Option<Cow<'static, str>> {
    let mut frequent = FREQUENT.into_iter();
    if let Some(name) = frequent.find(|name| name.as_bytes() == bytes) {
        return Some(Cow::Borrowed(name));
    }
    let is_graphic = bytes
        .iter()
        .fold(true, |graphic, c| graphic & c.is_ascii_graphic());
    is_graphic.then(|| Cow::Owned(bytes.iter().map(|&c| char::from(c)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Vec<String>, Result<Parts<'_>, Damage>) {
        let record = Record {
            bytes,
            start: 0,
            is_cut: false,
        };
        let mut tags = Vec::new();
        let parts = record.read(|tag| {
            tags.push(match tag {
                Tag::Text(name, value) => format!("{name}={}", value.escape_ascii()),
                Tag::EventDate(date) => date.to_string(),
            });
        });
        (tags, parts)
    }

    #[test]
    fn tags_come_before_the_moves() {
        let bytes = b"\x01X\x02ab\xf3\x01n\xfb\x01z\xff\x0f\xa2\x21\0\0\x0f";
        let (tags, parts) = read(bytes);
        assert_eq!(tags, ["X=ab", "Annotator=n", "2001.01.01"]);
        assert_eq!(parts.unwrap().moves_at, bytes.len() - 1);
    }

    #[test]
    fn a_start_position_ends_with_a_zero() {
        let (_, parts) = read(b"\0\x018/8 w\0\x0f");
        let parts = parts.unwrap();
        assert_eq!((parts.fen, parts.moves_at), (Some(&b"8/8 w"[..]), 8));
        assert_eq!(read(b"\0\x018/8 w").1.unwrap_err().at, 1);
    }

    #[test]
    fn damage_has_the_place_where_bytes_are_missing() {
        for (bytes, at) in [
            (&b""[..], 0),
            (b"\x01X", 0),
            (b"\xf3\x02a", 0),
            (b"\x01X\0\xff\0\0", 3),
            (b"\0", 1),
        ] {
            assert_eq!(read(bytes).1.unwrap_err().at, at, "{bytes:?}");
        }
    }
}
