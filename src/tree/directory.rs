//! What a directory holds, without its names.

use std::ops::Range;
use std::slice;

use super::database::DatabaseTree;
use super::inode::Node;
use super::names::BLOCK;

impl DatabaseTree {
    /// The games that a directory lists behind `game`, or all of them; none where it does not hold `game`.
    pub fn games_behind(&self, directory: Node, game: Option<u32>) -> Option<DirectoryGames<'_>> {
        let (listed, place) = match directory {
            Node::Block(block) => {
                let first = block.checked_mul(BLOCK)?;
                let end = first.saturating_add(BLOCK).min(self.database().len());
                return match game {
                    Some(game) if (first..end).contains(&game) => {
                        Some(DirectoryGames::Numbers(game + 1..end))
                    }
                    Some(_) => None,
                    None => Some(DirectoryGames::Numbers(first..end)),
                };
            }
            Node::View(id, directory) => {
                let games = self.view(id)?.games(directory);
                (games, game.map(|game| games.binary_search(&game).ok()))
            }
            Node::Collection(folder) => {
                let collections = self.collections();
                let place = game.map(|game| collections.place(folder, game));
                (collections.games(folder), place)
            }
            _ => return None,
        };
        let start = match place {
            Some(place) => place? + 1,
            None => 0,
        };
        Some(DirectoryGames::Listed(listed.get(start..)?.iter()))
    }

    /// The number of entries of a directory.
    pub fn entries(&self, directory: Node) -> usize {
        match directory {
            Node::Database => self.top().len(),
            Node::Games => self.blocks() as usize,
            Node::View(id, directory) => self.view(id).map_or(0, |view| {
                view.children(directory).len() + view.games(directory).len()
            }),
            Node::Collection(folder) => {
                let collections = self.collections();
                collections.children(folder).len() + collections.games(folder).len()
            }
            Node::MemberDirectory(directory) => self.members().files(directory).len(),
            Node::Merged => self.views.len(),
            Node::MergedView(id) => self.view(id).map_or(0, |view| view.merged_len(0)),
            Node::MergedFolder(id, directory) => self.view(id).map_or(0, |view| view.merged_len(directory)),
            Node::Block(_) => self.games_behind(directory, None).map_or(0, Iterator::count),
            _ => 0,
        }
    }
}

/// Games of a directory in its order.
pub enum DirectoryGames<'a> {
    /// Those of a directory of `games/`.
    Numbers(Range<u32>),
    /// Those of another.
    Listed(slice::Iter<'a, u32>),
}

impl Iterator for DirectoryGames<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            DirectoryGames::Numbers(games) => games.next(),
            DirectoryGames::Listed(games) => games.next().copied(),
        }
    }
}
