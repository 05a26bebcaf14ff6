//! A served source: its library as a tree, the watch that notices changes, the background pass, and the threads that
//! replace the tree after a change.
//!
//! A front end, such as FUSE, sends requests to [`Requests`], and is called with everything that became outdated. It
//! does not matter to the front end which thread answers, or what a request waits for.

mod follow;
mod listing;
mod open_file;
mod pending;
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

/// A served source. Dropping it stops it: its threads end within two seconds, except a thread in a call that hangs,
/// which ends when the call does. Requests that need long work get an error.
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
    /// Set until [`Server::start`].
    watch: Option<Watch>,
    /// Set from then on.
    stop: Option<Stop>,
}

impl Server {
    /// Starts to watch an absolute path, and only then opens it with `open`, so that no change is missed in between.
    /// `means` and `quiet` are passed to [`Watch::start`]. Decodes no game.
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

    /// The handle for requests of front ends, which may keep it for longer than the server.
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// The library that is served now. Its files stay open until the caller drops it, even if they change and another
    /// library is served.
    pub fn library(&self) -> Library {
        self.live().current().library().clone()
    }

    /// Keeps results that take long to compute in files, for the next server of the same databases.
    pub fn keep_in(&self, files: &KeptFiles) {
        self.live().current().keep_in(files);
    }

    /// Databases that cannot be shown in full: the name of each, and a sentence with the reason and the setting to
    /// change.
    pub fn obstacles(&self) -> Vec<(String, String)> {
        let fs = self.live().current();
        let obstacles = fs.obstacles();
        obstacles.map(|(name, what)| (name.to_owned(), what)).collect()
    }

    /// True if changes of the source are followed.
    pub fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Starts the background pass, adds databases that open late, and follows changes of the source if it is watched.
    /// After each change, and when a front end keeps very many searches, calls `outdated` with the nodes and names
    /// that the front end must drop from its caches, in threads that answer no request. Nodes that the source no
    /// longer has are reported in a separate thread, so a call for it may wait for requests in old states. These
    /// threads have the privileges of the calling thread.
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
        // Saves the sizes known by now. All work was cancelled above, so this does not wait for any.
        fs.end_pass();
    }
}
