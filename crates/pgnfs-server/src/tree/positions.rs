//! `positions/`: any position by its FEN, with the games that reach it.

use std::borrow::Cow;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use super::game_set::GameSet;
use super::games::Games;
use super::inode::{KIND_POSITIONS, KIND_RANKS, Node};
use super::plies::{AtPly, BranchPositions, FoundPosition, Use};
use super::section::{Content, Existing, Kind, Section};
use chessdb::board::{Move, Position};
use chessdb::game::Outcome;
use chessdb_library::library::on_one_line;
use chessdb_library::lines::{move_name, position_after};
use chessdb_library::made::Wait;
use chessdb_library::once_lru::OnceLru;
use chessdb_library::positions::{
    Pattern, diagram, epd, initial_name, pattern_epd, pattern_name, position_name, read_position,
};

/// The directories of positions. They can be opened by name, but are not listed.
pub(super) struct PositionDirectories {
    positions: BranchPositions,
    /// True if a game begins in the usual position; not set until there is an index.
    has_start: OnceLock<bool>,
    /// The moves played in positions, with their links.
    moves: OnceLru<Node, Arc<[(String, Node)]>>,
}

/// Maximum number of positions whose moves are kept.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The entries of a position's directory.
const ENTRIES: [(&str, Use); 6] = [
    ("games", Use::PositionGames),
    ("games.csv", Use::PositionCsv),
    ("games.pgn", Use::PositionPgn),
    ("info.txt", Use::PositionInfo),
    ("moves", Use::NextMoves),
    ("moves.csv", Use::PositionTable),
];

impl PositionDirectories {
    /// `positions/` itself.
    pub(super) const TOP: Node = Node::new(KIND_POSITIONS, 0);
    const HOW_TO_ASK: Node = Node::new(KIND_POSITIONS, 1);
    const START: Node = Node::new(KIND_POSITIONS, 2);
    const NOVELTIES: Node = Node::new(KIND_POSITIONS, 3);
    /// All nodes.
    pub(super) const NODES: &[RangeInclusive<Node>] = &[
        Node::all_of(KIND_POSITIONS, KIND_RANKS),
        Node::all_of(Use::FIRST_LOOSE_KIND, Use::LAST_LOOSE_KIND),
        Node::all_of(Use::Position.first_kind(), Use::FenLink.last_kind()),
    ];

    /// The entries that `positions/` may have.
    const TOP_ENTRIES: [(&str, Node); 3] = [
        ("info.txt", Self::HOW_TO_ASK),
        ("novelties.csv", Self::NOVELTIES),
        ("start", Self::START),
    ];

    pub(super) fn new(positions: BranchPositions) -> PositionDirectories {
        PositionDirectories {
            has_start: OnceLock::new(),
            moves: OnceLru::new(MOST_KEPT),
            positions,
        }
    }

    /// The entries of `positions/` that exist: the usual first position only if a game has it, and novelties only in a
    /// single database.
    fn top_entries(&self) -> impl Iterator<Item = (&'static str, Node)> {
        let entries = Self::TOP_ENTRIES.into_iter();
        entries.filter(|&(_, node)| match node {
            Self::START => self.has_start(),
            Self::NOVELTIES => self.positions.game_set().only_database().is_some(),
            _ => true,
        })
    }

    fn has_start(&self) -> bool {
        let known = self.has_start.get().copied().or_else(|| {
            let found = self.positions.has(Pattern::new(Position::initial()))?;
            Some(*self.has_start.get_or_init(|| found))
        });
        known.unwrap_or(false)
    }

    /// The position of a node; `None` if it does not exist.
    fn found(&self, node: Node) -> Option<Arc<FoundPosition>> {
        Use::of(node)?;
        let (at, rights) = self.positions.plies().read_position(node);
        self.positions.at(at, rights)
    }

    /// The node that shows a position for one use.
    fn node(&self, as_: Use, found: &FoundPosition) -> Option<Node> {
        self.positions
            .plies()
            .position(as_, found.at, found.pattern.rights())
    }

    /// The position that a link in `moves/` leads to.
    fn next_position(&self, link: Node) -> Option<String> {
        let AtPly { game, ply } = self.positions.plies().read(link);
        let (database, game) = self.positions.game_set().database_of(game)?;
        let exists = ply > 0 && !database.keys(game).deleted;
        let position = exists.then(|| position_after(database, game, ply))??;
        Some(position_name(&position))
    }

