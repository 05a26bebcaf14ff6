//! Everything that is kept to be used again: the parts of its key, and a test that asks questions which differ in one part.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::layering::sources;

/// A line for each cache: its file and name; the parts of its key, separated by commas; the file and name of a test that
/// asks two questions which differ in one of them, in both orders. In place of the test there may be a reason.
const CACHES: &str = include_str!("caches.txt");

/// A field or a static of such a type is a cache.
const TYPES: [&str; 4] = ["OnceLru<", "LruCache<", "KeptAnswers<", "Made<"];

/// A map or a list of pairs behind a lock may be one.
const LOCKS: [&str; 2] = ["Mutex<", "RwLock<"];
const MAPS: [&str; 3] = ["Map<", "Vec<(", "Set<"];

pub type Rows = BTreeMap<(&'static str, &'static str), (&'static str, &'static str)>;

/// The second and third column of a table, by the file and the name in its first.
pub fn rows(table: &'static str) -> Rows {
    let lines = table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut rows = BTreeMap::new();
    for line in lines {
        let mut parts = line.split(" | ");
        let mut next = || parts.next().unwrap_or_else(|| panic!("{line}"));
        let (place, what, test) = (next(), next(), next());
        let place = place.split_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert!(
            rows.insert(place, (what, test)).is_none(),
            "{place:?} is there twice"
        );
    }
    rows
}

/// The name of the cache that a line of code declares, if it does.
fn declared(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let is_cache = TYPES.iter().any(|own| {
        code.match_indices(own)
            .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric()))
    });
    let is_map = LOCKS.iter().any(|own| code.contains(own)) && MAPS.iter().any(|own| code.contains(own));
    let starts = [
        "//", "use ", "impl", "let ", "fn ", "pub fn", "type ", "where", "for ",
    ];
    let is_declaration = !starts.iter().any(|start| code.starts_with(start)) && !code.contains("fn ");
    if !is_declaration || !(is_cache || is_map) {
        return None;
    }
    let code = code.trim_start_matches("pub").trim_start();
    let code = match code.strip_prefix('(') {
        Some(rest) => rest.split_once(") ")?.1,
        None => code,
    };
    let code = ["static ", "struct "]
        .iter()
        .find_map(|word| code.strip_prefix(word))
        .unwrap_or(code);
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let (name, rest) = code.split_at(end);
    // A tuple struct, a variant, a field, or a static.
    let is_one = rest.starts_with('(') || rest.starts_with(": ") || rest.starts_with('<');
    // Parameters are not caches either.
    let is_parameter = rest.starts_with(": &");
    (is_one && !is_parameter && !name.is_empty() && !code.contains("::new")).then_some(name)
}

/// The code without its tests.
fn without_tests(code: &str) -> &str {
    code.split("#[cfg(test)]\nmod tests").next().unwrap_or(code)
}

#[test]
fn every_cache_has_a_row() {
    let rows = rows(CACHES);
    let (mut missing, mut found) = (Vec::new(), 0);
    for package in [
        "crates/chessdb/src",
        "crates/chessdb-library/src",
        "crates/pgnfs-server/src",
        "src",
    ] {
        for (file, code) in sources(package) {
            let file = format!("{package}/{file}");
            if file.ends_with("/tests.rs") || file.contains("/tests/") {
                continue;
            }
            for line in without_tests(&code).lines() {
                if let Some(name) = declared(line) {
                    found += 1;
                    if !rows.contains_key(&(&*file, name)) {
                        missing.push(format!("{file} {name}"));
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "not in caches.txt:\n{}", missing.join("\n"));
    assert!(found > 40, "{found}");
}

#[test]
fn every_kind_of_kept_files_has_a_row() {
    let file = "crates/chessdb-library/src/kept/mod.rs";
    let code = text(file);
    let kinds = code
        .split_once("pub enum KeptKind {")
        .unwrap()
        .1
        .split_once("\n}")
        .unwrap()
        .0;
    let rows = rows(CACHES);
    let mut number = 0;
    for kind in kinds
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//") && !line.is_empty())
    {
        let kind = kind.trim_end_matches(',');
        assert!(
            rows.keys().any(|(own, name)| *own == file && *name == kind),
            "caches.txt has no {file} {kind}"
        );
        number += 1;
    }
    assert!(number >= 6, "{number}");
}

#[test]
fn caches_and_tests_of_each_row_exist() {
    for ((file, name), (key, test)) in rows(CACHES) {
        assert!(!key.is_empty(), "{file} {name}");
        let has = |text: &str, word: &str| {
            text.match_indices(word).any(|(at, _)| {
                !text[at + word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        };
        assert!(has(&text(file), name), "{file} has no {name}");
        if let Some((tests, test)) = test.split_once(".rs ") {
            let tests = format!("{tests}.rs");
            assert!(
                has(&text(&tests), &format!("fn {test}")),
                "{tests} has no test {test}"
            );
        }
    }
}

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}
