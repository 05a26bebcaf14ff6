//! Searching the main lines of all games. This is slower than an index and serves as its reference.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::Facts;
use super::selection::Selection;
use super::table::{MoveRow, MovesTable};
use super::wanted::Pattern;
use crate::lines::{KeptLines, LineSource, LineStep, Occurrence, PackedLine, PlainBoard, at, follow};
use crate::parallel::chunks;
use crate::task;
use chessdb::Database;
use chessdb::board::{Color, Move};
use rustc_hash::FxHashMap;

/// Number of plies after which pieces are counted again.
const COUNT_EVERY: u32 = 4;

/// The same when many positions are searched for at once.
const COUNT_SELDOM: u32 = 16;

/// The games with a match, in database order, each with its first occurrence. Only the games `among` are searched, all
/// for `None`. Deleted games are left out. `done` is called with the numbers of games searched.
pub fn scan(
    database: &dyn Database,
    lines: Option<&KeptLines>,
    pattern: &Pattern,
    among: Option<&Arc<Selection>>,
    threads: usize,
    done: &(dyn Fn(u64) + Sync),
) -> Vec<Occurrence> {
    let lines = lines.filter(|lines| lines.are_kept());
    let lines = lines.map(|lines| lines as &dyn LineSource);
    let parts = chunks(database.len(), threads, done, |games| {
        let games = games.filter(|&game| among.is_none_or(|among| among.has(game)));
        let mut packed = PackedLine::default();
        let found = games.filter_map(|game| kept_occurrence(database, lines, &mut packed, game, pattern));
        // Most games have no match, and reading their keys takes longer than searching a short line.
        let found = found.filter(|found| !database.keys(found.game).deleted);
        found.collect::<Vec<_>>()
    });
    parts.concat()
}

/// The same where lines may be kept. The line of the game is read into `packed`, which is enough to exclude most games.
pub(crate) fn kept_occurrence(
    database: &dyn Database,
    lines: Option<&dyn LineSource>,
    packed: &mut PackedLine,
    game: u32,
    pattern: &Pattern,
) -> Option<Occurrence> {
    if lines.is_some_and(|lines| lines.read(game, packed)) {
        let ply = first_board(packed, pattern)?;
        if pattern.is_of_pieces() {
            return Some(Occurrence {
                game,
                ply,
                next: packed.moves.get(ply as usize).map(|mv| mv.unpack()),
                variation: 0,
            });
        }
    }
    occurrence(database, game, pattern)
}

/// Number of moves before the first board of a line that has the pieces of a pattern.
fn first_board(line: &PackedLine, pattern: &Pattern) -> Option<u32> {
    let mut board = PlainBoard::at(&line.start)?;
    for (ply, mv) in (0..).zip(&line.moves) {
        if pattern.has_pieces_of(&board) {
            return Some(ply);
        }
        if ply % COUNT_EVERY == 0 && pattern.is_past(&board) {
            return None;
        }
        board.play(*mv);
    }
    pattern.has_pieces_of(&board).then_some(line.moves.len() as u32)
}

