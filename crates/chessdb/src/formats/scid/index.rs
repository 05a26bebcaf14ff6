//! The index: one entry of a fixed size per game (sections 2.3 and 3 of docs/formats/scid.md).
//!
//! An entry of version 4. In version 3, the byte at +6 is missing, and everything after it is one byte earlier.
//!
//! ```text
//! offset  size   bits
//! +0      4             where the game begins in the games file
//! +4      2             its length, lower 16 bits
//! +6      1      7      length, bit 16
//!                5-0    flags 21 to 16
//! +7      2             flags 15 to 0
//! +9      1             White and Black, bits 19-16, four bits each
//! +10     2+2           White and Black, lower 16 bits
//! +14     1      7-5, 4-2, 1-0   event, site, round: bits above 15
//! +15     2+2+2         event, site, round, lower 16 bits
//! +21     2      13-12  result: 0 *, 1 1-0, 2 0-1, 3 1/2-1/2; bits 15 and 14 are ignored
//!                11-0   number of glyphs, comments, variations, 4 bits each in Scid's code; not used
//! +23     2             opening code (2.6)
//! +25     4      31-20  date of the event (2.8)
//!                19-0   date (2.7)
//! +29     2+2    15-12  kind of White's and of Black's rating (2.9)
//!                11-0   the rating, 0 unknown
//! +33     14            code of the opening line, material, half-moves, home pawns; not used
//! ```
//!
//! An entry of version 5, twelve integers and eight bytes of home pawns:
//!
//! ```text
//! offset  high bits                        low bits
//! +0      4: coded number of comments      28: White
//! +4      4: coded number of variations    28: Black
//! +8      4: coded number of glyphs        28: event
//! +12                                      32: site
//! +16     1: Chess960                      31: round
//! +20     12: White's rating               20: date
//! +24     12: Black's rating               20: date of the event, in the same form
//! +28     10: half-moves                   22: flags
//! +32     17: length of the game           15: its place, bits 46-32
//! +36                                      32: its place, bits 31-0
//! +40     8: stored line                   24: material
//! +44     8: home pawns; 3, 3: kinds of the ratings; 2: result    16: opening code
//! ```

use super::fields::{Flags, OpeningCode, Rating, date, low16, outcome, relative_date};
use crate::bytes::{be_u16, be_u32, le_u32, slice};
use crate::database::{NotADatabase, Rows};
use crate::files::SourceFile;
use crate::game::{Date, Outcome};
use crate::problem::Problem;

/// The first bytes of an index of version 3 or 4.
const MAGIC: &[u8] = b"Scid.si\0";

/// To decide whether a file without a header is an index of version 5, at least this many of its entries are tested,
/// and fewer than twice as many. A shorter index is tested as a whole.
const LOOKS: u32 = 32;

/// Versions of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Three,
    Four,
    Five,
}

impl Version {
    /// The version of an index, from its header. Version 5 has no header and is recognised by the extension of the file
    /// (section 1.3).
    fn read(file: &SourceFile, is_five: bool) -> Result<Version, NotADatabase> {
        let bytes: &[u8] = &file.bytes;
        if !bytes.starts_with(MAGIC) {
            return if is_five {
                Ok(Version::Five)
            } else {
                Err(NotADatabase::new("the index does not begin with Scid.si"))
            };
        }
        let version = match be_u16(bytes, MAGIC.len()) {
            Some(300..400) => Version::Three,
            Some(400) => Version::Four,
            Some(version) => {
                let what = format!("the index has version {version}; 300 and 400 can be read");
                return Err(NotADatabase::new(what));
            }
            None => return Err(NotADatabase::new("the header of the index is cut")),
        };
        if bytes.len() < version.header() {
            Err(NotADatabase::new("the header of the index is cut"))
        } else {
            Ok(version)
        }
    }

    /// Size of the header in bytes.
    fn header(self) -> usize {
        match self {
            Version::Three => 128,
            Version::Four => 182,
            Version::Five => 0,
        }
    }

    /// Size of an entry in bytes.
    fn entry(self) -> usize {
        match self {
            Version::Three => 46,
            Version::Four => 47,
            Version::Five => 56,
        }
    }

    /// The version number that users know.
    pub(super) fn number(self) -> u8 {
        match self {
            Version::Three => 3,
            Version::Four => 4,
            Version::Five => 5,
        }
    }
}

