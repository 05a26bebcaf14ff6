//! What looks like a database among the files of a folder (section 1).

use std::collections::HashSet;

use super::archive;
use crate::formats::{Candidate, SourceFolder, by_stem};

/// The file that names a database.
pub(super) const MAIN: &str = "2cbh";
/// The files beside the `.2cbh` that are read.
const COMPANIONS: [&str; 4] = ["2cbg", "2cba", "2lid", "ini"];

const PART: (&str, &str) = (
    "a part of a database of ChessBase 17 and later whose .2cbh is missing",
    "get the whole database",
);

/// Files that are no database by themselves, with what they are and what a user can do.
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
    let stems: HashSet<String> = candidates
        .iter()
        .map(|candidate| stem_of(&candidate.name))
        .collect();
    let others = OTHERS.iter().map(|(kind, _)| *kind).chain([archive::KIND]);
    for name in &directory.files {
        let Some(kind) = kind_among(name, others.clone()) else {
            continue;
        };
        if !COMPANIONS.contains(&kind) || !stems.contains(&stem_of(name)) {
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

/// A file's name without its extension, in lower case.
fn stem_of(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.to_lowercase()
}

/// The kind of a file that an archive needs.
pub(super) fn needed_kind(name: &str) -> Option<&'static str> {
    kind_among(name, COMPANIONS.into_iter().chain([MAIN]))
}

/// The one of some kinds that a file has.
fn kind_among(name: &str, kinds: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    let mut kinds = kinds.into_iter();
    kinds.find(|kind| kind.eq_ignore_ascii_case(extension))
}

/// Why files are no database of which `has` tells the kinds, and what a user can do.
pub(super) fn reason(has: impl Fn(&str) -> bool) -> Option<String> {
    let (_, (what, remedy)) = OTHERS.iter().find(|(kind, _)| has(kind))?;
    Some(format!("it is {what}: {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
