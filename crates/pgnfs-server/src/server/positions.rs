//! Questions about the positions of all games, or of those that a search finds.

use super::pending::{Pending, Reply, Unanswered};
use super::requests::Requests;
use crate::fs::{FsError, NAME_MAX};
use chessdb_library::positions::Answers;
use chessdb_library::query::Query;

impl Requests {
    /// True if the games of a search, or all games, are kept for further questions. The games of a search whose name is too long
    /// for `search/` are searched for each time.
    pub fn keeps(search: Option<&Query>) -> bool {
        search.is_none_or(|search| search.name().len() <= NAME_MAX)
    }

    /// Calls `question` with the games of all databases, or of a search, and answers with its result. With `once`, only
    /// the best copy of each game counts: the best among all games or, if `once` is a path, among the games of the
    /// database there. Duplicates are found on first use. A search shares its directory in `search/`, so that it runs
    /// once, unless its name is too long for a file name. `question` is called in a thread that may block, within the
    /// work of the request.
    ///
    /// Errors of the answer: the errors of `question`; [`FsError::NotFound`] if there is no database;
    /// [`FsError::Refused`] if the query is not valid here.
    pub fn positions<A: Send + 'static>(
        &self,
        user: u32,
        search: Option<&Query>,
        once: Option<String>,
        question: impl FnOnce(&Answers) -> Result<A, FsError> + Send + 'static,
        reply: impl Reply<A>,
    ) -> Option<Unanswered> {
        let request = Pending::new(user, true, reply);
        let fs = self.live().current();
        fs.note_request();
        let (run_on, search) = (fs.for_positions(), search.cloned());
        Some(self.hand_over(run_on, request, move |_, request| {
            let answer = fs.positions(search.as_ref(), once.as_deref(), question);
            request.answer(|| answer);
        }))
    }
}
