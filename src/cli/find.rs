//! `pgnfs find`.

mod deviations;
mod lines;
mod order;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;

use super::export::{may_concern, selected};
use super::options::Settings;
use super::search::{Search, all_of, intact, read_query, repertoires, unique_of};
use super::{CommandError, FOUND_NONE, ended, logging};
use crate::mount::in_shell;
use chessdb_library::kept::KeptFiles;
use chessdb_library::library::Library;
use chessdb_library::lines::Occurrence;
use chessdb_library::positions::{DatabasePart, MoveRow, MovesTable, Novelty, Pattern, novelties_csv};
use chessdb_library::query::Query;
use deviations::deviations;
use lines::{header, path, write_game};
use order::{FoundGame, Order};

/// The values of the option that selects how results are shown.
pub const SHOWN: [&str; 7] = ["path", "count", "moves", "deviations", "pgn", "csv", "ndjson"];

/// The arguments of `find`: what to search for, and how to show the result.
pub struct Question {
    source: PathBuf,
    /// The path of the database to search; `None` for all databases.
    database: Option<String>,
    asked: Asked,
    /// The text of the query; empty without one.
    text: String,
    /// One of [`SHOWN`].
    show: String,
    order: Order,
    /// Whether only the best game of each group of duplicates is searched.
    is_unique: bool,
}

enum Asked {
    /// The games that answer a query.
    Games(Query),
    /// The novelties of all games, or only of the games that answer a query.
    Novelties(Option<Query>),
}

impl Question {
    /// Reads the arguments.
    ///
    /// # Errors
    /// If an argument is invalid, or two arguments contradict each other.
    pub fn read(matches: &ArgMatches) -> Result<Question, CommandError> {
        let show = matches.get_one("show").map_or("path", String::as_str);
        let is_novelty = matches.get_flag("novelty");
        let places = ["QUERY", "SOURCE", "DATABASE"].map(|name| matches.get_one::<OsString>(name));
        let (query, source, database) = match places {
            [Some(source), None, _] if is_novelty => (None, source, None),
            [Some(query), Some(source), database] => (Some(query), source, database),
            _ if is_novelty => return Err("SOURCE is required, as in pgnfs find --novelty SOURCE".into()),
            _ => {
                let what = "say what to find and where: a query and SOURCE are required, as in \
                            pgnfs find 'player:carlsen' SOURCE";
                return Err(what.into());
            }
        };
        if let Some(query) = query {
            check_order(query.as_ref(), source.as_ref(), is_novelty)?;
        }
        let read = query.map(|query| read_query(query)).transpose()?;
        let asked = match read {
            Some(query) if !is_novelty => Asked::Games(query),
            query => Asked::Novelties(query),
        };
        match (&asked, show) {
            (Asked::Novelties(_), "path" | "csv" | "count") => {}
            (Asked::Novelties(_), _) => return Err("--novelty can be shown as path, csv or count".into()),
            (Asked::Games(query), "deviations") if query.only_repertoire().is_some() => {}
            (_, "deviations") => {
                return Err(
                    "--show deviations needs a query with one repertoire: or left:, without mirror: and, for left:, without \
                     in:variations, as in 'player:tal repertoire:white.pgn by:player'"
                        .into(),
                );
            }
            (Asked::Games(query), "moves") if query.groups() == 1 => {}
            (Asked::Games(query), "moves") if query.groups() > 1 => {
                return Err("--show moves needs a query without then and next".into());
            }
            (_, "moves") => {
                return Err("--show moves needs a position: give a query with line: or fen:".into());
            }
            _ => {}
        }
        Ok(Question {
            text: query.map_or_else(String::new, |text| text.to_string_lossy().into_owned()),
            source: source.into(),
            database: database.map(|path| path.to_string_lossy().into_owned()),
            asked,
            show: show.to_owned(),
            order: Order::read(matches, show)?,
            is_unique: matches.get_flag("unique"),
        })
    }

    /// The source to search.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// False if no database at or below this path of the source can be searched.
    pub fn may_concern(&self, path: &str) -> bool {
        may_concern(self.database.as_deref(), self.query(), path)
    }

