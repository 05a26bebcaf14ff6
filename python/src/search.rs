//! Searching for games, in the index of positions or in all games, without the GIL; Ctrl-C ends a search.

use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments::{MovesArgument, PositionArgument};
use crate::detached_work::detached;
use crate::errors::{ReadError, wrong_query};
use crate::found::FoundGames;
use crate::game::Game;
use crate::indices::Int;
use crate::opening::{Reduced, function};
use crate::progress::Progress;
use crate::source::Source;
use chessdb_library::lines::Occurrence;
use chessdb_library::made::Wait;
use chessdb_library::positions::{AnswerOptions, DatabasePart, IndexUse, MoveRow, Pattern, WantedError};
use chessdb_library::query::{ListOrder, Query, SortKey};
use chessdb_library::repertoire::Repertoires;

/// A move in the table of a position, with the games in which it was played there.
#[pyclass(frozen, get_all, module = "chessdb")]
pub struct PlayedMove {
    /// The move as SAN, `null` for a null move; `None` for the games that end in the position.
    pub san: Option<String>,
    /// The move as UCI, `0000` for a null move.
    pub uci: Option<String>,
    /// Number of games.
    pub games: u32,
    /// Number of games won by White.
    pub white: u32,
    /// Number of draws.
    pub draws: u32,
    /// Number of games won by Black.
    pub black: u32,
    /// White's points in percent of the games with a result.
    pub score: Option<f64>,
    /// Mean rating of the side that moves.
    pub elo: Option<u32>,
    /// The rating that corresponds to the results of the side that moves.
    pub performance: Option<i32>,
    /// Year of the first game.
    pub first: Option<u16>,
    /// Year of the last game.
    pub last: Option<u16>,
    /// Number of games with the position after the move, whatever moves led there.
    pub reached: u32,
    /// The most frequent opening code.
    pub eco: Option<String>,
    /// The first game in which the move was played here, or else the first one with the position after it.
    pub game: Option<Py<Game>>,
}

#[pymethods]
impl PlayedMove {
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (PlayedMoveValues, Option<Py<Game>>)> {
        let values = (
            (
                self.san.clone(),
                self.uci.clone(),
                self.games,
                self.white,
                self.draws,
                self.black,
            ),
            (self.score, self.elo, self.performance),
            (self.first, self.last, self.reached, self.eco.clone()),
        );
        let game = self.game.as_ref().map(|game| game.clone_ref(py));
        Ok((function(py, "played_move")?, (values, game)))
    }

    fn __repr__(&self) -> String {
        let san = self.san.as_deref().unwrap_or("end");
        format!("<chessdb.PlayedMove {san}: {} games>", self.games)
    }
}

/// The values of a row of a table of moves, in the order of its fields.
pub type PlayedMoveValues = (
    (Option<String>, Option<String>, u32, u32, u32, u32),
    (Option<f64>, Option<u32>, Option<i32>),
    (Option<u16>, Option<u16>, u32, Option<String>),
);

impl PlayedMove {
    /// A row that was pickled, and the game in it.
    pub fn of_values(values: PlayedMoveValues, game: Option<Py<Game>>) -> PlayedMove {
        let ((san, uci, games, white, draws, black), (score, elo, performance), years) = values;
        let (first, last, reached, eco) = years;
        PlayedMove {
            san,
            uci,
            games,
            white,
            draws,
            black,
            score,
            elo,
            performance,
            first,
            last,
            reached,
            eco,
            game,
        }
    }

    fn new(py: Python<'_>, source: &Source, row: MoveRow) -> PyResult<PlayedMove> {
        let text = |text: String| Some(text).filter(|text| !text.is_empty());
        let tally = row.tally;
        let game = row.game.map(|game| Py::new(py, Game::new(source, game)));
        Ok(PlayedMove {
            san: text(row.san),
            uci: text(row.uci),
            games: tally.games,
            white: tally.white,
            draws: tally.draws,
            black: tally.black,
            score: tally.score(),
            elo: tally.elo(),
            performance: tally.performance(),
            first: tally.first,
            last: tally.last,
            reached: row.reached,
            eco: tally.eco().map(|eco| eco.as_str().to_owned()),
            game: game.transpose()?,
        })
    }
}

/// What is searched for. One field is set.
pub struct Question {
    /// A query, or a FEN.
    query: Option<String>,
    fen: Option<String>,
    moves: Option<String>,
    pawns: Option<String>,
    material: Option<String>,
}

/// The question of a search; with the text of the argument `query`, if it is one.
pub struct Asked {
    query: Query,
    text: Option<String>,
}

