//! Each value of an error, a fault or a problem is seen by a test, as a user sees it.

use std::fs;
use std::path::Path;

use super::caches::rows;
use super::layering::sources;

/// A line for each value: its file and name; words that a user reads, or the value, in the test; the file and name of the
/// test. Where that is no test there are no words either, but a reason.
const PROBLEMS: &str = include_str!("problems.txt");

/// An enum with such a word in its name lists what can be wrong.
const NAMES: [&str; 11] = [
    "Error", "Failure", "Fault", "Unread", "Unplayed", "Refus", "Wrong", "Problem", "Illegal", "Flaw",
    "Damage",
];

/// The values of the enums in some code that list what can be wrong.
fn values(code: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut own: Option<&str> = None;
    for line in code.lines() {
        if let Some((_, rest)) = line
            .split_once("enum ")
            .filter(|_| line.ends_with('{') && !line.starts_with(' '))
        {
            let name = rest.split([' ', '<', '{']).next().unwrap_or_default();
            own = NAMES.iter().any(|word| name.contains(word)).then_some(name);
        } else if line.starts_with('}') {
            own = None;
        } else if let (Some(own), Some(rest)) = (own, line.strip_prefix("    ")) {
            let value = rest
                .split(|c: char| !c.is_alphanumeric())
                .next()
                .unwrap_or_default();
            if value.starts_with(char::is_uppercase) {
                values.push(format!("{own}::{value}"));
            }
        }
    }
    values
}

/// The code of a function, on one line where a text continues on the next.
fn body(code: &str, name: &str) -> Option<String> {
    let start = code.find(&format!("fn {name}("))?;
    let line = code[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &code[line..start];
    let indent = &indent[..indent.len() - indent.trim_start().len()];
    let rest = &code[start..];
    let end = rest.find(&format!("\n{indent}}}")).unwrap_or(rest.len());
    let mut words = String::new();
    for line in rest[..end].lines() {
        match line.strip_suffix('\\') {
            Some(begun) if words.ends_with("\u{0}") => {
                words = words.trim_end_matches('\u{0}').to_owned() + begun.trim_start() + "\u{0}"
            }
            Some(begun) => words += &format!("{begun}\u{0}"),
            None if words.ends_with('\u{0}') => {
                words = words.trim_end_matches('\u{0}').to_owned() + line.trim_start() + "\n"
            }
            None => words += &format!("{line}\n"),
        }
    }
    Some(words)
}

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn every_value_has_a_row() {
    let rows = rows(PROBLEMS);
    let (mut missing, mut found) = (Vec::new(), 0);
    for package in [
        "crates/chessdb/src",
        "crates/chessdb-library/src",
        "crates/pgnfs-server/src",
        "src",
    ] {
        for (file, code) in sources(package) {
            let file = format!("{package}/{file}");
            for value in values(&code) {
                found += 1;
                if !rows.contains_key(&(&*file, &*value)) {
                    missing.push(format!("{file} {value}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "not in problems.txt:\n{}", missing.join("\n"));
    assert_eq!(found, rows.len(), "some rows are of values that no longer exist");
}

#[test]
fn each_test_has_the_words_of_its_row() {
    let mut tests = 0;
    for ((file, value), (words, test)) in rows(PROBLEMS) {
        let Some((tests_file, name)) = test.split_once(".rs ") else {
            assert_eq!(words, "-", "{file} {value}");
            continue;
        };
        let tests_file = format!("{tests_file}.rs");
        let body = body(&text(&tests_file), name).unwrap_or_else(|| panic!("{tests_file} has no {name}"));
        assert!(
            body.contains(words),
            "{name} in {tests_file} has no '{words}', for {value}"
        );
        tests += 1;
    }
    assert!(tests > 150, "{tests}");
}
