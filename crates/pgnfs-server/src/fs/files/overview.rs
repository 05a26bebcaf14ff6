//! `overview.html`. Making it decodes all games and reads all tags.

use parking_lot::Mutex;
use std::borrow::Cow;
use std::sync::Arc;

use super::file::File;
use super::file_cache::SizedTable;
use crate::fs::branch::BranchFs;
use crate::fs::database::DatabaseFs;
use crate::fs::game_texts::decode_missing;
use crate::fs::part::PartFs;
use crate::fs::types::{Chunk, Failure, FsError};
use crate::overview::{Counts, Figures, LatestGame, PlayerSubject, Subject, page};
use chessdb_library::made::Wait;
use chessdb_library::making::Making;
use chessdb_library::openings::code_of;
use chessdb_library::player::{PlayerFigures, latest_games};
use chessdb_library::table::{GamePath, GameRow};

/// Games in a piece. A thread counts up to 32 pieces at a time: many games, because their counts are then added to the
/// counts of all games.
const PIECE: usize = 128;

/// `overview.html`
pub(super) struct Overview<'a>(pub(super) &'a BranchFs);

impl File for Overview<'_> {
    fn size_if_known(&self) -> Option<u64> {
        self.0.known_size(SizedTable::Overview)
    }

    fn size(&self) -> Result<u64, FsError> {
        let make = || self.text().map(|text| text.len() as u64);
        self.0.size_of(SizedTable::Overview, make)
    }

    fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        Ok(Chunk::of(self.text()?, offset, size))
    }

    /// A kept size answers requests for the size without making the page.
    fn wait_to_read(&self) -> Wait {
        Wait::Common.unless(self.0.files.overview.get().is_some())
    }
}

impl Overview<'_> {
    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        let text = self.0.files.overview.get_or_make(|| self.make());
        text.cloned()
    }

    fn make(&self) -> Result<Arc<[u8]>, FsError> {
        let branch = self.0;
        let (name, what) = branch.title();
        let _making = Making::begin("overview.html", &name, 0);
        let problems = branch.problems()?;
        let mut figures = Figures::default();
        for part in branch.named_parts() {
            figures.append(part.figures(branch.threads()));
        }
        let subject = Subject {
            name: &name,
            what,
            place: if branch.only_database().is_some() {
                "file"
            } else {
                "database"
            },
            problems,
            player: branch.player()?,
            has_eco_by_moves: branch.game_set().has_eco_by_moves(),
            // The page is in `tables/`.
            directories: &|view, texts| {
                let path = branch.game_set().path_of_group(view, texts);
                path.map(|path| format!("../{path}"))
            },
        };
        let text: Arc<[u8]> = page(&subject, &figures).into_bytes().into();
        branch.check(None)?;
        branch.record_size(SizedTable::Overview, text.len() as u64)?;
        Ok(text)
    }
}

impl BranchFs {
    /// The player of the search whose directory this is, if it is for one.
    fn player(&self) -> Result<Option<PlayerSubject>, FsError> {
        let search = self
            .search
            .as_ref()
            .filter(|search| search.query.has_one_player());
        let Some(search) = search else {
            return Ok(None);
        };
        let answers = self.answers()?;
        let games = search.query.games_of_player(answers.parts(), answers.options());
        let mut latest = latest_games(answers.parts(), &games);
        latest.truncate(PlayerSubject::LATEST);
        let parts = self.named_parts();
        // The directory of a search has `games/` only in one database.
        let root = format!("../..{}", "/..".repeat(self.path().split('/').count()));
        let listed = latest.iter().filter_map(|played| {
            let part = parts.get(played.part)?;
            let folder = match part.path {
                None => "..",
                Some("") => &root,
                Some(path) => &format!("{root}/{path}"),
            };
            let place = GamePath {
                folder,
                ..part.path_of(played.game)
            };
            let row = GameRow::new(part.database.served_entry(), place).with_names(part.names);
            let tag = |name| row.tag(name).map(Cow::into_owned);
            let code = || {
                code_of(&*part.database.served_entry().database, played.game)
                    .map(|code| code.as_str().to_owned())
            };
            let mut fields = ["Date", "White", "Black", "Result", "ECO"].map(tag);
            let [.., opening] = &mut fields;
            *opening = opening.take().or_else(code);
            Some(LatestGame {
                fields: fields.map(Option::unwrap_or_default),
                path: place.path(),
            })
        });
        Ok(Some(PlayerSubject {
            figures: PlayerFigures::of(answers.parts(), &games),
            latest: listed.collect(),
        }))
    }
}

impl PartFs<'_> {
    /// The contents of the tags of its games.
    fn figures(&self, threads: usize) -> Figures {
        let (database, games) = (self.database, &self.games);
        let pieces: Vec<u32> = (0..games.len().div_ceil(PIECE) as u32).collect();
        let figures = Mutex::new(Figures::default());
        decode_missing(&pieces, threads, |pieces| {
            let (Some(&first), Some(&last)) = (pieces.first(), pieces.last()) else {
                return;
            };
            let games = (first as usize * PIECE..(last as usize + 1) * PIECE).map_while(|n| games.get(n));
            let own = Figures::of(database.served_entry(), games, self.names);
            figures.lock().append(own);
        });
        figures.into_inner()
    }
}

impl DatabaseFs {
    /// Number of problems in each file of the database. Decodes the games whose problems are unknown.
    ///
    /// # Errors
    /// If the database has changed.
    pub(in crate::fs) fn problems_by_file(&self) -> Result<Counts, FsError> {
        if !self.sizes().have_problems() {
            self.determine_problems();
        }
        if !self.sizes().have_problems() {
            return Err(self.texts().fail(Failure::Sizes));
        }
        let mut counts = Counts::default();
        for problem in self.served_entry().database.problems() {
            counts.add(&problem.file, 1);
        }
        self.sizes().each_problem(|_, file, _| counts.add(file, 1));
        Ok(counts)
    }
}
