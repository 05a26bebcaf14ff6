//! The directories of a view of several databases, or of some games. Each combines directories of single databases.

use std::ops::Range;
use std::sync::Arc;

use super::arrays::Arrays;
use super::branch::GameSet;
use super::entries::running_sums;
use super::games::{Games, GamesOfPart};
use super::index::{Contents, ViewIndex};
use super::indexed_database::IndexedDatabase;
use super::inode::{Node, ViewId};
use super::plan::Plan;
use super::views::View;
use chessdb_library::kept::Sections;
use chessdb_library::positions::DatabasePart;
use chessdb_library::spelling::Names;

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
    /// Index of the first source of each directory. Its sources end where those of the next directory begin.
    starts: Vec<u32>,
    sources: Vec<Source>,
    /// The games, if these are not all games of the sources.
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
    /// Those of the databases' own views, whose texts are shown as they are.
    Own,
    /// Those of the databases' views of players as they are stored, each of which is shown under one of these names.
    Players(Arc<Names>),
    /// Directories in whose texts players have the names under which they are shown.
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

    /// The memory that they take beside the databases' own views, in bytes.
    fn bytes(&self) -> usize {
        match self {
            Indexes::Named(named) => named.iter().flatten().map(ViewIndex::bytes).sum(),
            Indexes::Own | Indexes::Players(_) => 0,
        }
    }

    /// The text that a directory of one of them has among all.
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
    /// The games of all sources, if these are not all of theirs.
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
