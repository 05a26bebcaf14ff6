//! The texts of a database's games: decoded, measured, and compared with the sizes that were told.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};

use super::failure::{Failure, Failures};
use super::gather::{decode_missing, on_threads};
use super::remote::Remote;
use super::size_file::{SizeFile, SizeFiles};
use super::sizes::{Games, Sizes};
use super::status::PassState;
use super::types::FsError;
use crate::library::{LibraryEntry, append_text};

/// After so many bytes of texts the files are looked at: no more than that is decoded in vain where they were changed.
const MOST_UNSEEN: usize = 1 << 20;

/// Bytes of texts that are decoded together where nobody waits for more.
const USUAL_TEXTS: usize = 64 << 10;

/// Why texts are not to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The files were changed.
    Files,
    /// One is not as long as it was told to be.
    Length,
}

impl From<Wrong> for FsError {
    fn from(_: Wrong) -> FsError {
        FsError::Io
    }
}

/// The games of one database and what is known of their texts.
pub(super) struct Texts {
    entry: Arc<LibraryEntry>,
    /// Where its files may hang.
    remote: Option<Arc<Remote>>,
    sizes: Sizes,
    /// Held while sizes are gathered: whoever comes meanwhile waits and finds them.
    gathering: Mutex<()>,
    file: OnceLock<SizeFile>,
    load: Once,
    /// Sizes that are in the file.
    kept: AtomicU32,
    is_doubtful: AtomicBool,
    is_changed: AtomicBool,
    is_passing: AtomicBool,
    is_retired: AtomicBool,
    failures: Failures,
}

impl Texts {
    pub(super) fn new(entry: Arc<LibraryEntry>, remote: Option<Arc<Remote>>) -> Texts {
        Texts {
            sizes: Sizes::new(entry.database.len()),
            gathering: Mutex::new(()),
            file: OnceLock::new(),
            load: Once::new(),
            kept: AtomicU32::new(0),
            is_doubtful: AtomicBool::new(false),
            is_changed: AtomicBool::new(false),
            is_passing: AtomicBool::new(false),
            is_retired: AtomicBool::new(false),
            failures: Failures::new(),
            entry,
            remote,
        }
    }

    /// The threads that may read them, where others might hang.
    pub(super) fn remote(&self) -> Option<&Arc<Remote>> {
        self.remote.as_ref()
    }

