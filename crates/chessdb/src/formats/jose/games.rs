//! The games: joined rows of `Game` and `MoreGame`, or rows of `IO_Game` (section 7.4).

use super::collections::{Collections, Shelf};
use super::columns::{Column, GAME, IO_GAME, MORE_GAME};
use super::dates::{Shift, StoredDate};
use super::decode::MoveDataPlace;
use super::myisam::{Charset, Row, Table};
use super::names::{Names, is_unknown};
use super::text::TextDecoder;
use super::tokens::{TextSource, Tokens, ZeroNag};
use crate::files::Files;
use crate::game::{Date, Eco, Outcome};
use crate::problem::Problem;

/// Means that a row is missing.
const NO_ROW: u64 = u64::MAX;

/// The values that are kept in memory for every game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Row in the table of headers.
    header: u64,
    /// Row in the table of moves, if that is a separate table.
    more: u64,
    /// Indices of the names.
    pub(super) white: u32,
    pub(super) black: u32,
    pub(super) event: u32,
    pub(super) date: Date,
    pub(super) event_year: u16,
    pub(super) eco: Option<Eco>,
    pub(super) outcome: Outcome,
    /// True if the game is in the trash or lost.
    pub(super) is_deleted: bool,
    collection: i32,
    index: i32,
}

/// All games of a database.
pub(super) struct Games {
    header: Option<Table>,
    more: Option<Table>,
    pub(super) entries: Vec<Entry>,
    /// Counts that show whether dates have the bug of section 10.2; `None` if dates must not be corrected.
    pub(super) shift: Option<Shift>,
    /// True if headers and moves are in one table.
    pub(super) is_archive: bool,
}

/// The rows of one game.
pub(super) struct Record<'t> {
    pub(super) header: Option<Row<'t>>,
    more: Option<Row<'t>>,
    tables: [Option<&'t Table>; 2],
}

/// Names that entries refer to.
#[derive(Default)]
pub(super) struct NameTables {
    pub(super) players: Names,
    pub(super) events: Names,
    pub(super) collections: Collections,
}

/// An entry whose dates and moves have not been determined.
struct Draft {
    entry: Entry,
    id: i32,
    dates: [Option<StoredDate>; 2],
    /// The result in the column of the header.
    result: Option<Outcome>,
}

