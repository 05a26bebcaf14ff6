//! The files of a database: grouping files that belong together, and access to their bytes.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::io::{self, Write};
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::problem::Problem;

/// The entries of one directory of the source, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct SourceFolder {
    /// The path of the folder.
    pub path: PathBuf,
    /// Names of its regular files, sorted. For a name that is not UTF-8, the caller chooses a text.
    pub files: Vec<String>,
}

/// Files that look like a database.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// Name of the directory that shows the database: the name of its main file; empty if the folder itself is the
    /// database.
    pub name: String,
    /// The files, each with its kind, which is usually the extension in lower case.
    pub files: Vec<(String, PathBuf)>,
    /// Oddities of the names, for the log and [`Info::warnings`](crate::database::Info::warnings).
    pub warnings: Vec<String>,
}

/// Keeps bytes for a database from one opening to the next. They are found again only if neither its files nor the
/// options have changed.
pub trait Kept: Debug + Send + Sync {
    /// The bytes kept under a name. Reading them as [parts](Bytes::part) reveals damage.
    fn get(&self, name: &str) -> Option<Arc<dyn Bytes>>;

    /// Keeps the bytes that `write` writes, and returns them; `None` if they cannot be kept. `write` is called at most
    /// once.
    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<Arc<dyn Bytes>>;

    /// Removes the data kept under a name, because it is damaged.
    fn remove(&self, _name: &str) {}

    /// The bytes that were kept under a name for an earlier state of the same files, read with the same options.
    fn earlier(&self, _name: &str) -> Option<Arc<dyn Bytes>> {
        None
    }
}

/// The open files of a database.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Files {
    /// The files, each with its kind.
    pub files: Vec<(String, SourceFile)>,
    /// Oddities found so far, for the log and [`Info::warnings`](crate::database::Info::warnings).
    pub warnings: Vec<String>,
    /// The kept data of the database; `None` if nothing can be kept.
    pub kept: Option<Arc<dyn Kept>>,
    /// The progress of opening.
    pub progress: Arc<Progress>,
}

/// Counts the bytes that have to be read to open a database, and the bytes that have been read. Bytes that are read
/// twice count twice. Formats that read only headers count no bytes.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    all: AtomicU64,
}

impl Progress {
    /// Adds bytes that have to be read.
    pub fn expect(&self, bytes: u64) {
        self.all.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds bytes that have been read.
    pub fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The number of bytes read so far, and the number of bytes to read in all.
    pub fn bytes(&self) -> (u64, u64) {
        let all = self.all.load(Ordering::Relaxed);
        (self.read.load(Ordering::Relaxed).min(all), all)
    }
}

impl Files {
    /// Files, each with its kind, without kept data.
    pub fn new(files: Vec<(String, SourceFile)>) -> Files {
        Files {
            files,
            ..Files::default()
        }
    }

    /// The file of a kind.
    pub fn get(&self, kind: &str) -> Option<&SourceFile> {
        self.files
            .iter()
            .find(|(name, _)| name == kind)
            .map(|(_, file)| file)
    }

    /// The name of a database's file of a kind, which may be missing. `main` is its main file.
    pub(crate) fn name_beside(&self, main: &SourceFile, kind: &str) -> String {
        let stem = main.name.rsplit_once('.').map_or(&*main.name, |(stem, _)| stem);
        self.get(kind)
            .map_or_else(|| format!("{stem}.{kind}"), |file| file.name.clone())
    }

    /// A problem for each of these kinds if its file is missing or empty. It says what is lost.
    pub(crate) fn lost<'a>(
        &self,
        main: &SourceFile,
        kinds: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Vec<Problem> {
        let lost = |(kind, what)| lost_with(&self.name_beside(main, kind), self.get(kind), what);
        kinds.into_iter().filter_map(lost).collect()
    }

