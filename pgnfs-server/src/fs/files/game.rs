//! A game as a file. Texts come from the cache or are decoded.

use std::iter;
use std::sync::Arc;

use super::file::File;
use crate::fs::database::DatabaseFs;
use crate::fs::types::{Chunk, FsError};
use crate::tree::Node;
use chessdb_library::made::Wait;

/// A game.
pub(super) struct GameFile<'a>(pub(super) &'a DatabaseFs, pub(super) u32);

impl File for GameFile<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.0.sizes().get(self.1).map(u64::from)
    }

    fn size(&self) -> Result<u64, FsError> {
        self.0.texts().load();
        match self.size_if_known() {
            Some(size) => Ok(size),
            None => self.0.text(self.1).map(|text| text.len() as u64),
        }
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        Ok(Chunk::of(self.0.text(self.1)?, offset, size))
    }

    /// Others wait for this thread while it decodes a long game.
    fn wait(&self) -> Wait {
        let is_stored = || self.0.entry().database.as_files().stored_len(self.1).is_some();
        let is_quick = !self.0.decodes_long(self.1) || is_stored() || self.0.is_cached(self.1);
        Wait::Own.unless(is_quick)
    }
}

/// Bytes of a record from which on decoding it takes milliseconds.
const LONG: u64 = 64 << 10;

impl DatabaseFs {
    /// True if decoding a game takes long.
    pub(in crate::fs) fn decodes_long(&self, game: u32) -> bool {
        let len = self.entry().database.as_files().record_len(game);
        len.is_some_and(|len| len >= LONG)
    }

    /// Returns the text of a game from the cache, or decodes and caches it.
    pub(super) fn text(&self, game: u32) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.cached(game) {
            return Ok(text);
        }
        let mut text = Vec::new();
        self.texts()
            .append(&mut text, usize::MAX, &mut iter::once(game), |_, _| ())?;
        let text: Arc<[u8]> = text.into();
        self.keep(game, Arc::clone(&text));
        Ok(text)
    }

    /// Passes the texts of games to `each` in the given order. Texts that are not cached are decoded and not
    /// cached.
    pub(in crate::fs) fn each_text(
        &self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<(), FsError> {
        let mut games = games.iter().copied().peekable();
        while let Some(&game) = games.peek() {
            if let Some(text) = self.cached(game) {
                each(game, &text);
                games.next();
                continue;
            }
            let mut missing = iter::from_fn(|| games.next_if(|&next| next == game || !self.is_cached(next)));
            self.texts().decode(&mut missing, |game, text| each(game, text))?;
        }
        Ok(())
    }

    pub(super) fn cached(&self, game: u32) -> Option<Arc<[u8]>> {
        self.cache.get(self.inode(Node::game(game)))
    }

    pub(super) fn is_cached(&self, game: u32) -> bool {
        self.cache.has(self.inode(Node::game(game)))
    }

    pub(in crate::fs) fn keep(&self, game: u32, text: Arc<[u8]>) {
        self.cache.put(self.inode(Node::game(game)), text);
    }
}
