//! The games that may have positions, for searches that look at the games themselves.

use super::super::wanted::Wanted;
use super::Index;
use super::signature::Test;
use crate::kept::Damaged;

impl Index {
    /// True if no game is deleted, so that the index lacks none.
    pub(crate) fn has_all_games(&self) -> bool {
        self.sections.games() == self.database.len()
    }

    /// The games that may have a match of one of several criteria, in ascending order: all that have one, and others.
    /// Deleted games, which are not in the index, are among them.
    pub(crate) fn may_have(&self, wanted: &[Wanted]) -> Result<Vec<u32>, Damaged> {
        let (mut games, mut tests) = (Vec::new(), Vec::new());
        for wanted in wanted {
            let nodes = match wanted {
                Wanted::Position(pattern) if pattern.is_exact() => self.nodes(pattern)?,
                _ => None,
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
}
