//! Patterns of databases.

use std::fmt;

use regex::{Regex, RegexBuilder};

/// A pattern of databases. One with a slash is compared with the path of a database, any other with its name, without
/// regard to letter case.
///
/// `*` is any run of characters but slashes, `?` one of these, `[a-z]` and `[!a-z]` one of these or another, and `**`
/// between slashes any folders. How long a comparison takes is proportional to the length of the path.
///
/// ```
/// use chessdb_library::library::DatabasePattern;
///
/// let pattern = DatabasePattern::parse("**/old/*.pgn").unwrap();
/// assert!(pattern.matches("club/old/1985.PGN"));
/// assert!(!pattern.matches("club/1985.pgn"));
/// ```
#[derive(Clone, Debug)]
pub struct DatabasePattern {
    text: String,
    /// What names are compared with.
    name: Option<Regex>,
    /// What paths are compared with.
    path: Option<Regex>,
}

/// What an underscore of a pattern stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Underscore {
    Itself,
    /// Itself or a slash.
    Either,
}

/// Bytes that a compiled pattern takes at most.
const MOST_COMPILED: usize = 4 << 20;

impl DatabasePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Says why the text is not a pattern.
    pub fn parse(text: &str) -> Result<DatabasePattern, PatternError> {
        let compiled = Some(compiled(text, Underscore::Itself)?);
        let (name, path) = if text.contains('/') {
            (None, compiled)
        } else {
            (compiled, None)
        };
        Ok(DatabasePattern {
            text: text.to_owned(),
            name,
            path,
        })
    }

    /// Reads a pattern in the name of a directory, in which each underscore may stand for a slash.
    ///
    /// # Errors
    /// Says why the text is not a pattern.
    pub fn parse_name(text: &str) -> Result<DatabasePattern, PatternError> {
        let path = compiled(text, Underscore::Either)?;
        Ok(DatabasePattern {
            text: text.to_owned(),
            name: compiled(text, Underscore::Itself).ok(),
            path: Some(path),
        })
    }

    /// True for the database with this path.
    pub fn matches(&self, path: &str) -> bool {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let has =
            |pattern: &Option<Regex>, text: &str| pattern.as_ref().is_some_and(|regex| regex.is_match(text));
        has(&self.name, name) || has(&self.path, path)
    }
}

impl fmt::Display for DatabasePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for DatabasePattern {
    fn eq(&self, other: &DatabasePattern) -> bool {
        let parts = |pattern: &DatabasePattern| (pattern.name.is_some(), pattern.path.is_some());
        self.text == other.text && parts(self) == parts(other)
    }
}

impl Eq for DatabasePattern {}

/// A pattern as a regular expression.
fn compiled(text: &str, underscore: Underscore) -> Result<Regex, PatternError> {
    let is_slash = |c: char| c == '/' || c == '_' && underscore == Underscore::Either;
    let mut expression = String::from("^");
    let mut rest = text;
    let mut follows_slash = true;
    while let Some(c) = rest.chars().next() {
        let begins_part = std::mem::replace(&mut follows_slash, is_slash(c));
        let stars = rest.len() - rest.trim_start_matches('*').len();
        match (c, stars) {
            (_, 2) => {
                let after = &rest[2..];
                rest = after.strip_prefix(is_slash).unwrap_or(after);
                let is_end = after.is_empty();
                if !begins_part || (!is_end && rest.len() == after.len()) {
                    return Err(PatternError::Stars);
                }
                expression += if is_end { ".*" } else { "(?:.*/)?" };
                follows_slash = true;
                continue;
            }
            (_, 3..) => return Err(PatternError::Stars),
            ('*', _) => expression += "[^/]*",
            ('?', _) => expression += "[^/]",
            ('[', _) => {
                let len = append_set(&mut expression, rest).ok_or(PatternError::Brackets)?;
                rest = &rest[len..];
                continue;
            }
            ('_', _) if is_slash('_') => expression += "[_/]",
            (c, _) => expression += &regex::escape(c.encode_utf8(&mut [0; 4])),
        }
        rest = &rest[c.len_utf8()..];
    }
    expression.push('$');
    let mut builder = RegexBuilder::new(&expression);
    builder.case_insensitive(true).dot_matches_new_line(true);
    builder.size_limit(MOST_COMPILED).dfa_size_limit(MOST_COMPILED);
    builder.build().map_err(|_| PatternError::Long)
}

/// Appends the set with which a text begins, and returns its length. `None` if it is no set.
fn append_set(expression: &mut String, text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let (is_other, inside) = inside
        .strip_prefix('!')
        .map_or((false, inside), |inside| (true, inside));
    // A bracket that comes first is one of the set.
    let first = inside.chars().next()?.len_utf8();
    let len = first + inside.get(first..)?.find(']')?;
    let mut signs = inside[..len].chars().peekable();
    *expression += if is_other { "[^/" } else { "[[^/]&&[" };
    while let Some(from) = signs.next() {
        let mut range = signs.clone();
        let to = range.next().filter(|&c| c == '-').and_then(|_| range.next());
        *expression += &regex::escape(from.encode_utf8(&mut [0; 4]));
        if let Some(to) = to.filter(|&to| from <= to) {
            signs = range;
            expression.push('-');
            *expression += &regex::escape(to.encode_utf8(&mut [0; 4]));
        }
    }
    *expression += if is_other { "]" } else { "]]" };
    Some(text.len() - inside.len() + len + 1)
}

