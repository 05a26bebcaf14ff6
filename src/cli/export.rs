//! `pgnfs export`.

pub mod book;
mod by_month;
mod table;

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use indicatif::ProgressBar;

use super::options::Settings;
use super::output::{OutputFile, OutputFolder};
use super::search::{Search, all_of, given_query, intact, repertoires, unique_of};
use super::{CommandError, ended, logging, progress};
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::{Library, LibraryEntry, append_text, on_one_line, shown, text_of};
use chessdb_library::parallel::in_order;
use chessdb_library::polyglot::BookOptions;
use chessdb_library::positions::DatabasePart;
use chessdb_library::query::Query;
use chessdb_library::table::TableForm;
use chessdb_library::table::{Columns, RowKind};
use table::ExportedTable;

/// Typical size of the texts of a chunk, in bytes.
const USUAL_CHUNK: usize = 128 << 10;

/// Number of bytes of text that a thread decodes ahead. For the rest of its chunk, it waits for its turn to
/// write.
const MOST_AHEAD: usize = 4 << 20;

/// Extensions of compressed files, which pgnfs would refuse to read if they were not compressed, and the programs that
/// compress them.
const COMPRESSING: [(&str, &str); 3] = [("gz", "gzip"), ("zst", "zstd"), ("bz2", "bzip2")];

/// The arguments of an export.
pub struct Request<'a> {
    /// The path of the database to export; `None` for all databases.
    database: Option<&'a str>,
    /// Where to write.
    output: Destination,
    /// The options of an opening book; `None` for PGN and tables.
    book: Option<BookOptions>,
    /// The form of a table; `None` for PGN and books.
    form: Option<TableForm>,
    /// The contents of a row of a table.
    rows: RowKind,
    /// The columns of a table; `None` for the usual ones.
    columns: Option<Columns>,
    /// Which part of the games is written: `K` and `N` of `--part K/N`.
    part: (u32, u32),
    /// The query that games must match.
    filter: Option<Query>,
    /// Whether only the best game of each group of duplicates is written.
    is_unique: bool,
}

/// The values of the option that selects the form.
pub const FORMS: [&str; 5] = ["pgn", "csv", "ndjson", "parquet", "polyglot"];

/// The values of `--schema`, which selects the columns of another program's tables.
pub const SCHEMAS: [&str; 1] = ["lichess"];

/// Where the games go.
enum Destination {
    Standard,
    File(OutputFile),
    /// A folder with a file for each month.
    Folder(OutputFolder),
}

/// The kind of output.
enum Target {
    Pgn,
    Table(TableForm, ExportedTable),
    Book(BookOptions),
}

impl Request<'_> {
    /// Reads the arguments and creates the output, so that mistakes are reported before databases are opened.
    ///
    /// # Errors
    /// If an argument is wrong, or the output cannot be written.
    pub fn read(matches: &ArgMatches) -> Result<Request<'_>, CommandError> {
        let text = |name| matches.get_one(name).map(String::as_str);
        let form = match text("to") {
            Some("csv") => Some(TableForm::Csv),
            Some("ndjson") => Some(TableForm::Ndjson),
            Some("parquet") => Some(TableForm::Parquet),
            _ => None,
        };
        let schema = matches.get_one::<String>("schema").map(|_| Columns::lichess());
        let rows = text("rows").and_then(RowKind::of_name);
        let named = |names| columns(rows.unwrap_or(RowKind::Games), names);
        let columns = text("columns").map(named).transpose()?;
        if form.is_none() && rows.is_some() {
            return Err("--rows is for tables: give --to csv, ndjson or parquet".into());
        }
        if schema.is_some() && rows == Some(RowKind::Positions) {
            return Err("--schema is only for rows of games: leave out --rows".into());
        }
        if form.is_none() && columns.is_some() {
            return Err("--columns is for tables: give --to csv, ndjson or parquet".into());
        }
        if form.is_none() && schema.is_some() {
            return Err("--schema is for tables: give --to parquet, csv or ndjson".into());
        }
        if columns.is_some() && schema.is_some() {
            return Err("--schema has its own columns: leave out --columns".into());
        }
        let book = book::options(matches)?;
        let part = text("part").map_or(Ok((1, 1)), part)?;
        let filter = given_query(matches)?;
        let has_player = filter.as_ref().is_some_and(Query::has_one_player);
        if columns.as_ref().is_some_and(Columns::are_of_player) && !has_player {
            return Err("colour and score are about one player: give --where with one player:NAME".into());
        }
        let path = matches.get_one("output").map(PathBuf::as_path);
        let path = path.filter(|path| *path != Path::new("-"));
        let extension = path.and_then(Path::extension).unwrap_or_default();
        if let Some(program) = COMPRESSING
            .iter()
            .find(|(packed, _)| extension == *packed)
            .map(|(_, program)| program)
        {
            return Err(
                format!("--output does not compress: leave it out, and write | {program} >FILE").into(),
            );
        }
        let binary = match form {
            Some(TableForm::Parquet) => Some("Parquet"),
            _ => book.map(|_| "a book"),
        };
        if let Some(binary) = binary.filter(|_| path.is_none() && io::stdout().is_terminal()) {
            return Err(format!("refusing to write {binary} to a terminal: use --output FILE").into());
        }
        let output = match path {
            None => Destination::Standard,
            Some(path) if schema.is_some() && by_month::is_folder(path) => {
                if form != Some(TableForm::Parquet) || part != (1, 1) {
                    return Err(
                        "a folder with a file for each month is for --to parquet without --part".into(),
                    );
                }
                Destination::Folder(by_month::folder(path)?)
            }
            Some(path) => Destination::File(create(path)?),
        };
        Ok(Request {
            database: text("DATABASE"),
            output,
            book,
            form,
            rows: rows.unwrap_or(RowKind::Games),
            columns: columns.or(schema),
            part,
            filter,
            is_unique: matches.get_flag("unique"),
        })
    }
}

