//! Views that the user defines by a template.

use super::group::Group;
use super::names::canonical;
use super::template::{Field, TemplateError, TemplateGame, TemplatePart, parse};
use chessdb::game::{Date, Outcome};
use chessdb::{Database, Keys, TextId};
use chessdb_library::library::digits;
use chessdb_library::spelling::Names;

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

/// What distinguishes a group from others: the values of a game that the template uses.
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

    /// Calls `each` with the groups of a game: one for each player if the template contains a player, else
    /// one.
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
            // A directory whose only part is unknown is named `unknown`, and differs from one whose text is
            // `unknown`.
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
}
