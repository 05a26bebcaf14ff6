//! Patterns of databases.

use std::fmt;
use std::ops::RangeInclusive;

/// A pattern of databases. One with a slash is compared with the path of a database, any other with its name, without
/// regard to letter case.
///
/// `*` matches any run of characters except slashes, `?` one such character, `[a-z]` and `[!a-z]` one inside or outside
/// a set, and `**` between slashes any folders. A pattern without these signs can also be the name or the path of a
/// folder, and then matches all databases below it. A comparison takes at most as many steps as the path has characters
/// times the pattern has signs, and the same again for each folder of the path if the pattern may name a folder.
///
/// ```
/// use chessdb_library::library::DatabasePattern;
///
/// let pattern = DatabasePattern::parse("**/old/*.pgn").unwrap();
/// assert!(pattern.matches("club/old/1985.PGN"));
/// assert!(!pattern.matches("club/1985.pgn"));
///
/// let folder = DatabasePattern::parse("club").unwrap();
/// assert!(folder.matches("club/old/1985.pgn"));
/// ```
#[derive(Clone, Debug)]
pub struct DatabasePattern {
    text: String,
    /// What names are compared with.
    name: Option<PathPattern>,
    /// What paths are compared with.
    path: Option<PathPattern>,
}

/// The characters that an underscore in a pattern matches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Underscore {
    Itself,
    /// Itself or a slash.
    Either,
}

/// Characters of a pattern at most.
const LONGEST: usize = 4096;

impl DatabasePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Says why the text is not a pattern.
    pub fn parse(text: &str) -> Result<DatabasePattern, PatternError> {
        let sought = text.strip_suffix('/').unwrap_or(text);
        let pattern = Some(PathPattern::parse(sought, Underscore::Itself)?);
        let (name, path) = if sought.contains('/') {
            (None, pattern)
        } else {
            (pattern, None)
        };
        Ok(DatabasePattern {
            text: text.to_owned(),
            name,
            path,
        })
    }

    /// Reads a pattern from the name of a directory, where each underscore may also match a slash.
    ///
    /// # Errors
    /// If the text is not a pattern; the error says why.
    pub fn parse_name(text: &str) -> Result<DatabasePattern, PatternError> {
        let path = PathPattern::parse(text, Underscore::Either)?;
        Ok(DatabasePattern {
            text: text.to_owned(),
            name: PathPattern::parse(text, Underscore::Itself).ok(),
            path: Some(path),
        })
    }

    /// True for the database with this path, and for one below a folder with it.
    pub fn matches(&self, path: &str) -> bool {
        if self.is_of(path) {
            return true;
        }
        let patterns = [&self.name, &self.path];
        let may_be_folder = patterns
            .into_iter()
            .flatten()
            .all(PathPattern::has_only_characters);
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        may_be_folder && { folders }.any(|folder| self.is_of(folder))
    }

    /// True if this or a longer path may match. A pattern without a slash is only compared with the path's own name:
    /// otherwise it could match below anything.
    pub(crate) fn may_match_below(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        let may_go_on = |pattern: &PathPattern| pattern.follow(&folder).1;
        self.matches(path) || self.path.as_ref().is_some_and(may_go_on)
    }

    /// True if this is the path of a database or folder, or ends with its name.
    fn is_of(&self, path: &str) -> bool {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let has = |pattern: &Option<PathPattern>, text: &str| {
            pattern.as_ref().is_some_and(|pattern| pattern.matches(text))
        };
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
        // Only an underscore has another meaning in the name of a directory.
        self.text == other.text && (parts(self) == parts(other) || !self.text.contains('_'))
    }
}

impl Eq for DatabasePattern {}

/// The signs of a pattern, which are compared with a path from left to right, following all possibilities at once. Not
/// a regular expression: compiling one takes a thousand times as long as reading the pattern, and queries have many
/// patterns.
#[derive(Clone, Debug)]
struct PathPattern(Vec<PatternSign>);

