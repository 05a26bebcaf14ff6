//! Texts of a database's games: decoding them and checking their sizes.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Once, OnceLock, Weak};

use parking_lot::Mutex;

use super::remote::Remote;
use super::size_file::SizeFile;
use super::sizes::Sizes;
use super::status::PassState;
use super::types::{Failure, Failures, FsError};
use crate::tree::Games;
use chessdb_library::kept::{KeptFile, KeptFiles};
use chessdb_library::library::{LibraryEntry, append_text, problems_of};
use chessdb_library::making::Making;
use chessdb_library::parallel::in_threads;
use chessdb_library::positions::Positions;
use chessdb_library::task;
use chessdb_library::task::Underway;

/// The files are checked after this many bytes of texts, which limits how much is decoded in vain if they have
/// changed.
const MOST_UNSEEN: usize = 1 << 20;

/// Initial capacity for texts that are decoded together, in bytes.
const USUAL_TEXTS: usize = 64 << 10;

/// The sizes of a database's games: stored in the database, or a table that is filled by decoding.
fn sizes_of(entry: &Arc<LibraryEntry>) -> Sizes {
    let games = entry.database.len();
    match entry.database.as_files().stored_len(0).filter(|_| games > 0) {
        None => Sizes::new(games),
        Some(_) => {
            let entry = Arc::clone(entry);
            Sizes::stored(
                games,
                Box::new(move |game| entry.database.as_files().stored_len(game).unwrap_or(0)),
            )
        }
    }
}

/// The texts of a database's games, with their sizes and problems as far as these are known.
pub(super) struct Texts {
    entry: Arc<LibraryEntry>,
    /// Set if the files may hang.
    remote: Option<Arc<Remote>>,
    /// Made on first use, because the games are counted for it.
    sizes: OnceLock<Sizes>,
    /// Held while sizes are determined on request: concurrent requests wait and then find the sizes known.
    gathering: Mutex<()>,
    file: OnceLock<SizeFile>,
    load: Once,
    /// Number of sizes in the size file.
    kept: AtomicU32,
    is_doubtful: AtomicBool,
    is_changed: AtomicBool,
    is_passing: AtomicBool,
    is_retired: AtomicBool,
    failures: Failures,
    /// Removes the kept files of the database except the file of sizes.
    forget: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// Kept tables that have rows of its games.
    kept_tables: Mutex<Vec<Weak<KeptFile>>>,
    /// The index that the background pass prepares once all sizes are known.
    positions: OnceLock<Arc<Positions>>,
}

impl Texts {
    pub(super) fn new(entry: Arc<LibraryEntry>, remote: Option<Arc<Remote>>) -> Texts {
        Texts {
            sizes: OnceLock::new(),
            gathering: Mutex::new(()),
            file: OnceLock::new(),
            load: Once::new(),
            kept: AtomicU32::new(0),
            is_doubtful: AtomicBool::new(false),
            is_changed: AtomicBool::new(false),
            is_passing: AtomicBool::new(false),
            is_retired: AtomicBool::new(false),
            failures: Failures::new(),
            forget: OnceLock::new(),
            kept_tables: Mutex::default(),
            positions: OnceLock::new(),
            entry,
            remote,
        }
    }

    /// The threads that may read the files, if they may hang.
    pub(super) fn remote(&self) -> Option<&Arc<Remote>> {
        self.remote.as_ref()
    }

    /// The sizes known so far. Counts the games on first use.
    pub(super) fn sizes(&self) -> &Sizes {
        self.sizes.get_or_init(|| {
            let sizes = sizes_of(&self.entry);
            if !self.entry.is_counted() {
                // If the files changed before the games were counted, every file that depends on them reports it
                // again.
                let _ = self.check();
            }
            sizes
        })
    }

    /// The sizes known so far; `None` if the games have not been counted.
    pub(super) fn sizes_if_counted(&self) -> Option<&Sizes> {
        self.entry.is_counted().then(|| self.sizes())
    }

    /// Decodes games, passes their texts to `each`, and records sizes and problems.
    ///
    /// # Errors
    /// See [`Texts::append`].
    pub(super) fn decode(
        &self,
        games: &mut dyn Iterator<Item = u32>,
        mut each: impl FnMut(u32, &[u8]),
    ) -> Result<(), FsError> {
        let mut result = Ok(());
        let mut texts = Vec::with_capacity(USUAL_TEXTS);
        loop {
            task::check();
            texts.clear();
            match self.append(&mut texts, MOST_UNSEEN, games, &mut each) {
                Ok(()) if texts.is_empty() => return result,
                Ok(()) => {}
                // The other games may be correct.
                Err(error @ FsError::Io(Failure::Length(_))) => result = Err(error),
                Err(error) => return Err(error),
            }
        }
    }

