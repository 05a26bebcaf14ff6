//! Patterns of databases.

use glob::Pattern;

use super::Query;
use super::field::QueryField;
use super::value::TagValue;
use crate::library::matches_pattern;

/// A pattern of databases, as of the option `only`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DatabasePattern(Vec<Pattern>);

/// Number of underscores in the name of a directory that may stand for slashes.
const MOST_SLASHES: u32 = 5;

impl DatabasePattern {
    /// Reads a pattern. In the name of a directory, each underscore may stand for a slash.
    ///
    /// # Errors
    /// Says why the text is not a pattern.
    pub(super) fn parse(text: &str, is_name: bool) -> Result<DatabasePattern, String> {
        let underscores = text.bytes().filter(|&c| c == b'_').count() as u32;
        let spellings = if is_name {
            1 << underscores.min(MOST_SLASHES)
        } else {
            1
        };
        let patterns = (0..spellings).map(|slashes: u32| {
            let mut place = 0;
            let spelling = text.chars().map(|c| {
                if c != '_' {
                    return c;
                }
                place += 1;
                let is_slash = place <= MOST_SLASHES && slashes >> (place - 1) & 1 != 0;
                if is_slash { '/' } else { c }
            });
            Pattern::new(&spelling.collect::<String>())
        });
        let patterns = patterns.collect::<Result<_, _>>();
        patterns
            .map(DatabasePattern)
            .map_err(|error| format!("a pattern such as *.pgn is wanted: {error}"))
    }

    /// True for the database with this path.
    pub(super) fn matches(&self, path: &str) -> bool {
        self.0.iter().any(|pattern| matches_pattern(pattern, path))
    }
}

impl Query {
    /// False if `db:` leaves out what is at this path of the source, and everything below it.
    pub fn may_concern(&self, path: &str) -> bool {
        let below = format!("{path}/.");
        let mut of_databases = self
            .tags
            .iter()
            .filter(|term| term.field() == Some(QueryField::Db));
        of_databases.all(|term| {
            let has = |path: &str| {
                let mut values = term.values.iter();
                values.any(|value| matches!(value, TagValue::Database(pattern) if pattern.matches(path)))
            };
            (has(path) || has(&below)) != term.is_negated
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_underscore_may_be_a_slash_in_a_name() {
        let matches = |text: &str, path: &str, is_name: bool| {
            DatabasePattern::parse(text, is_name).unwrap().matches(path)
        };
        for (text, path, in_query, in_name) in [
            ("*.PGN", "club/a.pgn", true, true),
            ("club/*", "club/a.pgn", true, true),
            ("club_*", "club/a.pgn", false, true),
            ("my_club_my_base.*", "my_club/my_base.pgn", false, true),
            ("my_base.*", "my_club/my_base.pgn", true, true),
            ("club_*", "other/a.pgn", false, false),
        ] {
            assert_eq!(matches(text, path, false), in_query, "{text} {path}");
            assert_eq!(matches(text, path, true), in_name, "{text} {path}");
        }
        for (query, paths) in [
            ("player:x", "a.cbv club club/b.cbv"),
            ("db:club/*", "club club/b.cbv"),
            ("db:*.cbv", "a.cbv club/b.cbv"),
            ("-db:club/*", "a.cbv"),
            ("db:*.pgn", ""),
        ] {
            let query = Query::parse(query).unwrap();
            let all = ["a.cbv", "club", "club/b.cbv"].into_iter();
            let concerned: Vec<&str> = all.filter(|path| query.may_concern(path)).collect();
            assert_eq!(concerned.join(" "), paths, "{query:?}");
        }
        assert!(DatabasePattern::parse("[a", false).is_err());
        assert!(DatabasePattern::parse(&"_".repeat(200), true).is_ok());
    }
}
