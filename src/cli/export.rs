//! `pgnfs export`.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::{ControlFlow, Range};
use std::process::ExitCode;
use std::sync::Arc;

use super::Failure;
use super::ordered::in_order;
use super::progress::Progress;
use crate::library::{Library, LibraryEntry, text_of};

/// Bytes of text after which a thread does no further game of its chunk before its turn has come.
const MOST_AHEAD: usize = 4 << 20;

/// Writes the games of all databases, or of the one at a path, in database order.
pub fn run(library: &Library, database: Option<&str>, threads: usize) -> Result<ExitCode, Failure> {
    let entries = selected(library, database)?;
    let games = entries.iter().map(|entry| u64::from(entry.database.len()));
    let mut progress = Progress::new(games.sum());
    if io::stdout().is_terminal() {
        progress.hide();
    }
    let mut out = io::stdout().lock();
    let written = entries
        .into_iter()
        .try_for_each(|entry| write_games(&mut out, entry, threads, &mut progress))
        .and_then(|()| out.flush());
    progress.clear();
    if let Some(changed) = library.databases().iter().find(|entry| !entry.is_intact()) {
        return Err(format!(
            "{}: a file was changed while it was read: what was written of its games is not to be trusted",
            changed.name()
        )
        .into());
    }
    match written {
        // A closed pipe: who reads has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot write: {error}").into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn selected<'a>(library: &'a Library, path: Option<&str>) -> Result<Vec<&'a LibraryEntry>, Failure> {
    let Some(path) = path else {
        return Ok(library.databases().iter().map(Arc::as_ref).collect());
    };
    let wanted = path.trim_end_matches('/');
    match library.databases().iter().find(|entry| entry.path == wanted) {
        Some(entry) => Ok(vec![entry]),
        None => {
            let source = library.source().display();
            Err(format!("{source} has no database '{path}': pgnfs info {source} shows all").into())
        }
    }
}

fn write_games(
    out: &mut impl Write,
    entry: &LibraryEntry,
    threads: usize,
    progress: &mut Progress,
) -> io::Result<()> {
    let mut written = Ok(());
    let texts = |mut games: Range<u32>| {
        let number = games.len() as u64;
        let mut text = Vec::new();
        while text.len() < MOST_AHEAD
            && let Some(game) = games.next()
        {
            text.extend_from_slice(&text_of(entry, game).pgn);
        }
        (number, text, games)
    };
    let _ = in_order(
        entry.database.len(),
        threads,
        texts,
        |(number, text, mut rest)| {
            progress.add(number);
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
