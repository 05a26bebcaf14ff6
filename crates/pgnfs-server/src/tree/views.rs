//! The views: built-in ways to sort the games of a database, one row each, and views that users describe.

use std::sync::Arc;

use super::names::{canonical, canonical_text, event_and_year, shown};
use super::template::{Field, TemplateError, TemplateGame, TemplatePart, parse};
use chessdb::game::{Date, Eco, Outcome};
use chessdb::{Database, Keys, TextId};
use chessdb_library::library::{LibraryEntry, digits};
use chessdb_library::lines::PieceTally;
use chessdb_library::positions::LineEnds;
use chessdb_library::spelling::{Names, Spelling};

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
    /// The values that the view sorts games by.
    pub by: By,
    /// The text of a group's directory at a depth below the view's directory; `None` below the group's last directory,
    /// which holds the games. Groups with the same texts share a directory. The last texts of two directories must
    /// differ, because merged files are all in one directory. A directory can hold both games and directories, so texts
    /// must not look like names of games.
    pub text: fn(&dyn Database, Group, depth: usize) -> Option<String>,
}

/// The values that a built-in view sorts games by.
#[derive(Clone, Copy)]
pub enum By {
    /// Calls `each` with the groups of a game: any number of different ones, each time in the same order.
    Keys(fn(&Keys, each: &mut dyn FnMut(Group))),
    /// The pieces at the end. Each game has one group; finding it requires decoding the moves.
    LastMaterial,
    /// The ECO code, from the moves where the tag is missing. Each game has one group; finding it may require decoding the
    /// moves.
    OpeningCode,
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
        text: |_, group, depth| eco_text(group, depth),
    },
    BuiltInView {
        name: "material",
        by: By::LastMaterial,
        text: |_, Group(counts), depth| match depth {
            0 => Some(PieceTally::of_bits(counts).name()),
            _ => None,
        },
    },
];

/// The view that takes the place of `eco` if games without the tag are sorted by their moves.
pub(super) static ECO_BY_MOVES: BuiltInView = BuiltInView {
    name: "eco",
    by: By::OpeningCode,
    text: |_, group, depth| eco_text(group, depth),
};

/// The letter of a code, and the code below it.
fn eco_text(group: Group, depth: usize) -> Option<String> {
    match (depth, group.eco()) {
        (0, None) => Some("?".to_owned()),
        (0, Some(eco)) => eco.as_str().get(..1).map(str::to_owned),
        (1, Some(eco)) => Some(eco.as_str().to_owned()),
        _ => None,
    }
}

impl By {
    /// True if the value of a group is the same however the files were read, so that it serves as its mark.
    fn has_lasting_groups(self) -> bool {
        matches!(self, By::LastMaterial | By::OpeningCode)
    }
}

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

    /// A text that no other view has.
    pub(super) fn key(&self) -> String {
        match self {
            View::BuiltIn(BuiltInView {
                name,
                by: By::OpeningCode,
                ..
            }) => format!("{name} by moves"),
            View::BuiltIn(view) => view.name.to_owned(),
            View::Own(view) => format!("{view:?}"),
        }
    }

    /// A mark from which [`View::group`] restores the nth group of this game, also after the database was opened again.
    /// The group itself cannot be stored, because ids of texts may depend on how the files were read.
    pub(super) fn mark(&self, game: u32, nth: u32, group: Group) -> u64 {
        match self {
            View::BuiltIn(view) if view.by.has_lasting_groups() => group.0,
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
                By::LastMaterial | By::OpeningCode => return Some(Group(mark)),
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
                By::LastMaterial | By::OpeningCode => each(Group(0)),
            },
            View::Own(view) => view.each_group(game, each),
        };
        let path = |group| (0..).map_while(move |depth| self.text(database, None, group, depth));
        let mut directories = 0;
        each_group(&mut |group| {
            // Different groups may share a directory. It counts for the first of them.
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

/// A user-defined view such as `%{white}/%{year}`, with one level of directories for each part between
/// slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateView {
    /// Name of its directories in the database's directory and in `merged/`.
    pub(super) name: String,
    levels: Vec<Vec<TemplatePart>>,
    /// The fields used at any level.
    fields: Vec<Field>,
}

/// The identity of a group: the values of a game that the template uses.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct GroupKey {
    keys: Keys,
    game: u32,
    is_black: bool,
    tags: Vec<String>,
}

