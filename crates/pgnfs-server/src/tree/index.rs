//! The directories of a view: of one database, or of several.

use std::cmp::Ordering;
use std::io;
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use super::game_set::GameSet;
use super::games::{Array, Arrays, Games, GamesOfPart, bytes_of};
use super::grouping::{Entries, Plan, running_sums};
use super::indexed_database::IndexedDatabase;
use super::inode::{Node, ViewId};
use super::names::directory_name;
use super::views::{Sorting, View};
use chessdb_library::kept::{KeptFile, KeptFiles, KeptKind, Sections};
use chessdb_library::library::numbered;
use chessdb_library::mapped::give_back;
use chessdb_library::positions::DatabasePart;
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

    /// With several databases, the part whose database has the text of a directory.
    fn named_by(&self, _directory: u32) -> Option<usize> {
        None
    }

    /// The memory that they take in addition to the arrays, in bytes.
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
            contents: Box::new(sorting),
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
        let contents = Arc::clone(sorting);
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

    /// With several databases, the part whose database has the name of a directory.
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

    /// The view's directory for the nth entry, by name, of a directory of merged files.
    pub fn merged_at(&self, directory: u32, n: usize) -> Option<u32> {
        match self.by_name() {
            0 => self.children(directory).nth(n),
            _ => self.arrays.u32(Array::ByName, n),
        }
    }

    /// The view's directory for an entry of a directory of merged files, by the entry's name without `.pgn`.
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

    /// Number of merged files, if they are all in one directory whose order differs from the order of the directories'
    /// numbers; otherwise 0.
    fn by_name(&self) -> usize {
        self.arrays.bytes(Array::ByName) / 4
    }
}

/// Where the names of directories come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// The arrays.
    Stored,
    /// Names are computed from texts of the database each time, which is slower but takes no memory.
    Computed,
}

