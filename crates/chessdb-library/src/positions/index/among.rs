//! Questions about some of the games of an index. The ranges of the opening tree, and the positions that several games
//! have, are stored for all games. Only selected games are counted and returned.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::super::selection::Selection;
use super::super::tally::Facts;
use super::Index;
use super::shared::{IndexNode, IndexSection, LARGE, SMALL};
use crate::kept::Damaged;
use chessdb::bytes::{le_u32, le_u64};
use rustc_hash::FxHashMap;

/// The places of selected games are listed if fewer than one game in 16 is selected. Then searching the list takes
/// less time than checking all games of a node.
const SCARCE: usize = 16;

/// Number of selections whose places are kept.
pub(super) const MOST_KEPT: NonZeroUsize = NonZeroUsize::new(8).expect("eight is not zero");

/// The places of selected games in an index, in ascending order; `None` if they are not listed.
pub(super) type Places = Option<Arc<[u32]>>;

impl Index {
    /// The same index, limited to these games: it answers as if it had been built from them alone.
    pub fn among(&self, games: &Arc<Selection>) -> Index {
        Index {
            sections: Arc::clone(&self.sections),
            database: Arc::clone(&self.database),
            lines: Arc::clone(&self.lines),
            ahead: FxHashMap::default(),
            among: Some(Arc::clone(games)),
            places: self.places_of(games),
            known_places: Arc::clone(&self.known_places),
            first_pawns: Arc::clone(&self.first_pawns),
        }
    }

    /// The places of selected games. They are found when a selection is new, or no longer among the cached ones.
    fn places_of(&self, games: &Arc<Selection>) -> Places {
        let (address, own) = (Arc::as_ptr(games).addr(), Arc::downgrade(games));
        // A later selection may have the address of an earlier one.
        if let Some((known, places)) = self.known_places.get(&address)
            && known.ptr_eq(&own)
        {
            return places;
        }
        let places = self.listed_places(games);
        self.known_places.put(address, (own, places.clone()));
        places
    }

    fn listed_places(&self, games: &Selection) -> Places {
        let all = self.sections.games();
        if games.len() >= all as usize / SCARCE {
            return None;
        }
        let mut places = Vec::with_capacity(games.len());
        for place in 0..all {
            // Questions report damage.
            if games.has(self.game_at(place).ok()?) {
                places.push(place);
            }
        }
        Some(places.into())
    }

    /// The places of a range where selected games may be.
    fn places_in(&self, range: Range<u32>) -> impl Iterator<Item = u32> + '_ {
        let (all, listed) = match &self.places {
            None => (range, Default::default()),
            Some(_) => (0..0, self.listed(&range)),
        };
        all.chain(listed.iter().copied())
    }

    /// The listed places in a range.
    fn listed(&self, range: &Range<u32>) -> &[u32] {
        let places = self.places.as_deref().unwrap_or_default();
        let start = places.partition_point(|&place| place < range.start);
        let end = places.partition_point(|&place| place < range.end);
        places.get(start..end).unwrap_or_default()
    }

    /// True if answers may contain a game.
    #[inline]
    pub(super) fn selects(&self, game: u32) -> bool {
        self.among.as_ref().is_none_or(|games| games.has(game))
    }

    /// The selected games at some places, in the order of the index.
    pub(super) fn selected(
        &self,
        range: Range<u32>,
    ) -> impl Iterator<Item = Result<(u32, u32), Damaged>> + '_ {
        let games = self
            .places_in(range)
            .map(|place| Ok((place, self.game_at(place)?)));
        games.filter(|game| game.as_ref().map_or(true, |&(_, game)| self.selects(game)))
    }

    /// Number of selected games at some places.
    pub(super) fn number_in(&self, range: Range<u32>) -> Result<u32, Damaged> {
        match (&self.among, &self.places) {
            (None, _) => Ok(range.end - range.start),
            (Some(_), Some(_)) => Ok(self.listed(&range).len() as u32),
            (Some(_), None) => self
                .selected(range)
                .try_fold(0, |number, game| game.map(|_| number + 1)),
        }
    }

    /// Number of selected games of some nodes.
    pub(super) fn number_of(&self, nodes: &[IndexNode]) -> Result<u32, Damaged> {
        nodes
            .iter()
            .try_fold(0, |sum, node| Ok(sum + self.number_in(node.lo..node.hi)?))
    }

    /// The smallest number of a selected game at some places.
    pub(super) fn first_in(&self, range: Range<u32>) -> Result<Option<u32>, Damaged> {
        if self.among.is_some() {
            let games: Result<Vec<u32>, Damaged> = self.selected(range).map(|game| Ok(game?.1)).collect();
            return Ok(games?.into_iter().min());
        }
        let mut least = None;
        let mut place = range.start as usize;
        let end = range.end as usize;
        while place < end {
            let (section, size) = match place {
                _ if place.is_multiple_of(LARGE) && place + LARGE <= end => (IndexSection::Games4096, LARGE),
                _ if place.is_multiple_of(SMALL) && place + SMALL <= end => (IndexSection::Games64, SMALL),
                _ => (IndexSection::Games, 1),
            };
            let first = self.sections.u32(section, place / size)?;
            least = Some(least.map_or(first, |least: u32| least.min(first)));
            place += size;
        }
        if least.is_none_or(|least| least < self.database.len()) {
            Ok(least)
        } else {
            Err(Damaged)
        }
    }

    /// The smallest number of a selected game of some nodes.
    pub(super) fn first_of(&self, nodes: &[IndexNode]) -> Result<Option<u32>, Damaged> {
        let firsts = nodes.iter().map(|node| self.first_in(node.lo..node.hi));
        let firsts = firsts.collect::<Result<Vec<_>, Damaged>>()?;
        Ok(firsts.into_iter().flatten().min())
    }

    /// The facts of the selected games at some places.
    pub(super) fn facts_in(&self, range: &Range<u32>) -> Result<impl Iterator<Item = Facts> + '_, Damaged> {
        let facts = self.range(IndexSection::Facts, range, 8)?;
        // Listed places need no further look.
        let games = match (&self.among, &self.places) {
            (Some(_), None) => Some(self.range(IndexSection::Games, range, 4)?),
            _ => None,
        };
        let start = range.start;
        let places = self
            .places_in(range.clone())
            .map(move |place| (place - start) as usize);
        let places = places.filter(move |&n| {
            let game = games.and_then(|games| le_u32(games, 4 * n));
            game.is_none_or(|game| self.selects(game))
        });
        Ok(places.map(|n| Facts(le_u64(facts, 8 * n).unwrap_or(0))))
    }
}
