//! Answers, cached until their games change.

use std::hash::{Hash, Hasher};
use std::num::NonZeroUsize;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use chessdb_library::once_lru::OnceLru;
use chessdb_library::positions::{Answers, DatabasePart};
use chessdb_library::query::Query;
use pgnfs_server::Requests;

/// A cache of answers to the latest questions. The same question is answered once for all clients that wait for it.
/// Clones share the cache.
#[derive(Clone)]
pub(super) struct KeptAnswers<V: Clone>(Arc<OnceLru<(GamesId, String), V>>);

/// Memory that a cached answer takes in addition to the answer and its question, in bytes.
const PLACE: usize = 256;

impl<V: Clone> KeptAnswers<V> {
    /// Room for `most` answers.
    pub(super) fn new(most: NonZeroUsize) -> KeptAnswers<V> {
        KeptAnswers(Arc::new(OnceLru::new(most)))
    }

    /// An empty cache for answers that take at most `most` bytes with their questions.
    pub(super) fn with_bytes(most: usize) -> KeptAnswers<V>
    where
        V: AsRef<[u8]>,
    {
        let bytes = |(games, question): &(GamesId, String), answer: &V| {
            PLACE + games.bytes() + question.len() + answer.as_ref().len()
        };
        KeptAnswers(Arc::new(OnceLru::with_bytes(most, bytes)))
    }

    /// The number of answers.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.count()
    }

    /// The cached answer to a question about these games, or the result of `make`, which is cached if the games are.
    ///
    /// # Errors
    /// If `make` fails.
    pub(super) fn get_or_make<E>(
        &self,
        games: GamesId,
        question: String,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        if !games.are_kept {
            return make();
        }
        self.0.get_or_make((games, question), make)
    }
}

/// A text that is kept while clients receive it, in no more memory than it needs.
pub(super) fn kept_text(text: String) -> Bytes {
    text.into_boxed_str().into_boxed_bytes().into()
}

/// Identifies the games of an answer. It changes with the state of a database, and when a search is repeated.
#[derive(Clone)]
pub(super) struct GamesId {
    parts: Weak<[DatabasePart]>,
    are_kept: bool,
}

impl GamesId {
    /// The games that a search finds, or all games.
    pub(super) fn of(answers: &Answers, search: Option<&Query>) -> GamesId {
        GamesId {
            parts: Arc::downgrade(answers.parts()),
            are_kept: Requests::keeps(search),
        }
    }

    /// The size of the memory that the weak pointer keeps allocated.
    fn bytes(&self) -> usize {
        size_of::<DatabasePart>() * self.parts.as_ptr().len()
    }
}

// The address cannot be reused while this pointer exists, so comparing addresses is enough.
impl PartialEq for GamesId {
    fn eq(&self, other: &GamesId) -> bool {
        Weak::ptr_eq(&self.parts, &other.parts)
    }
}

impl Eq for GamesId {}

impl Hash for GamesId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts.as_ptr().cast::<()>().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_library::library::Library;
    use chessdb_library::positions::{AnswerOptions, BuildOptions, Positions};

    #[test]
    fn answers_are_about_the_games_of_their_question() {
        let kept = KeptAnswers::new(NonZeroUsize::new(3).unwrap());
        let ask = |answers: &Answers, question: &str, answer: u32| {
            kept.get_or_make(GamesId::of(answers, None), question.to_owned(), || {
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

    /// A folder may have very many databases, so the memory for the list of their games matters.
    #[test]
    fn the_memory_of_the_games_counts() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.pgn"), "1. e4 *\n\n").unwrap();
        let library = Library::open(folder.path(), &Default::default()).unwrap();
        let positions = Arc::new(Positions::new(&library.databases()[0], BuildOptions::default()));
        for (most, are_kept) in [(1000 * size_of::<DatabasePart>(), false), (1 << 20, true)] {
            let kept = KeptAnswers::<Bytes>::with_bytes(most);
            let parts = vec![DatabasePart::of(Arc::clone(&positions)); 1000];
            let answers = Answers::new(parts, AnswerOptions::default());
            let ask = |answer: &str| {
                kept.get_or_make(GamesId::of(&answers, None), "moves".to_owned(), || {
                    Ok::<_, ()>(kept_text(answer.to_owned()))
                })
            };
            ask("first").unwrap();
            let expected = if are_kept { "first" } else { "second" };
            assert_eq!(ask("second").unwrap(), expected, "{most}");
        }
    }

    #[test]
    fn no_answer_is_kept_that_nobody_can_ask_for_again() {
        let kept = KeptAnswers::new(NonZeroUsize::new(3).unwrap());
        let answers = Answers::new(Vec::new(), AnswerOptions::default());
        for (len, is_kept) in [(100, true), (1000, false)] {
            let search = Query::parse(&format!("player:{}", "x".repeat(len))).unwrap();
            let ask = |answer: u32| {
                kept.get_or_make(GamesId::of(&answers, Some(&search)), len.to_string(), || {
                    Ok::<u32, ()>(answer)
                })
            };
            assert_eq!(ask(1), Ok(1));
            assert_eq!(ask(2), Ok(if is_kept { 1 } else { 2 }), "{len}");
        }
    }
}