/// An open index.
pub(super) struct Index {
    pub(super) file: SourceFile,
    pub(super) version: Version,
    rows: Rows,
}

impl Index {
    /// Opens an index. `games` is the games file, into which the entries point.
    pub(super) fn open(
        file: &SourceFile,
        is_five: bool,
        games: Option<&SourceFile>,
        warnings: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Result<Index, NotADatabase> {
        let version = Version::read(file, is_five)?;
        let counted = match version {
            Version::Five => usize::MAX,
            // The number of games has three bytes, +14 to +16. The byte at +13 is the last one of the type.
            _ => be_u32(&file.bytes, 13).map_or(0, |count| count & 0xff_ffff) as usize,
        };
        let index = Index {
            rows: Rows::new(file, version.header(), version.entry(), counted),
            file: file.clone(),
            version,
        };
        if version == Version::Five && !index.is_plausible(games) {
            return Err(NotADatabase::new("no entry of the index is plausible"));
        }
        index.compare_size(counted, warnings, problems);
        Ok(index)
    }

    /// Reports a size of the file that does not fit the number of games, and bytes after the last entry (section 11.1).
    fn compare_size(&self, counted: usize, warnings: &mut Vec<String>, problems: &mut Vec<Problem>) {
        let name = &self.file.name;
        let bytes = self.file.bytes.len().saturating_sub(self.version.header());
        let (there, left_over) = (bytes / self.version.entry(), bytes % self.version.entry());
        if counted != usize::MAX && there < counted {
            let what = format!("the header says {counted} games, but there are entries for {there}");
            problems.push(Problem::damage(name, 17 - 3, what));
        }
        if counted < there {
            let after = there - counted;
            let what = format!("{after} entries after the {counted} that the header counts are ignored");
            problems.push(Problem::damage(name, 17 - 3, what));
        }
        if left_over > 0 && self.file.bytes.gaps().is_empty() {
            let what = format!("{left_over} bytes after the last entry are ignored");
            // If the header counts the entries, and all of them are there, these bytes are not part of one.
            if there < counted {
                let at = self.file.bytes.len() - left_over;
                problems.push(Problem::damage(name, at as u64, what));
            } else {
                warnings.push(format!("{name}: {what}"));
            }
        }
    }

    /// True if the file can be an index of version 5: at least one of the tested entries is plausible, or it is empty
    /// or has holes (section 1.3).
    ///
    /// One is enough, because a damaged index is still an index; files that merely have this extension fail every test.
    fn is_plausible(&self, games: Option<&SourceFile>) -> bool {
        let games = games.map_or(0, |games| games.bytes.len());
        let len = self.len();
        let is_exact = self.file.bytes.len().is_multiple_of(self.version.entry());
        let is_sound = |game: u32| {
            let entry = self.entry(game);
            let end = entry.offset.saturating_add(entry.len.into());
            entry.has_sound_fields && (is_exact || end <= games as u64)
        };
        let step = (len / LOOKS).max(1);
        let mut looked = (0..len).step_by(step as usize);
        match len {
            0 => self.file.bytes.is_empty() || !self.file.bytes.gaps().is_empty(),
            _ => looked.any(is_sound),
        }
    }

    /// The bytes before the first entry.
    pub(super) fn header(&self) -> &[u8] {
        self.file.bytes.get(..self.version.header()).unwrap_or_default()
    }

    pub(super) fn len(&self) -> u32 {
        self.rows.len()
    }

    /// The entry of a game; an empty entry for a number beyond the end.
    #[inline]
    pub(super) fn entry(&self, game: u32) -> Entry {
        if game >= self.len() {
            return Entry::unknown();
        }
        let size = self.version.entry();
        let place = self.rows.place(game).saturating_mul(size);
        let at = place.saturating_add(self.version.header());
        let bytes = slice(&self.file.bytes, at, size);
        let entry = bytes.and_then(|bytes| match self.version {
            Version::Three => Entry::of_three_or_four(Fields::of_three(bytes)?),
            Version::Four => Entry::of_three_or_four(Fields::of_four(bytes)?),
            Version::Five => Entry::of_five(FieldsOfFive(bytes)),
        });
        Entry {
            at: at as u64,
            ..entry.unwrap_or_else(Entry::unknown)
        }
    }
}

/// The fields of a game's entry, decoded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Offset of the entry in the index.
    pub(super) at: u64,
    /// Offset of the game in the file of games.
    pub(super) offset: u64,
    pub(super) len: u32,
    pub(super) flags: Flags,
    pub(super) white: u32,
    pub(super) black: u32,
    pub(super) event: u32,
    pub(super) site: u32,
    pub(super) round: u32,
    pub(super) outcome: Outcome,
    eco: u16,
    pub(super) date: Date,
    pub(super) event_date: Date,
    /// Ratings of White and Black.
    pub(super) ratings: [Rating; 2],
    pub(super) is_chess960: bool,
    /// False if a field has a value that only damage can explain. Only tested in version 5.
    has_sound_fields: bool,
}

