//! `pgnfs export`.

mod table;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::ops::{ControlFlow, Range};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use indicatif::ProgressBar;

use super::ordered::in_order;
use super::output::Output;
use super::{Failure, ended, progress};
use crate::library::{Library, LibraryEntry, append_text, on_one_line, shown, text_of};
use crate::table::{Columns, UnknownColumn};
use table::Form;

/// Typical size of the texts of a chunk, in bytes.
const USUAL_CHUNK: usize = 128 << 10;

/// Number of bytes of text that a thread decodes ahead. For the rest of its chunk, it waits for its turn to
/// write.
const MOST_AHEAD: usize = 4 << 20;

/// The options of an export.
pub struct Request<'a> {
    /// The path of the database to export; `None` for all databases.
    pub database: Option<&'a str>,
    /// The file to write; `None` for standard output.
    pub output: Option<&'a Path>,
    /// The form: one of [`FORMS`].
    pub to: &'a str,
    /// The columns of a table, separated by commas.
    pub columns: Option<&'a str>,
    /// The part of the games to export, as `K/N`.
    pub part: Option<&'a str>,
    /// Number of threads that decode.
    pub threads: usize,
}

/// The values of the option that selects the form.
pub const FORMS: [&str; 4] = ["pgn", "csv", "ndjson", "parquet"];

/// Some games of a database.
pub struct Part<'a> {
    entry: &'a LibraryEntry,
    games: Range<u32>,
}

impl Part<'_> {
    fn len(&self) -> u32 {
        self.games.end - self.games.start
    }
}

/// Writes the games of all databases, or of one, in database order to a file or standard output.
pub fn run(library: &Library, request: &Request<'_>) -> Result<ExitCode, Failure> {
    let entries = selected(library, request.database)?;
    let parts = parts(&entries, request.part)?;
    let form = match request.to {
        "csv" => Some(Form::Csv),
        "ndjson" => Some(Form::Ndjson),
        "parquet" => Some(Form::Parquet),
        _ => None,
    };
    let columns = match (form, request.columns) {
        (None, Some(_)) => return Err("--columns is for tables: give --to csv, ndjson or parquet".into()),
        (None, None) => None,
        (Some(form), Some(names)) => Some((form, columns(names)?)),
        (Some(form), None) => {
            let all = self::parts(&entries, None)?;
            let has_database = !library.is_single();
            Some((
                form,
                table::usual_columns(form, &all, has_database, request.threads),
            ))
        }
    };
    let Some(path) = request.output else {
        // If games are written to a terminal, a progress bar would disturb them.
        let is_shown = io::stdout().is_terminal();
        if is_shown && form == Some(Form::Parquet) {
            return Err("a Parquet file is nothing for a terminal: name a file with --output".into());
        }
        let written = write(&mut io::stdout(), columns, &parts, request.threads, !is_shown);
        intact(library, "the games written so far may be wrong: export again")?;
        return ended(written, "standard output");
    };
    let mut out = create(path, library)?;
    let written = write(&mut out, columns, &parts, request.threads, true);
    intact(library, "the output was discarded: export again")?;
    ended(written.and_then(|()| out.finish()), shown(path))
}

/// The games of these databases, or the `K`th of `N` parts of them. The sizes of parts differ by at most one
/// game.
fn parts<'a>(entries: &[&'a LibraryEntry], part: Option<&str>) -> Result<Vec<Part<'a>>, Failure> {
    let (k, n) = match part {
        None => (1, 1),
        Some(text) => {
            let numbers = text.split_once('/');
            let numbers = numbers.and_then(|(k, n)| Some((k.parse::<u32>().ok()?, n.parse::<u32>().ok()?)));
            let wrong = || {
                format!(
                    "--part is K/N, such as 2/8, with K from 1 to N, not '{}'",
                    on_one_line(text)
                )
            };
            numbers.filter(|(k, n)| (1..=*n).contains(k)).ok_or_else(wrong)?
        }
    };
    let games: u64 = entries.iter().map(|entry| u64::from(entry.database.len())).sum();
    let place = |k: u32| (u128::from(games) * u128::from(k) / u128::from(n)) as u64;
    let (from, to) = (place(k - 1), place(k));
    let mut first = 0;
    let parts = entries.iter().map(|&entry| {
        let end = first + u64::from(entry.database.len());
        let within = |place: u64| (place.clamp(first, end) - first) as u32;
        let games = within(from)..within(to);
        first = end;
        Part { entry, games }
    });
    Ok(parts.collect())
}

