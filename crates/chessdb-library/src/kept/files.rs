//! The folder of kept files.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::folder::KeptFolder;
use super::key::{Key, SourceFiles};
use super::program::program_hash;
use super::space::{Space, is_kept, is_of_earlier_layout, name};
use super::{KeptFile, KeptKind};

/// The folder is tidied again after this time.
const TIDY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// The folder is tidied again after one in this many bytes of its space has been written.
const TIDY_PART: u64 = 16;

/// A folder of kept files, for databases that are read with the same options. All other files in it are left unchanged.
#[derive(Clone, Debug)]
pub struct KeptFiles {
    pub(super) shared: Arc<SharedFolder>,
    pub(super) options: Arc<str>,
    /// Reads the running program and computes its hash.
    pub(super) program: fn() -> Option<u128>,
}

#[derive(Debug)]
pub(super) struct SharedFolder {
    pub(super) folder: KeptFolder,
    pub(super) space: Space,
    /// When this process last tidied the folder, and the number of bytes written since.
    tidied: Mutex<Option<(Instant, u64)>>,
    /// Files that were not kept because they are larger than allowed, by kind and display name of the database.
    too_large: Mutex<BTreeSet<(KeptKind, String)>>,
}

impl KeptFiles {
    /// Opens a folder, removes the files of an earlier layout from it, and creates it if it does not exist. `options` are
    /// all options of the user that change the contents of databases.
    ///
    /// # Errors
    /// If the folder cannot be opened or created, is a symbolic link, belongs to another user, or others can
    /// write to it.
    pub fn open(path: &Path, options: &str, space: Space) -> io::Result<KeptFiles> {
        let folder = KeptFolder::open(path)?;
        match folder.files(is_of_earlier_layout) {
            Ok(files) => files.iter().for_each(|file| folder.remove(&file.name)),
            Err(error) => log::debug!("cannot clean up {}: {error}", path.display()),
        }
        Ok(KeptFiles {
            shared: Arc::new(SharedFolder {
                folder,
                space,
                tidied: Mutex::new(None),
                too_large: Mutex::default(),
            }),
            options: options.into(),
            program: program_hash,
        })
    }

    /// The file of a kind for these databases. `what` distinguishes files of one kind.
    pub fn file(&self, kind: KeptKind, what: &str, of: &[SourceFiles]) -> KeptFile {
        let key = Key::new(kind, &self.options, what, of);
        KeptFile {
            files: self.clone(),
            kind,
            of: name_of(of.first().map_or("", |origin| &origin.name), of.len()),
            name: name(kind, key.number()),
            key,
        }
    }

    /// Creates a file without a name in the folder, for reading and writing. Closing it removes it.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn temporary(&self) -> io::Result<File> {
        let name = name(KeptKind::Positions, 0);
        self.shared.folder.create(&name)?.file.try_clone()
    }

    /// Why a file for this number of databases and games is not kept, if it was already found too large or will
    /// probably be. `first` is the display name of the first database.
    pub fn refusal(&self, kind: KeptKind, first: &str, databases: usize, games: u64) -> Option<String> {
        let SharedFolder { space, too_large, .. } = &*self.shared;
        let is_certain = too_large.lock().contains(&(kind, name_of(first, databases)));
        let is_expected = kind.row().bytes_a_game * games > space.of_file();
        (is_certain || is_expected).then(|| space.refusal(kind.row(), is_certain))
    }

    /// Logs that a file is not kept because it is larger than allowed, and remembers it.
    pub(super) fn refuse(&self, kind: KeptKind, of: &str) {
        let is_new = self.shared.too_large.lock().insert((kind, of.to_owned()));
        if is_new {
            log::warn!("{of}: {}", self.shared.space.refusal(kind.row(), true));
        }
    }

    /// Tidies the folder after the first file that this process writes, and then from time to time. Doing so after each
    /// file would take as long as writing all the files.
    pub(super) fn tidy_if_due(&self, written: u64) {
        let shared = &*self.shared;
        // Locked while tidying, so that only one thread at a time does it.
        let mut tidied = shared.tidied.lock();
        if let Some((when, bytes)) = &mut *tidied {
            *bytes = bytes.saturating_add(written);
            if *bytes <= shared.space.bytes / TIDY_PART && when.elapsed() < TIDY_AFTER {
                return;
            }
        }
        *tidied = Some((Instant::now(), 0));
        self.tidy(shared.space);
    }

    /// Removes files that have not been used for a long time, and files that exceed the space.
    pub(super) fn tidy(&self, space: Space) {
        let folder = &self.shared.folder;
        match folder.files(is_kept) {
            Ok(files) => {
                let surplus = space.surplus(files, SystemTime::now());
                surplus.iter().for_each(|name| folder.remove(name));
            }
            Err(error) => log::debug!("cannot clean up {}: {error}", folder.path.display()),
        }
    }
}

/// How messages name several databases.
fn name_of(first: &str, databases: usize) -> String {
    match databases {
        0 | 1 => first.to_owned(),
        2 => format!("{first} and another database"),
        _ => format!("{first} and {} other databases", databases - 1),
    }
}
