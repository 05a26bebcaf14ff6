//! An open database and its files.

use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::found_name::converted_names;
use super::guarded::GuardedDatabase;
use super::remedy::advised;
use crate::kept::SourceFiles;
use crate::mapped::{Copies, Identity, Mapped};
use chessdb::files::Candidate;
use chessdb::formats::Format;
use chessdb::{Database, Problem};

/// A database and its place in the tree.
#[derive(Clone)]
pub struct LibraryEntry {
    /// Path of its directory in the tree, with `/` between safe names; empty if it is the root.
    pub path: String,
    /// Its format.
    pub format: &'static Format,
    /// Its name in its archive, if that contains several databases.
    pub part: Option<String>,
    /// The open database.
    pub database: GuardedDatabase,
    /// Names of its files as people see them, the main file first, and their identities when they were opened.
    pub files: Vec<(String, Identity)>,
    /// The maps of these files that the database reads from.
    pub maps: Vec<Arc<Mapped>>,
    /// The state of its files if they are many small ones, which were copied instead.
    pub copies: Option<Arc<Copies>>,
    /// How the files were found; `None` for a database that tests create.
    pub found: Option<Candidate>,
    /// All files are on a [local](crate::mounts::Mount::is_local) file system: access to them never waits for another
    /// machine or program.
    pub is_local: bool,
}

impl LibraryEntry {
    /// Display name: its path, or the name of its main file if it is the root.
    pub fn name(&self) -> &str {
        let main = self.files.first().map(|(name, _)| name.as_str());
        match self.path.as_str() {
            "" => main.unwrap_or_default(),
            path => path,
        }
    }

    /// The number of its games; an upper bound while they have not been counted.
    pub fn most_games(&self) -> u32 {
        let database = &self.database;
        database.as_files().uncounted().unwrap_or_else(|| database.len())
    }

    /// True if its games are counted, or counting them reads nothing.
    pub fn is_counted(&self) -> bool {
        self.database.as_files().uncounted().is_none()
    }

    /// True if its games are counted, and their keys do not need all records to be read.
    pub fn is_prepared(&self) -> bool {
        self.is_counted() && self.database.as_files().is_prepared()
    }

    /// Problems of the database itself, and what users can do about them.
    pub fn problems(&self) -> Vec<Problem> {
        let advised = |problem: &Problem| {
            let mut problem = problem.clone();
            problem.what = advised(&problem.what, problem.remedy);
            problem
        };
        self.database.problems().iter().map(advised).collect()
    }

    /// True if its files still have the contents that they had when they were opened. This confirms everything decoded
    /// before the call. Once false, it stays false, and nothing decoded since the last confirmation may be used.
    pub fn is_intact(&self) -> bool {
        self.maps.iter().all(|map| map.is_intact())
    }

    /// True if its files still have the contents that they had when opened. This holds even if the database reads
    /// copies of them.
    pub fn is_current(&self) -> bool {
        self.is_intact() && self.copies.as_ref().is_none_or(|copies| copies.are_current())
    }

    /// The identities of the files that it reads from, in the order in which they were found; with copied files, also
    /// of those that had to be left out.
    pub fn identities(&self) -> impl Iterator<Item = Option<Identity>> {
        let copied = self.copies.iter().flat_map(|copies| copies.identities());
        self.maps.iter().map(|map| Some(map.identity())).chain(copied)
    }

    /// Descriptions of its files, one for each, or one for all if they are very many.
    pub fn file_rows(&self) -> Vec<String> {
        match (&*self.files, &self.copies) {
            ([(first, _), .., (last, _)], Some(copies)) => vec![format!(
                "{} files from {first} to {last}, {} bytes",
                self.files.len(),
                copies.bytes()
            )],
            (files, _) => {
                let rows = files.iter();
                rows.map(|(name, identity)| format!("{name}, {} bytes", identity.size))
                    .collect()
            }
        }
    }

    /// True if it was found not to be [intact](LibraryEntry::is_intact), so that further work on it is
    /// useless. Makes no system call.
    pub fn is_lost(&self) -> bool {
        self.maps.iter().any(|map| map.is_lost())
    }

    /// The name of the changed file if the database is [lost](LibraryEntry::is_lost).
    pub fn lost_file(&self) -> Option<&str> {
        let lost = self.maps.iter().find(|map| map.is_lost())?.identity();
        let mut files = self.files.iter();
        files.find_map(|(name, identity)| (*identity == lost).then_some(name.as_str()))
    }

    /// The newest modification time of its files, in nanoseconds since 1970.
    pub fn modified(&self) -> i128 {
        if let Some(copies) = &self.copies {
            return copies.modified();
        }
        let times = self.files.iter().map(|(_, identity)| identity.modified);
        times.max().unwrap_or(0)
    }

    /// Time of the last change of a file's contents or metadata, in nanoseconds since 1970; 0 for a file that
    /// is not mapped.
    fn changed(&self, file: usize) -> i128 {
        if let Some(copies) = &self.copies {
            return copies.changed(file);
        }
        let identity = self.files.get(file).map(|(_, identity)| *identity);
        let mut maps = self.maps.iter();
        let map = maps.find(|map| Some(map.identity()) == identity);
        map.map_or(0, |map| map.changed())
    }

    /// The state of its files, on which its kept files depend.
    pub fn origin(&self) -> SourceFiles {
        let part = self.part.as_deref().unwrap_or_default();
        let mut origin = SourceFiles::new(self.name(), self.format.name, part);
        let files = self.files.iter().enumerate();
        let files = files.map(|(n, (name, identity))| (name.as_str(), *identity, self.changed(n)));
        match (&self.copies, &self.found) {
            (Some(_), Some(found)) => {
                let folder = found.files.first().and_then(|(_, path)| path.parent());
                origin.add_folder(folder.unwrap_or(Path::new("")), &found.name, files);
            }
            _ => {
                let converted = self.found.iter().flat_map(converted_names);
                converted.for_each(|name| origin.add_name(name));
                files.for_each(|(name, identity, changed)| origin.add_file(name, identity, changed));
            }
        }
        origin
    }

    /// A hash that changes with its path and with any of its files.
    pub fn identity_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(self.path.as_bytes());
        for (name, identity) in &self.files {
            hash.update(&[0]);
            hash.update(name.as_bytes());
            hash.update(&identity.device.to_le_bytes());
            hash.update(&identity.inode.to_le_bytes());
            hash.update(&identity.size.to_le_bytes());
            hash.update(&identity.modified.to_le_bytes());
        }
        for name in self.found.iter().flat_map(converted_names) {
            hash.update(&[1]);
            hash.update(name);
        }
        hash.digest()
    }
}
