//! Compressed files of PGN (section 10): `.pgn.zst`, `.pgn.gz`, `.pgn.bz2`, and `.zip` with any number of files.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use super::source::Source;
use super::{KIND, LEAST_KEPT, PgnFile, many};
use crate::bytes::index;
use crate::database::{NamedDatabase, NotADatabase, Opened, Options, several};
use crate::files::{Bytes, Candidate, Files, Kept, SourceFile, SourceFolder, by_stem};
use crate::packed::{Allowance, Packed, PackedError, ZipMembers, is_packed, is_zip, zip_members};
use crate::problem::{Problem, ProblemKind, Remedy};

/// Extensions of compressed files, after `.pgn`.
const COMPRESSED: [&str; 3] = ["zst", "gz", "bz2"];
/// Extension of archives.
const ZIP: &str = "zip";

/// The files of a directory that may contain PGN.
pub(super) fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let is_after_pgn = |name: &String| {
        let (stem, _) = name.rsplit_once('.').unwrap_or_default();
        let extension = stem.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(KIND))
    };
    let after = SourceFolder {
        path: directory.path.clone(),
        files: directory
            .files
            .iter()
            .filter(|name| is_after_pgn(name))
            .cloned()
            .collect(),
    };
    let plain = [KIND, ZIP].map(|kind| by_stem(directory, &[kind], &[]));
    let packed = COMPRESSED.map(|kind| by_stem(&after, &[kind], &[]));
    plain.into_iter().chain(packed).flatten().collect()
}

/// The bytes of a PGN file, and their origin.
pub(super) struct Contents {
    /// Name of the file. For a packed file, it includes the name of the compressed file.
    pub(super) name: String,
    pub(super) source: Box<dyn Source>,
    /// The decompressor, and the name of the compressed file.
    pub(super) packed: Option<(Arc<Packed>, String)>,
    /// True if the files of the source were converted to UTF-8, from the encoding that the user names or their own.
    pub(super) is_converted: bool,
}

/// Opens a file, or all files of an archive.
pub(super) fn open(files: Files, options: &Options) -> Opened {
    if files.files.len() > 1 {
        return many::open(files, options);
    }
    let Some((kind, file)) = files.files.first() else {
        return Err(NotADatabase::new("there is no .pgn"));
    };
    if is_apple_double(&file.name, file.bytes.get(..4).unwrap_or_default()) {
        return Err(NotADatabase {
            is_foreign: true,
            ..NotADatabase::new(APPLE_DOUBLE)
        });
    }
    if kind == KIND && !is_packed(&file.bytes) {
        let contents = Contents {
            name: file.name.clone(),
            source: Box::new(Arc::clone(&file.bytes)),
            packed: None,
            is_converted: false,
        };
        return Ok(NamedDatabase::only(PgnFile::open(contents, &files, options)?));
    }
    let found = if kind == ZIP || is_zip(&file.bytes) {
        zip_members(&file.bytes)
    } else {
        ZipMembers::default()
    };
    if found.members.len() > 1 || found.unread > 0 || (found.members.is_empty() && !found.packed.is_empty()) {
        return open_several(&found, file, &files, options);
    }
    let member = found.members.first();
    let name = match member {
        Some(member) => path_of(&member.name),
        None if kind == KIND => file.name.clone(),
        // Without the extension of the compressed file.
        None => file.name.rsplit_once('.').map_or("", |(stem, _)| stem).to_owned(),
    };
    let packed = with_kept(files.kept.as_deref(), |kept| match member {
        Some(member) => {
            let allowance = Allowance::of(file.data_len() as u64);
            Packed::open_member(Arc::clone(&file.bytes), member, kept, &allowance)
        }
        None => Packed::open(Arc::clone(&file.bytes), kept),
    });
    let packed = packed?;
    // If a member is cut, its own damage already says so.
    let is_lost = member.is_some() && !found.has_directory && packed.damage().is_empty();
    let mut database = open_packed(packed, &name, file, &files, options)?;
    if is_lost {
        database.problems.push(without_directory(&file.name));
    }
    database.info.warnings.extend(packed_members(&found));
    Ok(NamedDatabase::only(database))
}

/// The problem of an archive without a directory: the search for its members may end too early.
fn without_directory(archive: &str) -> Problem {
    let what = "the directory at the end of the archive is missing or damaged, so members may be missing: get a whole copy";
    Problem::new(ProblemKind::Damage, archive, None, what.to_owned())
}

/// Name of the stored index of a compressed file.
const POINTS: &str = "points";

/// Opens a compressed file with its stored index. Without a stored index, it makes one and stores it.
fn with_kept(
    kept: Option<&dyn Kept>,
    open: impl FnOnce(Option<Arc<dyn Bytes>>) -> Result<Packed, PackedError>,
) -> Result<Packed, PackedError> {
    let packed = open(kept.and_then(|kept| kept.get(POINTS)))?;
    if packed.is_kept() {
        return Ok(packed);
    }
    let kept = kept.filter(|_| packed.len() >= LEAST_KEPT);
    Ok(match kept.and_then(|kept| keep(&packed, kept)) {
        Some(stored) => packed.with_index(stored),
        None => packed,
    })
}

