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

/// Signs as they are written in a name, where each sign stands for itself.
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
