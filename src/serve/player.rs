//! Searches for a player whom a request names.

/// A term for a name as a search takes it: with `=` before it for exactly this one.
pub(super) fn player_term(field: &str, name: &str) -> String {
    let (sign, name) = match name.strip_prefix('=') {
        Some(name) => ("=", name),
        None => ("", name),
    };
    let name = name.replace('\\', r"\\").replace('"', r#"\""#);
    format!("{field}:{sign}\"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_library::query::Query;

    #[test]
    fn a_name_is_one_value_whatever_it_has() {
        for name in [
            r#"carlsen" year:2020 event:"a"#,
            r"a\",
            r#"O"Neil"#,
            "a|b",
            "( x )",
            "then",
        ] {
            for name in [name.to_owned(), format!("={name}")] {
                let query = Query::parse(&player_term("player", &name)).unwrap();
                assert!(query.has_one_player(), "{name}");
                // One value has at most two quotes of its own.
                let quotes = query.canonical().replace(r"\\", "").replace(r#"\""#, "");
                assert!(quotes.matches('"').count() <= 2, "{}", query.canonical());
            }
        }
    }
}
