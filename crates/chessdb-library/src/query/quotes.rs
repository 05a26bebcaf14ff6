//! Texts in double quotes, where a query needs them.

use super::terms::is_operator;

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
    // A parenthesis would close a choice, and a colon after `|` would start another side of it.
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
    if is_operator(text) {
        in_quotes(text)
    } else {
        quoted(text)
    }
}

pub(super) fn in_quotes(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
