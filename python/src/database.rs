//! An open database: a sequence of games.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};

use crate::arguments::{ColumnsArgument, MovesArgument, PositionArgument, QueryArgument};
use crate::batches::{GameIterator, HeadersIterator, PgnIterator};
use crate::book;
use crate::duplicates::groups;
use crate::errors::path_of;
use crate::found::FoundGames;
use crate::games::Games;
use crate::index::{build, load_or_build};
use crate::indices::{Int, counted, range};
use crate::lists::list_of;
use crate::novelty::novelties;
use crate::opening::{OpenArguments, ReopenArguments, function};
use crate::parts::{Folder, Member, Problem};
use crate::progress::Progress;
use crate::rows::{ChosenGames, Rows};
use crate::search::{FoundOrder, Question, Search, find, moves_table, read_query};
use crate::source::Source;
use crate::table::{Columns, Table};
use chessdb_library::positions::{BuildOptions, DatabasePart, Positions};
use chessdb_library::repertoire::Repertoires;

/// Bytes of memory for building an index.
const MEMORY: usize = 512 << 20;

/// An open database: a sequence of its games.
///
/// As a context manager it closes itself. All methods may be called from several threads.
///
/// >>> import chessdb
/// >>> database = chessdb.open_database("classics.pgn")
/// >>> database[-1], len(database[10:20])
/// (<chessdb.Game 63 of classics.pgn>, 10)
#[pyclass(frozen, sequence, module = "chessdb")]
pub struct Database {
    /// `None` after the database has been closed.
    source: RwLock<Option<Source>>,
    /// The same with its index; `None` until that has been built.
    indexed: RwLock<Option<Arc<Positions>>>,
    path: String,
    threads: usize,
}

impl Database {
    /// A database with the path under which it was found.
    pub fn new(source: Source, path: String, threads: usize) -> Database {
        Database {
            source: RwLock::new(Some(source)),
            indexed: RwLock::default(),
            path,
            threads,
        }
    }

    /// The open database.
    ///
    /// # Errors
    /// If it has been closed.
    pub fn source(&self) -> PyResult<Source> {
        let source = self.source.read().ok().and_then(|source| source.clone());
        source.ok_or_else(|| PyValueError::new_err(format!("{}: the database is closed", self.path)))
    }

    /// Number of threads that read it.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// How it is searched.
    ///
    /// # Errors
    /// If it has been closed.
    pub fn search(&self) -> PyResult<Search> {
        let source = self.source()?;
        let indexed = self
            .indexed
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let no_index = || Arc::new(Positions::new(&source.entry, BuildOptions::default()));
        let entries = [Arc::clone(&source.entry)];
        Ok(Search {
            repertoires: Arc::new(Repertoires::of(entries, self.threads)),
            part: DatabasePart::of(indexed.unwrap_or_else(no_index)),
            source,
            threads: self.threads,
        })
    }

    /// Builds the index of positions, in memory of about `memory` bytes, or loads it from a folder that has it.
    fn build_index(
        &self,
        py: Python<'_>,
        folder: Option<PathBuf>,
        memory: usize,
        progress: &Progress,
    ) -> PyResult<()> {
        let options = BuildOptions {
            threads: self.threads,
            memory,
            ..BuildOptions::default()
        };
        let source = self.source()?;
        let indexed = match folder {
            Some(folder) => load_or_build(py, &source, folder, options, progress)?,
            None => build(py, &source, options, progress)?,
        };
        self.set_indexed(Some(indexed));
        Ok(())
    }

    /// True if it has its index.
    fn is_indexed(&self) -> bool {
        let indexed = self.indexed.read().unwrap_or_else(PoisonError::into_inner);
        indexed.is_some()
    }

    /// The games from `start` to `stop`, which count as in a slice.
    fn chosen(&self, start: Option<Int>, stop: Option<Int>) -> PyResult<Games> {
        let source = self.source()?;
        let games = range(start, stop, source.len());
        Ok(Games::new(&source, Rows::All(games), self.threads))
    }

    fn set_indexed(&self, indexed: Option<Positions>) {
        *self.indexed.write().unwrap_or_else(PoisonError::into_inner) = indexed.map(Arc::new);
    }
}

