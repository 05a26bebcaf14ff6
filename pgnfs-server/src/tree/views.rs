//! The views: built-in ways to sort the games of a database, one row each, and views that users describe.

use std::sync::Arc;

use super::group::Group;
use super::names::{canonical_text, event_and_year, shown};
use super::own_view::TemplateView;
use chessdb::{Database, Keys};
use chessdb_library::positions::PieceCounts;
use chessdb_library::spelling::Names;

/// A way to sort games into directories. Games marked as deleted are in no view.
#[derive(Clone)]
pub enum View {
    /// A row of [`VIEWS`].
    BuiltIn(&'static BuiltInView),
    /// A view from a user's template.
    Own(Arc<TemplateView>),
}

/// A view that every tree has.
pub struct BuiltInView {
    /// Name of the view's directory, both in the database's directory and in `merged/`.
    pub name: &'static str,
    /// What the view sorts games by.
    pub by: By,
    /// The text of a group's directory at a depth below the view's directory; `None` below the group's last
    /// directory, which holds the games. Groups with equal texts share a directory. The last texts of two
    /// directories must differ, because merged files are all in one directory. A directory can hold both
    /// games and directories, so texts must not look like names of games.
    pub text: fn(&dyn Database, Group, depth: usize) -> Option<String>,
}

/// What a built-in view sorts games by.
#[derive(Clone, Copy)]
pub enum By {
    /// Calls `each` with the groups of a game: any number of different ones, each time in the same order.
    Keys(fn(&Keys, each: &mut dyn FnMut(Group))),
    /// The pieces at the end. Each game has one group; finding it requires decoding the moves.
    LastMaterial,
}

/// The views of every tree, in the order of their inode numbers: new rows go to the end.
pub static VIEWS: &[BuiltInView] = &[
    BuiltInView {
        name: "players",
        by: By::Keys(|keys, each| {
            let white = Group::of_text(keys.white, 0);
            let black = Group::of_text(keys.black, 0);
            each(white);
            if black != white {
                each(black);
            }
        }),
        text: |database, group, depth| match depth {
            0 => Some(canonical_text(database, group.text())),
            _ => None,
        },
    },
    BuiltInView {
        name: "events",
        by: By::Keys(|keys, each| each(Group::of_text(keys.event, keys.year_of_event()))),
        text: |database, group, depth| match depth {
            0 => Some(event_and_year(
                canonical_text(database, group.text()),
                group.year(),
            )),
            _ => None,
        },
    },
    BuiltInView {
        name: "years",
        by: By::Keys(|keys, each| each(Group(u64::from(keys.date.year)))),
        text: |_, Group(year), depth| match (depth, year) {
            (0, 0) => Some("?".to_owned()),
            (0, year) => Some(format!("{year:04}")),
            _ => None,
        },
    },
    BuiltInView {
        name: "eco",
        by: By::Keys(|keys, each| each(Group::of_eco(keys.eco))),
        text: |_, group, depth| match (depth, group.eco()) {
            (0, None) => Some("?".to_owned()),
            (0, Some(eco)) => eco.as_str().get(..1).map(str::to_owned),
            (1, Some(eco)) => Some(eco.as_str().to_owned()),
            _ => None,
        },
    },
    BuiltInView {
        name: "material",
        by: By::LastMaterial,
        text: |_, Group(counts), depth| match depth {
            0 => Some(PieceCounts(counts).name()),
            _ => None,
        },
    },
];

impl View {
    /// Name of the view's directory, both in the database's directory and in `merged/`.
    pub fn name(&self) -> &str {
        match self {
            View::BuiltIn(view) => view.name,
            View::Own(view) => &view.name,
        }
    }

    /// The text that a group's directory has at a depth, see [`BuiltInView::text`]. With `names`, players are shown
    /// under these.
    pub fn text(
        &self,
        database: &dyn Database,
        names: Option<&Names>,
        group: Group,
        depth: usize,
    ) -> Option<String> {
        match self {
            View::BuiltIn(view) => {
                let names = names.filter(|_| self.names_players());
                Some(shown(names, (view.text)(database, group, depth)?))
            }
            View::Own(view) => view.text(database, names, group, depth),
        }
    }

    /// What tells the view from all others.
    pub(super) fn key(&self) -> String {
        match self {
            View::BuiltIn(view) => view.name.to_owned(),
            View::Own(view) => format!("{view:?}"),
        }
    }

    /// A mark by which [`View::group`] finds a group again, also after the database was opened again. Its own value
    /// does not serve for that: ids of texts may depend on how the files were read. The group is the nth of this game.
    pub(super) fn mark(&self, game: u32, nth: u32, group: Group) -> u64 {
        match self {
            View::BuiltIn(BuiltInView {
                by: By::LastMaterial, ..
            }) => group.0,
            _ => u64::from(nth) << 32 | u64::from(game),
        }
    }

    /// The group with a mark.
    pub(super) fn group(&self, database: &dyn Database, mark: u64) -> Option<Group> {
        let (game, nth) = ((mark & 0xffff_ffff) as u32, mark >> 32);
        let (mut met, mut found) = (0, None);
        let each = &mut |group| {
            found = found.or((met == nth).then_some(group));
            met += 1;
        };
        match self {
            View::BuiltIn(view) => match view.by {
                By::Keys(groups) => groups(&database.keys(game), each),
                By::LastMaterial => return Some(Group(mark)),
            },
            View::Own(view) => view.each_group(game, each),
        }
        found
    }

    /// The number of directories that contain a game, by the names of players as they are stored.
    pub fn directories(&self, database: &dyn Database, game: u32, keys: &Keys) -> u32 {
        let each_group = |each: &mut dyn FnMut(Group)| match self {
            View::BuiltIn(view) => match view.by {
                By::Keys(groups) => groups(keys, each),
                // Any group will do: each game has exactly one.
                By::LastMaterial => each(Group(0)),
            },
            View::Own(view) => view.each_group(game, each),
        };
        let path = |group| (0..).map_while(move |depth| self.text(database, None, group, depth));
        let mut directories = 0;
        each_group(&mut |group| {
            // Different groups may share a directory, which is counted for the first of them.
            let (mut is_earlier, mut is_new) = (true, true);
            each_group(&mut |other| {
                is_earlier &= other != group;
                is_new &= !is_earlier || !path(group).eq(path(other));
            });
            directories += u32::from(is_new);
        });
        directories
    }

    /// True for the view whose directories are players.
    pub fn is_of_players(&self) -> bool {
        matches!(self, View::BuiltIn(view) if view.name == "players")
    }

    /// True if names of players are in names of directories.
    pub fn names_players(&self) -> bool {
        match self {
            View::BuiltIn(_) => self.is_of_players(),
            View::Own(view) => view.names_players(),
        }
    }

    /// True if merged files are in subdirectories like the games. Otherwise they are all in one directory.
    pub fn nests_merged(&self) -> bool {
        matches!(self, View::Own(view) if view.depth() > 1)
    }
}
