//! Makes the index of a file.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::boundaries;
use super::clean::cleaned_len;
use super::grown::{Grown, Pieces, hashed_len};
use super::in_parallel::in_parallel;
use super::index::{Shared, Writer};
use super::names::{Met, Names};
use super::row::Row;
use super::shares::{self, Shares};
use super::source::Source;
use crate::database::{Keys, TextId};
use crate::files::Progress;
use crate::formats::pgn_common::characters::value;
use crate::formats::pgn_common::results::{outcome, read_result};
use crate::formats::pgn_common::section::Section;
use crate::formats::pgn_common::usual_names::{FoundValue, usual_name};
use crate::formats::pgn_common::values::read_eco;
use crate::formats::pgn_common::{MOST_TAGS, Stored};
use crate::game::Date;
use crate::text::TextEncoding;

/// Number of games whose rows are made at a time.
const BATCH: usize = 1 << 16;

/// Number of games of a batch that a thread takes at a time.
const SHARE: usize = 1 << 12;

/// The index of a file, in memory.
pub(super) fn in_memory(file: &File<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for width in WIDTHS {
        bytes.clear();
        // Writing to memory cannot fail.
        if write(file, Scope::Once, width, &mut bytes).is_ok() {
            break;
        }
    }
    bytes
}

/// Sizes in bytes of the numbers of names, in the order in which they are tried. The larger size is for files with very
/// many names.
pub(super) const WIDTHS: [usize; 2] = [3, 4];

/// A file that is to be scanned.
pub(super) struct File<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) characters: TextEncoding,
    pub(super) line_end: u8,
    pub(super) progress: Arc<Progress>,
}

/// The part of a file that is scanned, and the purpose.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'a> {
    /// The whole file, for an index in memory, which no later scan continues.
    Once,
    /// The whole file, for an index that is kept.
    Whole,
    /// The bytes appended since an earlier scan, for an index that is kept.
    Appended(&'a Grown<'a>),
}

/// There are more names than numbers of a width.
#[derive(Debug)]
struct TooNarrow;

impl fmt::Display for TooNarrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there are more names than numbers")
    }
}

impl Error for TooNarrow {}

/// True for an error of [`write`] that a greater width avoids.
pub(super) fn is_too_narrow(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<TooNarrow>())
}

/// Scans a file and writes its index, with `width` bytes for numbers of names.
///
/// # Errors
/// If writing fails, or if [there are more names](is_too_narrow) than such numbers.
pub(super) fn write(file: &File<'_>, scope: Scope<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let &File {
        source,
        characters,
        line_end,
        ref progress,
    } = file;
    let grown = match scope {
        Scope::Appended(grown) => Some(grown),
        Scope::Once | Scope::Whole => None,
    };
    let scanned = grown.map_or(source.len(), |grown| grown.len(source));
    let hashed = match scope {
        Scope::Once => 0,
        Scope::Whole => hashed_len(0, source),
        Scope::Appended(grown) => hashed_len(grown.earlier.file_len, source),
    };
    // Bytes are read once for the boundaries, once for the rows, and once for the hashes.
    progress.expect(2 * scanned + hashed);
    let turn = shares::turn(source);
    let shares = Shares::new(source, progress, turn.as_ref());
    let mut writer = Writer::new(out, width);
    let mut names = match grown {
        None => Names::new(),
        Some(grown) => {
            writer.copy(grown.earlier, grown.games)?;
            grown.earlier.names()
        }
    };
    let met: Vec<Mutex<Met>> = (0..shares.threads).map(|_| Mutex::default()).collect();
    let each = &mut |starts: &[u64], end: u64| {
        for first in (0..starts.len()).step_by(BATCH) {
            let games = first..(first + BATCH).min(starts.len());
            let jobs = games.len().div_ceil(SHARE);
            let made = in_parallel(shares.threads, jobs, |job| {
                let first = games.start + job * SHARE;
                let share = first..(first + SHARE).min(games.end);
                // Each thread has its own names.
                let (thread, mut met) = met
                    .iter()
                    .enumerate()
                    .find_map(|(n, met)| Some((n, met.try_lock().ok()?)))?;
                let rows = share.filter_map(|game| {
                    let start = *starts.get(game)?;
                    let range = start..starts.get(game + 1).copied().unwrap_or(end);
                    let _memory = shares::memory_for_game(source, &range);
                    let text = source.read(range);
                    shares.add(text.len() as u64);
                    Some(row(&Stored::new(&text, start, characters, line_end), &mut met))
                });
                Some((thread, rows.collect::<Vec<Row>>()))
            });
            let mut met: Vec<_> = met
                .iter()
                .map(|met| met.lock().unwrap_or_else(PoisonError::into_inner))
                .collect();
            met.iter_mut().for_each(|met| met.merge_into(&mut names));
            if width < 4 && names.len >> (8 * width) > 0 {
                return Err(io::Error::other(TooNarrow));
            }
            for (thread, rows) in made.into_iter().flatten() {
                let Some(met) = met.get(thread) else { continue };
                writer.rows(rows.into_iter().map(|row| row.with_names(|id| met.merged(id))))?;
            }
        }
        Ok(())
    };
    let unclosed = match grown {
        None => boundaries::find(source, line_end, &shares, each)?,
        Some(grown) => grown.find(source, line_end, &shares, each)?,
    };
    let pieces = match scope {
        Scope::Once => Pieces::default(),
        Scope::Whole => Pieces::of(file, shares.threads),
        Scope::Appended(grown) => grown.pieces(file, shares.threads),
    };
    let shared = Shared {
        len: source.len(),
        line_end,
        pieces,
    };
    writer.finish(&names, &unclosed, &shared)
}

/// The row of a game in the index.
fn row(game: &Stored<'_>, met: &mut Met) -> Row {
    let encoding = game.encoding();
    let mut found = [FoundValue::default(); 8];
    let mut section = Section::new(game.text, game.line_end);
    for (_, tag) in section.by_ref().take(MOST_TAGS) {
        let exact = TAGS.iter().position(|name| name.as_bytes() == tag.name);
        let place = exact.or_else(|| {
            let usual = usual_name(tag.name)?;
            TAGS.iter().position(|name| *name == usual)
        });
        if let Some((name, slot)) = place.and_then(|place| TAGS.get(place).zip(found.get_mut(place))) {
            slot.offer(name, &tag);
        }
    }
    section.by_ref().for_each(drop);
    let [white, black, event, date, result, eco, event_date, utc_date] = found.map(FoundValue::get);
    let text = |stored: Option<&[u8]>| stored.map(|stored| value(stored, encoding));
    let day = |stored| text(stored).map_or(Date::default(), |text| Date::read(&text).0);
    let (size, is_plain) = cleaned_len(game.text, game.line_end, encoding);
    let tagged = text(result).and_then(|text| read_result(&text));
    let mut name = |stored: Option<&[u8]>| TextId(met.number(stored.unwrap_or_default(), encoding));
    Row {
        start: game.start,
        size: u32::try_from(size).unwrap_or(u32::MAX),
        is_plain,
        keys: Keys {
            white: name(white),
            black: name(black),
            event: name(event),
            date: day(date.or(utc_date)),
            event_year: day(event_date).year,
            eco: text(eco).and_then(|text| read_eco(&text)),
            outcome: outcome(tagged, game.items(section.at), encoding),
            deleted: false,
        },
    }
}

/// The tags that views sort by.
const TAGS: [&str; 8] = [
    "White",
    "Black",
    "Event",
    "Date",
    "Result",
    "ECO",
    "EventDate",
    "UTCDate",
];