/// The games of a database, sorted: contents of arrays with all games.
impl Contents for Arc<Sorting> {
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
        let (view, database) = (&self.view, &*self.entry.database);
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

/// Views with fewer bytes stay in memory: building them again takes no longer than opening a file.
const LEAST_BYTES: usize = 64 << 10;

/// The files of the views of a database.
pub(super) struct KeptViews {
    files: KeptFiles,
    /// False once the database has changed or contradicted itself; its views are no longer kept then.
    is_trusted: Box<dyn Fn() -> bool + Send + Sync>,
}

impl KeptViews {
    pub(super) fn new(
        files: &KeptFiles,
        is_trusted: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Arc<KeptViews> {
        Arc::new(KeptViews {
            files: files.clone(),
            is_trusted: Box::new(is_trusted),
        })
    }

    /// The folder, unless the database has changed or contradicted itself.
    pub(super) fn files(&self) -> Option<&KeptFiles> {
        (self.is_trusted)().then_some(&self.files)
    }

    /// The arrays of a view, if there is a file of the present state of the database.
    pub(super) fn load(&self, sorting: &Sorting) -> Option<Sections<Array>> {
        self.file(sorting).load().filter(|_| (self.is_trusted)())
    }

    /// Writes the arrays of a view to its file, and maps it. `None` if the arrays have to stay in memory.
    pub(super) fn keep(&self, sorting: &Sorting, arrays: &Sections<Array>) -> Option<Sections<Array>> {
        if arrays.bytes() < LEAST_BYTES || !(self.is_trusted)() {
            return None;
        }
        let file = self.file(sorting);
        let kept = file.replace(|file, key| {
            arrays.write(file, key)?;
            if sorting.entry.is_intact() && (self.is_trusted)() {
                Ok(())
            } else {
                Err(io::Error::other("the database was changed while it was sorted"))
            }
        });
        if !(self.is_trusted)() {
            file.remove();
            return None;
        }
        kept.inspect_err(|error| {
            let (name, view) = (sorting.entry.name(), sorting.view.name());
            log::info!(
                "{name}: cannot keep {view}/ in {}: {error}",
                file.path().display()
            );
        })
        .ok()
    }

    /// Removes the file of a view.
    pub(super) fn remove(&self, sorting: &Sorting) {
        self.file(sorting).remove();
    }

    fn file(&self, sorting: &Sorting) -> KeptFile {
        self.files
            .file(KeptKind::Views, &sorting.what(), &[sorting.entry.origin()])
    }
}

/// A directory of one database whose games a combined directory shows.
#[derive(Clone, Copy)]
struct Source {
    part: u32,
    directory: u32,
    /// Number of games that the combined directory shows before these.
    before: u32,
}

/// The sources of all directories of a view. They are made of the databases' own views in a moment,
/// and are not kept for the next mount.
struct SourceLists {
    view: ViewId,
    parts: Arc<[DatabasePart]>,
    databases: Arc<[Arc<IndexedDatabase>]>,
    indexes: Indexes,
    /// For each directory, the index in `sources` of a source that is shown in it or below it. It provides
    /// the name.
    named_by: Vec<u32>,
    /// Index of the first source of each directory. Its sources end where the next directory's begin.
    starts: Vec<u32>,
    sources: Vec<Source>,
    /// The games that are shown; `None` if all games of the sources are.
    listed: Option<Listed>,
}

/// The games of all directories, by their numbers in their databases.
struct Listed {
    /// Index of the first game of each directory.
    starts: Vec<u32>,
    games: Vec<u32>,
}

/// Combines the directories that a view has in each database. Only the games that the branch shows are in them. With
/// `names`, players have these names in the texts of directories.
pub(super) fn combined_view(
    view: &View,
    id: ViewId,
    game_set: &GameSet,
    names: Option<&Arc<Names>>,
) -> ViewIndex {
    let (parts, databases) = (game_set.parts(), game_set.databases());
    let has_list = game_set.is_filtered() || names.is_some();
    let indexes = Indexes::of(view, id, databases, names);
    let index_of = |source: &Source| indexes.of_part(databases, id, source.part);
    let shown = shown(index_of, parts);
    let plan = Plan::new(shown.len() as u32, game_set.threads(), |number, depth| {
        let source = shown.get(number as usize)?;
        let index = index_of(source)?;
        indexes.text(index, above(index, source.directory, depth)?)
    });
    // Sorted by the combined directory. The sources of one directory stay in the order of the databases.
    let mut order: Vec<u32> = (0..shown.len() as u32).collect();
    order.sort_by_key(|&number| plan.leaves.get(number as usize));
    let mut places = vec![0; shown.len()];
    let mut counts = vec![0; plan.directories.len()];
    let mut games = vec![0; plan.directories.len()];
    let mut sources = Vec::with_capacity(shown.len());
    let mut listed = Vec::new();
    // The directory and the database of the last source, and where its games begin in `listed`.
    let mut last = (usize::MAX, 0, 0);
    for number in order {
        let mut source = shown[number as usize];
        let directory = plan.leaves[number as usize] as usize;
        let all = index_of(&source).map_or(Games::NONE, |index| index.games(source.directory));
        let before = games[directory];
        let mut own = all.len();
        let mut is_more = false;
        if has_list {
            let end = listed.len();
            let part = parts.get(source.part as usize);
            listed.extend(all.iter().filter(|&game| part.is_some_and(|part| part.has(game))));
            own = listed.len() - end;
            // Several directories of a database can have one name here; their games are listed in database order.
            is_more = (last.0, last.1) == (directory, source.part);
            last = (directory, source.part, if is_more { last.2 } else { end });
            listed[last.2..].sort_unstable();
        }
        games[directory] += own as u32;
        if !is_more {
            source.before = before;
            counts[directory] += 1;
            sources.push(source);
        }
        places[number as usize] = sources.len() as u32 - 1;
    }
    let named_by = plan.directories.iter().map(|planned| planned.group);
    let named_by = named_by.map(|number| places.get(number as usize).copied().unwrap_or(0));
    let sources = SourceLists {
        view: id,
        parts: Arc::clone(parts),
        databases: Arc::clone(databases),
        indexes,
        named_by: named_by.collect(),
        starts: running_sums(&counts, 0),
        sources,
        listed: has_list.then(|| Listed {
            starts: running_sums(&games, 0),
            games: listed,
        }),
    };
    ViewIndex::with(&plan, Sections::default(), sources, view.nests_merged())
}

/// The directories of the databases that a view combines.
enum Indexes {
    /// The directories of the databases' own views, whose texts are shown as they are.
    Own,
    /// The directories of the databases' views of players, by stored name, shown under the joined names.
    Players(Arc<Names>),
    /// Directories whose texts have the shown names of players.
    Named(Vec<Option<ViewIndex>>),
}

impl Indexes {
    fn of(
        view: &View,
        id: ViewId,
        databases: &[Arc<IndexedDatabase>],
        names: Option<&Arc<Names>>,
    ) -> Indexes {
        let Some(names) = names else {
            return Indexes::Own;
        };
        if view.is_of_players() {
            return Indexes::Players(Arc::clone(names));
        }
        let named = databases.iter().map(|database| database.named_view(id, names));
        Indexes::Named(named.collect())
    }