    /// The moves played in a position, each with its link.
    fn next_moves(&self, found: &FoundPosition) -> Vec<(String, Node)> {
        let entry = |&(mv, after): &(Move, AtPly)| {
            // Where not all rights count, the game's own rights may permit more moves.
            let before = AtPly {
                ply: after.ply - 1,
                ..after
            };
            let name = if found.pattern.is_exact() {
                move_name(found.pattern.position(), mv)
            } else {
                move_name(&self.positions.position(before)?, mv)
            };
            Some((name?, self.positions.plies().node(Use::NextMove, after)?))
        };
        let mut moves: Vec<(String, Node)> = found.next.iter().filter_map(entry).collect();
        moves.sort_unstable();
        moves
    }

    /// The entries of a directory of a position, or of its moves.
    fn entries(&self, directory: Node) -> Arc<[(String, Node)]> {
        let Some(found) = self.found(directory) else {
            return Arc::default();
        };
        if Use::of(directory) == Some(Use::NextMoves) {
            return self.moves.get_or(directory, || self.next_moves(&found).into());
        }
        let node = |as_| self.node(as_, &found);
        let entries = ENTRIES.into_iter();
        entries
            .filter_map(|(name, as_)| Some((name.to_owned(), node(as_)?)))
            .collect()
    }
}

impl Section for PositionDirectories {
    fn kind(&self, node: Node) -> Kind {
        match (node, Use::of(node)) {
            _ if node.kind() == KIND_RANKS => Kind::Directory,
            (Self::START, _) | (_, Some(Use::Spelling | Use::NextMove | Use::FenLink)) => Kind::Link,
            (Self::TOP, _) | (_, Some(Use::Position | Use::NextMoves | Use::PositionGames)) => {
                Kind::Directory
            }
            _ => Kind::File,
        }
    }

    fn wait_to_open(&self, node: Node) -> Wait {
        Wait::Common.unless(match Use::of(node) {
            // Looking up a name may search all games.
            None => match node {
                Self::START => self.has_start.get().is_some(),
                _ => node != Self::TOP && node.kind() != KIND_RANKS,
            },
            Some(Use::NextMove) => true,
            Some(_) => self.positions.is_kept(self.positions.plies().read_position(node)),
        })
    }

    fn is_unavailable(&self) -> bool {
        self.positions.has_failed()
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        match node {
            Self::TOP => return Some(Existing::Directory),
            Self::HOW_TO_ASK => return Some(Existing::File(Content::Own)),
            Self::NOVELTIES => {
                let exists = self.positions.game_set().only_database().is_some();
                return exists.then_some(Existing::File(Content::Own));
            }
            Self::START => return self.has_start().then(|| Existing::Link(initial_name().into())),
            _ if node.kind() == KIND_RANKS => return self.ranks(node).map(|_| Existing::Directory),
            _ => {}
        }
        let as_ = Use::of(node)?;
        if as_ == Use::NextMove {
            let target = format!("../../{}", self.next_position(node)?);
            return Some(Existing::Link(target.into()));
        }
        let found = self.found(node)?;
        Some(match as_ {
            Use::Spelling => Existing::Link(pattern_name(&found.pattern).into()),
            Use::FenLink => {
                let name = pattern_name(&found.pattern);
                Existing::Link(("../".repeat(DIRECTORIES) + &name).into())
            }
            Use::PositionInfo | Use::PositionTable => Existing::File(Content::Own),
            Use::PositionPgn => Existing::File(Content::Games(Games::shared(&found.games))),
            Use::PositionCsv => Existing::File(Content::TableOf(Games::shared(&found.games))),
            _ => Existing::Directory,
        })
    }

    fn text(&self, node: Node) -> Option<String> {
        if node == Self::HOW_TO_ASK {
            return Some(how_to_ask(&self.positions));
        }
        if node == Self::NOVELTIES {
            return self.positions.novelties();
        }
        let found = self.found(node)?;
        match Use::of(node)? {
            Use::PositionInfo => Some(position_info(&self.positions, &found)),
            Use::PositionTable => self.positions.moves_table(&found.pattern),
            _ => None,
        }
    }

