//! Finds the games that have a position, and the moves played in it.

use std::hint::black_box;
use std::ops::Range;

use super::super::Facts;
use super::super::scan::{MoveRows, Reached};
use super::super::table::MovesTable;
use super::super::wanted::Pattern;
use super::Index;
use super::keys::key_of;
use super::popular::{self, POPULAR, PopularPosition};
use super::shared::{IndexNode, IndexSection, LARGE, SMALL, read, rest_of};
use super::signature::Test;
use super::spill::first_bits;
use crate::kept::Damaged;
use crate::lines::Occurrence;
use chessdb::board::{Move, PackedMove, Position};
use chessdb::bytes::{le_u32, le_u64};

impl Index {
    /// The games with a match, in database order, each with its first occurrence. [`scan`](super::super::scan) gives
    /// the same result.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn find(&self, pattern: &Pattern) -> Result<Vec<Occurrence>, Damaged> {
        match self.nodes_of(pattern)? {
            Some(nodes) => {
                let found = self.games_of(&nodes)?.into_iter();
                let mut found: Vec<Occurrence> = found.map(|(found, _)| found).collect();
                found.sort_unstable_by_key(|found| found.game);
                Ok(found)
            }
            None => self.candidates(pattern),
        }
    }

    /// Like [`Index::find`], but in any order, and with the facts about each game that tables need. For a position
    /// that several games have, the index has these facts.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn find_with_facts(&self, pattern: &Pattern) -> Result<Vec<(Occurrence, Facts)>, Damaged> {
        match self.nodes_of(pattern)? {
            Some(nodes) => self.games_of(&nodes),
            None => {
                let found = self.candidates(pattern)?.into_iter();
                let with_facts = |found: Occurrence| (found, Facts::of(&*self.database, found.game));
                Ok(found.map(with_facts).collect())
            }
        }
    }

    /// The nodes with an exact position; `None` if fewer than two games have it, and of any other pattern.
    pub(super) fn nodes_of(&self, pattern: &Pattern) -> Result<Option<Vec<IndexNode>>, Damaged> {
        if pattern.is_exact() {
            self.nodes(pattern)
        } else {
            Ok(None)
        }
    }

    /// The number of games with a match.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn count(&self, pattern: &Pattern) -> Result<u32, Damaged> {
        match self.nodes_of(pattern)? {
            Some(nodes) => self.number_of(&nodes),
            None => Ok(self.find(pattern)?.len() as u32),
        }
    }

    /// The table of moves of a position. [`scan_moves`](super::super::scan_moves) gives the same result.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn moves(&self, pattern: &Pattern) -> Result<MovesTable, Damaged> {
        if let Some(nodes) = self.nodes_of(pattern)? {
            let popular = self.stored(pattern, &nodes)?;
            return popular.map_or_else(|| self.table(pattern, &nodes), |popular| Ok(popular.table));
        }
        self.moves_of(pattern, &self.find(pattern)?)
    }

    /// The table and notable games that are stored for a position of very many games. `None` for other positions, and
    /// if answers are about some games only.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn popular(&self, pattern: &Pattern) -> Result<Option<PopularPosition>, Damaged> {
        if !pattern.is_exact() || self.among.is_some() {
            return Ok(None);
        }
        match self.nodes(pattern)? {
            Some(nodes) => self.stored(pattern, &nodes),
            None => Ok(None),
        }
    }

    /// The table and notable games that are stored for a position with these nodes.
    fn stored(&self, pattern: &Pattern, nodes: &[IndexNode]) -> Result<Option<PopularPosition>, Damaged> {
        if self.among.is_some() || self.number_of(nodes)? < POPULAR {
            return Ok(None);
        }
        self.stored_of_key(key_of(pattern.position()), pattern.position())
    }

    /// Like [`Index::moves`], for a position whose games [`Index::find`] has found. Does not search for them again.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn moves_of(&self, pattern: &Pattern, found: &[Occurrence]) -> Result<MovesTable, Damaged> {
        let rows = MoveRows::new(&*self.database, pattern, found);
        let reached = if pattern.is_exact() {
            self.reached(&rows, found.len() as u32)?
        } else {
            self.reached_by_any(&rows)?
        };
        Ok(rows.table(&[reached]))
    }

    /// The games with the positions after the moves of a table. All these positions are searched for at once.
    fn reached_by_any(&self, rows: &MoveRows) -> Result<Vec<Reached>, Damaged> {
        let mut tests: Vec<Test> = Vec::new();
        for after in rows.after.iter().flatten() {
            let test = Test::of_position(after.position());
            if !tests.contains(&test) {
                tests.push(test);
            }
        }
        let mut games = self.admitted(&tests)?;
        games.sort_unstable();
        Ok(rows.reached(&*self.database, None, games))
    }

    /// Computes the table and notable games of a popular position from its games.
    pub(super) fn add_up(&self, pattern: &Pattern) -> Result<PopularPosition, Damaged> {
        let Some(nodes) = self.nodes(pattern)? else {
            return Ok(PopularPosition::default());
        };
        let mut games = Vec::new();
        for node in &nodes {
            let range = node.lo..node.hi;
            let numbers = self.range(IndexSection::Games, &range, 4)?.chunks_exact(4);
            let numbers = numbers.map(|number| le_u32(number, 0).unwrap_or(0));
            games.push(numbers.zip(self.facts_in(&range)?));
        }
        let table = self.table(pattern, &nodes)?;
        Ok(PopularPosition::new(table, games.into_iter().flatten()))
    }

    /// The number of games that have the position after each row's move. If the position is not shared, only the game
    /// that played the move has it.
    fn reached(&self, rows: &MoveRows, games: u32) -> Result<Vec<Reached>, Damaged> {
        let mut reached = Vec::with_capacity(rows.after.len());
        for (played, after) in rows.played().zip(&rows.after) {
            let nodes = match after {
                Some(after) => self.nodes(after)?,
                None => None,
            };
            reached.push(match nodes {
                Some(nodes) => Reached {
                    games: self.number_of(&nodes)?,
                    first: self.first_of(&nodes)?,
                },
                None => Reached {
                    games: played.min(games),
                    first: None,
                },
            });
        }
        Ok(reached)
    }

    /// The nodes with a position; `None` if fewer than two games have the position.
    pub(super) fn nodes(&self, pattern: &Pattern) -> Result<Option<Vec<IndexNode>>, Damaged> {
        for nodes in self.nodes_by_key(key_of(pattern.position()))? {
            if self.have(&nodes, pattern)? {
                return Ok(Some(nodes));
            }
        }
        Ok(None)
    }

    /// True if nodes from [`Index::nodes_by_key`] really have a position: only some bits of a key are stored, and two
    /// positions may share them.
    pub(super) fn have(&self, nodes: &[IndexNode], pattern: &Pattern) -> Result<bool, Damaged> {
        let reached = self.reader_of(nodes)?.and_then(|(game, ply)| self.at(game, ply));
        Ok(reached.is_some_and(|(position, _)| pattern.matches(&position)))
    }

    /// The game to read the position of nodes from, and the number of moves before it.
    pub(super) fn reader_of(&self, nodes: &[IndexNode]) -> Result<Option<(u32, u32)>, Damaged> {
        let node = nodes.iter().min_by_key(|node| node.depth);
        node.map(|node| Ok((self.game_at(node.lo)?, node.depth)))
            .transpose()
    }

    /// The nodes of each shared position whose key has the same first bits.
    pub(super) fn nodes_by_key(&self, key: u64) -> Result<Vec<Vec<IndexNode>>, Damaged> {
        self.nodes_in(self.bucket(key)?, key)
    }

    /// [`Index::nodes_by_key`] for each of several keys.
    pub(super) fn nodes_by_keys(&self, keys: &[u64]) -> Result<Vec<Vec<Vec<IndexNode>>>, Damaged> {
        let buckets = keys.iter().map(|&key| self.bucket(key));
        let buckets = buckets.collect::<Result<Vec<_>, Damaged>>()?;
        // The first bytes of all buckets are fetched from memory at the same time.
        black_box(
            buckets
                .iter()
                .fold(0, |sum, bytes| sum ^ bytes.first().unwrap_or(&0)),
        );
        let found = keys.iter().zip(buckets);
        found.map(|(&key, bucket)| self.nodes_in(bucket, key)).collect()
    }

    /// The bucket of a key.
    fn bucket(&self, key: u64) -> Result<&[u8], Damaged> {
        let bucket = first_bits(key, self.sections.bucket_bits());
        let offset = |bucket| {
            let offset = self.sections.u64(IndexSection::Buckets, bucket)?;
            usize::try_from(offset).map_err(|_| Damaged)
        };
        let begin = offset(bucket)?;
        let len = offset(bucket + 1)?.checked_sub(begin).ok_or(Damaged)?;
        self.sections.get(IndexSection::Positions, begin, len)
    }

    fn nodes_in(&self, bucket: &[u8], key: u64) -> Result<Vec<Vec<IndexNode>>, Damaged> {
        let mut found = Vec::new();
        let wanted = rest_of(key, self.sections.bucket_bits());
        let games = self.sections.games();
        read(bucket, wanted, games, |nodes| found.push(nodes)).ok_or(Damaged)?;
        Ok(found)
    }

    /// The position of a game after `ply` moves, and the next move; `None` if the game has fewer moves.
    pub fn at(&self, game: u32, ply: u32) -> Option<(Position, Option<Move>)> {
        let ahead = self.ahead.get(&(game, ply));
        let read = || self.lines.at(&*self.database, game, ply);
        ahead.copied().unwrap_or_else(read)
    }

    /// The number of the game at a place in the order of the index.
    pub(super) fn game_at(&self, place: u32) -> Result<u32, Damaged> {
        let game = self.sections.u32(IndexSection::Games, place as usize)?;
        if game < self.database.len() {
            Ok(game)
        } else {
            Err(Damaged)
        }
    }

    /// The move after a node in the games of a range. All games of the range pass the node and play the same next
    /// move. `None` if they end at the node. Games are read in database order: in any other order, each game of a
    /// compressed file might have to unpack everything in front of it.
    pub(super) fn next_moves(&self, asked: &[(IndexNode, Range<u32>)]) -> Result<Vec<Option<Move>>, Damaged> {
        let mut moves = vec![None; asked.len()];
        let mut unknown = Vec::new();
        for ((node, places), next) in asked.iter().zip(&mut moves) {
            match self.parting(node, places)? {
                Some(known) => *next = known,
                None => unknown.push((self.game_at(places.start)?, node.depth, next)),
            }
        }
        unknown.sort_unstable_by_key(|&(game, ply, _)| (game, ply));
        for (game, ply, next) in unknown {
            *next = self.at(game, ply).and_then(|(_, next)| next);
        }
        Ok(moves)
    }

    /// The move where a single game parts from the other games of a node; `Some(None)` if it ends there. `None` if the
    /// index does not have it.
    fn parting(&self, node: &IndexNode, places: &Range<u32>) -> Result<Option<Option<Move>>, Damaged> {
        if places.len() > 1 || node.hi - node.lo == 1 {
            return Ok(None);
        }
        let bits = self
            .sections
            .get(IndexSection::Parting, places.start as usize * 2, 2)?;
        match u16::from_le_bytes([bits[0], bits[1]]) {
            0 => Ok(Some(None)),
            bits => Ok(Some(Some(PackedMove::of_bits(bits).unpack()))),
        }
    }

    /// The games of nodes, in any order.
    fn games_of(&self, nodes: &[IndexNode]) -> Result<Vec<(Occurrence, Facts)>, Damaged> {
        let mut asked = Vec::new();
        for node in nodes {
            asked.extend(self.segments(node)?.into_iter().map(|places| (*node, places)));
        }
        let moves = self.next_moves(&asked)?;
        let mut found = Vec::new();
        for ((node, places), next) in asked.into_iter().zip(moves) {
            let facts = self.range(IndexSection::Facts, &places, 8)?.as_chunks().0;
            for (place, &facts) in places.zip(facts) {
                let game = self.game_at(place)?;
                if self.selects(game) {
                    let found_at = Occurrence {
                        game,
                        ply: node.depth,
                        next,
                        variation: 0,
                    };
                    found.push((found_at, Facts(u64::from_le_bytes(facts))));
                }
            }
        }
        Ok(found)
    }

    fn stored_of_key(&self, key: u64, position: &Position) -> Result<Option<PopularPosition>, Damaged> {
        let keys = self.sections.all(IndexSection::Popular)?;
        let key_at = |place: usize| le_u64(keys, place * 16);
        let (mut low, mut high) = (0, keys.len() / 16);
        while low < high {
            let middle = low.midpoint(high);
            if key_at(middle) < Some(key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if key_at(low) != Some(key) {
            return Ok(None);
        }
        let end = |place: usize| le_u64(keys, place * 16 + 8).ok_or(Damaged);
        let begin = low.checked_sub(1).map_or(Ok(0), end)? as usize;
        let len = (end(low)? as usize).checked_sub(begin).ok_or(Damaged)?;
        let bytes = self.sections.get(IndexSection::Tables, begin, len)?;
        popular::read(bytes, position).map(Some).ok_or(Damaged)
    }

    /// The ranges of games of a node with the same next move. Each game that ends at the node is a range by itself.
    pub(super) fn segments(&self, node: &IndexNode) -> Result<Vec<Range<u32>>, Damaged> {
        let mut segments = Vec::new();
        let mut begin = node.lo;
        let mut place = node.lo + 1;
        while place < node.hi {
            // Within a node, the common part of consecutive games is never shorter.
            let next = self.next_below(place, node.hi, node.depth + 2)?;
            if let Some(next) = next {
                segments.push(begin..next);
                begin = next;
                place = next + 1;
            } else {
                break;
            }
        }
        segments.push(begin..node.hi);
        Ok(segments)
    }

    /// The first place from `place` to `end` whose line has less than `limit` in common with the previous line.
    pub(super) fn next_below(&self, mut place: u32, end: u32, limit: u32) -> Result<Option<u32>, Damaged> {
        while place < end {
            let at = place as usize;
            if at.is_multiple_of(LARGE) && self.sections.u32(IndexSection::Common4096, at / LARGE)? >= limit {
                place = place.saturating_add(LARGE as u32);
            } else if at.is_multiple_of(SMALL)
                && self.sections.u32(IndexSection::Common64, at / SMALL)? >= limit
            {
                place += SMALL as u32;
            } else {
                let upto = (at / SMALL + 1) * SMALL;
                let upto = upto.min(end as usize);
                let common = self.sections.get(IndexSection::Common, at * 2, (upto - at) * 2)?;
                let mut items = common
                    .chunks_exact(2)
                    .map(|item| u16::from_le_bytes([item[0], item[1]]));
                if let Some(found) = items.position(|common| u32::from(common) < limit) {
                    return Ok(Some(place + found as u32));
                }
                place = upto as u32;
            }
        }
        Ok(None)
    }

    /// The last place up to `place` whose line has less than `limit` in common with the previous line, or 0.
    pub(super) fn last_below(&self, mut place: u32, limit: u32) -> Result<u32, Damaged> {
        loop {
            let at = place as usize;
            if at % LARGE == LARGE - 1 && self.sections.u32(IndexSection::Common4096, at / LARGE)? >= limit {
                place = place.saturating_sub(LARGE as u32);
            } else if at % SMALL == SMALL - 1
                && self.sections.u32(IndexSection::Common64, at / SMALL)? >= limit
            {
                place = place.saturating_sub(SMALL as u32);
            } else {
                let common = self.sections.get(IndexSection::Common, at * 2, 2)?;
                if place == 0 || u32::from(u16::from_le_bytes([common[0], common[1]])) < limit {
                    return Ok(place);
                }
                place -= 1;
            }
        }
    }

    /// The bytes of a section for a range of games.
    pub(super) fn range(
        &self,
        section: IndexSection,
        range: &Range<u32>,
        item: usize,
    ) -> Result<&[u8], Damaged> {
        self.sections
            .get(section, range.start as usize * item, range.len() * item)
    }
}
