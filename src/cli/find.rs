//! `pgnfs find`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use indicatif::ProgressBar;
use serde_json::json;

use super::export::selected;
use super::options::Settings;
use super::{CommandError, FOUND_NONE, ended, progress};
use chessdb::formats::Database;
use chessdb_library::csv::append_record;
use chessdb_library::duplicates::Duplicates;
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::game_path;
use chessdb_library::library::{Library, LibraryEntry, append_text, on_one_line, tags_of};
use chessdb_library::positions::{
    BuildOptions, Damaged, Index, IndexError, IndexUse, Material, MovesTable, Novelty, Occurrence, Pattern,
    Pawns, Selection, Wanted, WantedError, novelties_csv, san_of, scan, scan_moves_among,
};

/// The values of the option that selects how results are shown.
pub const SHOWN: [&str; 6] = ["path", "count", "moves", "pgn", "csv", "ndjson"];

/// The arguments that give the criterion of a search.
pub const WANTED: [&str; 5] = ["fen", "moves", "pawns", "material", "novelty"];

/// The tags shown by `csv` and `ndjson`.
const TAGS: [&str; 8] = [
    "White", "Black", "Result", "Date", "Event", "ECO", "WhiteElo", "BlackElo",
];

/// What is asked, and how it is answered.
pub struct Question<'a> {
    /// The path of the database to search; `None` for all databases.
    database: Option<&'a str>,
    asked: Asked,
    /// One of [`SHOWN`].
    show: &'a str,
    /// Whether only the best game of each group of duplicates is searched.
    is_unique: bool,
}

enum Asked {
    Games(Wanted),
    /// The table of moves of a position.
    Moves(Pattern),
    Novelties,
}

impl Question<'_> {
    /// Reads the arguments.
    ///
    /// # Errors
    /// If an argument is wrong, or two of them contradict.
    pub fn read(matches: &ArgMatches) -> Result<Question<'_>, CommandError> {
        let show = matches.get_one("show").map_or("path", String::as_str);
        let asked = match (matches.get_flag("novelty"), show) {
            (true, "path" | "csv" | "count") => Asked::Novelties,
            (true, _) => return Err("--novelty can be shown as path, csv or count".into()),
            (false, _) => match (show, wanted(matches)?) {
                ("moves", Wanted::Position(pattern)) => Asked::Moves(pattern),
                ("moves", _) => return Err("--show moves needs a position: give --fen or --moves".into()),
                (_, wanted) => Asked::Games(wanted),
            },
        };
        Ok(Question {
            database: matches.get_one("DATABASE").map(String::as_str),
            asked,
            show,
            is_unique: matches.get_flag("unique"),
        })
    }
}

/// Prints the games with a match. The exit code shows whether there are any.
///
/// # Errors
/// If the question is about a database that does not exist, or one that changes meanwhile.
pub fn run(
    library: &Library,
    question: &Question<'_>,
    settings: &Settings,
    kept: Option<KeptFiles>,
) -> Result<ExitCode, CommandError> {
    let entries = selected(library, question.database)?;
    let games = entries.iter().map(|entry| u64::from(entry.database.len())).sum();
    let search = Search {
        unique: if question.is_unique {
            unique(&entries, settings.serve.threads)
        } else {
            Vec::new()
        },
        files: kept.filter(|_| settings.index != IndexUse::No),
        settings,
        bar: progress::bar(games),
    };
    let (found, written) = match &question.asked {
        Asked::Games(wanted) => games_with(&search, &entries, wanted, question.show),
        Asked::Moves(pattern) => moves(&search, &entries, pattern),
        Asked::Novelties => novelties(&search, &entries, question.show)?,
    };
    if let Some(changed) = entries.iter().find(|entry| !entry.is_intact()) {
        let name = on_one_line(changed.name());
        return Err(format!("{name}: a file was changed while it was read: search again").into());
    }
    ended(written, "standard output")?;
    Ok(match found {
        0 => ExitCode::from(FOUND_NONE),
        _ => ExitCode::SUCCESS,
    })
}

/// How databases are searched.
struct Search<'a> {
    files: Option<KeptFiles>,
    settings: &'a Settings,
    bar: ProgressBar,
    /// The games of each database that are searched; all if it is empty.
    unique: Vec<(&'a LibraryEntry, Arc<Selection>)>,
}

/// The best game of each group of duplicates, and all others that have none.
fn unique<'a>(entries: &[&'a LibraryEntry], threads: usize) -> Vec<(&'a LibraryEntry, Arc<Selection>)> {
    let databases: Vec<&dyn Database> = entries.iter().map(|entry| &*entry.database).collect();
    let working = progress::working("looking for games that are there more than once");
    let games = Duplicates::find(&databases, threads).unique(&databases);
    working.finish_and_clear();
    let selections = games.iter().map(|games| Arc::new(Selection::of(games)));
    entries.iter().copied().zip(selections).collect()
}

