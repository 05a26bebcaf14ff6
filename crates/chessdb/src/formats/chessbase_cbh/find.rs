//! Finds files of a folder that look like a database (section 2).

use std::collections::HashMap;

use super::archive;
use crate::files::{Candidate, SourceFolder, by_stem};
use crate::formats::chessbase_common::companions::{
    kind_among, stem_of, stems_of, unread_kinds, unread_warning,
};

/// The file that names a database.
const MAIN: &str = "cbh";
/// The files of a database besides its `.cbh`.
const COMPANIONS: [&str; 9] = ["cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbj"];

/// Finds the databases and archives of a folder, and the files that are reported as not read.
pub(super) fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let mut candidates = by_stem(directory, &[MAIN], &COMPANIONS);
    let stems = candidates.iter().enumerate();
    let databases: HashMap<String, usize> = stems
        .map(|(place, candidate)| (stem_of(&candidate.name), place))
        .collect();
    // Without a `.cbh` of the same name, these files are reported with the `.2cbh`, so they must not be reported here.
    let newer = stems_of(directory, "2cbh");
    for name in &directory.files {
        let Some(kind) = kind_among(name, archive::KINDS.into_iter().chain(unread_kinds())) else {
            continue;
        };
        if let Some(warning) = unread_warning(name) {
            let stem = stem_of(name);
            let owner = databases.get(&stem);
            if let Some(owner) = owner.and_then(|place| candidates.get_mut(*place)) {
                owner.warnings.push(warning);
                continue;
            }
            if newer.contains(&stem) {
                continue;
            }
        }
        candidates.push(Candidate {
            name: name.clone(),
            files: vec![(kind.to_owned(), directory.path.join(name))],
            warnings: Vec::new(),
        });
    }
    candidates.sort_by(|a, b| a.name.cmp(&b.name));
    candidates
}

/// The kind of a file in an archive; `None` for files that are not needed.
pub(super) fn kind_of(name: &str) -> Option<&'static str> {
    kind_among(name, COMPANIONS.into_iter().chain([MAIN]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_read_are_named() {
        let directory = SourceFolder {
            path: "d".into(),
            files: ["A.CBG", "a.cbh", "a.cko", "b.CTG", "c.cbv", "n.2CBH", "N.cko"]
                .map(str::to_owned)
                .to_vec(),
        };
        let found = find(&directory);
        let names: Vec<_> = found.iter().map(|candidate| candidate.name.as_str()).collect();
        // `N.cko` has the name of a `.2cbh`, which reports it.
        assert_eq!(names, ["a.cbh", "b.CTG", "c.cbv"]);
        assert_eq!(found[0].files.len(), 2);
        assert_eq!(found[0].warnings, ["a.cko is not read: it is an opening key"]);
    }
}
