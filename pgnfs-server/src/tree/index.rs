//! The directories of one view, with their games.

use std::cmp::Ordering;
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use super::arrays::{Array, Arrays, bytes_of};
use super::entries::{Entries, running_sums};
use super::games::Games;
use super::names::directory_name;
use super::plan::Plan;
use super::sorting::Sorting;
use super::view_files::KeptViews;
use chessdb_library::kept::Sections;
use chessdb_library::library::numbered;
use chessdb_library::mapped::give_back;
use chessdb_library::spelling::Names;

/// The directories of a view. They are numbered level by level, and by name below each parent; 0 is the
/// view's own directory. Names are computed from texts, unless they are in the file of the view.
pub struct ViewIndex {
    arrays: Arrays,
    contents: Box<dyn Contents>,
    nests_merged: bool,
}

/// The names of a view's directories, and the games in them.
pub(super) trait Contents: Send + Sync {
    /// The text of a directory at this depth below the view's own directory.
    fn text(&self, arrays: &Arrays, directory: u32, depth: usize) -> Option<String>;

    /// The games in a directory.
    fn games<'a>(&'a self, arrays: &'a Arrays, directory: u32) -> Games<'a>;

    /// Of several databases, the one from which the text of a directory is read.
    fn named_by(&self, _directory: u32) -> Option<usize> {
        None
    }

    /// The memory that they take beside the arrays, in bytes.
    fn bytes(&self) -> usize {
        0
    }
}

impl ViewIndex {
    /// The directories of a view of one database, from its file or sorted now. The index is incomplete if the files of
    /// the database change meanwhile.
    pub(super) fn of(sorting: Sorting, kept: Option<&Arc<KeptViews>>) -> ViewIndex {
        let sorting = Arc::new(sorting);
        let Some(kept) = kept else {
            return ViewIndex::sorted(&sorting, Naming::Computed);
        };
        let arrays = match kept.load(&sorting) {
            Some(arrays) => arrays,
            None => {
                let mut index = ViewIndex::sorted(&sorting, Naming::Stored);
                let Some(arrays) = kept.keep(&sorting, index.arrays.sections()) else {
                    index.arrays.remove(Array::NameStarts);
                    index.arrays.remove(Array::DirectoryNames);
                    index.arrays.shrink();
                    return index;
                };
                drop(index);
                give_back();
                arrays
            }
        };
        let (kept, again) = (Arc::clone(kept), Arc::clone(&sorting));
        let rebuild = move || {
            let (name, view) = (again.entry.name(), again.view.name());
            log::warn!("{name}: the file of {view}/ is damaged: its games are sorted again");
            kept.remove(&again);
            let arrays = ViewIndex::sorted(&again, Naming::Computed).arrays.into_sections();
            give_back();
            arrays
        };
        ViewIndex {
            arrays: Arrays::in_file(arrays, rebuild),
            nests_merged: sorting.view.nests_merged(),
            contents: Box::new(SortedGames(sorting)),
        }
    }

    /// Sorts the games of a database.
    fn sorted(sorting: &Arc<Sorting>, naming: Naming) -> ViewIndex {
        let (view, database) = (&sorting.view, &*sorting.entry.database);
        let names = view
            .names_players()
            .then(|| Names::find(&[database], &sorting.spelling));
        ViewIndex::named(sorting, names.flatten().as_ref(), naming)
    }

