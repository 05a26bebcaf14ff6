//! Names in `search/`, which are queries.

use std::fmt;
use std::sync::Arc;

use chessdb_library::query::{Query, QueryError};
use chessdb_library::repertoire::RepertoireError;

/// Name of the file that describes queries.
pub(super) const SYNTAX_FILE: &str = "syntax.txt";

/// Maximum length of a name in bytes.
const LONGEST: usize = 255;

/// What a name in `search/` stands for.
pub enum SearchName {
    /// The directory of a search.
    Directory(NamedSearch),
    /// A link to the directory with this name.
    Link(String),
}

impl SearchName {
    /// Reads a name that is not listed.
    ///
    /// # Errors
    /// If it is no query.
    pub(super) fn read(name: &str) -> Result<SearchName, SearchRefusal> {
        let query = Query::parse_name(name).map_err(SearchRefusal::Query)?;
        if !query.has_fields() {
            return Err(SearchRefusal::NoField);
        }
        let canonical = query.name();
        Ok(if canonical == name || canonical.len() > LONGEST {
            SearchName::Directory(NamedSearch {
                name: name.to_owned(),
                text: name.to_owned(),
                query: Arc::new(query),
            })
        } else {
            SearchName::Link(canonical)
        })
    }
}

/// Why a name or a query is no search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchRefusal {
    /// It asks nothing, as names that file managers and shells try.
    NoField,
    /// It is wrong.
    Query(QueryError),
    /// No database that is searched has the name of its repertoire.
    NoRepertoire(String),
    /// Its repertoire cannot be used: why.
    Repertoire(String),
}

impl fmt::Display for SearchRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchRefusal::NoField => f.write_str("a search needs a field, as in player:carlsen"),
            SearchRefusal::Query(error) => error.fmt(f),
            SearchRefusal::NoRepertoire(name) => write!(
                f,
                "repertoire:{name}: no database here has this name; all/search/ has all databases"
            ),
            SearchRefusal::Repertoire(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SearchRefusal {}

impl From<RepertoireError> for SearchRefusal {
    fn from(error: RepertoireError) -> SearchRefusal {
        match error {
            RepertoireError::Unknown(name) => SearchRefusal::NoRepertoire(name),
            error => SearchRefusal::Repertoire(error.to_string()),
        }
    }
}

/// A search with the name of its directory.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSearch {
    /// Its name.
    pub name: String,
    /// Its query, as it is written.
    pub text: String,
    /// What it finds.
    pub query: Arc<Query>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_name_of_at_most_255_bytes() {
        for (len, is_link) in [(254, true), (255, true), (256, false)] {
            let name = format!("player:{}", "X".repeat(len - "player:".len()));
            let canonical = name.replace('X', "x");
            let Ok(search) = SearchName::read(&name) else {
                panic!("{len}")
            };
            let leads_there = matches!(search, SearchName::Link(name) if name == canonical);
            assert_eq!(leads_there, is_link, "{len}");
        }
    }
}
