//! `pgnfs info`.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::{CommandError, counted, ended, games, json};
use crate::mount::in_shell;
use chessdb::Problem;
use chessdb_library::library::{Library, LibraryEntry, on_one_line, shown};

/// How the contents of a source are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InfoForm {
    /// A line for each database, or everything about the only one.
    Short,
    /// Everything about each database.
    Long,
    /// A JSON object.
    Json,
}

/// Shows the contents of a source.
pub fn run(library: &Library, form: InfoForm) -> Result<ExitCode, CommandError> {
    let out = &mut io::stdout().lock();
    let written = match form {
        InfoForm::Json => writeln!(out, "{}", json::text(&described(library))),
        InfoForm::Short if library.databases().len() > 1 => text(out, library, line),
        InfoForm::Short | InfoForm::Long => text(out, library, paragraph),
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

fn text<W: Write>(
    out: &mut W,
    library: &Library,
    describe: fn(&mut W, &Library, &LibraryEntry) -> io::Result<()>,
) -> io::Result<()> {
    let databases = library.databases();
    writeln!(
        out,
        "{}: {} in {}",
        shown(library.source()),
        counted(games(library), "game"),
        counted(databases.len() as u64, "database")
    )?;
    for entry in databases {
        describe(out, library, entry)?;
    }
    if !library.left_out().is_empty() {
        writeln!(out, "\nleft out")?;
    }
    for left_out in library.left_out() {
        writeln!(out, "  {left_out}")?;
    }
    Ok(())
}

/// `club/kasparov.dci: 12 games, SimpleCDb`, with the number of warnings and problems.
fn line(out: &mut impl Write, library: &Library, entry: &LibraryEntry) -> io::Result<()> {
    let (info, problems) = (entry.database.info(), entry.problems());
    let faults = [(info.warnings.len(), "warning"), (problems.len(), "problem")];
    let faults = faults.into_iter().filter(|(number, _)| *number > 0);
    let faults: String = faults
        .map(|(number, what)| format!(", {}", counted(number as u64, what)))
        .collect();
    let games = counted(entry.database.len().into(), "game");
    writeln!(
        out,
        "{}: {games}, {}{faults}{}",
        on_one_line(entry.name()),
        entry.format.title,
        match problems.is_empty() {
            true => String::new(),
            false => format!(": {}", to_check(library, entry)),
        }
    )
}

/// The command that lists all problems of a database.
fn to_check(library: &Library, entry: &LibraryEntry) -> String {
    let source = library.source();
    let own = source.join(entry.name());
    let path = if !entry.path.is_empty() && own.exists() {
        &own
    } else {
        source
    };
    format!("pgnfs check {}", in_shell(path))
}

/// Everything that is known about a database, one fact a line.
fn paragraph(out: &mut impl Write, library: &Library, entry: &LibraryEntry) -> io::Result<()> {
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
    let problems = entry.problems();
    for problem in &problems {
        row("problem", &problem.to_string())?;
    }
    let command = to_check(library, entry);
    let found = match problems.len() {
        0 => format!("games were not decoded: {command}"),
        number => format!("{number}, and games were not decoded: {command}"),
    };
    row("problems", &found)
}
