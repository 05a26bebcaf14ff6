//! The table of moves of a position: the moves played in it, their frequencies and results.

use std::collections::hash_map::Entry;
use std::ops::{ControlFlow, Range};

use rustc_hash::FxHashMap;

use super::Facts;
use super::tally::Tally;
use crate::csv::{append_record, number};
use crate::lines::{NULL_MOVE, Occurrence, position_of};
use crate::parallel::in_order;
use crate::task;
use chessdb::Database;
use chessdb::board::{Move, Position, Uci, Undo};

/// The columns of `moves.csv`.
pub const COLUMNS: [&str; 14] = [
    "move",
    "uci",
    "games",
    "white",
    "draws",
    "black",
    "score",
    "elo",
    "performance",
    "first",
    "last",
    "reached",
    "eco",
    "path",
];

/// The moves played in a position. Each game with the position counts once, with the move after its first
/// occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovesTable {
    /// One row for each move, sorted by number of games and then by name. The games that end in the position
    /// are the last row.
    pub rows: Vec<MoveRow>,
}

/// A row of a [`MovesTable`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveRow {
    /// The move; `None` for the games that end here.
    pub mv: Option<Move>,
    /// Its SAN, `null` for a null move; empty for the games that end here.
    pub san: String,
    /// The move in the notation of UCI, `0000` for a null move; empty for the games that end here.
    pub uci: String,
    /// The games that played it here.
    pub tally: Tally,
    /// Number of games with the position after the move, whatever moves led there.
    pub reached: u32,
    /// The first game that played it here, otherwise the first game with the position after it.
    pub game: Option<u32>,
}

impl MoveRow {
    /// A row without games for a move in `position`.
    pub(super) fn new(position: &Position, mv: Option<Move>) -> MoveRow {
        let mut after = *position;
        let (san, uci) = match mv {
            None => (String::new(), String::new()),
            Some(mv) => {
                let san = match mv {
                    Move::Null => NULL_MOVE.to_owned(),
                    mv => {
                        let san = after.play_legal(mv, &mut Undo::default());
                        san.map_or(String::new(), |san| san.to_string())
                    }
                };
                let is_chess960 = position.is_chess960();
                let uci = Uci {
                    position,
                    mv,
                    is_chess960,
                };
                (san, uci.to_string())
            }
        };
        MoveRow {
            mv,
            san,
            uci,
            tally: Tally::default(),
            reached: 0,
            game: None,
        }
    }
}

impl MoveRow {
    /// True for the same move of the same piece; in different positions, only one of them may give check.
    fn is_same_move(&self, other: &MoveRow) -> bool {
        self.uci == other.uci && self.san_without_check() == other.san_without_check()
    }

    fn san_without_check(&self) -> &str {
        self.san.trim_end_matches(['+', '#'])
    }
}

impl MovesTable {
    /// Creates a table from its rows and sorts them.
    pub(super) fn new(mut rows: Vec<MoveRow>) -> MovesTable {
        rows.sort_by(|a, b| {
            let place = |row: &MoveRow| (row.mv.is_none(), std::cmp::Reverse(row.tally.games));
            let texts = || (&a.san, &a.uci).cmp(&(&b.san, &b.uci));
            place(a).cmp(&place(b)).then_with(texts)
        });
        MovesTable { rows }
    }

    /// Number of games that have the position.
    pub fn games(&self) -> u32 {
        self.rows.iter().map(|row| row.tally.games).sum()
    }

    /// The moves that were played after occurrences, which may be of different positions. The games with the positions
    /// after the moves are not known.
    pub fn of_found(database: &dyn Database, found: &[Occurrence], threads: usize) -> MovesTable {
        let row = |found: &Occurrence| {
            task::check();
            let position = position_of(database, found)?;
            let mut row = MoveRow::new(&position, found.next);
            row.game = Some(found.game);
            let facts = Facts::of(database, found.game);
            row.tally.add(facts, position.turn());
            Some(row)
        };
        let read = |places: Range<u32>| {
            let found = found.get(places.start as usize..places.end as usize);
            found
                .unwrap_or_default()
                .iter()
                .filter_map(row)
                .collect::<Vec<_>>()
        };
        // A question that finds millions of games finds few different moves.
        let mut rows: FxHashMap<(String, String), MoveRow> = FxHashMap::default();
        let _ = in_order(found.len() as u32, threads, read, |read| {
            for row in read {
                match rows.entry((row.uci.clone(), row.san_without_check().to_owned())) {
                    Entry::Occupied(mut own) => own.get_mut().tally.merge(&row.tally),
                    Entry::Vacant(place) => _ = place.insert(row),
                }
            }
            ControlFlow::Continue(())
        });
        MovesTable::new(rows.into_values().collect())
    }

    /// Adds the table of the same position in another database, whose games have numbers from `first` on here.
    pub(super) fn merge(&mut self, other: MovesTable, first: u32) {
        for mut row in other.rows {
            row.game = row.game.map(|game| game.saturating_add(first));
            match self.rows.iter_mut().find(|own| own.is_same_move(&row)) {
                Some(own) => {
                    // Prefer a game that played the move to a game that only has the position after it.
                    if own.tally.games == 0 && row.tally.games > 0 || own.game.is_none() {
                        own.game = row.game;
                    }
                    own.tally.merge(&row.tally);
                    own.reached += row.reached;
                }
                None => self.rows.push(row),
            }
        }
        *self = MovesTable::new(std::mem::take(&mut self.rows));
    }

    /// The table as CSV with [`COLUMNS`] as its header. `path` returns the path of a row's game.
    pub fn csv(&self, path: impl Fn(&MoveRow) -> Option<String>) -> String {
        self.csv_with(path, true)
    }

    /// The CSV of a table of different positions, where [`MoveRow::reached`] is empty.
    pub fn csv_of_found(&self, path: impl Fn(&MoveRow) -> Option<String>) -> String {
        self.csv_with(path, false)
    }

    fn csv_with(&self, path: impl Fn(&MoveRow) -> Option<String>, has_reached: bool) -> String {
        let mut out = Vec::new();
        append_record(&mut out, COLUMNS);
        for row in &self.rows {
            let tally = &row.tally;
            let fields = [
                row.san.clone(),
                row.uci.clone(),
                tally.games.to_string(),
                tally.white.to_string(),
                tally.draws.to_string(),
                tally.black.to_string(),
                number(tally.score().map(|score| format!("{score:.1}"))),
                number(tally.elo()),
                number(tally.performance()),
                number(tally.first),
                number(tally.last),
                number(has_reached.then_some(row.reached)),
                number(tally.eco().as_ref().map(|eco| eco.as_str())),
                path(row).unwrap_or_default(),
            ];
            append_record(&mut out, fields);
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// The SAN of the move after an occurrence, `null` for a null move; empty if the game ends there.
pub fn san_of(database: &dyn Database, found: &Occurrence) -> String {
    let position = position_of(database, found);
    position.map_or(String::new(), |position| MoveRow::new(&position, found.next).san)
}
