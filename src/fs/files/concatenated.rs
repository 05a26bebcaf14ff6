//! `all.pgn`, merged files, and `games.pgn` of a position: the games of each part, one part after the other.

use std::sync::Arc;

use super::found::FoundGames;
use super::joined::Joined;
use super::{File, Wait};
use crate::fs::branch::Branch;
use crate::fs::sizes::Games;
use crate::fs::types::{Chunk, FsError};
use crate::tree::{GameNumbers, InParts, Node};

/// The games of a file.
#[derive(Clone, Copy)]
pub(super) enum Shown<'a> {
    /// All.
    All,
    /// Those of a directory of a database's view.
    Own(GameNumbers<'a>),
    /// Those of a directory of a view of several databases.
    InParts(InParts<'a>),
    /// Those that a search has found.
    Found(&'a FoundGames),
}

/// Games of one database or of several, one after the other.
pub(super) struct Concatenated<'a> {
    pub(super) branch: &'a dyn Branch,
    pub(super) file: Node,
    pub(super) games: Shown<'a>,
}

impl<'a> Concatenated<'a> {
    /// The file of each part. Its node is that of the part's own file of these games.
    fn parts(&self) -> Vec<Joined<'a>> {
        let (branch, own) = (self.branch, self.file);
        let is_found = matches!(self.games, Shown::Found(_));
        let part = |(number, file, games): (usize, Node, Games<'a>)| {
            let (database, joins) = (branch.database_at(number)?, branch.joins(number, is_found)?);
            Some(Joined::new(database, joins, file, games))
        };
        match self.games {
            Shown::All => {
                let parts = branch.parts().into_iter().enumerate();
                let parts = parts.map(|(number, shown)| (number, Node::ALL, shown.games));
                parts.filter_map(part).collect()
            }
            Shown::Own(games) => part((0, own, Games::Listed(games))).into_iter().collect(),
            Shown::InParts(games) => {
                let parts = games.databases();
                let parts = parts.map(|(number, file, games)| (number, file, Games::Listed(games)));
                parts.filter_map(part).collect()
            }
            Shown::Found(games) => {
                let parts = games.databases().map(|(number, games)| (number, own, games));
                parts.filter_map(part).collect()
            }
        }
    }

    /// True if the games are unknown because duplicates have not been searched for yet.
    fn must_search(&self) -> bool {
        matches!(self.games, Shown::All) && self.branch.must_search()
    }

    /// Offset at which each part ends.
    fn ends(&self, parts: &[Joined<'_>]) -> Result<Arc<[u64]>, FsError> {
        self.branch.made().ends.get_or_make(self.file, || {
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
        if self.must_search() {
            return None;
        }
        self.parts().iter().map(|part| part.size_if_known()).sum()
    }

    fn size(&self) -> Result<u64, FsError> {
        match &self.parts()[..] {
            [part] => part.size(),
            parts => Ok(self.ends(parts)?.last().copied().unwrap_or(0)),
        }
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let parts = self.parts();
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
        let is_known = !self.must_search() && self.parts().iter().all(|part| part.wait() == Wait::None);
        Wait::Common.unless(is_known)
    }
}