    /// The query in the arguments.
    fn query(&self) -> Option<&Query> {
        match &self.asked {
            Asked::Games(query) => Some(query),
            Asked::Novelties(query) => query.as_ref(),
        }
    }
}

/// Returns an error if QUERY is an existing file or folder and SOURCE does not exist: they were given in the wrong
/// order.
fn check_order(query: &Path, source: &Path, is_novelty: bool) -> Result<(), CommandError> {
    if source.exists() || !query.exists() {
        return Ok(());
    }
    let (query, source) = (in_shell(query), in_shell(source));
    let novelty = if is_novelty { "--novelty " } else { "" };
    Err(format!(
        "there is no file or folder {source}: the query comes before SOURCE, as in pgnfs find {novelty}{source} {query}"
    )
    .into())
}

/// Prints the games with a match. The exit code shows whether there are any.
///
/// # Errors
/// If the question names a database that does not exist, or a database changes meanwhile.
pub fn run(
    library: &Library,
    question: &Question,
    settings: &Settings,
    kept: Option<KeptFiles>,
) -> Result<ExitCode, CommandError> {
    let entries = selected(library, question.database.as_deref())?;
    let all = all_of(&entries, settings, kept.as_ref());
    let parts = if question.is_unique {
        // The best copy of a game is chosen among the databases that are searched.
        let queries = question.query().into_iter();
        let is_searched =
            |part: &DatabasePart| queries.clone().all(|query| query.concerns(part.entry().name()));
        let all: Vec<DatabasePart> = all.into_iter().filter(is_searched).collect();
        unique_of(&all, settings.serve.threads, kept.as_ref())
    } else {
        all
    };
    let known = repertoires(library, question.query(), settings)?;
    let asks_query = question.query().is_some();
    let search = Search::new(parts, settings, kept.is_some(), asks_query, Arc::clone(&known));
    let (found, written) = match &question.asked {
        Asked::Novelties(query) => {
            let among = query.as_ref().map(|query| search.among(query));
            novelties(&search, among.as_ref(), question)?
        }
        Asked::Games(query) if question.show == "moves" => moves_of_query(&search, query),
        Asked::Games(query) if question.show == "deviations" => deviations(&search, query, &question.order),
        Asked::Games(query) => games(&search, question, query.groups() > 0, |part| {
            search.answer(part, query)
        }),
    };
    intact(&entries, &known, "search again")?;
    ended(written, "standard output")?;
    if search.has_kept_lines() && io::stderr().is_terminal() {
        logging::say(format_args!(
            "the lines of the games are kept in the cache folder: later searches for positions are faster"
        ));
    }
    if found == 0 && io::stderr().is_terminal() {
        if question.show == "deviations" {
            logging::say(format_args!(
                "no game that matches the query leaves the repertoire"
            ));
        } else {
            logging::say(format_args!("no game found"));
            for hint in search.answers.hints(&question.text) {
                logging::say(format_args!("{hint}"));
            }
        }
    }
    Ok(match found {
        0 => ExitCode::from(FOUND_NONE),
        _ => ExitCode::SUCCESS,
    })
}

/// Shows the table of moves of a position, over all databases.
fn moves(search: &Search, pattern: &Pattern) -> (u64, io::Result<()>) {
    show_table(search, true, |part| search.moves(part, pattern))
}

/// Shows the table of the moves that were played in the positions that match a query.
fn moves_of_query(search: &Search, query: &Query) -> (u64, io::Result<()>) {
    if let Some(pattern) = query.only_position() {
        // The table of a single position also counts games that reach the position after a move by other moves.
        let others = query.without_positions();
        return if others.is_empty() {
            moves(search, pattern)
        } else {
            moves(&search.among(&others), pattern)
        };
    }
    show_table(search, false, |part| {
        MovesTable::of_found(part.database(), &search.answer(part, query), search.threads())
    })
}

