//! Searches for a player whom a request names.

/// A term for a name as a search takes it: with `=` before it for exactly this one.
pub(super) fn player_term(field: &str, name: &str) -> String {
    match name.strip_prefix('=') {
        Some(name) => format!("{field}:=\"{name}\""),
        None => format!("{field}:\"{name}\""),
    }
}
