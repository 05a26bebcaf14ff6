//! Lists of games, and the arrays for them that views keep.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::game_set::GameSet;
use super::index::InParts;
use super::inode::Node;
use chessdb_library::kept::{Damaged, Numbers, SectionId, Sections};
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
    /// Games in any order. `places` has each game with its place, sorted by game.
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

/// The games of one database in a list, by their numbers in the database.
pub struct GamesOfPart<'a> {
    /// The number of the database among the parts of the branch.
    pub part: usize,
    /// The games.
    pub games: Games<'a>,
    /// The merged file with the same games in the database's own directory, if there is one.
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

    /// Games of a view, by their places in the list of all its directories' games.
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

    /// True if this is the list of all games of a database with `games` games.
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

    /// These games divided by part, without empty parts. Counts all games if the branch has several parts.
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

/// An array of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    Games,
    Starts,
    Parents,
    Children,
    Marks,
    Ordinals,
    ByName,
    Shown,
    Names,
    NameStarts,
    DirectoryNames,
}

impl SectionId for Array {
    fn place(self) -> usize {
        self as usize
    }

    fn are_valid(numbers: &Numbers) -> bool {
        let len = |array: Array| numbers.sections[array.place()].1;
        let directories = len(Array::Parents) / 4;
        let one_more = 4 * (directories + 1);
        directories > 0
            && len(Array::Children) == one_more
            && len(Array::Starts) == one_more
            && len(Array::NameStarts) == one_more
            && len(Array::Marks) == 8 * directories
    }
}

/// The arrays of a view.
pub(super) struct Arrays {
    first: Sections<Array>,
    /// Arrays in place of damaged ones.
    again: OnceLock<Sections<Array>>,
    /// For arrays in a file: builds them from the database if the file is damaged.
    rebuild: Option<Box<dyn Fn() -> Sections<Array> + Send + Sync>>,
}

impl Arrays {
    /// Arrays in memory.
    pub(super) fn in_memory(arrays: Sections<Array>) -> Arrays {
        Arrays {
            first: arrays,
            again: OnceLock::new(),
            rebuild: None,
        }
    }

    /// Arrays in a file. If it is damaged, `rebuild` builds the same arrays.
    pub(super) fn in_file(
        arrays: Sections<Array>,
        rebuild: impl Fn() -> Sections<Array> + Send + Sync + 'static,
    ) -> Arrays {
        Arrays {
            rebuild: Some(Box::new(rebuild)),
            ..Arrays::in_memory(arrays)
        }
    }

    /// The arrays as they were made or opened.
    pub(super) fn sections(&self) -> &Sections<Array> {
        &self.first
    }

    /// The arrays as they were made or opened.
    pub(super) fn into_sections(self) -> Sections<Array> {
        self.first
    }

    /// Adds an array to those in memory.
    pub(super) fn append(&mut self, array: Array, bytes: Vec<u8>) {
        self.first.append(array, bytes);
    }

    /// Removes an array from those in memory.
    pub(super) fn remove(&mut self, array: Array) {
        self.first.remove(array);
    }

    /// Frees memory that the arrays do not need.
    pub(super) fn shrink(&mut self) {
        self.first.shrink();
    }

    /// Length of an array in bytes.
    #[inline]
    pub(super) fn bytes(&self, array: Array) -> usize {
        self.again.get().unwrap_or(&self.first).len(array)
    }

    /// The integer at a place in an array; `None` beyond its end.
    #[inline]
    pub(super) fn u32(&self, array: Array, place: usize) -> Option<u32> {
        if place >= self.bytes(array) / 4 {
            return None;
        }
        self.read(|arrays| arrays.u32(array, place))
    }

    /// The bytes at a place in an array; `None` beyond its end.
    pub(super) fn copy(&self, array: Array, start: usize, len: usize) -> Option<Vec<u8>> {
        if start.checked_add(len)? > self.bytes(array) {
            return None;
        }
        self.read(|arrays| arrays.get(array, start, len).map(<[u8]>::to_vec))
    }

    /// The range that belongs to an item in another array.
    pub(super) fn bounds(&self, starts: Array, n: u32) -> Range<u32> {
        let n = n as usize;
        match (self.u32(starts, n), self.u32(starts, n + 1)) {
            (Some(start), Some(end)) if start < end => start..end,
            _ => 0..0,
        }
    }

    /// In an array of pairs, finds the pair with this first number. Returns its index and its second number.
    pub(super) fn find(&self, pairs: Array, number: u32) -> Option<(usize, u32)> {
        let (mut low, mut high) = (0, self.bytes(pairs) / 8);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.u32(pairs, 2 * middle)? < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_there = self.u32(pairs, 2 * low)? == number;
        is_there.then(|| Some((low, self.u32(pairs, 2 * low + 1)?)))?
    }

    #[inline]
    fn read<T>(&self, read: impl Fn(&Sections<Array>) -> Result<T, Damaged>) -> Option<T> {
        let arrays = self.again.get().unwrap_or(&self.first);
        match read(arrays) {
            Ok(value) if !arrays.is_lost() => Some(value),
            _ => read(self.again()?).ok(),
        }
    }

    #[cold]
    fn again(&self) -> Option<&Sections<Array>> {
        let rebuild = self.rebuild.as_ref()?;
        Some(self.again.get_or_init(rebuild))
    }
}

/// The bytes of integers.
pub(super) fn bytes_of(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    numbers.into_iter().flat_map(u32::to_le_bytes).collect()
}
