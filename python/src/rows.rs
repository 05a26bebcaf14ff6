//! Some games of a database, in an order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::slice::PySliceIndices;

use crate::detached_work::detached;
use crate::progress::Progress;
use crate::search::{Search, answer};
use crate::source::Source;
use chessdb::board::Color;
use chessdb_library::positions::{AnswerOptions, BuildOptions, DatabasePart, Positions};
use chessdb_library::query::Query;

/// Games of a database in an order: a game has a place in it.
#[derive(Clone)]
pub enum Rows {
    /// Consecutive ones.
    All(Range<u32>),
    /// Some of them.
    Some(Arc<[u32]>),
}

/// Some games of a database.
#[derive(Clone)]
pub struct ChosenGames {
    pub source: Source,
    pub rows: Rows,
    /// The side of the player that they were searched for, if it is needed.
    pub colors: Arc<HashMap<u32, Color>>,
}

impl ChosenGames {
    /// Games of a database.
    pub fn new(source: &Source, rows: Rows) -> ChosenGames {
        ChosenGames {
            source: source.clone(),
            rows,
            colors: Arc::default(),
        }
    }

    /// The games among `games` that answer a query, or all; with the sides that the query's one player had if columns
    /// are about this player.
    ///
    /// # Errors
    /// `ValueError` if the query has no such player; as for [`answer`].
    pub fn of(
        py: Python<'_>,
        search: &Search,
        games: Range<u32>,
        query: Option<&Query>,
        are_of_player: bool,
    ) -> PyResult<ChosenGames> {
        let rows = Rows::of(py, search, games, query)?;
        let chosen = ChosenGames::new(&search.source, rows);
        if are_of_player {
            return chosen.with_player(py, query, search.threads);
        }
        Ok(chosen)
    }

    /// The same games, which answer a query, with the sides that its one player had.
    ///
    /// # Errors
    /// `ValueError` if the query has no such player; as for [`Source::read`].
    pub fn with_player(self, py: Python<'_>, query: Option<&Query>, threads: usize) -> PyResult<ChosenGames> {
        let Some(query) = query.filter(|query| query.has_one_player()) else {
            return Err(no_player());
        };
        let mut games: Vec<u32> = self.rows.games(0..self.rows.len()).collect();
        games.sort_unstable();
        games.dedup();
        let positions = Positions::new(&self.source.entry, BuildOptions::default());
        let part = DatabasePart::of(Arc::new(positions)).with(games);
        let options = AnswerOptions {
            threads,
            ..AnswerOptions::default()
        };
        let colors = detached(py, &self.source, &Progress::default(), |_, _| {
            query.colors_of_player(&[part], &options)
        })?;
        Ok(ChosenGames {
            colors: Arc::new(colors),
            ..self
        })
    }
}

/// The exception for columns of a player if no player was searched for.
pub fn no_player() -> PyErr {
    PyValueError::new_err("colour and score are about one player: give a query with one player:NAME")
}

impl Rows {
    /// The games among `games` that answer a query, or all.
    ///
    /// # Errors
    /// As for [`answer`].
    pub fn of(py: Python<'_>, search: &Search, games: Range<u32>, query: Option<&Query>) -> PyResult<Rows> {
        let Some(query) = query else {
            return Ok(Rows::All(games));
        };
        // Other games are not searched.
        let found = if games == (0..search.source.len()) {
            answer(py, search, query, &Progress::default())?
        } else {
            answer(py, &search.among(games), query, &Progress::default())?
        };
        Ok(Rows::Some(found.iter().map(|found| found.game).collect()))
    }

    /// Their number.
    pub fn len(&self) -> u32 {
        match self {
            Rows::All(games) => games.len() as u32,
            Rows::Some(games) => games.len() as u32,
        }
    }

    /// The game at a place, which must be below [`Rows::len`].
    pub fn game(&self, place: u32) -> u32 {
        match self {
            Rows::All(games) => games.start + place,
            Rows::Some(games) => games[place as usize],
        }
    }

    /// The games at some places.
    pub fn games(&self, places: Range<u32>) -> impl ExactSizeIterator<Item = u32> + '_ {
        let places = places.start as usize..places.end as usize;
        places.map(|place| self.game(place as u32))
    }

    /// The games at the places of a slice.
    pub fn slice(&self, slice: &PySliceIndices) -> Rows {
        let place = |n: usize| (slice.start + slice.step * n as isize) as u32;
        match self {
            Rows::All(games) if slice.step == 1 => {
                let start = games.start + slice.start as u32;
                Rows::All(start..start + slice.slicelength as u32)
            }
            _ => Rows::Some((0..slice.slicelength).map(|n| self.game(place(n))).collect()),
        }
    }
}