/// The first occurrence in a game.
pub(crate) fn occurrence(database: &dyn Database, game: u32, pattern: &Pattern) -> Option<Occurrence> {
    let mut found: Option<Occurrence> = None;
    follow(database, game, |step| {
        let (ply, position) = match step {
            LineStep::Start(position) => (0, position),
            LineStep::Ply(step) => {
                if let Some(found) = &mut found {
                    found.next = Some(step.mv);
                    return ControlFlow::Break(());
                }
                (step.number + 1, step.position)
            }
        };
        if pattern.matches(position) {
            found = Some(Occurrence {
                game,
                ply,
                next: None,
                variation: 0,
            });
            return ControlFlow::Continue(());
        }
        if ply % COUNT_EVERY == 0 && pattern.is_past(position) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    found
}

/// The table of moves in a position, from the games `among`, from all for `None`. It contains a move that was not played
/// there if at least two games have the position after it.
pub fn scan_moves(
    database: &dyn Database,
    lines: Option<&KeptLines>,
    pattern: &Pattern,
    among: Option<&Arc<Selection>>,
    threads: usize,
    done: &(dyn Fn(u64) + Sync),
) -> MovesTable {
    let found = scan(database, lines, pattern, among, threads, &|_| ());
    let rows = MoveRows::new(database, pattern, &found);
    let parts = chunks(database.len(), threads, done, |games| {
        rows.reached(database, among, games)
    });
    rows.table(&parts)
}

/// The games with the position after a move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reached {
    /// Their number.
    pub(super) games: u32,
    /// The first of them.
    pub(super) first: Option<u32>,
}

/// The rows of a table of moves under construction.
pub(super) struct MoveRows {
    rows: Vec<MoveRow>,
    /// The position after each row's move; `None` for the games that end.
    pub(super) after: Vec<Option<Pattern>>,
}

impl MoveRows {
    /// Creates a row for each legal move, for each other move that was played, and for the games that end, if
    /// any.
    pub(super) fn new(database: &dyn Database, pattern: &Pattern, found: &[Occurrence]) -> MoveRows {
        let mut rows = MoveRows::of_legal_moves(pattern);
        let mut places = rows.places();
        let mover = pattern.position().turn();
        for found in found {
            let place = *places
                .entry(found.next)
                .or_insert_with(|| rows.add(database, pattern, found));
            let facts = std::iter::once(Facts::of(database, found.game));
            rows.add_games(place, facts, mover, found.game);
        }
        rows
    }

    /// Creates a row without games for each legal move.
    fn of_legal_moves(pattern: &Pattern) -> MoveRows {
        let position = pattern.position();
        let moves = position.legal_moves();
        MoveRows {
            after: moves.iter().map(|&mv| pattern.after(mv)).collect(),
            rows: moves
                .into_iter()
                .map(|mv| MoveRow::new(position, Some(mv)))
                .collect(),
        }
    }

    /// The index of each move's row.
    fn places(&self) -> HashMap<Option<Move>, usize> {
        let rows = self.rows.iter().enumerate();
        rows.map(|(place, row)| (row.mv, place)).collect()
    }

    /// Adds games to a row; `first` is the first of them.
    fn add_games(&mut self, place: usize, games: impl Iterator<Item = Facts>, mover: Color, first: u32) {
        if let Some(row) = self.rows.get_mut(place) {
            games.for_each(|facts| row.tally.add(facts, mover));
            row.game = Some(row.game.map_or(first, |game| game.min(first)));
        }
    }

    /// Number of games in each row.
    pub(super) fn played(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|row| row.tally.games)
    }

    /// Adds a row for the move of a game, and returns its index.
    fn add(&mut self, database: &dyn Database, pattern: &Pattern, found: &Occurrence) -> usize {
        // If the FEN lacks castling rights that the game has, the game may permit more moves.
        let played = at(database, found.game, found.ply).map(|(position, _)| pattern.with(position));
        let pattern = played.unwrap_or(*pattern);
        self.after.push(found.next.and_then(|mv| pattern.after(mv)));
        self.rows.push(MoveRow::new(pattern.position(), found.next));
        self.rows.len() - 1
    }

    /// Counts the games that have the position after the move of each row. `games` are in ascending order; only games in
    /// `among` count, or all of them for `None`.
    pub(super) fn reached(
        &self,
        database: &dyn Database,
        among: Option<&Arc<Selection>>,
        games: impl IntoIterator<Item = u32>,
    ) -> Vec<Reached> {
        // The indices of the rows by occupied squares of the position after the move.
        let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (place, pattern) in self.after.iter().enumerate() {
            if let Some(pattern) = pattern {
                let occupied = pattern.position().occupied().0;
                places.entry(occupied).or_default().push(place);
            }
        }
        let mut reached = vec![Reached::default(); self.after.len()];
        for game in games {
            task::check();
            let counted = self.reached_by(database, game, &places);
            let is_selected = among.is_none_or(|among| among.has(game));
            if counted.is_empty() || !is_selected || database.keys(game).deleted {
                continue;
            }
            for place in counted {
                reached[place].games += 1;
                reached[place].first.get_or_insert(game);
            }
        }
        reached
    }

    /// The rows with a position after their move that a game reaches, each once.
    fn reached_by(
        &self,
        database: &dyn Database,
        game: u32,
        places: &FxHashMap<u64, Vec<usize>>,
    ) -> Vec<usize> {
        let mut counted = Vec::new();
        follow(database, game, |step| {
            let (ply, position) = match step {
                LineStep::Start(position) => (0, position),
                LineStep::Ply(step) => (step.number + 1, step.position),
            };
            for &place in places.get(&position.occupied().0).into_iter().flatten() {
                let is_reached = self.after[place].is_some_and(|pattern| pattern.matches(position));
                if is_reached && !counted.contains(&place) {
                    counted.push(place);
                }
            }
            let mut patterns = self.after.iter().flatten();
            if ply % COUNT_SELDOM == 0 && patterns.all(|pattern| pattern.is_past(position)) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        counted
    }

    /// Completes the table with the games that have the positions after the moves. `parts` are in the order of the games.
    pub(super) fn table(mut self, parts: &[Vec<Reached>]) -> MovesTable {
        for (place, row) in self.rows.iter_mut().enumerate() {
            let mut reached = parts.iter().filter_map(|part| part.get(place));
            row.reached = match row.mv {
                Some(_) => reached.clone().map(|reached| reached.games).sum(),
                None => row.tally.games,
            };
            row.game = row.game.or_else(|| reached.find_map(|reached| reached.first));
        }
        self.rows.retain(|row| row.tally.games > 0 || row.reached > 1);
        MovesTable::new(self.rows)
    }
}
