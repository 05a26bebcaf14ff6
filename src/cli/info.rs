//! `pgnfs info`.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::{CommandError, counted, ended, games, json};
use chessdb::formats::Problem;
use chessdb_library::library::{Library, LibraryEntry, on_one_line, shown};

/// Shows the contents of a source, as text or JSON.
pub fn run(library: &Library, as_json: bool) -> Result<ExitCode, CommandError> {
    let out = &mut io::stdout().lock();
    let written = if as_json {
        writeln!(out, "{}", json::text(&described(library)))
    } else {
        text(out, library)
    };
    ended(written, "standard output")
}

/// The keys are documented in `docs/commands.md`. Keys may be added but not removed.
fn described(library: &Library) -> Value {
    json!({
        "source": library.source().to_string_lossy(),
        "games": games(library),
        "databases": library.databases().iter().map(|entry| database(entry)).collect::<Vec<_>>(),
        "left_out": library
            .left_out()
            .iter()
            .map(|left_out| json!({ "path": left_out.path, "reason": left_out.reason }))
            .collect::<Vec<_>>(),
    })
}

fn database(entry: &LibraryEntry) -> Value {
    let info = entry.database.info();
    let files = entry.files.iter();
    let rows = info
        .rows
        .into_iter()
        .map(|(name, value)| (name.to_owned(), Value::from(value)));
    let problem =
        |problem: &Problem| json!({ "file": problem.file, "offset": problem.offset, "what": problem.what });
    json!({
        "path": entry.path,
        "format": entry.format.name,
        "title": entry.format.title,
        "games": entry.database.len(),
        "files": files.map(|(name, identity)| json!({ "name": name, "size": identity.size })).collect::<Vec<_>>(),
        "info": Value::Object(rows.collect()),
        "warnings": info.warnings,
        "problems": entry.problems().iter().map(problem).collect::<Vec<_>>(),
    })
}

fn text(out: &mut impl Write, library: &Library) -> io::Result<()> {
    let databases = library.databases();
    writeln!(
        out,
        "{}: {} in {}",
        shown(library.source()),
        counted(games(library), "game"),
        counted(databases.len() as u64, "database")
    )?;
    for entry in databases {
        let info = entry.database.info();
        writeln!(out, "\n{}", on_one_line(entry.name()))?;
        let mut row = |name: &str, value: &str| writeln!(out, "  {name:<15} {}", on_one_line(value));
        row("format", entry.format.title)?;
        row("games", &entry.database.len().to_string())?;
        for file in entry.file_rows() {
            row("file", &file)?;
        }
        for (name, value) in &info.rows {
            row(name, value)?;
        }
        for warning in &info.warnings {
            row("warning", warning)?;
        }
        for problem in entry.problems() {
            row("problem", &problem.to_string())?;
        }
    }
    if !library.left_out().is_empty() {
        writeln!(out, "\nleft out")?;
    }
    for left_out in library.left_out() {
        writeln!(out, "  {left_out}")?;
    }
    Ok(())
}
