//! How much space kept files may take together, and which of them are removed.

use std::time::{Duration, SystemTime};

use super::folder::{FolderFile, PARTIAL};
use super::{KINDS, KeptKind, KeptRow};

/// Files that were not used for this long are removed.
const LONGEST_UNUSED: Duration = Duration::from_secs(90 * 24 * 3600);

/// A temporary file that is older than this was left by a process that was killed.
const LONGEST_WRITING: Duration = Duration::from_secs(3600);

/// The start of the names of kept files.
const LAYOUT: &str = "v2-";

/// The limits of a folder of kept files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Maximum number of bytes of all files together.
    pub bytes: u64,
    /// For each kind, this number of bytes of the most recently used files is safe from files of other kinds.
    pub reserve: u64,
}

impl Default for Space {
    fn default() -> Space {
        Space {
            bytes: 16 << 30,
            reserve: 64 << 20,
        }
    }
}

impl Space {
    /// Maximum size of a file in bytes: the space without the reserves of the other kinds.
    pub(super) fn of_file(&self) -> u64 {
        let others = KINDS.len() as u64 - 1;
        self.bytes - others * self.reserve()
    }

    /// Why a file is not kept that is larger than allowed or, unless `is_certain`, may turn out to be.
    pub(super) fn refusal(&self, row: &KeptRow, is_certain: bool) -> String {
        let most = self.of_file();
        let why = if is_certain { ", because" } else { " if" };
        format!(
            "{} is not kept{why} it has more than the {most} bytes that cache-space allows: raise cache-space",
            row.what
        )
    }

    /// All reserves together leave half of the space for the files that are used most.
    fn reserve(&self) -> u64 {
        self.reserve.min(self.bytes / (2 * KINDS.len() as u64))
    }

    /// The files to remove: first those that were not used for a long time, then the least recently used.
    pub(super) fn surplus(&self, mut files: Vec<FolderFile>, now: SystemTime) -> Vec<String> {
        let mut surplus = Vec::new();
        let mut removable = Vec::new();
        let mut sums = [0u64; KINDS.len()];
        let mut sum = 0u64;
        // The most recently used file comes first.
        files.sort_by_key(|file| std::cmp::Reverse(file.used));
        for FolderFile { name, used, bytes } in files {
            let unused = now.duration_since(used).unwrap_or_default();
            let Some(kind) = kind_of(&name) else {
                if unused > LONGEST_WRITING {
                    surplus.push(name);
                }
                continue;
            };
            let before = sums[kind as usize];
            let end = before.saturating_add(bytes);
            if unused > LONGEST_UNUSED || bytes > self.of_file() || end > self.bytes {
                surplus.push(name);
                continue;
            }
            sums[kind as usize] = end;
            sum = sum.saturating_add(bytes);
            // A file that is only partly in the reserve is removed after all files that are outside it.
            if end > self.reserve() {
                removable.push((before < self.reserve(), used, bytes, name));
            }
        }
        removable.sort();
        for (_, _, bytes, name) in removable {
            if sum <= self.bytes {
                break;
            }
            sum -= bytes;
            surplus.push(name);
        }
        surplus
    }
}

/// The name of a kept file.
pub(super) fn name(kind: KeptKind, number: u128) -> String {
    format!("{LAYOUT}{number:032x}.{}", kind.row().extension)
}

/// True for the name of a kept file, complete or not.
pub(super) fn is_kept(name: &str) -> bool {
    let extension = name.strip_prefix(LAYOUT).and_then(after_number);
    extension.is_some_and(|extension| is_partial(extension) || kind_of(name).is_some())
}

/// True for the name of a file that was kept by an earlier version of pgnfs.
pub(super) fn is_of_earlier_layout(name: &str) -> bool {
    matches!(after_number(name), Some("sizes" | "scan" | "views" | "positions"))
}

/// The kind of a complete file.
fn kind_of(name: &str) -> Option<KeptKind> {
    let extension = after_number(name.strip_prefix(LAYOUT)?)?;
    let row = KINDS.iter().find(|row| row.extension == extension)?;
    Some(row.kind)
}

/// The text after a number and a dot.
fn after_number(name: &str) -> Option<&str> {
    let (number, rest) = name.split_once('.')?;
    let is_number = number.len() == 32 && number.bytes().all(|c| c.is_ascii_hexdigit());
    is_number.then_some(rest)
}

fn is_partial(extension: &str) -> bool {
    extension.rsplit('.').next() == Some(PARTIAL)
}
