//! A source as it is served: its library as a tree, the watch that notices changes, the background pass, and what
//! replaces the tree when the source changes.
//!
//! A front end, such as that for FUSE, asks [`Requests`], and is told what became outdated. It need not know which thread
//! may answer, or what a request waits for.

mod follow;
mod listing;
mod open_file;
mod pending;
mod positions;
mod requests;
mod walking;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use listing::{Detail, Visitor};
pub use open_file::OpenFile;
pub use pending::{Reply, Unanswered};
pub use requests::Requests;

use crate::fs::{ChessFs, CurrentState, Outdated, PassOptions, ServeOptions};
use crate::watch::{Means, Watch};
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::Library;
use follow::{Followed, Stop};

/// A served source. It stops when it is dropped: all its threads end within two seconds, except one in a call that hangs,
/// which ends with that; requests get an error if they need long work.
///
/// ```
/// use std::sync::mpsc::channel;
///
/// use chessdb_library::library::Library;
/// use pgnfs_server::{ServeOptions, Server};
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("a.pgn"), "[White \"Bird\"]\n\n1. f4 *\n")?;
/// let library = Library::open(folder.path(), &Default::default())?;
/// let server = Server::of(library, ServeOptions::default());
/// let (sender, answer) = channel();
/// server.requests().open(0, "a.pgn/all.pgn", move |file| sender.send(file).unwrap());
/// let file = answer.recv()??;
/// assert!(file.size() > 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Server {
    requests: Requests,
    is_watched: bool,
    /// Until [`Server::start`].
    watch: Option<Watch>,
    /// Since then.
    stop: Option<Stop>,
}

impl Server {
    /// Begins to watch an absolute path, and then opens it with `open`, so that no later change is missed. `means` and
    /// `quiet` are passed to [`Watch::start`]. Decodes no game.
    ///
    /// # Errors
    /// If `open` or [`Watch::start`] fails.
    pub fn open<E: From<io::Error>>(
        source: &Path,
        means: Means,
        quiet: Duration,
        open: impl FnOnce(&Path) -> Result<Library, E>,
        options: ServeOptions,
    ) -> Result<Server, E> {
        let watch = Watch::start(source, means, quiet)?;
        let mut server = Server::of(open(source)?, options);
        server.is_watched = watch.is_some();
        server.watch = watch;
        Ok(server)
    }

    /// Serves a library without watching its source.
    pub fn of(library: Library, options: ServeOptions) -> Server {
        let live = CurrentState::new(ChessFs::new(library, options));
        Server {
            requests: Requests::new(Arc::new(live)),
            is_watched: false,
            watch: None,
            stop: None,
        }
    }

    /// Where front ends ask. They may keep it for longer than the server.
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// The library that is served now. Its files stay open as long as somebody has it, also when they have changed and
    /// another library is served.
    pub fn library(&self) -> Library {
        self.live().current().library().clone()
    }

    /// Keeps in files what takes long to find again, for the next server of the same databases.
    pub fn keep_in(&self, files: &KeptFiles) {
        self.live().current().keep_in(files);
    }

    /// What of the databases cannot be shown, and what to set: the name of the database and a sentence.
    pub fn obstacles(&self) -> Vec<(String, String)> {
        let fs = self.live().current();
        let obstacles = fs.obstacles();
        obstacles.map(|(name, what)| (name.to_owned(), what)).collect()
    }

    /// True if changes of the source are followed.
    pub fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Starts the background pass, adding databases that were still being opened, and following changes of the source if
    /// it is watched. After each change, and when a front end keeps very many searches, calls `outdated` with what it must
    /// not take from a cache any more, in threads that answer no request. The threads have the privileges of the one that
    /// calls this.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn start(
        &mut self,
        pass: PassOptions,
        outdated: impl Fn(&[Outdated]) + Send + Sync + 'static,
    ) -> io::Result<()> {
        self.live().current().start_pass(pass);
        let watch = self.watch.take();
        let stop = Followed::start(self.live(), watch, outdated)?;
        self.stop = Some(stop);
        Ok(())
    }

    fn live(&self) -> &Arc<CurrentState> {
        self.requests.live()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.requests.end_work();
        drop(self.stop.take());
        let fs = self.live().current();
        fs.library().give_up_openings();
        // Sizes known by then are saved.
        fs.end_pass();
    }
}