    /// Sorts the games of a database. With `names`, players are shown under these.
    pub(super) fn named(sorting: &Arc<Sorting>, names: Option<&Names>, naming: Naming) -> ViewIndex {
        let (view, database) = (&sorting.view, &*sorting.entry.database);
        let (found, entries) = Entries::find(sorting);
        let text = |names, group: u32, depth| {
            let group = found.get(group as usize)?.group;
            view.text(database, names, group, depth)
        };
        let mut plan = Plan::new(found.len() as u32, sorting.threads, |group, depth| {
            text(names, group, depth)
        });
        let (starts, games) = entries.by_directory(&plan.leaves, plan.directories.len());
        let groups = plan.directories.iter().map(|planned| planned.group);
        let mark = |group: u32| found.get(group as usize).map_or(0, |group| group.mark);
        let mut arrays = Sections::default();
        arrays.append(Array::Games, games);
        arrays.append(Array::Starts, bytes_of(starts));
        let marks = groups.clone().map(|group| mark(group).to_le_bytes());
        arrays.append(Array::Marks, marks.collect::<Vec<_>>().into_flattened());
        if names.is_some() {
            let (mut pairs, mut texts) = (Vec::new(), Vec::new());
            let mut depths = vec![0];
            for (directory, planned) in (0..).zip(&plan.directories).skip(1) {
                let depth = match planned.parent {
                    0 => 0,
                    parent => depths.get(parent as usize).map_or(0, |depth| depth + 1),
                };
                depths.push(depth);
                let shown = text(names, planned.group, depth);
                if let Some(shown) =
                    shown.filter(|shown| text(None, planned.group, depth).as_ref() != Some(shown))
                {
                    texts.extend(shown.as_bytes());
                    pairs.extend([directory, texts.len() as u32]);
                }
            }
            arrays.append(Array::Shown, bytes_of(pairs));
            arrays.append(Array::Names, texts);
        }
        if naming == Naming::Stored {
            let names = take(&mut plan.names);
            arrays.append(Array::NameStarts, bytes_of(names.starts));
            arrays.append(Array::DirectoryNames, names.bytes);
        }
        let contents = SortedGames(Arc::clone(sorting));
        ViewIndex::with(&plan, arrays, contents, view.nests_merged())
    }

    /// Builds the index of a plan. `arrays` has what `contents` needs.
    pub(super) fn with(
        plan: &Plan,
        mut arrays: Sections<Array>,
        contents: impl Contents + 'static,
        nests_merged: bool,
    ) -> ViewIndex {
        let directories = &plan.directories;
        let mut children = vec![0; directories.len()];
        for planned in directories.iter().skip(1) {
            children[planned.parent as usize] += 1;
        }
        let ordinals = (0..).zip(directories).filter(|(_, planned)| planned.ordinal > 1);
        let ordinals = ordinals.flat_map(|(number, planned)| [number, planned.ordinal]);
        arrays.append(Array::Ordinals, bytes_of(ordinals));
        arrays.append(Array::Children, bytes_of(running_sums(&children, 1)));
        let parents = directories.iter().map(|planned| planned.parent);
        arrays.append(Array::Parents, bytes_of(parents));
        let mut index = ViewIndex {
            arrays: Arrays::in_memory(arrays),
            contents: Box::new(contents),
            nests_merged,
        };
        let is_deep = directories.iter().any(|planned| planned.parent != 0);
        if is_deep && !nests_merged {
            let mut by_name: Vec<u32> = (0..index.len()).filter(|&n| !index.games(n).is_empty()).collect();
            by_name.sort_by_cached_key(|&n| index.name(n));
            index.arrays.append(Array::ByName, bytes_of(by_name));
        }
        index.arrays.shrink();
        index
    }

    /// Number of directories, including the view's own.
    pub fn len(&self) -> u32 {
        (self.arrays.bytes(Array::Parents) / 4) as u32
    }

    /// The parent of a directory; the view's own directory is its own parent.
    pub fn parent(&self, directory: u32) -> u32 {
        let parent = self.arrays.u32(Array::Parents, directory as usize);
        parent.filter(|&parent| parent < directory).unwrap_or(0)
    }

