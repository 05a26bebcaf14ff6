//! The games of one database in a file: their offsets, and reading some of them.

use std::iter;
use std::sync::Arc;

use super::file::File;
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::join::{Join, Joins};
use crate::fs::types::{Chunk, FsError};
use crate::tree::{Games, Node};
use chessdb_library::made::Wait;

/// Games one after the other.
pub(super) struct Joined<'a> {
    database: &'a DatabaseFs,
    joins: &'a Joins,
    file: Node,
    games: Games<'a>,
}

impl<'a> Joined<'a> {
    /// A file whose offsets are kept in `joins`.
    pub(super) fn new(
        database: &'a DatabaseFs,
        joins: &'a Joins,
        file: Node,
        games: Games<'a>,
    ) -> Joined<'a> {
        Joined {
            database,
            joins,
            file,
            games,
        }
    }

    /// True for all games of the database.
    fn are_all(&self) -> bool {
        self.games.are_all_of(self.database.sizes().games())
    }

    /// The offsets of the games.
    fn join(&self) -> Result<Arc<Join>, FsError> {
        let (database, games) = (self.database, &self.games);
        if let Some(join) = self.joins.get(self.file) {
            return Ok(join);
        }
        let join = Join::new(games, database.sizes()).or_else(|| {
            database.determine_sizes(games);
            Join::new(games, database.sizes())
        });
        let join = Arc::new(join.ok_or_else(|| database.texts().fail(Failure::Sizes))?);
        self.joins.keep(self.file, &join);
        Ok(join)
    }
}

impl File for Joined<'_> {
    fn size_if_known(&self) -> Option<u64> {
        if let Some(join) = self.joins.get(self.file) {
            return Some(join.len());
        }
        if !self.are_all() {
            return self.database.sizes().sum(&self.games);
        }
        if self.wait() == Wait::None {
            self.size().ok()
        } else {
            None
        }
    }

    fn size(&self) -> Result<u64, FsError> {
        self.database.texts().load();
        Ok(self.join()?.len())
    }

    /// Decodes only the games in the requested range.
    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let (database, games) = (self.database, &self.games);
        let join = self.join()?;
        let end = offset.saturating_add(u64::from(size)).min(join.len());
        let Some((first, mut start)) = join.find(offset, games, database.sizes()) else {
            return Ok(Vec::new().into());
        };
        let begin = start;
        let mut wanted = Vec::new();
        for n in first.. {
            if start >= end {
                break;
            }
            let game = games.get(n).ok_or(FsError::Io(Failure::Sizes))?;
            wanted.push(game);
            start += u64::from(database.sizes().get(game).ok_or(FsError::Io(Failure::Sizes))?);
        }
        if let [game] = wanted[..] {
            // The game may be long, and the next request is probably for its next part.
            return Ok(Chunk::of(database.text(game)?, offset - begin, size));
        }
        let len = usize::try_from(start - begin).map_err(|_| FsError::Io(Failure::Sizes))?;
        let mut texts = Vec::with_capacity(len);
        let mut wanted = wanted.into_iter().peekable();
        while let Some(&game) = wanted.peek() {
            if let Some(text) = database.cached(game) {
                texts.extend_from_slice(&text);
                wanted.next();
                continue;
            }
            let is_missing = |&next: &u32| next == game || !database.is_cached(next);
            let mut missing = iter::from_fn(|| wanted.next_if(is_missing));
            let mut last = None;
            database
                .texts()
                .append(&mut texts, usize::MAX, &mut missing, |game, text| {
                    last = Some((game, text.len()));
                })?;
            if let Some((game, len)) = last
                && wanted.peek().is_none()
                && start > end
            {
                // The next request probably begins in a game that was not read to its end.
                database.keep(game, texts.get(texts.len() - len..).unwrap_or_default().into());
            }
        }
        Ok(Chunk::of_joined(texts, offset - begin, size))
    }

    fn wait(&self) -> Wait {
        Wait::Common.unless(if self.are_all() {
            self.database.sizes().are_complete()
        } else {
            self.size_if_known().is_some()
        })
    }
}
