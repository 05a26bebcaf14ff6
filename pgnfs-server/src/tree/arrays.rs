//! The arrays of a view, in memory or in a [file](chessdb_library::kept) of the cache folder.
//!
//! Directories are numbered level by level, and by name below each parent; 0 is the view's own directory. Nothing in
//! these arrays depends on ids of texts, which may be others when the same files are opened again.
//!
//! | array | what |
//! |---|---|
//! | games | the numbers of the games of each directory, in ascending order: 4 bytes |
//! | starts | the place in `games` of each directory's first game, and the end of the last one: 4 bytes |
//! | parents | the parent of each directory: 4 bytes |
//! | children | the first child of each directory, and the end of the last one's: 4 bytes |
//! | marks | the [mark](super::views::View::mark) of a group that is in each directory or below it: 8 bytes |
//! | ordinals | the directories whose name ends with a number, such as ` (2)`, in order, and this number: 4 and 4 bytes |
//! | by name | the directories that contain games, sorted by name: 4 bytes. Empty if that is the order of their numbers, or if merged files are in several directories |
//! | shown | the directories whose text has another spelling of a player than the games, in order, and where this text ends in `names`: 4 and 4 bytes |
//! | names | these texts: UTF-8 |
//! | name starts | where the name of each directory begins in `directory names`, and the end of the last one: 4 bytes. Empty in memory, where names are computed from texts |
//! | directory names | the name of each directory: UTF-8 |
//!
//! A block of a file is checked when it is first used: checking all of it first would read the games of all directories
//! for a listing of their names. So damage can come to light in the middle of a listing. The arrays are built from the
//! database then, and because they follow from nothing but the database, the listing goes on in them at the same
//! place. That costs the time of building, and the memory that the file saved. The same happens if the file is cut or
//! its disk fails after it was mapped, for which no check of the whole file could help.

use std::ops::Range;
use std::sync::OnceLock;

use chessdb_library::kept::{Damaged, Numbers, SectionId, Sections};

/// An array of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    Games,
    Starts,
    Parents,
    Children,
    Marks,
    Ordinals,
    ByName,
    Shown,
    Names,
    NameStarts,
    DirectoryNames,
}

impl SectionId for Array {
    fn place(self) -> usize {
        self as usize
    }

    fn are_valid(numbers: &Numbers) -> bool {
        let len = |array: Array| numbers.sections[array.place()].1;
        let directories = len(Array::Parents) / 4;
        let one_more = 4 * (directories + 1);
        directories > 0
            && len(Array::Children) == one_more
            && len(Array::Starts) == one_more
            && len(Array::NameStarts) == one_more
            && len(Array::Marks) == 8 * directories
    }
}

/// The arrays of a view.
pub(super) struct Arrays {
    first: Sections<Array>,
    /// Arrays in place of damaged ones.
    again: OnceLock<Sections<Array>>,
    /// Builds the arrays from the database, if they are in a file.
    rebuild: Option<Box<dyn Fn() -> Sections<Array> + Send + Sync>>,
}

impl Arrays {
    /// Arrays in memory.
    pub(super) fn in_memory(arrays: Sections<Array>) -> Arrays {
        Arrays {
            first: arrays,
            again: OnceLock::new(),
            rebuild: None,
        }
    }

    /// Arrays in a file. If it is damaged, `rebuild` builds the same arrays.
    pub(super) fn in_file(
        arrays: Sections<Array>,
        rebuild: impl Fn() -> Sections<Array> + Send + Sync + 'static,
    ) -> Arrays {
        Arrays {
            rebuild: Some(Box::new(rebuild)),
            ..Arrays::in_memory(arrays)
        }
    }

    /// The arrays as they were made or opened.
    pub(super) fn sections(&self) -> &Sections<Array> {
        &self.first
    }

    /// The arrays as they were made or opened.
    pub(super) fn into_sections(self) -> Sections<Array> {
        self.first
    }

    /// Adds an array to those in memory.
    pub(super) fn append(&mut self, array: Array, bytes: Vec<u8>) {
        self.first.append(array, bytes);
    }

    /// Removes an array from those in memory.
    pub(super) fn remove(&mut self, array: Array) {
        self.first.remove(array);
    }

    /// Frees memory that the arrays do not need.
    pub(super) fn shrink(&mut self) {
        self.first.shrink();
    }

    /// Length of an array in bytes.
    #[inline]
    pub(super) fn bytes(&self, array: Array) -> usize {
        self.again.get().unwrap_or(&self.first).len(array)
    }

    /// The integer at a place in an array; `None` beyond its end.
    #[inline]
    pub(super) fn u32(&self, array: Array, place: usize) -> Option<u32> {
        if place >= self.bytes(array) / 4 {
            return None;
        }
        self.read(|arrays| arrays.u32(array, place))
    }

    /// The bytes at a place in an array; `None` beyond its end.
    pub(super) fn copy(&self, array: Array, start: usize, len: usize) -> Option<Vec<u8>> {
        if start.checked_add(len)? > self.bytes(array) {
            return None;
        }
        self.read(|arrays| arrays.get(array, start, len).map(<[u8]>::to_vec))
    }

    /// Where an item's part of another array begins and ends.
    pub(super) fn bounds(&self, starts: Array, n: u32) -> Range<u32> {
        let n = n as usize;
        match (self.u32(starts, n), self.u32(starts, n + 1)) {
            (Some(start), Some(end)) if start < end => start..end,
            _ => 0..0,
        }
    }

    /// In an array of pairs, the index of the one that begins with this number, and its other number.
    pub(super) fn find(&self, pairs: Array, number: u32) -> Option<(usize, u32)> {
        let (mut low, mut high) = (0, self.bytes(pairs) / 8);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.u32(pairs, 2 * middle)? < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_there = self.u32(pairs, 2 * low)? == number;
        is_there.then(|| Some((low, self.u32(pairs, 2 * low + 1)?)))?
    }

    #[inline]
    fn read<T>(&self, read: impl Fn(&Sections<Array>) -> Result<T, Damaged>) -> Option<T> {
        let arrays = self.again.get().unwrap_or(&self.first);
        match read(arrays) {
            Ok(value) if !arrays.is_lost() => Some(value),
            _ => read(self.again()?).ok(),
        }
    }

    #[cold]
    fn again(&self) -> Option<&Sections<Array>> {
        let rebuild = self.rebuild.as_ref()?;
        Some(self.again.get_or_init(rebuild))
    }
}

/// The bytes of integers.
pub(super) fn bytes_of(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    numbers.into_iter().flat_map(u32::to_le_bytes).collect()
}