    fn of_part<'a>(
        &'a self,
        databases: &'a [Arc<IndexedDatabase>],
        id: ViewId,
        part: u32,
    ) -> Option<&'a ViewIndex> {
        match self {
            Indexes::Named(named) => named.get(part as usize)?.as_ref(),
            _ => databases.get(part as usize)?.stored_view(id),
        }
    }

    /// The memory that they take in addition to the databases' own views, in bytes.
    fn bytes(&self) -> usize {
        match self {
            Indexes::Named(named) => named.iter().flatten().map(ViewIndex::bytes).sum(),
            Indexes::Own | Indexes::Players(_) => 0,
        }
    }

    /// The text of a directory of one database's view, with the shown names of players.
    fn text(&self, index: &ViewIndex, directory: u32) -> Option<String> {
        let text = index.text(directory)?;
        Some(match self {
            Indexes::Players(names) => names.shown(text),
            _ => text,
        })
    }
}

/// The directories with games, database by database, each in the order of the first games.
fn shown<'a>(index_of: impl Fn(&Source) -> Option<&'a ViewIndex>, parts: &[DatabasePart]) -> Vec<Source> {
    let mut shown = Vec::new();
    for (number, part) in (0..).zip(parts) {
        let top = Source {
            part: number,
            directory: 0,
            before: 0,
        };
        let Some(index) = index_of(&top) else { continue };
        let mut own: Vec<(u32, u32)> = (0..index.len())
            .filter_map(|directory| {
                let mut games = index.games(directory).after(0);
                let first = games.find(|&game| part.has(game));
                Some((first?, directory))
            })
            .collect();
        own.sort_unstable();
        let source = |(_, directory)| Source { directory, ..top };
        shown.extend(own.into_iter().map(source));
    }
    shown
}

/// The ancestor of a directory at a depth, or the directory itself. `None` if the directory is not that deep.
fn above(index: &ViewIndex, directory: u32, depth: usize) -> Option<u32> {
    let parent = |&directory: &u32| Some(index.parent(directory)).filter(|&parent| parent != 0);
    let to_top = || std::iter::successors(Some(directory).filter(|&directory| directory != 0), parent);
    let own_depth = to_top().count().checked_sub(1)?;
    to_top().nth(own_depth.checked_sub(depth)?)
}

impl SourceLists {
    fn index_of(&self, source: Source) -> Option<&ViewIndex> {
        self.indexes.of_part(&self.databases, self.view, source.part)
    }
}

impl Contents for SourceLists {
    fn text(&self, _: &Arrays, directory: u32, depth: usize) -> Option<String> {
        let place = *self.named_by.get(directory as usize)?;
        let source = *self.sources.get(place as usize)?;
        let index = self.index_of(source)?;
        self.indexes.text(index, above(index, source.directory, depth)?)
    }

