//! Games as files: a single game, or several one after another.

use std::iter;
use std::sync::Arc;

use super::file::File;
use crate::fs::branch::BranchFs;
use crate::fs::database::DatabaseFs;
use crate::fs::join::{Join, Joins};
use crate::fs::types::{Chunk, Failure, FsError};
use crate::tree::{Games, GamesOfPart, Node};
use chessdb_library::made::Wait;

/// A game.
pub(in crate::fs) struct GameFile<'a>(pub(super) &'a DatabaseFs, pub(super) u32);

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

    /// A long game is decoded in another thread: this one answers other requests meanwhile.
    fn wait_to_read(&self) -> Wait {
        // Even the length of the record may be in a source that hangs. Only the threads of the source read it, and for
        // them a long game is as good as a short one.
        if self.0.texts().remote().is_some() {
            return Wait::None;
        }
        let is_stored = || {
            self.0
                .served_entry()
                .database
                .as_files()
                .stored_len(self.1)
                .is_some()
        };
        let is_quick = !self.0.decodes_long(self.1) || is_stored() || self.0.is_cached(self.1);
        Wait::Own.unless(is_quick)
    }
}

/// Number of bytes of a record above which decoding takes milliseconds.
const LONG: u64 = 64 << 10;

impl DatabaseFs {
    /// True if decoding a game takes long.
    pub(in crate::fs) fn decodes_long(&self, game: u32) -> bool {
        let len = self.served_entry().database.as_files().record_len(game);
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

/// Games one after the other.
pub(super) struct Joined<'a> {
    database: &'a DatabaseFs,
    /// Where the offsets are kept.
    joins: &'a Joins,
    file: Node,
    games: Games<'a>,
}

impl Joined<'_> {
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
        if self.wait_to_read() == Wait::None {
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
                // The next request probably starts in a game that was not read to its end, so its text is cached.
                database.keep(game, texts.get(texts.len() - len..).unwrap_or_default().into());
            }
        }
        Ok(Chunk::of_joined(texts, offset - begin, size))
    }

    fn wait_to_read(&self) -> Wait {
        Wait::Common.unless(if self.are_all() {
            self.database.sizes().are_complete()
        } else {
            self.size_if_known().is_some()
        })
    }
}

/// Games of one database or of several, one after the other.
pub(super) struct Concatenated<'a> {
    pub(super) branch: &'a BranchFs,
    pub(super) file: Node,
    /// The games, or `None` for all games that are shown.
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
            let (joins, file) = match own.or(own_file) {
                Some(file) => (database.joins(), file),
                None => (joins, self.file),
            };
            joined.push(Joined {
                database,
                joins,
                file,
                games,
            });
        }
        Ok(joined)
    }

    /// What to wait for before the games are known: duplicates may have to be found.
    fn wait_for_games(&self) -> Wait {
        match self.games {
            Some(_) => Wait::None,
            None => self.branch.game_set().wait_for_parts(),
        }
    }

    /// Where each part ends.
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

    fn wait_to_read(&self) -> Wait {
        if self.wait_for_games() != Wait::None {
            return Wait::Common;
        }
        let parts = self.parts();
        parts.map_or(Wait::Common, |parts| {
            parts.iter().map(File::wait_to_read).max().unwrap_or(Wait::None)
        })
    }
}
