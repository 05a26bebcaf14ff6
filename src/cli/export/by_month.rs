//! A table as a folder of files, a folder for each month, as Lichess publishes its games.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use indicatif::ProgressBar;

use super::table::{self, ExportedTable};
use crate::cli::output::OutputFolder;
use crate::cli::{CommandError, progress};
use chessdb_library::library::shown;
use chessdb_library::parallel::in_order;
use chessdb_library::positions::DatabasePart;
use chessdb_library::table::TableForm;
use chessdb_library::table::utc_month;

/// Maximum number of games in a file.
const MOST_GAMES: usize = 1_000_000;

/// The folder name for an unknown part of a date, as Hive and programs that read its folders expect it.
const UNKNOWN: &str = "__HIVE_DEFAULT_PARTITION__";

/// A year and a month; 0 if unknown.
type Month = (u16, u8);

/// Games of parts, each with the number of its part.
type PartGames = Vec<(usize, Vec<u32>)>;

/// True if a path names a folder: if it exists and is one, or ends with a slash.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// The folder for the files of all months, which are in its `data`.
///
/// # Errors
/// If `data` exists already.
pub fn folder(path: &Path) -> Result<OutputFolder, CommandError> {
    let data = path.join("data");
    if data.symlink_metadata().is_ok() {
        return Err(format!(
            "{} is there already: remove it or name another folder",
            shown(&data)
        )
        .into());
    }
    OutputFolder::new(&data).map_err(|error| format!("{} cannot be written: {error}", shown(path)).into())
}

/// Writes the games of each month into files of the folder. `is_intact` is called before a file gets its name.
///
/// # Errors
/// If `is_intact` fails. A file that cannot be written is an inner error.
pub fn write(
    folder: &OutputFolder,
    exported: &ExportedTable,
    parts: &[DatabasePart],
    threads: usize,
    is_intact: impl Fn() -> Result<(), CommandError>,
) -> Result<io::Result<()>, CommandError> {
    let bar = progress::bar(parts.iter().map(|part| u64::from(part.len())).sum());
    let written = write_months(folder, exported, parts, threads, &bar, is_intact);
    bar.finish_and_clear();
    written
}

fn write_months(
    folder: &OutputFolder,
    exported: &ExportedTable,
    parts: &[DatabasePart],
    threads: usize,
    bar: &ProgressBar,
    is_intact: impl Fn() -> Result<(), CommandError>,
) -> Result<io::Result<()>, CommandError> {
    for (month, games) in months(parts, threads) {
        let files = files_of(games);
        for (n, games) in files.iter().enumerate() {
            let parts: Vec<DatabasePart> = games
                .iter()
                .filter_map(|(part, games)| Some(parts.get(*part)?.with(games.clone())))
                .collect();
            let mut out = match folder.create(&name(month, n, files.len())) {
                Ok(out) => out,
                Err(error) => return Ok(Err(error)),
            };
            let written = table::write(&mut out, TableForm::Parquet, exported, &parts, threads, bar);
            is_intact()?;
            if let Err(error) = written.and_then(|()| out.finish()) {
                return Ok(Err(error));
            }
        }
    }
    Ok(Ok(()))
}

/// The games of each month, in their order.
fn months(parts: &[DatabasePart], threads: usize) -> BTreeMap<Month, PartGames> {
    let mut months: BTreeMap<Month, PartGames> = BTreeMap::new();
    for (number, part) in parts.iter().enumerate() {
        let read = |places: Range<u32>| {
            let games = part.games_at(places);
            let games = games.map(|game| (game, month_of(part, game)));
            games.collect::<Vec<(u32, Month)>>()
        };
        let _ = in_order(part.len(), threads, read, |games| {
            for (game, month) in games {
                let all = months.entry(month).or_default();
                match all.last_mut() {
                    Some((last, games)) if *last == number => games.push(game),
                    _ => all.push((number, vec![game])),
                }
            }
            ControlFlow::<()>::Continue(())
        });
    }
    months
}

/// The month in which a game began in UTC, otherwise the month of its date.
fn month_of(part: &DatabasePart, game: u32) -> Month {
    let date = utc_month(&part.database().tags(game));
    let date = date.unwrap_or_else(|| part.database().keys(game).date);
    (date.year, date.month)
}

/// The games of a month in files of at most [`MOST_GAMES`].
fn files_of(games: PartGames) -> Vec<PartGames> {
    let (mut files, mut room) = (Vec::<PartGames>::new(), 0);
    for (part, games) in games {
        let mut rest = games.as_slice();
        while !rest.is_empty() {
            if room == 0 {
                files.push(Vec::new());
                room = MOST_GAMES;
            }
            let (first, after) = rest.split_at(rest.len().min(room));
            room -= first.len();
            rest = after;
            if let Some(file) = files.last_mut() {
                file.push((part, first.to_vec()));
            }
        }
    }
    files
}

/// The path of the file with number `n` of `files` in a month.
fn name((year, month): Month, n: usize, files: usize) -> String {
    let mut name = match year {
        0 => format!("year={UNKNOWN}"),
        year => format!("year={year:04}"),
    };
    // Writing to a string cannot fail.
    let _ = match month {
        0 => write!(name, "/month={UNKNOWN}"),
        month => write!(name, "/month={month:02}"),
    };
    let _ = write!(name, "/train-{n:05}-of-{files:05}.parquet");
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_at_most_a_million_games() {
        let lens = |lens: &[u32]| {
            let games = lens.iter().enumerate();
            let games = games.map(|(part, len)| (part, (0..*len).collect()));
            let files = files_of(games.collect()).into_iter();
            let file = |file: PartGames| file.iter().map(|(part, games)| (*part, games.len())).collect();
            files.map(file).collect::<Vec<Vec<(usize, usize)>>>()
        };
        assert_eq!(lens(&[1_000_000]), [[(0, 1_000_000)]]);
        assert_eq!(lens(&[1_000_001]), [[(0, 1_000_000)], [(0, 1)]]);
        assert_eq!(lens(&[999_999, 3]), [vec![(0, 999_999), (1, 1)], vec![(1, 2)]]);
    }

    #[test]
    fn names_are_those_of_partitions() {
        assert_eq!(
            name((2013, 1), 0, 12),
            "year=2013/month=01/train-00000-of-00012.parquet"
        );
        assert_eq!(
            name((0, 0), 11, 12),
            "year=__HIVE_DEFAULT_PARTITION__/month=__HIVE_DEFAULT_PARTITION__/train-00011-of-00012.parquet"
        );
    }
}
