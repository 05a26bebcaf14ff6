//! Positions as plies of games, which are nodes of `moves/` and `positions/`.

use std::collections::HashMap;
use std::sync::Arc;

use lru::LruCache;
use parking_lot::{Mutex, MutexGuard};

use super::game_set::GameSet;
use super::inode::{KIND_LOOSE, KIND_MERGED, KIND_PLY, KIND_VIEW, LAST_MERGED_FOLDER, Node, ViewId};
use chessdb::board::{Move, Position};
use chessdb_library::lines::Occurrence;
use chessdb_library::made::{Made, Wait};
use chessdb_library::positions::{
    Damaged, DatabasePart, Index, IndexUse, Pattern, Positions, Rights, TreeNode, novelties_csv, pattern_name,
};

/// Maximum number of games in the lists of all cached positions together; each takes four bytes.
const MOST_KEPT: usize = 16 << 20;

/// How much a game in [`FoundPosition::again`] counts in [`MOST_KEPT`], together with its number in
/// [`FoundPosition::games`].
const WEIGHT: usize = 5;

/// Maximum number of cached positions.
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
    /// The ply where the first of the games has it.
    pub(super) at: AtPly,
    /// All games that have it, in the order of the databases.
    pub(super) games: Arc<[u32]>,
    /// Each move played in the position, with the ply after it in the first game that has the move.
    pub(super) next: Vec<(Move, AtPly)>,
    /// The results of the search in each database with an index, for the table of moves. `None` if the index has that
    /// table, so that no search is needed.
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

    /// How nodes for plies of its games are numbered.
    pub(super) fn plies(&self) -> Plies {
        Plies::of(self.game_set.end())
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

    /// Answers a question about the shown games of a database from its index; `None` if it has no index.
    pub(super) fn ask<T>(&self, number: usize, question: impl Fn(&Index) -> Result<T, Damaged>) -> Option<T> {
        self.part(number)?.ask(IndexUse::Yes, question)
    }

    /// What to wait for before any answer: the games that are shown, and the indexes of all databases.
    pub(super) fn wait(&self) -> Wait {
        let wait = |number| self.of(number).map_or(Wait::Common, Positions::wait);
        let indexes = match self.indexed.get() {
            Some(indexed) => indexed.iter().copied().map(wait).max(),
            None => (0..self.game_set.databases().len()).map(wait).max(),
        };
        self.game_set.wait_for_parts().max(indexes.unwrap_or(Wait::None))
    }

    /// True if no database has an index, or an index that answers depend on is lost.
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
            let found = part.ask(IndexUse::Yes, |index| index.find(&pattern))?;
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

    /// True if a game has this position; `None` if an index is missing or lost.
    pub(super) fn has(&self, pattern: Pattern) -> Option<bool> {
        for &number in self.indexed() {
            if self.ask(number, |index| index.count(&pattern))? > 0 {
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

    /// The position at this ply, with the rights that count. `None` if it also occurs earlier in this game, or in an
    /// earlier game.
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
    /// How much it counts in [`MOST_KEPT`].
    fn weight(&self) -> usize {
        let again: usize = self.again.iter().flatten().map(|found| found.len()).sum();
        self.games.len() + (WEIGHT - 1) * again
    }
}

/// A node of the opening tree: the games that start with the same moves.
#[derive(Clone)]
pub(super) struct OpeningNode {
    /// Number of moves that lead to the node.
    pub(super) depth: u32,
    /// Number of games.
    pub(super) games: u32,
    /// The first game.
    pub(super) first: u32,
    /// The first game of the node one move above, if known.
    above: Option<u32>,
    /// The nodes of the databases that have such games, each with the number of its database.
    parts: Vec<(usize, TreeNode)>,
}

/// The moves of a node with the nodes after them, and the games that end at the node.
pub(super) type Continuations = (Vec<(Move, OpeningNode)>, Vec<u32>);

impl BranchPositions {
    /// The node of all games that begin in the usual position; `None` if no game does.
    pub(super) fn root(&self) -> Option<OpeningNode> {
        let mut parts = Vec::new();
        for &number in self.indexed() {
            if let Some(root) = self.ask(number, Index::root)? {
                parts.push((number, root));
            }
        }
        self.combine(parts, None)
    }

    /// Combines the nodes of several databases; `None` without any.
    fn combine(&self, parts: Vec<(usize, TreeNode)>, above: Option<u32>) -> Option<OpeningNode> {
        let &(number, node) = parts.first()?;
        let game = self.ask(number, |index| index.first_game_of(&node))?;
        Some(OpeningNode {
            depth: node.depth(),
            games: parts.iter().map(|(_, node)| node.games()).sum(),
            first: self.number_of(number, game)?,
            above,
            parts,
        })
    }

    /// The number, among the games of all databases, of a game of one database.
    fn number_of(&self, number: usize, game: u32) -> Option<u32> {
        Some(self.part(number)?.first + game)
    }

    /// The node that the game of `at` reaches at this ply, if this game is the first game of the node.
    pub(super) fn node_at(&self, at: AtPly) -> Option<OpeningNode> {
        if at.ply == 0 {
            return self.root().filter(|_| at.game == 0);
        }
        let (number, game) = self.game_set().place_of(at.game);
        let node = self.ask(number, |index| match index.node_of(game, at.ply)? {
            Some(node) if index.first_game_of(&node)? == game => Ok(Some(node)),
            _ => Ok(None),
        })??;
        let found = match self.indexed() {
            [_] => self.combine(vec![(number, node)], None),
            _ => self.follow(number, &node, at.ply),
        };
        found.filter(|found| found.first == at.game)
    }

    /// The node after the first moves that lead to a node of one database.
    fn follow(&self, number: usize, node: &TreeNode, depth: u32) -> Option<OpeningNode> {
        let (moves, _) = self.ask(number, |index| index.line(node))?;
        let mut reached = self.root()?;
        for mv in moves.into_iter().take(depth as usize) {
            reached = self.child(&reached, mv)?;
        }
        Some(reached)
    }

    /// The nodes one move below a node, and the games that end there.
    pub(super) fn children(&self, node: &OpeningNode) -> Option<Continuations> {
        let mut nodes: Vec<(Move, Vec<(usize, TreeNode)>)> = Vec::new();
        let mut ended = Vec::new();
        for (number, part) in &node.parts {
            let (children, games) = self.ask(*number, |index| index.children(part))?;
            for (mv, child) in children {
                match nodes.iter_mut().find(|(other, _)| *other == mv) {
                    Some((_, parts)) => parts.push((*number, child)),
                    None => nodes.push((mv, vec![(*number, child)])),
                }
            }
            let first = self.number_of(*number, 0)?;
            ended.extend(games.into_iter().map(|game| first + game));
        }
        let nodes = nodes
            .into_iter()
            .map(|(mv, parts)| Some((mv, self.combine(parts, Some(node.first))?)));
        Some((nodes.collect::<Option<_>>()?, ended))
    }

    /// The node after a move; `None` if it was never played.
    pub(super) fn child(&self, node: &OpeningNode, mv: Move) -> Option<OpeningNode> {
        let mut parts = Vec::new();
        for (number, part) in &node.parts {
            if let Some(child) = self.ask(*number, |index| index.child(part, mv))? {
                parts.push((*number, child));
            }
        }
        self.combine(parts, Some(node.first))
    }

    /// The ply of the node one move above another; `None` for the root.
    pub(super) fn above(&self, node: &OpeningNode) -> Option<AtPly> {
        let ply = node.depth.checked_sub(1)?;
        if let Some(game) = node.above {
            return Some(AtPly { game, ply });
        }
        let (number, part) = node.parts.first()?;
        let game = match self.indexed() {
            [_] => {
                let above = self.ask(*number, |index| index.above(part))??;
                self.ask(*number, |index| index.first_game_of(&above))?
            }
            _ => self.follow(*number, part, ply)?.first,
        };
        Some(AtPly { game, ply })
    }

    /// The games of a node, in the order of the databases.
    pub(super) fn games(&self, node: &OpeningNode) -> Option<Vec<u32>> {
        let mut games = Vec::with_capacity(node.games as usize);
        for (number, part) in &node.parts {
            let own = self.ask(*number, |index| index.games(part))?;
            let first = self.number_of(*number, 0)?;
            games.extend(own.into_iter().map(|game| first + game));
        }
        Some(games)
    }
}

/// A position, given by a game that reaches it and the number of moves before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AtPly {
    pub(super) game: u32,
    /// The number of moves.
    pub(super) ply: u32,
}

/// Number of node kinds for each use of a ply. Game and ply together may need more than the 32 bits of a node's number;
/// four kinds add two bits.
const KINDS: u8 = 4;

const BITS: u32 = 34;

/// Number of node kinds for each use of a position whose rights do not all count. One of the bits distinguishes
/// [`Rights::Castling`] from [`Rights::None`].
const LOOSE_KINDS: u8 = 2;

const LOOSE_BITS: u32 = 33;

/// The meaning of a ply of a game in the directory of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// A directory in `moves/`: the games that start with the moves up to this ply.
    Moves,
    /// Another notation of the last of these moves: a link to its directory.
    MoveLink,
    /// A sequence of moves as one name in `moves/`: a link to their directory.
    LineLink,
    /// `moves.csv` in a directory of `moves/`.
    MovesTable,
    /// `position` in a directory of `moves/`.
    PositionLink,
    /// The directory of a position, with the first ply of the first game that has it.
    Position,
    /// Another spelling of a position: a link to its directory.
    Spelling,
    /// `info.txt` of a position.
    PositionInfo,
    /// `moves.csv` of a position.
    PositionTable,
    /// `moves/` of a position.
    NextMoves,
    /// A link in `moves/` of a position. The ply is the position after the move.
    NextMove,
    /// `games/` of a position.
    PositionGames,
    /// `games.pgn` of a position.
    PositionPgn,
    /// `games.csv` of a position.
    PositionCsv,
    /// The last rank of a FEN and what follows it, below directories of the other ranks.
    FenLink,
}

impl Use {
    const ALL: [Use; 15] = [
        Use::Moves,
        Use::MoveLink,
        Use::LineLink,
        Use::MovesTable,
        Use::PositionLink,
        Use::Position,
        Use::Spelling,
        Use::PositionInfo,
        Use::PositionTable,
        Use::NextMoves,
        Use::NextMove,
        Use::PositionGames,
        Use::PositionPgn,
        Use::PositionCsv,
        Use::FenLink,
    ];

    pub(super) const fn first_kind(self) -> u8 {
        KIND_PLY + KINDS * self as u8
    }

    pub(super) const fn last_kind(self) -> u8 {
        self.first_kind() + KINDS - 1
    }

    /// The first kind of positions without all of their rights.
    pub(super) const FIRST_LOOSE_KIND: u8 = Use::Position.first_loose_kind();

    pub(super) const LAST_LOOSE_KIND: u8 = Use::FenLink.first_loose_kind() + LOOSE_KINDS - 1;

    /// Only for [`Use::Position`] and later ones.
    const fn first_loose_kind(self) -> u8 {
        KIND_LOOSE + LOOSE_KINDS * (self as u8 - Use::Position as u8)
    }

    /// The use of a node; `None` if the node is not a ply.
    pub(super) fn of(node: Node) -> Option<Use> {
        let number = match node.kind() {
            kind @ Use::FIRST_LOOSE_KIND..=Use::LAST_LOOSE_KIND => {
                (kind - KIND_LOOSE) / LOOSE_KINDS + Use::Position as u8
            }
            kind => kind.checked_sub(KIND_PLY)? / KINDS,
        };
        Use::ALL.get(usize::from(number)).copied()
    }
}

/// How game and ply share the bits of a number. The more games there are, the fewer plies of each game can have nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plies {
    game_bits: u32,
}