/// Reads a query.
///
/// # Errors
/// If it is wrong.
pub fn read_query(py: Python<'_>, text: &str) -> PyResult<Query> {
    Query::parse(text).map_err(|error| wrong_query(py, &error))
}

/// True for a text that the argument `query` takes as a FEN.
fn is_fen(text: &str) -> bool {
    text.matches('/').count() >= 3 && !text.contains(':')
}

impl Question {
    /// The question that these arguments ask.
    pub fn new(
        query: Option<PositionArgument>,
        fen: Option<PositionArgument>,
        moves: Option<MovesArgument>,
        pawns: Option<String>,
        material: Option<String>,
    ) -> Question {
        Question {
            query: query.map(|query| query.0),
            fen: fen.map(|fen| fen.0),
            moves: moves.map(|moves| moves.0),
            pawns,
            material,
        }
    }

    /// Reads the arguments.
    ///
    /// # Errors
    /// If it is invalid, or there is not exactly one question.
    pub fn read(mut self, py: Python<'_>) -> PyResult<Asked> {
        if self.fen.is_none() && self.query.as_deref().is_some_and(is_fen) {
            self.fen = self.query.take();
        }
        match &self.query {
            Some(text) if self.others().flatten().next().is_none() => Ok(Asked {
                query: read_query(py, text)?,
                text: Some(text.clone()),
            }),
            _ => Ok(Asked {
                query: self.wanted()?,
                text: None,
            }),
        }
    }

    fn others(&self) -> impl Iterator<Item = &Option<String>> {
        [&self.fen, &self.moves, &self.pawns, &self.material].into_iter()
    }

    /// The query that is the same as the other argument.
    ///
    /// # Errors
    /// If it is invalid, or there is not exactly one.
    fn wanted(&self) -> PyResult<Query> {
        type Read = fn(&str) -> Result<Query, String>;
        let readers: [(&str, &Option<String>, Read); 4] = [
            ("fen", &self.fen, |text| of_pattern(Pattern::parse(text))),
            ("moves", &self.moves, |text| of_pattern(Pattern::of_moves(text))),
            ("pawns", &self.pawns, |text| of_term("pawns", text)),
            ("material", &self.material, |text| {
                // In any order, which a query does not allow. What follows a letter belongs to it, such as the 3 of P3.
                let mut pieces: Vec<&str> = Vec::new();
                let mut rest = text;
                while !rest.is_empty() {
                    let is_end = |(at, c): (usize, char)| (at > 0 && c.is_ascii_alphabetic()).then_some(at);
                    let (piece, after) =
                        rest.split_at(rest.char_indices().find_map(is_end).unwrap_or(rest.len()));
                    pieces.push(piece);
                    rest = after;
                }
                let is_white = |piece: &&str| piece.starts_with(|c: char| c.is_ascii_uppercase());
                pieces.sort_by_key(|piece| !is_white(piece));
                of_term("material", &pieces.concat())
            }),
        ];
        let given = readers
            .into_iter()
            .filter_map(|(name, text, read)| Some((name, text.as_deref()?, read)));
        match given.collect::<Vec<_>>().as_slice() {
            [(name, text, read)] if self.query.is_none() => {
                read(text).map_err(|error| PyValueError::new_err(format!("{name}: {error}")))
            }
            _ => Err(PyValueError::new_err(
                "say what to find by one of query, fen, moves, pawns and material",
            )),
        }
    }
}

/// The query for a position.
fn of_pattern(pattern: Result<Pattern, WantedError>) -> Result<Query, String> {
    let pattern = pattern.map_err(|error| error.to_string())?;
    Query::of_pattern(&pattern).map_err(|error| error.what)
}

/// The query of one term.
fn of_term(field: &str, value: &str) -> Result<Query, String> {
    Query::of_term(field, value).map_err(|error| error.what)
}

/// How a database is searched.
pub struct Search {
    pub source: Source,
    /// The database with its index, if that was built, and which of its games are searched.
    pub part: DatabasePart,
    /// Number of threads that read all games.
    pub threads: usize,
    /// The databases that queries may name as a repertoire.
    pub repertoires: Arc<Repertoires>,
}

impl Search {
    /// The same search, of these games alone.
    pub fn among(&self, games: Range<u32>) -> Search {
        Search {
            part: self.part.with(games.collect::<Vec<u32>>()),
            source: self.source.clone(),
            threads: self.threads,
            repertoires: Arc::clone(&self.repertoires),
        }
    }

    fn options(&self, index: IndexUse, scans: bool) -> AnswerOptions {
        AnswerOptions {
            index,
            scans,
            threads: self.threads,
            names: None,
            repertoires: Arc::clone(&self.repertoires),
        }
    }
}

/// The order of found games, and how many there are.
pub struct FoundOrder {
    key: Option<SortKey>,
    limit: usize,
}

