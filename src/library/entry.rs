//! An open database and its files.

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::mapped::{Identity, Mapped};
use chessdb::formats::{Candidate, Database, Format};

/// A database and where it stands.
#[derive(Clone)]
pub struct LibraryEntry {
    /// Path of its directory in the tree, with `/` between safe names; empty if it is the root.
    pub path: String,
    /// Its format.
    pub format: &'static Format,
    /// The open database.
    pub database: Arc<dyn Database>,
    /// Names of its files, the main file first, and what these were when they were opened.
    pub files: Vec<(String, Identity)>,
    /// The maps of these files that the database reads from.
    pub maps: Vec<Arc<Mapped>>,
    /// How the files were found; none for a database that was made up.
    pub found: Option<Candidate>,
    /// All files are on a [local](crate::mounts::Mount::is_local) file system: access to them never waits for another
    /// machine or program.
    pub is_local: bool,
}

impl LibraryEntry {
    /// What people call it: its path, or its main file where it is the root.
    pub fn name(&self) -> &str {
        let main = self.files.first().map(|(name, _)| name.as_str());
        match self.path.as_str() {
            "" => main.unwrap_or_default(),
            path => path,
        }
    }

    /// True while its files have the contents that they had when they were opened. All that was decoded before such an
    /// answer is good. Once this is false it remains so, and nothing is good that was decoded since the last time.
    pub fn is_intact(&self) -> bool {
        self.maps.iter().all(|map| map.is_intact())
    }

    /// True if it was found not to be [intact](LibraryEntry::is_intact): work on it is in vain. Costs no system call.
    pub fn is_lost(&self) -> bool {
        self.maps.iter().any(|map| map.is_lost())
    }

    /// The name of a file that makes it [lost](LibraryEntry::is_lost).
    pub fn lost_file(&self) -> Option<&str> {
        let lost = self.maps.iter().find(|map| map.is_lost())?.identity();
        let mut files = self.files.iter();
        files.find_map(|(name, identity)| (*identity == lost).then_some(name.as_str()))
    }

    /// The newest time of its files, in nanoseconds since 1970.
    pub fn modified(&self) -> i128 {
        let times = self.files.iter().map(|(_, identity)| identity.modified);
        times.max().unwrap_or(0)
    }

    /// Time of the last change of anything of a file, in nanoseconds since 1970; 0 for one that is not mapped.
    pub fn changed(&self, file: &Identity) -> i128 {
        let mut maps = self.maps.iter();
        let map = maps.find(|map| map.identity() == *file);
        map.map_or(0, |map| map.changed())
    }

    /// Bytes of its files.
    pub fn source_bytes(&self) -> u64 {
        self.files.iter().map(|(_, identity)| identity.size).sum()
    }

    /// A number that is another one as soon as its path or a file changes.
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
        hash.digest()
    }
}