fn columns(names: &str) -> Result<Columns, Failure> {
    Columns::of_names(names.split(',').map(str::trim)).map_err(|UnknownColumn(name)| {
        let (name, known) = (on_one_line(&name), Columns::names_for_people());
        format!("no table has a column '{name}'; there are the tags, such as White, and {known}").into()
    })
}

fn write(
    out: &mut (impl Write + Send),
    columns: Option<(Form, Columns)>,
    parts: &[Part<'_>],
    threads: usize,
    with_bar: bool,
) -> io::Result<()> {
    let games = parts.iter().map(|part| u64::from(part.len()));
    let bar = match with_bar {
        true => progress::bar(games.sum()),
        false => ProgressBar::hidden(),
    };
    let written = match columns {
        Some((form, columns)) => table::write(out, form, &columns, parts, threads, &bar),
        None => {
            let mut parts = parts.iter();
            parts.try_for_each(|part| write_games(out, part, threads, &bar))
        }
    };
    bar.finish_and_clear();
    written.and_then(|()| out.flush())
}

/// Returns an error that ends with `consequence` if a file has changed since it was opened.
fn intact(library: &Library, consequence: &str) -> Result<(), Failure> {
    match library.databases().iter().find(|entry| !entry.is_intact()) {
        Some(changed) => {
            let name = on_one_line(changed.name());
            Err(format!("{name}: a file was changed while it was read: {consequence}").into())
        }
        None => Ok(()),
    }
}

/// Creates the output file, unless it belongs to a database that is read.
fn create(path: &Path, library: &Library) -> Result<Output, Failure> {
    let is_source = fs::metadata(path).is_ok_and(|found| {
        let mut files = library.databases().iter().flat_map(|entry| &entry.files);
        files.any(|(_, identity)| (identity.device, identity.inode) == (found.dev(), found.ino()))
    });
    if is_source {
        return Err(format!("{} belongs to a database: name another file", shown(path)).into());
    }
    Output::create(path).map_err(|error| {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "; create its folder first",
            io::ErrorKind::IsADirectory => "; name a file in it",
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "; name a file elsewhere",
            _ => "",
        };
        format!("{} cannot be written: {error}{remedy}", shown(path)).into()
    })
}

/// All databases, or the one at a path.
pub fn selected<'a>(library: &'a Library, path: Option<&str>) -> Result<Vec<&'a LibraryEntry>, Failure> {
    let Some(path) = path else {
        return Ok(library.databases().iter().map(Arc::as_ref).collect());
    };
    let wanted = path.trim_end_matches('/');
    match library.databases().iter().find(|entry| entry.path == wanted) {
        Some(entry) => Ok(vec![entry]),
        None => {
            let (source, path) = (shown(library.source()), on_one_line(path));
            Err(format!("{source} has no database '{path}': pgnfs info shows which it has").into())
        }
    }
}

fn write_games(out: &mut impl Write, part: &Part<'_>, threads: usize, bar: &ProgressBar) -> io::Result<()> {
    let mut written = Ok(());
    let (entry, first) = (part.entry, part.games.start);
    let texts = |games: Range<u32>| {
        let mut games = first + games.start..first + games.end;
        let number = games.len() as u64;
        let mut text = Vec::with_capacity(USUAL_CHUNK);
        while text.len() < MOST_AHEAD
            && let Some(game) = games.next()
        {
            append_text(&mut text, entry, game);
        }
        (number, text, games)
    };
    let _ = in_order(part.len(), threads, texts, |(number, text, mut rest)| {
        bar.inc(number);
        written = out
            .write_all(&text)
            .and_then(|()| rest.try_for_each(|game| out.write_all(&text_of(entry, game).pgn)));
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    written
}
