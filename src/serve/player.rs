//! The term of a query for a player named in a request.

use std::borrow::Cow;

/// A term for a name in the form that a search takes: with `=` in front for exactly this name, with or without quotes.
pub(super) fn player_term(field: &str, name: &str) -> String {
    let (sign, name) = match name.strip_prefix('=') {
        Some(name) => ("=", name),
        None => ("", name),
    };
    let name = unquoted(name).map_or(Cow::Borrowed(name), Cow::Owned);
    let name = name.replace('\\', r"\\").replace('"', r#"\""#);
    format!("{field}:{sign}\"{name}\"")
}

/// The text of a quoted value; `None` if the quotes are not around the whole value.
fn unquoted(value: &str) -> Option<String> {
    let mut signs = value.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut text = String::new();
    while let Some(sign) = signs.next() {
        match sign {
            '"' => return None,
            '\\' => text.push(signs.next()?),
            sign => text.push(sign),
        }
    }
    Some(text)
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
            r#""a" year:2020 "b""#,
            r#""a\""#,
            r#""a"#,
        ] {
            for name in [name.to_owned(), format!("={name}")] {
                let query = Query::parse(&player_term("player", &name)).unwrap();
                assert!(query.has_one_player(), "{name}");
                // A single value has at most two quotes.
                let quotes = query.canonical().replace(r"\\", "").replace(r#"\""#, "");
                assert!(quotes.matches('"').count() <= 2, "{}", query.canonical());
            }
        }
    }

    #[test]
    fn a_name_may_be_quoted_already() {
        for (name, term) in [
            ("Carlsen,M", r#"player:"Carlsen,M""#),
            (r#""Carlsen,M""#, r#"player:"Carlsen,M""#),
            (r#"="Carlsen,M""#, r#"player:="Carlsen,M""#),
            (r#"="O\"Neil\\""#, r#"player:="O\"Neil\\""#),
            (r#"O"Neil"#, r#"player:"O\"Neil""#),
            (r#""""#, r#"player:"""#),
        ] {
            assert_eq!(player_term("player", name), term, "{name}");
        }
    }
}