impl Request<'_> {
    /// False if no database at or below this path of the source can be exported.
    pub fn may_concern(&self, path: &str) -> bool {
        may_concern(self.database, &self.filter, path)
    }
}

/// False if no database at or below a path of the source can be exported, because another one is named or a query
/// excludes all of them.
pub fn may_concern<'a>(
    database: Option<&str>,
    queries: impl IntoIterator<Item = &'a Query>,
    path: &str,
) -> bool {
    let is_below = |below: &str, above: &str| Path::new(below).starts_with(above);
    database.is_none_or(|database| is_below(path, database) || is_below(database, path))
        && queries.into_iter().all(|query| query.may_concern(path))
}

/// Writes the games of all databases, or of one, in database order to a file, a folder or standard output.
pub fn run(
    library: &Library,
    request: Request<'_>,
    settings: &Settings,
    kept: Option<KeptFiles>,
) -> Result<ExitCode, CommandError> {
    let threads = settings.serve.threads;
    if let Destination::File(file) = &request.output
        && library.holds(file.path())
    {
        return Err(format!(
            "{} belongs to the source, which is only read: name another file",
            shown(file.path())
        )
        .into());
    }
    let entries = selected(library, request.database)?;
    let mut all = all_of(&entries, settings, kept.as_ref());
    if request.is_unique {
        // The best copy of a game is chosen among the databases that may be exported.
        let queries = request.filter.iter();
        all.retain(|part| queries.clone().all(|query| query.concerns(part.entry().name())));
        all = unique_of(&all, threads, kept.as_ref());
    }
    let mut colors = HashMap::new();
    let known = repertoires(library, &request.filter, settings)?;
    let intact = |consequence| intact(&entries, &known, consequence);
    if let Some(filter) = &request.filter {
        let search = Search::new(all, settings, kept.is_some(), true, Arc::clone(&known));
        all = search
            .parts()
            .iter()
            .map(|part| part.found(&search.answer(part, filter)))
            .collect();
        if all.iter().all(DatabasePart::is_empty) {
            search.bar.finish_and_clear();
            logging::say(format_args!("--where finds no game"));
            for hint in search.answers.hints(&filter.canonical()) {
                logging::say(format_args!("{hint}"));
            }
        }
        if request.columns.as_ref().is_some_and(Columns::are_of_player) {
            colors = filter.colors_of_player(&all, search.answers.options());
        }
        search.bar.finish_and_clear();
    }
    let parts = parts(&all, request.part);
    let target = match (request.form, request.columns) {
        (None, _) => request.book.map_or(Target::Pgn, Target::Book),
        (Some(form), named) => {
            // The columns follow from all games, so that every part of an export has the same ones.
            if let Some(columns) = &named {
                table::check_tags(columns, &all, threads)?;
            }
            let usual = || match request.rows {
                RowKind::Games => table::usual_columns(form, &all, !library.is_single(), threads),
                RowKind::Positions => Columns::of_positions(!library.is_single()),
            };
            let columns = named.unwrap_or_else(usual);
            Target::Table(form, ExportedTable::new(columns, colors))
        }
    };
    let mut out = match request.output {
        Destination::Standard => {
            // If games are written to a terminal, a progress bar would disturb them.
            let is_shown = io::stdout().is_terminal();
            let written = write(&mut io::stdout(), &target, &parts, threads, !is_shown);
            intact("the games written so far may be wrong: export again")?;
            return ended(written, "standard output");
        }
        Destination::Folder(folder) => {
            let Target::Table(_, exported) = &target else {
                return Ok(ExitCode::SUCCESS);
            };
            let path = shown(folder.path());
            let is_intact = || {
                intact(match folder.is_empty() {
                    true => "export again",
                    false => "remove the files written so far, and export again",
                })
            };
            let written = by_month::write(&folder, exported, &parts, threads, is_intact)?;
            exported.warn();
            let incomplete = |error| match folder.is_empty() {
                true => error,
                false => io::Error::other(format!("{error}; {path} is incomplete: remove it")),
            };
            return ended(written.map_err(incomplete), &path);
        }
        Destination::File(file) => file,
    };
    let path = shown(out.path());
    let written = write(&mut out, &target, &parts, threads, true);
    intact(out.after_failure())?;
    ended(written.and_then(|()| out.finish()), path)
}