impl TemplateView {
    /// Parses a template.
    ///
    /// # Errors
    /// If the template is invalid.
    pub(super) fn parse(name: &str, template: &str) -> Result<TemplateView, TemplateError> {
        let mut levels: Vec<Vec<TemplatePart>> = Vec::new();
        let mut start = 0;
        for level in template.split('/') {
            let parts = parse(template, start..start + level.len())?;
            let parts: Vec<TemplatePart> = parts.into_iter().map(|(_, part)| part).collect();
            let is_no_name = |name: &str| matches!(name, "." | "..");
            match parts.as_slice() {
                [] => {
                    let what = "a directory without a name: put slashes only between names";
                    return Err(TemplateError::new(template, start, what));
                }
                [TemplatePart::Text(text)] if is_no_name(text) => {
                    let what = format!("no directory can be called '{text}'");
                    return Err(TemplateError::new(template, start, what));
                }
                _ => levels.push(parts),
            }
            start += level.len() + 1;
        }
        let mut fields = Vec::new();
        for part in levels.iter().flatten() {
            match part {
                TemplatePart::Value(field, _) | TemplatePart::Initials(field, _)
                    if !fields.contains(field) =>
                {
                    fields.push(field.clone());
                }
                _ => {}
            }
        }
        Ok(TemplateView {
            name: name.to_owned(),
            levels,
            fields,
        })
    }

    /// Number of nested levels, without the view's own directory.
    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    fn has_player(&self) -> bool {
        self.fields.contains(&Field::Player) || self.fields.contains(&Field::Opponent)
    }

    /// True if names of players are in names of directories.
    pub(super) fn names_players(&self) -> bool {
        let mut players = [Field::White, Field::Black].iter();
        self.has_player() || players.any(|field| self.fields.contains(field))
    }

    /// Calls `each` with the groups of a game: one for each player if the template contains a player, otherwise one.
    pub(super) fn each_group(&self, game: u32, each: &mut dyn FnMut(Group)) {
        each(group(game, false));
        if self.has_player() {
            each(group(game, true));
        }
    }

    /// The text of a group's directory at a depth; see [`super::views::View::text`].
    pub(super) fn text(
        &self,
        database: &dyn Database,
        names: Option<&Names>,
        group: Group,
        depth: usize,
    ) -> Option<String> {
        let level = self.levels.get(depth)?;
        let (game, is_black) = game_and_player(group);
        let mut facts = TemplateGame::new(database, game, database.keys(game), digits(database.len()));
        facts.is_black = is_black;
        facts.names = names;
        if let [part @ (TemplatePart::Value(..) | TemplatePart::Initials(..))] = level.as_slice() {
            // If the only part of a directory's name is unknown, it is named `unknown`. It is not the same as a
            // directory with the text `unknown`.
            return Some(facts.part(part).unwrap_or_else(|| "?".to_owned()));
        }
        let mut text = String::new();
        for part in level {
            match (facts.part(part), part) {
                (Some(known), _) => text.push_str(&known),
                (None, TemplatePart::Value(field, first)) => text.push_str(field.unknown(*first)),
                (None, TemplatePart::Initials(field, _)) => text.push_str(field.unknown(None)),
                (None, TemplatePart::Text(_)) => {}
            }
        }
        Some(canonical(text.into()).into_owned())
    }

