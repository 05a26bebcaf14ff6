//! The opening that a game has by its moves.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use chessdb::Database;
use chessdb::board::Position;
use chessdb::game::Eco;

use super::{BY_KEY, OpeningName, key, position_after, rows};
use crate::lines::{LineStep, follow};

/// Half-moves within which all positions that have a name are reached in the table, and the fewest pieces of a position that has one (tested).
const PLIES: u32 = 36;
static LEAST_PIECES: LazyLock<usize> = LazyLock::new(|| {
    let pieces = rows().filter_map(|(_, moves)| Some(position_after(moves)?.occupied().count()));
    pieces.min().unwrap_or_default()
});

/// The occupied squares of the positions that have a name, as bits at [`place_of`] them. Most positions of a game are
/// not among them, and need no key, which takes longer than playing the move.
static OCCUPIED: LazyLock<Box<[u64; 1 << (PLACE_BITS - 6)]>> = LazyLock::new(|| {
    let mut bits = Box::new([0; 1 << (PLACE_BITS - 6)]);
    for position in rows().filter_map(|(_, moves)| position_after(moves)) {
        let place = place_of(&position);
        bits[place / 64] |= 1 << (place % 64);
    }
    bits
});

/// 65,536 places for some 3,800 positions. One in 17 of all other positions shares a place with one of them.
const PLACE_BITS: usize = 16;

/// A number made of the occupied squares.
fn place_of(position: &Position) -> usize {
    // The upper bits of the product depend on all squares.
    (position.occupied().0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACE_BITS)) as usize
}

impl OpeningName {
    /// The opening of a game: the last position of its main line that has a name, within 36 half-moves, whatever moves
    /// lead to it. `None` if no position has one.
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
        let (least, names, occupied) = (*LEAST_PIECES, &*BY_KEY, &**OCCUPIED);
        let mut last = None;
        follow(database, game, |step| {
            let (plies, position) = match step {
                LineStep::Start(position) => (0, position),
                LineStep::Ply(ply) => (ply.number + 1, ply.position),
            };
            if position.occupied().count() < least {
                return ControlFlow::Break(());
            }
            let place = place_of(position);
            if occupied[place / 64] >> (place % 64) & 1 == 1 {
                last = names.get(&key(position)).copied().or(last);
            }
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
    use crate::library::Library;

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

    #[test]
    fn every_row_played_as_a_game_has_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings.pgn");
        let games = rows().map(|(opening, moves)| format!("[Event \"{}\"]\n\n{moves} *\n\n", opening.eco));
        std::fs::write(&path, games.collect::<String>()).unwrap();
        let library = Library::open(&path, &Default::default()).unwrap();
        let database = &*library.databases()[0].database;
        assert_eq!(database.len() as usize, rows().count());
        for (game, (opening, moves)) in (0..).zip(rows()) {
            assert_eq!(OpeningName::of_game(database, game), Some(opening), "{moves}");
        }
    }
}