    /// Decodes games until their texts have `most` bytes, and appends the texts to `out`.
    ///
    /// A text and its size are used only after a check that the files are still as they were when they were opened. One
    /// check covers many games.
    ///
    /// # Errors
    /// If the files have changed, or a text does not have its reported length. Such a text is appended, too,
    /// but not passed to `each`.
    pub(super) fn append(
        &self,
        out: &mut Vec<u8>,
        most: usize,
        games: &mut dyn Iterator<Item = u32>,
        mut each: impl FnMut(u32, &[u8]),
    ) -> Result<(), FsError> {
        let begin = out.len();
        let mut decoded = Vec::new();
        while out.len() - begin < most
            && let Some(game) = games.next()
        {
            let start = out.len();
            let problems = append_text(out, &self.entry, game);
            decoded.push((game, start..out.len(), problems));
        }
        if decoded.is_empty() {
            return Ok(());
        }
        self.check()?;
        let mut result = Ok(());
        for (game, text, problems) in decoded {
            let text = out.get(text).unwrap_or_default();
            if self.sizes().record(game, text.len(), &problems) {
                each(game, text);
            } else {
                self.distrust(game);
                result = Err(FsError::Io(Failure::Length(game)));
            }
        }
        result
    }

    /// Returns an error if a file has changed since it was opened. The first such error is logged at level
    /// error, later ones at level debug.
    pub(super) fn check(&self) -> Result<(), FsError> {
        if self.entry.is_intact() {
            return Ok(());
        }
        let is_news = !self.is_changed.swap(true, Ordering::AcqRel);
        let level = if is_news {
            log::Level::Error
        } else {
            log::Level::Debug
        };
        let (name, file) = (self.entry.name(), self.entry.lost_file().unwrap_or("a file"));
        log::log!(
            level,
            "{name}: {file} was changed: what was not read before cannot be read until the database is opened again"
        );
        Err(FsError::Io(Failure::Changed))
    }

    /// Logs why a request fails and returns its error. A changed file takes precedence over `failure`.
    pub(super) fn fail(&self, failure: Failure) -> FsError {
        let failure = match failure {
            Failure::Sizes if self.is_retired.load(Ordering::Acquire) => Failure::Replaced,
            failure => failure,
        };
        match self.check() {
            Ok(()) => self.failures.report(self.entry.name(), failure),
            Err(error) => error,
        }
    }

    /// Calls `decode` with the games of unknown size, from several threads. Shares the work with the
    /// background pass.
    pub(super) fn gather(
        &self,
        games: &Games<'_>,
        threads: usize,
        decode: impl Fn(&mut dyn Iterator<Item = u32>) + Sync,
    ) {
        self.load();
        let _turn = self.gathering.lock();
        let making = Making::begin("sizes", self.name(), games.len() as u64);
        let decode = |some: &mut dyn Iterator<Item = u32>| decode(&mut some.inspect(|_| making.done(1)));
        let is_all = games.are_all_of(self.sizes().games());
        self.decode_unknown(games, threads, decode, || {
            self.is_changed() || (is_all && self.is_retired.load(Ordering::Acquire))
        });
    }

    /// Decodes all games of a database that stores their sizes, to find their problems.
    pub(super) fn determine_problems(&self, threads: usize) {
        let _turn = self.gathering.lock();
        let is_over = || self.is_changed() || self.is_retired.load(Ordering::Acquire);
        if self.sizes().have_problems() {
            return;
        }
        let making = Making::begin("problems", self.name(), self.sizes().games().into());
        let next = AtomicU64::new(0);
        in_threads(threads.min(self.sizes().shares()), || {
            while let Some(share) = self.sizes().share_from(&next).filter(|_| !is_over()) {
                for game in share {
                    task::check();
                    making.done(1);
                    self.sizes()
                        .record_problems(game, &problems_of(&self.entry, game));
                }
                if self.check().is_err() {
                    return;
                }
            }
        });
        if !is_over() {
            self.sizes().complete_problems();
        }
    }

    /// Sets whether a newer state has replaced the database. While it has, every wait for the sizes of all games ends
    /// with an error: a waiting look-up would block the invalidation of names in the same directory.
    pub(super) fn set_retired(&self, is_retired: bool) {
        self.is_retired.store(is_retired, Ordering::Release);
    }

    /// Decodes all games of unknown size, until `is_over`, which is called before each game, returns true.
    pub(super) fn pass(&self, threads: usize, is_over: impl Fn() -> bool + Sync) {
        let decode = |games: &mut dyn Iterator<Item = u32>| {
            // The error is in the log; a read of the game returns it again.
            let _ = self.decode(games, |_, _| {});
        };
        let _passing = Underway::new(&self.is_passing);
        let all = Games::range(0..self.sizes().games());
        self.decode_unknown(&all, threads, decode, || is_over() || !self.is_trusted());
    }

    fn decode_unknown(
        &self,
        games: &Games<'_>,
        threads: usize,
        decode: impl Fn(&mut dyn Iterator<Item = u32>) + Sync,
        is_over: impl Fn() -> bool + Sync,
    ) {
        let decode = |games: &mut dyn Iterator<Item = u32>| {
            decode(&mut games.filter(|&game| self.sizes().get(game).is_none() && !is_over()));
        };
        if games.are_all_of(self.sizes().games()) && !self.sizes().are_complete() {
            in_threads(threads.min(self.sizes().shares()), || {
                while let Some(mut share) = self.sizes().take_share().filter(|_| !is_over()) {
                    decode(&mut share);
                }
            });
        }
        // Shares that other threads have taken are decoded again rather than waited for, because those
        // threads may be slow.
        decode_missing(&self.sizes().missing(games), threads, |games| {
            decode(&mut games.iter().copied());
        });
    }

