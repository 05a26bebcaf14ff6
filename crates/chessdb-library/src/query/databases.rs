//! Which databases a query is about.

use super::Query;
use super::compare::has_database;
use super::tag_term::TagTerm;
use super::value::TagValue;

impl Query {
    /// False if `db:` excludes the database with this path.
    pub fn concerns(&self, path: &str) -> bool {
        self.is_about(&|term, _| has_database(&term.values, path))
    }

    /// False if `db:` excludes everything below this path of the source, which could not be opened.
    pub fn may_concern(&self, path: &str) -> bool {
        let below = format!("{path}/.");
        self.is_about(&|term, is_certain| {
            let has = |path: &str| has_database(&term.values, path);
            let may_have = |value: &TagValue| {
                matches!(value, TagValue::Database(pattern) if pattern.may_match_below(path))
            };
            has(path) || has(&below) || !is_certain && term.values.iter().any(may_have)
        })
    }

    /// False if terms with `db:` exclude all games, where `has` says whether one matches: for certain if that is asked,
    /// otherwise whether it may.
    fn is_about(&self, has: &dyn Fn(&TagTerm, bool) -> bool) -> bool {
        let mut own = self.tags.iter().filter(|term| term.field.is("db"));
        own.all(|term| has(term, term.is_negated) != term.is_negated)
            && self.choices.iter().all(|choice| {
                let mut sides = choice.sides.iter();
                if choice.is_negated {
                    !sides.any(|side| side.is_nothing_but(has))
                } else {
                    sides.any(|side| side.is_about(has))
                }
            })
    }

    /// True if it has only terms with `db:`, and all of them hold for certain.
    fn is_nothing_but(&self, has: &dyn Fn(&TagTerm, bool) -> bool) -> bool {
        let holds = |term: &TagTerm| term.field.is("db") && has(term, !term.is_negated) != term.is_negated;
        self.positions.is_empty() && self.choices.is_empty() && self.tags.iter().all(holds)
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
            ("db:old/x.pgn", ""),
            // Unopened, each may have it inside.
            ("db:club/x.pgn", "club"),
            ("db:club/b.cbv/x.pgn", "club club/b.cbv"),
            ("db:**/x.pgn", "a.cbv club club/b.cbv"),
            ("-db:*.pgn", "a.cbv club club/b.cbv"),
            ("( db:club | db:a.cbv/x.pgn )", "a.cbv club club/b.cbv"),
            ("-( db:club )", "a.cbv"),
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
            ("( db:club ) tal", "club/b.cbv"),
            ("( db:club | db:a.cbv eco:B )", "a.cbv club/b.cbv"),
            ("( db:x | eco:B )", "a.cbv club/b.cbv"),
            ("-( db:club ) tal", "a.cbv"),
            ("-( db:club eco:B )", "a.cbv club/b.cbv"),
            ("-( -db:club )", "club/b.cbv"),
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