impl Games {
    /// Reads all headers.
    pub(super) fn open(
        files: &Files,
        names: &NameTables,
        fix_dates: bool,
        texts: TextDecoder,
        warnings: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Games {
        let is_archive = files.get("io_game.myd").is_some();
        let (header, more) = if is_archive {
            let lost = "there are no games";
            (
                Table::open(files, "io_game", &[&IO_GAME], lost, warnings, problems),
                None,
            )
        } else {
            let (names, moves) = ("names, dates and results are unknown", "games have no moves");
            (
                Table::open(files, "game", &[&GAME], names, warnings, problems),
                Table::open(files, "moregame", &[&MORE_GAME], moves, warnings, problems),
            )
        };
        let mut games = Games {
            header,
            more,
            entries: Vec::new(),
            shift: fix_dates.then(Shift::default),
            is_archive,
        };
        let mut drafts = games.drafts(names, texts, problems);
        if let Some(shift) = &mut games.shift {
            drafts
                .iter()
                .flat_map(|draft| draft.dates.iter().flatten())
                .for_each(|date| shift.see(*date));
        }
        if !is_archive {
            drafts.sort_by_key(|draft| draft.id);
            games.join(&mut drafts, texts, problems);
        }
        let shift = games.shift;
        for Draft { mut entry, dates, .. } in drafts {
            let [date, event] = dates.map(|date| date.map(|date| date.meant(shift)));
            entry.date = date.unwrap_or_default();
            entry.event_year = event.unwrap_or_default().year;
            games.entries.push(entry);
        }
        games.entries.shrink_to_fit();
        games
    }

    fn drafts(&self, names: &NameTables, texts: TextDecoder, problems: &mut Vec<Problem>) -> Vec<Draft> {
        let mut drafts = Vec::new();
        if let Some(table) = &self.header {
            problems.extend(table.walk(|row| {
                let mut draft = draft(&row, names);
                draft.entry.outcome = match draft.result {
                    Some(result) => result,
                    None => outcome_of(&row, texts),
                };
                drafts.push(draft);
            }));
        }
        drafts
    }

    /// Assigns the rows of moves to games; the remaining rows are lost games (sections 7.4, 11.4).
    fn join(&self, drafts: &mut Vec<Draft>, texts: TextDecoder, problems: &mut Vec<Problem>) {
        let Some(table) = &self.more else { return };
        let mut rows: Vec<(i32, u64, Outcome)> = Vec::new();
        problems.extend(table.walk(|row| {
            let id = row.int(Column::GId).unwrap_or(0);
            let first = drafts.partition_point(|draft| draft.id < id);
            let header = drafts.get(first).filter(|draft| draft.id == id);
            let outcome = match header.and_then(|draft| draft.result) {
                Some(known) => known,
                None => outcome_of(&row, texts),
            };
            rows.push((id, row.offset, outcome));
        }));
        rows.sort_by_key(|(id, ..)| *id);
        let mut rows = rows.into_iter().peekable();
        let mut lost = Vec::new();
        for draft in drafts.iter_mut() {
            while let Some(row) = rows.next_if(|(id, ..)| *id < draft.id) {
                lost.push(row);
            }
            if let Some((_, row, outcome)) = rows.next_if(|(id, ..)| *id == draft.id) {
                draft.entry.more = row;
                draft.entry.outcome = draft.result.unwrap_or(outcome);
            }
        }
        lost.extend(rows);
        drafts.extend(lost.into_iter().map(|(id, more, outcome)| Draft {
            entry: Entry {
                more,
                outcome,
                is_deleted: true,
                ..Entry::EMPTY
            },
            id,
            dates: [None; 2],
            result: None,
        }));
    }

    /// The rows of a game.
    pub(super) fn record(&self, entry: &Entry) -> Record<'_> {
        let tables = [self.header.as_ref(), self.more.as_ref()];
        let [header, more] = tables;
        Record {
            header: header
                .filter(|_| entry.header != NO_ROW)
                .map(|table| table.row(entry.header)),
            more: more
                .filter(|_| entry.more != NO_ROW)
                .map(|table| table.row(entry.more)),
            tables,
        }
    }

    /// The places of all games in collections, in database order.
    pub(super) fn shelves(&self) -> Vec<Shelf> {
        let shelf = |entry: &Entry| Shelf {
            collection: (entry.header != NO_ROW).then_some(entry.collection),
            index: entry.index,
        };
        self.entries.iter().map(shelf).collect()
    }
}

impl Entry {
    pub(super) const EMPTY: Entry = Entry {
        header: NO_ROW,
        more: NO_ROW,
        white: 0,
        black: 0,
        event: 0,
        date: Date {
            year: 0,
            month: 0,
            day: 0,
        },
        event_year: 0,
        eco: None,
        outcome: Outcome::Unknown,
        is_deleted: false,
        collection: 0,
        index: 0,
    };
}

fn draft(row: &Row<'_>, names: &NameTables) -> Draft {
    let collection = row.int(Column::CId).unwrap_or(0);
    let eco = row.bytes(Column::Eco).map(<[u8]>::trim_ascii_end);
    Draft {
        entry: Entry {
            header: row.offset,
            white: names.players.place(row.int(Column::WhiteId)),
            black: names.players.place(row.int(Column::BlackId)),
            event: names.events.place(row.int(Column::EventId)),
            eco: eco.and_then(|eco| Eco::new(eco.try_into().ok()?)),
            is_deleted: names.collections.is_trash(collection),
            collection,
            index: row.int(Column::Idx).unwrap_or(0),
            ..Entry::EMPTY
        },
        id: row.int(Column::Id).unwrap_or(0),
        dates: [
            stored_date(row, Column::GameDate),
            stored_date(row, Column::EventDate),
        ],
        result: match row.int(Column::Result) {
            Some(0) => Some(Outcome::BlackWins),
            Some(1) => Some(Outcome::Draw),
            Some(2) => Some(Outcome::WhiteWins),
            _ => None,
        },
    }
}