impl Entry {
    /// Decodes an entry of version 3 or 4.
    fn of_three_or_four(fields: Fields<'_>) -> Option<Entry> {
        let high = u32::from(fields.length_and_flags_high);
        let (players, others) = (fields.player_highs()?, fields.other_highs()?);
        let dates = fields.dates()?;
        let date = date(dates & 0xf_ffff);
        let rating = |field: u32| Rating::new(field >> 12, field & 0xfff);
        Some(Entry {
            offset: fields.offset()?.into(),
            len: high >> 7 << 16 | fields.length_low()?,
            flags: Flags((high & 0x3f) << 16 | fields.flags_low()?),
            white: players >> 4 << 16 | fields.white_low()?,
            black: (players & 15) << 16 | fields.black_low()?,
            event: others >> 5 << 16 | fields.event_low()?,
            site: (others >> 2 & 7) << 16 | fields.site_low()?,
            round: (others & 3) << 16 | fields.round_low()?,
            outcome: outcome(fields.result_and_counts()? >> 12),
            eco: fields.opening()?,
            date,
            event_date: relative_date(dates >> 20, date),
            ratings: [rating(fields.white_rating()?), rating(fields.black_rating()?)],
            is_chess960: false,
            has_sound_fields: true,
            ..Entry::default()
        })
    }

    /// Decodes an entry of version 5.
    fn of_five(fields: FieldsOfFive<'_>) -> Option<Entry> {
        let date_and_white_rating = fields.date_and_white_rating()?;
        let event_date_and_black_rating = fields.event_date_and_black_rating()?;
        let round_and_variant = fields.round_and_variant()?;
        let length_and_offset_high = fields.length_and_offset_high()?;
        let len = length_and_offset_high >> 15;
        let last = fields.pawns_kinds_result_and_opening()?;
        let eco = low16(last);
        let kinds @ [white_kind, black_kind] = [last >> 21 & 7, last >> 18 & 7];
        // The shortest game has three bytes: the zero after its tags, its flags, and the mark of its end. Home pawns
        // are counted for both sides together, so there are at most 16.
        let is_date = |date: u32| date >> 5 & 15 <= 12;
        let has_sound_fields = len >= 3
            && is_date(date_and_white_rating)
            && is_date(event_date_and_black_rating)
            && OpeningCode::is_sound(eco)
            && kinds.iter().all(|&kind| kind <= 6)
            && last >> 24 <= 16;
        Some(Entry {
            offset: u64::from(length_and_offset_high & 0x7fff) << 32 | u64::from(fields.offset_low()?),
            len,
            flags: Flags(fields.half_moves_and_flags()? & 0x3f_ffff),
            white: fields.comments_and_white()? & 0xfff_ffff,
            black: fields.variations_and_black()? & 0xfff_ffff,
            event: fields.glyphs_and_event()? & 0xfff_ffff,
            site: fields.site()?,
            round: round_and_variant & 0x7fff_ffff,
            outcome: outcome(last >> 16),
            eco,
            date: date(date_and_white_rating),
            event_date: date(event_date_and_black_rating),
            ratings: [
                Rating::new(white_kind, date_and_white_rating >> 20),
                Rating::new(black_kind, event_date_and_black_rating >> 20),
            ],
            is_chess960: round_and_variant >> 31 != 0,
            has_sound_fields,
            ..Entry::default()
        })
    }