/// Shows the sum of the tables of all databases.
fn show_table(
    search: &Search,
    has_reached: bool,
    table: impl Fn(&DatabasePart) -> MovesTable,
) -> (u64, io::Result<()>) {
    let parts = search.parts();
    let sum = DatabasePart::sum(parts, |part| Some(table(part))).unwrap_or_default();
    search.bar.finish_and_clear();
    let path_of = |row: &MoveRow| {
        let (number, game) = DatabasePart::place_of(parts, row.game?);
        Some(path(parts.get(number)?.entry(), game))
    };
    let csv = if has_reached {
        sum.csv(path_of)
    } else {
        sum.csv_of_found(path_of)
    };
    let written = if sum.rows.is_empty() {
        Ok(())
    } else {
        io::stdout().lock().write_all(csv.as_bytes())
    };
    (sum.games().into(), written)
}

/// Shows the games of each database as soon as they are found, unless they have to be sorted.
fn games(
    search: &Search,
    question: &Question,
    has_move: bool,
    find: impl Fn(&DatabasePart) -> Vec<Occurrence>,
) -> (u64, io::Result<()>) {
    let (order, show, parts) = (&question.order, question.show.as_str(), search.parts());
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut has_header = show != "csv";
    let mut write = |found: &mut dyn Iterator<Item = (usize, Occurrence)>| -> io::Result<()> {
        search.bar.suspend(|| {
            for (part, found) in found {
                if !has_header {
                    has_header = true;
                    out.write_all(header().as_bytes())?;
                }
                write_game(&mut out, parts[part].entry(), &found, show, has_move)?;
            }
            Ok(())
        })
    };
    let (mut sum, mut written) = (0, Ok(()));
    if order.is_plain() {
        for (number, part) in parts.iter().enumerate() {
            let left = order.limit().saturating_sub(sum as usize);
            if left == 0 || written.is_err() {
                break;
            }
            let mut found = find(part);
            found.truncate(left);
            sum += found.len() as u64;
            written = write(&mut found.into_iter().map(|found| (number, found)));
        }
    } else {
        let found: Vec<Vec<Occurrence>> = parts.iter().map(find).collect();
        let mut starts = vec![0];
        for found in &found {
            starts.push(starts[starts.len() - 1] + found.len() as u32);
        }
        let place = |n: u32| {
            let part = starts.partition_point(|&start| start <= n) - 1;
            (part, found[part][(n - starts[part]) as usize])
        };
        let game = |n| {
            let (part, found) = place(n);
            (parts[part].database(), found.game)
        };
        let shown = order.first(starts[parts.len()], game, search.threads());
        sum = shown.len() as u64;
        written = write(&mut shown.into_iter().map(place));
    }
    search.bar.finish_and_clear();
    let written = written.and_then(|()| match show {
        "count" => writeln!(out, "{sum}"),
        _ => Ok(()),
    });
    (sum, written.and_then(|()| out.flush()))
}

/// Shows, for each game (or each of the games in `among`), the first move that leads to a position that no earlier game
/// of its database has.
fn novelties(
    search: &Search,
    among: Option<&Search>,
    question: &Question,
) -> Result<(u64, io::Result<()>), CommandError> {
    let parts = search.parts();
    let mut found = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let among = among.and_then(|among| among.parts().get(number));
        let novelties = search.novelties(part)?.into_iter().map(|shown| FoundGame {
            part: number,
            game: shown.found.game,
            shown,
        });
        found.extend(novelties.filter(|one| among.is_none_or(|part| part.has(one.game))));
    }
    question.order.arrange(&mut found, parts, search.threads());
    let mut text = String::new();
    for run in found.chunk_by(|one, next| one.part == next.part) {
        let entry = parts[run[0].part].entry();
        match question.show.as_str() {
            "csv" => {
                let novelties: Vec<Novelty> = run.iter().map(|one| one.shown).collect();
                let csv = novelties_csv(&*entry.database, &novelties, |game| path(entry, game));
                let rows = csv.split_once('\n').map_or("", |(_, rows)| rows);
                text.push_str(if text.is_empty() { &csv } else { rows });
            }
            "path" => {
                for one in run {
                    text += &format!("{}\t{}\n", path(entry, one.game), one.shown.found.ply);
                }
            }
            _ => {}
        }
    }
    if question.show == "count" {
        text = format!("{}\n", found.len());
    }
    search.bar.finish_and_clear();
    Ok((found.len() as u64, io::stdout().lock().write_all(text.as_bytes())))
}