    /// The memory that it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.arrays.sections().memory() + self.contents.bytes()
    }

    /// The subdirectories of a directory, sorted by name.
    pub fn children(&self, directory: u32) -> Range<u32> {
        let Range { start, end } = self.arrays.bounds(Array::Children, directory);
        start..end.min(self.len())
    }

    /// The games in a directory, in database order.
    pub fn games(&self, directory: u32) -> Games<'_> {
        self.contents.games(&self.arrays, directory)
    }

    /// The text of a directory; `None` for the view's own.
    pub fn text(&self, directory: u32) -> Option<String> {
        let mut depth = 0;
        let mut above = self.parent(directory);
        while above != 0 {
            above = self.parent(above);
            depth += 1;
        }
        let text = self.contents.text(&self.arrays, directory, depth);
        text.filter(|_| directory > 0)
    }

    /// The name of a directory; `None` for the view's own.
    pub fn name(&self, directory: u32) -> Option<String> {
        self.stored_name(directory)
            .or_else(|| self.computed_name(directory))
    }

    fn stored_name(&self, directory: u32) -> Option<String> {
        let Range { start, end } = self.arrays.bounds(Array::NameStarts, directory);
        let len = (start < end).then(|| (end - start) as usize)?;
        let name = self.arrays.copy(Array::DirectoryNames, start as usize, len)?;
        String::from_utf8(name).ok()
    }

    fn computed_name(&self, directory: u32) -> Option<String> {
        let ordinal = self.arrays.find(Array::Ordinals, directory);
        let ordinal = ordinal.map_or(1, |(_, ordinal)| ordinal);
        Some(numbered(&directory_name(&self.text(directory)?), ordinal).into_owned())
    }

    /// Of several databases, the one from which the name of a directory is read.
    pub fn named_by(&self, directory: u32) -> Option<usize> {
        self.contents.named_by(directory)
    }

    /// The subdirectory with this name.
    pub fn child(&self, directory: u32, name: &str) -> Option<u32> {
        let children = self.children(directory);
        search(
            children.len(),
            |n| {
                let child = children.start + n as u32;
                (child, self.name(child))
            },
            name,
        )
    }

    /// True if merged files are in subdirectories.
    pub fn nests_merged(&self) -> bool {
        self.nests_merged
    }

    /// Number of entries of a directory of merged files; `directory` 0 is the view's own.
    pub fn merged_len(&self, directory: u32) -> usize {
        match self.by_name() {
            0 => self.children(directory).len(),
            len => len,
        }
    }

    /// The directory of the view to which the nth entry of a directory of merged files belongs. Entries are
    /// sorted by name.
    pub fn merged_at(&self, directory: u32, n: usize) -> Option<u32> {
        match self.by_name() {
            0 => self.children(directory).nth(n),
            _ => self.arrays.u32(Array::ByName, n),
        }
    }

    /// The directory of the view to which an entry of a directory of merged files belongs, by the entry's
    /// name without `.pgn`.
    pub fn merged_child(&self, directory: u32, name: &str) -> Option<u32> {
        let at = |n| {
            let directory = self.arrays.u32(Array::ByName, n).unwrap_or(0);
            (directory, self.name(directory))
        };
        match self.by_name() {
            0 => self.child(directory, name),
            len => search(len, at, name),
        }
    }

    /// Number of merged files, if they are all in one directory and its order differs from that of the numbers of
    /// directories, else 0.
    fn by_name(&self) -> usize {
        self.arrays.bytes(Array::ByName) / 4
    }
}

/// Where the names of directories come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// The arrays.
    Stored,
    /// Texts of the database, which takes longer and no memory.
    Computed,
}

/// The games of a database, sorted: contents of arrays with all games.
struct SortedGames(Arc<Sorting>);

impl Contents for SortedGames {
    fn text(&self, arrays: &Arrays, directory: u32, depth: usize) -> Option<String> {
        if let Some((n, end)) = arrays.find(Array::Shown, directory) {
            let before = n.checked_sub(1).map(|before| 2 * before + 1);
            let start = before.map_or(Some(0), |before| arrays.u32(Array::Shown, before))?;
            let name = arrays.copy(Array::Names, start as usize, end.checked_sub(start)? as usize)?;
            return String::from_utf8(name).ok();
        }
        let half = |n| {
            arrays
                .u32(Array::Marks, 2 * directory as usize + n)
                .map(u64::from)
        };
        let (view, database) = (&self.0.view, &*self.0.entry.database);
        let group = view.group(database, half(1)? << 32 | half(0)?)?;
        view.text(database, None, group, depth)
    }

    fn games<'a>(&'a self, arrays: &'a Arrays, directory: u32) -> Games<'a> {
        let Range { start, end } = arrays.bounds(Array::Starts, directory);
        let len = (arrays.bytes(Array::Games) / 4) as u32;
        let games = start.min(len)..end.min(len);
        Games::in_arrays(arrays, games)
    }
}

/// The directory with this name among `len` directories sorted by name.
fn search(len: usize, at: impl Fn(usize) -> (u32, Option<String>), name: &str) -> Option<u32> {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        let (directory, found) = at(middle);
        match found?.as_str().cmp(name) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Some(directory),
        }
    }
    None
}

#[cfg(test)]
mod tests;
