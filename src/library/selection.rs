//! Which databases of a folder are served, and where they stand.

use glob::{MatchOptions, Pattern, PatternError};

/// What the user wants of a folder. The default is everything at its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// All databases stand beside each other, without the folders that lead to them.
    pub flat: bool,
    only: Vec<Pattern>,
}

/// Letters match in either case, as extensions do, and `*` stays in its folder.
const HOW: MatchOptions = MatchOptions {
    case_sensitive: false,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

impl Selection {
    /// Wants the databases that match a pattern, beside those of other patterns: by their names, or by their paths in
    /// the source where there is a slash in the pattern.
    ///
    /// # Errors
    /// If the pattern is invalid.
    pub fn add_only(&mut self, pattern: &str) -> Result<(), PatternError> {
        self.only.push(Pattern::new(pattern)?);
        Ok(())
    }

    /// True if some databases may be unwanted.
    pub(super) fn is_choosy(&self) -> bool {
        !self.only.is_empty()
    }

    /// True for a database that is wanted; it has the name of its folder if it has none of its own.
    pub(super) fn wants(&self, folder: &[String], name: &str) -> bool {
        let path: Vec<&str> = folder
            .iter()
            .map(String::as_str)
            .chain([name])
            .filter(|name| !name.is_empty())
            .collect();
        let name = path.last().copied().unwrap_or_default();
        let matches = |pattern: &Pattern| match pattern.as_str().contains('/') {
            true => pattern.matches_with(&path.join("/"), HOW),
            false => pattern.matches_with(name, HOW),
        };
        !self.is_choosy() || self.only.iter().any(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_or_paths() {
        let wants = |pattern: &str, path: &str| {
            let mut selection = Selection::default();
            selection.add_only(pattern).unwrap();
            let mut folder: Vec<String> = path.split('/').map(str::to_owned).collect();
            let name = folder.pop().unwrap();
            selection.wants(&folder, &name)
        };
        for (pattern, path) in [
            ("*.dci", "a.dci"),
            ("*.dci", "club/a.dci"),
            ("*.cbf", "OLD/KASPAROV.CBF"),
            ("club/*.dci", "club/a.dci"),
            ("club/**", "club/old/a.dci"),
            ("**/old/*", "club/old/a.dci"),
            ("[ab].*", "b.brn"),
            ("tables", "club/tables/"),
        ] {
            assert!(wants(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.dci", "a.brn"),
            ("club/*.dci", "club/old/a.dci"),
            ("club/*", "a.dci"),
            ("club", "club/a.dci"),
        ] {
            assert!(!wants(pattern, path), "{pattern} {path}");
        }
        assert!(Selection::default().wants(&[], "a"));
        assert!(Selection::default().add_only("[a").is_err());
    }
}
