//! The index file: one entry of a fixed size per game (section 2).
//!
//! | offset | size | field |
//! |---|---|---|
//! | +0 | 1 | status: 00 live, FF deleted |
//! | +1 | 8 | offset of the record in `.dcg` |
//! | +9 | 4 | White, in `.dcn` |
//! | +13 | 4 | Black, in `.dcn` |
//! | +17 | 2 | round, 0 unknown |
//! | +19 | 4 | site, in `.dcs` |
//! | +23 | 4 | event, in `.dce`; absent in entries of 35 bytes, where everything after it is 4 bytes earlier |
//! | +27 | 2 + 2 | White's and Black's Elo, 0 unknown |
//! | +31 | 1 | result: 0 `*`, 1 `1-0`, 2 `0-1`, 3 `1/2-1/2` |
//! | +32 | 3 | ECO, zeros unknown |
//! | +35 | 2 + 1 + 1 | year, month, day, 0 unknown |
//!
//! Sizes of header and entry, and where they occur:
//!
//! ```text
//! 19  39  the table above                          files since January 17th, 2017
//! 10  39  header without version and OpenDefault   some files of January 14th, 2017
//! 10  35  also without the event                   files of December 2016 and January 2017, some with reversed lengths
//! 11  35  header with the version                  description only, as 11 39 and 19 35
//! 11  61  then half-moves (2), material (4), pawns (16)   description of October 2018 only
//! 19  61                                           a guess
//! 11  54  as 61 with 9 bytes for the pawns         the list of fields of the same description
//! ```

use crate::bytes::{be_u16, be_u32, be_u64, slice};
use crate::database::Rows;
use crate::files::SourceFile;
use crate::game::{Date, Eco, Outcome};
use crate::problem::Problem;

pub(super) const MAGIC: &[u8] = b"SimpleCDbi";

/// Sizes of header and entry in files of different writers and in versions of the description, in the order
/// of section 2.7.
const LAYOUTS: [Layout; 9] = [
    Layout::new(19, 39),
    Layout::new(10, 39),
    Layout::new(10, 35),
    Layout::new(11, 35),
    Layout::new(19, 35),
    Layout::new(11, 61),
    Layout::new(19, 61),
    Layout::new(11, 54),
    Layout::new(11, 39),
];

/// Sizes of header and entry in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) header: usize,
    entry: usize,
}

impl Layout {
    const fn new(header: usize, entry: usize) -> Layout {
        Layout { header, entry }
    }

    pub(super) fn has_event(self) -> bool {
        self.entry != 35
    }

    /// The entries of a file.
    fn rows(self, dci: &SourceFile) -> Rows {
        Rows::new(dci, self.header, self.entry, usize::MAX)
    }

    /// The offset of an entry.
    fn at(self, place: usize) -> usize {
        place.saturating_mul(self.entry).saturating_add(self.header)
    }

    /// A score for the fit of the layout (section 2.7); `None` if the file is shorter than the header.
    fn score(self, file: &SourceFile, dcg_size: u64) -> Option<f64> {
        let dci: &[u8] = &file.bytes;
        let entries = dci.len().checked_sub(self.header)?;
        let mut score = if entries % self.entry == 0 { 1.0 } else { 0.0 };
        let rows = self.rows(file);
        let (mut seen, mut good) = (0.0, 0.0);
        for number in checked(rows.len()) {
            let at = self.at(rows.place(number));
            let status = dci.get(at).copied();
            let offset = be_u64(dci, at + 1).unwrap_or(0);
            seen += 1.0;
            if matches!(status, Some(0 | 0xff)) && (10..dcg_size).contains(&offset) {
                good += 1.0;
            }
            if number == 0 && offset == 10 {
                score += 1.0;
            }
        }
        Some(if seen > 0.0 {
            score + 2.0 * good / seen
        } else {
            score
        })
    }
}

/// The entries that are checked to find the layout: all entries or, in a large file, runs of neighbours at a few
/// places, because each place is a separate read on a slow disk.
fn checked(len: u32) -> impl Iterator<Item = u32> {
    const PLACES: u32 = 16;
    const NEIGHBOURS: u32 = 64;
    let step = (len / PLACES).max(NEIGHBOURS);
    (0..len)
        .step_by(step as usize)
        .flat_map(move |first| first..first.saturating_add(NEIGHBOURS).min(len))
}

/// The index: a file, or offsets found by walking the records.
pub(super) enum Index {
    File {
        file: SourceFile,
        layout: Layout,
        rows: Rows,
    },
    Walked(Vec<u64>),
}

