//! `overview.html` of all databases.

use std::sync::Arc;

use super::AllFs;
use crate::fs::files::{Text, Wait};
use crate::fs::types::FsError;
use crate::overview::{Counts, Figures, Subject, page};

/// `overview.html`
pub(super) struct Overview<'a>(pub(super) &'a AllFs);

impl Text for Overview<'_> {
    fn text_if_known(&self) -> Option<Arc<[u8]>> {
        self.0.overview.get().cloned()
    }

    fn text(&self) -> Result<Arc<[u8]>, FsError> {
        if let Some(text) = self.text_if_known() {
            return Ok(text);
        }
        let all = self.0;
        let _turn = all.overview_turn.lock();
        if let Some(text) = self.text_if_known() {
            return Ok(text);
        }
        // The problems of a database are not those of the games that `unique/` shows of it.
        let is_unique = all.tree.databases().is_unique();
        let mut problems = (!is_unique).then(Counts::default);
        let mut figures = Figures::default();
        for (number, database) in all.databases.iter().enumerate() {
            if let (Some(problems), Some(path)) = (&mut problems, all.paths.get(number)) {
                let found = database.problems_by_file()?.sum();
                if found > 0 {
                    problems.add(path.clone(), found);
                }
            }
            figures.append(database.figures(all.games_of(number), all.names())?);
        }
        let subject = Subject {
            name: if is_unique {
                "All games, each once"
            } else {
                "All games"
            },
            what: format!("{} databases", all.databases.len()),
            place: "database",
            problems,
            directories: &|view, texts| all.tree.databases().directory_of(view, texts),
        };
        let text = page(&subject, &figures).into_bytes().into();
        Ok(Arc::clone(all.overview.get_or_init(|| text)))
    }

    fn wait(&self) -> Wait {
        match self.text_if_known() {
            Some(_) => Wait::None,
            None => Wait::Common,
        }
    }
}
