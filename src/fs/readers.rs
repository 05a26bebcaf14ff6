//! Which readers use the entries that they list.
//!
//! An entry with attributes makes the kernel create an inode. Programs such as `find .` never use it and need
//! the name only, and others such as `grep -r` would have to send LOOKUP for each entry without attributes.
//! Nothing in a request says which of them is listing. Therefore one file of a directory, the probe, is
//! listed without attributes. If it is not looked up while its reader lists very many other entries, the reader
//! gets names only, until a file that was listed without attributes is looked up.
//!
//! The kernel keeps listings. This module records which ones lack attributes, so that they can be dropped when
//! the entries of such a directory are used.
//!
//! A wrong guess costs only time. For example, if the kernel dropped a listing and kept the names, a file is used
//! without a LOOKUP, and its reader gets names only until its next LOOKUP.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::types::{Described, Inode};

/// Maximum number of readers.
const READERS: usize = 64;

/// Number of directories whose reader is not yet taken for one that walks through the source.
const FEW: u32 = 4;

/// A reader that lists this many entries with attributes after an unused probe needs names only. The kernel has
/// 100 MB of inodes for them by then. A program that lists fewer and uses them afterwards, such as `find | xargs cat`,
/// needs no look-up for each.
const UNUSED: u32 = 100_000;

/// Number of directories from the use of an entry to the next probe.
const USED: u32 = 64;

/// A reader that lists nothing for this long begins anew. A shell lists a directory now and then and does not walk.
const PAUSE: Duration = Duration::from_secs(3);

/// Maximum number of directories known to be listed by name. When there are more, they are no longer known,
/// and their files are looked up one by one if a reader needs them.
const NAMED: usize = 1 << 18;

/// The readers that listed something most recently, and the directories that were listed by name.
pub struct Readers {
    /// Number of entries after which an unused probe counts.
    unused: u32,
    /// The one that listed something most recently comes first.
    readers: VecDeque<Reader>,
    /// The thread that listed the files of a directory without attributes, by the kind of the directory and the
    /// directory.
    named: HashMap<Kin, HashMap<Inode, u32>>,
    /// Number of directories in `named`.
    len: usize,
}

/// The directories of one kind in one database, such as those of players: their readers use them alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Kin(u64);

impl Kin {
    fn of(directory: Inode) -> Kin {
        // The other half is the number of the directory.
        Kin(directory.0 >> 32)
    }
}

/// A thread that lists directories.
struct Reader {
    thread: u32,
    use_of_entries: Use,
    /// When it last listed something.
    at: Instant,
}

enum Use {
    /// It has just begun; the number of directories that it has listed.
    Unknown(u32),
    /// It used an entry; the number of directories until the next probe.
    Seen(u32),
    /// A file of a directory was listed without attributes; the number of entries listed with attributes since.
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
    /// The same for a huge directory.
    pub described_if_huge: Described,
    /// True if the first game is listed without attributes.
    pub is_probed: bool,
}

impl Default for Readers {
    fn default() -> Readers {
        Readers::new(UNUSED)
    }
}

impl Readers {
    /// Readers that are given names only if they list `unused` entries with attributes after an unused probe.
    pub fn new(unused: u32) -> Readers {
        Readers {
            unused,
            readers: VecDeque::new(),
            named: HashMap::new(),
            len: 0,
        }
    }

    /// A thread lists a directory from `offset`. Number 0 stands for a thread outside of the PID namespace.
    pub fn lists(&mut self, thread: u32, offset: u64, now: Instant) -> Listing {
        let listing = |described, described_if_huge, is_probed| Listing {
            described,
            described_if_huge,
            is_probed,
        };
        if thread == 0 {
            return listing(Described::All, Described::Nothing, false);
        }
        let at = self.readers.iter().position(|reader| reader.thread == thread);
        let known = at.and_then(|at| self.readers.remove(at));
        let known = known.filter(|known| now.duration_since(known.at) < PAUSE);
        let mut reader = known.unwrap_or(Reader {
            thread,
            use_of_entries: Use::Unknown(0),
            at: now,
        });
        reader.at = now;
        let is_probed = offset == 0 && reader.begins();
        let listing = match reader.use_of_entries {
            Use::None => listing(Described::Directories, Described::Directories, false),
            Use::Unknown(listed) if listed <= FEW => listing(Described::All, Described::Nothing, is_probed),
            _ => listing(Described::All, Described::Directories, is_probed),
        };
        self.readers.truncate(READERS - 1);
        self.readers.push_front(reader);
        listing
    }