    /// Lets the background pass open or build an index of positions.
    pub(super) fn prepare_later(&self, positions: &Arc<Positions>) {
        self.positions.get_or_init(|| Arc::clone(positions));
    }

    /// Opens or builds the index that the background pass is to prepare.
    pub(super) fn prepare(&self) {
        if let Some(positions) = self.positions.get().filter(|_| self.is_trusted()) {
            positions.prepare();
        }
    }

    /// Keeps the sizes in a file, which is read when a size is first needed.
    pub(super) fn keep_in(&self, files: &KeptFiles) {
        // Not `sizes`, which would count the games.
        if self.entry.database.as_files().stored_len(0).is_some() {
            return;
        }
        self.file.get_or_init(|| SizeFile::of(files, &self.entry));
    }

    /// Reads the size file once. Concurrent calls wait until it is read.
    pub(super) fn load(&self) {
        let Some(file) = self.file.get() else { return };
        self.load.call_once(|| {
            let kept = file.load(self.sizes());
            self.kept.store(kept, Ordering::Release);
        });
    }

    /// Writes the size file if more sizes are known than it contains.
    pub(super) fn save(&self) {
        let Some(sizes) = self.sizes_if_counted() else {
            return;
        };
        let is_new = sizes.known() > self.kept.load(Ordering::Acquire);
        let is_wanted = is_new && self.is_trusted() && self.check().is_ok();
        let Some(file) = self.file.get().filter(|_| is_wanted) else {
            return;
        };
        if !sizes.are_complete() {
            // Another mount may have written more sizes in the meantime.
            file.load(sizes);
        }
        self.kept.store(sizes.known(), Ordering::Release);
        // Trust is tested again after writing: a text may contradict its size meanwhile.
        file.save(&self.entry, sizes);
        if !self.is_trusted() {
            file.remove();
        }
    }

    /// Records that a reported size is wrong, and removes all kept files of the database, so that no other mount uses
    /// them.
    fn distrust(&self, game: u32) {
        self.is_doubtful.store(true, Ordering::Release);
        self.failures.report(self.entry.name(), Failure::Length(game));
        if let Some(file) = self.file.get() {
            file.remove();
        }
        if let Some(forget) = self.forget.get() {
            forget();
        }
        let tables: Vec<Weak<KeptFile>> = self.kept_tables.lock().drain(..).collect();
        let tables = tables.iter().filter_map(Weak::upgrade);
        tables.for_each(|file| file.remove());
    }

    /// Sets a function that removes the kept files of the database except the file of sizes.
    pub(super) fn on_distrust(&self, forget: impl Fn() + Send + Sync + 'static) {
        let _ = self.forget.set(Box::new(forget));
    }

    /// Registers a kept file to be removed if a text turns out not to have its reported size.
    pub(super) fn remove_on_distrust(&self, file: &Arc<KeptFile>) {
        let mut tables = self.kept_tables.lock();
        tables.retain(|other| other.strong_count() > 0);
        tables.push(Arc::downgrade(file));
        drop(tables);
        // The database may have become untrusted before this file was registered.
        if !self.is_trusted() {
            file.remove();
        }
    }

    /// True if the text of a game did not have its reported size.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(Ordering::Acquire)
    }

    /// True while the files have not changed and every text has had its reported size.
    pub(super) fn is_trusted(&self) -> bool {
        !self.is_doubtful() && !self.is_changed()
    }

    /// True if a file was found to have changed.
    fn is_changed(&self) -> bool {
        self.is_changed.load(Ordering::Acquire)
    }

    /// State of the background pass.
    pub(super) fn pass_state(&self) -> PassState {
        // Read first: a pass that ends now has completed the sizes.
        let is_passing = self.is_passing.load(Ordering::Acquire);
        if self.sizes_if_counted().is_some_and(Sizes::are_complete) {
            PassState::Done
        } else if is_passing {
            PassState::Running
        } else if self.is_trusted() {
            PassState::Waiting
        } else {
            PassState::GivenUp
        }
    }

    /// Display name of the database.
    pub(super) fn name(&self) -> &str {
        self.entry.name()
    }
}

/// Number of games that a thread takes at a time.
const CHUNK: usize = 32;

/// Calls `decode` for chunks of `games`, each game once, from up to `threads` threads.
pub(super) fn decode_missing(games: &[u32], threads: usize, decode: impl Fn(&[u32]) + Sync) {
    let next = AtomicUsize::new(0);
    in_threads(threads.min(games.len().div_ceil(CHUNK)), || {
        loop {
            task::check();
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            match games.get(start..) {
                None | Some([]) => return,
                Some(rest) => decode(rest.get(..CHUNK).unwrap_or(rest)),
            }
        }
    });
}
