//! Finding jose databases in a folder (sections 1, 2.1).

use std::path::Path;

use crate::files::{Candidate, SourceFolder};

/// The tables of a database and of an archive, the ones with games first.
const TABLES: [&str; 14] = [
    "game",
    "moregame",
    "io_game",
    "player",
    "event",
    "site",
    "opening",
    "collection",
    "io_player",
    "io_event",
    "io_site",
    "io_opening",
    "io_collection",
    "metainfo",
];

const EXTENSIONS: [&str; 3] = ["myd", "myi", "frm"];

/// The kind of a file, such as `game.myd`; `None` for files that are not tables.
pub(super) fn kind_of(name: &str) -> Option<String> {
    let (table, extension) = name.rsplit_once('.')?;
    let table = TABLES.iter().find(|known| known.eq_ignore_ascii_case(table))?;
    let extension = EXTENSIONS
        .iter()
        .find(|known| known.eq_ignore_ascii_case(extension))?;
    Some(format!("{table}.{extension}"))
}

/// The usual name of a table's file that is missing: `MoreGame.MYD` for `moregame.myd`.
pub(super) fn name_of(table: &str, extension: &str) -> String {
    let (prefix, table) = match table.strip_prefix("io_") {
        Some(table) => ("IO_", table),
        None => ("", table),
    };
    let mut name = table.replace("game", "Game");
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{prefix}{name}.{extension}")
}

/// The databases in a folder: one of `Game` and `MoreGame`, one of `IO_Game`, and archives.
pub(super) fn find(directory: &SourceFolder) -> Vec<Candidate> {
    let mut warnings = Vec::new();
    let mut tables: Vec<(String, &str)> = Vec::new();
    for name in &directory.files {
        let Some(kind) = kind_of(name) else { continue };
        match tables.iter().find(|(known, _)| *known == kind) {
            None => tables.push((kind, name)),
            Some((_, first)) => warnings.push(format!(
                "{name} is ignored and {first} is read: their names differ in letter case only"
            )),
        }
    }
    let has = |kind: &str| tables.iter().any(|(known, _)| known == kind);
    let is_game = |kind: &str| kind.starts_with("game.") || kind.starts_with("moregame.");
    let is_io = |kind: &str| kind.starts_with("io_");
    let has_other = tables
        .iter()
        .any(|(kind, _)| !is_io(kind) && kind.ends_with(".myd") && !is_game(kind));
    let has_both = has("game.myd") && has("moregame.myd");
    let is_database = has_both || (has_other && (has("game.myd") || has("moregame.myd")));
    if is_locked(&directory.path) {
        warnings.push("db.lock says that jose may be running and change the tables".to_owned());
    }
    let candidate = |name: &str, belongs: &dyn Fn(&str) -> bool| {
        let mut files: Vec<_> = tables.iter().filter(|(kind, _)| belongs(kind)).collect();
        // The table with the games comes first: it is the main file.
        files.sort_by_key(|(kind, _)| {
            let stem = kind.split('.').next();
            let extension = EXTENSIONS.iter().position(|known| kind.ends_with(known));
            let table = TABLES.iter().position(|table| Some(*table) == stem);
            (table > Some(2), extension != Some(0), table, extension)
        });
        Candidate {
            name: name.to_owned(),
            files: files
                .into_iter()
                .map(|(kind, name)| (kind.clone(), directory.path.join(name)))
                .collect(),
            warnings: warnings.clone(),
        }
    };
    let mut found = Vec::new();
    if is_database {
        found.push(candidate("", &|kind| !is_io(kind)));
    }
    if has("io_game.myd") {
        let name = if is_database { "IO_Game" } else { "" };
        found.push(candidate(name, &|kind| {
            is_io(kind) || kind.starts_with("metainfo")
        }));
    }
    for name in &directory.files {
        let extension = Path::new(name).extension();
        if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("jose")) {
            found.push(Candidate {
                name: name.clone(),
                files: vec![("jose".to_owned(), directory.path.join(name))],
                warnings: Vec::new(),
            });
        }
    }
    found
}

/// True if the program's lock file exists in the folder of tables or next to it (section 2.3).
fn is_locked(folder: &Path) -> bool {
    let beside = folder.parent().map(|parent| parent.join("db.lock"));
    beside.is_some_and(|lock| lock.is_file()) || folder.join("db.lock").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str]) -> Vec<(String, Vec<String>)> {
        let directory = SourceFolder {
            path: "d".into(),
            files: files.iter().map(|&name| name.to_owned()).collect(),
        };
        let kinds = |candidate: &Candidate| candidate.files.iter().map(|(kind, _)| kind.clone()).collect();
        let found = find(&directory);
        found
            .iter()
            .map(|found| (found.name.clone(), kinds(found)))
            .collect()
    }

    fn row(name: &str, kinds: &[&str]) -> (String, Vec<String>) {
        (
            name.to_owned(),
            kinds.iter().map(|&kind| kind.to_owned()).collect(),
        )
    }

    #[test]
    fn tables_are_one_database_whatever_their_case() {
        assert_eq!(
            found(&[
                "GAME.MYD",
                "Player.frm",
                "game.frm",
                "game.myd",
                "player.myd",
                "x.txt"
            ]),
            [row("", &["game.myd", "game.frm", "player.myd", "player.frm"])]
        );
        assert_eq!(found(&["Game.MYD", "Game.frm"]), []);
        assert_eq!(found(&["Game.MYD", "MoreGame.MYD"]).len(), 1);
    }

    #[test]
    fn an_export_beside_a_database_is_another_one() {
        assert_eq!(
            found(&["Game.MYD", "IO_Game.MYD", "IO_Site.MYD", "MoreGame.MYD", "a.JOSE"]),
            [
                row("", &["game.myd", "moregame.myd"]),
                row("IO_Game", &["io_game.myd", "io_site.myd"]),
                row("a.JOSE", &["jose"]),
            ]
        );
        assert_eq!(found(&["IO_Game.MYD"]), [row("", &["io_game.myd"])]);
    }
}
