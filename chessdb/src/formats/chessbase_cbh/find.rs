//! What looks like a database among the files of a folder (section 2).

use super::archive;
use crate::formats::{Candidate, Directory, by_stem};

/// The files beside the `.cbh` that are read.
const COMPANIONS: [&str; 8] = ["cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbj"];

/// Files that are not read, with what they are.
const OTHERS: [(&str, &str); 4] = [
    ("2cbh", "a database of ChessBase 17 and later"),
    ("ctg", "an opening book"),
    ("cbb", "an index for searches"),
    ("cko", "an opening key"),
];

/// The databases of a folder, its archives, and what is told to be unread.
pub(super) fn find(directory: &Directory) -> Vec<Candidate> {
    let mut candidates = by_stem(directory, &["cbh"], &COMPANIONS);
    for kind in archive::KINDS {
        candidates.extend(by_stem(directory, &[kind], &[]));
    }
    for (kind, _) in OTHERS {
        for other in by_stem(directory, &[kind], &[]) {
            let stem = |name: &str| name.rsplit_once('.').map(|(stem, _)| stem.to_lowercase());
            let owner = candidates
                .iter_mut()
                .filter(|candidate| candidate.files.iter().any(|(kind, _)| kind == "cbh"))
                .find(|candidate| stem(&candidate.name) == stem(&other.name));
            match owner {
                Some(owner) => owner.warnings.push(describe(kind, &other.name)),
                None => candidates.push(other),
            }
        }
    }
    candidates.sort_by(|a, b| a.name.cmp(&b.name));
    candidates
}

/// What to say of a file that is not read.
pub(super) fn describe(kind: &str, name: &str) -> String {
    let known = OTHERS.iter().find(|(known, _)| *known == kind);
    let what = known.map_or("another file", |(_, what)| what);
    format!("{name} is not read: {what}")
}

/// The kinds of files that are not read.
pub(super) fn unread_kinds() -> impl Iterator<Item = &'static str> {
    OTHERS.iter().map(|(kind, _)| *kind)
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
    fn files_that_are_not_read_are_told() {
        let directory = Directory {
            path: "d".into(),
            files: ["A.CBG", "a.cbh", "a.cko", "b.2cbh", "c.cbv"]
                .map(str::to_owned)
                .to_vec(),
        };
        let found = find(&directory);
        let names: Vec<_> = found.iter().map(|candidate| candidate.name.as_str()).collect();
        assert_eq!(names, ["a.cbh", "b.2cbh", "c.cbv"]);
        assert_eq!(found[0].files.len(), 2);
        assert_eq!(found[0].warnings, ["a.cko is not read: an opening key"]);
    }
}