impl Search<'_> {
    /// The games of a database that are searched; `None` for all.
    fn selection(&self, entry: &LibraryEntry) -> Option<&Arc<Selection>> {
        let mut unique = self.unique.iter();
        let found = unique.find(|(other, _)| std::ptr::eq(*other, entry));
        found.map(|(_, games)| games)
    }

    /// An index that answers for the games that are searched.
    fn restricted(&self, entry: &LibraryEntry, index: Index) -> Index {
        match self.selection(entry) {
            Some(games) => index.among(games),
            None => index,
        }
    }

    /// Answers a question from a database's index, or by a scan if there is none.
    fn ask<T>(
        &self,
        entry: &LibraryEntry,
        of_index: impl Fn(&Index) -> Result<T, Damaged>,
        of_scan: impl Fn(&dyn Database, usize, &(dyn Fn(u64) + Sync)) -> T,
    ) -> T {
        let games = u64::from(entry.database.len());
        if let (Some(files), Some(index)) = (&self.files, self.index(entry)) {
            match of_index(&self.restricted(entry, index)) {
                Ok(answer) => {
                    self.bar.inc(games);
                    return answer;
                }
                Err(damaged) => {
                    log::info!("{}: {damaged}", entry.name());
                    Index::remove(files, entry);
                }
            }
        }
        of_scan(&*entry.database, self.settings.serve.threads, &|games| {
            self.bar.inc(games)
        })
    }

    /// The index of a database. A missing index is built if the user wants it.
    fn index(&self, entry: &LibraryEntry) -> Option<Index> {
        let loaded = Index::load(self.files.as_ref()?, entry);
        if loaded.is_some() || self.settings.index != IndexUse::Yes {
            return loaded;
        }
        let built = self.build(entry, self.files.as_ref());
        built
            .inspect_err(|error| log::warn!("{}: {error}", entry.name()))
            .ok()
    }

    /// Builds the index of a database. Without files to keep it in, it is temporary.
    fn build(&self, entry: &LibraryEntry, files: Option<&KeptFiles>) -> Result<Index, IndexError> {
        let options = BuildOptions {
            threads: self.settings.serve.threads,
            memory: self.settings.index_memory,
            ..BuildOptions::default()
        };
        let games = u64::from(entry.database.len());
        let done = |games| self.bar.inc(games);
        progress::while_indexing(&self.bar, games, || match files {
            Some(files) => Index::build(files, entry, options, &done),
            None => Index::temporary(&entry.database, options, &done),
        })
    }

    /// The novelties of a database. Finding them requires an index.
    fn novelties(&self, entry: &LibraryEntry) -> Result<Vec<Novelty>, IndexError> {
        let done = |games| self.bar.inc(games);
        if let Some(files) = &self.files
            && let Some(index) = Index::load(files, entry)
        {
            let before = self.bar.position();
            match self.restricted(entry, index).novelties(&done) {
                Ok(novelties) => return Ok(novelties),
                Err(_) => Index::remove(files, entry),
            }
            self.bar.set_position(before);
        }
        let built = match self.build(entry, self.files.as_ref()) {
            Err(error) if self.files.is_some() && !matches!(error, IndexError::Changed) => {
                log::warn!("{}: {error}", entry.name());
                self.build(entry, None)
            }
            built => built,
        };
        Ok(self.restricted(entry, built?).novelties(&done)?)
    }
}

/// The criterion that the arguments give.
fn wanted(matches: &ArgMatches) -> Result<Wanted, CommandError> {
    type Read = fn(&str) -> Result<Wanted, WantedError>;
    let readers: [Read; 4] = [
        |text| Pattern::parse(text).map(Wanted::Position),
        |text| Pattern::of_moves(text).map(Wanted::Position),
        |text| Pawns::parse(text).map(Wanted::Pawns),
        |text| Material::parse(text).map(Wanted::Material),
    ];
    let given = WANTED.into_iter().zip(readers).find_map(|(name, read)| {
        let text = matches.get_one::<String>(name)?;
        Some(read(text).map_err(|error| format!("--{name}: {error}").into()))
    });
    given.unwrap_or_else(|| {
        Err("say what to find: give --fen, --moves, --pawns, --material or --novelty".into())
    })
}

