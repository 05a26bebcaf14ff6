//! Questions about the positions of all games, or of those that a search finds.

use super::pending::{Pending, Reply, Unanswered};
use super::requests::Requests;
use super::walking::find;
use crate::fs::{FsError, NAME_MAX};
use chessdb_library::positions::Answers;
use chessdb_library::query::Query;

impl Requests {
    /// True if the games of a search, or all games, are kept for further questions. The games of a search whose name is too long
    /// for `search/` are searched for each time.
    pub fn keeps(search: Option<&Query>) -> bool {
        search.is_none_or(|search| search.name().len() <= NAME_MAX)
    }

    /// Answers by what `question` says of the games of all databases, or of those that a search finds. Searches are those
    /// of `search/`, so that games are searched for once, unless their name is too long for it. `question` is called in a
    /// thread that may wait, within the work of the request.
    ///
    /// Errors of the answer: those of `question`; [`FsError::NotFound`] if there is no database.
    pub fn positions<A: Send + 'static>(
        &self,
        user: u32,
        search: Option<&Query>,
        question: impl FnOnce(&Answers) -> Result<A, FsError> + Send + 'static,
        reply: impl Reply<A>,
    ) -> Option<Unanswered> {
        let request = Pending::new(user, true, reply);
        let Some(mut path) = self.live().current().path_of_all() else {
            request.refuse(FsError::NotFound);
            return None;
        };
        let unnamed = search.filter(|_| !Requests::keeps(search)).cloned();
        if let (Some(search), None) = (search, &unnamed) {
            path = format!("{path}/search/{}", search.name());
        }
        let question = move |answers: &Answers| match unnamed {
            Some(search) => question(&answers.among(&search, &|_| ())),
            None => question(answers),
        };
        find(self, &path, request, |own, directory, request| {
            let again = directory.handle().clone();
            let work = move |_: &Requests, request: Pending<A, _>| {
                let answer = again.open().and_then(|directory| directory.positions(question));
                request.answer(|| answer);
            };
            Some(own.hand_over(directory.for_positions(), request, work))
        })
    }
}
