//! Which databases a query is about.

use super::Query;
use super::compare::has_database;

impl Query {
    /// False if `db:` leaves out what is at this path of the source, and everything below it.
    pub fn may_concern(&self, path: &str) -> bool {
        let below = format!("{path}/.");
        let mut of_databases = self.tags.iter().filter(|term| term.field.is("db"));
        of_databases.all(|term| {
            let has = |path: &str| has_database(&term.values, path);
            (has(path) || has(&below)) != term.is_negated
        })
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
            ("db:*.pgn", ""),
        ] {
            let query = Query::parse(query).unwrap();
            let all = ["a.cbv", "club", "club/b.cbv"].into_iter();
            let concerned: Vec<&str> = all.filter(|path| query.may_concern(path)).collect();
            assert_eq!(concerned.join(" "), paths, "{query:?}");
        }
    }
}
