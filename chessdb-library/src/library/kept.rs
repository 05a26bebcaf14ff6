//! Results that databases store in the cache folder, so that the next opening need not compute them again.
//!
//! A file has one [section](crate::sections), the bytes that the database wrote, and a key with everything that the
//! bytes depend on:
//!
//! | bytes | what |
//! |---|---|
//! | 16 | hash of the running program |
//! | 4 + *n* | options that change how databases are read |
//! | 4 + *n* | name of the format |
//! | for each file: 4 + *n*, 8, 8 | its name, device, inode |
//! | for each file: 8, 16, 16 | its size, and in nanoseconds the times of the last changes of its contents and of anything |
//!
//! The name of the file is a hash of data that stay the same when the database changes, so newer results
//! replace older ones. Until then, the database can use the older ones for what did not change.

use std::fmt;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use crate::mapped::Mapped;
use crate::sections::{Numbers, Part, Sections, begin, seal};
use crate::store::{Store, program_hash};
use chessdb::formats::{Bytes, Format, Kept};

/// Maximum total size of the files, in bytes: 30 bytes for each of about 570 million games.
const MOST_BYTES: u64 = 16 << 30;

/// The folder of kept files, for databases that are read with the same options.
#[derive(Clone, Debug)]
pub struct KeptFiles {
    store: Store,
    options: Arc<str>,
    /// Computes the hash of the running program, which is read for that.
    program: fn() -> Option<u128>,
}

impl KeptFiles {
    /// Opens the kept files in a folder, which is created if it does not exist. `options` are all options that change
    /// how databases are read.
    ///
    /// # Errors
    /// See [`Store::open`].
    pub fn open(folder: &Path, options: &str) -> io::Result<KeptFiles> {
        Ok(KeptFiles {
            store: Store::open(folder, "scan")?.with_most(MOST_BYTES),
            options: options.into(),
            program: program_hash,
        })
    }

    /// The stored results of a database of this format with these files. Reads nothing.
    pub(super) fn of<'a>(
        &self,
        format: &Format,
        files: impl Iterator<Item = (&'a str, &'a Arc<Mapped>)>,
    ) -> Arc<dyn Kept> {
        let mut stays = Vec::new();
        push_text(&mut stays, &self.options);
        push_text(&mut stays, format.name);
        let mut state = Vec::new();
        let mut maps = Vec::new();
        for (name, map) in files {
            let identity = map.identity();
            push_text(&mut stays, name);
            stays.extend(identity.device.to_le_bytes());
            stays.extend(identity.inode.to_le_bytes());
            state.extend(identity.size.to_le_bytes());
            state.extend(identity.modified.to_le_bytes());
            state.extend(map.changed().to_le_bytes());
            maps.push(Arc::clone(map));
        }
        Arc::new(KeptBytes {
            files: self.clone(),
            stays,
            state,
            maps,
        })
    }
}

/// Appends a text with its length before it.
fn push_text(key: &mut Vec<u8>, text: &str) {
    key.extend((text.len() as u32).to_le_bytes());
    key.extend(text.as_bytes());
}

/// The stored results of one database.
#[derive(Debug)]
struct KeptBytes {
    files: KeptFiles,
    /// The files of the database.
    maps: Vec<Arc<Mapped>>,
    /// The part of the key between the hash of the program and the sizes and times of files.
    stays: Vec<u8>,
    /// The sizes and times of files.
    state: Vec<u8>,
}

/// How much of the key of a file must be the present one.
#[derive(Clone, Copy)]
enum Same {
    All,
    /// Everything but sizes and times of files.
    AllButState,
}

impl KeptBytes {
    fn number(&self, name: &str) -> u128 {
        let mut stays = self.stays.clone();
        push_text(&mut stays, name);
        xxh3_128(&stays)
    }

    /// The key. The program is read for it, which most openings can do without: most databases store nothing.
    fn key(&self) -> io::Result<Vec<u8>> {
        let program = (self.files.program)();
        let program = program.ok_or_else(|| io::Error::other("the program cannot be read"))?;
        Ok([&program.to_le_bytes(), &*self.stays, &self.state].concat())
    }

    /// Opens the file of a number, if its key is the present one as far as `same` demands.
    fn open(&self, number: u128, same: Same) -> io::Result<Arc<dyn Bytes>> {
        let file = self.files.store.file(number)?;
        let key = self.key()?;
        let same = match same {
            Same::All => key.len(),
            Same::AllButState => key.len() - self.state.len(),
        };
        let is_same = |of_file: &[u8]| of_file.len() == key.len() && of_file.get(..same) == key.get(..same);
        let sections = Sections::open(file.try_clone()?, is_same).map_err(io::Error::other)?;
        self.files.store.note_use(number, &file);
        Ok(Arc::new(KeptFile(sections)))
    }

    fn find(&self, name: &str, same: Same) -> Option<Arc<dyn Bytes>> {
        let number = self.number(name);
        let path = self.files.store.path(number);
        self.open(number, same)
            .inspect_err(|error| log::debug!("{}: not used: {error}", path.display()))
            .ok()
    }
}