    fn parent(&self, node: Node) -> Node {
        let above = match Use::of(node) {
            None if node == Self::TOP => return Node::DATABASE,
            None if node.kind() == KIND_RANKS => {
                let text = self.ranks(node);
                let above = text.as_ref().and_then(|text| text.rsplit_once('/'));
                above.and_then(|(above, _)| self.ranks_node(above))
            }
            None | Some(Use::Position | Use::Spelling) => None,
            Some(Use::FenLink) => {
                let found = self.found(node);
                let epd = found.map(|found| epd(found.pattern.position()));
                let board = epd.as_ref().and_then(|epd| epd.split(' ').next());
                let ranks = board.and_then(|board| board.rsplit_once('/'));
                ranks.and_then(|(ranks, _)| self.ranks_node(ranks))
            }
            // The position before the move. Other moves may lead to the same position.
            Some(Use::NextMove) => {
                let AtPly { game, ply } = self.positions.plies().read(node);
                let searched = self.positions.game_set().database_of(game);
                let before = searched
                    .and_then(|(database, game)| position_after(database, game, ply.saturating_sub(1)));
                let found = before.and_then(|before| self.positions.find(Pattern::new(before)));
                found.and_then(|found| self.node(Use::NextMoves, &found))
            }
            Some(_) => {
                let (at, rights) = self.positions.plies().read_position(node);
                self.positions.plies().position(Use::Position, at, rights)
            }
        };
        above.unwrap_or(Self::TOP)
    }

    fn links(&self, node: Node) -> u32 {
        match Use::of(node) {
            None if node == Self::TOP => 1,
            None if node.kind() == KIND_RANKS => 1,
            Some(Use::Position) => 4,
            Some(Use::NextMoves | Use::PositionGames) => 2,
            _ => 1,
        }
    }

    fn bytes(&self) -> usize {
        self.positions.bytes() + self.moves.sum(|moves| size_of_val(&**moves))
    }

    fn len(&self, directory: Node) -> usize {
        match Use::of(directory) {
            None if directory == Self::TOP => self.top_entries().count(),
            None => 0,
            Some(Use::PositionGames) => self.found(directory).map_or(0, |found| found.games.len()),
            Some(_) => self.entries(directory).len(),
        }
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        match Use::of(directory) {
            None if directory == Self::TOP => {
                let (name, node) = self.top_entries().nth(n)?;
                Some((name.into(), node))
            }
            None => None,
            Some(Use::PositionGames) => {
                let found = self.found(directory)?;
                self.positions.game_set().game_at(&Games::of(&found.games), n)
            }
            Some(_) => {
                let (name, node) = self.entries(directory).get(n)?.clone();
                Some((name.into(), node))
            }
        }
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        match Use::of(directory) {
            None if directory.kind() == KIND_RANKS => self.child_of_ranks(directory, name),
            None => {
                let fixed = Self::TOP_ENTRIES.iter().any(|(entry, _)| *entry == name);
                if fixed {
                    self.top_entries()
                        .find(|(entry, _)| *entry == name)
                        .map(|(_, node)| node)
                } else {
                    self.child_of_top(name)
                }
            }
            Some(Use::PositionGames) => {
                let found = self.found(directory)?;
                self.positions
                    .game_set()
                    .game_of_name(name, &Games::of(&found.games))
            }
            Some(_) => {
                let entries = self.entries(directory);
                let found = entries.iter().find(|(entry, _)| entry == name);
                found.map(|&(_, node)| node)
            }
        }
    }

    fn games(&self, directory: Node) -> Option<Games<'_>> {
        if Use::of(directory) != Some(Use::PositionGames) {
            return None;
        }
        Some(Games::shared(&self.found(directory)?.games))
    }
}

impl PositionDirectories {
    /// The directory of the first ranks of a FEN.
    fn ranks_node(&self, ranks: &str) -> Option<Node> {
        ranks_node(self.positions.game_set(), ranks)
    }

    /// The ranks of a directory.
    fn ranks(&self, node: Node) -> Option<Arc<str>> {
        self.positions.game_set().counted().text(node)
    }

    /// The directory of the next rank, or, below the last directory of ranks, a link to the position.
    fn child_of_ranks(&self, directory: Node, name: &str) -> Option<Node> {
        let ranks = self.ranks(directory)?;
        let text = format!("{ranks}/{name}");
        if ranks.split('/').count() < DIRECTORIES {
            return self.ranks_node(&text);
        }
        let found = self.positions.find(read_position(&text).ok()?)?;
        self.node(Use::FenLink, &found)
    }

    /// The directory of a position, or a link to it if `name` is another spelling of the position.
    fn child_of_top(&self, name: &str) -> Option<Node> {
        if let Some(ranks) = self.ranks_node(name) {
            return Some(ranks);
        }
        let found = self.positions.find(read_position(name).ok()?)?;
        let as_ = if pattern_name(&found.pattern) == name {
            Use::Position
        } else {
            Use::Spelling
        };
        self.node(as_, &found)
    }
}

