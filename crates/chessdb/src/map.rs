//! Files as memory maps, for the feature `mmap`. This module contains all `unsafe` code of the crate.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use crate::files::Bytes;

impl Bytes for Mmap {}

/// Maps a regular file. Anything else, such as a pipe, cannot be mapped and is read into memory.
#[allow(unsafe_code)]
pub(crate) fn map(path: &Path) -> io::Result<Arc<dyn Bytes>> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(Arc::new(fs::read(path)?));
    }
    // SAFETY: the map is never written through. If another process changes the file, the bytes change at any time.
    // Decoders read every byte through checked accesses and rely on no value that they read twice, so changed contents
    // lead to other games but to no memory error. A file that becomes shorter ends the process, which the documentation
    // of the crate says.
    let map = unsafe { Mmap::map(&file)? };
    Ok(Arc::new(map))
}
