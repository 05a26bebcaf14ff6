//! Questions about some of the games of an index.
//!
//! The ranges of the opening tree and the positions that several games have are those of all games; whatever is
//! counted or returned is of the selected ones.

use std::ops::Range;
use std::sync::Arc;

use super::super::facts::Facts;
use super::super::selection::Selection;
use super::Index;
use super::build::{LARGE, SMALL};
use super::sections::IndexSection;
use super::shared::IndexNode;
use crate::kept::Damaged;
use chessdb::bytes::{le_u32, le_u64};

impl Index {
    /// The same index, which answers as one of these games alone would.
    pub fn among(&self, games: &Arc<Selection>) -> Index {
        Index {
            sections: Arc::clone(&self.sections),
            database: Arc::clone(&self.database),
            lines: Arc::clone(&self.lines),
            among: Some(Arc::clone(games)),
        }
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
        let games = range.map(|place| Ok((place, self.game_at(place)?)));
        games.filter(|game| game.as_ref().map_or(true, |&(_, game)| self.selects(game)))
    }

    /// Number of selected games at some places.
    pub(super) fn number_in(&self, range: Range<u32>) -> Result<u32, Damaged> {
        match self.among {
            None => Ok(range.end - range.start),
            Some(_) => self
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
        let facts = self.range(IndexSection::Facts, range, 8)?.chunks_exact(8);
        let games = match self.among {
            Some(_) => Some(self.range(IndexSection::Games, range, 4)?),
            None => None,
        };
        let facts = facts.enumerate().filter(move |&(n, _)| {
            let game = games.and_then(|games| le_u32(games, 4 * n));
            game.is_none_or(|game| self.selects(game))
        });
        Ok(facts.map(|(_, bytes)| Facts(le_u64(bytes, 0).unwrap_or(0))))
    }
}
