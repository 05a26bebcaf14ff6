//! The games of a file and the keys that views need, collected in one pass (sections 2.7, 2.8, 8.3).

use std::collections::HashMap;

use super::cut::{Record, Records};
use super::dates;
use super::headers::{Header, Headers};
use super::reading::Sample;
use super::texts::TextReader;
use crate::database::{Keys, TextId};
use crate::files::SourceFile;
use crate::game::{Date, Outcome};

/// Maximum number of places without a game that are reported one by one.
const MOST_STRAYS: usize = 1000;
/// The id of an unknown text.
const UNKNOWN: TextId = TextId(u32::MAX);

/// A game: its bytes, and the keys from its headers.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    end: usize,
    white: TextId,
    black: TextId,
    event: TextId,
    date: Date,
    outcome: Outcome,
}

/// Bytes between games that belong to no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stray {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// All games of a file. Identical header values share an id, which refers to the first occurrence.
#[derive(Debug, Default)]
pub(super) struct Index {
    games: Vec<Entry>,
    values: Vec<(usize, usize)>,
    pub(super) strays: Vec<Stray>,
    /// Number of strays beyond [`MOST_STRAYS`].
    pub(super) more_strays: u64,
}

impl Index {
    /// Splits a file into records. Also returns the sample for choosing its reading.
    pub(super) fn build(file: &SourceFile, texts: TextReader) -> (Index, Sample) {
        let mut index = Index::default();
        let mut sample = Sample::default();
        let mut known = HashMap::new();
        let mut records = Records::of(file);
        let mut stray: Option<Stray> = None;
        loop {
            let mut entry = Entry {
                start: 0,
                end: 0,
                white: UNKNOWN,
                black: UNKNOWN,
                event: UNKNOWN,
                date: Date::default(),
                outcome: Outcome::Unknown,
            };
            let mut headers = Headers::default();
            let values = &mut index.values;
            let record = records.next(|text, place| {
                let Some((header, value)) = headers.take(text) else {
                    return;
                };
                let mut id = || intern(&mut known, values, value, place + 1);
                match header {
                    Header::White => entry.white = id(),
                    Header::Black => entry.black = id(),
                    Header::Type => entry.event = id(),
                    Header::Date => entry.date = dates::read(&texts.value(value)).0,
                    Header::Location | Header::Variation => {}
                }
            });
            match record {
                Some(Record {
                    start,
                    end,
                    is_game: false,
                    ..
                }) => {
                    stray = Some(Stray {
                        start: stray.map_or(start, |stray| stray.start),
                        end,
                    });
                }
                Some(record) => {
                    index.add_stray(stray.take());
                    sample.offer(record.start, record.end, record.halfmoves);
                    index.games.push(Entry {
                        start: record.start,
                        end: record.end,
                        outcome: record.outcome,
                        ..entry
                    });
                }
                None => {
                    index.add_stray(stray.take());
                    return (index, sample);
                }
            }
        }
    }

    fn add_stray(&mut self, stray: Option<Stray>) {
        match stray {
            Some(stray) if self.strays.len() < MOST_STRAYS => self.strays.push(stray),
            Some(_) => self.more_strays += 1,
            None => {}
        }
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.games.len()).unwrap_or(u32::MAX)
    }

    /// Start and end of a game's record, and its result; empty after the last game.
    pub(super) fn record(&self, game: u32) -> (usize, usize, Outcome) {
        let entry = self.games.get(game as usize);
        entry.map_or((0, 0, Outcome::Unknown), |entry| {
            (entry.start, entry.end, entry.outcome)
        })
    }

    pub(super) fn keys(&self, game: u32) -> Keys {
        let entry = self.games.get(game as usize);
        Keys {
            white: entry.map_or(UNKNOWN, |entry| entry.white),
            black: entry.map_or(UNKNOWN, |entry| entry.black),
            event: entry.map_or(UNKNOWN, |entry| entry.event),
            date: entry.map_or(Date::default(), |entry| entry.date),
            event_year: 0,
            eco: None,
            outcome: entry.map_or(Outcome::Unknown, |entry| entry.outcome),
            deleted: false,
        }
    }

    /// The bytes of the text with this id.
    pub(super) fn value<'a>(&self, bytes: &'a [u8], id: TextId) -> &'a [u8] {
        let place = self.values.get(id.0 as usize);
        place
            .and_then(|&(start, end)| bytes.get(start..end))
            .unwrap_or_default()
    }
}

/// The id of the header value at `start`; unknown for an empty value.
fn intern(
    known: &mut HashMap<Box<[u8]>, TextId>,
    values: &mut Vec<(usize, usize)>,
    value: &[u8],
    start: usize,
) -> TextId {
    if value.is_empty() {
        return UNKNOWN;
    }
    if let Some(&id) = known.get(value) {
        return id;
    }
    // A value has at least one byte. Values beyond four billion are treated as unknown.
    let Ok(id) = u32::try_from(values.len()).map(TextId) else {
        return UNKNOWN;
    };
    values.push((start, start + value.len()));
    // Keys of the table are copies, because bytes in a map may change.
    known.insert(value.into(), id);
    id
}