    /// A part of a directory is about to be listed with attributes of `described` entries, and without those of a game
    /// because of [`Listing::is_probed`].
    pub fn lists_entries(&mut self, thread: u32, directory: Inode, described: usize, probe: Option<Inode>) {
        let unused = self.unused;
        let Some(reader) = self.reader(thread) else { return };
        match (&mut reader.use_of_entries, probe) {
            (use_of_entries, Some(file)) => {
                *use_of_entries = Use::Probed {
                    directory,
                    file,
                    since: 0,
                }
            }
            (Use::Probed { since, .. }, None) => {
                *since = since.saturating_add(u32::try_from(described).unwrap_or(u32::MAX));
                if *since >= unused {
                    reader.use_of_entries = Use::None;
                }
            }
            _ => {}
        }
    }

    /// The files of a directory were listed without attributes.
    pub fn listed_by_name(&mut self, thread: u32, directory: Inode) {
        if self.len >= NAMED {
            self.named.clear();
            self.len = 0;
        }
        let kin = self.named.entry(Kin::of(directory)).or_default();
        self.len += usize::from(kin.insert(directory, thread).is_none());
    }

    /// A file was looked up in a directory. Returns the directories whose listings in the kernel should be
    /// dropped: this one and those like it, if they were listed without attributes.
    #[must_use]
    pub fn looked_up(&mut self, directory: Inode, file: Inode) -> HashMap<Inode, u32> {
        for reader in &mut self.readers {
            if let Use::Probed {
                directory: its,
                file: probe,
                ..
            } = reader.use_of_entries
                && (its, probe) == (directory, file)
            {
                reader.use_of_entries = Use::Seen(USED);
            }
        }
        let kin = Kin::of(directory);
        let thread = self.named.get(&kin).and_then(|named| named.get(&directory));
        let Some(&thread) = thread else {
            return HashMap::new();
        };
        if let Some(reader) = self.reader(thread) {
            reader.use_of_entries = Use::Seen(USED);
        }
        let named = self.named.remove(&kin).unwrap_or_default();
        self.len -= named.len();
        named
    }

    fn reader(&mut self, thread: u32) -> Option<&mut Reader> {
        self.readers.iter_mut().find(|reader| reader.thread == thread)
    }
}

impl Reader {
    /// It begins to list a directory. Returns true if that directory may have a probe.
    fn begins(&mut self) -> bool {
        match &mut self.use_of_entries {
            Use::Unknown(listed) => {
                *listed += 1;
                *listed > FEW
            }
            Use::Seen(rest) => {
                *rest = rest.saturating_sub(1);
                *rest == 0
            }
            Use::Probed { .. } | Use::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_pauses_does_not_walk() {
        let mut readers = Readers::default();
        let begin = Instant::now();
        let mut list = |seconds| readers.lists(7, 0, begin + Duration::from_secs(seconds));
        let now_and_then = (0..100).map(|n| list(4 * n)).collect::<Vec<_>>();
        let usual = |listing: &Listing| {
            (listing.described, listing.described_if_huge) == (Described::All, Described::Nothing)
        };
        assert!(
            now_and_then
                .iter()
                .all(|listing| usual(listing) && !listing.is_probed)
        );
        let at_once = (0..10).map(|_| list(500)).collect::<Vec<_>>();
        assert!(at_once.iter().take(4).all(usual));
        assert_eq!(at_once[9].described_if_huge, Described::Directories);
        assert!(usual(&list(504)));
    }

    #[test]
    fn a_look_up_drops_the_listings_of_one_kind() {
        let mut readers = Readers::default();
        let directory = |kind: u64, number: u64| Inode(1 << 40 | kind << 32 | number);
        for number in 0..5 {
            readers.listed_by_name(7, directory(3, number));
            readers.listed_by_name(7, directory(4, number));
        }
        readers.listed_by_name(7, directory(3, 0));
        assert_eq!(readers.len, 10);
        let other = readers.looked_up(directory(3, 5), Inode(1));
        assert!(other.is_empty(), "it was not listed by name");
        let mut dropped: Vec<Inode> = readers.looked_up(directory(3, 2), Inode(1)).into_keys().collect();
        dropped.sort();
        assert_eq!(dropped, [0, 1, 2, 3, 4].map(|number| directory(3, number)));
        assert!(readers.looked_up(directory(3, 2), Inode(1)).is_empty());
        assert_eq!(readers.len, 5);
    }

    #[test]
    fn few_readers_and_directories_are_remembered() {
        let mut readers = Readers::default();
        let now = Instant::now();
        for thread in 1..1000 {
            readers.lists(thread, 0, now);
        }
        assert_eq!(readers.readers.len(), READERS);
        for number in 0..NAMED as u64 + 10 {
            readers.listed_by_name(7, Inode(number));
        }
        assert_eq!(readers.len, 10);
    }
}
