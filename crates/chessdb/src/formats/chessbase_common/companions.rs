//! Files in the same folder as a database of either format: its own files, and files that are not read.

use std::collections::HashSet;

use crate::files::SourceFolder;

/// Files that are not read: extension, description, and what a user can do.
const UNREAD: [(&str, &str, &str); 3] = [
    (
        "ctg",
        "an opening book",
        "it has moves but no games; ChessBase and Fritz read it",
    ),
    ("cbb", "an index for searches", "it has no games"),
    ("cko", "an opening key", "it has no games"),
];

/// The kinds of files that are not read.
pub(in crate::formats) fn unread_kinds() -> impl Iterator<Item = &'static str> {
    UNREAD.iter().map(|(kind, ..)| *kind)
}

/// The warning of a database that has a file of these kinds next to it.
pub(in crate::formats) fn unread_warning(name: &str) -> Option<String> {
    let kind = kind_among(name, unread_kinds())?;
    let (_, what, _) = UNREAD.iter().find(|(known, ..)| *known == kind)?;
    Some(format!("{name} is not read: it is {what}"))
}

/// Why a file of one of these kinds is not a database, and the remedy.
pub(in crate::formats) fn reason(kind: &str) -> Option<String> {
    let (_, what, remedy) = UNREAD.iter().find(|(known, ..)| *known == kind)?;
    Some(format!("it is {what}, which is not read: {remedy}"))
}

/// A file's name without its extension, in lower case.
pub(in crate::formats) fn stem_of(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.to_lowercase()
}

/// The stems of all files of a kind in a folder.
pub(in crate::formats) fn stems_of(directory: &SourceFolder, kind: &'static str) -> HashSet<String> {
    let files = directory.files.iter();
    let files = files.filter(|name| kind_among(name, [kind]).is_some());
    files.map(|name| stem_of(name)).collect()
}

/// The kind of a file, if it is one of `kinds`.
pub(in crate::formats) fn kind_among(
    name: &str,
    kinds: impl IntoIterator<Item = &'static str>,
) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    let mut kinds = kinds.into_iter();
    kinds.find(|kind| kind.eq_ignore_ascii_case(extension))
}