impl Plies {
    /// The form for a database with `games` games.
    pub(super) fn of(games: u32) -> Plies {
        Plies {
            game_bits: u32::BITS - games.leading_zeros(),
        }
    }

    /// The node of a ply; `None` if it is too far from the start of its game.
    pub(super) fn node(self, as_: Use, AtPly { game, ply }: AtPly) -> Option<Node> {
        let number = u64::from(ply) << self.game_bits | u64::from(game);
        if number >> BITS != 0 {
            return None;
        }
        let kind = as_.first_kind() + (number >> 32) as u8;
        Some(Node::new(kind, number as u32))
    }

    /// The node of the position at a ply, with only some of its rights; `None` if it is too far from the start of its
    /// game.
    pub(super) fn position(self, as_: Use, at: AtPly, rights: Rights) -> Option<Node> {
        if rights == Rights::All {
            return self.node(as_, at);
        }
        let has_castling = u64::from(rights == Rights::Castling);
        let number = (u64::from(at.ply) << 1 | has_castling) << self.game_bits | u64::from(at.game);
        if number >> LOOSE_BITS != 0 {
            return None;
        }
        let kind = as_.first_loose_kind() + (number >> 32) as u8;
        Some(Node::new(kind, number as u32))
    }

    /// The ply of a node, and the rights of its position that count.
    pub(super) fn read_position(self, node: Node) -> (AtPly, Rights) {
        if !(Use::FIRST_LOOSE_KIND..=Use::LAST_LOOSE_KIND).contains(&node.kind()) {
            return (self.read(node), Rights::All);
        }
        let high = (node.kind() - KIND_LOOSE) % LOOSE_KINDS;
        let number = u64::from(high) << 32 | u64::from(node.number());
        let at = AtPly {
            game: (number & ((1 << self.game_bits) - 1)) as u32,
            ply: (number >> self.game_bits >> 1) as u32,
        };
        match number >> self.game_bits & 1 {
            0 => (at, Rights::None),
            _ => (at, Rights::Castling),
        }
    }

