//! Answers that are kept until the games that they are about change.

use std::hash::{Hash, Hasher};
use std::num::NonZeroUsize;
use std::sync::{Arc, Weak};

use chessdb_library::positions::{Answers, DatabasePart};
use chessdb_library::recent::Recent;

/// The answers to the last questions, each made once for all who ask the same. Clones share them.
#[derive(Clone)]
pub(super) struct KeptAnswers<V: Clone>(Arc<Recent<(GamesId, String), V>>);

/// Bytes that an answer takes beside its own and those of its question.
const PLACE: usize = 256;

impl<V: Clone> KeptAnswers<V> {
    /// Room for `most` answers.
    pub(super) fn new(most: NonZeroUsize) -> KeptAnswers<V> {
        KeptAnswers(Arc::new(Recent::new(most)))
    }

    /// Room for answers that take `most` bytes with their questions.
    pub(super) fn with_bytes(most: usize) -> KeptAnswers<V>
    where
        V: AsRef<str>,
    {
        let bytes =
            |(_, question): &(GamesId, String), answer: &V| PLACE + question.len() + answer.as_ref().len();
        KeptAnswers(Arc::new(Recent::with_bytes(most, bytes)))
    }

    /// The answer to a question about these games, which `make` finds if it is not kept.
    ///
    /// # Errors
    /// Those of `make`.
    pub(super) fn get_or_make<E>(
        &self,
        games: GamesId,
        question: String,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        self.0.get_or_make((games, question), make)
    }
}

/// Which games answers are about: others once a database has changed, or a search was made again.
#[derive(Clone)]
pub(super) struct GamesId(Weak<[DatabasePart]>);

impl GamesId {
    pub(super) fn of(answers: &Answers) -> GamesId {
        GamesId(Arc::downgrade(answers.parts()))
    }
}

// No other games get the address as long as the pointer is here.
impl PartialEq for GamesId {
    fn eq(&self, other: &GamesId) -> bool {
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for GamesId {}

impl Hash for GamesId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().cast::<()>().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_library::positions::AnswerOptions;

    #[test]
    fn answers_are_about_the_games_of_their_question() {
        let kept = KeptAnswers::new(NonZeroUsize::new(3).unwrap());
        let ask = |answers: &Answers, question: &str, answer: u32| {
            kept.get_or_make(GamesId::of(answers), question.to_owned(), || {
                Ok::<u32, ()>(answer)
            })
        };
        let [first, second] = [0, 1].map(|_| Answers::new(Vec::new(), AnswerOptions::default()));
        assert_eq!(ask(&first, "moves", 1), Ok(1));
        assert_eq!(ask(&first, "moves", 2), Ok(1));
        assert_eq!(ask(&first, "games", 3), Ok(3));
        assert_eq!(ask(&second, "moves", 4), Ok(4));
        drop(first);
        for n in 5..20 {
            let later = Answers::new(Vec::new(), AnswerOptions::default());
            assert_eq!(ask(&later, "moves", n), Ok(n));
        }
    }
}