/// A date with its flags (section 10.1).
pub(super) fn stored_date(row: &Row<'_>, column: Column) -> Option<StoredDate> {
    let number = row.bytes(column)?;
    let [low, middle, high] = number.first_chunk::<3>().copied().unwrap_or_default();
    let [for_game, for_event, ..] = row.int(Column::DateFlags).unwrap_or(0).to_le_bytes();
    let flags = if column == Column::EventDate {
        for_event
    } else {
        for_game
    };
    let number = u32::from_le_bytes([low, middle, high, 0]);
    Some(StoredDate::new(number, flags))
}

impl<'t> Record<'t> {
    fn row_of(&self, column: Column) -> Option<&Row<'t>> {
        let rows = [self.header.as_ref(), self.more.as_ref()];
        rows.into_iter().flatten().find(|row| row.has(column))
    }

    /// The rows of the game that exist.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&'t Table, &Row<'t>)> {
        let rows = [self.header.as_ref(), self.more.as_ref()];
        self.tables
            .into_iter()
            .zip(rows)
            .filter_map(|(table, row)| Some((table?, row?)))
    }

    /// An integer, from the row that has the column.
    pub(super) fn int(&self, column: Column) -> Option<i32> {
        self.row_of(column)?.int(column)
    }

    /// A text on one line; `None` for NULL.
    pub(super) fn text(&self, column: Column, texts: TextDecoder) -> Option<String> {
        let row = self.row_of(column)?;
        Some(texts.line(row.bytes(column)?, row.charset(column)))
    }

    /// A text that is neither empty nor a placeholder.
    pub(super) fn known_text(&self, column: Column, texts: TextDecoder) -> Option<String> {
        self.text(column, texts).filter(|text| !is_unknown(text))
    }

    /// A positive number.
    pub(super) fn count(&self, column: Column) -> Option<u32> {
        let number = self.int(column)?;
        u32::try_from(number).ok().filter(|&number| number > 0)
    }

    /// A date of the header.
    pub(super) fn date(&self, column: Column) -> Option<StoredDate> {
        stored_date(self.header.as_ref()?, column)
    }

    /// The move data and their place; `None` if the game has none.
    pub(super) fn moves(&self, texts: TextDecoder) -> Option<(Tokens<'_>, MoveDataPlace<'t>)> {
        let found = self
            .rows()
            .find_map(|(table, row)| Some((table, row, moves_of(row, texts)?)));
        found.map(|(table, row, (column, tokens))| {
            let place = MoveDataPlace {
                file: table.file_name(),
                data: row.place_of(column),
                row: row.offset,
            };
            (tokens, place)
        })
    }
}

/// The move data in a row, and their column (section 3).
fn moves_of<'r>(row: &'r Row<'_>, texts: TextDecoder) -> Option<(Column, Tokens<'r>)> {
    let column = [Column::Bin, Column::GameText]
        .into_iter()
        .find(|&column| row.has(column))?;
    let bin = row.bytes(column).filter(|bin| !bin.is_empty())?;
    let (source, charset) = if row.has(Column::Comments) {
        (
            TextSource::Column(row.bytes(Column::Comments).unwrap_or_default()),
            row.charset(Column::Comments),
        )
    } else {
        (TextSource::Inline, Charset::Utf8)
    };
    let tokens = Tokens {
        bin,
        source,
        charset,
        texts,
        zero_nag: ZeroNag::WithValue,
    };
    Some((column, tokens))
}

/// The result in the move data (section 3.9). If a NAG 0 hides it, the other reading finds it (section 3.7).
fn outcome_of(row: &Row<'_>, texts: TextDecoder) -> Outcome {
    let Some((_, tokens)) = moves_of(row, texts) else {
        return Outcome::Unknown;
    };
    let alone = Tokens {
        zero_nag: ZeroNag::Alone,
        ..tokens
    };
    tokens.outcome().or_else(|| alone.outcome()).unwrap_or_default()
}
