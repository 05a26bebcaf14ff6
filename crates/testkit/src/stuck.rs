//! Databases whose source can be made to hang.

use std::io;
use std::sync::{Arc, Condvar, Mutex};

use chessdb::game::{Game, Tags};
use chessdb::{AsFiles, Database, Decoded, Folder, Info, Keys, Member, Problem, TextId};
use chessdb_library::library::{GuardedDatabase, LibraryEntry};

use super::fake::Fake;

/// A gate between a database and its source. It opens when the test ends, and then stays open.
pub struct Gate(Arc<State>);

#[derive(Default)]
struct State {
    closed: Mutex<Closed>,
    opened: Condvar,
}

/// The calls that the gate blocks, and how many threads wait at it.
#[derive(Default)]
struct Closed {
    is_all: bool,
    game: Option<u32>,
    waiting: usize,
}

impl Gate {
    pub fn close(&self) {
        self.0.closed.lock().unwrap().is_all = true;
    }

    /// Closes the gate for the moves of one game.
    pub fn close_for(&self, game: u32) {
        self.0.closed.lock().unwrap().game = Some(game);
    }

    pub fn open(&self) {
        let mut closed = self.0.closed.lock().unwrap();
        (closed.is_all, closed.game) = (false, None);
        drop(closed);
        self.0.opened.notify_all();
    }

    /// Number of threads that wait at the gate.
    pub fn waiting(&self) -> usize {
        self.0.closed.lock().unwrap().waiting
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

impl State {
    fn pass(&self) {
        self.pass_with(None);
    }

    fn pass_with(&self, game: Option<u32>) {
        let mut closed = self.closed.lock().unwrap();
        closed.waiting += 1;
        let is_kept = |closed: &mut Closed| closed.is_all || (game.is_some() && closed.game == game);
        closed = self.opened.wait_while(closed, is_kept).unwrap();
        closed.waiting -= 1;
    }
}

/// A database behind a gate, on a file system that is not local.
pub fn behind_gate(fake: Fake, path: &str) -> (LibraryEntry, Gate) {
    let gate = Arc::new(State::default());
    let entry = LibraryEntry {
        database: GuardedDatabase::of(Stuck(fake.clone(), Arc::clone(&gate))),
        is_local: false,
        ..fake.at(path)
    };
    (entry, Gate(gate))
}

struct Stuck(Fake, Arc<State>);

impl Database for Stuck {
    fn len(&self) -> u32 {
        self.0.len()
    }

    fn keys(&self, game: u32) -> Keys {
        self.1.pass();
        self.0.keys(game)
    }

    fn text(&self, id: TextId) -> String {
        self.1.pass();
        self.0.text(id)
    }

    fn tags(&self, game: u32) -> Tags {
        self.1.pass();
        self.0.tags(game)
    }

    fn game(&self, game: u32) -> Decoded {
        self.1.pass_with(Some(game));
        self.0.game(game)
    }

    fn info(&self) -> Info {
        self.0.info()
    }

    fn problems(&self) -> &[Problem] {
        self.0.problems()
    }

    fn folders(&self) -> Vec<Folder> {
        self.0.folders()
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}

impl AsFiles for Stuck {
    fn record_len(&self, game: u32) -> Option<u64> {
        self.1.pass();
        self.0.as_files().record_len(game)
    }

    fn members(&self) -> Vec<Member> {
        self.0.as_files().members()
    }

    fn read_member(&self, member: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.pass();
        self.0.as_files().read_member(member, offset, buffer)
    }

    fn documents(&self) -> &[&'static str] {
        self.0.as_files().documents()
    }

    fn document(&self, document: usize) -> Game {
        self.1.pass();
        self.0.as_files().document(document)
    }
}
