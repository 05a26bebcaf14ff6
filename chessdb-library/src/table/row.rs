//! A game as a row, and the forms of its fields.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::io::Write;

use super::columns::Column;
use super::moves::RowMoves;
use super::opening::opening;
use crate::library::{BLOCK, block_name, numbered_game_name};
use crate::library::{LibraryEntry, tags_of};
use crate::spelling::Names;
use chessdb::game::{ROSTER, Tags};

/// The value of an unknown field in `games.ndjson`.
pub const NULL: &[u8] = b"null";

/// The game of a row, and data for its path.
#[derive(Clone, Copy)]
pub struct GamePath<'a> {
    /// The path of the database's directory, for a table of several databases.
    pub database: &'a str,
    /// Prefix of the game's path: `database` followed by a slash, or empty if paths begin in that directory.
    pub folder: &'a str,
    /// The game.
    pub game: u32,
    /// Number of digits in the numbers of games.
    pub digits: usize,
}

/// A game as a row.
pub struct GameRow<'a> {
    entry: &'a LibraryEntry,
    place: GamePath<'a>,
    tags: Tags,
    moves: OnceCell<RowMoves>,
}

/// A known value of a field.
pub enum Value<'a> {
    /// A text without control characters.
    Text(Cow<'a, str>),
    /// A number.
    Number(i64),
}

impl<'a> GameRow<'a> {
    /// Reads the tags of a game. Its moves are decoded when they are first needed.
    pub fn new(entry: &'a LibraryEntry, place: GamePath<'a>) -> GameRow<'a> {
        GameRow {
            tags: tags_of(&*entry.database, place.game),
            entry,
            place,
            moves: OnceCell::new(),
        }
    }

    /// With the names under which players are shown.
    pub fn with_names(mut self, names: Option<&Names>) -> GameRow<'a> {
        respell_players(&mut self.tags, names);
        self
    }

    /// The value in a column; `None` if it is unknown.
    pub fn value(&self, column: &Column) -> Option<Value<'_>> {
        let text = |text: &'_ str| Some(Value::Text(Cow::Owned(text.to_owned())));
        match column {
            Column::Database => Some(Value::Text(self.place.database.into())),
            Column::Number => Some(Value::Number(i64::from(self.place.game) + 1)),
            Column::Path => text(&self.path()),
            Column::Tag(name) => self.tag(name).map(Value::Text),
            Column::Year => self.date_part(0..4),
            Column::Month => self.date_part(5..7),
            Column::Day => self.date_part(8..10),
            Column::WhiteElo => self.rating("WhiteElo"),
            Column::BlackElo => self.rating("BlackElo"),
            Column::Opening => self
                .tags
                .get("ECO")
                .and_then(opening)
                .map(|name| Value::Text(name.into())),
            Column::Plies => Some(Value::Number(self.moves().plies() as i64)),
            Column::Moves => Some(Value::Text(self.moves().san().into())),
            Column::Uci => Some(Value::Text(self.moves().uci().into())),
            Column::FinalFen => self.moves().final_fen().map(|fen| Value::Text(fen.into())),
        }
    }

    /// The value of a tag; `None` if it is unknown.
    pub fn tag(&self, name: &str) -> Option<Cow<'_, str>> {
        self.tags.get(name).and_then(known)
    }

    fn moves(&self) -> &RowMoves {
        self.moves
            .get_or_init(|| RowMoves::of(&*self.entry.database, self.place.game, &self.tags))
    }

    fn path(&self) -> String {
        let mut path = self.place.folder.as_bytes().to_vec();
        append_path(&mut path, self.place.game, self.place.digits);
        String::from_utf8(path).unwrap_or_default()
    }

    fn date_part(&self, place: std::ops::Range<usize>) -> Option<Value<'_>> {
        let number: i64 = self.tags.get("Date")?.get(place)?.parse().ok()?;
        (number > 0).then_some(Value::Number(number))
    }

    fn rating(&self, tag: &str) -> Option<Value<'_>> {
        let number: i16 = self.tags.get(tag)?.trim().parse().ok()?;
        (number > 0).then_some(Value::Number(number.into()))
    }
}

/// Replaces the names of players by those under which they are shown.
pub fn respell_players(tags: &mut Tags, names: Option<&Names>) {
    let Some(names) = names else { return };
    for color in ["White", "Black"] {
        if let Some(shown) = tags.get(color).and_then(|stored| names.other(stored)) {
            tags.set_str(color, shown);
        }
    }
}

/// The names of tags outside the roster with known values.
pub fn further_tags(tags: &Tags) -> impl Iterator<Item = &str> {
    let further = tags.iter().skip(ROSTER.len());
    further.filter_map(|(name, value)| known(value).map(|_| name))
}

/// The value of a tag without control characters, which PGN omits as well. `None` if the value means unknown.
pub fn known(value: &str) -> Option<Cow<'_, str>> {
    // In UTF-8, control characters are of ASCII or begin with 0xc2.
    let value = if value.bytes().any(|c| c.is_ascii_control() || c == 0xc2) {
        Cow::Owned(value.replace(char::is_control, ""))
    } else {
        Cow::Borrowed(value)
    };
    (!matches!(value.as_ref(), "" | "?" | "????.??.??")).then_some(value)
}

/// Appends a string of JSON.
pub fn append_string(out: &mut Vec<u8>, text: &str) {
    // Writing to a vector cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// Appends the number of a game.
pub fn append_number(out: &mut Vec<u8>, game: u32) {
    let _ = write!(out, "{}", u64::from(game) + 1);
}

/// Appends the path of the game relative to the database's directory.
pub fn append_path(out: &mut Vec<u8>, game: u32, digits: usize) {
    let (block, name) = (block_name(game / BLOCK, digits), numbered_game_name(game, digits));
    let _ = write!(out, "games/{block}/{name}");
}
