//! Games that were found, as text.

use std::io::{self, Write};

use serde_json::json;

use chessdb_library::csv::append_record;
use chessdb_library::library::{LibraryEntry, append_text};
use chessdb_library::lines::Occurrence;
use chessdb_library::positions::san_of;
use chessdb_library::table::{GamePath, known};

/// The tags shown by `csv` and `ndjson`.
const TAGS: [&str; 8] = [
    "White", "Black", "Result", "Date", "Event", "ECO", "WhiteElo", "BlackElo",
];

/// The first line of the table of games.
pub fn header() -> String {
    let columns = ["path", "ply", "move"].into_iter().chain(TAGS);
    columns.collect::<Vec<_>>().join(",") + "\n"
}

/// Writes a game in the form that `--show` selects. It has no move if the query has no position.
pub fn write_game(
    out: &mut impl Write,
    entry: &LibraryEntry,
    found: &Occurrence,
    show: &str,
    has_move: bool,
) -> io::Result<()> {
    let path = || path(entry, found.game);
    match show {
        "count" => Ok(()),
        "pgn" => {
            let mut text = Vec::new();
            append_text(&mut text, entry, found.game);
            // With pgn=verbatim a file may end without a line feed, and perhaps with a comment to the end of the line.
            if !text.ends_with(b"\n") {
                text.push(b'\n');
            }
            out.write_all(&text)
        }
        "csv" | "ndjson" => {
            let tags = entry.database.tags(found.game);
            let san = if has_move {
                san_of(&*entry.database, found)
            } else {
                String::new()
            };
            let mut fields = vec![("path", path()), ("ply", found.ply.to_string()), ("move", san)];
            fields.extend(TAGS.map(|tag| {
                let value = tags.get(tag).and_then(known).unwrap_or_default();
                (tag, value.into_owned())
            }));
            let mut line = Vec::new();
            match show {
                "csv" => append_record(&mut line, fields.iter().map(|(_, value)| value)),
                _ => append_object(&mut line, &fields),
            }
            out.write_all(&line)
        }
        _ => writeln!(out, "{}\t{}", path(), found.ply),
    }
}

/// Appends a line of JSON with the known fields.
fn append_object(line: &mut Vec<u8>, fields: &[(&str, String)]) {
    let known = fields.iter().filter(|(_, value)| !value.is_empty());
    let object = known.map(|(name, value)| {
        let value = match value.parse::<u32>() {
            Ok(ply) if *name == "ply" => json!(ply),
            _ => json!(value),
        };
        ((*name).to_owned(), value)
    });
    line.extend_from_slice(serde_json::Value::Object(object.collect()).to_string().as_bytes());
    line.push(b'\n');
}

/// The path of a game below a mount of the source.
pub fn path(entry: &LibraryEntry, game: u32) -> String {
    GamePath::of(entry, game).path()
}
