//! Nodes for a ply of a game. The number of the node contains game and ply, so nothing is stored for it.

use super::inode::{KIND_LOOSE, KIND_PLY, Node};
use chessdb_library::positions::Rights;

/// A position, given by a game that reaches it and the number of moves before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AtPly {
    pub(super) game: u32,
    /// The number of moves.
    pub(super) ply: u32,
}

/// Number of kinds for one use of plies, which gives their numbers 34 bits.
const KINDS: u8 = 4;

const BITS: u32 = 34;

/// Likewise for positions without all of their rights. One of the bits distinguishes [`Rights::Castling`] from
/// [`Rights::None`].
const LOOSE_KINDS: u8 = 2;

const LOOSE_BITS: u32 = 33;

/// The meaning of a ply of a game in the directory of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// A directory in `moves/`: the games that begin with the moves up to this ply.
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
    /// A link in `moves/` of a position; the ply is the one after the move.
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

    /// The use of a node; `None` if it is no ply.
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

/// How game and ply share the bits of a number. The more games a database has, the fewer plies of each game
/// can have nodes.
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

    /// The node of a ply; `None` if it is too far from the beginning of its game.
    pub(super) fn node(self, as_: Use, AtPly { game, ply }: AtPly) -> Option<Node> {
        let number = u64::from(ply) << self.game_bits | u64::from(game);
        if number >> BITS != 0 {
            return None;
        }
        let kind = as_.first_kind() + (number >> 32) as u8;
        Some(Node::new(kind, number as u32))
    }

    /// The node of the position at a ply, with only some of its rights; `None` if it is too far from the beginning of
    /// its game.
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
