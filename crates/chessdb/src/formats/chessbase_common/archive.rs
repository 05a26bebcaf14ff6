//! Archives with one or several databases.

use std::iter;

use super::Based;
use crate::database::{Database, NamedDatabase, NotADatabase, Opened, Options, several};
use crate::files::Files;
use crate::problem::Problem;

/// The remedy for an archive that is cut.
pub(in crate::formats) const GET_WHOLE: &str = "get a whole copy of the archive";

/// Maximum number of files of an archive that are read.
pub(in crate::formats) const MOST_FILES: usize = 10_000;

/// A database of an archive.
pub(in crate::formats) struct Unpacked {
    /// Name of its main file.
    pub(in crate::formats) name: String,
    pub(in crate::formats) files: Files,
    /// Damage of its files, found when they were unpacked.
    pub(in crate::formats) problems: Vec<Problem>,
    /// Bytes of the archive.
    packed_len: usize,
}

/// The contents of an archive.
pub(in crate::formats) struct Contents {
    /// Its databases in their order, at least one.
    pub(in crate::formats) databases: Vec<Unpacked>,
    /// Problems that belong to no database.
    pub(in crate::formats) problems: Vec<Problem>,
}

/// The error for an archive without a database, with these problems.
pub(in crate::formats) fn no_database(what: &str, problems: &[Problem]) -> NotADatabase {
    let error = |problem: &Problem| NotADatabase::new(problem.to_string()).with_remedy(problem.remedy);
    iter::once(NotADatabase::new(what))
        .chain(problems.iter().map(error))
        .collect()
}

/// A database of a format that archives can contain.
pub(in crate::formats) trait InArchive: Based + Database + Sized + 'static {
    /// Opens it from its files.
    fn of_files(files: Files, options: &Options) -> Result<Self, NotADatabase>;
}

impl Unpacked {
    /// A database without files, from an archive of `packed_len` bytes.
    pub(in crate::formats) fn new(name: impl Into<String>, packed_len: usize) -> Unpacked {
        Unpacked {
            name: name.into(),
            files: Files::default(),
            problems: Vec::new(),
            packed_len,
        }
    }

    /// Describes the archive for display.
    fn describe(&self) -> String {
        let files = self.files.files.iter();
        let unpacked: usize = files.map(|(_, file)| file.bytes.len()).sum();
        format!("{} bytes, {unpacked} unpacked", self.packed_len)
    }

    /// Opens the database. `warnings` are about its archive.
    fn open<D: InArchive>(self, warnings: &[String], options: &Options) -> Result<D, NotADatabase> {
        let row = ("archive", self.describe());
        let (mut files, problems) = (self.files, self.problems);
        files.warnings.extend_from_slice(warnings);
        let mut database = D::of_files(files, options).map_err(|error| {
            // Damage of the archive explains why the database cannot be opened.
            let reason = match problems.as_slice() {
                [] => return error,
                [first] => first.to_string(),
                [first, more @ ..] => {
                    format!("{first}; {} more of its files are damaged or cut", more.len())
                }
            };
            NotADatabase::new(reason).with_remedy(problems.iter().find_map(|problem| problem.remedy))
        })?;
        database.base_mut().add(Some(row), problems);
        Ok(database)
    }
}

impl Contents {
    /// Opens the databases of an archive, which is in `files`.
    pub(in crate::formats) fn open<D: InArchive>(self, files: &Files, options: &Options) -> Opened {
        let (mut parts, mut refused) = (Vec::new(), Vec::new());
        for database in self.databases {
            let name = database.name.clone();
            match database.open::<D>(&files.warnings, options) {
                Ok(database) => parts.push((name, database)),
                Err(error) => refused.push((name, error)),
            }
        }
        let Some((_, first)) = parts.first_mut() else {
            return Err(refused.into_iter().map(|(_, error)| error).collect());
        };
        // Problems that belong to no database are reported once, by the first database, because there may be thousands
        // of databases.
        let mut problems = files.holes();
        problems.extend(self.problems);
        problems.extend(refused.into_iter().map(|(name, error)| {
            let archive = files.files.first().map_or("", |(_, archive)| &archive.name);
            let what = format!("{name} is left out: {error}");
            Problem::damage(archive, None, what).with_remedy(error.remedy)
        }));
        first.base_mut().add(None, problems);
        if parts.len() == 1
            && let Some((_, database)) = parts.pop()
        {
            return Ok(NamedDatabase::only(database));
        }
        Ok(several(parts))
    }
}
