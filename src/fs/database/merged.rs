//! `all.pgn` and merged files: where their games stand in them, and the bytes of those that are read.

use std::iter;
use std::sync::{Arc, PoisonError};

use super::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::join::Join;
use crate::fs::sizes::Games;
use crate::fs::types::{Chunk, FsError};
use crate::tree::Node;

impl DatabaseFs {
    /// The games of `all.pgn` or a merged file, in its order.
    pub(super) fn games(&self, file: Node) -> Option<Games<'_>> {
        match file {
            Node::All => Some(Games::All(self.entry().database.len())),
            _ => self.tree.merged_games(file).map(Games::Listed),
        }
    }

    /// The places of the games in `all.pgn` or a merged file.
    pub(super) fn join(&self, file: Node) -> Result<Arc<Join>, FsError> {
        let games = self.games(file).ok_or(FsError::Stale)?;
        if let Some(join) = self.kept_join(file) {
            return Ok(join);
        }
        let join = Join::new(games, self.sizes()).or_else(|| {
            self.know_sizes(games);
            Join::new(games, self.sizes())
        });
        let join = Arc::new(join.ok_or_else(|| self.texts.fail(Failure::Sizes))?);
        if file == Node::All {
            return Ok(Arc::clone(self.all.get_or_init(|| join)));
        }
        if !Join::is_short(games) {
            let mut joins = self.joins.lock().unwrap_or_else(PoisonError::into_inner);
            joins.put(file, Arc::clone(&join));
        }
        Ok(join)
    }

    fn kept_join(&self, file: Node) -> Option<Arc<Join>> {
        match file {
            Node::All => self.all.get().cloned(),
            _ => {
                let mut joins = self.joins.lock().unwrap_or_else(PoisonError::into_inner);
                joins.get(&file).cloned()
            }
        }
    }

    /// Bytes of `all.pgn` or a merged file: only the games that they touch are decoded.
    pub(super) fn read_join(&self, file: Node, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let join = self.join(file)?;
        let games = self.games(file).ok_or(FsError::Stale)?;
        let end = offset.saturating_add(u64::from(size)).min(join.len());
        let Some((first, mut start)) = join.find(offset, games, self.sizes()) else {
            return Ok(Vec::new().into());
        };
        let begin = start;
        let mut wanted = Vec::new();
        for n in first.. {
            if start >= end {
                break;
            }
            let game = games.get(n).ok_or(FsError::Io)?;
            wanted.push(game);
            start += u64::from(self.sizes().get(game).ok_or(FsError::Io)?);
        }
        if let [game] = wanted[..] {
            // It may be long, and who reads a part of it wants the next one, too.
            return Ok(Chunk::of(self.text(game)?, offset - begin, size));
        }
        let len = usize::try_from(start - begin).map_err(|_| FsError::Io)?;
        let mut texts = Vec::with_capacity(len);
        let mut wanted = wanted.into_iter().peekable();
        while let Some(&game) = wanted.peek() {
            if let Some(text) = self.cached(game) {
                texts.extend_from_slice(&text);
                wanted.next();
                continue;
            }
            let mut missing = iter::from_fn(|| wanted.next_if(|&next| next == game || !self.is_cached(next)));
            let mut last = None;
            self.texts
                .append(&mut texts, usize::MAX, &mut missing, |game, text| {
                    last = Some((game, text.len()));
                })?;
            if let Some((game, len)) = last
                && wanted.peek().is_none()
                && start > end
            {
                // Only what is not read to its end is wanted again.
                self.keep(game, texts.get(texts.len() - len..).unwrap_or_default().into());
            }
        }
        Ok(Chunk::of_joined(texts, offset - begin, size))
    }
}
