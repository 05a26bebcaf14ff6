//! The one way to write a query.

use super::Query;

impl Query {
    /// The query as its directory is named: the terms of tags in the order of the fields, then the choices, then the groups
    /// of terms of positions. Queries that differ in blanks, quotes, letter case, and the order of tags and choices are
    /// written in the same way.
    pub fn canonical(&self) -> String {
        let tags = self.tags.iter().map(|term| term.text.as_str());
        let choices = self.choices.iter().map(|choice| choice.text.as_str());
        let mut parts: Vec<&str> = tags.chain(choices).collect();
        for (n, (order, texts)) in self.group_texts.iter().enumerate() {
            if n > 0 {
                parts.push(order.word());
            }
            parts.extend(texts.iter().map(String::as_str));
        }
        parts.join(" ")
    }

    /// The name of a directory that [`Query::parse_name`] reads as this query: [`Query::canonical`] with `_` for `/`. Where
    /// that would be another query, as in `event:="Hastings 1934/35"`, a slash is `%2F`, and `%` is `%25`.
    pub fn name(&self) -> String {
        let canonical = self.canonical();
        let name = canonical.replace('/', "_");
        let is_this = |name: &str| Query::parse_name(name).is_ok_and(|query| query == *self);
        let may_differ = canonical.contains(['/', '%', '_']);
        if !may_differ || is_this(&name) {
            return name;
        }
        let name = canonical.replace('%', PERCENT).replace('/', SLASH);
        if is_exact(&name) {
            name
        } else {
            name.replace('_', UNDERSCORE)
        }
    }
}

/// Signs as they are written in a name where each sign means itself.
const SLASH: &str = "%2F";
const PERCENT: &str = "%25";
const UNDERSCORE: &str = "%5F";

/// True if each sign of a name means itself, and `_` not a slash.
fn is_exact(name: &str) -> bool {
    [SLASH, PERCENT, UNDERSCORE]
        .iter()
        .any(|sign| name.contains(sign))
}

/// The text of the query that a name means exactly. `None` if `_` in the name may mean a slash.
pub(super) fn exact_text(name: &str) -> Option<String> {
    // Percent signs last, so that they do not make new escapes.
    is_exact(name).then(|| {
        name.replace(SLASH, "/")
            .replace(UNDERSCORE, "_")
            .replace(PERCENT, "%")
    })
}

/// A text as a value, in double quotes if they are needed.
pub(super) fn quoted(text: &str) -> String {
    if text.contains("..") {
        in_quotes(text)
    } else {
        quoted_or_range(text)
    }
}

/// Like [`quoted`], for text that may be a range: two dots alone need no quotes.
pub(super) fn quoted_or_range(text: &str) -> String {
    // A parenthesis would close a choice, and a colon begin another side of it after `|`.
    let is_sign = |c: char| matches!(c, '|' | '"' | '(' | ')' | ':') || c.is_whitespace();
    let needs_quotes = text.is_empty() || text == "?" || text.starts_with('=') || text.contains(is_sign);
    if needs_quotes {
        in_quotes(text)
    } else {
        text.to_owned()
    }
}

/// Words that are a term without a field, in double quotes if they are needed.
pub(super) fn quoted_word(text: &str) -> String {
    if super::terms::is_operator(text) {
        in_quotes(text)
    } else {
        quoted(text)
    }
}

pub(super) fn in_quotes(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