/// Stores the index of a compressed file.
pub(super) fn keep(packed: &Packed, kept: &dyn Kept) -> Option<Arc<dyn Bytes>> {
    let bytes = packed.index();
    kept.put(POINTS, &mut |out| out.write_all(&bytes))
}

/// Storage for one member of an archive.
#[derive(Debug)]
struct KeptOfMember {
    kept: Arc<dyn Kept>,
    number: usize,
}

impl KeptOfMember {
    fn name(&self, name: &str) -> String {
        format!("{name} {}", self.number)
    }
}

impl Kept for KeptOfMember {
    fn get(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        self.kept.get(&self.name(name))
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<Arc<dyn Bytes>> {
        self.kept.put(&self.name(name), write)
    }

    fn remove(&self, name: &str) {
        self.kept.remove(&self.name(name));
    }
}

/// Opens the members of an archive. The limit for unpacked bytes applies to all of them together.
fn open_several(found: &ZipMembers, file: &SourceFile, files: &Files, options: &Options) -> Opened {
    let allowance = Allowance::of(file.data_len() as u64);
    let mut parts = Vec::new();
    let mut left_out = LeftOut::new(&file.name, found);
    let mut notes: Vec<String> = packed_members(found).collect();
    for (number, member) in found.members.iter().enumerate() {
        let of_member = |kept: &Arc<dyn Kept>| -> Arc<dyn Kept> {
            let kept = Arc::clone(kept);
            Arc::new(KeptOfMember { kept, number })
        };
        // The index of a short file is never stored, so do not search for it.
        let kept = files.kept.as_ref().filter(|_| member.unpacked >= LEAST_KEPT);
        let files = &Files {
            kept: kept.map(of_member),
            ..files.clone()
        };
        let packed = with_kept(files.kept.as_deref(), |kept| {
            Packed::open_member(Arc::clone(&file.bytes), member, kept, &allowance)
        });
        let name = path_of(&member.name);
        if let Ok(packed) = &packed {
            let mut start = [0; 4];
            packed.read_at(0, &mut start);
            if is_apple_double(&name, &start) {
                notes.push(format!("{name} is left out: {APPLE_DOUBLE}"));
                continue;
            }
        }
        let opened = packed.map_err(|error| (kind_of(&error), error.into()));
        let opened = opened.and_then(|packed| {
            let opened = open_packed(packed, &name, file, files, options);
            opened.map_err(|error| (ProblemKind::Unsupported, error))
        });
        match opened {
            Ok(database) => parts.push((name, database)),
            Err((kind, error)) => left_out.push(kind, &name, &error),
        }
    }
    let problems = left_out.into_problems();
    let Some(((first, database), others)) = parts.split_first_mut() else {
        let errors = problems.into_iter();
        let error = |problem: Problem| NotADatabase::new(problem.what).with_remedy(problem.remedy);
        let notes = notes.into_iter().map(NotADatabase::new);
        return Err(errors.map(error).chain(notes).collect());
    };
    if !problems.is_empty() {
        let elsewhere = format!("members of the archive are left out: the warnings of {first} name them");
        for (_, other) in others {
            other.info.warnings.push(elsewhere.clone());
        }
    }
    let warnings = problems.iter().map(|problem| problem.what.clone());
    database.info.warnings.extend(warnings.chain(notes));
    database.problems.extend(problems);
    let parts = parts.into_iter();
    Ok(several(parts))
}

/// The members of an archive that are not shown, as problems of the archive.
struct LeftOut<'a> {
    archive: &'a str,
    problems: Vec<Problem>,
    /// Number of members beyond [`MOST_NAMED`].
    unnamed: usize,
}

/// Maximum number of members of an archive that are named because they are left out.
const MOST_NAMED: usize = 100;

