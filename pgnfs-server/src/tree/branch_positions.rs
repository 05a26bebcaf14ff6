//! The positions of the games of a branch.
//!
//! Each database has an index of its own, which answers for its games. Here the answers are put together.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;

use lru::LruCache;

use super::branch::GameSet;
use super::ply::AtPly;
use chessdb::board::{Move, Position};
use chessdb_library::lines::Occurrence;
use chessdb_library::made::{Made, Wait};
use chessdb_library::positions::{
    Damaged, DatabasePart, Index, IndexUse, Pattern, Positions, Rights, Wanted, novelties_csv, pattern_name,
};

/// Maximum number of games of all kept positions together; each takes four bytes.
const MOST_KEPT: usize = 16 << 20;

/// What a game of [`FoundPosition::again`] counts in [`MOST_KEPT`], with its number in the list of all games.
const WEIGHT: usize = 5;

/// Maximum number of positions that are kept.
const MOST_POSITIONS: usize = 1024;

/// The positions of the games of a branch.
pub(super) struct BranchPositions {
    game_set: Arc<GameSet>,
    /// The numbers of the databases that have an index. On first use, all indexes are opened or built.
    indexed: Made<Vec<usize>>,
    kept: Mutex<KeptPositions>,
}

/// A position that some game has.
pub(super) struct FoundPosition {
    pub(super) pattern: Pattern,
    /// The ply at which the first of the games has it.
    pub(super) at: AtPly,
    /// All games that have it, in the order of the databases.
    pub(super) games: Arc<[u32]>,
    /// Each move played in the position, with the ply after it in the first game that has the move.
    pub(super) next: Vec<(Move, AtPly)>,
    /// What the search of each database with an index has found, where its table of moves would have to search again.
    again: Vec<Option<Box<[Occurrence]>>>,
}

impl BranchPositions {
    pub(super) fn new(game_set: &Arc<GameSet>) -> BranchPositions {
        BranchPositions {
            game_set: Arc::clone(game_set),
            indexed: Made::new(),
            kept: Mutex::new(KeptPositions::new()),
        }
    }

    /// The games.
    pub(super) fn game_set(&self) -> &GameSet {
        &self.game_set
    }

    /// The numbers of the databases that have an index. On first use, opens or builds all indexes.
    pub(super) fn indexed(&self) -> &[usize] {
        self.indexed.get_or(|| {
            let databases = self.game_set.databases().iter().enumerate();
            let indexed = databases.filter(|(_, database)| database.positions().prepare());
            indexed.map(|(number, _)| number).collect()
        })
    }

    /// The paths of the databases without an index, whose games are not searched.
    pub(super) fn left_out(&self) -> impl Iterator<Item = &str> {
        let numbers = 0..self.game_set.databases().len();
        let left_out = numbers.filter(|number| self.indexed().binary_search(number).is_err());
        left_out.map(|number| self.game_set.path_of(number))
    }

    /// The positions of a database.
    fn of(&self, number: usize) -> Option<&Positions> {
        let database = self.game_set.databases().get(number)?;
        Some(database.positions())
    }

    /// The games of a database that are shown.
    pub(super) fn part(&self, number: usize) -> Option<&DatabasePart> {
        self.game_set.parts().get(number)
    }

    /// Answers a question about the games that are shown from the index of a database. `None` if it has none.
    pub(super) fn ask<T>(&self, number: usize, question: impl Fn(&Index) -> Result<T, Damaged>) -> Option<T> {
        self.part(number)?.ask(IndexUse::Yes, question)
    }

    /// What every answer has to wait for: the games that are shown, and the indexes of all databases.
    pub(super) fn wait(&self) -> Wait {
        let wait = |number| self.of(number).map_or(Wait::Common, Positions::wait);
        let indexes = match self.indexed.get() {
            Some(indexed) => indexed.iter().copied().map(wait).max(),
            None => (0..self.game_set.databases().len()).map(wait).max(),
        };
        self.game_set.wait_for_parts().max(indexes.unwrap_or(Wait::None))
    }

    /// True if no database has an index, or one is lost on which answers depend.
    pub(super) fn has_failed(&self) -> bool {
        self.indexed.get().is_some_and(|indexed| {
            let mut positions = indexed.iter().filter_map(|&number| self.of(number));
            indexed.is_empty() || positions.any(Positions::has_failed)
        })
    }

    /// A position; `None` if no game has it.
    pub(super) fn find(&self, pattern: Pattern) -> Option<Arc<FoundPosition>> {
        if let Some(found) = self.kept().of_pattern(&pattern) {
            return Some(found);
        }
        let mut at = None;
        let (mut games, mut next, mut again) = (Vec::new(), Vec::new(), Vec::new());
        for &number in self.indexed() {
            let part = self.part(number)?;
            let found = part.ask(IndexUse::Yes, |index| index.find(&Wanted::Position(pattern)))?;
            let first = part.first;
            if let Some(earliest) = found.first() {
                at.get_or_insert(AtPly {
                    game: first + earliest.game,
                    ply: earliest.ply,
                });
            }
            games.extend(found.iter().map(|found| first + found.game));
            add_next_moves(&mut next, &found, first);
            let is_shared = pattern.is_exact() && found.len() > 1;
            again.push((!is_shared).then(|| found.into_boxed_slice()));
        }
        let found = Arc::new(FoundPosition {
            pattern,
            at: at?,
            next,
            games: games.into(),
            again,
        });
        self.kept().put(&found);
        Some(found)
    }