impl Index {
    /// Determines the layout of an index file. Returns `None` if it has no entries although there are records
    /// (section 2.8).
    pub(super) fn open(
        dci: &SourceFile,
        dcg_size: u64,
        warnings: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Option<Index> {
        if !dci.bytes.starts_with(MAGIC) {
            warnings.push(format!(
                "{} does not begin with SimpleCDbi: it is not used",
                dci.name
            ));
            return None;
        }
        let mut best: Option<(f64, Layout)> = None;
        for layout in LAYOUTS {
            if let Some(score) = layout.score(dci, dcg_size)
                && best.is_none_or(|(highest, _)| score > highest)
            {
                best = Some((score, layout));
            }
        }
        let (_, layout) = best?;
        let entries = dci.bytes.len() - layout.header;
        let rows = layout.rows(dci);
        if rows.len() == 0 && dcg_size > 10 {
            return None;
        }
        let left_over = entries % layout.entry;
        if left_over > 0 && dci.bytes.gaps().is_empty() {
            let at = dci.bytes.len() - left_over;
            let what = format!("{left_over} bytes after the last entry are ignored");
            problems.push(Problem::damage(&dci.name, at as u64, what));
        }
        if layout.header > MAGIC.len()
            && let Some(version) = dci.bytes.get(MAGIC.len()).filter(|&&version| version > 1)
        {
            warnings.push(format!("{}: unknown version {version}", dci.name));
        }
        Some(Index::File {
            file: dci.clone(),
            layout,
            rows,
        })
    }

    pub(super) fn len(&self) -> u32 {
        match self {
            Index::File { rows, .. } => rows.len(),
            Index::Walked(offsets) => u32::try_from(offsets.len()).unwrap_or(u32::MAX),
        }
    }

    /// The numbers of all games. The iteration ends early if the index is lost.
    pub(super) fn games(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Index::File { file, rows, .. } => Box::new(file.numbers(rows.len())),
            Index::Walked(_) => Box::new(0..self.len()),
        }
    }

    /// The entry of a game; an empty one after the end.
    pub(super) fn entry(&self, game: u32) -> Entry {
        let entry = match self {
            Index::File { file, layout, rows } => {
                let at = layout.at(rows.place(game));
                slice(&file.bytes, at, layout.entry).and_then(|bytes| Entry::read(bytes, *layout, at))
            }
            Index::Walked(offsets) => offsets.get(game as usize).map(|&offset| Entry {
                offset,
                ..Entry::default()
            }),
        };
        entry.unwrap_or_default()
    }

    pub(super) fn file_name(&self) -> &str {
        match self {
            Index::File { file, .. } => &file.name,
            Index::Walked(_) => "",
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Index::File { layout, .. } => format!(
                "header of {} bytes, entries of {} bytes",
                layout.header, layout.entry
            ),
            Index::Walked(_) => "none: games found by walking the records".to_owned(),
        }
    }
}

/// One entry of the index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Offset of the entry in the index file.
    pub(super) at: usize,
    pub(super) status: u8,
    /// Offset of the record in `.dcg`.
    pub(super) offset: u64,
    pub(super) white: u32,
    pub(super) black: u32,
    pub(super) round: u16,
    pub(super) site: u32,
    pub(super) event: u32,
    pub(super) white_elo: u16,
    pub(super) black_elo: u16,
    pub(super) outcome: Outcome,
    pub(super) eco: Option<Eco>,
    pub(super) date: Date,
    /// True if all its bytes are zeros.
    pub(super) is_blank: bool,
}

impl Entry {
    fn read(bytes: &[u8], layout: Layout, at: usize) -> Option<Entry> {
        let event_size = if layout.has_event() { 4 } else { 0 };
        let rest = bytes.get(23 + event_size..)?;
        let outcome = match rest.get(4)? {
            1 => Outcome::WhiteWins,
            2 => Outcome::BlackWins,
            3 => Outcome::Draw,
            _ => Outcome::Unknown,
        };
        Some(Entry {
            at,
            status: *bytes.first()?,
            offset: be_u64(bytes, 1)?,
            white: be_u32(bytes, 9)?,
            black: be_u32(bytes, 13)?,
            round: be_u16(bytes, 17)?,
            site: be_u32(bytes, 19)?,
            event: if layout.has_event() { be_u32(bytes, 23)? } else { 0 },
            white_elo: be_u16(rest, 0)?,
            black_elo: be_u16(rest, 2)?,
            outcome,
            eco: Eco::new(*rest.get(5..)?.first_chunk()?),
            date: Date::new(be_u16(rest, 8)?, *rest.get(10)?, *rest.get(11)?),
            is_blank: bytes.iter().all(|&byte| byte == 0),
        })
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.status == 0xff
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Entries of another size may fit the first game, too, but do not fill the file.
    #[test]
    fn entries_of_every_layout_fill_the_file() {
        for layout in LAYOUTS {
            for games in 1..=4u8 {
                let mut bytes = MAGIC.to_vec();
                bytes.resize(layout.header, 1);
                for game in 0..games {
                    let mut entry = vec![0; layout.entry];
                    entry[8] = 10 + 50 * game;
                    bytes.extend(entry);
                }
                let file = SourceFile {
                    name: "x.dci".to_owned(),
                    bytes: Arc::new(bytes),
                };
                let (mut warnings, mut problems) = (Vec::new(), Vec::new());
                let index = Index::open(&file, 1_000, &mut warnings, &mut problems).unwrap();
                assert!(problems.is_empty(), "{problems:?}");
                let Layout { header, entry } = layout;
                let expected = format!("header of {header} bytes, entries of {entry} bytes");
                assert_eq!(index.describe(), expected, "{games} games");
                assert_eq!(index.len(), u32::from(games), "{expected}");
                assert!(warnings.is_empty(), "{warnings:?}");
            }
        }
    }
}
