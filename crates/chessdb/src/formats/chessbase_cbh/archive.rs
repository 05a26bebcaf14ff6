//! `.cbv` archives (section 12). The files of their databases are unpacked into memory, up to a limit.
//!
//! | bytes | head |
//! |---|---|
//! | 2 | `08 00` |
//! | 2 | number of files, little endian |
//! | 4 | length of an entry, `00 03 00` |
//!
//! Each entry has the name of a file in 128 bytes, then its place, its packed and its unpacked length. A file is packed
//! in blocks. Before each block are its length and two more bytes.

use std::collections::HashMap;
use std::sync::Arc;

#[cfg(feature = "des")]
use super::encryption::decrypted;
use super::find::kind_of;
use super::unpack::{self, BlockError};
use crate::bytes::{index, le_u16, le_u32, slice};
use crate::database::{NotADatabase, Passwords};
use crate::files::{Files, SourceFile};
use crate::formats::chessbase_common::Characters;
use crate::formats::chessbase_common::archive::{Contents, GET_WHOLE, MOST_FILES, Unpacked, no_database};
use crate::packed::{Allowance, PackedError};
use crate::problem::{Problem, ProblemKind, Remedy};

const HEAD: usize = 8;
const MAGIC: [u8; 2] = [8, 0];
/// The last bytes of the head.
const END_OF_HEAD: [u8; 3] = [0, 3, 0];
/// Size of a name in an entry.
const NAME: usize = 128;
/// Size of the shortest possible entry.
const SHORTEST: usize = NAME + 12;

/// Extensions of archives, and of encrypted ones.
pub(super) const KINDS: [&str; 2] = ["cbv", "cbz"];

/// The databases of an archive; `None` if the files are not an archive.
pub(super) fn unpack(files: &Files, passwords: &Passwords) -> Result<Option<Contents>, NotADatabase> {
    let is_head = |block: &[u8]| block.starts_with(&MAGIC) && block.ends_with(&END_OF_HEAD);
    let [plain, encrypted] = KINDS.map(|kind| files.get(kind));
    match (plain, encrypted) {
        (Some(archive), _) => open(archive).map(Some),
        (None, Some(archive)) => open(&decrypted(archive, passwords, is_head)?).map(Some),
        (None, None) => Ok(None),
    }
}

/// Refuses an encrypted archive, because this build cannot decrypt it.
#[cfg(not(feature = "des"))]
fn decrypted(_: &SourceFile, _: &Passwords, _: impl Fn(&[u8]) -> bool) -> Result<SourceFile, NotADatabase> {
    let error = NotADatabase::new("the archive is encrypted, which is not supported");
    Err(error.with_remedy(Remedy::Unpack))
}

/// Unpacks the databases of an archive. One limit of memory applies to all of them together.
fn open(archive: &SourceFile) -> Result<Contents, NotADatabase> {
    let bytes: &[u8] = &archive.bytes;
    if !bytes.starts_with(&MAGIC) {
        return Err(NotADatabase::new(
            "the file does not begin as archives of ChessBase do",
        ));
    }
    let allowance = Allowance::in_memory(archive.data_len() as u64);
    let mut problems = Vec::new();
    let entries = entries(archive, &mut problems);
    let mut databases: Vec<Unpacked> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for entry in entries.iter().filter(|entry| entry.kind == Some("cbh")) {
        places.entry(&entry.stem).or_insert_with(|| {
            databases.push(Unpacked::new(name_of(&entry.name), bytes.len()));
            databases.len() - 1
        });
    }
    let mut others_cut = 0;
    for entry in &entries {
        let place = places.get(entry.stem.as_str());
        let (Some(kind), Some(Unpacked { files, problems, .. })) =
            (entry.kind, place.and_then(|&place| databases.get_mut(place)))
        else {
            others_cut += usize::from(entry.is_cut(bytes));
            continue;
        };
        if files.get(kind).is_some() {
            continue;
        }
        let contents = contents(archive, entry, &allowance)?;
        problems.extend(damage(archive, entry, contents.len()));
        if contents.is_empty() && entry.unpacked > 0 {
            continue;
        }
        let file = SourceFile {
            name: format!("{}: {}", archive.name, entry.name),
            bytes: Arc::new(contents),
        };
        files.files.push((kind.to_owned(), file));
    }
    if others_cut > 0 {
        let what = format!(
            "the archive ends before the end of {others_cut} of its files, which are not needed: {GET_WHOLE}"
        );
        problems.push(Problem::doubt(&archive.name, bytes.len() as u64, what));
    }
    if databases.is_empty() {
        return Err(no_database("there is no database in the archive", &problems));
    }
    Ok(Contents { databases, problems })
}

