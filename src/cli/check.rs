//! `pgnfs check`.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::process::ExitCode;

use indicatif::ProgressBar;

use super::{CommandError, PROBLEMS, counted, ended, games, left_out, logging, progress};
use chessdb::Problem;
use chessdb_library::library::{Library, LibraryEntry, on_one_line, problems_of};
use chessdb_library::parallel::in_order;

/// Decodes every game and prints a line for every problem. The exit code shows whether there was any.
pub fn run(library: &Library, threads: usize) -> Result<ExitCode, CommandError> {
    let games = games(library);
    let mut report = Report {
        out: io::stdout().lock(),
        bar: progress::bar(games),
        problems: 0,
    };
    let written = report.all(library, threads);
    report.bar.finish_and_clear();
    let is_whole = written.is_ok();
    ended(written, "standard output")?;
    if !is_whole {
        logging::say(format_args!(
            "stopped early, because nothing reads the output any more"
        ));
        return Ok(ExitCode::from(PROBLEMS));
    }
    logging::say(format_args!(
        "{} in {}, {}",
        counted(games, "game"),
        counted(library.databases().len() as u64, "database"),
        counted(report.problems, "problem")
    ));
    Ok(match report.problems {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(PROBLEMS),
    })
}

struct Report<W> {
    out: W,
    bar: ProgressBar,
    problems: u64,
}

impl<W: Write> Report<W> {
    fn all(&mut self, library: &Library, threads: usize) -> io::Result<()> {
        for one in left_out(library) {
            self.line(format_args!("{}: left out: {}", one.path, one.reason))?;
        }
        for entry in library.databases() {
            let name = entry.name();
            for problem in entry.problems() {
                self.line(format_args!("{name}: {problem}"))?;
            }
            self.games(entry, name, threads)?;
            if !entry.is_intact() {
                self.line(format_args!(
                    "{name}: a file was changed while it was read: check it again"
                ))?;
            }
        }
        self.out.flush()
    }

    fn games(&mut self, entry: &LibraryEntry, name: &str, threads: usize) -> io::Result<()> {
        let mut written = Ok(());
        let problems = |games: Range<u32>| {
            let len = games.len();
            let found: Vec<(u32, Vec<Problem>)> =
                games.map(|game| (game, problems_of(entry, game))).collect();
            (len, found)
        };
        let _ = in_order(entry.database.len(), threads, problems, |(len, found)| {
            self.bar.inc(len as u64);
            let mut rows = found
                .iter()
                .flat_map(|(game, problems)| problems.iter().map(move |row| (game, row)));
            written = rows.try_for_each(|(game, problem)| {
                let number = u64::from(*game) + 1;
                self.line(format_args!("{name}: game {number}: {problem}"))
            });
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        written
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) -> io::Result<()> {
        self.problems += 1;
        let line = line.to_string();
        let line = on_one_line(&line);
        self.bar.suspend(|| writeln!(self.out, "{line}"))
    }
}
