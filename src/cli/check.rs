//! `pgnfs check`.

mod lines;

use std::io::{self, StdoutLock, Write};
use std::ops::{ControlFlow, Range};
use std::process::ExitCode;

use indicatif::ProgressBar;

use super::{CommandError, PROBLEMS, counted, ended, games, left_out, logging, progress};
use chessdb::{Options, Problem};
use chessdb_library::library::{ILLEGAL, Library, LibraryEntry, on_one_line, problems_by_move};
use chessdb_library::parallel::in_order;
use lines::TextLines;

/// Decodes every game and prints a line for every problem. The exit code shows whether there was any.
pub fn run(library: &Library, options: &Options, threads: usize) -> Result<ExitCode, CommandError> {
    let games = games(library);
    let mut report = Report {
        out: io::stdout().lock(),
        bar: progress::bar(games),
        problems: 0,
    };
    let written = report.all(library, options, threads);
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

struct Report {
    out: StdoutLock<'static>,
    bar: ProgressBar,
    problems: u64,
}

impl Report {
    fn all(&mut self, library: &Library, options: &Options, threads: usize) -> io::Result<()> {
        for one in left_out(library) {
            self.line(format_args!("{}: left out: {}", one.path, one.reason))?;
        }
        for entry in library.databases() {
            let name = entry.name();
            for problem in entry.problems() {
                self.line(format_args!("{name}: {}", described(name, &problem, None, None)))?;
            }
            self.games(entry, name, options, threads)?;
            if !entry.is_intact() {
                self.line(format_args!(
                    "{name}: a file was changed while it was read: check it again"
                ))?;
            }
        }
        self.out.flush()
    }

    fn games(
        &mut self,
        entry: &LibraryEntry,
        name: &str,
        options: &Options,
        threads: usize,
    ) -> io::Result<()> {
        let mut written = Ok(());
        let mut lines = TextLines::of(entry, options);
        let problems = |games: Range<u32>| {
            let len = games.len();
            let found: Vec<_> = games.map(|game| (game, problems_by_move(entry, game))).collect();
            (len, found)
        };
        let _ = in_order(entry.database.len(), threads, problems, |(len, found)| {
            self.bar.inc(len as u64);
            let mut rows = found
                .iter()
                .flat_map(|(game, problems)| problems.iter().map(move |row| (game, row)));
            written = rows.try_for_each(|(game, (problem, at))| {
                let number = u64::from(*game) + 1;
                let line = lines.as_mut().and_then(|lines| lines.line_of(problem));
                let what = described(name, problem, line, at.as_deref());
                self.line(format_args!("{name}: game {number}: {what}"))
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

/// A problem with its place: `line 7, 4. Bxc7: no bishop can go to c7 (byte 126)`. Names the file unless the database
/// has the same name.
fn described(name: &str, problem: &Problem, line: Option<u64>, at: Option<&str>) -> String {
    let what = match at {
        // The place already shows the move.
        Some(at) if !at.starts_with("move ") => {
            let what = &problem.what;
            what.strip_prefix(ILLEGAL).unwrap_or(what)
        }
        _ => &problem.what,
    };
    let line = line.map(|line| format!("line {line}"));
    let place: Vec<&str> = line.as_deref().into_iter().chain(at).collect();
    let place = match &*place {
        [] => String::new(),
        place => format!("{}: ", place.join(", ")),
    };
    let main = name.rsplit_once('/').map_or(name, |(_, name)| name);
    let file = Some(problem.file.as_str()).filter(|&file| file != main && !file.is_empty());
    let byte = problem.offset.map(|offset| format!("byte {offset}"));
    let source: Vec<&str> = file.into_iter().chain(byte.as_deref()).collect();
    match &*source {
        [] => format!("{place}{what}"),
        source => format!("{place}{what} ({})", source.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_has_its_place_first_and_the_file_once() {
        let what = "illegal move: no bishop can go to c7";
        for (file, offset, line, at, text) in [
            (
                "bad.pgn",
                Some(126),
                Some(7),
                Some("4. Bxc7"),
                "line 7, 4. Bxc7: no bishop can go to c7 (byte 126)",
            ),
            (
                "bad.pgn",
                Some(126),
                None,
                Some("move 4"),
                "move 4: illegal move: no bishop can go to c7 (byte 126)",
            ),
            (
                "bad.dcg",
                Some(9),
                None,
                None,
                "illegal move: no bishop can go to c7 (bad.dcg, byte 9)",
            ),
            (
                "bad.dcg",
                None,
                None,
                None,
                "illegal move: no bishop can go to c7 (bad.dcg)",
            ),
            (
                "bad.pgn",
                None,
                None,
                None,
                "illegal move: no bishop can go to c7",
            ),
        ] {
            let problem = Problem::damage(file, offset, what);
            assert_eq!(described("club/bad.pgn", &problem, line, at), text);
        }
    }
}