    fn named_by(&self, directory: u32) -> Option<usize> {
        let place = *self.named_by.get(directory as usize)?;
        Some(self.sources.get(place as usize)?.part as usize)
    }

    fn bytes(&self) -> usize {
        let listed = self.listed.as_ref();
        let lists = [
            Some(&self.named_by),
            Some(&self.starts),
            listed.map(|listed| &listed.starts),
            listed.map(|listed| &listed.games),
        ];
        let lists: usize = lists.into_iter().flatten().map(|list| size_of_val(&**list)).sum();
        lists + size_of_val(&*self.sources) + self.indexes.bytes()
    }

    fn games<'a>(&'a self, _: &'a Arrays, directory: u32) -> Games<'a> {
        let Range { start, end } = bounds(&self.starts, directory);
        let sources = self.sources.get(start as usize..end as usize);
        Games::in_parts(InParts {
            all: self,
            sources: sources.unwrap_or_default(),
            listed: self.listed.as_ref().map(|listed| {
                let Range { start, end } = bounds(&listed.starts, directory);
                listed.games.get(start as usize..end as usize).unwrap_or_default()
            }),
        })
    }
}

/// Games of a directory of a view that combines directories.
#[derive(Clone, Copy)]
pub struct InParts<'a> {
    all: &'a SourceLists,
    sources: &'a [Source],
    /// The games of all sources; `None` if all games of these directories are shown.
    listed: Option<&'a [u32]>,
}

impl<'a> InParts<'a> {
    /// Number of games.
    pub(super) fn len(self) -> usize {
        match (self.listed, self.sources.split_last()) {
            (Some(listed), _) => listed.len(),
            (None, None) => 0,
            (None, Some((last, before))) => last.before as usize + self.games_of(before.len()).len(),
        }
    }

    /// The nth game, by its number in the branch.
    pub(super) fn get(self, n: usize) -> Option<u32> {
        let after = self.sources.partition_point(|source| source.before as usize <= n);
        let number = after.checked_sub(1)?;
        let source = *self.sources.get(number)?;
        let game = self.games_of(number).get(n - source.before as usize)?;
        Some(self.all.parts.get(source.part as usize)?.first + game)
    }

    /// The index of a game in this list.
    pub(super) fn position(self, game: u32) -> Option<usize> {
        let (part, game) = DatabasePart::place_of(&self.all.parts, game);
        let found = self
            .sources
            .binary_search_by_key(&part, |source| source.part as usize)
            .ok()?;
        let source = *self.sources.get(found)?;
        Some(source.before as usize + self.games_of(found).position(game)?)
    }

    /// The games of each database that contributes some.
    pub(super) fn by_part(self) -> impl Iterator<Item = GamesOfPart<'a>> {
        self.sources
            .iter()
            .enumerate()
            .map(move |(number, source)| GamesOfPart {
                part: source.part as usize,
                games: self.games_of(number),
                own_file: match self.listed {
                    None => Some(Node::merged(self.all.view, source.directory)),
                    Some(_) => None,
                },
            })
    }

    /// The games of a source.
    fn games_of(self, number: usize) -> Games<'a> {
        let Some(&source) = self.sources.get(number) else {
            return Games::NONE;
        };
        match self.listed {
            None => {
                let index = self.all.index_of(source);
                index.map_or(Games::NONE, |index| index.games(source.directory))
            }
            Some(listed) => {
                let next = self.sources.get(number + 1);
                let end = next.map_or(listed.len(), |next| next.before as usize);
                let games = listed.get(source.before as usize..end);
                Games::of(games.unwrap_or_default())
            }
        }
    }
}

/// Where an item's part begins and ends.
fn bounds(starts: &[u32], n: u32) -> Range<u32> {
    let n = n as usize;
    match (starts.get(n), starts.get(n + 1)) {
        (Some(&start), Some(&end)) => start..end,
        _ => 0..0,
    }
}
