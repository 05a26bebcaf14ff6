//! Iterators over games. Those that decode many games at a time check the files, and release the GIL, once for all
//! these games.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::IntoIter;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::blocks::{Texts, tags_of_games};
use crate::detached_work::in_chunks;
use crate::game::Game;
use crate::rows::{ChosenGames, Rows};
use crate::shared::Shared;
use crate::source::Source;
use chessdb::game::Tags;
use chessdb_library::library::LibraryEntry;

/// Number of games that a thread decodes at a time.
const CHUNK: u32 = 256;
/// Chunks that each thread decodes before Python takes them.
const CHUNKS: u32 = 4;

/// Games of databases that are decoded batch by batch.
pub struct Batches {
    /// The games of further databases.
    rest: IntoIter<ChosenGames>,
    /// The database that is being read, and the places of its games that have not been decoded.
    present: Option<(ChosenGames, Range<u32>)>,
    threads: usize,
}

impl Batches {
    /// Decodes games on `threads` threads.
    pub fn new(chosen: Vec<ChosenGames>, threads: usize) -> Batches {
        Batches {
            rest: chosen.into_iter(),
            present: None,
            threads,
        }
    }

    /// The database of the batch that was decoded last.
    fn source(&self) -> Option<&Source> {
        self.present.as_ref().map(|(chosen, _)| &chosen.source)
    }

    /// Decodes the next games, which are of one database; `None` at the end. `decode` is given the places of some of
    /// them. After an exception, the next call decodes the same games again.
    fn next<T: Send>(
        &mut self,
        py: Python<'_>,
        decode: impl Fn(&LibraryEntry, &Rows, Range<u32>) -> T + Sync,
    ) -> PyResult<Option<IntoIter<T>>> {
        while self.present.as_ref().is_none_or(|(_, places)| places.is_empty()) {
            let Some(next) = self.rest.next() else {
                return Ok(None);
            };
            let places = 0..next.rows.len();
            self.present = Some((next, places));
        }
        let Some((chosen, places)) = &mut self.present else {
            return Ok(None);
        };
        let most = CHUNK * CHUNKS * self.threads as u32;
        let end = places.start.saturating_add(most).min(places.end);
        let (source, rows) = (&chosen.source, &chosen.rows);
        let decoded = in_chunks(
            py,
            source,
            places.start..end,
            CHUNK,
            self.threads,
            |entry, places| decode(entry, rows, places),
        )?;
        places.start = end;
        Ok(Some(decoded.into_iter()))
    }
}

/// An iterator over headers. Threads may share it: each header comes once.
#[pyclass(frozen, module = "chessdb")]
pub struct HeadersIterator(Shared<Headers>);

struct Headers {
    batches: Batches,
    chunks: IntoIter<Vec<Tags>>,
    chunk: IntoIter<Tags>,
}

impl HeadersIterator {
    /// The headers of games.
    pub fn new(batches: Batches) -> HeadersIterator {
        HeadersIterator(Shared::new(Headers {
            batches,
            chunks: Vec::new().into_iter(),
            chunk: Vec::new().into_iter(),
        }))
    }
}

#[pymethods]
impl HeadersIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.0.with(py, |headers| headers.next(py))
    }
}

impl Headers {
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        loop {
            if let Some((source, tags)) = self.batches.source().zip(self.chunk.next()) {
                return source.shared.names.dict(py, &tags).map(Some);
            }
            if let Some(chunk) = self.chunks.next() {
                self.chunk = chunk.into_iter();
                continue;
            }
            let decode = |entry: &_, rows: &Rows, places| tags_of_games(entry, rows.games(places));
            match self.batches.next(py, decode)? {
                Some(chunks) => self.chunks = chunks,
                None => return Ok(None),
            }
        }
    }
}

/// An iterator over games as PGN. Threads may share it: each game comes once.
#[pyclass(frozen, module = "chessdb")]
pub struct PgnIterator(Shared<Pgn>);

struct Pgn {
    batches: Batches,
    chunks: IntoIter<Texts>,
    chunk: Texts,
    /// The place of the next game in the chunk.
    place: usize,
}

impl PgnIterator {
    /// The PGN of games.
    pub fn new(batches: Batches) -> PgnIterator {
        PgnIterator(Shared::new(Pgn {
            batches,
            chunks: Vec::new().into_iter(),
            chunk: Texts::default(),
            place: 0,
        }))
    }
}

#[pymethods]
impl PgnIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.0.with(py, |pgn| pgn.next(py))
    }
}

impl Pgn {
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        loop {
            if self.place < self.chunk.len() {
                self.place += 1;
                return self.chunk.to_str(py, self.place - 1).map(Some);
            }
            if let Some(chunk) = self.chunks.next() {
                (self.chunk, self.place) = (chunk, 0);
                continue;
            }
            let decode = |entry: &_, rows: &Rows, places| Texts::of(entry, rows.games(places));
            match self.batches.next(py, decode)? {
                Some(chunks) => self.chunks = chunks,
                None => return Ok(None),
            }
        }
    }
}

/// An iterator over games. Threads may share it: each game comes once.
#[pyclass(frozen, module = "chessdb")]
pub struct GameIterator {
    chosen: ChosenGames,
    places: Mutex<Range<u32>>,
}

impl GameIterator {
    /// Iterates over these games.
    pub fn new(chosen: ChosenGames) -> GameIterator {
        GameIterator {
            places: Mutex::new(0..chosen.rows.len()),
            chosen,
        }
    }

    /// Locks the state without releasing the GIL. That cannot deadlock: the lock is held only for moments, during which
    /// no Python code runs.
    fn places(&self) -> MutexGuard<'_, Range<u32>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl GameIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self) -> Option<Game> {
        let place = self.places().next()?;
        Some(Game::new(&self.chosen.source, self.chosen.rows.game(place)))
    }

    fn __length_hint__(&self) -> usize {
        self.places().len()
    }
}
