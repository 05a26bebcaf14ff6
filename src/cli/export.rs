//! `pgnfs export`.

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

/// Typical size of the texts of a chunk, in bytes.
const USUAL_CHUNK: usize = 128 << 10;

/// Bytes of text after which a thread decodes no further game of its chunk until it is its turn to write.
const MOST_AHEAD: usize = 4 << 20;

/// Writes the games of all databases, or of the one at a path, in database order, to a file or standard output.
pub fn run(
    library: &Library,
    database: Option<&str>,
    output: Option<&Path>,
    threads: usize,
) -> Result<ExitCode, Failure> {
    let entries = selected(library, database)?;
    let Some(path) = output else {
        // On a terminal the games themselves are seen.
        let is_shown = io::stdout().is_terminal();
        let written = write(&mut io::stdout().lock(), &entries, threads, !is_shown);
        intact(library, "the games written so far may be wrong: export again")?;
        return ended(written, "standard output");
    };
    let mut out = create(path, library)?;
    let written = write(&mut out, &entries, threads, true);
    intact(library, "the output was discarded: export again")?;
    ended(written.and_then(|()| out.finish()), shown(path))
}

fn write(out: &mut impl Write, entries: &[&LibraryEntry], threads: usize, with_bar: bool) -> io::Result<()> {
    let games = entries.iter().map(|entry| u64::from(entry.database.len()));
    let bar = match with_bar {
        true => progress::bar(games.sum()),
        false => ProgressBar::hidden(),
    };
    let written = entries
        .iter()
        .try_for_each(|entry| write_games(out, entry, threads, &bar))
        .and_then(|()| out.flush());
    bar.finish_and_clear();
    written
}

/// An error that ends with `consequence` if a file has changed since it was opened.
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

fn selected<'a>(library: &'a Library, path: Option<&str>) -> Result<Vec<&'a LibraryEntry>, Failure> {
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

fn write_games(
    out: &mut impl Write,
    entry: &LibraryEntry,
    threads: usize,
    bar: &ProgressBar,
) -> io::Result<()> {
    let mut written = Ok(());
    let texts = |mut games: Range<u32>| {
        let number = games.len() as u64;
        let mut text = Vec::with_capacity(USUAL_CHUNK);
        while text.len() < MOST_AHEAD
            && let Some(game) = games.next()
        {
            append_text(&mut text, entry, game);
        }
        (number, text, games)
    };
    let _ = in_order(
        entry.database.len(),
        threads,
        texts,
        |(number, text, mut rest)| {
            bar.inc(number);
            written = out
                .write_all(&text)
                .and_then(|()| rest.try_for_each(|game| out.write_all(&text_of(entry, game).pgn)));
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        },
    );
    written
}
