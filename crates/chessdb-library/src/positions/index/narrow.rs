//! The games that may have positions, for searches that test the games themselves.

use super::super::scan::occurrence;
use super::super::wanted::{Pattern, Wanted};
use super::Index;
use super::shared::IndexSection;
use super::signature::{FirstPawns, Signature, Test};
use crate::kept::Damaged;
use crate::lines::Occurrence;
use crate::task;

/// Number of games in a row that are skipped together. They start with the same moves.
const ROW: usize = 16;

impl Index {
    /// True if no game is deleted, so that the index lacks none.
    pub(crate) fn has_all_games(&self) -> bool {
        self.sections.games() == self.database.len()
    }

    /// The games that may have a match of one of several criteria, in ascending order: all games that have one, and
    /// some others. They include deleted games, which are not in the index.
    pub(crate) fn may_have(&self, wanted: &[Wanted]) -> Result<Vec<u32>, Damaged> {
        let (mut games, mut tests) = (Vec::new(), Vec::new());
        for wanted in wanted {
            let nodes = match wanted {
                Wanted::Position(pattern) => self.nodes_of(pattern)?,
                Wanted::Pawns(_) => None,
            };
            match nodes {
                None => tests.push(Test::new(wanted)),
                Some(nodes) => {
                    for node in nodes {
                        let selected = self.selected(node.lo..node.hi);
                        let selected = selected.map(|selected| selected.map(|(_, game)| game));
                        games.extend(selected.collect::<Result<Vec<_>, Damaged>>()?);
                    }
                }
            }
        }
        if !tests.is_empty() {
            games.extend(self.admitted(&tests)?);
        }
        if !self.has_all_games() {
            let all = 0..self.database.len();
            games.extend(all.filter(|&game| self.selects(game) && self.database.keys(game).deleted));
        }
        games.sort_unstable();
        games.dedup();
        Ok(games)
    }

    /// The games with a match, in database order. Only games whose signatures admit a match are searched. Must not be
    /// called for an exact position that several games have.
    pub(super) fn candidates(&self, pattern: &Pattern) -> Result<Vec<Occurrence>, Damaged> {
        let most = if pattern.is_exact() { 1 } else { usize::MAX };
        let mut admitted = self.admitted(&[Test::of_position(pattern.position())])?;
        // In another order, a compressed file might unpack everything in front of each game.
        admitted.sort_unstable();
        let found = admitted.into_iter();
        let found = found.filter_map(|game| {
            task::check();
            occurrence(&*self.database, game, pattern)
        });
        Ok(found.take(most).collect())
    }

    /// The games whose signatures meet one of several conditions.
    pub(super) fn admitted(&self, tests: &[Test]) -> Result<Vec<u32>, Damaged> {
        let pawns = self.sections.all(IndexSection::Pawns)?.as_chunks().0;
        let material = self.sections.all(IndexSection::Material)?.as_chunks().0;
        let rows = pawns.chunks(ROW).zip(material.chunks(ROW));
        let mut games = Vec::new();
        for ((row, &first), (pawns, material)) in (0..).zip(self.first_pawns()?).zip(rows) {
            if !tests.iter().any(|test| test.admits_some(first)) {
                continue;
            }
            for (place, (&pawns, &material)) in (row * ROW as u32..).zip(pawns.iter().zip(material)) {
                let signature = Signature {
                    pawns: u64::from_le_bytes(pawns),
                    material: u32::from_le_bytes(material),
                };
                if tests.iter().any(|test| test.admits(signature)) {
                    let game = self.game_at(place)?;
                    if self.selects(game) {
                        games.push(game);
                    }
                }
            }
        }
        Ok(games)
    }

    /// The pawns that left first in each [`ROW`] games. Made at the first search.
    fn first_pawns(&self) -> Result<&[FirstPawns], Damaged> {
        if let Some(known) = self.first_pawns.get() {
            return Ok(known);
        }
        let pawns = self.sections.all(IndexSection::Pawns)?.as_chunks().0;
        let of = |row: &[[u8; 8]]| FirstPawns::of(row.iter().map(|&pawns| u64::from_le_bytes(pawns)));
        Ok(self
            .first_pawns
            .get_or_init(|| pawns.chunks(ROW).map(of).collect()))
    }
}
