//! A kept file.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::key::{Key, Same};
use super::{KeptFiles, KeptKind, SectionId, Sections};

/// The use of a file is noted only if the last note is older than this.
const NOTE_AFTER: Duration = Duration::from_secs(24 * 3600);

/// A kept file, whether it exists or not.
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
    /// The sections in the file. Reads only its header. `None` if there are none of the present state of the databases;
    /// the log says why.
    pub fn load<P: SectionId>(&self) -> Option<Sections<P>> {
        self.find(Same::All, |file, is_wanted| Sections::open(file, is_wanted))
    }

    /// The sections in the file, all read into memory. `None` as for [`KeptFile::load`], or if it has more than `most`
    /// bytes.
    pub fn read<P: SectionId>(&self, most: u64) -> Option<Sections<P>> {
        self.find(Same::All, |file, is_wanted| Sections::read(file, most, is_wanted))
    }

    /// The sections in the file, also if the databases had other contents.
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

    /// Replaces the file by a new one, which is returned. `write` gets the new file and its key, must
    /// [seal](super::seal) it, and must fail if the databases change meanwhile. A file that is larger than allowed gets no
    /// name, and is there as long as it is open.
    ///
    /// # Errors
    /// If writing fails; an existing file is then unchanged.
    pub fn write<E: From<io::Error>>(
        &self,
        write: impl FnOnce(&mut File, &[u8]) -> Result<(), E>,
    ) -> Result<File, E> {
        let shared = &self.files.shared;
        let key = self.key.bytes(self.program()?);
        let mut new = shared.folder.create(&self.name)?;
        write(&mut new.file, &key)?;
        let file = new.file.try_clone()?;
        let written = file.metadata()?.len();
        if written > shared.space.of_file(self.kind) {
            self.files.refuse(self.kind, &self.of);
            return Ok(file);
        }
        new.keep_as(&self.name)?;
        let (what, path) = (self.kind.row().what, self.path());
        log::debug!("{}: {what} is kept in {}", self.of, path.display());
        self.files.tidy_if_due(written);
        Ok(file)
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

    /// Marks the file as used, at most once a day: its times are what shows other processes that have mapped it whether
    /// it was changed.
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