    /// The ply of a node.
    pub(super) fn read(self, node: Node) -> AtPly {
        let high = (node.kind() - KIND_PLY) % KINDS;
        let number = u64::from(high) << 32 | u64::from(node.number());
        AtPly {
            game: (number & ((1 << self.game_bits) - 1)) as u32,
            ply: (number >> self.game_bits) as u32,
        }
    }
}

impl GameSet {
    /// The part whose database determines the name of this directory of a view, or of its merged file. For a node in
    /// `moves/` or `positions/`, the part of its first game. `None` if the name depends on no game.
    pub fn named_by(&self, node: Node) -> Option<usize> {
        // Number 0 is the directory of a whole view, which is listed before any game is counted.
        if node.number() == 0 {
            return None;
        }
        let id = match node.kind() {
            KIND_VIEW..KIND_MERGED => ViewId::of(node),
            KIND_MERGED..=LAST_MERGED_FOLDER => ViewId::of_merged(node)?,
            _ => {
                Use::of(node)?;
                let (at, _) = Plies::of(self.end()).read_position(node);
                return Some(self.place_of(at.game).0);
            }
        };
        self.view(id)?.named_by(node.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_far_from_the_beginning_have_no_nodes() {
        let node = |games, ply| Plies::of(games).node(Use::Moves, AtPly { game: 0, ply });
        assert!(node(10_000_000, 1023).is_some() && node(10_000_000, 1024).is_none());
        assert!(node(u32::MAX, 3).is_some() && node(u32::MAX, 4).is_none());
    }

    #[test]
    fn every_ply_is_read_back_from_its_node() {
        for (games, plies) in [(1, 1 << 30), (400_000, 8000), (10_000_000, 255)] {
            let all = Plies::of(games);
            for as_ in Use::ALL {
                for at in [(0, 0), (games - 1, 0), (0, plies), (games - 1, plies)] {
                    let at = AtPly {
                        game: at.0,
                        ply: at.1,
                    };
                    let node = all.node(as_, at).unwrap();
                    assert_eq!((all.read(node), Use::of(node)), (at, Some(as_)));
                    for rights in [Rights::All, Rights::Castling, Rights::None] {
                        if as_ as u8 >= Use::Position as u8 {
                            let node = all.position(as_, at, rights).unwrap();
                            assert_eq!(
                                (all.read_position(node), Use::of(node)),
                                ((at, rights), Some(as_))
                            );
                        }
                    }
                }
            }
        }
    }
}