/// What comes next in a path.
#[derive(Clone, Debug)]
enum PatternSign {
    /// This character, in any letter case.
    Char(char),
    /// `_` or a slash.
    UnderscoreOrSlash,
    /// One of these, or one of all others, and never a slash.
    Set {
        is_other: bool,
        ranges: Vec<RangeInclusive<char>>,
    },
    /// Any run of characters but slashes.
    Run,
    /// Any run of characters, slashes too.
    Everything,
    /// Nothing, or what [`PatternSign::Folders`] after it is.
    NoFolders,
    /// Any run of characters that ends with a slash.
    Folders,
}

impl PathPattern {
    fn parse(text: &str, underscore: Underscore) -> Result<PathPattern, PatternError> {
        if text.chars().nth(LONGEST).is_some() {
            return Err(PatternError::Long);
        }
        let is_slash = |c: char| c == '/' || c == '_' && underscore == Underscore::Either;
        let mut signs = Vec::new();
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
                    if is_end {
                        signs.push(PatternSign::Everything);
                    } else {
                        signs.extend([PatternSign::NoFolders, PatternSign::Folders]);
                    }
                    follows_slash = true;
                    continue;
                }
                (_, 3..) => return Err(PatternError::Stars),
                ('*', _) => signs.push(PatternSign::Run),
                ('?', _) => signs.push(PatternSign::Set {
                    is_other: true,
                    ranges: Vec::new(),
                }),
                ('[', _) => {
                    let (set, len) = read_set(rest).ok_or(PatternError::Brackets)?;
                    signs.push(set);
                    rest = &rest[len..];
                    continue;
                }
                ('_', _) if is_slash('_') => signs.push(PatternSign::UnderscoreOrSlash),
                (c, _) => signs.push(PatternSign::Char(c)),
            }
            rest = &rest[c.len_utf8()..];
        }
        Ok(PathPattern(signs))
    }

    fn matches(&self, path: &str) -> bool {
        self.follow(path).0
    }

    /// Whether it matches the path, and whether it may match a longer path that starts with this one.
    fn follow(&self, path: &str) -> (bool, bool) {
        // The places in the pattern that the characters so far can lead to, each once, in no order.
        let mut places = Vec::new();
        let mut next = Vec::new();
        let mut is_there = vec![false; self.0.len() + 1];
        self.reach(0, &mut places, &mut is_there);
        for c in path.chars() {
            is_there.fill(false);
            for &place in &places {
                let Some(sign) = self.0.get(place) else { continue };
                let (stays, passes) = sign.takes(c);
                if stays {
                    self.reach(place, &mut next, &mut is_there);
                }
                if passes {
                    self.reach(place + 1, &mut next, &mut is_there);
                }
            }
            std::mem::swap(&mut places, &mut next);
            next.clear();
            if places.is_empty() {
                return (false, false);
            }
        }
        let end = self.0.len();
        (is_there[end], places.iter().any(|&place| place < end))
    }

    /// True if each sign is one character.
    fn has_only_characters(&self) -> bool {
        self.0
            .iter()
            .all(|sign| matches!(sign, PatternSign::Char(_) | PatternSign::UnderscoreOrSlash))
    }

    /// Adds a place, and the places that can be reached from there without a character.
    fn reach(&self, mut place: usize, places: &mut Vec<usize>, is_there: &mut [bool]) {
        while !std::mem::replace(&mut is_there[place], true) {
            places.push(place);
            match self.0.get(place) {
                Some(PatternSign::Run | PatternSign::Everything) => place += 1,
                Some(PatternSign::NoFolders) => {
                    if !std::mem::replace(&mut is_there[place + 1], true) {
                        places.push(place + 1);
                    }
                    place += 2;
                }
                _ => return,
            }
        }
    }
}

impl PatternSign {
    /// Whether a character leads to the same place, and whether to the next one.
    fn takes(&self, c: char) -> (bool, bool) {
        match self {
            PatternSign::Char(own) => (false, is_same(*own, c)),
            PatternSign::UnderscoreOrSlash => (false, matches!(c, '_' | '/')),
            PatternSign::Set { is_other, ranges } => {
                let has = |c: char| ranges.iter().any(|range| range.contains(&c));
                let is_in = has(c) || cases(c).into_iter().any(has);
                (false, c != '/' && is_in != *is_other)
            }
            PatternSign::Run => (c != '/', false),
            PatternSign::Everything => (true, false),
            PatternSign::NoFolders => (false, false),
            PatternSign::Folders => (true, c == '/'),
        }
    }
}

