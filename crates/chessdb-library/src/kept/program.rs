//! Which program is running.

use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::OnceLock;

use xxhash_rust::xxh3::Xxh3;

/// A hash of the file with the running code, which changes with the code, its libraries and the compiler. `None`
/// if the file cannot be read.
pub fn program_hash() -> Option<u128> {
    static HASH: OnceLock<Option<u128>> = OnceLock::new();
    *HASH.get_or_init(|| {
        let hashed = code_file().and_then(hash);
        hashed
            .inspect_err(|error| log::debug!("the program cannot be read: {error}"))
            .ok()
    })
}

/// The file with this code: the program, or a library that another program has loaded.
pub(super) fn code_file() -> io::Result<File> {
    const PROGRAM: &str = "/proc/self/exe";
    let here = code_file as *const () as usize;
    // Maps of databases may have names that are not UTF-8.
    let maps = fs::read("/proc/self/maps")?;
    let maps = String::from_utf8_lossy(&maps);
    let path = maps.lines().find_map(|line| path_of_map(line, here));
    let program = fs::read_link(PROGRAM)?;
    match path {
        // This link opens the running program even if its file was deleted or replaced.
        None => File::open(PROGRAM),
        Some(path) if path == program.to_string_lossy() => File::open(PROGRAM),
        Some(path) => File::open(path),
    }
}

/// The path in a line of `/proc/self/maps`, if an address is in its range.
pub(super) fn path_of_map(line: &str, address: usize) -> Option<&str> {
    let (start, rest) = line.split_once('-')?;
    let (end, rest) = rest.split_once(' ')?;
    let bound = |digits| usize::from_str_radix(digits, 16).ok();
    let is_here = (bound(start)?..bound(end)?).contains(&address);
    // Access, offset, device and inode come before the path.
    is_here.then(|| rest.find('/').map(|path| &rest[path..]))?
}

fn hash(mut file: File) -> io::Result<u128> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.digest128()),
            len => hash.update(buffer.get(..len).unwrap_or_default()),
        }
    }
}
