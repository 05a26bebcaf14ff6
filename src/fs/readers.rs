//! Which readers use the entries that they list.
//!
//! An entry with attributes makes the kernel create an inode. Programs such as `find .` never use it and need
//! the name only, and others such as `grep -r` would have to send LOOKUP for each entry without attributes.
//! Nothing in a request says which of them is listing. Therefore one file of a directory, the probe, is
//! listed without attributes: if nobody looks it up while its reader goes on to other directories, the reader
//! is given names only, until a file that was listed without attributes is looked up.
//!
//! The kernel keeps listings. Those without attributes are known here, so that they can be dropped when a
//! reader comes that uses the entries of a directory beside them.

use std::collections::{BTreeMap, VecDeque};

use super::handle::Resolved;
use super::types::{Described, Inode};

/// Maximum number of readers.
const READERS: usize = 64;

/// Number of directories whose reader is not yet taken for one that walks through the source.
const FEW: u32 = 4;

/// A reader that lists this many directories after that of an unused probe needs names only.
const UNUSED: u32 = 8;

/// Number of directories from the use of an entry to the next probe.
const USED: u32 = 64;

/// Maximum number of directories known to be listed by name. When there are more, they are no longer known,
/// and their files are looked up one by one if a reader needs them.
const NAMED: usize = 1 << 18;

/// The readers that listed something most recently, and the directories that were listed by name.
#[derive(Default)]
pub struct Readers {
    /// The one that began a listing most recently comes first.
    readers: VecDeque<Reader>,
    /// The process that listed the files of a directory without attributes, by the parent of the directory and
    /// the directory.
    named: BTreeMap<(Inode, Inode), u32>,
}

struct Reader {
    process: u32,
    use_of_entries: Use,
}

enum Use {
    /// It has just begun; the number of directories that it has listed.
    Unknown(u32),
    /// It used an entry; the number of directories until the next probe.
    Seen(u32),
    /// A file of a directory was listed without attributes; the number of directories listed since.
    Probed {
        directory: Inode,
        file: Inode,
        since: u32,
    },
    /// It uses none.
    None,
}

/// How a part of a directory is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries that have attributes.
    pub described: Described,
    /// True if one game may be listed without attributes; then [`Readers::probed`] must be called.
    pub is_probed: bool,
}

impl Readers {
    /// A process lists a directory from `offset`. The process 0 is unknown, as it has another namespace.
    pub fn lists(&mut self, process: u32, directory: &Resolved, offset: u64) -> Listing {
        let usual = |described| Listing {
            described,
            is_probed: false,
        };
        if process == 0 {
            return usual(Described::All);
        }
        let at = self.readers.iter().position(|reader| reader.process == process);
        let mut reader = at.and_then(|at| self.readers.remove(at)).unwrap_or(Reader {
            process,
            use_of_entries: Use::Unknown(0),
        });
        let is_probed = offset == 0 && reader.begins();
        let described = match reader.use_of_entries {
            Use::None => {
                if self.named.len() >= NAMED {
                    self.named.clear();
                }
                if let Ok(parent) = directory.parent() {
                    let place = (parent.inode(), directory.inode());
                    self.named.insert(place, process);
                }
                Described::Directories
            }
            Use::Unknown(listed) if listed <= FEW => Described::All,
            _ => Described::AllOfWalk,
        };
        self.readers.truncate(READERS - 1);
        self.readers.push_front(reader);
        Listing { described, is_probed }
    }

    /// A game of a directory is about to be listed without attributes, because of [`Listing::is_probed`].
    pub fn probed(&mut self, process: u32, directory: Inode, file: Inode) {
        let mut readers = self.readers.iter_mut();
        if let Some(reader) = readers.find(|reader| reader.process == process) {
            reader.use_of_entries = Use::Probed {
                directory,
                file,
                since: 0,
            };
        }
    }

    /// A file was looked up in a directory. Returns the directories whose listings in the kernel should be
    /// dropped: this one and those beside it, if they were listed without attributes.
    #[must_use]
    pub fn looked_up(&mut self, directory: &Resolved, file: Inode) -> Vec<Inode> {
        for reader in &mut self.readers {
            if let Use::Probed {
                directory: its,
                file: probe,
                ..
            } = reader.use_of_entries
                && (its, probe) == (directory.inode(), file)
            {
                reader.use_of_entries = Use::Seen(USED);
            }
        }
        if self.named.is_empty() {
            return Vec::new();
        }
        let Ok(parent) = directory.parent().map(|parent| parent.inode()) else {
            return Vec::new();
        };
        let Some(process) = self.named.get(&(parent, directory.inode())) else {
            return Vec::new();
        };
        let mut readers = self.readers.iter_mut();
        if let Some(reader) = readers.find(|reader| reader.process == *process) {
            reader.use_of_entries = Use::Seen(USED);
        }
        let beside = self.named.range((parent, Inode(0))..=(parent, Inode(u64::MAX)));
        let beside: Vec<Inode> = beside.map(|(&(_, directory), _)| directory).collect();
        for &directory in &beside {
            self.named.remove(&(parent, directory));
        }
        beside
    }
}

impl Reader {
    /// It begins to list a directory. Returns true if that directory may have a probe.
    fn begins(&mut self) -> bool {
        match &mut self.use_of_entries {
            Use::Unknown(listed) => {
                *listed = listed.saturating_add(1);
                *listed > FEW
            }
            Use::Seen(rest) => {
                *rest = rest.saturating_sub(1);
                *rest == 0
            }
            Use::Probed { since, .. } => {
                *since += 1;
                if *since >= UNUSED {
                    self.use_of_entries = Use::None;
                }
                false
            }
            Use::None => false,
        }
    }
}
