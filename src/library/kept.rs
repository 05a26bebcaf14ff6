//! Results that databases store in the cache folder, so that the next opening need not compute them again.
//!
//! A file consists of the bytes that the database wrote, the key, and the length of the key in four bytes (little
//! endian). The key contains everything that the bytes depend on:
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

use std::io::{self, BufWriter, Write};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use crate::mapped::Mapped;
use crate::store::{Store, program_hash};
use chessdb::bytes::le_u32;
use chessdb::formats::{Bytes, Format, Kept};

/// Maximum total size of the files, in bytes: 30 bytes for each of 250 million games.
const MOST_BYTES: u64 = 8 << 30;

/// The folder of kept files, for databases that are read with the same options.
#[derive(Clone, Debug)]
pub struct KeptFiles {
    store: Store,
    options: Arc<str>,
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
        })
    }

    /// The stored results of a database of this format with these files.
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
    /// The options, the format, and which files these are.
    stays: Vec<u8>,
    /// Sizes and times of the files.
    state: Vec<u8>,
}

/// The key of a file that is kept.
struct Key {
    bytes: Vec<u8>,
    /// Number of bytes before the sizes and times of files.
    fixed: usize,
}

impl KeptBytes {
    /// The key. Most formats keep nothing, so the program is read only when a key is needed.
    fn key(&self) -> io::Result<Key> {
        let program = program_hash().ok_or_else(|| io::Error::other("the program cannot be read"))?;
        let program = program.to_le_bytes();
        Ok(Key {
            bytes: [program.as_slice(), &self.stays, &self.state].concat(),
            fixed: program.len() + self.stays.len(),
        })
    }

    fn number(&self, name: &str) -> u128 {
        let mut stays = self.stays.clone();
        push_text(&mut stays, name);
        xxh3_128(&stays)
    }

    /// Opens the file of a number. If `has_changed`, the files of the database may have had other contents.
    fn open(&self, number: u128, has_changed: bool) -> io::Result<Arc<dyn Bytes>> {
        let file = self.files.store.file(number)?;
        self.files.store.note_use(number, &file);
        let map = Mapped::of(file, &self.files.store.path(number))?;
        let key = self.key()?;
        let same = match has_changed {
            true => key.fixed,
            false => key.bytes.len(),
        };
        let len = len_without_key(&map, &key.bytes, same);
        let len = len.ok_or_else(|| io::Error::other("of another state of the database, or damaged"))?;
        Ok(Arc::new(Front { map, len }))
    }

    fn find(&self, name: &str, has_changed: bool) -> Option<Arc<dyn Bytes>> {
        let number = self.number(name);
        let path = self.files.store.path(number);
        self.open(number, has_changed)
            .inspect_err(|error| log::debug!("{}: not used: {error}", path.display()))
            .ok()
    }
}

/// Number of bytes before the key at the end of a file. `None` if that key differs from `key` in its first `same`
/// bytes or in its length.
fn len_without_key(bytes: &[u8], key: &[u8], same: usize) -> Option<usize> {
    let end = bytes.len().checked_sub(4)?;
    let len = end.checked_sub(le_u32(bytes, end)? as usize)?;
    let found = bytes.get(len..end)?;
    let is_same = found.len() == key.len() && found.get(..same) == key.get(..same);
    is_same.then_some(len)
}

impl Kept for KeptBytes {
    fn get(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        self.find(name, false)
    }

    fn earlier(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        self.find(name, true)
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<Arc<dyn Bytes>> {
        let number = self.number(name);
        let written = self.files.store.replace_with(number, |file| -> io::Result<()> {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            let key = self.key()?.bytes;
            write(&mut out)?;
            out.write_all(&key)?;
            out.write_all(&(key.len() as u32).to_le_bytes())?;
            out.flush()?;
            match self.maps.iter().all(|map| map.is_intact()) {
                true => Ok(()),
                false => Err(io::Error::other("the database was changed while it was read")),
            }
        });
        self.files.store.tidy();
        let path = self.files.store.path(number);
        written
            .and_then(|()| self.open(number, false))
            .inspect_err(|error| log::info!("{}: not kept: {error}", path.display()))
            .ok()
    }
}

/// The first bytes of a mapped file.
#[derive(Debug)]
struct Front {
    map: Mapped,
    len: usize,
}

impl Deref for Front {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.get(..self.len).unwrap_or_default()
    }
}

impl Bytes for Front {
    fn is_lost(&self) -> bool {
        self.map.is_lost()
    }

    fn is_intact(&self) -> bool {
        self.map.is_intact()
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
