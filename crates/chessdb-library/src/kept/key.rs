//! The key of a kept file: everything that determines its contents.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::KeptKind;
use crate::mapped::Identity;

/// The files of a database: their names, and their state.
///
/// The bytes of both are in the key of each file that is kept of the database:
///
/// | bytes | what |
/// |---|---|
/// | 16 | hash of the running program, so that what another decoder made is not used |
/// | 4 + *n* each | the kind of the kept file, the options for reading databases, and what distinguishes files of one kind |
/// | for each database: 4 + *n* each | name of the format; its name in its archive, if that contains several databases |
/// | 4 + *n* each | names on disk of its files that are not UTF-8 |
/// | for each of its files: 4 + *n*, 8, 8 | name, device, inode; of very many small files only their folder and the name of the database |
/// | then for each database and each of its files: 8, 16, 16 | size, and in nanoseconds the times of the last changes of its contents and of anything; for very many small files 16 bytes, the hash of all that |
#[derive(Clone, Debug)]
pub struct SourceFiles {
    /// Display name of the database.
    pub(super) name: String,
    /// Stays the same when contents change.
    stays: Vec<u8>,
    state: Vec<u8>,
}

impl SourceFiles {
    /// A database of a format, without files so far. `part` is its name in an archive, or empty.
    pub fn new(name: &str, format: &str, part: &str) -> SourceFiles {
        let mut stays = Vec::new();
        push_text(&mut stays, format.as_bytes());
        push_text(&mut stays, part.as_bytes());
        SourceFiles {
            name: name.to_owned(),
            stays,
            state: Vec::new(),
        }
    }

    /// Adds a file with the time of its last change of any kind.
    pub fn add_file(&mut self, name: &str, identity: Identity, changed: i128) {
        push_text(&mut self.stays, name.as_bytes());
        self.stays.extend(identity.device.to_le_bytes());
        self.stays.extend(identity.inode.to_le_bytes());
        self.state.extend(identity.size.to_le_bytes());
        self.state.extend(identity.modified.to_le_bytes());
        self.state.extend(changed.to_le_bytes());
    }

    /// Adds the name on disk of a file whose name is shown in another encoding.
    pub fn add_name(&mut self, name: &[u8]) {
        push_text(&mut self.stays, name);
    }

    /// A hash that changes with any of the files.
    pub fn hash(&self) -> u128 {
        xxh3_128(&[&*self.stays, &self.state].concat())
    }

    /// Adds a folder with very many small files. A file may be added or replaced at any time. `name` is the name of the
    /// database.
    pub fn add_folder<'a>(
        &mut self,
        folder: &Path,
        name: &str,
        files: impl Iterator<Item = (&'a str, Identity, i128)>,
    ) {
        let mut all = SourceFiles::new("", "", "");
        files.for_each(|(name, identity, changed)| all.add_file(name, identity, changed));
        push_text(&mut self.stays, folder.as_os_str().as_bytes());
        push_text(&mut self.stays, name.as_bytes());
        self.state
            .extend(xxh3_128(&[all.stays, all.state].concat()).to_le_bytes());
    }
}

/// The key of a kept file without the hash of the program: the program may be on a slow disk, and is read only when a
/// file is found or written.
#[derive(Clone, Debug)]
pub(super) struct Key {
    stays: Vec<u8>,
    state: Vec<u8>,
}

/// Which parts of a file's key must match the key that this program would write.
#[derive(Clone, Copy)]
pub(super) enum Same {
    All,
    /// Everything but sizes and times of files.
    AllButState,
}

impl Key {
    /// The key of a file for these databases. `what` distinguishes files of one kind.
    pub(super) fn new(kind: KeptKind, options: &str, what: &str, of: &[SourceFiles]) -> Key {
        let mut stays = Vec::new();
        for text in [kind.row().extension, options, what] {
            push_text(&mut stays, text.as_bytes());
        }
        of.iter().for_each(|origin| push_text(&mut stays, &origin.stays));
        let mut state = Vec::new();
        of.iter().for_each(|origin| push_text(&mut state, &origin.state));
        Key { stays, state }
    }

    /// The number in the file's name. It stays the same when the contents of the databases change.
    pub(super) fn number(&self) -> u128 {
        xxh3_128(&self.stays)
    }

    /// The key with the hash of this program, for a file that it writes.
    pub(super) fn bytes(&self, program: u128) -> Vec<u8> {
        [&program.to_le_bytes(), &*self.stays, &self.state].concat()
    }

    /// True if the key of a file is the same as now, in the parts that `same` demands.
    pub(super) fn is(&self, same: Same, of_file: &[u8], program: u128) -> bool {
        let key = self.bytes(program);
        let needed = match same {
            Same::All => key.len(),
            Same::AllButState => key.len() - self.state.len(),
        };
        of_file.len() == key.len() && of_file.get(..needed) == key.get(..needed)
    }
}

/// Appends a text with its length before it.
fn push_text(bytes: &mut Vec<u8>, text: &[u8]) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
}
