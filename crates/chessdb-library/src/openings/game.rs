//! The opening that a game has by its moves.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use chessdb::Database;
use chessdb::game::Eco;

use super::{BY_KEY, OpeningName, key, position_after, rows};
use crate::lines::{LineStep, follow};

/// Half-moves within which all positions that have a name are reached in the table, and the fewest pieces of a position that has one (tested).
const PLIES: u32 = 36;
static LEAST_PIECES: LazyLock<usize> = LazyLock::new(|| {
    let pieces = rows().filter_map(|(_, moves)| Some(position_after(moves)?.occupied().count()));
    pieces.min().unwrap_or_default()
});

impl OpeningName {
    /// The opening of a game: the last position of its main line that has a name, within 36 half-moves, whatever moves lead to
    /// it. `None` if none has one.
    ///
    /// ```
    /// use chessdb_library::library::Library;
    /// use chessdb_library::openings::OpeningName;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("games.pgn");
    /// std::fs::write(&path, "[White \"Tal\"]\n\n1. Nf3 c5 2. e4 d6 3. h4 h6 *\n")?;
    /// let library = Library::open(&path, &Default::default())?;
    /// let opening = OpeningName::of_game(&*library.databases()[0].database, 0).unwrap();
    /// assert_eq!((opening.eco, opening.name), ("B50", "Sicilian Defense: Modern Variations"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_game(database: &dyn Database, game: u32) -> Option<OpeningName> {
        let (least, names) = (*LEAST_PIECES, &*BY_KEY);
        let mut last = None;
        follow(database, game, |step| {
            let (plies, position) = match step {
                LineStep::Start(position) => (0, position),
                LineStep::Ply(ply) => (ply.number + 1, ply.position),
            };
            if position.occupied().count() < least {
                return ControlFlow::Break(());
            }
            last = names.get(&key(position)).copied().or(last);
            if plies < PLIES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        last
    }
}

/// The ECO code of a game in capital letters: from the tag, or from the moves where it is missing. `None` if the tag has
/// no code, as in the term `eco:`.
pub fn code_of(database: &dyn Database, game: u32) -> Option<Eco> {
    match database.keys(game).eco {
        Some(of_tag) => of_tag.known(),
        None => Eco::new(
            OpeningName::of_game(database, game)?
                .eco
                .as_bytes()
                .try_into()
                .ok()?,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_by_its_moves() {
        let mut longest = 0;
        for (opening, moves) in rows() {
            let plies = moves.split(' ').filter(|word| !word.ends_with('.')).count();
            longest = longest.max(plies as u32);
            let pieces = position_after(moves).unwrap().occupied().count();
            assert!(pieces >= *LEAST_PIECES, "{opening:?}");
        }
        assert_eq!(longest, PLIES);
    }
}
