//! `pgnfs export`.

use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;

use super::Failure;
use super::ordered::in_order;
use crate::library::{Library, LibraryEntry, text_of};

/// Writes the games of all databases, or of the one at a path, in database order.
pub fn run(library: &Library, database: Option<&str>, threads: usize) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    for entry in selected(library, database)? {
        match write_games(&mut out, entry, threads) {
            // Who reads has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            written => written.map_err(|error| format!("cannot write: {error}"))?,
        }
    }
    Ok(ExitCode::SUCCESS)
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

fn write_games(out: &mut impl Write, entry: &LibraryEntry, threads: usize) -> io::Result<()> {
    let mut written = Ok(());
    let text = |games: std::ops::Range<u32>| {
        games
            .flat_map(|game| text_of(entry, game).pgn)
            .collect::<Vec<u8>>()
    };
    let _ = in_order(entry.database.len(), threads, text, |text| {
        written = out.write_all(&text);
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    written
}