impl<'a> LeftOut<'a> {
    fn new(archive: &'a str, found: &ZipMembers) -> LeftOut<'a> {
        let mut left_out = LeftOut {
            archive,
            problems: Vec::new(),
            unnamed: 0,
        };
        if !found.has_directory {
            left_out.problems.push(without_directory(archive));
        }
        if found.unread > 0 {
            let what = format!(
                "{} members of the archive, after the first {}, are left out",
                found.unread,
                ZipMembers::MOST
            );
            left_out.add(ProblemKind::Limit, what, Some(Remedy::Unpack));
        }
        left_out
    }

    fn add(&mut self, kind: ProblemKind, what: String, remedy: Option<Remedy>) {
        let problem = Problem::new(kind, self.archive, None, what);
        self.problems.push(problem.with_remedy(remedy));
    }

    fn push(&mut self, kind: ProblemKind, member: &str, error: &NotADatabase) {
        if self.problems.len() < MOST_NAMED {
            self.add(kind, format!("{member} is left out: {error}"), error.remedy);
        } else {
            self.unnamed += 1;
        }
    }

    fn into_problems(mut self) -> Vec<Problem> {
        if self.unnamed > 0 {
            let what = format!("{} more members are left out for such reasons", self.unnamed);
            self.add(ProblemKind::Limit, what, None);
        }
        self.problems
    }
}

fn kind_of(error: &PackedError) -> ProblemKind {
    match error {
        PackedError::TooLarge => ProblemKind::Limit,
        PackedError::Method(_) => ProblemKind::Unsupported,
        PackedError::Unknown | PackedError::Empty | PackedError::Damaged(_) => ProblemKind::Damage,
    }
}

/// Maximum number of folders in the path of a member.
const MOST_FOLDERS: usize = 8;

/// Maximum length of the name of such a folder in bytes.
const LONGEST_FOLDER: usize = 240;

/// The path of a member with the names of its folders; without them if they are many, long or unsafe.
fn path_of(member: &str) -> String {
    let parts = member.split(['/', '\\']);
    let parts: Vec<&str> = parts.filter(|part| !matches!(*part, "" | ".")).collect();
    let name = parts.last().copied().unwrap_or(member);
    let folders = parts.get(..parts.len().saturating_sub(1)).unwrap_or_default();
    let is_kept = |folder: &&str| folder.len() <= LONGEST_FOLDER && *folder != "..";
    if folders.len() <= MOST_FOLDERS && folders.iter().all(is_kept) {
        parts.join("/")
    } else {
        name.to_owned()
    }
}

/// True for AppleDouble: a file `._NAME` in which macOS stores data about the file `NAME`.
pub(super) fn is_apple_double(path: &str, start: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.starts_with("._") && start.starts_with(b"\0\x05\x16\x07")
}

/// A message for each archive and each compressed file in an archive, which are left out.
fn packed_members(found: &ZipMembers) -> impl Iterator<Item = String> {
    let named = found.packed.iter().take(MOST_NAMED);
    named.map(|member| {
        let path = path_of(member);
        format!("{path} is left out: an archive or compressed file in an archive is not read: unpack it")
    })
}

/// Why a file of AppleDouble is left out.
const APPLE_DOUBLE: &str = "it has no games but what macOS keeps about another file";

fn open_packed(
    packed: Packed,
    name: &str,
    file: &SourceFile,
    files: &Files,
    options: &Options,
) -> Result<PgnFile, NotADatabase> {
    let packed = Arc::new(packed);
    let contents = Contents {
        name: format!("{}: {name}", file.name),
        source: Box::new(Arc::clone(&packed)),
        packed: Some((packed, file.name.clone())),
        is_converted: false,
    };
    PgnFile::open(contents, files, options)
}

impl Source for Arc<Packed> {
    fn len(&self) -> u64 {
        Packed::len(self)
    }

    fn read(&self, range: Range<u64>) -> Cow<'_, [u8]> {
        let end = range.end.min(Packed::len(self));
        let mut bytes = vec![0; index(end.saturating_sub(range.start))];
        let len = self.read_at(range.start, &mut bytes);
        bytes.truncate(len);
        Cow::Owned(bytes)
    }

    fn is_one_stream(&self) -> bool {
        self.has_one_part()
    }

    fn is_packed(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_names_of_their_folders() {
        let folders = |number: usize| "a/".repeat(number) + "x.pgn";
        let long = |bytes: usize| "a".repeat(bytes) + "/x.pgn";
        for (name, path) in [
            ("x.pgn", "x.pgn".to_owned()),
            ("round1/x.pgn", "round1/x.pgn".to_owned()),
            ("/a//./b\\x.pgn", "a/b/x.pgn".to_owned()),
            ("../x.pgn", "x.pgn".to_owned()),
            (&folders(8), folders(8)),
            (&folders(9), "x.pgn".to_owned()),
            (&long(240), long(240)),
            (&long(241), "x.pgn".to_owned()),
        ] {
            assert_eq!(path_of(name), path, "{name}");
        }
    }

    #[test]
    fn a_hundred_members_that_are_left_out_are_named() {
        for (members, said) in [(99usize, 99), (100, 100), (101, 101), (102, 101)] {
            let found = ZipMembers {
                has_directory: true,
                ..ZipMembers::default()
            };
            let mut left_out = LeftOut::new("x.zip", &found);
            for _ in 0..members {
                left_out.push(ProblemKind::Damage, "a.pgn", &NotADatabase::new("it is cut"));
            }
            let problems = left_out.into_problems();
            assert_eq!(problems.len(), said, "{members}");
            let rest = format!(
                "{} more members are left out for such reasons",
                members.saturating_sub(100)
            );
            assert_eq!(problems[said - 1].what == rest, members > 100, "{members}");
        }
    }
}
