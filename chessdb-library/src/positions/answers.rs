//! Questions about the positions of several databases.

use std::sync::Arc;

use super::{AnswerOptions, DatabasePart, MovesTable, Pattern};
use crate::lines::Occurrence;

/// Answers questions about the positions of some games of several databases, from indexes or by searching the games.
///
/// Clones share the databases with their indexes. What is done once for all questions is kept there: an index stays open,
/// and knows the places of the games that were selected last. Answers end when their work is
/// [cancelled](crate::cancel).
///
/// ```
/// use chessdb_library::library::Library;
/// use chessdb_library::positions::{AnswerOptions, Answers, BuildOptions, IndexUse, DatabasePart, Pattern, Positions};
/// use chessdb_library::query::Query;
/// use std::sync::Arc;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.pgn"), "1. e4 e5 *\n\n1. e4 c5 *\n\n")?;
/// std::fs::write(folder.path().join("b.pgn"), "1. d4 d5 *\n\n1. e4 c5 1-0\n\n")?;
/// let library = Library::open(folder.path(), &Default::default())?;
/// let databases = library.databases().iter();
/// let positions = databases.map(|entry| Arc::new(Positions::new(entry, BuildOptions::default())));
/// // Indexes are built by the first question. They are not kept without `Positions::keep_in`.
/// let options = AnswerOptions {
///     index: IndexUse::Yes,
///     ..AnswerOptions::default()
/// };
/// let all = Answers::new(DatabasePart::all(positions), options);
///
/// let pattern = Pattern::of_moves("e4")?;
/// let table = all.moves(&pattern, &|_| ()).ok_or("not answered")?;
/// let played: Vec<(&str, u32)> = table.rows.iter().map(|row| (row.san.as_str(), row.tally.games)).collect();
/// assert_eq!(played, [("c5", 2), ("e5", 1)]);
///
/// // The same of the games that answer a query: these are found once, and can be asked for again and again.
/// let won = all.among(&Query::parse("result:1-0")?, &|_| ());
/// let found = won.find(&pattern, &|_| ()).ok_or("not answered")?;
/// assert_eq!((found.len(), found[0].game), (1, 3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Answers {
    parts: Arc<[DatabasePart]>,
    options: AnswerOptions,
}

impl Answers {
    /// Answers questions about these parts.
    pub fn new(parts: impl Into<Arc<[DatabasePart]>>, options: AnswerOptions) -> Answers {
        Answers {
            parts: parts.into(),
            options,
        }
    }

    /// The parts.
    pub fn parts(&self) -> &Arc<[DatabasePart]> {
        &self.parts
    }

    /// How questions are answered.
    pub fn options(&self) -> &AnswerOptions {
        &self.options
    }

    /// The games that match, by their numbers among those of all parts, each with its first occurrence. `done` is called
    /// with numbers of games searched. `None` if a part has no index and is not scanned.
    pub fn find(&self, pattern: &Pattern, done: &(dyn Fn(u64) + Sync)) -> Option<Vec<Occurrence>> {
        let mut all = Vec::new();
        for part in &*self.parts {
            let found = part.find(pattern, &self.options, done)?;
            all.extend(found.into_iter().map(|found| Occurrence {
                game: part.first.saturating_add(found.game),
                ..found
            }));
        }
        Some(all)
    }

    /// The moves played in a position, over all parts. For `done` and the result see [`Answers::find`].
    pub fn moves(&self, pattern: &Pattern, done: &(dyn Fn(u64) + Sync)) -> Option<MovesTable> {
        DatabasePart::sum(&*self.parts, |part| part.moves(pattern, &self.options, done))
    }
}