/// Number of ranks that have a directory. The last rank is the link to the position.
pub(super) const DIRECTORIES: usize = 7;

/// The directory of the first ranks of a FEN, with slashes between them. `None` for other texts.
pub(super) fn ranks_node(game_set: &GameSet, ranks: &str) -> Option<Node> {
    let are_ranks = ranks.split('/').count() <= DIRECTORIES && ranks.split('/').all(is_rank);
    are_ranks.then(|| game_set.counted().node(KIND_RANKS, ranks))?
}

/// True if `text` is a valid rank of a FEN.
fn is_rank(text: &str) -> bool {
    let squares = text.chars().map(|c| match c {
        '1'..='8' => c.to_digit(10),
        'K' | 'Q' | 'R' | 'B' | 'N' | 'P' | 'k' | 'q' | 'r' | 'b' | 'n' | 'p' => Some(1),
        _ => None,
    });
    squares.sum::<Option<u32>>() == Some(8)
}

const HOW_TO_ASK: &str = "\
Every position of every game is a directory here, but none is listed. Its name
is its FEN or EPD, with - or . instead of / and _ instead of spaces:

  ls 'positions/rnbqkbnr-pppppppp-8-8-4P3-8-PPPP1PPP-RNBQKBNR_b_KQkq_-'

A FEN with slashes works, too. If it lacks the castling rights or the en passant
square, any match. A position that no game reached gives \"No such file or
directory\". Every other has info.txt, moves.csv (what was played, how often and
with which result), games/, games.pgn and games.csv, and moves/ with links to the
positions that follow.
start is the usual start position.
";

const NOVELTIES: &str = "\
novelties.csv has the first move of each game that leads to a position that no
game of an earlier date has.
";

const LEFT_OUT: &str = "
These databases are left out, because they have no index of positions:
";

/// `positions/info.txt`
pub(super) fn how_to_ask(positions: &BranchPositions) -> String {
    let mut text = HOW_TO_ASK.to_owned();
    if positions.game_set().only_database().is_some() {
        return text + NOVELTIES;
    }
    let mut headline = LEFT_OUT;
    for path in positions.left_out() {
        text += &format!("{headline}  {}\n", on_one_line(path));
        headline = "";
    }
    text
}

/// `info.txt` of a position.
pub(super) fn position_info(positions: &BranchPositions, found: &FoundPosition) -> String {
    let position = found.pattern.position();
    let searched = positions.game_set();
    let mut counts = [0; 4];
    let mut dated = Vec::new();
    for &game in &*found.games {
        let keys = searched
            .database_of(game)
            .map(|(database, game)| database.keys(game));
        let date = keys.map(|keys| keys.date).unwrap_or_default();
        if date.year > 0 {
            dated.push((date, game));
        }
        let place = match keys.map(|keys| keys.outcome).unwrap_or_default() {
            Outcome::WhiteWins => 0,
            Outcome::Draw => 1,
            Outcome::BlackWins => 2,
            Outcome::Unknown => 3,
        };
        counts[place] += 1;
    }
    // The first and the last day; among games of one day, the order of the databases.
    dated.sort_by_key(|(date, _)| (date.year, date.month, date.day));
    let [white, draws, black, _] = counts;
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<9} {value}");
    };
    row("EPD:", &pattern_epd(&found.pattern));
    row("Games:", &found.games.len().to_string());
    row(
        "Results:",
        &format!("{white} won by White, {draws} drawn, {black} won by Black"),
    );
    let path = |game: u32| {
        let path = searched.path(game).unwrap_or_default();
        on_one_line(&path).into_owned()
    };
    match (&*found.games, dated.first(), dated.last()) {
        ([only], ..) => row("Only:", &path(*only)),
        (_, Some((first, earliest)), Some((last, latest))) => {
            row("First:", &format!("{first}, {}", path(*earliest)));
            row("Last:", &format!("{last}, {}", path(*latest)));
        }
        _ => {}
    }
    text + "\n" + &diagram(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_has_eight_squares() {
        for rank in ["8", "rnbqkbnr", "pppp1ppp", "KQRBNP2", "1k1q1r2"] {
            assert!(is_rank(rank), "{rank}");
        }
        for wrong in ["", "9", "7", "ppppppppp", "rnbqkbnx", "44/", "4 4", "0p7"] {
            assert!(!is_rank(wrong), "{wrong}");
        }
    }
}
