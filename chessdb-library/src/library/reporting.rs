//! A database that reports every successful read of its files as progress.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::LibraryEntry;
use crate::workers::progress;
use chessdb::board::ByColor;
use chessdb::game::{Game, Tags};
use chessdb::replay::Ply;
use chessdb::{AsFiles, Database, Decoded, Folder, Info, Keys, Member, Problem, TextId};

impl LibraryEntry {
    /// The same database, every successful read of which is [progress](progress::beat).
    #[must_use]
    pub fn reporting(&self) -> LibraryEntry {
        LibraryEntry {
            database: Arc::new(Reporting {
                database: Arc::clone(&self.database),
            }),
            ..self.clone()
        }
    }
}

struct Reporting {
    database: Arc<dyn Database>,
}

impl Reporting {
    fn reporting<T>(&self, answer: T) -> T {
        progress::beat();
        answer
    }
}

impl Database for Reporting {
    fn len(&self) -> u32 {
        self.database.len()
    }

    fn keys(&self, game: u32) -> Keys {
        self.reporting(self.database.keys(game))
    }

    fn text(&self, id: TextId) -> String {
        self.reporting(self.database.text(id))
    }

    fn tags(&self, game: u32) -> Tags {
        self.reporting(self.database.tags(game))
    }

    fn site(&self, game: u32) -> Option<TextId> {
        self.reporting(self.database.site(game))
    }

    fn ratings(&self, game: u32) -> ByColor<Option<u16>> {
        self.reporting(self.database.ratings(game))
    }

    fn game(&self, game: u32) -> Decoded {
        self.reporting(self.database.game(game))
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        self.database.main_line(game, each);
        self.reporting(());
    }

    fn info(&self) -> Info {
        self.database.info()
    }

    fn problems(&self) -> &[Problem] {
        self.database.problems()
    }

    fn folders(&self) -> Vec<Folder> {
        self.database.folders()
    }

    fn as_files(&self) -> &dyn AsFiles {
        self
    }
}

impl AsFiles for Reporting {
    fn uncounted(&self) -> Option<u32> {
        self.database.as_files().uncounted()
    }

    fn is_prepared(&self) -> bool {
        self.database.as_files().is_prepared()
    }

    fn is_described(&self) -> bool {
        self.database.as_files().is_described()
    }

    fn record_len(&self, game: u32) -> Option<u64> {
        self.database.as_files().record_len(game)
    }

    fn stored_len(&self, game: u32) -> Option<u32> {
        self.reporting(self.database.as_files().stored_len(game))
    }

    fn append_stored(&self, game: u32, out: &mut Vec<u8>) -> bool {
        self.reporting(self.database.as_files().append_stored(game, out))
    }

    fn member_directory(&self) -> Option<&'static str> {
        self.database.as_files().member_directory()
    }

    fn members(&self) -> Vec<Member> {
        self.database.as_files().members()
    }

    fn read_member(&self, member: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.reporting(self.database.as_files().read_member(member, offset, buffer))
    }

    fn documents(&self) -> &[&'static str] {
        self.database.as_files().documents()
    }

    fn document(&self, document: usize) -> Game {
        self.reporting(self.database.as_files().document(document))
    }
}
