//! Compressed files of PGN (section 10): `.pgn.zst`, `.pgn.gz`, `.pgn.bz2`, and `.zip` with any number of files.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use super::source::Source;
use super::{KIND, PgnFile, many};
use crate::bytes::index;
use crate::formats::several::Several;
use crate::formats::{
    Bytes, Candidate, Database, Files, Kept, NotADatabase, Opened, Options, Part, SourceFile, SourceFolder,
    by_stem,
};
use crate::packed::{Packed, PackedError, ZipMember, is_packed, is_zip, zip_members};

/// Extensions of compressed files, after `.pgn`.
const BEHIND: [&str; 3] = ["zst", "gz", "bz2"];
/// Extension of archives.
const ZIP: &str = "zip";

/// Number of unpacked bytes that any archive may have, whatever its size.
const FREE: u64 = 64 << 20;
/// Maximum ratio of unpacked to packed size, beyond [`FREE`].
const MOST_TIMES: u64 = 100;

/// The files of a directory that may hold PGN.
pub(super) fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let is_behind = |name: &String| {
        let (stem, _) = name.rsplit_once('.').unwrap_or_default();
        let extension = stem.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(KIND))
    };
    let after = SourceFolder {
        path: directory.path.clone(),
        files: directory
            .files
            .iter()
            .filter(|name| is_behind(name))
            .cloned()
            .collect(),
    };
    let plain = [KIND, ZIP].map(|kind| by_stem(directory, &[kind], &[]));
    let packed = BEHIND.map(|kind| by_stem(&after, &[kind], &[]));
    plain.into_iter().chain(packed).flatten().collect()
}

/// The bytes of a PGN file, and their origin.
pub(super) struct Contents {
    /// Name of the file. For a packed file, it includes the name of the compressed file.
    pub(super) name: String,
    pub(super) source: Box<dyn Source>,
    /// The decompressor, and the name of the compressed file.
    pub(super) packed: Option<(Arc<Packed>, String)>,
}

/// Opens a file, or all files of an archive.
pub(super) fn open(files: Files, options: &Options) -> Opened {
    if files.files.len() > 1 {
        return many::open(files, options);
    }
    let Some((kind, file)) = files.files.first() else {
        return Err(NotADatabase("there is no .pgn".to_owned()));
    };
    if kind == KIND && !is_packed(&file.bytes) {
        let contents = Contents {
            name: file.name.clone(),
            source: Box::new(Arc::clone(&file.bytes)),
            packed: None,
        };
        return Ok(Box::new(PgnFile::open(contents, &files, options)?));
    }
    let members = match kind == ZIP || is_zip(&file.bytes) {
        true => zip_members(&file.bytes),
        false => Vec::new(),
    };
    if members.len() > 1 {
        return several(&members, file, &files, options);
    }
    let name = match members.first() {
        Some(member) => name_of(member),
        None if kind == KIND => &file.name,
        // Without the extension of the compressed file.
        None => file.name.rsplit_once('.').map_or("", |(stem, _)| stem),
    };
    let packed = with_kept(files.kept.as_deref(), |kept| match members.first() {
        Some(member) => Packed::open_member(Arc::clone(&file.bytes), member, kept),
        None => Packed::open(Arc::clone(&file.bytes), kept),
    });
    let packed = packed.map_err(refused)?;
    Ok(Box::new(open_packed(packed, name, file, &files, options)?))
}

/// Name of the stored index of a compressed file.
const POINTS: &str = "points";

/// Opens a compressed file with its stored index. If there is none, stores one.
fn with_kept(
    kept: Option<&dyn Kept>,
    open: impl Fn(Option<Arc<dyn Bytes>>) -> Result<Packed, PackedError>,
) -> Result<Packed, PackedError> {
    let packed = open(kept.and_then(|kept| kept.get(POINTS)))?;
    if packed.is_kept() {
        return Ok(packed);
    }
    // The stored index is mapped and so needs no memory of its own.
    match kept.and_then(|kept| keep(&packed, kept)) {
        Some(bytes) => open(Some(bytes)),
        None => Ok(packed),
    }
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

/// Opens the members of an archive. The limits for unpacked bytes apply to all of them together.
fn several(members: &[ZipMember], file: &SourceFile, files: &Files, options: &Options) -> Opened {
    let mut left = (file.data_len() as u64).saturating_mul(MOST_TIMES).max(FREE);
    let (mut parts, mut refusals) = (Vec::new(), Vec::new());
    for (number, member) in members.iter().enumerate() {
        let of_member = |kept: &Arc<dyn Kept>| -> Arc<dyn Kept> {
            let kept = Arc::clone(kept);
            Arc::new(KeptOfMember { kept, number })
        };
        let files = &Files {
            kept: files.kept.as_ref().map(of_member),
            ..files.clone()
        };
        let packed = with_kept(files.kept.as_deref(), |kept| {
            Packed::open_member(Arc::clone(&file.bytes), member, kept)
        });
        let packed = packed.and_then(|packed| match left.checked_sub(packed.len()) {
            Some(rest) => {
                left = rest;
                Ok(packed)
            }
            None => Err(PackedError::TooLarge),
        });
        let name = name_of(member);
        let packed = packed.map_err(refused);
        match packed.and_then(|packed| open_packed(packed, name, file, files, options)) {
            Ok(database) => parts.push((name, database)),
            Err(NotADatabase(reason)) => refusals.push(format!("{name} is left out: {reason}")),
        }
    }
    if parts.is_empty() {
        return Err(NotADatabase(refusals.join("; ")));
    }
    let part = |(name, mut database): (&str, PgnFile)| {
        database.info.warnings.extend_from_slice(&refusals);
        Part {
            name: name.to_owned(),
            database: Box::new(database) as Box<dyn Database>,
        }
    };
    Ok(Box::new(Several::new(parts.into_iter().map(part))))
}

/// The last part of a path in an archive.
fn name_of(member: &ZipMember) -> &str {
    let name = member.name.rsplit(['/', '\\']).next();
    name.unwrap_or(&member.name)
}

fn refused(error: PackedError) -> NotADatabase {
    NotADatabase(error.to_string())
}

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