/// A file of an archive.
struct Entry {
    name: String,
    /// Its name without extension, in lower case.
    stem: String,
    kind: Option<&'static str>,
    at: usize,
    packed: usize,
    unpacked: u64,
}

impl Entry {
    /// True if the archive ends before the packed file does.
    fn is_cut(&self, archive: &[u8]) -> bool {
        self.at.saturating_add(self.packed) > archive.len()
    }
}

/// The entries of the table of files. If some are missing, that is reported in `problems`.
fn entries(archive: &SourceFile, problems: &mut Vec<Problem>) -> Vec<Entry> {
    let bytes: &[u8] = &archive.bytes;
    let count = usize::from(le_u16(bytes, 2).unwrap_or(0));
    let len = bytes.get(4).copied().map_or(0, usize::from);
    if len < SHORTEST {
        let what = format!("the entries of the table of files have {len} bytes, which is impossible");
        problems.push(Problem::damage(&archive.name, 4, what));
        return Vec::new();
    }
    let table = bytes.get(HEAD..).unwrap_or_default().chunks_exact(len);
    if table.len() < count {
        let what = format!(
            "the file ends after {} of the {count} entries of its table: {GET_WHOLE}",
            table.len()
        );
        problems.push(Problem::damage(&archive.name, bytes.len() as u64, what));
    }
    if count > MOST_FILES {
        let what = format!("the archive has {count} files, and only the first {MOST_FILES} are read");
        let problem = Problem::new(ProblemKind::Limit, &archive.name, 2, what);
        problems.push(problem.with_remedy(Remedy::Unpack));
    }
    let characters = Characters::choose(None, &mut Vec::new());
    let entries = table.take(count.min(MOST_FILES)).filter_map(|entry| {
        let name = characters.field(entry.get(..NAME)?);
        let number = |place| le_u32(entry, NAME + place);
        Some(Entry {
            stem: name
                .rsplit_once('.')
                .map_or(name.as_str(), |(stem, _)| stem)
                .to_lowercase(),
            kind: kind_of(&name),
            at: index(number(0)?.into()),
            packed: index(number(4)?.into()),
            unpacked: number(8)?.into(),
            name,
        })
    });
    entries.collect()
}

/// A name in an archive without its folders.
fn name_of(name: &str) -> &str {
    name.rsplit('\\').next().unwrap_or(name)
}

/// The problem of a file, if it is longer than the `unpacked` bytes that could be unpacked.
fn damage(archive: &SourceFile, entry: &Entry, unpacked: usize) -> Option<Problem> {
    let Entry { name, packed, .. } = entry;
    let there = archive.bytes.len().saturating_sub(entry.at);
    let what = if entry.is_cut(&archive.bytes) {
        format!(
            "{name} has {packed} bytes from here on, but the archive has only {there}; {unpacked} of {} unpacked bytes \
             are read: {GET_WHOLE}",
            entry.unpacked
        )
    } else if (unpacked as u64) < entry.unpacked {
        format!(
            "{name} is damaged: {unpacked} of {} unpacked bytes are read",
            entry.unpacked
        )
    } else {
        return None;
    };
    Some(Problem::damage(&archive.name, entry.at as u64, what))
}

/// The bytes of a file, up to the first damage.
fn contents(archive: &SourceFile, entry: &Entry, allowance: &Allowance) -> Result<Vec<u8>, NotADatabase> {
    let left = allowance.left();
    let most = index(entry.unpacked.min(left));
    let rest = archive.bytes.get(entry.at..).unwrap_or_default();
    let mut stream = rest.get(..entry.packed).unwrap_or(rest);
    let mut out = Vec::new();
    while (out.len() as u64) < entry.unpacked && !archive.bytes.is_lost() {
        let Some(len) = le_u16(stream, 0).map(usize::from) else {
            break;
        };
        let Some(payload) = slice(stream, 4, len) else {
            // The archive ends inside the block. Its bytes are unpacked nevertheless, except the last one: a single
            // byte at the end of a whole block is a literal, but here it may be the first half of a group's u16.
            let before = out.len();
            let _ = unpack::block(stream.get(4..).unwrap_or_default(), 0, most, &mut out);
            out.truncate(out.len().saturating_sub(1).max(before));
            break;
        };
        match unpack::block(payload, 0, most, &mut out) {
            Ok(()) => stream = stream.get(4 + len..).unwrap_or_default(),
            Err(BlockError::TooLong) if entry.unpacked > left => {
                return Err(PackedError::TooLarge.into());
            }
            Err(_) => break,
        }
    }
    out.shrink_to_fit();
    allowance.take(out.len() as u64)?;
    Ok(out)
}