    /// What is known.
    pub(super) fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Decodes games and gives their texts. What they tell is known from then on.
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
            texts.clear();
            match self.append(&mut texts, MOST_UNSEEN, games, &mut each) {
                Ok(()) if texts.is_empty() => return result,
                Ok(()) => {}
                // The other games may be right.
                Err(Wrong::Length) => result = Err(FsError::Io),
                Err(Wrong::Files) => return Err(FsError::Io),
            }
        }
    }

    /// Decodes games, until their texts have `most` bytes, and appends their texts.
    ///
    /// No text is believed, not even its size, before a look at the files has shown that all of it is of the state
    /// in which they were opened. One look serves many games.
    ///
    /// # Errors
    /// Where the files were changed, or a text is not as long as it was told to be. It is there, but `each` is not
    /// given it.
    pub(super) fn append(
        &self,
        out: &mut Vec<u8>,
        most: usize,
        games: &mut dyn Iterator<Item = u32>,
        mut each: impl FnMut(u32, &[u8]),
    ) -> Result<(), Wrong> {
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
        self.check().map_err(|_| Wrong::Files)?;
        let mut result = Ok(());
        for (game, text, problems) in decoded {
            let text = out.get(text).unwrap_or_default();
            if self.sizes.record(game, text.len(), &problems) {
                each(game, text);
            } else {
                self.doubt(game);
                result = Err(Wrong::Length);
            }
        }
        result
    }

    /// An error as soon as a file is not what it was when it was opened. The log says so once.
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
            "{name}: {file} was changed: what is not known yet cannot be read until it is opened again"
        );
        Err(FsError::Io)
    }

    /// The error of a request that fails for this reason, or because a file was changed. The log has it.
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

    /// Calls `decode` for the games whose sizes are unknown, from several threads. It shares the work with the pass.
    pub(super) fn gather(
        &self,
        games: Games<'_>,
        threads: usize,
        decode: impl Fn(&mut dyn Iterator<Item = u32>) + Sync,
    ) {
        self.load();
        let _turn = self.gathering.lock().unwrap_or_else(PoisonError::into_inner);
        let is_all = matches!(games, Games::All(_));
        self.decode_unknown(games, threads, decode, || {
            self.is_changed() || (is_all && self.is_retired.load(Ordering::Acquire))
        });
    }

    /// Ends every wait for the sizes of all games with an error, because another state of the database has taken its
    /// place. A look-up that waits keeps the kernel from hearing of names in the same directory.
    pub(super) fn retire(&self) {
        self.is_retired.store(true, Ordering::Release);
    }

    /// Decodes all games whose sizes are unknown, until `is_over`, which is asked before each.
    pub(super) fn pass(&self, threads: usize, is_over: impl Fn() -> bool + Sync) {
        let decode = |games: &mut dyn Iterator<Item = u32>| {
            // What went wrong is in the log, and whoever reads the game hears of it.
            let _ = self.decode(games, |_, _| {});
        };
        self.is_passing.store(true, Ordering::Release);
        let all = Games::All(self.sizes.games());
        self.decode_unknown(all, threads, decode, || is_over() || !self.is_trusted());
        self.is_passing.store(false, Ordering::Release);
    }

    fn decode_unknown(
        &self,
        games: Games<'_>,
        threads: usize,
        decode: impl Fn(&mut dyn Iterator<Item = u32>) + Sync,
        is_over: impl Fn() -> bool + Sync,
    ) {
        let decode = |games: &mut dyn Iterator<Item = u32>| {
            decode(&mut games.filter(|&game| self.sizes.get(game).is_none() && !is_over()));
        };
        if let Games::All(_) = games
            && !self.sizes.are_complete()
        {
            on_threads(threads.min(self.sizes.shares()), || {
                while let Some(mut share) = self.sizes.take_share().filter(|_| !is_over()) {
                    decode(&mut share);
                }
            });
        }
        // What others have taken is not waited for: they may be slow.
        decode_missing(&self.sizes.missing(games), threads, |games| {
            decode(&mut games.iter().copied());
        });
    }

    /// Has the sizes kept in a file. It is read when a size is first needed.
    pub(super) fn keep_in(&self, files: &SizeFiles) {
        self.file.get_or_init(|| files.of(&self.entry));
    }

    /// Reads the file, once; whoever comes meanwhile waits.
    pub(super) fn load(&self) {
        let Some(file) = self.file.get() else { return };
        self.load.call_once(|| {
            let kept = file.load(&self.entry, &self.sizes);
            self.kept.store(kept, Ordering::Release);
        });
    }

    /// Writes the file, where there is something new to write.
    pub(super) fn save(&self) {
        let is_new = self.sizes.known() > self.kept.load(Ordering::Acquire);
        let is_wanted = is_new && self.is_trusted() && self.check().is_ok();
        let Some(file) = self.file.get().filter(|_| is_wanted) else {
            return;
        };
        if !self.sizes.are_complete() {
            // Another mount may have written more meanwhile.
            file.load(&self.entry, &self.sizes);
        }
        self.kept.store(self.sizes.known(), Ordering::Release);
        file.save(&self.entry, &self.sizes);
        if !self.is_trusted() {
            file.remove();
        }
    }

    /// Sizes that were told are wrong: nobody is to believe them in another mount.
    fn doubt(&self, game: u32) {
        self.is_doubtful.store(true, Ordering::Release);
        self.failures.report(self.entry.name(), Failure::Length(game));
        if let Some(file) = self.file.get() {
            file.remove();
        }
    }

    /// True as soon as a game turned out to have another size than was told.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(Ordering::Acquire)
    }

    fn is_trusted(&self) -> bool {
        !self.is_doubtful() && !self.is_changed()
    }

    /// True when a file was found to be changed.
    fn is_changed(&self) -> bool {
        self.is_changed.load(Ordering::Acquire)
    }

    /// Where the background pass is.
    pub(super) fn pass_state(&self) -> PassState {
        match self.is_passing.load(Ordering::Acquire) {
            _ if self.sizes.are_complete() => PassState::Done,
            true => PassState::Running,
            false if self.is_trusted() => PassState::Waiting,
            false => PassState::GivenUp,
        }
    }

    /// What people call the database.
    pub(super) fn name(&self) -> &str {
        self.entry.name()
    }
}
