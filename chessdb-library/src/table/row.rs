//! A game as a row, and the forms of its fields.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::columns::Column;
use super::moves::RowMoves;
use super::opening::opening;
use crate::csv::field_len;
use crate::library::{LibraryEntry, append_game_path, tags_of};
use crate::spelling::Names;
use chessdb::game::{ROSTER, Tags, rating};

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

impl GamePath<'_> {
    /// The game's path.
    pub fn path(&self) -> String {
        let mut path = String::with_capacity(self.folder.len() + 64);
        path.push_str(self.folder);
        append_game_path(&mut path, self.game, self.digits);
        path
    }
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
        match column {
            Column::Database => Some(Value::Text(self.place.database.into())),
            Column::Number => Some(Value::Number(i64::from(self.place.game) + 1)),
            Column::Path => Some(Value::Text(self.place.path().into())),
            Column::Tag(tag) => self.tags.find(tag).and_then(known).map(Value::Text),
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

    fn date_part(&self, place: std::ops::Range<usize>) -> Option<Value<'_>> {
        let number: i64 = self.tags.get("Date")?.get(place)?.parse().ok()?;
        (number > 0).then_some(Value::Number(number))
    }

    fn rating(&self, tag: &str) -> Option<Value<'_>> {
        let rating = self.tags.get(tag).and_then(rating)?;
        Some(Value::Number(rating.into()))
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
    if is_plain(value) {
        return Some(Cow::Borrowed(value));
    }
    // In UTF-8, control characters are of ASCII or begin with 0xc2.
    let value = if value.bytes().any(|c| c.is_ascii_control() || c == 0xc2) {
        Cow::Owned(value.replace(char::is_control, ""))
    } else {
        Cow::Borrowed(value)
    };
    (!matches!(value.as_ref(), "" | "?" | "????.??.??")).then_some(value)
}

/// Lengths of a value as a field of `games.csv` and as a string in `games.ndjson`; `None` if it means unknown.
pub fn field_lengths(value: &str) -> Option<(u64, u64)> {
    if is_plain(value) {
        return Some((value.len() as u64, value.len() as u64 + 2));
    }
    let value = known(value)?;
    // Of characters that are no control characters, JSON escapes these two.
    let escaped = value.bytes().filter(|&c| matches!(c, b'"' | b'\\')).count();
    Some((field_len(&value) as u64, (value.len() + escaped + 2) as u64))
}

/// True for a known value that all tables show as it is, as nearly all values are.
fn is_plain(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|c| IS_PLAIN[usize::from(c)])
}

/// For each byte, whether it needs no quotation marks, no escape, and no further look.
const IS_PLAIN: [bool; 256] = {
    let mut is_plain = [false; 256];
    let mut byte = b' ';
    while byte < 0x7f {
        is_plain[byte as usize] = !matches!(byte, b'"' | b'\\' | b',' | b'?');
        byte += 1;
    }
    is_plain
};

/// Appends a string of JSON.
pub fn append_string(out: &mut Vec<u8>, text: &str) {
    // Writing to a vector cannot fail.
    let _ = serde_json::to_writer(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::append_field;

    #[test]
    fn lengths_are_those_of_the_fields() {
        for value in [
            "Morphy",
            "Morphy, Paul",
            "\"The\" \\ match",
            "\",\n\u{7f}\u{85}\u{2028}é😀",
            "/?",
        ] {
            let known = known(value).unwrap();
            let (mut field, mut string) = (Vec::new(), Vec::new());
            append_field(&mut field, &known);
            append_string(&mut string, &known);
            let lens = (field.len() as u64, string.len() as u64);
            assert_eq!(field_lengths(value), Some(lens), "{value}");
        }
        assert_eq!(field_lengths("?"), None);
    }
}