    /// The key of a group. Its first game represents the group.
    pub(super) fn key(&self, database: &dyn Database, keys: &Keys, group: Group) -> GroupKey {
        let (game, is_black) = game_and_player(group);
        let facts = TemplateGame::new(database, game, *keys, 0);
        let mut key = GroupKey {
            keys: Keys {
                white: TextId(0),
                black: TextId(0),
                event: TextId(0),
                date: Date::default(),
                event_year: 0,
                eco: None,
                outcome: Outcome::Unknown,
                deleted: false,
            },
            game: 0,
            is_black,
            tags: Vec::new(),
        };
        for field in &self.fields {
            match (field, is_black) {
                (Field::White, _) | (Field::Player, false) | (Field::Opponent, true) => {
                    key.keys.white = keys.white;
                }
                (Field::Black, _) | (Field::Player, true) | (Field::Opponent, false) => {
                    key.keys.black = keys.black;
                }
                (Field::Event, _) => key.keys.event = keys.event,
                (Field::Tournament, _) => {
                    key.keys.event = keys.event;
                    key.keys.event_year = keys.year_of_event();
                }
                (Field::EventYear, _) => key.keys.event_year = keys.year_of_event(),
                (Field::Date, _) => key.keys.date = keys.date,
                (Field::Year, _) => key.keys.date.year = keys.date.year,
                (Field::Month, _) => key.keys.date.month = keys.date.month,
                (Field::Day, _) => key.keys.date.day = keys.date.day,
                (Field::Eco, _) => key.keys.eco = keys.eco,
                (Field::Result, _) => key.keys.outcome = keys.outcome,
                (Field::Number, _) => key.game = game,
                (Field::Tag(_), _) => key.tags.push(facts.value(field).unwrap_or_default()),
            }
        }
        key
    }
}

/// A game, and whether its player is Black.
fn group(game: u32, is_black: bool) -> Group {
    Group(u64::from(is_black) << 32 | u64::from(game))
}

fn game_and_player(Group(group): Group) -> (u32, bool) {
    ((group & 0xffff_ffff) as u32, group >> 32 != 0)
}

/// The value that a view sorts a game by, packed by the view's own rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group(pub u64);

impl Group {
    pub(super) fn of_text(id: TextId, year: u16) -> Group {
        Group(u64::from(year) << 32 | u64::from(id.0))
    }

    pub(super) fn text(self) -> TextId {
        TextId((self.0 & 0xffff_ffff) as u32)
    }

    pub(super) fn year(self) -> u16 {
        (self.0 >> 32 & 0xffff) as u16
    }

    pub(super) fn of_eco(eco: Option<Eco>) -> Group {
        let code = eco
            .as_ref()
            .and_then(|eco| eco.as_str().as_bytes().first_chunk::<3>());
        let [a, b, c] = code.copied().unwrap_or_default();
        Group(u64::from(u32::from_be_bytes([0, a, b, c])))
    }

    pub(super) fn eco(self) -> Option<Eco> {
        let [.., a, b, c] = self.0.to_be_bytes();
        Eco::new([a, b, c])
    }
}

/// A view of a database, and everything that determines its directories.
pub(super) struct Sorting {
    pub(super) view: View,
    pub(super) entry: Arc<LibraryEntry>,
    pub(super) spelling: Spelling,
    pub(super) line_ends: Arc<LineEnds>,
    /// Maximum number of threads.
    pub(super) threads: usize,
}

impl Sorting {
    /// Everything that determines the arrays of the view, apart from the database.
    pub(super) fn what(&self) -> String {
        let (view, spelling) = (self.view.key(), self.spelling.key());
        if self.view.names_players() {
            format!("{view} {spelling}")
        } else {
            view
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_stand_between_directories() {
        let view = TemplateView::parse("v", "by %{white:1}/%{white}/%{year}").unwrap();
        assert_eq!(view.depth(), 3);
        assert_eq!(view.fields, [Field::White, Field::Year]);
        assert!(!view.has_player());
        for (template, at) in [
            ("", 1),
            ("/%{white}", 1),
            ("%{white}/", 10),
            ("é//a", 3),
            ("%{year}/..", 9),
            ("%{tag:A/B}", 1),
            ("%{year}/%{x}", 9),
        ] {
            assert_eq!(
                TemplateView::parse("v", template).unwrap_err().at,
                at,
                "{template}"
            );
        }
    }

    #[test]
    fn opening_codes_fit_into_a_group() {
        let eco = Eco::new(*b"B97");
        assert_eq!(Group::of_eco(eco).eco(), eco);
        assert_eq!(Group::of_eco(None).eco(), None);
    }
}