/// True if two characters differ in letter case at most.
fn is_same(a: char, b: char) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(&b);
    }
    let [[_, a], [_, b]] = [a, b].map(cases);
    a == b
}

/// A character as a capital letter, and that as a small one. A letter whose other case is several letters has only itself.
fn cases(c: char) -> [char; 2] {
    fn one(mut cased: impl Iterator<Item = char>) -> Option<char> {
        let first = cased.next()?;
        cased.next().is_none().then_some(first)
    }
    let upper = one(c.to_uppercase()).unwrap_or(c);
    [upper, one(upper.to_lowercase()).unwrap_or(upper)]
}

/// The set at the start of a text, and its length. `None` if the text does not start with a complete set.
fn read_set(text: &str) -> Option<(PatternSign, usize)> {
    let inside = text.strip_prefix('[')?;
    let (is_other, inside) = inside
        .strip_prefix('!')
        .map_or((false, inside), |inside| (true, inside));
    // A bracket that comes first is one of the set.
    let first = inside.chars().next()?.len_utf8();
    let len = first + inside.get(first..)?.find(']')?;
    let mut signs = inside[..len].chars().peekable();
    let mut ranges = Vec::new();
    while let Some(from) = signs.next() {
        let mut range = signs.clone();
        let to = range.next().filter(|&c| c == '-').and_then(|_| range.next());
        match to.filter(|&to| from <= to) {
            Some(to) => {
                signs = range;
                ranges.push(from..=to);
            }
            None => ranges.push(from..=from),
        }
    }
    Some((
        PatternSign::Set { is_other, ranges },
        text.len() - inside.len() + len + 1,
    ))
}

/// Reason why a text is not a pattern of databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// A bracket is not closed.
    Brackets,
    /// Two stars that are not alone between slashes, or more than two.
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
            ("club_old", "club/old/a.pgn", false, true),
            ("club_old", "club_old/a.pgn", true, true),
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
            ("club", "club/a.pgn", true),
            ("CLUB", "club/old/a.pgn", true),
            ("old", "club/old/a.pgn", true),
            ("club/old", "club/old/older/a.pgn", true),
            ("club/", "club/a.pgn", true),
            ("club/old/", "club/old/a.pgn", true),
            ("club", "clubs/a.pgn", false),
            ("club", "other/myclub/a.pgn", false),
            ("club/old", "other/club/old/a.pgn", false),
            ("/", "club/a.pgn", false),
            ("cl?b", "club/a.pgn", false),
            ("[c]lub", "club/a.pgn", false),
            ("a\nb", "a\nb", true),
            ("**/**/a.pgn", "a.pgn", true),
            ("**/**/a.pgn", "x/y/z/a.pgn", true),
            ("**/b/**/a.pgn", "b/c/b/a.pgn", true),
            ("**/b/**/a.pgn", "c/xb/a.pgn", false),
            ("club/**/*", "club/", true),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("\u{3c3}.pgn", "\u{3c2}.pgn", true),
            ("[\u{3b1}-\u{3c9}].pgn", "\u{3a9}.pgn", true),
            ("stra\u{df}e", "STRA\u{df}E", true),
            ("stra\u{df}e", "strasse", false),
            ("[A-C].pgn", "b.pgn", true),
            ("[!A-C].pgn", "b.pgn", false),
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
    }

    #[test]
    fn a_pattern_has_at_most_4096_characters() {
        let pattern = DatabasePattern::parse(&"\u{e4}".repeat(LONGEST)).unwrap();
        assert!(pattern.matches(&"\u{c4}".repeat(LONGEST)));
        assert!(!pattern.matches(&"\u{c4}".repeat(LONGEST - 1)));
        let long = "?".repeat(LONGEST + 1);
        assert_eq!(DatabasePattern::parse(&long), Err(PatternError::Long));
        assert_eq!(DatabasePattern::parse_name(&long), Err(PatternError::Long));
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
