//! `all.pgn`, merged files, and `games.pgn` of a position: the games of each part, one part after the other.

use std::sync::Arc;

use super::file::File;
use super::joined::Joined;
use crate::fs::branch::BranchFs;
use crate::fs::types::{Chunk, FsError};
use crate::tree::{Games, GamesOfPart, Node};
use chessdb_library::made::Wait;

/// Games of one database or of several, one after the other.
pub(super) struct Concatenated<'a> {
    pub(super) branch: &'a BranchFs,
    pub(super) file: Node,
    /// The games, or `None` for all that are shown.
    pub(super) games: Option<Games<'a>>,
}

impl Concatenated<'_> {
    /// The file of each part.
    ///
    /// # Errors
    /// If a database changed while its games were searched for.
    fn parts(&self) -> Result<Vec<Joined<'_>>, FsError> {
        let branch = self.branch;
        branch.check_answer()?;
        let parts = match &self.games {
            Some(games) => games.by_part(branch.game_set()),
            None => {
                let own_file = (!branch.game_set().is_filtered()).then_some(Node::ALL);
                let games_of = |part| GamesOfPart {
                    part,
                    games: branch.game_set().games_of(part),
                    own_file,
                };
                (0..branch.databases().len()).map(games_of).collect()
            }
        };
        let own = branch.own_database().map(|_| self.file);
        let mut joined = Vec::with_capacity(parts.len());
        for GamesOfPart {
            part,
            games,
            own_file,
        } in parts
        {
            let (Some(database), Some(joins)) = (branch.databases().get(part), branch.joins(part)) else {
                continue;
            };
            joined.push(match own.or(own_file) {
                Some(file) => Joined::new(database, database.joins(), file, games),
                None => Joined::new(database, joins, self.file, games),
            });
        }
        Ok(joined)
    }

    /// What is to be waited for before the games are known: duplicates may have to be searched for.
    fn wait_for_games(&self) -> Wait {
        match self.games {
            Some(_) => Wait::None,
            None => self.branch.game_set().wait_for_parts(),
        }
    }

    /// Offset at which each part ends.
    fn ends(&self, parts: &[Joined<'_>]) -> Result<Arc<[u64]>, FsError> {
        self.branch.files.ends.get_or_make(self.file, || {
            let mut end = 0;
            let ends = parts.iter().map(|part| {
                end += part.size()?;
                Ok(end)
            });
            ends.collect()
        })
    }
}

impl File for Concatenated<'_> {
    fn size_if_known(&self) -> Option<u64> {
        if self.wait_for_games() != Wait::None {
            return None;
        }
        self.parts().ok()?.iter().map(|part| part.size_if_known()).sum()
    }

    fn size(&self) -> Result<u64, FsError> {
        match &self.parts()?[..] {
            [part] => part.size(),
            parts => Ok(self.ends(parts)?.last().copied().unwrap_or(0)),
        }
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let parts = self.parts()?;
        if let [part] = &parts[..] {
            return part.read(offset, size);
        }
        let ends = self.ends(&parts)?;
        let end = offset.saturating_add(u64::from(size));
        let first = ends.partition_point(|&end| end <= offset);
        let mut start = first.checked_sub(1).map_or(0, |before| ends[before]);
        let mut bytes = Vec::new();
        for (part, &next) in parts.iter().zip(&*ends).skip(first) {
            let at = offset.saturating_sub(start);
            let wanted = end.min(next).saturating_sub(start + at) as u32;
            let chunk = part.read(at, wanted)?;
            if bytes.is_empty() && next >= end {
                return Ok(chunk);
            }
            bytes.extend_from_slice(&chunk);
            if next >= end {
                break;
            }
            start = next;
        }
        Ok(bytes.into())
    }

    fn wait(&self) -> Wait {
        if self.wait_for_games() != Wait::None {
            return Wait::Common;
        }
        let parts = self.parts();
        parts.map_or(Wait::Common, |parts| {
            parts.iter().map(File::wait).max().unwrap_or(Wait::None)
        })
    }
}
