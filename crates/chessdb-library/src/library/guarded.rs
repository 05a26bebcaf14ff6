//! A wrapper around a database: if its decoder panics, one answer is empty, and every read is reported as progress.

use std::cell::Cell;
use std::fmt::{self, Display};
use std::io;
use std::ops::{ControlFlow, Deref};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use crate::task::{self, Cancelled};
use chessdb::board::ByColor;
use chessdb::game::{Game, Tags};
use chessdb::replay::Ply;
use chessdb::{AsFiles, Database, Decoded, Folder, Info, Keys, Member, Problem, TextId};

/// A database whose decoders may panic.
///
/// - If a decoder panics, the answer is empty: no tags, no game, no text; a main line ends there. Panics in the
///   caller's function for each move are passed on, and so is the unwinding of [cancelled](Cancelled) work.
/// - Every successful read is [progress](task::report_progress) of the task of this thread.
/// - Main lines are read from `lines` if it has them.
///
/// [`Database::len`] and [`Database::keys`] are not guarded, because no game can be shown without them.
#[derive(Clone)]
pub struct GuardedDatabase<D = Arc<dyn Database>, L = Arc<dyn MainLines>> {
    database: D,
    lines: Option<L>,
}

/// Where main lines are read from instead of their database.
pub trait MainLines: Send + Sync {
    /// Passes the moves of a game to `each` until it breaks. Returns false, without passing a move, if the moves must
    /// be read from the database instead.
    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) -> bool;
}

impl<D, L> GuardedDatabase<D, L> {
    /// A database whose main lines are read from here.
    pub(crate) fn with(database: D, lines: L) -> GuardedDatabase<D, L> {
        GuardedDatabase {
            database,
            lines: Some(lines),
        }
    }
}

impl GuardedDatabase {
    /// A database of any format.
    pub fn new(database: impl Into<Arc<dyn Database>>) -> GuardedDatabase {
        GuardedDatabase {
            database: database.into(),
            lines: None,
        }
    }

    /// A database that is not shared yet.
    pub fn of(database: impl Database + 'static) -> GuardedDatabase {
        GuardedDatabase::new(Arc::new(database) as Arc<dyn Database>)
    }

    /// The same database, whose main lines are read from here.
    pub(crate) fn with_lines(&self, lines: Arc<dyn MainLines>) -> GuardedDatabase {
        GuardedDatabase::with(Arc::clone(&self.database), lines)
    }

    /// True if both read the same open database.
    pub(super) fn is_same(&self, other: &GuardedDatabase) -> bool {
        Arc::ptr_eq(&self.database, &other.database)
    }

    /// The database itself, for texts: they say why a decoder failed.
    pub(super) fn unguarded(&self) -> &dyn Database {
        &*self.database
    }

    /// The same database, shared.
    pub fn shared(&self) -> Arc<dyn Database> {
        Arc::new(self.clone())
    }
}

impl Deref for GuardedDatabase {
    type Target = dyn Database;

    fn deref(&self) -> &Self::Target {
        self
    }
}

impl fmt::Debug for GuardedDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedDatabase").finish_non_exhaustive()
    }
}

/// Calls a decoder. Returns the default value if it panics.
fn guard<T: Default>(of: impl Display, read: impl FnOnce() -> T) -> T {
    guard_all_but(&Cell::new(false), of, read)
}

/// Calls a decoder for a game. Returns the default value if it panics.
fn guard_game<T: Default>(game: u32, read: impl FnOnce() -> T) -> T {
    guard(format_args!("game {}", u64::from(game) + 1), read)
}

/// Calls a decoder. Returns the default value if it panics; panics while `is_with_caller` is set come from the caller's
/// function and are passed on.
fn guard_all_but<T: Default>(is_with_caller: &Cell<bool>, of: impl Display, read: impl FnOnce() -> T) -> T {
    let read = catch_unwind(AssertUnwindSafe(read));
    read.inspect(|_| task::report_progress()).unwrap_or_else(|cause| {
        if is_with_caller.get() || cause.is::<Cancelled>() {
            resume_unwind(cause);
        }
        log::error!("{of}: the decoder failed: {}", task::panic_message(&*cause));
        T::default()
    })
}

impl<D, L> Database for GuardedDatabase<D, L>
where
    D: Deref<Target: Database> + Send + Sync,
    L: Deref<Target: MainLines> + Send + Sync,
{
    fn len(&self) -> u32 {
        self.database.len()
    }

    fn keys(&self, game: u32) -> Keys {
        let keys = self.database.keys(game);
        task::report_progress();
        keys
    }

    fn text(&self, id: TextId) -> String {
        guard("a text", || Some(self.database.text(id))).unwrap_or_else(|| "?".to_owned())
    }

    fn tags(&self, game: u32) -> Tags {
        guard_game(game, || self.database.tags(game))
    }

    fn site(&self, game: u32) -> Option<TextId> {
        guard_game(game, || self.database.site(game))
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        guard_game(game, || self.database.ratings(game))
    }

    fn game(&self, game: u32) -> Decoded {
        guard_game(game, || self.database.game(game))
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        if let Some(lines) = &self.lines
            && lines.main_line(game, each)
        {
            return;
        }
        let is_with_caller = Cell::new(false);
        let of = format_args!("game {}", u64::from(game) + 1);
        guard_all_but(&is_with_caller, of, || {
            self.database.main_line(game, &mut |ply| {
                is_with_caller.set(true);
                let flow = each(ply);
                is_with_caller.set(false);
                flow
            });
        });
    }

    fn has_only_moves(&self, game: u32) -> bool {
        guard_game(game, || self.database.has_only_moves(game))
    }

    fn info(&self) -> Info {
        guard("its information", || self.database.info())
    }

    fn problems(&self) -> &[Problem] {
        guard("its problems", || self.database.problems())
    }

    fn folders(&self) -> Vec<Folder> {
        guard("its folders", || self.database.folders())
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}

impl<D, L> AsFiles for GuardedDatabase<D, L>
where
    D: Deref<Target: Database>,
{
    fn uncounted(&self) -> Option<u32> {
        self.database.as_files().uncounted()
    }

    fn is_prepared(&self) -> bool {
        self.database.as_files().is_prepared()
    }

    fn record_len(&self, game: u32) -> Option<u64> {
        guard_game(game, || self.database.as_files().record_len(game))
    }

    fn stored_len(&self, game: u32) -> Option<u32> {
        guard_game(game, || self.database.as_files().stored_len(game))
    }

    fn append_stored(&self, game: u32, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let is_stored = guard_game(game, || self.database.as_files().append_stored(game, out));
        if !is_stored {
            out.truncate(start);
        }
        is_stored
    }

    fn member_directory(&self) -> Option<&'static str> {
        self.database.as_files().member_directory()
    }

    fn members(&self) -> Vec<Member> {
        guard("its files", || self.database.as_files().members())
    }

    fn read_member(&self, member: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let read = || Some(self.database.as_files().read_member(member, offset, buffer));
        guard(format_args!("file {member} in it"), read)
            .unwrap_or_else(|| Err(io::Error::other("the decoder failed")))
    }

    fn documents(&self) -> &[&'static str] {
        guard("its documents", || self.database.as_files().documents())
    }

    fn document(&self, document: usize) -> Game {
        let read = || self.database.as_files().document(document);
        guard(format_args!("document {document}"), read)
    }
}