impl Kept for KeptBytes {
    fn get(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        self.find(name, Same::All)
    }

    fn earlier(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        self.find(name, Same::AllButState)
    }

    fn remove(&self, name: &str) {
        let number = self.number(name);
        let path = self.files.store.path(number);
        log::info!(
            "{}: damaged: it is removed, and made again at the next opening",
            path.display()
        );
        self.files.store.remove(number);
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<Arc<dyn Bytes>> {
        let number = self.number(name);
        let written = self.files.store.replace_with(number, |file| -> io::Result<()> {
            let key = self.key()?;
            let start = begin(&key);
            file.seek(SeekFrom::Start(start))?;
            let mut out = BufWriter::with_capacity(1 << 20, &mut *file);
            write(&mut out)?;
            out.flush()?;
            drop(out);
            let mut numbers = Numbers::default();
            numbers.sections[Whole.place()] = (start, file.stream_position()? - start);
            seal::<Whole>(file, &numbers, &key)?;
            match self.maps.iter().all(|map| map.is_intact()) {
                true => Ok(()),
                false => Err(io::Error::other("the database was changed while it was read")),
            }
        });
        let path = self.files.store.path(number);
        written
            .and_then(|()| self.open(number, Same::All))
            .inspect_err(|error| log::info!("{}: not kept: {error}", path.display()))
            .ok()
    }
}

/// The only section of a file: all bytes that the database wrote.
#[derive(Clone, Copy)]
struct Whole;

impl Part for Whole {
    const MAGIC: [u8; 8] = *b"pgnfs kb";
    const VERSION: u32 = 1;

    fn place(self) -> usize {
        0
    }

    fn are_valid(_: &Numbers) -> bool {
        true
    }
}

/// A mapped file.
struct KeptFile(Sections<Whole>);

impl fmt::Debug for KeptFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptFile").finish_non_exhaustive()
    }
}

impl Deref for KeptFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.unchecked(Whole)
    }
}

impl Bytes for KeptFile {
    fn is_lost(&self) -> bool {
        self.0.is_lost()
    }

    fn part(&self, range: Range<usize>) -> Option<&[u8]> {
        let len = range.end.checked_sub(range.start)?;
        self.0.get(Whole, range.start, len).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb::formats::FORMATS;
    use std::fs;

    /// What is kept for a file in its present state.
    fn kept(folder: &Path, file: &Path) -> Arc<dyn Kept> {
        let files = KeptFiles::open(&folder.join("cache"), "").unwrap();
        let map = Arc::new(Mapped::open(file).unwrap());
        files.of(&FORMATS[0], [("x", &map)].into_iter())
    }

    fn put(kept: &dyn Kept, bytes: &[u8]) -> bool {
        kept.put("result", &mut |out| out.write_all(bytes)).is_some()
    }

    /// The program may be on a slow disk, and only databases with results need it.
    #[test]
    fn the_program_is_not_read_without_results() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        fs::write(&file, "contents").unwrap();
        let files = KeptFiles {
            program: || panic!("the program is read"),
            ..KeptFiles::open(&folder.path().join("cache"), "").unwrap()
        };
        let map = Arc::new(Mapped::open(&file).unwrap());
        let kept = files.of(&FORMATS[0], [("x", &map)].into_iter());
        assert!(kept.get("result").is_none() && kept.earlier("result").is_none());
        let unreadable = KeptFiles {
            program: || None,
            ..files
        };
        let kept = unreadable.of(&FORMATS[0], [("x", &map)].into_iter());
        assert!(!put(&*kept, b"of an unknown program"));
        assert!(kept.get("result").is_none());
    }

    #[test]
    fn results_of_an_earlier_state_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        fs::write(&file, "old").unwrap();
        let old = kept(folder.path(), &file);
        assert!(put(&*old, b"of old"));
        let found = |bytes: Option<Arc<dyn Bytes>>| bytes.map(|bytes| bytes.to_vec());
        assert_eq!(found(old.get("result")).as_deref(), Some(&b"of old"[..]));
        fs::write(&file, "new, longer").unwrap();
        // Nothing is kept of a file that was changed while it was read.
        assert!(!put(&*old, b"of both"));
        let new = kept(folder.path(), &file);
        assert_eq!(found(new.get("result")), None);
        assert_eq!(found(new.earlier("result")).as_deref(), Some(&b"of old"[..]));
        assert_eq!(found(new.earlier("other")), None);
        assert!(put(&*new, b"of new"));
        assert_eq!(found(new.get("result")).as_deref(), Some(&b"of new"[..]));
        // Another file of this name.
        fs::write(folder.path().join("y"), "new, longer").unwrap();
        fs::rename(folder.path().join("y"), &file).unwrap();
        assert_eq!(found(kept(folder.path(), &file).earlier("result")), None);
    }
}
