//! The views: every way to sort the games of a database, one row each.

use std::borrow::Cow;

use super::inode::ViewId;
use super::names::{canonical, canonical_text};
use crate::formats::{Database, Keys, TextId};
use crate::game::Eco;

/// A way to sort games into directories. Games marked as deleted are in no view.
pub struct View {
    /// Name of its directory, in the database's and in `merged/`.
    pub name: &'static str,
    /// The groups that a game belongs to: at most two, different ones.
    pub groups: fn(&Keys) -> [Option<Group>; 2],
    /// The text that a group's directory has at a depth below the view's, and none below its last one, which
    /// holds the games. Groups of equal texts are one directory. The last texts of two directories must differ,
    /// because merged files stand side by side.
    pub text: fn(&dyn Database, Group, depth: usize) -> Option<Cow<'_, str>>,
}

/// All views, in the order of their inode numbers: new rows go to the end.
pub static VIEWS: &[View] = &[
    View {
        name: "players",
        groups: |keys| {
            let white = Group::of_text(keys.white, 0);
            let black = Group::of_text(keys.black, 0);
            [Some(white), (white != black).then_some(black)]
        },
        text: |database, group, depth| match depth {
            0 => Some(canonical_text(database, group.text())),
            _ => None,
        },
    },
    View {
        name: "events",
        groups: |keys| {
            let year = match keys.event_year {
                0 => keys.date.year,
                year => year,
            };
            [Some(Group::of_text(keys.event, year)), None]
        },
        text: |database, group, depth| match depth {
            0 => Some(event_and_year(
                canonical_text(database, group.text()),
                group.year(),
            )),
            _ => None,
        },
    },
    View {
        name: "years",
        groups: |keys| [Some(Group(u64::from(keys.date.year))), None],
        text: |_, Group(year), depth| match (depth, year) {
            (0, 0) => Some(Cow::Borrowed("?")),
            (0, year) => Some(Cow::Owned(format!("{year:04}"))),
            _ => None,
        },
    },
    View {
        name: "eco",
        groups: |keys| [Some(Group::of_eco(keys.eco)), None],
        text: |_, group, depth| match (depth, group.eco()) {
            (0, None) => Some(Cow::Borrowed("?")),
            (0, Some(eco)) => eco.as_str().get(..1).map(|letter| Cow::Owned(letter.to_owned())),
            (1, Some(eco)) => Some(Cow::Owned(eco.as_str().to_owned())),
            _ => None,
        },
    },
];

impl View {
    /// All views with their ids.
    pub fn all() -> impl Iterator<Item = (ViewId, &'static View)> {
        (0..).map(ViewId).zip(VIEWS)
    }

    /// The view of an id.
    pub fn of(id: ViewId) -> Option<&'static View> {
        VIEWS.get(usize::from(id.0))
    }

    /// The number of directories in which a game stands.
    pub fn directories(&self, database: &dyn Database, keys: &Keys) -> u32 {
        let path = |group| (0..).map_while(move |depth| (self.text)(database, group, depth));
        match (self.groups)(keys) {
            [Some(a), Some(b)] if path(a).eq(path(b)) => 1,
            groups => groups.iter().flatten().count() as u32,
        }
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

/// `Linares 1993`: the year is left out where it is unknown or the event's name has it already.
fn event_and_year(event: Cow<'_, str>, year: u16) -> Cow<'_, str> {
    if year == 0 {
        return event;
    }
    let year = format!("{year:04}");
    match event.as_ref() {
        "?" => Cow::Owned(format!("unknown {year}")),
        text if text.contains(&year) => event,
        text => canonical(Cow::Owned(format!("{text} {year}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_year_once() {
        let name = |event, year| event_and_year(Cow::Borrowed(event), year).into_owned();
        assert_eq!(name("Linares", 1993), "Linares 1993");
        assert_eq!(name("Linares 1993", 1993), "Linares 1993");
        assert_eq!(name("Linares 1993", 1994), "Linares 1993 1994");
        assert_eq!(name("Linares", 0), "Linares");
        assert_eq!(name("?", 1993), "unknown 1993");
        assert_eq!(name("?", 0), "?");
    }

    #[test]
    fn opening_codes_fit_into_a_group() {
        let eco = Eco::new(*b"B97");
        assert_eq!(Group::of_eco(eco).eco(), eco);
        assert_eq!(Group::of_eco(None).eco(), None);
    }
}
