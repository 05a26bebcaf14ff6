//! Joins many small files of a folder, which could each be a database, into one database.

use std::collections::HashMap;
use std::path::Path;
use std::ptr;

use super::found_name::file_name;
use super::names::numbered;
use super::task::{NamedCandidates, Unusable};
use crate::workers::hung::Hung;
use chessdb::Options;
use chessdb::files::{Candidate, SourceFolder};
use chessdb::formats::{FORMATS, Format, SmallFiles};

/// Takes the small files of a folder out of its databases, if they are very many, and returns them as one database of
/// each format. A file is included if its name or the name of the database is wanted.
pub(super) fn join(
    named: &mut Vec<NamedCandidates>,
    folder: &SourceFolder,
    unusable: &Unusable,
    hung: &HashMap<String, Hung>,
    options: &Options,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<NamedCandidates> {
    let mut joined = Vec::new();
    for format in FORMATS {
        let Some(small_files) = &format.small_files else {
            continue;
        };
        if named.len() <= small_files.most_files || !(small_files.are_joined)(options) {
            continue;
        }
        let are_all_wanted = is_wanted(small_files.name);
        let is_small = |(name, candidates): &NamedCandidates| {
            let file = single_file(candidates, format, small_files).filter(|path| {
                let file = file_name(path);
                // A link may lead to a file system that does not answer.
                !unusable.contains_key(&file) && !hung.contains_key(&file)
            });
            (are_all_wanted || is_wanted(name))
                && file.is_some_and(|path| has_at_most(path, small_files.most_bytes))
        };
        let are_small: Vec<bool> = named.iter().map(is_small).collect();
        if are_small.iter().filter(|is_small| **is_small).count() <= small_files.most_files {
            continue;
        }
        let mut are_small = are_small.into_iter();
        let (small, others): (Vec<_>, Vec<_>) = std::mem::take(named)
            .into_iter()
            .partition(|_| are_small.next().unwrap_or(false));
        *named = others;
        let candidates = small.into_iter().flat_map(|(_, candidates)| candidates);
        let files = candidates.flat_map(|(_, candidate)| candidate.files);
        let mut candidate = Candidate {
            name: free_name(small_files.name, folder),
            files: files.collect(),
            warnings: Vec::new(),
        };
        candidate.files.sort_unstable();
        joined.push((candidate.name.clone(), vec![(format, candidate)]));
    }
    joined
}

/// The path of a database that can only be one file of this kind.
fn single_file<'a>(
    candidates: &'a [(&'static Format, Candidate)],
    format: &Format,
    small_files: &SmallFiles,
) -> Option<&'a Path> {
    let [(of, candidate)] = candidates else {
        return None;
    };
    let [(kind, path)] = candidate.files.as_slice() else {
        return None;
    };
    (ptr::eq(*of, format) && kind == small_files.kind && candidate.warnings.is_empty()).then_some(path)
}

/// True for a regular file of at most `most` bytes.
fn has_at_most(path: &Path, most: u64) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() <= most)
}

/// The name, or the first one with a number that no file of the folder has.
fn free_name(name: &str, folder: &SourceFolder) -> String {
    let is_free = |name: &String| folder.files.binary_search(name).is_err();
    let mut names = (1..).map(|ordinal| numbered(name, ordinal).into_owned());
    names.find(is_free).unwrap_or_else(|| name.to_owned())
}
