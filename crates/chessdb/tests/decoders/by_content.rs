//! Files of other kinds are not recognised as databases by their content.

#![allow(missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use testkit::needs;

use chessdb::formats::by_content;
use chessdb_library::mapped::Mapped;

/// Folders that contain files of many kinds on any system.
const FOLDERS: [&str; 6] = [
    "/usr/bin",
    "/usr/include",
    "/usr/lib",
    "/usr/share",
    "/etc",
    "/var/lib/dpkg",
];
/// Maximum number of files in each folder, and maximum length of each in bytes.
const MOST_FILES: usize = 4_000;
const LONGEST: u64 = 1 << 20;
/// Maximum total length of all files in bytes.
const MOST_BYTES: u64 = 512 << 20;

/// Regular files below a folder, sorted by name. Links are not followed.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                folders.push(entry.path());
            } else if meta.is_file() && (1..=LONGEST).contains(&meta.len()) {
                files.push(entry.path());
            }
            if files.len() == MOST_FILES {
                return files;
            }
        }
    }
    files
}

#[test]
fn no_file_of_the_system_is_taken_for_a_database() {
    let (mut seen, mut bytes) = (0, 0);
    for path in FOLDERS.iter().flat_map(|folder| files(Path::new(folder))) {
        let Ok(mapped) = Mapped::open(&path) else { continue };
        bytes += mapped.len() as u64;
        if bytes > MOST_BYTES {
            break;
        }
        let found = by_content(&path, &mapped);
        let names: Vec<&str> = found.iter().map(|(format, _)| format.name).collect();
        assert!(names.is_empty(), "{} is taken for {names:?}", path.display());
        seen += 1;
    }
    eprintln!("{seen} files with {bytes} bytes asked");
    needs!(if seen >= 3_000, "a system with thousands of files");
}

#[test]
fn short_and_simple_files_are_not_taken_for_databases() {
    // Every file of two bytes, and files that repeat one byte.
    for word in 0..=u16::MAX {
        let bytes = word.to_be_bytes();
        assert!(by_content(Path::new("two"), &bytes).is_empty(), "{bytes:x?}");
    }
    for byte in 0..=u8::MAX {
        assert!(by_content(Path::new("run"), &[byte; 1000]).is_empty(), "{byte:x}");
    }
}
