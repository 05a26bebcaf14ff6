//! Lists of games' numbers.

use std::ops::Range;

use super::arrays::{Array, Arrays};

/// Numbers of games in ascending order: a slice, or a part of the arrays of a view.
#[derive(Clone, Copy)]
pub struct GameNumbers<'a>(Place<'a>);

#[derive(Clone, Copy)]
enum Place<'a> {
    Slice(&'a [u32]),
    Arrays {
        arrays: &'a Arrays,
        start: u32,
        end: u32,
    },
}

impl<'a> From<&'a [u32]> for GameNumbers<'a> {
    fn from(games: &'a [u32]) -> GameNumbers<'a> {
        GameNumbers(Place::Slice(games))
    }
}

impl<'a> GameNumbers<'a> {
    /// No games.
    pub const NONE: GameNumbers<'static> = GameNumbers(Place::Slice(&[]));

    /// Games of a view, by their places among those of all directories.
    pub(super) fn in_arrays(arrays: &'a Arrays, Range { start, end }: Range<u32>) -> GameNumbers<'a> {
        GameNumbers(Place::Arrays { arrays, start, end })
    }

    /// Number of games.
    pub fn len(self) -> usize {
        match self.0 {
            Place::Slice(games) => games.len(),
            Place::Arrays { start, end, .. } => (end - start) as usize,
        }
    }

    /// True if there are no games.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The nth game.
    #[inline]
    pub fn get(self, n: usize) -> Option<u32> {
        match self.0 {
            Place::Slice(games) => games.get(n).copied(),
            Place::Arrays { arrays, start, end } => {
                let place = (start as usize).checked_add(n).filter(|&n| n < end as usize)?;
                arrays.u32(Array::Games, place)
            }
        }
    }

    /// The games in order.
    pub fn iter(self) -> impl Iterator<Item = u32> + 'a {
        (0..self.len()).map_while(move |n| self.get(n))
    }

    /// The index of a game.
    pub fn position(self, game: u32) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle)? < game {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        (self.get(low)? == game).then_some(low)
    }
}
