//! `duplicates.csv`: a row for each game that has duplicates.

use super::row::{Place, append_field, append_number, append_path, known};
use chessdb::game::Tags;

/// The columns after that of the database.
const COLUMNS: &str = "group,number,White,Black,Date,plies,annotations,unique,differs,path,reason\n";

/// A row of `duplicates.csv`.
pub struct DuplicateRow<'a> {
    /// The game, and data for its path. The database is left out if its name is empty.
    pub place: Place<'a>,
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
    /// What makes it the same game as the best one; empty for this game itself.
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
        let comma = |out: &mut Vec<u8>| out.push(b',');
        if has_database {
            append_field(out, self.place.database);
            comma(out);
        }
        append_number(out, self.group);
        comma(out);
        append_number(out, self.place.game);
        for tag in ["White", "Black", "Date"] {
            comma(out);
            append_field(out, &self.tags.get(tag).and_then(known).unwrap_or_default());
        }
        let is_best = self.best.is_none();
        let differs = self
            .best
            .map_or(String::new(), |best| differences(self.tags, best));
        let (plies, annotations) = (self.plies, self.annotations);
        out.extend_from_slice(format!(",{plies},{annotations},{is_best},{differs},").as_bytes());
        let mut path = self.place.folder.as_bytes().to_vec();
        append_path(&mut path, self.place.game, self.place.digits);
        append_field(out, &String::from_utf8_lossy(&path));
        comma(out);
        append_field(out, self.reason);
        out.push(b'\n');
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
