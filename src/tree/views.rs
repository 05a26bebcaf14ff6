//! The views: every way to sort the games of a database, one row each, and those that users describe.

use std::sync::Arc;

use super::names::{canonical_text, event_and_year};
use super::own_view::OwnView;
use chessdb::formats::{Database, Keys, TextId};
use chessdb::game::Eco;

/// A way to sort games into directories. Games marked as deleted are in no view.
#[derive(Clone)]
pub enum View {
    /// A row of [`VIEWS`].
    BuiltIn(&'static BuiltInView),
    /// A template of the user's.
    Own(Arc<OwnView>),
}

/// A view that every tree has.
pub struct BuiltInView {
    /// Name of its directory, in the database's and in `merged/`.
    pub name: &'static str,
    /// Gives the groups that a game belongs to: any number of different ones.
    pub groups: fn(&Keys, each: &mut dyn FnMut(Group)),
    /// The text that a group's directory has at a depth below the view's, and none below its last one, which
    /// holds the games. Groups of equal texts are one directory. The last texts of two directories must differ,
    /// because merged files stand side by side. A directory can hold games and directories: the texts of these must
    /// not look like names of games.
    pub text: fn(&dyn Database, Group, depth: usize) -> Option<String>,
}

/// The views of every tree, in the order of their inode numbers: new rows go to the end.
pub static VIEWS: &[BuiltInView] = &[
    BuiltInView {
        name: "players",
        groups: |keys, each| {
            let white = Group::of_text(keys.white, 0);
            let black = Group::of_text(keys.black, 0);
            each(white);
            if black != white {
                each(black);
            }
        },
        text: |database, group, depth| match depth {
            0 => Some(canonical_text(database, group.text())),
            _ => None,
        },
    },
    BuiltInView {
        name: "events",
        groups: |keys, each| each(Group::of_text(keys.event, keys.year_of_event())),
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
        groups: |keys, each| each(Group(u64::from(keys.date.year))),
        text: |_, Group(year), depth| match (depth, year) {
            (0, 0) => Some("?".to_owned()),
            (0, year) => Some(format!("{year:04}")),
            _ => None,
        },
    },
    BuiltInView {
        name: "eco",
        groups: |keys, each| each(Group::of_eco(keys.eco)),
        text: |_, group, depth| match (depth, group.eco()) {
            (0, None) => Some("?".to_owned()),
            (0, Some(eco)) => eco.as_str().get(..1).map(str::to_owned),
            (1, Some(eco)) => Some(eco.as_str().to_owned()),
            _ => None,
        },
    },
];

impl View {
    /// Name of its directory, in the database's and in `merged/`.
    pub fn name(&self) -> &str {
        match self {
            View::BuiltIn(view) => view.name,
            View::Own(view) => &view.name,
        }
    }

    /// The text that a group's directory has at a depth, see [`BuiltInView::text`].
    pub fn text(&self, database: &dyn Database, group: Group, depth: usize) -> Option<String> {
        match self {
            View::BuiltIn(view) => (view.text)(database, group, depth),
            View::Own(view) => view.text(database, group, depth),
        }
    }

    /// The number of directories in which a game stands.
    pub fn directories(&self, database: &dyn Database, game: u32, keys: &Keys) -> u32 {
        let each_group = |each: &mut dyn FnMut(Group)| match self {
            View::BuiltIn(view) => (view.groups)(keys, each),
            View::Own(view) => view.each_group(game, each),
        };
        let path = |group| (0..).map_while(move |depth| self.text(database, group, depth));
        let mut directories = 0;
        each_group(&mut |group| {
            // Different groups may be one directory, which counts with the first of them.
            let (mut is_earlier, mut is_new) = (true, true);
            each_group(&mut |other| {
                is_earlier &= other != group;
                is_new &= !is_earlier || !path(group).eq(path(other));
            });
            directories += u32::from(is_new);
        });
        directories
    }

    /// True where merged files stand in directories as the games do. Else they stand side by side.
    pub fn nests_merged(&self) -> bool {
        matches!(self, View::Own(view) if view.depth() > 1)
    }
}

/// What a view sorts a game by, packed by the view's own rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group(pub u64);

impl Group {
    fn of_text(id: TextId, year: u16) -> Group {
        Group(u64::from(year) << 32 | u64::from(id.0))
    }

    fn text(self) -> TextId {
        TextId((self.0 & 0xffff_ffff) as u32)
    }

    fn year(self) -> u16 {
        (self.0 >> 32 & 0xffff) as u16
    }

    fn of_eco(eco: Option<Eco>) -> Group {
        let code = eco
            .as_ref()
            .and_then(|eco| eco.as_str().as_bytes().first_chunk::<3>());
        let [a, b, c] = code.copied().unwrap_or_default();
        Group(u64::from(u32::from_be_bytes([0, a, b, c])))
    }

    fn eco(self) -> Option<Eco> {
        let [.., a, b, c] = self.0.to_be_bytes();
        Eco::new([a, b, c])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_codes_fit_into_a_group() {
        let eco = Eco::new(*b"B97");
        assert_eq!(Group::of_eco(eco).eco(), eco);
        assert_eq!(Group::of_eco(None).eco(), None);
    }
}