    /// A problem for each long hole of the files.
    pub fn holes(&self) -> Vec<Problem> {
        let holes = |(_, file): &(String, SourceFile)| {
            let gaps = file.bytes.gaps().iter().take(MOST_HOLES);
            let problem = |gap: &Range<usize>| {
                Problem::damage(
                    file.name.clone(),
                    gap.start as u64,
                    format!("{} bytes from here are a hole and are skipped", gap.len()),
                )
            };
            gaps.map(problem).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(holes).collect()
    }
}

/// The problem of a file that is missing or empty. It says what is lost.
pub(crate) fn lost_with(name: &str, file: Option<&SourceFile>, what: &str) -> Option<Problem> {
    let state = match file {
        None => "missing",
        Some(file) if file.bytes.is_empty() => "empty",
        Some(_) => return None,
    };
    let offset = file.map(|_| 0);
    Some(Problem::damage(
        name,
        offset,
        format!("the file is {state}: {what}"),
    ))
}

/// Maximum number of entries of an index that are all read when a database is opened, to find whether entries are
/// missing at its end. Opening a longer one would take too long.
pub(crate) const MOST_ENTRIES: u32 = 1 << 20;

/// A file and its name.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Name without its folder.
    pub name: String,
    /// The bytes: a mapped file, or a file from an archive.
    pub bytes: Arc<dyn Bytes>,
}

impl SourceFile {
    /// Number of bytes without long holes.
    pub fn data_len(&self) -> usize {
        let len = self.bytes.len();
        let gaps = self.bytes.gaps().iter();
        let passed = gaps.map(|gap| gap.end.min(len).saturating_sub(gap.start));
        len.saturating_sub(passed.sum())
    }

    /// The long hole that contains a byte.
    pub fn gap_at(&self, at: usize) -> Option<&Range<usize>> {
        let gaps = self.bytes.gaps();
        let after = gaps.partition_point(|gap| gap.end <= at);
        gaps.get(after).filter(|gap| gap.start <= at)
    }

    /// The numbers below `len`. The iteration ends early if the bytes are lost.
    pub fn numbers(&self, len: u32) -> impl Iterator<Item = u32> + '_ {
        (0..len).take_while(|number| number % CHECK_INTERVAL != 0 || !self.bytes.is_lost())
    }
}

/// Number of iterations after which [`SourceFile::numbers`] checks again whether the bytes are lost.
const CHECK_INTERVAL: u32 = 1024;

/// Maximum number of holes of a file that are listed.
const MOST_HOLES: usize = 100;

/// Bytes at a fixed address in memory. A file may change at any time, and then so do its bytes.
pub trait Bytes: Deref<Target = [u8]> + Debug + Send + Sync {
    /// The bytes of a range. `None` beyond the end, and if [kept](Kept) data does not match its checksums.
    fn part(&self, range: Range<usize>) -> Option<&[u8]> {
        self.get(range)
    }

    /// Holes of a file that are too long to be read as zeros, in ascending order.
    fn gaps(&self) -> &[Range<usize>] {
        &[]
    }

    /// True if the file has changed or become unreadable, so that there is no use in reading on.
    fn is_lost(&self) -> bool {
        false
    }

    /// True if everything read so far was the content of the file when it was opened. Unlike
    /// [`is_lost`](Bytes::is_lost), this may make a system call.
    fn is_intact(&self) -> bool {
        !self.is_lost()
    }
}

impl Bytes for Vec<u8> {}

/// Finds databases whose files share a stem. Every file with an extension in `main` is a database, together with the
/// files of the same stem whose extensions are in `main` or `companions`.
///
/// Extensions match in any letter case, and main files whose names differ only in case are different databases. A
/// companion is a file with exactly the same stem; if there are several, it is the file whose extension has the same
/// letter case. Without such a file, it is the only case-insensitive match. A file may be the companion of several
/// databases. `main` is sorted by importance: if the first file is missing, the next one names the database.
pub fn by_stem(directory: &SourceFolder, main: &[&str], companions: &[&str]) -> Vec<Candidate> {
    let names = SortedNames::new(directory, &[main, companions].concat());
    let mut candidates = Vec::new();
    let mut claimed: HashSet<&str> = HashSet::new();
    for &kind in main {
        for file in names.all.iter().filter(|file| file.is_kind(kind)) {
            if claimed.contains(file.name) {
                continue;
            }
            let mut candidate = Candidate {
                name: file.name.to_owned(),
                files: Vec::new(),
                warnings: Vec::new(),
            };
            for &other in main.iter().chain(companions) {
                let found = if other == kind {
                    Some(*file)
                } else {
                    names.companion(*file, other)
                };
                let Some(found) = found else {
                    candidate.warnings.extend(names.ambiguity(*file, other));
                    continue;
                };
                claimed.insert(found.name);
                candidate
                    .files
                    .push((other.to_owned(), directory.path.join(found.name)));
            }
            candidates.push(candidate);
        }
    }
    for candidate in &mut candidates {
        let unread = names.unread_variants(candidate, &claimed);
        candidate.warnings.extend(unread);
    }
    candidates.sort_by(|a, b| a.name.cmp(&b.name));
    candidates
}

