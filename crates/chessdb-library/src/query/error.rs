//! What is wrong with a query.

use std::fmt;

use crate::library::abridged;

/// Maximum number of bytes of a term that an error shows.
pub(super) const MOST_SHOWN: usize = 80;

/// Maximum number of bytes of the explanation. It is longer only if it repeats a long value.
const MOST_SAID: usize = 400;

/// What is wrong with a query, and where.
///
/// ```
/// use chessdb_library::query::Query;
///
/// let error = Query::parse("year:1985 elo:abc").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "query, byte 11: elo:abc: expected a number or a range such as 2500.."
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The place of the term, as the number of its first byte, from 1.
    pub offset: usize,
    /// The text of the term; empty if the error is not in a single term.
    pub term: String,
    /// What is wrong with it, or how to write it.
    pub what: String,
}

impl QueryError {
    /// An error of a term that begins at `place`, counted from 0.
    pub(super) fn new(place: usize, term: &str, what: impl fmt::Display) -> QueryError {
        QueryError {
            offset: place + 1,
            term: term.to_owned(),
            what: what.to_string(),
        }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query, byte {}: ", self.offset)?;
        if !self.term.is_empty() {
            let term = abridged(&self.term, MOST_SHOWN);
            // A term that is a field without a value has a colon already: `year: needs a value`.
            let colon = if term.ends_with(':') { "" } else { ":" };
            write!(f, "{term}{colon} ")?;
        }
        f.write_str(&abridged(&self.what, MOST_SAID))
    }
}

impl std::error::Error for QueryError {}