/// Reads `K/N`.
fn part(text: &str) -> Result<(u32, u32), CommandError> {
    // `parse` accepts a plus sign, but it is not valid here.
    let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+'));
    let numbers = text.split_once('/');
    let numbers = numbers.and_then(|(k, n)| Some((number(k)?, number(n)?)));
    let wrong = || {
        format!(
            "--part is K/N, such as 2/8, with K from 1 to N, not '{}'",
            on_one_line(text)
        )
    };
    let numbers = numbers.filter(|(k, n)| (1..=*n).contains(k));
    Ok(numbers.ok_or_else(wrong)?)
}

/// The `K`th of `N` parts of these games. The sizes of parts differ by at most one game.
fn parts(all: &[DatabasePart], (k, n): (u32, u32)) -> Vec<DatabasePart> {
    let games: u64 = all.iter().map(|part| u64::from(part.len())).sum();
    let place = |k: u32| (u128::from(games) * u128::from(k) / u128::from(n)) as u64;
    let (from, to) = (place(k - 1), place(k));
    let mut first = 0;
    let parts = all.iter().map(|part| {
        let end = first + u64::from(part.len());
        let within = |place: u64| (place.clamp(first, end) - first) as u32;
        let places = within(from)..within(to);
        first = end;
        if places == (0..part.len()) {
            part.clone()
        } else {
            part.with(part.games_at(places).collect::<Vec<u32>>())
        }
    });
    parts.collect()
}

fn columns(rows: RowKind, names: &str) -> Result<Columns, CommandError> {
    let columns = Columns::of_names(rows, names.split(',').map(str::trim));
    columns.map_err(|unknown| {
        let remedy = if unknown.is_of_position() {
            ": give --rows positions"
        } else {
            ""
        };
        format!("{unknown}{remedy}").into()
    })
}

fn write(
    out: &mut (impl Write + Send),
    target: &Target,
    parts: &[DatabasePart],
    threads: usize,
    with_bar: bool,
) -> io::Result<()> {
    let games = parts.iter().map(|part| u64::from(part.len()));
    let bar = if with_bar {
        progress::bar(games.sum())
    } else {
        ProgressBar::hidden()
    };
    let written = match target {
        Target::Table(form, exported) => table::write(out, *form, exported, parts, threads, &bar),
        Target::Book(options) => book::write(out, *options, parts, threads, &bar),
        Target::Pgn => write_parts(out, parts, threads, &bar),
    };
    bar.finish_and_clear();
    if let Target::Table(_, exported) = target {
        exported.warn();
    }
    written.and_then(|()| out.flush())
}

/// Creates the output file.
fn create(path: &Path) -> Result<OutputFile, CommandError> {
    OutputFile::create(path).map_err(|error| {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound if path.is_symlink() => "; it is a link that leads nowhere",
            io::ErrorKind::NotFound => "; create its folder first",
            io::ErrorKind::IsADirectory => "; name a file in it",
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "; name a file elsewhere",
            _ => "",
        };
        format!("{} cannot be written: {error}{remedy}", shown(path)).into()
    })
}

/// All databases, or the database at a path.
pub fn selected<'a>(
    library: &'a Library,
    path: Option<&str>,
) -> Result<Vec<&'a Arc<LibraryEntry>>, CommandError> {
    let Some(path) = path else {
        return Ok(library.databases().iter().collect());
    };
    let wanted = path.trim_end_matches('/');
    match library.databases().iter().find(|entry| entry.name() == wanted) {
        Some(entry) => Ok(vec![entry]),
        None => {
            let (source, path) = (shown(library.source()), on_one_line(path));
            Err(format!("{source} has no database '{path}': pgnfs info lists its databases").into())
        }
    }
}

/// Writes the games of all databases. With pgn=verbatim a file may end without a line feed, and perhaps with a comment to
/// the end of the line; then one is added before the next database.
fn write_parts(
    out: &mut impl Write,
    parts: &[DatabasePart],
    threads: usize,
    bar: &ProgressBar,
) -> io::Result<()> {
    let mut last = b'\n';
    for part in parts {
        if last != b'\n' && !part.is_empty() {
            out.write_all(b"\n")?;
        }
        write_games(out, part, threads, bar, &mut last)?;
    }
    Ok(())
}

/// Writes the games of a database, and stores their `last` byte.
fn write_games(
    out: &mut impl Write,
    part: &DatabasePart,
    threads: usize,
    bar: &ProgressBar,
    last: &mut u8,
) -> io::Result<()> {
    let mut written = Ok(());
    let mut write = |text: &[u8]| {
        *last = text.last().copied().unwrap_or(*last);
        out.write_all(text)
    };
    let entry = part.entry();
    let texts = |places: Range<u32>| {
        let number = places.len() as u64;
        let mut games = part.games_at(places);
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
        written = write(&text).and_then(|()| rest.try_for_each(|game| write(&text_of(entry, game).pgn)));
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    written
}
