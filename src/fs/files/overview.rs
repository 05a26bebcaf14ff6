//! `overview.html`. All games must be decoded for it, and all tags read.

use parking_lot::Mutex;
use std::sync::Arc;

use super::{Text, Wait};
use crate::fs::database::DatabaseFs;
use crate::fs::failure::Failure;
use crate::fs::gather::decode_missing;
use crate::fs::sizes::Games;
use crate::fs::types::FsError;
use crate::overview::{Counts, Figures, Subject, page};
use chessdb_library::spelling::Names;

/// Games in a piece. A thread counts up to 32 pieces at a time.
const PIECE: usize = 8;

/// `overview.html` of a database.
pub(super) struct Overview<'a>(pub(super) &'a DatabaseFs);

impl Text for Overview<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.0.made.overview.get().cloned()
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.text_if_known() {
            return Ok(text);
        }
        let database = self.0;
        let entry = database.entry();
        let subject = Subject {
            name: entry.name(),
            what: entry.format.title.to_owned(),
            place: "file",
            problems: Some(database.problems_by_file()?),
            directories: &|view, texts| database.tree.common().directory_of(view, texts),
        };
        let made = &database.made;
        let _turn = made.overview_turn.lock();
        if let Some(text) = self.text_if_known() {
            return Ok(text);
        }
        let text = page(
            &subject,
            &database.figures(Games::All(entry.database.len()), None)?,
        )
        .into_bytes()
        .into();
        Ok(Arc::clone(made.overview.get_or_init(|| text)))
    }

    fn wait(&self) -> Wait {
        Wait::Common.unless(self.text_if_known().is_some())
    }
}

impl DatabaseFs {
    /// What the tags of games say, with the names under which players are shown.
    ///
    /// # Errors
    /// If the database has changed.
    pub(in crate::fs) fn figures(&self, games: Games<'_>, names: Option<&Names>) -> Result<Figures, FsError> {
        let pieces: Vec<u32> = (0..games.len().div_ceil(PIECE) as u32).collect();
        let figures = Mutex::new(Figures::default());
        decode_missing(&pieces, self.options.threads, |pieces| {
            let (Some(&first), Some(&last)) = (pieces.first(), pieces.last()) else {
                return;
            };
            let games = (first as usize * PIECE..(last as usize + 1) * PIECE).map_while(|n| games.get(n));
            let own = Figures::of(self.entry(), games, names);
            let mut figures = figures.lock();
            figures.append(own);
        });
        self.texts().check()?;
        Ok(figures.into_inner())
    }

    /// Number of problems in each file of the database. Decodes the games whose problems are unknown.
    ///
    /// # Errors
    /// If the database has changed.
    pub(in crate::fs) fn problems_by_file(&self) -> Result<Counts, FsError> {
        if !self.sizes().have_problems() {
            self.know_problems();
        }
        if !self.sizes().have_problems() {
            return Err(self.texts().fail(Failure::Sizes));
        }
        let mut counts = Counts::default();
        for problem in self.entry().database.problems() {
            counts.add(problem.file.clone(), 1);
        }
        self.sizes()
            .each_problem(|_, file, _| counts.add(file.to_owned(), 1));
        Ok(counts)
    }
}
