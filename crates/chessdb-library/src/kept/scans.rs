//! Data that databases keep from one opening to the next, such as where the games of a PGN file start. After a change,
//! a database can use the data of the earlier state for the parts that did not change, until it is replaced.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::{Deref, Range};
use std::sync::Arc;

use super::{KeptFile, KeptFiles, KeptKind, Numbers, SectionId, Sections, SourceFiles, begin, seal};
use crate::mapped::Mapped;
use chessdb::files::{Bytes, Kept};

impl KeptFiles {
    /// The kept results of the scan of a database with these files. Opens no kept file yet.
    pub fn scans(&self, origin: SourceFiles, maps: &[Arc<Mapped>]) -> Arc<dyn Kept> {
        Arc::new(Scans {
            files: self.clone(),
            origin,
            maps: maps.to_vec(),
        })
    }
}

/// What is kept for one database.
#[derive(Debug)]
struct Scans {
    files: KeptFiles,
    origin: SourceFiles,
    /// The files of the database.
    maps: Vec<Arc<Mapped>>,
}

impl Scans {
    fn file(&self, name: &str) -> KeptFile {
        self.files
            .file(KeptKind::Scan, name, std::slice::from_ref(&self.origin))
    }
}

impl Kept for Scans {
    fn get(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        Some(Arc::new(Scan(self.file(name).load()?)))
    }

    fn earlier(&self, name: &str) -> Option<Arc<dyn Bytes>> {
        Some(Arc::new(Scan(self.file(name).load_earlier()?)))
    }

    fn remove(&self, name: &str) {
        let file = self.file(name);
        log::info!(
            "{}: damaged: removed, and made again when the database is next opened",
            file.path().display()
        );
        file.remove();
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Option<Arc<dyn Bytes>> {
        let kept = self.file(name);
        let written = kept.replace(|file, key| -> io::Result<()> {
            write_whole(file, key, |out| write(out))?;
            if self.maps.iter().all(|map| map.is_intact()) {
                Ok(())
            } else {
                Err(io::Error::other("the database was changed while it was read"))
            }
        });
        match written {
            Ok(sections) => Some(Arc::new(Scan(sections))),
            Err(error) => {
                log::info!(
                    "cannot keep the index of a PGN file in {}: {error}",
                    kept.path().display()
                );
                None
            }
        }
    }
}

/// The only section of a file that is written as a whole.
#[derive(Clone, Copy, Debug)]
pub struct WholeFile;

impl SectionId for WholeFile {
    fn place(self) -> usize {
        0
    }

    fn are_valid(_: &Numbers) -> bool {
        true
    }
}

/// Writes a file with one section, and seals it.
///
/// # Errors
/// If `write` fails, or if reading or writing the file fails.
pub fn write_whole<E: From<io::Error>>(
    file: &mut File,
    key: &[u8],
    write: impl FnOnce(&mut BufWriter<&mut File>) -> Result<(), E>,
) -> Result<(), E> {
    let start = begin(key);
    file.seek(SeekFrom::Start(start))?;
    let mut out = BufWriter::with_capacity(1 << 20, &mut *file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    let mut numbers = Numbers::default();
    numbers.sections[WholeFile.place()] = (start, file.stream_position()? - start);
    Ok(seal(file, &numbers, key)?)
}

/// A mapped file.
struct Scan(Sections<WholeFile>);

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan").finish_non_exhaustive()
    }
}

impl Deref for Scan {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.unchecked(WholeFile)
    }
}

impl Bytes for Scan {
    fn is_lost(&self) -> bool {
        self.0.is_lost()
    }

    fn part(&self, range: Range<usize>) -> Option<&[u8]> {
        let len = range.end.checked_sub(range.start)?;
        self.0.get(WholeFile, range.start, len).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::Space;
    use std::fs;
    use std::path::Path;

    fn open(folder: &Path) -> KeptFiles {
        KeptFiles::open(&folder.join("cache"), "", Space::default()).unwrap()
    }

    fn scans(files: &KeptFiles, file: &Path) -> Arc<dyn Kept> {
        let map = Arc::new(Mapped::open(file).unwrap());
        let mut origin = SourceFiles::new("x", "format", "");
        origin.add_file("x", map.identity(), map.changed());
        files.scans(origin, &[map])
    }

    /// What is kept for a file in its present state.
    fn kept(folder: &Path, file: &Path) -> Arc<dyn Kept> {
        scans(&open(folder), file)
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
            ..open(folder.path())
        };
        let kept = scans(&files, &file);
        assert!(kept.get("result").is_none() && kept.earlier("result").is_none());
        let unreadable = KeptFiles {
            program: || None,
            ..files
        };
        let kept = scans(&unreadable, &file);
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
        // Nothing is kept for a file that changed while it was read.
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
