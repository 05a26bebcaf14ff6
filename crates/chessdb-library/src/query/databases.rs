//! Which databases a query is about.

use super::Query;
use super::compare::has_database;
use super::tag_term::TagTerm;

impl Query {
    /// False if `db:` excludes the database with this path.
    pub fn concerns(&self, path: &str) -> bool {
        let mut of_databases = self.tags.iter().filter(|term| term.field.is("db"));
        of_databases.all(|term| has_database(&term.values, path) != term.is_negated)
    }

    /// False if `db:` excludes everything below this path of the source, which could not be opened.
    pub fn may_concern(&self, path: &str) -> bool {
        let below = format!("{path}/.");
        let mut of_databases = self.tags.iter().filter(|term| term.field.is("db"));
        of_databases.all(|term| {
            let has = |path: &str| has_database(&term.values, path);
            (has(path) || has(&below)) != term.is_negated
        })
    }

    /// The terms with `db:` that match none of these databases and leave no games out, each once.
    pub fn unknown_databases<'a>(&self, paths: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
        let mut unknown = Vec::new();
        for term in self.asked_databases() {
            let is_known = paths.clone().any(|path| has_database(&term.values, path));
            if !is_known && !unknown.contains(&term.text) {
                unknown.push(term.text.clone());
            }
        }
        unknown
    }

    /// True if it has `db:`, and so names databases.
    pub fn names_databases(&self) -> bool {
        !self.asked_databases().is_empty()
    }

    /// The terms with `db:` that leave no games out, also of choices.
    fn asked_databases(&self) -> Vec<&TagTerm> {
        let own = self.tags.iter();
        let own = own.filter(|term| term.field.is("db") && !term.is_negated);
        let choices = self.choices.iter().filter(|choice| !choice.is_negated);
        let sides = choices.flat_map(|choice| &choice.sides);
        own.chain(sides.flat_map(Query::asked_databases)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_about_what_its_pattern_matches() {
        for (query, paths) in [
            ("player:x", "a.cbv club club/b.cbv"),
            ("db:club/*", "club club/b.cbv"),
            ("db:*.cbv", "a.cbv club/b.cbv"),
            ("-db:club/*", "a.cbv"),
            ("db:club", "club club/b.cbv"),
            ("-db:club", "a.cbv"),
            ("db:*.pgn", ""),
        ] {
            let query = Query::parse(query).unwrap();
            let all = ["a.cbv", "club", "club/b.cbv"].into_iter();
            let concerned: Vec<&str> = all.filter(|path| query.may_concern(path)).collect();
            assert_eq!(concerned.join(" "), paths, "{query:?}");
        }
    }

    #[test]
    fn a_query_is_about_the_databases_whose_paths_match() {
        for (query, paths) in [
            ("player:x", "a.cbv club/b.cbv"),
            ("db:*/*", "club/b.cbv"),
            ("-db:*/*", "a.cbv"),
            ("-db:a.cbv", "club/b.cbv"),
            ("-db:a.cbv/*", "a.cbv club/b.cbv"),
            ("db:club -db:*/b*", ""),
            ("db:A.CBV", "a.cbv"),
        ] {
            let query = Query::parse(query).unwrap();
            let all = ["a.cbv", "club/b.cbv"].into_iter();
            let concerned: Vec<&str> = all.filter(|path| query.concerns(path)).collect();
            assert_eq!(concerned.join(" "), paths, "{query:?}");
        }
        // The small form of this letter is two.
        let query = Query::parse("db:\u{130}stanbul.pgn").unwrap();
        assert!(query.concerns("\u{130}stanbul.pgn") && !query.concerns("istanbul.pgn"));
    }

    #[test]
    fn databases_that_no_path_has_are_unknown() {
        for (query, unknown) in [
            ("db:club", ""),
            ("db:clubs", "db:clubs"),
            ("db:clubs|a.cbv", ""),
            ("-db:clubs", ""),
            ("( eco:B db:x | eco:C db:a.cbv | db:X )", "db:x"),
            ("-( db:x )", ""),
            ("db:x db:\"my club\"", "db:\"my club\" db:x"),
        ] {
            let query = Query::parse(query).unwrap();
            let found = query.unknown_databases(["a.cbv", "club/b.cbv"].into_iter());
            assert_eq!(found.join(" "), unknown, "{query:?}");
        }
    }
}