/// A file name split at its last point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name<'a> {
    name: &'a str,
    stem: &'a str,
    extension: &'a str,
}

impl<'a> Name<'a> {
    fn split(name: &'a str) -> Option<Name<'a>> {
        let (stem, extension) = name.rsplit_once('.')?;
        (!stem.is_empty()).then_some(Name {
            name,
            stem,
            extension,
        })
    }

    /// True if the extension starts with a small letter.
    fn is_small(&self) -> bool {
        self.extension.starts_with(|c: char| c.is_ascii_lowercase())
    }

    fn is_kind(&self, kind: &str) -> bool {
        self.extension.eq_ignore_ascii_case(kind)
    }
}

/// The file names of a directory that have some extensions: in order, by stem, and by stem in lower case.
struct SortedNames<'a> {
    all: Vec<Name<'a>>,
    /// By stem, and extension in lower case.
    by_stem: HashMap<(&'a str, &'a str), Vec<Name<'a>>>,
    /// By stem and extension in lower case.
    folded: HashMap<(String, &'a str), Vec<Name<'a>>>,
}

impl<'a> SortedNames<'a> {
    /// The names with one of the extensions `kinds`, which are in lower case.
    fn new(directory: &'a SourceFolder, kinds: &[&'a str]) -> SortedNames<'a> {
        let mut names = SortedNames {
            all: Vec::new(),
            by_stem: HashMap::new(),
            folded: HashMap::new(),
        };
        for name in directory.files.iter().filter_map(|name| Name::split(name)) {
            let Some(&kind) = kinds.iter().find(|kind| name.is_kind(kind)) else {
                continue;
            };
            names.all.push(name);
            let folded = (name.stem.to_lowercase(), kind);
            names.folded.entry(folded).or_default().push(name);
            names.by_stem.entry((name.stem, kind)).or_default().push(name);
        }
        names
    }

    /// The companion of this kind of a file. If several files have its stem, it is the file whose extension has the
    /// same letter case, or the first one.
    fn companion(&self, file: Name<'a>, kind: &'a str) -> Option<Name<'a>> {
        let exact = self.by_stem.get(&(file.stem, kind));
        let exact = exact.and_then(|files| {
            let same = files.iter().find(|other| other.is_small() == file.is_small());
            same.or(files.first())
        });
        let alike = || self.folded.get(&(file.stem.to_lowercase(), kind));
        match (exact, alike().map(Vec::as_slice)) {
            (Some(exact), _) => Some(*exact),
            (None, Some([only])) => Some(*only),
            _ => None,
        }
    }

    /// A warning if several files of a kind could be the companion of a file. Then none of them is used.
    fn ambiguity(&self, file: Name<'a>, kind: &'a str) -> Option<String> {
        let alike = self.folded.get(&(file.stem.to_lowercase(), kind))?;
        let [first, second, ..] = alike.as_slice() else {
            return None;
        };
        Some(format!(
            "neither {} nor {} is read: both could belong to {}, because their names differ in letter case only; \
             rename the file that does",
            first.name, second.name, file.name
        ))
    }

    /// Warnings about files that differ from a file of a candidate only in the case of the extension, and belong to no
    /// candidate.
    fn unread_variants(&self, candidate: &Candidate, claimed: &HashSet<&str>) -> Vec<String> {
        let files = candidate.files.iter().filter_map(|(kind, path)| {
            let name = Name::split(path.file_name()?.to_str()?)?;
            let alike = self.by_stem.get(&(name.stem, kind.as_str()))?;
            Some((name.name, alike))
        });
        let variants = files.flat_map(|(read, alike)| {
            let unread = alike.iter().filter(|variant| !claimed.contains(variant.name));
            unread.map(move |variant| {
                format!(
                    "{} is ignored and {read} is read: their names differ in letter case only",
                    variant.name
                )
            })
        });
        variants.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::holed::Holed;

    fn directory(files: &[&str]) -> SourceFolder {
        SourceFolder {
            path: PathBuf::from("d"),
            files: files.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn file_name(path: &std::path::Path) -> String {
        path.file_name().unwrap().to_string_lossy().into_owned()
    }

    fn found(files: &[&str]) -> Vec<(String, Vec<String>)> {
        by_stem(&directory(files), &["dci", "dcg"], &["dcn"])
            .into_iter()
            .map(|found| {
                (
                    found.name,
                    found.files.iter().map(|(_, path)| file_name(path)).collect(),
                )
            })
            .collect()
    }

    fn row(name: &str, files: &[&str]) -> (String, Vec<String>) {
        (
            name.to_owned(),
            files.iter().map(|&name| name.to_owned()).collect(),
        )
    }

    #[test]
    fn companions_are_found_in_any_letter_case() {
        assert_eq!(
            found(&["A.DCI", "A.dcg", "a.DCN", "b.txt", "c.dcn", "d.dcg"]),
            [
                row("A.DCI", &["A.DCI", "A.dcg", "a.DCN"]),
                row("d.dcg", &["d.dcg"])
            ]
        );
    }

    #[test]
    fn the_exact_stem_is_preferred_and_two_similar_ones_are_ambiguous() {
        assert_eq!(
            found(&["X.dci", "X.dcn", "x.dcn"]),
            [row("X.dci", &["X.dci", "X.dcn"])]
        );
        let files = ["Xy.dci", "XY.dcn", "xy.dcn"];
        assert_eq!(found(&files), [row("Xy.dci", &["Xy.dci"])]);
        let candidate = &by_stem(&directory(&files), &["dci"], &["dcn"])[0];
        assert_eq!(candidate.warnings.len(), 1);
        assert!(
            candidate.warnings[0]
                .starts_with("neither XY.dcn nor xy.dcn is read: both could belong to Xy.dci")
        );
    }

    #[test]
    fn two_extensions_that_differ_in_case_are_two_databases() {
        assert_eq!(
            found(&["a.DCI", "a.dci"]),
            [row("a.DCI", &["a.DCI"]), row("a.dci", &["a.dci"])]
        );
        // Companions have the same case, and a single one belongs to both.
        assert_eq!(
            found(&["a.DCI", "a.dci", "a.DCG", "a.dcg", "a.DCN", "a.dcn"]),
            [
                row("a.DCI", &["a.DCI", "a.DCG", "a.DCN"]),
                row("a.dci", &["a.dci", "a.dcg", "a.dcn"])
            ]
        );
        assert_eq!(
            found(&["a.DCI", "a.dci", "a.dcg", "a.dcn"]),
            [
                row("a.DCI", &["a.DCI", "a.dcg", "a.dcn"]),
                row("a.dci", &["a.dci", "a.dcg", "a.dcn"])
            ]
        );
        // A second companion of one database is left out, with a warning.
        let found = by_stem(&directory(&["a.dci", "a.DCN", "a.dcn"]), &["dci"], &["dcn"]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].warnings,
            ["a.DCN is ignored and a.dcn is read: their names differ in letter case only"]
        );
    }

    #[test]
    fn many_names_that_differ_in_case_only_are_as_many_databases() {
        // Comparing every pair would take ten billion comparisons.
        let letters = 17;
        let names: Vec<String> = (0..1u32 << letters)
            .map(|n| {
                let case = |bit: u32| if n >> bit & 1 == 0 { 'A' } else { 'a' };
                (0..letters).map(case).collect::<String>() + ".dci"
            })
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(found(&names).len(), names.len());
    }

    #[test]
    fn a_hundred_holes_are_reported() {
        for holes in [99, 100, 101] {
            let file = SourceFile {
                name: "x".to_owned(),
                bytes: Arc::new(Holed(Vec::new(), (0..holes).map(|n| 2 * n..2 * n + 1).collect())),
            };
            let files = Files {
                files: vec![("x".to_owned(), file)],
                ..Files::default()
            };
            assert_eq!(files.holes().len(), holes.min(100));
        }
    }
}
