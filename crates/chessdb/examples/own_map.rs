//! Opens a database through a memory map of one's own, which notices when its file changes:
//! `cargo run --example own_map -- games.cbf`.
//!
//! Anything can be the bytes of a file: a map, a buffer, an object that was downloaded.

use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use chessdb::Options;
use chessdb::files::{Bytes, Files, SourceFile, SourceFolder};
use chessdb::formats::FORMATS;
use memmap2::Mmap;

/// A map of a file, and the time of the file when it was mapped.
#[derive(Debug)]
struct TimedMap {
    map: Mmap,
    file: File,
    modified: SystemTime,
}

impl TimedMap {
    fn open(path: &Path) -> io::Result<TimedMap> {
        let file = File::open(path)?;
        Ok(TimedMap {
            modified: file.metadata()?.modified()?,
            // SAFETY: nothing writes through the map. Decoders accept that bytes change while they read.
            #[allow(unsafe_code)]
            map: unsafe { Mmap::map(&file)? },
            file,
        })
    }
}

impl Deref for TimedMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Bytes for TimedMap {
    /// Ends long passes over a file that has changed.
    fn is_lost(&self) -> bool {
        let modified = self.file.metadata().and_then(|metadata| metadata.modified());
        modified.ok() != Some(self.modified)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: own_map FILE")?;
    let path = Path::new(&path);
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().ok_or("not a file")?;
    let mut files = Vec::new();
    for entry in folder.join(".").read_dir()? {
        files.extend(entry?.file_name().into_string());
    }
    files.sort_unstable();
    let folder = SourceFolder {
        path: folder.to_owned(),
        files,
    };
    for format in FORMATS {
        // A format groups the files that belong together by their names.
        for candidate in (format.find)(&folder) {
            if candidate.name.as_str() != name {
                continue;
            }
            let mut files = Files::default();
            for (kind, path) in candidate.files {
                let file = SourceFile {
                    name: path.file_name().unwrap_or_default().display().to_string(),
                    bytes: Arc::new(TimedMap::open(&path)?),
                };
                files.files.push((kind, file));
            }
            // An archive may hold several.
            for part in (format.open)(files, &Options::default())? {
                let games = part.database.len();
                writeln!(io::stdout(), "{}: {games} games", format.title)?;
            }
            return Ok(());
        }
    }
    Err("no format has a database of this name".into())
}
