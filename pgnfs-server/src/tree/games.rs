//! Lists of games.

use std::ops::Range;
use std::sync::Arc;

use super::arrays::{Array, Arrays};
use super::branch::GameSet;
use super::combined_view::InParts;
use super::inode::Node;
use chessdb_library::positions::DatabasePart;

/// Games in the order of a directory or file, by their numbers in its branch.
///
/// ```
/// use pgnfs_server::inside::tree::Games;
///
/// let games = Games::of(&[3, 5, 8]);
/// assert_eq!((games.len(), games.get(1), games.position(8)), (3, Some(5), Some(2)));
/// ```
#[derive(Clone)]
pub struct Games<'a>(List<'a>);

#[derive(Clone)]
enum List<'a> {
    /// Games with consecutive numbers.
    Range(Range<u32>),
    /// The games of a sorted list, each number reduced by `first`.
    Sorted { games: &'a [u32], first: u32 },
    /// The games of a sorted list that others own as well.
    Shared(Arc<[u32]>),
    /// Games in an order of their own. `places` is sorted and has the place of each game.
    Ordered {
        games: &'a [u32],
        places: &'a [(u32, u32)],
    },
    /// A sorted part of the arrays of a view.
    InArrays {
        arrays: &'a Arrays,
        start: u32,
        end: u32,
    },
    /// Games of several databases, in a directory of a view.
    InParts(InParts<'a>),
}

/// The games that a list has of one database, by their numbers in it.
pub struct GamesOfPart<'a> {
    /// The number of the database among the parts of the branch.
    pub part: usize,
    /// The games.
    pub games: Games<'a>,
    /// The merged file of the database's own directory that has the same games, if there is one.
    pub own_file: Option<Node>,
}

impl<'a> Games<'a> {
    /// No games.
    pub const NONE: Games<'static> = Games(List::Range(0..0));

    /// Games of a single database with consecutive numbers.
    pub const fn range(games: Range<u32>) -> Games<'static> {
        Games(List::Range(games))
    }

    /// Games in ascending order.
    pub const fn of(games: &'a [u32]) -> Games<'a> {
        Games(List::Sorted { games, first: 0 })
    }

    /// Games in ascending order.
    pub fn shared(games: &Arc<[u32]>) -> Games<'static> {
        Games(List::Shared(Arc::clone(games)))
    }

    /// Games in any order. `places` has each game with its place in `games`, sorted.
    pub(super) fn ordered(games: &'a [u32], places: &'a [(u32, u32)]) -> Games<'a> {
        Games(List::Ordered { games, places })
    }

    /// Games of a view, by their places among those of all directories.
    pub(super) fn in_arrays(arrays: &'a Arrays, Range { start, end }: Range<u32>) -> Games<'a> {
        Games(List::InArrays { arrays, start, end })
    }

    /// Games of several databases.
    pub(super) fn in_parts(games: InParts<'a>) -> Games<'a> {
        Games(List::InParts(games))
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        match &self.0 {
            List::Range(games) => games.len(),
            List::Sorted { games, .. } | List::Ordered { games, .. } => games.len(),
            List::Shared(games) => games.len(),
            List::InArrays { start, end, .. } => (end - start) as usize,
            List::InParts(games) => games.len(),
        }
    }

    /// True if there are no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if these are listed as all games of a database with so many.
    pub fn are_all_of(&self, games: u32) -> bool {
        matches!(&self.0, List::Range(range) if *range == (0..games))
    }

    /// The nth game.
    #[inline]
    pub fn get(&self, n: usize) -> Option<u32> {
        match &self.0 {
            List::Range(games) => games.clone().nth(n),
            List::Sorted { games, first } => games.get(n).map(|game| game - first),
            List::Ordered { games, .. } => games.get(n).copied(),
            List::Shared(games) => games.get(n).copied(),
            List::InArrays { arrays, start, end } => {
                let place = (*start as usize).checked_add(n).filter(|&n| n < *end as usize)?;
                arrays.u32(Array::Games, place)
            }
            List::InParts(games) => games.get(n),
        }
    }

    /// The games in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.clone().after(0)
    }

    /// The games after the first `n`.
    pub fn after(self, n: usize) -> impl Iterator<Item = u32> + use<'a> {
        (n..self.len()).map_while(move |n| self.get(n))
    }

    /// The place of a game in the list.
    pub fn position(&self, game: u32) -> Option<usize> {
        match &self.0 {
            List::Ordered { places, .. } => {
                let found = places.binary_search_by_key(&game, |&(game, _)| game).ok()?;
                places.get(found).map(|&(_, place)| place as usize)
            }
            List::InParts(games) => games.position(game),
            _ => {
                let place = self.place_of(game);
                (self.get(place) == Some(game)).then_some(place)
            }
        }
    }

    /// In a sorted list, the number of games before `game`.
    fn place_of(&self, game: u32) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(|other| other < game) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The games of each part of their branch that has some. Counts all games, if there are several parts.
    pub fn by_part<'s>(&'s self, game_set: &'s GameSet) -> Vec<GamesOfPart<'s>> {
        let parts: &[DatabasePart] = match &**game_set.databases() {
            [_] => &[],
            _ => game_set.whole_parts(),
        };
        match (&self.0, parts) {
            (List::InParts(games), _) => games.by_part().collect(),
            (List::Sorted { games, first: 0 }, [_, _, ..]) => sorted_by_part(games, parts),
            (List::Shared(games), [_, _, ..]) => sorted_by_part(games, parts),
            _ => vec![GamesOfPart {
                part: 0,
                games: self.clone(),
                own_file: None,
            }],
        }
    }
}

fn sorted_by_part<'a>(games: &'a [u32], parts: &[DatabasePart]) -> Vec<GamesOfPart<'a>> {
    let mut rest = games;
    let mut found = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let end = part.first + part.database().len();
        let (own, others) = rest.split_at(rest.partition_point(|&game| game < end));
        rest = others;
        if !own.is_empty() {
            let list = List::Sorted {
                games: own,
                first: part.first,
            };
            found.push(GamesOfPart {
                part: number,
                games: Games(list),
                own_file: None,
            });
        }
    }
    found
}