    /// True if some game has a position; `None` if there is no index.
    pub(super) fn has(&self, pattern: Pattern) -> Option<bool> {
        for &number in self.indexed() {
            if self.ask(number, |index| index.count(&Wanted::Position(pattern)))? > 0 {
                return Some(true);
            }
        }
        (!self.has_failed()).then_some(false)
    }

    /// The position of a game after some moves, and the next move; `None` if the game has fewer moves.
    pub(super) fn step(&self, AtPly { game, ply }: AtPly) -> Option<(Position, Option<Move>)> {
        let (number, game) = self.game_set.place_of(game);
        self.ask(number, |index| Ok(index.at(game, ply)))?
    }

    /// The position of a game after some moves; `None` if the game has fewer moves.
    pub(super) fn position(&self, at: AtPly) -> Option<Position> {
        self.step(at).map(|(position, _)| position)
    }

    /// The position whose first occurrence, in its first game, is at this ply, if these rights count. `None` if the
    /// position there occurs earlier in this game, or in an earlier game.
    pub(super) fn at(&self, at: AtPly, rights: Rights) -> Option<Arc<FoundPosition>> {
        if let Some(found) = self.kept().positions.get(&(at, rights)) {
            return Some(Arc::clone(found));
        }
        let pattern = Pattern::new(self.position(at)?).with_rights(rights);
        self.find(pattern).filter(|found| found.at == at)
    }

    /// The memory that kept positions take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let kept = self.kept();
        kept.games * size_of::<u32>() + kept.positions.len() * size_of::<FoundPosition>()
    }

    /// True if [`BranchPositions::at`] need not search for the position.
    pub(super) fn is_kept(&self, place: (AtPly, Rights)) -> bool {
        self.kept().positions.contains(&place)
    }

    /// `moves.csv` of a position.
    pub(super) fn moves_table(&self, pattern: &Pattern) -> Option<String> {
        let kept = self.kept().of_pattern(pattern);
        let mut again = kept.iter().flat_map(|found| &*found.again);
        let parts = self.indexed().iter().filter_map(|&number| self.part(number));
        let sum = DatabasePart::sum(parts, |part| match again.next() {
            Some(Some(found)) => part.ask(IndexUse::Yes, |index| index.moves_of(pattern, found)),
            _ => part.ask(IndexUse::Yes, |index| index.moves(pattern)),
        });
        Some(sum?.csv(|row| self.game_set.path(row.game?)))
    }

    /// `novelties.csv` of a branch with one database.
    pub(super) fn novelties(&self) -> Option<String> {
        let database = self.game_set.only_database()?;
        let novelties = self.ask(0, |index| index.novelties(&|_| ()))?;
        let path = |game| self.game_set.path(game).unwrap_or_default();
        Some(novelties_csv(database.database(), &novelties, path))
    }

    fn kept(&self) -> MutexGuard<'_, KeptPositions> {
        self.kept.lock()
    }
}

/// Adds the moves that a database's games play in a position and that are not among `moves`, each with the ply after
/// it. `first` is the number of the database's first game.
fn add_next_moves(moves: &mut Vec<(Move, AtPly)>, games: &[Occurrence], first: u32) {
    for found in games {
        if let Some(mv) = found
            .next
            .filter(|&mv| moves.iter().all(|&(known, _)| known != mv))
        {
            let after = AtPly {
                game: first + found.game,
                ply: found.ply + 1,
            };
            moves.push((mv, after));
        }
    }
}

/// The most recently used positions.
struct KeptPositions {
    positions: LruCache<(AtPly, Rights), Arc<FoundPosition>>,
    /// The place of each position by its name.
    places: HashMap<String, (AtPly, Rights)>,
    /// The games of all positions together, as [`MOST_KEPT`] counts them.
    games: usize,
}

impl KeptPositions {
    fn new() -> KeptPositions {
        KeptPositions {
            positions: LruCache::unbounded(),
            places: HashMap::new(),
            games: 0,
        }
    }

    fn of_pattern(&mut self, pattern: &Pattern) -> Option<Arc<FoundPosition>> {
        let place = self.places.get(&pattern_name(pattern))?;
        let found = self.positions.get(place)?;
        found
            .pattern
            .matches(pattern.position())
            .then(|| Arc::clone(found))
    }

    fn put(&mut self, found: &Arc<FoundPosition>) {
        let place = (found.at, found.pattern.rights());
        self.games += found.weight();
        self.places.insert(pattern_name(&found.pattern), place);
        if let Some(before) = self.positions.put(place, Arc::clone(found)) {
            self.games -= before.weight();
        }
        while self.games > MOST_KEPT || self.positions.len() > MOST_POSITIONS {
            let Some((_, oldest)) = self.positions.pop_lru() else {
                break;
            };
            self.places.remove(&pattern_name(&oldest.pattern));
            self.games -= oldest.weight();
        }
    }
}

impl FoundPosition {
    /// What it counts in [`MOST_KEPT`].
    fn weight(&self) -> usize {
        let again: usize = self.again.iter().flatten().map(|found| found.len()).sum();
        self.games.len() + (WEIGHT - 1) * again
    }
}