#[pymethods]
impl Database {
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.source()?.len() as usize)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.chosen(None, None)?.item(py, index)
    }

    fn __iter__(&self) -> PyResult<GameIterator> {
        Ok(self.chosen(None, None)?.__iter__())
    }

    /// An iterator over the games from `start` to `stop`, which count as in a slice.
    #[pyo3(signature = (start=None, stop=None))]
    fn games(&self, start: Option<Int>, stop: Option<Int>) -> PyResult<GameIterator> {
        Ok(self.chosen(start, stop)?.__iter__())
    }

    /// An iterator over the headers of the games from `start` to `stop`, as dicts.
    ///
    /// It gives what `headers` of each game gives, but reads many games at a time, which is several times as fast.
    ///
    /// >>> import chessdb
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> sum(headers["Result"] == "1-0" for headers in database.headers())
    /// 35
    #[pyo3(signature = (start=None, stop=None))]
    fn headers(&self, start: Option<Int>, stop: Option<Int>) -> PyResult<HeadersIterator> {
        Ok(self.chosen(start, stop)?.headers())
    }

    /// An iterator over the PGN of the games from `start` to `stop`, as texts.
    ///
    /// It gives what `pgn` of each game gives, but decodes many games at a time, on several threads.
    #[pyo3(signature = (start=None, stop=None))]
    fn pgn(&self, start: Option<Int>, stop: Option<Int>) -> PyResult<PgnIterator> {
        Ok(self.chosen(start, stop)?.pgn())
    }

    /// The games from `start` to `stop` as a table in the memory format of Arrow.
    ///
    /// The columns are the same as for `pgnfs export`: names of tags, and `database`, `number`, `year`, `month`, `day`, `eco_name`, `deleted`,
    /// `ply_count`, `plies`, `moves`, `uci`, `final_fen`, `clocks`, `evals`, `movetext`, `pgn`, `other_tags` and
    /// `path`. What is unknown is null. If `where` has one `player:`, `colour` is the colour of this player and `score`
    /// the points. Ratings and their differences are numbers, `UTCDate` and `UTCTime` a day and a time; other tags are
    /// texts, as is any with `tag:` before its name. `where` is a query that the games answer.
    ///
    /// With `rows="positions"`, each row is a position of a main line, with the move played there: the first occurrence
    /// in each game that is not marked as deleted. It has the columns `ply`, `key` and `move`, too, and the columns of
    /// its game. The key is the one in `Game.positions`, less 2**64 if it is 2**63 or more.
    ///
    /// >>> import chessdb, pyarrow
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> table = pyarrow.table(database.table(["number", "White", "year"]))
    /// >>> table.slice(0, 1).to_pylist()
    /// [{'number': 1, 'White': 'Legall de Kermeur', 'year': 1750}]
    /// >>> table = pyarrow.table(database.table(rows="positions", where="player:morphy"))
    /// >>> table.group_by("key").aggregate([("number", "count")])["number_count"][0].as_py()
    /// 5
    #[pyo3(signature = (columns=None, *, rows="games", start=None, stop=None, r#where=None))]
    fn table(
        &self,
        py: Python<'_>,
        columns: Option<ColumnsArgument>,
        rows: &str,
        start: Option<Int>,
        stop: Option<Int>,
        r#where: Option<QueryArgument>,
    ) -> PyResult<Table> {
        let search = self.search()?;
        let games = range(start, stop, search.source.len());
        let columns = Columns::of(rows, columns.as_ref(), false)?;
        let query = r#where.map(|query| read_query(py, &query.0)).transpose()?;
        let chosen = ChosenGames::of(py, &search, games, query.as_ref(), columns.are_of_player())?;
        columns.table(py, vec![chosen], self.threads)
    }

    /// Writes an opening book of Polyglot, and returns the number of its entries.
    ///
    /// It is the book that `polyglot make-book` makes of the same games with the same options: moves up to `max_ply` that
    /// were played in at least `min_games` games and scored at least `min_score` percent, of one `side` or of both, with
    /// weights by their results or, if `uniform`, equal ones. `where` is a query that the games answer. Games from set-up
    /// positions are left out.
    ///
    /// >>> import chessdb
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> database.polyglot("book.bin", where="year:1800..", min_games=5) > 10
    /// True
    #[pyo3(signature = (
        path, *, r#where=None, max_ply=1024, min_games=3, min_score=0.0, side=None, uniform=false
    ))]
    #[expect(clippy::too_many_arguments)]
    fn polyglot(
        &self,
        py: Python<'_>,
        path: PathBuf,
        r#where: Option<QueryArgument>,
        max_ply: u32,
        min_games: u32,
        min_score: f64,
        side: Option<&str>,
        uniform: bool,
    ) -> PyResult<u64> {
        let options = book::options(max_ply, min_games, min_score, side, uniform)?;
        let query = r#where.map(|query| read_query(py, &query.0)).transpose()?;
        book::write(py, &self.search()?, query.as_ref(), options, &path)
    }

    /// Builds the index of positions, which `find` and `moves_table` use from then on.
    ///
    /// It is a file of about 60 bytes a game. With a `folder`, the file is kept there and used again as long as no file
    /// of the database changes. Without one, it is temporary. While it is built, its folder also needs about 1.3 KB a
    /// game, and `memory` is about the number of bytes of memory that may be used.
    ///
    /// >>> import chessdb
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> database.index_positions()
    /// >>> database.moves_table(moves="e4 e5")[0]
    /// <chessdb.PlayedMove Nf3: 18 games>
    #[pyo3(signature = (folder=None, *, memory=Int(MEMORY as i64), progress=None))]
    fn index_positions(
        &self,
        py: Python<'_>,
        folder: Option<PathBuf>,
        memory: Int,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let Ok(memory @ 1..) = usize::try_from(memory.0) else {
            return Err(PyValueError::new_err("memory: a number of bytes is at least one"));
        };
        let progress = Progress::new(progress, self.source()?.len().into())?;
        self.build_index(py, folder, memory, &progress)?;
        progress.finish(py)
    }

    /// The games that answer a query, or have a position, with its first occurrence in each.
    ///
    /// One argument says what is searched for: `query`, tags and positions in the language of `pgnfs find`; `fen`, a
    /// FEN, an EPD or a `chess.Board`, which `query` may also be; `moves`, a line from the usual start position: a
    /// text, texts, objects of `chess.Move`, or bytes as `plies` has them; `pawns`, a FEN whose pawns alone count;
    /// `material`, pieces such as `KRPkr`. Castling rights and en passant count if the FEN has them. Only main lines
    /// are searched, unless the query has `in:variations`, and games marked as deleted are left out. `sort` is `date`
    /// (earliest first), `elo` (highest sum of known ratings first), `length` (shortest first) or the order of the
    /// database, and `limit` the number of games at most. `progress` is called again and again with the number of games
    /// that have been read and the number of all games; `True` shows a bar of tqdm.
    ///
    /// A wrong query is a `QueryError`.
    ///
    /// >>> import chessdb
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> [found.game.number for found in database.find("player:morphy result:win year:1858")]
    /// [13, 14, 15]
    /// >>> import chessdb
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> [(found.game.number, found.ply, found.san) for found in database.find(moves="e4 e5 f4 exf4")]
    /// [(7, 4, 'Bc4'), (48, 4, 'Nf3')]
    #[pyo3(signature = (query=None, *, fen=None, moves=None, pawns=None, material=None, sort=None, limit=None, progress=None))]
    #[expect(clippy::too_many_arguments)]
    fn find(
        &self,
        py: Python<'_>,
        query: Option<PositionArgument>,
        fen: Option<PositionArgument>,
        moves: Option<MovesArgument>,
        pawns: Option<String>,
        material: Option<String>,
        sort: Option<&str>,
        limit: Option<Int>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<FoundGames> {
        let order = FoundOrder::read(sort, limit)?;
        let question = Question::new(query, fen, moves, pawns, material);
        find(py, &[self.search()?], &question.read(py)?, &order, progress)
    }

    /// Games that occur more than once, as lists with the best game first, by the rules of `duplicates.csv`.
    ///
    /// >>> import chessdb
    /// >>> chessdb.open_database("classics.pgn").duplicates()
    /// []
    fn duplicates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list_of(
            py,
            "DuplicateGroups",
            groups(py, &[self.source()?], self.threads)?,
        )
    }

    /// The first move of each game that leads to a position that no earlier game has, by the rules of `novelties.csv`.
    ///
    /// It builds the index of positions, as `index_positions` does, unless that was done.
    ///
    /// >>> import chessdb
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> first = database.novelties()[0]
    /// >>> first.game.number, first.ply, first.san, first.before
    /// (1, 3, 'd6', 2)
    #[pyo3(signature = (*, progress=None))]
    fn novelties<'py>(
        &self,
        py: Python<'py>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Half of the work is building the index.
        let games = u64::from(self.source()?.len());
        let is_indexed = self.is_indexed();
        let progress = Progress::new(progress, if is_indexed { games } else { 2 * games })?;
        if !is_indexed {
            self.build_index(py, None, MEMORY, &progress)?;
        }
        let novelties = novelties(py, &self.search()?, &progress)?;
        progress.finish(py)?;
        list_of(py, "Novelties", novelties)
    }

    /// The moves that were played in a position, most frequent first, and last the games that end there.
    ///
    /// The position is given by `fen` or `moves`, as in `find`, and `where` is a query that the games answer. Moves that no game played there are listed if at least
    /// two games have the position after them.
    ///
    /// >>> import chessdb
    /// >>> database = chessdb.open_database("classics.pgn")
    /// >>> [(row.san, row.games) for row in database.moves_table(moves="")[:3]]
    /// [('e4', 38), ('d4', 19), ('c4', 3)]
    #[pyo3(signature = (fen=None, *, moves=None, r#where=None))]
    fn moves_table<'py>(
        &self,
        py: Python<'py>,
        fen: Option<PositionArgument>,
        moves: Option<MovesArgument>,
        r#where: Option<QueryArgument>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let query = r#where.map(|query| read_query(py, &query.0)).transpose()?;
        let question = Question::new(None, fen, moves, None, None);
        let moves = moves_table(py, &self.search()?, &question, query.as_ref())?;
        list_of(py, "PlayedMoves", moves)
    }

    /// The path that was opened; for a database of a library, with the path below it.
    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    /// The path of its directory in a mount of what was opened; the name of its main file if it has none. The column `database`
    /// and `Game.database` have the same, and a library has its databases by it.
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.source()?.entry.name().to_owned())
    }

    /// Short name of the format.
    #[getter]
    fn format(&self) -> PyResult<&'static str> {
        Ok(self.source()?.entry.format.name)
    }

    /// Facts about the database that opening found, such as its reading and its code page.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = self.source()?.read(py, |entry| entry.database.info())?;
        let dict = PyDict::new(py);
        for (name, value) in info.rows {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// Oddities of the database that affect no game.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.source()?.read(py, |entry| entry.database.info().warnings)
    }

    /// Problems of the database itself.
    #[getter]
    fn problems(&self, py: Python<'_>) -> PyResult<Vec<Problem>> {
        self.source()?
            .read(py, |entry| entry.problems().iter().map(Problem::from).collect())
    }

    /// The database's own folders. A folder comes before those in it.
    #[getter]
    fn folders(&self, py: Python<'_>) -> PyResult<Vec<Folder>> {
        let folders = self.source()?.read(py, |entry| entry.database.folders())?;
        Ok(folders.into_iter().map(Folder::from).collect())
    }

    /// The files inside the database.
    #[getter]
    fn members(&self, py: Python<'_>) -> PyResult<Vec<Member>> {
        let source = self.source()?;
        source.read(py, |_| Member::all(&source))
    }

    /// Closes the database. Games and iterators that exist keep it open for themselves.
    pub fn close(&self) {
        if let Ok(mut source) = self.source.write() {
            *source = None;
        }
        self.set_indexed(None);
    }

    /// True if it has been closed.
    #[getter]
    pub fn closed(&self) -> bool {
        self.source().is_err()
    }

    fn __enter__(slf: Py<Self>) -> PyResult<Py<Self>> {
        slf.get().source()?;
        Ok(slf)
    }

    /// The same open database, to be closed by itself.
    fn _copy(&self) -> PyResult<Database> {
        Ok(Database::new(self.source()?, self.path.clone(), self.threads))
    }

    /// True if it would be the same if it were opened now. False once it has been closed.
    fn _is_current(&self, py: Python<'_>) -> bool {
        let Ok(source) = self.source() else {
            return false;
        };
        py.detach(|| source.is_current())
    }

    /// A table of the games from `start` to `stop` for an engine that reads all games in parts, so that none can say whether
    /// any game has a tag.
    #[pyo3(signature = (columns, rows, start, stop, r#where))]
    fn _part(
        &self,
        py: Python<'_>,
        columns: ColumnsArgument,
        rows: &str,
        start: Int,
        stop: Int,
        r#where: Option<QueryArgument>,
    ) -> PyResult<Table> {
        let search = self.search()?;
        let games = range(Some(start), Some(stop), search.source.len());
        let columns = Columns::of(rows, Some(&columns), false)?;
        columns.without_unusual_tags()?;
        let query = r#where.map(|query| read_query(py, &query.0)).transpose()?;
        let chosen = ChosenGames::of(py, &search, games, query.as_ref(), columns.are_of_player())?;
        columns.unchecked(py, vec![chosen], self.threads)
    }

    /// Its files when it was opened: their paths, sizes, and times of the last change in nanoseconds.
    fn _files(&self) -> PyResult<Vec<(String, u64, i128)>> {
        let source = self.source()?;
        let files = source.entry.files.iter().map(|(name, file)| {
            let path = path_of(&source.entry, name);
            let path = path.map_or_else(|| name.clone(), |path| path.display().to_string());
            (path, file.size, file.modified)
        });
        Ok(files.collect())
    }

    /// A number for the sizes and times of its files when it was opened.
    fn _state(&self) -> PyResult<u64> {
        Ok(self.source()?.state())
    }

    /// A pickled database is opened again where it is unpickled, by its absolute path and with the same options; it has the
    /// passwords.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, ReopenArguments)> {
        Ok((
            function(py, "again")?,
            OpenArguments::arguments_of(&self.source()?),
        ))
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        match self.source() {
            Ok(source) => {
                let games = counted(source.len() as usize, "game");
                format!("<chessdb.Database {:?}: {games}>", self.path)
            }
            Err(_) => format!("<chessdb.Database {:?}: closed>", self.path),
        }
    }
}
