//! What looks like a database among the files of a folder (section 2).

use std::collections::HashMap;

use super::archive;
use crate::formats::{Candidate, SourceFolder, by_stem};

/// The files beside the `.cbh` that are read.
const COMPANIONS: [&str; 8] = ["cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbj"];

/// Files that are not read, with what they are and what a user can do.
const OTHERS: [(&str, &str, &str); 3] = [
    (
        "ctg",
        "an opening book",
        "it has moves but no games; ChessBase and Fritz read it",
    ),
    ("cbb", "an index for searches", "it has no games"),
    ("cko", "an opening key", "it has no games"),
];

/// The databases and archives of a folder, and the files that are named as not read.
pub(super) fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let mut candidates = by_stem(directory, &["cbh"], &COMPANIONS);
    let stems = candidates.iter().enumerate();
    let databases: HashMap<String, usize> = stems
        .map(|(place, candidate)| (stem_of(&candidate.name), place))
        .collect();
    let kinds: Vec<&str> = archive::KINDS.into_iter().chain(unread_kinds()).collect();
    for name in &directory.files {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let kind = kinds.iter().find(|kind| kind.eq_ignore_ascii_case(extension));
        let Some(&kind) = kind else { continue };
        let owner = databases
            .get(&stem_of(name))
            .filter(|_| !archive::KINDS.contains(&kind));
        match owner.and_then(|place| candidates.get_mut(*place)) {
            Some(owner) => owner.warnings.push(describe(kind, name)),
            None => candidates.push(Candidate {
                name: name.clone(),
                files: vec![(kind.to_owned(), directory.path.join(name))],
                warnings: Vec::new(),
            }),
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

/// What to say of a file that is not read.
fn describe(kind: &str, name: &str) -> String {
    format!("{name} is not read: it is {}", what(kind))
}

/// What a file of a kind is that is not read.
pub(super) fn what(kind: &str) -> &'static str {
    let known = OTHERS.iter().find(|(known, ..)| *known == kind);
    known.map_or("another file", |(_, what, _)| what)
}

/// Why a file of a kind that is not read is no database, and what a user can do.
pub(super) fn reason(kind: &str) -> Option<String> {
    let (_, what, remedy) = OTHERS.iter().find(|(known, ..)| *known == kind)?;
    Some(format!("it is {what}, which is not read: {remedy}"))
}

/// The kinds of files that are not read.
pub(super) fn unread_kinds() -> impl Iterator<Item = &'static str> {
    OTHERS.iter().map(|(kind, ..)| *kind)
}

/// What a file of an archive is called here; none for files that are not needed.
pub(super) fn kind_of(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    let kinds = COMPANIONS.iter().chain(&["cbh"]);
    let mut kinds = kinds.filter(|kind| kind.eq_ignore_ascii_case(extension));
    kinds.next().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_read_are_named() {
        let directory = SourceFolder {
            path: "d".into(),
            files: ["A.CBG", "a.cbh", "a.cko", "b.CTG", "c.cbv"]
                .map(str::to_owned)
                .to_vec(),
        };
        let found = find(&directory);
        let names: Vec<_> = found.iter().map(|candidate| candidate.name.as_str()).collect();
        assert_eq!(names, ["a.cbh", "b.CTG", "c.cbv"]);
        assert_eq!(found[0].files.len(), 2);
        assert_eq!(found[0].warnings, ["a.cko is not read: it is an opening key"]);
    }
}
