use std::path::{Path, PathBuf};

use pgnfs::formats::{Database, Options};
use serde_json::Value;

use super::*;
use crate::common::samples::{self, candidates, shared};

/// Games that are stored with moves that are not legal, or start where none can be played: PGN shows them in a
/// remark, which the expected files do not.
fn is_told(given: &Read) -> bool {
    let told = ["illegal move, ", "no game can be played"];
    given.movetext.iter().any(|item| told.iter().any(|words| item.contains(words)))
}

/// Takes away what does not count: `$0`, words and places of remarks, and where very long words are broken.
fn normalize(game: &mut Read) {
    let mut movetext = Vec::new();
    for mut item in game.movetext.drain(..) {
        if item.len() > 247 {
            item.retain(|c| c != ' ');
        }
        match item.split_once("pgnfs:") {
            None if item == "$0" => {}
            None => movetext.push(item),
            Some((before, _)) => {
                let before = before.trim_end();
                if before != "{" {
                    movetext.push(format!("{before}}}"));
                }
                game.tags.insert("(remark)".to_owned(), "yes".to_owned());
            }
        }
    }
    game.movetext = movetext;
}

fn folder() -> Option<PathBuf> {
    shared().map(|shared| shared.join("data/jose"))
}

fn open_path(path: &Path) -> Result<Box<dyn Database>, String> {
    let base = path.with_extension("");
    let found = candidates(if path.is_dir() { path } else { &base });
    let (format, candidate) = found.first().ok_or("no candidate")?;
    samples::try_open(format, candidate, &Options::default())
}

fn open_set(name: &str) -> Box<dyn Database> {
    let folder = folder().unwrap();
    let archive = folder.join(format!("{name}.jose"));
    let path = if archive.exists() { archive } else { folder.join(name) };
    open_path(&path).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

fn games_of(database: &dyn Database) -> Vec<Read> {
    pgn::read(&export(database))
}

fn expected(name: &str) -> Vec<Read> {
    let folder = folder().unwrap();
    let plain = folder.join(format!("{name}.expected.pgn"));
    let packed = folder.join(format!("{name}.expected.pgn.gz"));
    let path = if plain.exists() { plain } else { packed };
    pgn::read(samples::read_text(&path).as_bytes())
}

/// Compares all games of a set but those of which `skip` knows the place, and gives how many were told in remarks.
fn check_set(name: &str, skip: &[usize]) -> usize {
    if folder().is_none() {
        return 0;
    }
    let database = open_set(name);
    let given = games_of(&*database);
    let expected = expected(name);
    assert_eq!(given.len(), expected.len(), "games of {name}");
    let mut told = 0;
    for (number, (mut given, mut expected)) in (1..).zip(given.into_iter().zip(expected)) {
        if is_told(&given) {
            told += 1;
            assert_eq!(given.tags, expected.tags, "tags of {name}, game {number}");
            continue;
        }
        normalize(&mut given);
        normalize(&mut expected);
        if skip.contains(&number) {
            assert!(given.tags.contains_key("(remark)"), "a remark in {name}, game {number}");
            continue;
        }
        assert_same(&given, &expected, &format!("{name}, game {number}"));
    }
    told
}

fn json(name: &str) -> Value {
    let text = std::fs::read_to_string(folder().unwrap().join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The names of the folders above and with each game, by its number.
fn folders_of_games(database: &dyn Database) -> Vec<Vec<String>> {
    let folders = database.folders();
    let mut paths: Vec<Vec<String>> = Vec::new();
    let mut of_games = vec![Vec::new(); database.len() as usize];
    for folder in &folders {
        let mut path = folder.parent.map_or(Vec::new(), |parent| paths[parent].clone());
        path.push(folder.name.clone());
        for &game in &folder.games {
            of_games[game as usize] = path.clone();
        }
        paths.push(path);
    }
    of_games
}

/// Compares collections and what is in the trash.
fn check_folders(name: &str) {
    if folder().is_none() {
        return;
    }
    let database = open_set(name);
    let folders = folders_of_games(&*database);
    for (game, row) in (0..).zip(json(&format!("{name}.expected.json")).as_array().unwrap()) {
        let expected: Vec<&str> = row["folder"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        assert_eq!(folders[game as usize], expected, "folder of {name}, game {}", game + 1);
        assert_eq!(database.keys(game).deleted, row["deleted"], "{name}, game {}", game + 1);
    }
}

#[test]
fn the_database_of_2005() {
    assert_eq!(check_set("real2005", &[]), 0);
    if folder().is_some() {
        let database = open_set("real2005");
        let dates = database.info().rows.into_iter().find(|(name, _)| *name == "dates");
        assert!(dates.unwrap().1.contains("392 are one day early and 0 are not"));
    }
}

#[test]
fn an_archive_of_the_program() {
    if folder().is_none() {
        return;
    }
    let skip = json("export.skip.json");
    let skip = skip.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as usize);
    check_set("export", &skip.collect::<Vec<_>>());
}

#[test]
fn variations_nags_promotions_and_set_ups() {
    check_set("varied", &[]);
    check_folders("varied");
}

#[test]
fn promotions_and_split_rows() {
    check_set("synth", &[]);
    check_folders("synth");
}

#[test]
fn rows_out_of_order_and_trash() {
    check_set("fragmented", &[]);
    check_folders("fragmented");
}

#[test]
fn odd_collections_and_lost_games() {
    check_set("random_dir", &[]);
    check_folders("random_dir");
}

#[test]
fn all_kinds_of_blocks_and_early_dates() {
    check_set("random_shifted", &[]);
    check_folders("random_shifted");
}

#[test]
fn texts_behind_their_tokens() {
    check_set("inline", &[]);
}

#[test]
fn odd_games_one_question_each() {
    if folder().is_none() {
        return;
    }
    assert_eq!(check_set("edge", &[]), 2);
    let database = open_set("edge");
    let folders = folders_of_games(&*database);
    for (game, row) in (0..).zip(json("edge.json").as_array().unwrap()) {
        assert_eq!(Value::from(folders[game as usize].clone()), row["folder"], "edge, game {}", game + 1);
        let problems = database.game(game).problems;
        assert_eq!(!problems.is_empty(), row["remark"] == true, "edge, game {}: {problems:?}", game + 1);
    }
}