/// Reason why a text is not a pattern of databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// A bracket is not closed.
    Brackets,
    /// Two stars do not stand alone between slashes, or there are more.
    Stars,
    /// The pattern is too long.
    Long,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PatternError::Brackets => "write a choice of characters as [abc]",
            PatternError::Stars => "** must be alone between slashes",
            PatternError::Long => "it is too long",
        })
    }
}

impl std::error::Error for PatternError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_underscore_may_be_a_slash_in_a_name() {
        for (text, path, in_query, in_name) in [
            ("*.PGN", "club/a.pgn", true, true),
            ("club/*", "club/a.pgn", true, true),
            ("club_*", "club/a.pgn", false, true),
            ("my_club_my_base.*", "my_club/my_base.pgn", false, true),
            ("my_base.*", "my_club/my_base.pgn", true, true),
            ("club_*", "other/a.pgn", false, false),
            ("a_b_c_d_e_f_g_*", "a/b/c/d/e/f/g/h.pgn", false, true),
        ] {
            let matches = |pattern: Result<DatabasePattern, _>| pattern.unwrap().matches(path);
            assert_eq!(matches(DatabasePattern::parse(text)), in_query, "{text} {path}");
            assert_eq!(
                matches(DatabasePattern::parse_name(text)),
                in_name,
                "{text} {path}"
            );
        }
        assert!(DatabasePattern::parse_name(&"_".repeat(200)).is_ok());
        let pattern = DatabasePattern::parse_name("**_old_*").unwrap();
        assert!(pattern.matches("club/old/a.pgn") && pattern.matches("old/a.pgn"));
    }

    #[test]
    fn signs_have_their_meaning() {
        for (text, path, is_match) in [
            ("*", "club/a.pgn", true),
            ("/*", "a.pgn", false),
            ("*/*", "club/a.pgn", true),
            ("*/*", "club/old/a.pgn", false),
            ("?.pgn", "club/a.pgn", true),
            ("?.pgn", "\u{e4}.pgn", true),
            ("?.pgn", "ab.pgn", false),
            ("club?a.pgn", "club/a.pgn", false),
            ("M\u{dc}LLER.*", "m\u{fc}ller.pgn", true),
            ("[a-c].pgn", "b.pgn", true),
            ("[a-c].pgn", "B.PGN", true),
            ("[a-c].pgn", "d.pgn", false),
            ("[!a-c].pgn", "d.pgn", true),
            ("[!a-c].pgn", "b.pgn", false),
            ("x/[!a]b", "x//b", false),
            ("x[/]b", "x/b", false),
            ("[]].pgn", "].pgn", true),
            ("[!]].pgn", "].pgn", false),
            ("[a-].pgn", "-.pgn", true),
            ("[^a].pgn", "^.pgn", true),
            ("[[:alpha:]].pgn", "b.pgn", false),
            ("[&&a].pgn", "&.pgn", true),
            ("[z-a].pgn", "z.pgn", true),
            ("{a,b}.pgn", "{a,b}.pgn", true),
            ("{a,b}.pgn", "a.pgn", false),
            ("a+.(pgn)", "a+.(pgn)", true),
            ("a.pgn", "axpgn", false),
            ("a\\b", "a\\b", true),
            ("**", "club/old/a.pgn", true),
            ("**/*.pgn", "a.pgn", true),
            ("**/*.pgn", "club/old/a.pgn", true),
            ("club/**/a.pgn", "club/a.pgn", true),
            ("club/**/a.pgn", "club/old/older/a.pgn", true),
            ("club/**/a.pgn", "clubs/a.pgn", false),
            ("club/**", "club/old/a.pgn", true),
            ("club/**", "club", false),
            ("a\nb", "a\nb", true),
        ] {
            let pattern = DatabasePattern::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(pattern.matches(path), is_match, "{text} {path}");
        }
        for (text, error) in [
            ("[a", PatternError::Brackets),
            ("[", PatternError::Brackets),
            ("[]", PatternError::Brackets),
            ("[!]", PatternError::Brackets),
            ("a**", PatternError::Stars),
            ("**a", PatternError::Stars),
            ("***", PatternError::Stars),
            ("a/**b/c", PatternError::Stars),
        ] {
            assert_eq!(DatabasePattern::parse(text), Err(error), "{text}");
        }
        let long = "?".repeat(1 << 16);
        assert_eq!(DatabasePattern::parse(&long), Err(PatternError::Long));
    }

    /// A matcher that tries again from every star would take longer than this world lasts.
    #[test]
    fn many_stars_take_no_longer() {
        let name = format!("{}b", "a".repeat(200));
        for stars in [1, 12, 100] {
            let pattern = DatabasePattern::parse(&format!("{}c", "*a".repeat(stars))).unwrap();
            assert!(!pattern.matches(&name), "{stars}");
            let pattern = DatabasePattern::parse(&format!("{}b", "*a".repeat(stars))).unwrap();
            assert!(pattern.matches(&name), "{stars}");
        }
    }
}
