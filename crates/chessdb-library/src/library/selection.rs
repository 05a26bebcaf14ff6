//! Which databases of a folder are served, and how they are arranged.

use std::path::{Path, PathBuf};

use super::found_name::legible;
use super::pattern::{DatabasePattern, PatternError};
use super::task::in_directory;
use chessdb::files::{Candidate, SourceFolder};
use chessdb::formats::{Format, MAIN_FILES};

/// The databases of a folder that the user selects. The default is all of them, at their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseSelection {
    /// If true, all databases are at the root of the tree, without the folders that contain them.
    pub flat: bool,
    only: Vec<DatabasePattern>,
    /// Extensions and names of formats in lower case; empty for all.
    kinds: Vec<String>,
}

impl DatabaseSelection {
    /// Selects the databases that match a [pattern](DatabasePattern), in addition to what other patterns select.
    ///
    /// # Errors
    /// If the pattern is invalid.
    pub fn add_only(&mut self, pattern: &str) -> Result<(), PatternError> {
        self.only.push(DatabasePattern::parse(pattern)?);
        Ok(())
    }

    /// Selects the databases of these kinds, in addition to what other lists select. `kinds` has extensions of files or
    /// names of formats, separated by commas.
    ///
    /// # Errors
    /// If it contains no kind, or a word that is not one.
    pub fn add_kinds(&mut self, kinds: &str) -> Result<(), &'static str> {
        let words = kinds.split(',').map(|kind| kind.trim().trim_start_matches('.'));
        let words = words.filter(|kind| !kind.is_empty()).map(str::to_ascii_lowercase);
        let words: Vec<String> = words.collect();
        if words.is_empty() || !words.iter().all(|word| is_kind(word)) {
            return Err(
                "a list of extensions of databases or names of formats, such as cbh,si4,pgn,chess-assistant",
            );
        }
        self.kinds.extend(words);
        Ok(())
    }

    /// True if some databases may not be selected.
    pub(super) fn is_choosy(&self) -> bool {
        !self.only.is_empty() || !self.kinds.is_empty()
    }

    /// True if one of the candidates is of a selected kind.
    pub(super) fn wants_kind(&self, candidates: &[(&Format, Candidate)]) -> bool {
        let is_selected = |kind: &str| self.kinds.iter().any(|selected| selected == kind);
        let mut candidates = candidates.iter();
        self.kinds.is_empty()
            || candidates.any(|(format, candidate)| {
                let mut files = candidate.files.iter();
                let is_named = |path: &Path| {
                    let name = path.file_name().unwrap_or_default();
                    self.wants_extension(&name.to_string_lossy())
                };
                is_selected(format.name) || files.any(|(kind, path)| is_selected(kind) || is_named(path))
            })
    }

    /// True if a file with the extension of this name may be of a selected kind. An extension may have a point, as in
    /// `pgn.zst`.
    pub(super) fn wants_extension(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let ends_with = |kind: &String| {
            name.strip_suffix(kind.as_str())
                .is_some_and(|stem| stem.ends_with('.'))
        };
        self.kinds.is_empty() || self.kinds.iter().any(ends_with)
    }

    /// True for a selected database. An empty `name` is the name of the folder.
    pub(super) fn wants(&self, folder: &[String], name: &str) -> bool {
        let path: Vec<&str> = folder
            .iter()
            .map(String::as_str)
            .chain([name])
            .filter(|name| !name.is_empty())
            .collect();
        let path = path.join("/");
        let path = legible(&path);
        self.only.is_empty() || self.only.iter().any(|pattern| pattern.matches(&path))
    }
}

/// True for the name of a format, and for an extension that a file of some database has: then the word selects one in a
/// folder with a database of each kind.
fn is_kind(word: &str) -> bool {
    let main = MAIN_FILES.split_ascii_whitespace();
    let main = main.filter_map(|word| word.trim_matches(['(', ')']).strip_prefix('.'));
    let extensions = main
        .map(str::to_owned)
        .chain([word.to_owned(), format!("pgn.{word}")]);
    let mut files: Vec<String> = extensions.map(|extension| format!("x.{extension}")).collect();
    files.sort();
    files.dedup();
    let folder = SourceFolder {
        path: PathBuf::new(),
        files,
    };
    let selection = DatabaseSelection {
        kinds: vec![word.to_owned()],
        ..DatabaseSelection::default()
    };
    let databases = in_directory(&folder);
    databases
        .iter()
        .any(|(_, candidates)| selection.wants_kind(candidates))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_may_have_a_point() {
        let mut selection = DatabaseSelection::default();
        selection.add_kinds("si4, .PGN.zst").unwrap();
        for name in ["a.si4", "A.SI4", "a.pgn.zst", "b.PGN.ZST"] {
            assert!(selection.wants_extension(name), "{name}");
        }
        for name in ["a.zst", "apgn.zst", "pgn.zst", "si4", "a.si", "a.si4.zst"] {
            assert!(!selection.wants_extension(name), "{name}");
        }
    }

    #[test]
    fn a_kind_is_an_extension_or_a_format() {
        let mut selection = DatabaseSelection::default();
        for kinds in [
            "pgn",
            ".CBH, 2cbh",
            "si3,si4,si5",
            "sn4",
            "dci,dcg",
            "cdp",
            "brn",
            "fbk",
            "parquet",
            "zip",
            "cbv,2cbv,cbz",
            "jose",
            "gz",
            "zst",
            "pgn.bz2",
            "scid",
            "chessbase-cbh",
            "Chess-Assistant",
        ] {
            assert_eq!(selection.add_kinds(kinds), Ok(()), "{kinds}");
        }
        for kinds in [
            "",
            ",",
            "cbhh",
            "pgn,cbhh",
            "chessbase-cbf",
            "nonsense",
            "txt",
            "x",
        ] {
            assert!(selection.add_kinds(kinds).is_err(), "{kinds}");
        }
    }

    #[test]
    fn patterns_match_names_or_paths() {
        let wants = |pattern: &str, path: &str| {
            let mut selection = DatabaseSelection::default();
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
            ("club", "club/a.dci"),
            ("Club/Old", "club/old/a.dci"),
        ] {
            assert!(wants(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.dci", "a.brn"),
            ("club/*.dci", "club/old/a.dci"),
            ("club/*", "a.dci"),
            ("club*", "club/a.dci"),
        ] {
            assert!(!wants(pattern, path), "{pattern} {path}");
        }
        assert!(DatabaseSelection::default().wants(&[], "a"));
        assert!(DatabaseSelection::default().add_only("[a").is_err());
    }
}
