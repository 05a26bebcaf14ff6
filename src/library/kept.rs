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
//! | for each file: 4 + *n*, 8, 8, 8, 16, 16 | its name, device, inode, size, and in nanoseconds the times of the last changes of its contents and of anything |
//!
//! The name of the file is a hash of data that stay the same when the database changes, so newer results
//! replace older ones.

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

    /// The stored results of a database of this format with these files. `None` if the program cannot be read.
    pub(super) fn of<'a>(
        &self,
        format: &Format,
        files: impl Iterator<Item = (&'a str, &'a Mapped)> + Clone,
    ) -> Option<Arc<dyn Kept>> {
        let mut stays = Vec::new();
        push_text(&mut stays, &self.options);
        push_text(&mut stays, format.name);
        let mut key = program_hash()?.to_le_bytes().to_vec();
        key.extend(&stays);
        for (name, map) in files {
            let identity = map.identity();
            let numbers = [identity.device, identity.inode];
            for part in [&mut stays, &mut key] {
                push_text(part, name);
                part.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
            }
            key.extend(identity.size.to_le_bytes());
            key.extend(identity.modified.to_le_bytes());
            key.extend(map.changed().to_le_bytes());
        }
        Some(Arc::new(KeptBytes {
            files: self.clone(),
            stays,
            key,
        }))
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
    stays: Vec<u8>,
    key: Vec<u8>,
}

impl KeptBytes {
    fn number(&self, name: &str) -> u128 {
        let mut stays = self.stays.clone();
        push_text(&mut stays, name);
        xxh3_128(&stays)
    }

    fn open(&self, number: u128) -> io::Result<Arc<dyn Bytes>> {
        let file = self.files.store.file(number)?;
        self.files.store.note_use(number, &file);
        let map = Mapped::of(file, &self.files.store.path(number))?;
        let len = self.len_without_key(&map);
        let len = len.ok_or_else(|| io::Error::other("of another state of the database, or damaged"))?;
        Ok(Arc::new(Front { map, len }))
    }

    /// Number of bytes before the key. `None` if the file has another key.
    fn len_without_key(&self, bytes: &[u8]) -> Option<usize> {
        let end = bytes.len().checked_sub(4)?;
        let len = end.checked_sub(le_u32(bytes, end)? as usize)?;
        (bytes.get(len..end)? == self.key).then_some(len)
    }
}

impl Kept for KeptBytes {
    fn get(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        let number = self.number(name);
        let path = self.files.store.path(number);
        self.open(number)
            .inspect_err(|error| log::debug!("{}: not used: {error}", path.display()))
            .ok()
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<Arc<dyn Bytes>> {
        let number = self.number(name);
        let written = self.files.store.replace_with(number, |file| -> io::Result<()> {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            write(&mut out)?;
            out.write_all(&self.key)?;
            out.write_all(&(self.key.len() as u32).to_le_bytes())?;
            out.flush()
        });
        self.files.store.tidy();
        let path = self.files.store.path(number);
        written
            .and_then(|()| self.open(number))
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
