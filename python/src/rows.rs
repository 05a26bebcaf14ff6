//! Which games of a database are meant, in which order.

use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::slice::PySliceIndices;

use crate::progress::Progress;
use crate::search::{Search, answer};
use crate::source::Source;
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
}

impl Rows {
    /// Those of `games` that answer a query, or all.
    ///
    /// # Errors
    /// Those of [`answer`].
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
