//! Decodes games ahead of their use. A program that takes one game after another gets most of them from blocks that
//! were decoded together. Files are checked, and the GIL is released, once for each block.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::PyResult;

/// Maximum number of games in a block.
const MOST: u32 = 64;

/// The last block of decoded games.
pub struct Ahead<B>(Mutex<Last<B>>);

struct Last<B> {
    games: Range<u32>,
    block: Option<Arc<B>>,
    /// The game after the last one that was taken.
    next: u32,
    /// Number of games that were decoded at once.
    decoded: u32,
}

impl<B> Default for Ahead<B> {
    fn default() -> Ahead<B> {
        Ahead(Mutex::new(Last {
            games: 0..0,
            block: None,
            next: 0,
            decoded: 0,
        }))
    }
}

impl<B> Ahead<B> {
    /// The block with a game of a database with `len` games, and the place of the game in it. `decode` makes a block of
    /// one game, or of twice as many games as the last block if games are taken one after another.
    ///
    /// # Errors
    /// If `decode` fails.
    pub fn get(
        &self,
        game: u32,
        len: u32,
        decode: impl FnOnce(Range<u32>) -> PyResult<B>,
    ) -> PyResult<(Arc<B>, usize)> {
        let mut last = self.last();
        let is_next = last.next == game;
        last.next = game.saturating_add(1);
        if let Some(block) = &last.block
            && last.games.contains(&game)
        {
            return Ok((Arc::clone(block), (game - last.games.start) as usize));
        }
        last.decoded = if is_next {
            (2 * last.decoded).clamp(1, MOST)
        } else {
            1
        };
        let games = game..game.saturating_add(last.decoded).min(len);
        drop(last);
        let block = Arc::new(decode(games.clone())?);
        if games.len() > 1 {
            let mut last = self.last();
            (last.games, last.block) = (games, Some(Arc::clone(&block)));
        }
        Ok((block, 0))
    }

    /// Locks the state without releasing the GIL. That cannot deadlock: the lock is held only for moments, during which
    /// nothing is decoded and no Python code runs.
    fn last(&self) -> MutexGuard<'_, Last<B>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
