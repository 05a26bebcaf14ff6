//! Finds files of a folder that look like a database (section 1).

use std::collections::HashMap;

use super::archive;
use crate::files::{Candidate, SourceFolder, by_stem};
use crate::formats::chessbase_common::companions::{kind_among, stem_of, stems_of, unread_warning};

/// The file that names a database.
pub(super) const MAIN: &str = "2cbh";
/// The files of a database besides its `.2cbh`.
const COMPANIONS: [&str; 4] = ["2cbg", "2cba", "2lid", "ini"];

const PART: (&str, &str) = (
    "a part of a database of ChessBase 17 and later whose .2cbh is missing",
    "get the whole database",
);

/// Files that are not a database by themselves: extension, description, and what a user can do.
const OTHERS: [(&str, (&str, &str)); 4] = [
    ("2cbg", PART),
    ("2cba", PART),
    ("2lid", PART),
    (
        "2cbz",
        (
            "an encrypted archive of ChessBase 17 and later, which is not read",
            "save it as .2cbv in ChessBase",
        ),
    ),
];

/// The databases of a folder, and the files that are left out.
pub(super) fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let mut candidates = by_stem(directory, &[MAIN], &COMPANIONS);
    let stems = candidates.iter().enumerate();
    let databases: HashMap<String, usize> = stems
        .map(|(place, candidate)| (stem_of(&candidate.name), place))
        .collect();
    // A `.cbh` with the same name reports these files.
    let older = stems_of(directory, "cbh");
    let others = OTHERS.iter().map(|(kind, _)| *kind).chain([archive::KIND]);
    for name in &directory.files {
        let stem = stem_of(name);
        let owner = databases.get(&stem);
        if let Some(warning) = unread_warning(name).filter(|_| !older.contains(&stem))
            && let Some(owner) = owner.and_then(|place| candidates.get_mut(*place))
        {
            owner.warnings.push(warning);
            continue;
        }
        let Some(kind) = kind_among(name, others.clone()) else {
            continue;
        };
        if !COMPANIONS.contains(&kind) || owner.is_none() {
            candidates.push(Candidate {
                name: name.clone(),
                files: vec![(kind.to_owned(), directory.path.join(name))],
                warnings: Vec::new(),
            });
        }
    }
    candidates.sort_by(|a, b| a.name.cmp(&b.name));
    candidates
}

/// The kind of a file that an archive needs.
pub(super) fn needed_kind(name: &str) -> Option<&'static str> {
    kind_among(name, COMPANIONS.into_iter().chain([MAIN]))
}

/// Why files of these kinds are not a database, and the remedy.
pub(super) fn reason(has: impl Fn(&str) -> bool) -> Option<String> {
    let (_, (what, remedy)) = OTHERS.iter().find(|(kind, _)| has(kind))?;
    Some(format!("it is {what}: {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_read_is_named_by_the_database_beside_it() {
        let directory = |files: &[&str]| SourceFolder {
            path: "d".into(),
            files: files.iter().map(ToString::to_string).collect(),
        };
        let found = find(&directory(&["a.2cbh", "A.CKO", "b.cko"]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].warnings, ["A.CKO is not read: it is an opening key"]);
        // Next to a `.cbh`, the `.cko` is reported by that database.
        let found = find(&directory(&["a.2cbh", "a.cbh", "a.cko"]));
        assert_eq!(found[0].warnings, [""; 0]);
    }

    #[test]
    fn databases_have_their_companions_and_others_are_left_out() {
        let directory = SourceFolder {
            path: "d".into(),
            files: [
                "A.2CBG", "a.2cba", "a.2cbh", "a.cbh", "a.ini", "b.2LID", "c.2cbz", "d.2CBV",
            ]
            .map(str::to_owned)
            .to_vec(),
        };
        let found = find(&directory);
        let names: Vec<_> = found.iter().map(|candidate| candidate.name.as_str()).collect();
        assert_eq!(names, ["a.2cbh", "b.2LID", "c.2cbz", "d.2CBV"]);
        let kinds: Vec<_> = found[0].files.iter().map(|(kind, _)| kind.as_str()).collect();
        assert_eq!(kinds, ["2cbh", "2cbg", "2cba", "ini"]);
        let reason = |kind| reason(|wanted| wanted == kind);
        assert!(reason("2cbz").unwrap().contains("encrypted"));
        assert!(reason("2lid").unwrap().contains("whose .2cbh is missing"));
        assert_eq!(reason("2cbh"), None);
    }
}
