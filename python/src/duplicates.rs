//! Games that occur more than once, in one database or in several.

use pyo3::prelude::*;

use crate::detached_work::detached;
use crate::game::Game;
use crate::opening::{Reduced, function};
use crate::progress::Progress;
use crate::source::Source;
use chessdb::Database;
use chessdb_library::duplicates::{self, Duplicates, Reason};

/// One of several games that are the same.
#[pyclass(frozen, module = "chessdb")]
pub struct Duplicate {
    source: Source,
    /// Its number in the database, from 0.
    game: u32,
    /// Why it is the same as the first of its group: `date`, `moves`, `shorter` or `tags`; `None` for that one.
    #[pyo3(get)]
    pub reason: Option<&'static str>,
    /// Number of moves of its main line.
    #[pyo3(get)]
    pub ply_count: u32,
    /// Number of its comments, glyphs and variations.
    #[pyo3(get)]
    pub annotations: u32,
}

#[pymethods]
impl Duplicate {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game::new(&self.source, self.game)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Game, Option<&'static str>, u32, u32)> {
        let arguments = (self.game(), self.reason, self.ply_count, self.annotations);
        Ok((function(py, "duplicate")?, arguments))
    }

    fn __repr__(&self) -> String {
        let (number, reason) = (u64::from(self.game) + 1, self.reason.unwrap_or("best"));
        format!("<chessdb.Duplicate: game {number}, {reason}>")
    }
}

impl Duplicate {
    /// A duplicate that was pickled; `None` if no reason has the name.
    pub fn of_game(game: &Game, reason: Option<&str>, ply_count: u32, annotations: u32) -> Option<Duplicate> {
        let reasons = [Reason::Tags, Reason::Date, Reason::Moves, Reason::Shorter].map(Reason::name);
        let (source, game) = game.place();
        Some(Duplicate {
            source: source.clone(),
            game,
            reason: match reason {
                None => None,
                Some(name) => Some(reasons.into_iter().find(|own| *own == name)?),
            },
            ply_count,
            annotations,
        })
    }

    /// Its database, and its number there from 0.
    pub fn place(&self) -> (&Source, u32) {
        (&self.source, self.game)
    }
}

/// The groups of games that are the same, in the order of their first games; the best of each comes first.
///
/// # Errors
/// The exception of a signal handler, which ends the search; as for [`Source::checked`].
pub fn groups(py: Python<'_>, sources: &[Source], threads: usize) -> PyResult<Vec<Vec<Duplicate>>> {
    let Some(first) = sources.first() else {
        return Ok(Vec::new());
    };
    let found = detached(py, first, &Progress::default(), |_, _| {
        let databases: Vec<&dyn Database> = sources.iter().map(|source| &*source.entry.database).collect();
        Duplicates::find(&databases, threads)
    })?;
    for source in sources {
        source.read(py, |_| ())?;
    }
    let mut groups: Vec<Vec<Duplicate>> = Vec::new();
    for (group, _, member) in (0..found.len()).filter_map(|n| found.get(n)) {
        groups.resize_with(groups.len().max(group + 1), Vec::new);
        groups[group].extend(of_member(sources, member));
    }
    Ok(groups)
}

/// A game of a group, which is numbered from 0, database by database.
fn of_member(sources: &[Source], member: duplicates::Duplicate) -> Option<Duplicate> {
    let mut game = member.game;
    let source = sources.iter().find(|source| {
        let is_there = game < source.len();
        game -= if is_there { 0 } else { source.len() };
        is_there
    })?;
    Some(Duplicate {
        source: source.clone(),
        game,
        reason: member.reason.map(|reason| reason.name()),
        ply_count: member.plies,
        annotations: member.annotations,
    })
}
