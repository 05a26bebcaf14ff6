//! The index: one entry of a fixed size per game (sections 2.3 and 3).
//!
//! An entry of version 4. Version 3 lacks the byte at +6, and all that follows is one byte earlier.
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
//! +21     2      15-12  result, of which two bits count: 0 *, 1 1-0, 2 0-1, 3 1/2-1/2
//!                11-0   coded numbers of glyphs, comments, variations
//! +23     2             opening code (2.6)
//! +25     4      31-20  date of the event (2.8)
//!                19-0   date (2.7)
//! +29     2+2    15-12  kind of White's and of Black's rating (2.9)
//!                11-0   the rating, 0 unknown
//! +33     14            stored line, material, half-moves, home pawns
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
//! +24     12: Black's rating               20: date of the event, as the date
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

/// How versions 3 and 4 begin.
const MAGIC: &[u8] = b"Scid.si\0";

/// Entries of version 5 that are looked at to tell whether they are entries at all.
const LOOKS: u32 = 32;

/// Versions of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Three,
    Four,
    Five,
}

impl Version {
    /// The version of an index: by its header, or by its extension where it has none (section 1.3).
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

    /// Bytes of the header.
    fn header(self) -> usize {
        match self {
            Version::Three => 128,
            Version::Four => 182,
            Version::Five => 0,
        }
    }

    /// Bytes of an entry.
    fn entry(self) -> usize {
        match self {
            Version::Three => 46,
            Version::Four => 47,
            Version::Five => 56,
        }
    }

    /// The number that people know it by.
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
    /// Opens an index; `games` is the file that the entries lead to.
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
            // Three bytes; the one before them is the last of the type.
            _ => be_u32(&file.bytes, 13).map_or(0, |count| count & 0xff_ffff) as usize,
        };
        let index = Index {
            rows: Rows::new(file, version.header(), version.entry(), counted),
            file: file.clone(),
            version,
        };
        if version == Version::Five && !index.is_plausible(games) {
            return Err(NotADatabase::new("the index has no entry that can be right"));
        }
        index.compare_size(counted, warnings, problems);
        Ok(index)
    }

    /// Says where the size of the file does not fit the number of games (section 11.1).
    fn compare_size(&self, counted: usize, warnings: &mut Vec<String>, problems: &mut Vec<Problem>) {
        let name = &self.file.name;
        let bytes = self.file.bytes.len().saturating_sub(self.version.header());
        let (there, left_over) = (bytes / self.version.entry(), bytes % self.version.entry());
        if counted != usize::MAX && there < counted {
            let what = format!("the header says {counted} games, but there are entries of {there}");
            problems.push(Problem::damage(name, 17 - 3, what));
        }
        if counted < there {
            let after = there - counted;
            warnings.push(format!(
                "{name}: {after} entries after the {counted} that the header counts are ignored"
            ));
        }
        if left_over > 0 && self.file.bytes.gaps().is_empty() {
            warnings.push(format!(
                "{name}: {left_over} bytes after the last entry are ignored"
            ));
        }
    }

    /// True where one entry of some that are looked at can be right, or none is there (section 1.3).
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

    /// The entry of a game; after the end an empty one.
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
            Version::Three => Entry::read(bytes, 0, bytes.get(6..)?),
            Version::Four => Entry::read(bytes, *bytes.get(6)?, bytes.get(7..)?),
            Version::Five => Entry::read_five(bytes),
        });
        Entry {
            at: at as u64,
            ..entry.unwrap_or_else(Entry::unknown)
        }
    }
}

/// What the index says of a game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Where the entry is in the index.
    pub(super) at: u64,
    /// Where the game is in the games file.
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
    /// White's and Black's.
    pub(super) ratings: [Rating; 2],
    pub(super) is_chess960: bool,
    /// No field has a value that only damage gives it.
    has_sound_fields: bool,
}

impl Entry {
    /// An entry of version 3 or 4: `high` is the byte that version 3 lacks, `rest` what follows it.
    fn read(bytes: &[u8], high: u8, rest: &[u8]) -> Option<Entry> {
        let high = u32::from(high);
        let number = |at| be_u16(rest, at).map(u32::from);
        let byte = |at: usize| rest.get(at).map(|&byte| u32::from(byte));
        let (players, others) = (byte(2)?, byte(7)?);
        let dates = be_u32(rest, 18)?;
        let date = date(dates & 0xf_ffff);
        let rating = |field: u32| Rating::new(field >> 12, field & 0xfff);
        Some(Entry {
            offset: be_u32(bytes, 0)?.into(),
            len: u32::from(be_u16(bytes, 4)?) | high >> 7 << 16,
            flags: Flags((high & 0x3f) << 16 | number(0)?),
            white: players >> 4 << 16 | number(3)?,
            black: (players & 15) << 16 | number(5)?,
            event: others >> 5 << 16 | number(8)?,
            site: (others >> 2 & 7) << 16 | number(10)?,
            round: (others & 3) << 16 | number(12)?,
            outcome: outcome(number(14)? >> 12),
            eco: be_u16(rest, 16)?,
            date,
            event_date: relative_date(dates >> 20, date),
            ratings: [rating(number(22)?), rating(number(24)?)],
            is_chess960: false,
            has_sound_fields: true,
            ..Entry::default()
        })
    }

    /// An entry of version 5.
    fn read_five(bytes: &[u8]) -> Option<Entry> {
        let number = |at| le_u32(bytes, at);
        let (white_date, black_date) = (number(20)?, number(24)?);
        let (length, last) = (number(32)?, number(44)?);
        let eco = low16(last);
        let kinds @ [white_kind, black_kind] = [last >> 21 & 7, last >> 18 & 7];
        let is_date = |date: u32| date >> 5 & 15 <= 12;
        let has_sound_fields = length >> 15 >= 3
            && is_date(white_date)
            && is_date(black_date)
            && OpeningCode::is_sound(eco)
            && kinds.iter().all(|&kind| kind <= 6)
            && last >> 24 <= 16;
        Some(Entry {
            offset: u64::from(length & 0x7fff) << 32 | u64::from(number(36)?),
            len: length >> 15,
            flags: Flags(number(28)? & 0x3f_ffff),
            white: number(0)? & 0xfff_ffff,
            black: number(4)? & 0xfff_ffff,
            event: number(8)? & 0xfff_ffff,
            site: number(12)?,
            round: number(16)? & 0x7fff_ffff,
            outcome: outcome(last >> 16),
            eco,
            date: date(white_date),
            event_date: date(black_date),
            ratings: [
                Rating::new(white_kind, white_date >> 20),
                Rating::new(black_kind, black_date >> 20),
            ],
            is_chess960: number(16)? >> 31 != 0,
            has_sound_fields,
            ..Entry::default()
        })
    }

    /// An entry that is not there: it has no names.
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

    /// The opening code, where it is known.
    pub(super) fn opening(&self) -> Option<OpeningCode> {
        OpeningCode::new(self.eco)
    }
}