    /// The replacement for a missing entry. All names are unknown.
    fn unknown() -> Entry {
        Entry {
            white: u32::MAX,
            black: u32::MAX,
            event: u32::MAX,
            site: u32::MAX,
            round: u32::MAX,
            ..Entry::default()
        }
    }

    /// The opening code, if it is known.
    pub(super) fn opening(&self) -> Option<OpeningCode> {
        OpeningCode::new(self.eco)
    }
}

/// The stored fields of an entry of version 3 or 4, at the offsets of the first table above.
struct Fields<'a> {
    /// The entry from +0 on; only +0 to +5 are read from it.
    start: &'a [u8],
    /// +6; 0 in version 3, which lacks this byte.
    length_and_flags_high: u8,
    /// Everything from +7 on.
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn of_three(entry: &'a [u8]) -> Option<Fields<'a>> {
        Some(Fields {
            start: entry,
            length_and_flags_high: 0,
            rest: entry.get(6..)?,
        })
    }

    fn of_four(entry: &'a [u8]) -> Option<Fields<'a>> {
        Some(Fields {
            start: entry,
            length_and_flags_high: *entry.get(6)?,
            rest: entry.get(7..)?,
        })
    }

    fn offset(&self) -> Option<u32> {
        be_u32(self.start, 0)
    }

    fn length_low(&self) -> Option<u32> {
        be_u16(self.start, 4).map(u32::from)
    }

    fn flags_low(&self) -> Option<u32> {
        self.number(7)
    }

    fn player_highs(&self) -> Option<u32> {
        self.byte(9)
    }

    fn white_low(&self) -> Option<u32> {
        self.number(10)
    }

    fn black_low(&self) -> Option<u32> {
        self.number(12)
    }

    fn other_highs(&self) -> Option<u32> {
        self.byte(14)
    }

    fn event_low(&self) -> Option<u32> {
        self.number(15)
    }

    fn site_low(&self) -> Option<u32> {
        self.number(17)
    }

    fn round_low(&self) -> Option<u32> {
        self.number(19)
    }

    fn result_and_counts(&self) -> Option<u32> {
        self.number(21)
    }

    fn opening(&self) -> Option<u16> {
        be_u16(self.rest, 23 - 7)
    }

    fn dates(&self) -> Option<u32> {
        be_u32(self.rest, 25 - 7)
    }

    fn white_rating(&self) -> Option<u32> {
        self.number(29)
    }

    fn black_rating(&self) -> Option<u32> {
        self.number(31)
    }

    /// The byte at an offset of version 4, which is at least 7.
    fn byte(&self, offset: usize) -> Option<u32> {
        self.rest.get(offset - 7).map(|&byte| u32::from(byte))
    }

    /// The 16 bits at an offset from 7 on.
    fn number(&self, offset: usize) -> Option<u32> {
        be_u16(self.rest, offset - 7).map(u32::from)
    }
}

/// The stored fields of an entry of version 5, at the offsets of the second table above.
struct FieldsOfFive<'a>(&'a [u8]);

impl FieldsOfFive<'_> {
    fn comments_and_white(&self) -> Option<u32> {
        le_u32(self.0, 0)
    }

    fn variations_and_black(&self) -> Option<u32> {
        le_u32(self.0, 4)
    }

    fn glyphs_and_event(&self) -> Option<u32> {
        le_u32(self.0, 8)
    }

    fn site(&self) -> Option<u32> {
        le_u32(self.0, 12)
    }

    /// Whether the game is Chess960, and the round.
    fn round_and_variant(&self) -> Option<u32> {
        le_u32(self.0, 16)
    }

    fn date_and_white_rating(&self) -> Option<u32> {
        le_u32(self.0, 20)
    }

    fn event_date_and_black_rating(&self) -> Option<u32> {
        le_u32(self.0, 24)
    }

    fn half_moves_and_flags(&self) -> Option<u32> {
        le_u32(self.0, 28)
    }

    fn length_and_offset_high(&self) -> Option<u32> {
        le_u32(self.0, 32)
    }

    fn offset_low(&self) -> Option<u32> {
        le_u32(self.0, 36)
    }

    /// Number of home pawns, kinds of the ratings, result, and opening code.
    fn pawns_kinds_result_and_opening(&self) -> Option<u32> {
        le_u32(self.0, 44)
    }
}