impl FoundOrder {
    /// Reads the arguments.
    ///
    /// # Errors
    /// If they are wrong.
    pub fn read(sort: Option<&str>, limit: Option<Int>) -> PyResult<FoundOrder> {
        if let Some(name) = sort.filter(|name| !SortKey::NAMES.contains(name)) {
            let names = SortKey::NAMES.join(", ");
            return Err(PyValueError::new_err(format!(
                "sort: {name:?} is not one of {names}"
            )));
        }
        let limit = match limit {
            None => usize::MAX,
            Some(Int(limit)) => usize::try_from(limit)
                .map_err(|_| PyValueError::new_err("limit: a number of games is at least 0"))?,
        };
        Ok(FoundOrder {
            key: sort.and_then(SortKey::of_name),
            limit,
        })
    }
}

/// Finds games of some databases, database by database unless they are sorted.
///
/// # Errors
/// The exception of a signal handler or of a report of progress, after which the search ends.
pub fn find(
    py: Python<'_>,
    searches: &[Search],
    asked: &Asked,
    order: &FoundOrder,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<FoundGames> {
    let games = searches.iter().map(|search| u64::from(search.source.len()));
    let progress = &Progress::new(progress, games.sum())?;
    let mut all = Vec::new();
    for (number, search) in (0..).zip(searches) {
        let found = answer(py, search, &asked.query, progress)?;
        all.extend(found.into_iter().map(|found| (number, found)));
    }
    let sources: Arc<[Source]> = searches.iter().map(|search| search.source.clone()).collect();
    if let (Some(key), Some(first)) = (order.key, searches.first()) {
        detached(py, &first.source, &Progress::default(), |_, _| {
            let game = |&(number, found): &(u32, Occurrence)| {
                let database = &*sources[number as usize].entry.database;
                (database, found.game)
            };
            ListOrder::from(key).arrange(&mut all, game, first.threads);
        })?;
        for source in &*sources {
            source.read(py, |_| ())?;
        }
    }
    all.truncate(order.limit);
    progress.finish(py)?;
    let threads = searches.first().map_or(1, |search| search.threads);
    let query = asked
        .text
        .as_ref()
        .map(|text| (asked.query.clone(), text.clone()));
    let of_several = searches.len() > 1;
    Ok(FoundGames::new(all, sources, of_several, query, threads))
}

/// The games of a database that answer a query.
///
/// # Errors
/// The exception of a signal handler or of a report of progress, after which the search ends.
pub fn answer(
    py: Python<'_>,
    search: &Search,
    query: &Query,
    progress: &Progress,
) -> PyResult<Vec<Occurrence>> {
    let patterns = query.repertoires();
    if !patterns.is_empty() {
        let options = &search.source.opening.options;
        let opened = py.detach(|| search.repertoires.open_files(&patterns, options));
        opened.map_err(|error| PyValueError::new_err(error.to_string()))?;
    }
    let options = search.options(IndexUse::Auto, true);
    let found = detached(py, &search.source, progress, |_, done| {
        query.find(&search.part, &options, done)
    })?;
    if let Some(changed) = search.repertoires.changed() {
        return Err(ReadError::Changed.raise(py, &changed));
    }
    Ok(found)
}

/// The moves that were played in a position, in the games that answer a query, if there is one.
pub fn moves_table(
    py: Python<'_>,
    search: &Search,
    question: &Question,
    query: Option<&Query>,
) -> PyResult<Vec<PlayedMove>> {
    let wanted = question.wanted()?;
    let Some(pattern) = wanted.only_position() else {
        return Err(PyValueError::new_err("a table of moves needs fen or moves"));
    };
    let part = match query {
        Some(query) => search
            .part
            .found(&answer(py, search, query, &Progress::default())?),
        None => search.part.clone(),
    };
    let table =
        |index, scans, done: &(dyn Fn(u64) + Sync)| part.moves(pattern, &search.options(index, scans), done);
    // The index is used where it answers in milliseconds: if castling rights and en passant count. It would read the games
    // of all other positions in one thread.
    let mut known = None;
    if pattern.is_exact() && part.positions.wait() == Wait::None {
        known = search
            .source
            .read(py, |_| table(IndexUse::Auto, false, &|_| ()))?;
    }
    let table = match known {
        Some(table) => table,
        None => {
            let progress = &Progress::default();
            let scanned = detached(py, &search.source, progress, |_, done| {
                table(IndexUse::No, true, done)
            })?;
            scanned.unwrap_or_default()
        }
    };
    let rows = table.rows.into_iter();
    rows.map(|row| PlayedMove::new(py, &search.source, row)).collect()
}
