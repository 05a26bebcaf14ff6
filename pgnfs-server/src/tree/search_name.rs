//! Names in `search/`, which are queries.

use std::sync::Arc;

use super::branch::Branch;
use chessdb_library::query::{Query, QueryError};
use chessdb_library::repertoire::RepertoireError;

/// Name of the file that describes queries.
pub(super) const SYNTAX_FILE: &str = "syntax.txt";

/// Maximum length of a name in bytes.
const LONGEST: usize = 255;

/// What a name in `search/` asks for.
pub enum SearchName {
    /// The directory of a query.
    Directory(Query),
    /// A link to the directory with this name.
    Link(String),
}

/// Reads a name in `search/`; `None` if it asks nothing, as names that file managers and shells try.
///
/// # Errors
/// If the query is wrong.
pub fn asked(name: &str) -> Result<Option<SearchName>, QueryError> {
    let query = Query::parse_name(name)?;
    if !query.has_fields() {
        return Ok(None);
    }
    let canonical = query.name();
    if canonical == name || canonical.len() > LONGEST {
        Ok(Some(SearchName::Directory(query)))
    } else {
        Ok(Some(SearchName::Link(canonical)))
    }
}

/// What is wrong with a name in `search/` of a branch; `None` for a query, and for a hidden name, which programs try by
/// themselves.
pub fn why_refused(name: &str, branch: &Branch) -> Option<String> {
    if name.starts_with('.') || name == SYNTAX_FILE {
        return None;
    }
    let unknown = |query: &Query| match branch.unknown_repertoire(query)? {
        RepertoireError::Unknown(name) => Some(format!(
            "repertoire:{name}: no database here has this name; all/search/ has all databases"
        )),
        error => Some(error.to_string()),
    };
    let mut listed = branch.layout().searches().iter();
    if let Some(listed) = listed.find(|search| search.name == name) {
        return unknown(&listed.query);
    }
    match asked(name) {
        Ok(Some(SearchName::Directory(query))) => unknown(&query),
        Ok(Some(SearchName::Link(_))) => None,
        Ok(None) => Some("a search needs a field, as in player:carlsen".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// A search that `search/` lists.
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
            let Ok(Some(asked)) = asked(&name) else {
                panic!("{len}")
            };
            let leads_there = matches!(asked, SearchName::Link(name) if name == canonical);
            assert_eq!(leads_there, is_link, "{len}");
        }
    }
}
