//! Games as tables.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::ProgressBar;

use crate::cli::command::counted;
use crate::cli::{CommandError, logging};
use chessdb::board::Color;
use chessdb_library::parallel::in_order;
use chessdb_library::positions::DatabasePart;
use chessdb_library::table::{
    Column, Columns, GamePath, GameRow, TableForm, TableRow, TagCounts, further_tags, no_tag,
};

/// The default columns of a table, the same as in the tables of a mount. They depend on the tags of all games, so that
/// all parts of an export have the same columns.
pub fn usual_columns(form: TableForm, parts: &[DatabasePart], has_database: bool, threads: usize) -> Columns {
    let others = tags_until(parts, threads, |_| false);
    let games = parts.iter().map(|part| u64::from(part.len())).sum();
    match form {
        TableForm::Parquet => Columns::typed(&others, games, has_database),
        TableForm::Csv | TableForm::Ndjson => Columns::of_text(&others, has_database),
    }
}

/// Returns an error if a column is named after a tag that is not a usual one and that no game has.
pub fn check_tags(columns: &Columns, parts: &[DatabasePart], threads: usize) -> Result<(), CommandError> {
    let unusual: Vec<&str> = columns.unusual_tags().collect();
    if unusual.is_empty() {
        return Ok(());
    }
    let has_all = |tags: &TagCounts| unusual.iter().all(|tag| tags.contains_key(*tag));
    let tags = tags_until(parts, threads, has_all);
    let Some(missing) = unusual.iter().find(|tag| !tags.contains_key(**tag)) else {
        return Ok(());
    };
    let tags = tags.keys().map(String::as_str);
    Err(no_tag(missing, tags, Column::names(columns.rows())).into())
}

/// The tags of the games other than the roster. Stops when `is_enough` is true for the tags found so far.
fn tags_until(parts: &[DatabasePart], threads: usize, is_enough: impl Fn(&TagCounts) -> bool) -> TagCounts {
    let mut others = TagCounts::new();
    for part in parts {
        let found = |places: Range<u32>| {
            let mut found = TagCounts::new();
            for game in part.games_at(places) {
                let tags = part.database().tags(game);
                for name in further_tags(&tags) {
                    match found.get_mut(name) {
                        Some(games) => *games += 1,
                        None => _ = found.insert(name.to_owned(), 1),
                    }
                }
            }
            found
        };
        let flow = in_order(part.len(), threads, found, |found| {
            for (tag, games) in found {
                *others.entry(tag).or_default() += games;
            }
            if is_enough(&others) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if flow.is_break() {
            break;
        }
    }
    others
}

/// A table that is written.
pub struct ExportedTable {
    pub columns: Columns,
    /// For a search for one player: the player's colour in each game, by the number of the game across all parts.
    pub colors: HashMap<u32, Color>,
    /// Number of games from a set-up position, whose moves are in the table but whose start position is not.
    set_up: AtomicU64,
}

impl ExportedTable {
    /// A table before anything is written.
    pub fn new(columns: Columns, colors: HashMap<u32, Color>) -> ExportedTable {
        ExportedTable {
            columns,
            colors,
            set_up: AtomicU64::new(0),
        }
    }

    /// Warns if the table has moves of games from set-up positions, but no column for the start position.
    pub fn warn(&self) {
        let number = self.set_up.load(Ordering::Relaxed);
        if number > 0 {
            let games = counted(number, "game");
            logging::say(format_args!(
                "{games} from set-up positions: the table has no column FEN, so their moves will be read from the usual \
                 start. Leave them out with --where '-has:fen -has:chess960', or give --columns with FEN instead of --schema"
            ));
        }
    }
}

/// Writes the games in parts of databases, or their positions, as a table.
pub fn write(
    out: &mut (impl Write + Send),
    form: TableForm,
    table: &ExportedTable,
    parts: &[DatabasePart],
    threads: usize,
    bar: &ProgressBar,
) -> io::Result<()> {
    let lens: Vec<u32> = parts.iter().map(DatabasePart::len).collect();
    let lack_start = table.columns.lack_start();
    let rows = |part: usize, places, each: &mut dyn FnMut(&dyn TableRow)| {
        let Some(part) = parts.get(part) else { return };
        for game in part.games_at(places) {
            let player = table.colors.get(&part.first.saturating_add(game)).copied();
            let row = GameRow::new(part.entry(), GamePath::of(part.entry(), game)).with_player(player);
            if lack_start && row.is_set_up() {
                table.set_up.fetch_add(1, Ordering::Relaxed);
            }
            table.columns.each_row(&row, &mut *each);
        }
    };
    let done = |games| bar.inc(games);
    table.columns.write(out, form, &lens, threads, rows, done)
}
