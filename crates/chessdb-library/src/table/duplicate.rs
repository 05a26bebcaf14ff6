//! `duplicates.csv`: a row for each game that has duplicates.

use std::borrow::Cow;

use super::row::GamePath;
use super::value::known;
use crate::csv::append_record;
use chessdb::game::Tags;

/// The columns after the column of the database.
const COLUMNS: &str = "group,number,White,Black,Date,plies,annotations,unique,differs,path,reason\n";

/// A row of `duplicates.csv`.
pub struct DuplicateRow<'a> {
    /// The game, and data for its path. The database is left out if its name is empty.
    pub place: GamePath<'a>,
    /// The number of its group, from 0.
    pub group: u32,
    /// Number of moves of its main line.
    pub plies: u32,
    /// Number of its comments, glyphs and variations.
    pub annotations: u32,
    /// Its tags.
    pub tags: &'a Tags,
    /// The tags of the best game of its group; `None` for this game itself.
    pub best: Option<&'a Tags>,
    /// Why it is the same game as the best one; empty for the best game itself.
    pub reason: &'a str,
}

impl DuplicateRow<'_> {
    /// The first line of the table.
    pub fn header(has_database: bool) -> String {
        let database = if has_database { "database," } else { "" };
        format!("{database}{COLUMNS}")
    }

    /// Appends the row with its line feed.
    pub fn append(&self, out: &mut Vec<u8>, has_database: bool) {
        let tag = |name: &str| self.tags.get(name).and_then(known).unwrap_or_default();
        let number = |number: u64| Cow::from(number.to_string());
        let differs = self.best.map(|best| differences(self.tags, best));
        let fields = [
            number(u64::from(self.group) + 1),
            number(u64::from(self.place.game) + 1),
            tag("White"),
            tag("Black"),
            tag("Date"),
            number(self.plies.into()),
            number(self.annotations.into()),
            self.best.is_none().to_string().into(),
            differs.unwrap_or_default().into(),
            self.place.path().into(),
            self.reason.into(),
        ];
        let database = has_database.then_some(self.place.database.into());
        append_record(out, database.into_iter().chain(fields));
    }
}

/// The names of the tags that differ, separated by spaces. Names of tags need no quotation marks.
fn differences(a: &Tags, b: &Tags) -> String {
    let value = |tags: &Tags, name: &str| tags.get(name).and_then(known).map(|value| value.into_owned());
    let differs = |name: &&str| value(a, name) != value(b, name);
    let names = a.iter().map(|(name, _)| name);
    let further = b
        .iter()
        .map(|(name, _)| name)
        .filter(|name| a.get(name).is_none());
    let names: Vec<&str> = names.chain(further).filter(differs).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_differ_by_value_or_because_one_game_lacks_them() {
        let tags = |pairs: &[(&'static str, &str)]| {
            let mut tags = Tags::default();
            for (name, value) in pairs {
                tags.set(*name, value);
            }
            tags
        };
        let best = tags(&[
            ("White", "Tal"),
            ("Date", "1960.??.??"),
            ("ECO", "B90"),
            ("Opening", "?"),
        ]);
        let same = tags(&[("White", "Tal"), ("Date", "1960.??.??"), ("ECO", "B90")]);
        let other = tags(&[("White", "Tal, M"), ("Date", "1960.??.??"), ("Annotator", "A")]);
        // An unknown value is no value.
        assert_eq!(differences(&same, &best), "");
        let mut names: Vec<String> = differences(&other, &best).split(' ').map(str::to_owned).collect();
        names.sort();
        assert_eq!(names, ["Annotator", "ECO", "White"]);
    }
}
