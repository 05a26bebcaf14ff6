//! A file in the cache folder: how it is written, found and marked as used.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::folder::New;
use super::key::{Key, Same};
use super::{KeptFiles, KeptKind, Numbers, SectionId, Sections, seal};

/// A use of a file is recorded only if the last record is older than this, because recording it changes the time of the
/// file, and then all its blocks are checked again.
const NOTE_AFTER: Duration = Duration::from_secs(24 * 3600);

/// A file that is being written, and is kept when it is complete. Otherwise it leaves nothing in the folder.
pub struct NewKeptFile {
    kept: KeptFile,
    new: New,
    key: Vec<u8>,
}

impl NewKeptFile {
    /// The file. Its first section starts after the [key](super::begin).
    pub fn file(&self) -> &File {
        &self.new.file
    }

    /// The key: everything that determines the contents.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Seals the file, whose sections are all written, and gives it its name. The databases must not have changed
    /// meanwhile. A file that is larger than allowed gets no name, and exists only while it is open.
    ///
    /// # Errors
    /// If reading or writing fails; an existing file is then unchanged.
    pub fn keep(self, numbers: &Numbers) -> io::Result<File> {
        seal(&self.new.file, numbers, &self.key)?;
        self.name()
    }

    fn name(self) -> io::Result<File> {
        let KeptFile {
            files,
            kind,
            of,
            name,
            ..
        } = &self.kept;
        let file = self.new.file.try_clone()?;
        let written = file.metadata()?.len();
        if written > files.shared.space.of_file() {
            files.refuse(*kind, of);
            return Ok(file);
        }
        self.new.keep_as(name)?;
        let (what, path) = (kind.row().what, self.kept.path());
        log::debug!("{of}: {what} is kept in {}", path.display());
        files.tidy_if_due(written);
        Ok(file)
    }
}

/// A file in the cache folder, which need not exist yet.
#[derive(Clone, Debug)]
pub struct KeptFile {
    pub(super) files: KeptFiles,
    pub(super) kind: KeptKind,
    /// Display names of the databases.
    pub(super) of: String,
    pub(super) name: String,
    pub(super) key: Key,
}

impl KeptFile {
    /// The sections in the file. Reads only its header. `None` if the file does not exist or is not for the present
    /// state of the databases; the log has the reason.
    pub fn load<P: SectionId>(&self) -> Option<Sections<P>> {
        self.find(Same::All, |file, is_wanted| Sections::open(file, is_wanted))
    }

    /// The sections in the file, all read into memory. `None` as for [`KeptFile::load`], or if it has more than `most`
    /// bytes.
    pub fn read<P: SectionId>(&self, most: u64) -> Option<Sections<P>> {
        self.find(Same::All, |file, is_wanted| Sections::read(file, most, is_wanted))
    }

    /// The sections in the file, even if they were made from other contents of the databases.
    pub(super) fn load_earlier<P: SectionId>(&self) -> Option<Sections<P>> {
        self.find(Same::AllButState, |file, is_wanted| {
            Sections::open(file, is_wanted)
        })
    }

    fn find<P: SectionId>(
        &self,
        same: Same,
        open: impl FnOnce(File, &dyn Fn(&[u8]) -> bool) -> Result<Sections<P>, String>,
    ) -> Option<Sections<P>> {
        let (of, path) = (&self.of, self.path());
        match self.open(same, open) {
            Ok(sections) => {
                log::debug!("{of}: {} from {}", self.kind.row().what, path.display());
                Some(sections)
            }
            Err(why) => {
                log::debug!("{of}: {}: not used: {why}", path.display());
                None
            }
        }
    }

    fn open<P: SectionId>(
        &self,
        same: Same,
        open: impl FnOnce(File, &dyn Fn(&[u8]) -> bool) -> Result<Sections<P>, String>,
    ) -> Result<Sections<P>, String> {
        let text = |error: io::Error| error.to_string();
        let file = self.files.shared.folder.file(&self.name).map_err(text)?;
        let program = self.program().map_err(text)?;
        let is_wanted = |key: &[u8]| self.key.is(same, key, program);
        let sections = open(file.try_clone().map_err(text)?, &is_wanted)?;
        self.note_use(&file);
        Ok(sections)
    }

    /// Replaces the file by a new one, and returns that. `write` gets the new file and its key, must
    /// [seal](super::seal) it, and must fail if the databases change meanwhile. A file that is larger than allowed gets
    /// no name, and exists only while it is open.
    ///
    /// # Errors
    /// If writing fails; an existing file is then unchanged.
    pub fn write<E: From<io::Error>>(
        &self,
        write: impl FnOnce(&mut File, &[u8]) -> Result<(), E>,
    ) -> Result<File, E> {
        let mut new = self.begin()?;
        write(&mut new.new.file, &new.key)?;
        Ok(new.name()?)
    }

    /// Begins a new file, which replaces this one when it is complete.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn begin(&self) -> io::Result<NewKeptFile> {
        Ok(NewKeptFile {
            key: self.key.bytes(self.program()?),
            new: self.files.shared.folder.create(&self.name)?,
            kept: self.clone(),
        })
    }

    /// Replaces the file like [`KeptFile::write`], and opens the new one.
    ///
    /// # Errors
    /// If writing fails, or the file cannot be mapped.
    pub fn replace<P: SectionId, E: From<io::Error>>(
        &self,
        write: impl FnOnce(&mut File, &[u8]) -> Result<(), E>,
    ) -> Result<Sections<P>, E> {
        let file = self.write(write)?;
        Ok(Sections::open(file, |_| true).map_err(io::Error::other)?)
    }

    /// Removes the file, for example if it is damaged.
    pub fn remove(&self) {
        self.files.shared.folder.remove(&self.name);
    }

    /// The path of the file, for messages.
    pub fn path(&self) -> PathBuf {
        self.files.shared.folder.path.join(&self.name)
    }

    fn program(&self) -> io::Result<u128> {
        (self.files.program)().ok_or_else(|| io::Error::other("the program cannot be read"))
    }

    /// Sets the time of the file to now, at most once a day: every process that has mapped the file takes the new time
    /// for a change, and checks the blocks again.
    fn note_use(&self, file: &File) {
        let noted = file.metadata().and_then(|meta| meta.modified());
        if matches!(noted.map(|time| time.elapsed()), Ok(Ok(age)) if age < NOTE_AFTER) {
            return;
        }
        if let Err(error) = file.set_modified(SystemTime::now()) {
            log::debug!("cannot mark {} as used: {error}", self.path().display());
        }
    }
}
