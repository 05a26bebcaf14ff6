//! The texts of `info.txt` and `problems.txt`.

use std::fmt::Write;
use std::path::Path;

use super::sizes::Sizes;
use super::times::utc;
use crate::tree::NamedSearch;
use chessdb::Problem;
use chessdb_library::library::{Library, LibraryEntry, is_unprintable};

/// `info.txt` of a database, with `more` as its last warnings.
pub(super) fn database_info(entry: &LibraryEntry, more: Vec<String>) -> String {
    let database = &entry.database;
    let info = database.info();
    let mut rows = vec![
        ("Database", entry.name().to_owned()),
        ("Format", entry.format.title.to_owned()),
        ("Games", database.len().to_string()),
    ];
    rows.extend(entry.file_rows().into_iter().map(|row| ("File", row)));
    rows.extend(info.rows);
    let mut text = String::new();
    push_rows(&mut text, &rows);
    push_list(&mut text, "Warnings", info.warnings.into_iter().chain(more));
    push_list(&mut text, "Problems", entry.problems().iter());
    text
}

/// `info.txt` at the root: lists the databases and what was left out. Without its path, the source has its last name.
pub(super) fn library_info(library: &Library, shows_path: bool) -> String {
    let mut text = String::new();
    let databases = library.databases();
    // Counts the games, unless files were changed before that.
    let games: u64 = databases
        .iter()
        .map(|entry| u64::from(entry.database.len()))
        .sum();
    let source = library.source();
    let name = source.file_name().map(Path::new).filter(|_| !shows_path);
    let mut source = name.unwrap_or(source).display().to_string();
    if let Some(since) = library.gone() {
        source += &format!(", gone since {}", utc(since));
    }
    let are_counted = databases.iter().all(|entry| entry.is_counted());
    push_rows(
        &mut text,
        &[
            ("Source", source),
            ("Databases", databases.len().to_string()),
            ("Games", format!("{}{games}", bound(are_counted))),
        ],
    );
    let shown = databases.iter().map(|entry| {
        let games = entry.database.len();
        format!(
            "{}: {}, {}{games} {}",
            entry.name(),
            entry.format.title,
            bound(entry.is_counted()),
            plural(games)
        )
    });
    push_list(&mut text, "Databases", shown);
    // Lists no elapsed time, so that the text does not change every second.
    let patience = library.patience().as_secs();
    let opening = library.opening().iter();
    let opening = opening.map(|one| format!("{}: for more than {patience} s", one.path));
    push_list(&mut text, "Being opened", opening);
    push_list(&mut text, "Left out", library.left_out().iter());
    text
}

/// `info.txt` of all databases: the code, the path and the number of games of each. `more` are rows that follow the
/// number of all games, and precede `warnings`.
pub(super) fn all_info<'a>(
    databases: impl Iterator<Item = (&'a str, &'a str, u32)> + Clone,
    more: impl IntoIterator<Item = (&'static str, String)>,
    warnings: Vec<String>,
) -> String {
    let mut text = String::new();
    let games: u64 = databases.clone().map(|(_, _, games)| u64::from(games)).sum();
    let number = databases.clone().count();
    let mut rows = vec![("Databases", number.to_string()), ("Games", games.to_string())];
    rows.extend(more);
    push_rows(&mut text, &rows);
    push_list(&mut text, "Warnings", warnings.into_iter());
    let rows = databases.map(|(code, path, games)| format!("{code}  {path}, {games} {}", plural(games)));
    push_list(&mut text, "Codes in the names of games", rows);
    text
}

/// `info.txt` of a search: what is asked, and the path and the number of games of each database.
pub(super) fn search_info<'a>(
    search: &NamedSearch,
    databases: impl IntoIterator<Item = (&'a str, u32)>,
    warnings: impl Iterator<Item = String>,
) -> String {
    let databases: Vec<_> = databases.into_iter().collect();
    let games: u64 = databases.iter().map(|(_, games)| u64::from(*games)).sum();
    let mut text = String::new();
    push_rows(
        &mut text,
        &[
            ("Query", search.text.clone()),
            ("Canonical form", search.query.canonical()),
            ("Games", games.to_string()),
        ],
    );
    push_list(&mut text, "Warnings", warnings);
    let rows = databases
        .iter()
        .map(|(path, games)| format!("{path}, {games} {}", plural(*games)));
    push_list(&mut text, "Games of each database", rows);
    text
}

/// The rows of `problems.txt`: those of the database itself, then those of the games that are shown, in their order.
pub(super) fn problem_rows(
    own: &[Problem],
    games: &Sizes,
    is_shown: impl Fn(u32) -> bool,
    digits: usize,
) -> String {
    let mut text = String::new();
    for problem in own {
        push_line(&mut text, &format!("-\t{problem}"));
    }
    games.each_problem(|game, file, rest| {
        if is_shown(game) {
            let number = u64::from(game) + 1;
            push_line(&mut text, &format!("{number:0digits$}\t{file}{rest}"));
        }
    });
    text
}

/// What precedes a number of games.
fn bound(is_counted: bool) -> &'static str {
    if is_counted { "" } else { "at most " }
}

fn plural(games: u32) -> &'static str {
    if games == 1 { "game" } else { "games" }
}

fn push_rows(text: &mut String, rows: &[(&str, String)]) {
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0)
        + 1;
    for (name, value) in rows {
        push_line(text, &format!("{:width$} {value}", format!("{name}:")));
    }
}

/// Appends a headline and its list, unless the list is empty.
fn push_list(text: &mut String, headline: &str, items: impl Iterator<Item = impl std::fmt::Display>) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\n{headline}:");
    for item in items {
        push_line(text, &format!("  {item}"));
    }
}

/// Appends a line with unprintable characters replaced by spaces. Tabs stay, because they separate columns.
fn push_line(text: &mut String, line: &str) {
    let is_kept = |c: char| c == '\t' || !is_unprintable(c);
    text.extend(line.chars().map(|c| if is_kept(c) { c } else { ' ' }));
    text.push('\n');
}