/// Shows the table of moves of a position, over all databases.
fn moves(search: &Search<'_>, entries: &[&LibraryEntry], pattern: &Pattern) -> (u64, io::Result<()>) {
    let mut sum = MovesTable::default();
    // The number of each database's first game among those of all.
    let mut firsts = Vec::new();
    let mut next = 0u32;
    for entry in entries {
        let table = search.ask(
            entry,
            |index| index.moves(pattern),
            |database, threads, done| {
                scan_moves_among(database, pattern, search.selection(entry), threads, done)
            },
        );
        sum.merge(table, next);
        firsts.push(next);
        next = next.saturating_add(entry.database.len());
    }
    search.bar.finish_and_clear();
    let csv = sum.csv(|row| {
        let game = row.game?;
        let number = firsts.partition_point(|&first| first <= game).checked_sub(1)?;
        Some(path(entries.get(number)?, game - firsts.get(number)?))
    });
    let written = if sum.rows.is_empty() {
        Ok(())
    } else {
        io::stdout().lock().write_all(csv.as_bytes())
    };
    (sum.games().into(), written)
}

/// Shows the games with a match, database by database.
fn games_with(
    search: &Search<'_>,
    entries: &[&LibraryEntry],
    wanted: &Wanted,
    show: &str,
) -> (u64, io::Result<()>) {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut sum = 0;
    let mut written = Ok(());
    for entry in entries {
        let found = search.ask(
            entry,
            |index| index.find(wanted),
            |database, threads, done| {
                let mut found = scan(database, wanted, threads, done);
                let games = search.selection(entry);
                found.retain(|found| games.is_none_or(|games| games.has(found.game)));
                found
            },
        );
        let columns = ["path", "ply", "move"].into_iter().chain(TAGS);
        let header = columns.collect::<Vec<_>>().join(",");
        let needs_header = show == "csv" && sum == 0 && !found.is_empty();
        sum += found.len() as u64;
        written = search.bar.suspend(|| {
            if needs_header {
                writeln!(out, "{header}")?;
            }
            found
                .iter()
                .try_for_each(|found| write_game(&mut out, entry, found, show))
        });
        if written.is_err() {
            break;
        }
    }
    search.bar.finish_and_clear();
    let written = written.and_then(|()| match show {
        "count" => writeln!(out, "{sum}"),
        _ => Ok(()),
    });
    (sum, written.and_then(|()| out.flush()))
}

/// Shows, for each game, the first move that leads to a position that no earlier game has.
fn novelties(
    search: &Search<'_>,
    entries: &[&LibraryEntry],
    show: &str,
) -> Result<(u64, io::Result<()>), CommandError> {
    let mut sum = 0;
    let mut text = String::new();
    for entry in entries {
        let novelties = search.novelties(entry)?;
        match show {
            "csv" => {
                let csv = novelties_csv(&*entry.database, &novelties, |game| path(entry, game));
                let rows = csv.split_once('\n').map_or("", |(_, rows)| rows);
                text.push_str(if text.is_empty() { &csv } else { rows });
            }
            "path" => {
                for Novelty { found, .. } in &novelties {
                    text += &format!("{}\t{}\n", path(entry, found.game), found.ply);
                }
            }
            _ => {}
        }
        sum += novelties.len() as u64;
    }
    if show == "count" {
        text = format!("{sum}\n");
    }
    search.bar.finish_and_clear();
    Ok((sum, io::stdout().lock().write_all(text.as_bytes())))
}

fn write_game(out: &mut impl Write, entry: &LibraryEntry, found: &Occurrence, show: &str) -> io::Result<()> {
    let path = || path(entry, found.game);
    match show {
        "count" => Ok(()),
        "pgn" => {
            let mut text = Vec::new();
            append_text(&mut text, entry, found.game);
            out.write_all(&text)
        }
        "csv" | "ndjson" => {
            let tags = tags_of(&*entry.database, found.game);
            let mut fields = vec![
                ("path", path()),
                ("ply", found.ply.to_string()),
                ("move", san_of(&*entry.database, found)),
            ];
            fields.extend(TAGS.map(|tag| {
                (
                    tag,
                    tags.get(tag).unwrap_or_default().replace(char::is_control, ""),
                )
            }));
            let mut line = Vec::new();
            match show {
                "csv" => append_record(&mut line, fields.iter().map(|(_, value)| value)),
                _ => append_object(&mut line, &fields),
            }
            out.write_all(&line)
        }
        _ => writeln!(out, "{}\t{}", path(), found.ply),
    }
}

/// Appends a line of JSON with the fields that are known.
fn append_object(line: &mut Vec<u8>, fields: &[(&str, String)]) {
    let known = fields.iter().filter(|(_, value)| !value.is_empty());
    let object = known.map(|(name, value)| {
        let value = match value.parse::<u32>() {
            Ok(ply) if *name == "ply" => json!(ply),
            _ => json!(value),
        };
        ((*name).to_owned(), value)
    });
    line.extend_from_slice(serde_json::Value::Object(object.collect()).to_string().as_bytes());
    line.push(b'\n');
}

/// The path of a game below a mount of the source.
fn path(entry: &LibraryEntry, game: u32) -> String {
    let path = game_path(game, entry.database.len());
    match entry.path.as_str() {
        "" => path,
        directory => format!("{directory}/{path}"),
    }
}
