//! `.2cbv` archives (section 13): ZIP files with the files of one or several databases. The needed files are unpacked
//! into memory, or used in place if they are not compressed.

use std::collections::HashMap;
use std::sync::Arc;

use super::LONGEST_INI;
use super::find::{MAIN, needed_kind};
use crate::database::NotADatabase;
use crate::files::{Bytes, SourceFile};
use crate::formats::chessbase_common::archive::{Contents, GET_WHOLE, MOST_FILES, Unpacked, no_database};
use crate::packed::{Allowance, PackedError, Whole, ZipMember, is_zip, zip_entries};
use crate::problem::{Problem, ProblemKind, Remedy};

/// The extension of archives.
pub(super) const KIND: &str = "2cbv";

/// The databases of an archive. One limit of memory applies to all of them together.
pub(super) fn unpack(archive: &SourceFile) -> Result<Contents, NotADatabase> {
    if !is_zip(&archive.bytes) {
        return Err(NotADatabase::new(
            "the file does not begin as archives of ChessBase do",
        ));
    }
    let found = zip_entries(&archive.bytes);
    let mut problems = Vec::new();
    if !found.has_directory {
        let what = format!(
            "the directory at the end of the archive is missing or damaged, so files may be missing: {GET_WHOLE}"
        );
        problems.push(Problem::damage(&archive.name, archive.bytes.len() as u64, what));
    }
    if found.members.len() > MOST_FILES {
        let what = format!("the archive has more than {MOST_FILES} files, and only the first are read");
        let problem = Problem::new(ProblemKind::Limit, &archive.name, None, what);
        problems.push(problem.with_remedy(Remedy::Unpack));
    }
    let members = || found.members.iter().take(MOST_FILES).map(Named::new);
    let mut databases: Vec<Unpacked> = Vec::new();
    let mut places = HashMap::new();
    for member in members().filter(|member| member.kind == Some(MAIN)) {
        places.entry(member.stem.clone()).or_insert_with(|| {
            databases.push(Unpacked::new(member.name, archive.bytes.len()));
            databases.len() - 1
        });
    }
    let allowance = Allowance::in_memory(archive.data_len() as u64);
    // Members of sound archives share no bytes.
    let in_place = Allowance::in_place(archive.bytes.len() as u64);
    for member in members() {
        let place = places.get(&member.stem);
        let (Some(kind), Some(database)) = (member.kind, place.and_then(|&place| databases.get_mut(place)))
        else {
            continue;
        };
        if database.files.get(kind).is_some() {
            continue;
        }
        let Some(bytes) = member.bytes(kind, archive, [&allowance, &in_place], &mut database.problems)?
        else {
            continue;
        };
        let name = format!("{}: {}", archive.name, member.name);
        database
            .files
            .files
            .push((kind.to_owned(), SourceFile { name, bytes }));
    }
    if databases.is_empty() {
        return Err(no_database("there is no .2cbh in the archive", &problems));
    }
    Ok(Contents { databases, problems })
}

/// A member of an archive, with the parts of its name.
struct Named<'a> {
    member: &'a ZipMember,
    /// Its name without folders.
    name: &'a str,
    /// Its path without extension, in lower case. The files of a database are in the same folder.
    stem: String,
    kind: Option<&'static str>,
}

impl<'a> Named<'a> {
    fn new(member: &'a ZipMember) -> Named<'a> {
        let path = &member.name;
        let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
        Named {
            member,
            name: path.rsplit(['/', '\\']).next().unwrap_or(path),
            stem: stem.to_lowercase().replace('\\', "/"),
            kind: needed_kind(path),
        }
    }

    /// The bytes of the member; `None` if they cannot be read at all. Damage becomes a problem.
    fn bytes(
        &self,
        kind: &str,
        archive: &SourceFile,
        [allowance, in_place]: [&Allowance; 2],
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Arc<dyn Bytes>>, NotADatabase> {
        let whole = match kind {
            // Only the title of the database is needed, so only the start of the file is unpacked.
            "ini" => {
                let bytes = self
                    .member
                    .beginning(&archive.bytes, allowance, LONGEST_INI as u64);
                bytes.map(|bytes| Whole {
                    bytes: Arc::new(bytes),
                    damage: Vec::new(),
                })
            }
            _ => self.member.whole(&archive.bytes, allowance, in_place),
        };
        let whole = match whole {
            Ok(whole) => whole,
            Err(error @ PackedError::TooLarge) => return Err(error.into()),
            Err(error) => {
                let kind = match error {
                    PackedError::Method(_) => ProblemKind::Unsupported,
                    _ => ProblemKind::Damage,
                };
                let what = format!("{} is not read: {error}", self.name);
                let problem = Problem::new(kind, &archive.name, None, what);
                problems.push(problem.with_remedy(error.remedy()));
                return Ok(None);
            }
        };
        let len = whole.bytes.len();
        problems.extend(whole.damage.into_iter().map(|damage| {
            let what = format!(
                "{}: {}; {len} bytes of it are read: {GET_WHOLE}",
                self.name, damage.what
            );
            Problem::damage(&archive.name, damage.offset, what)
        }));
        Ok((len > 0).then_some(whole.bytes))
    }
}
