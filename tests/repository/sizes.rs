//! Sizes at which the code changes its method: each is reached by a test, or there is a reason why it need not be.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::layering::sources;

/// A line for each constant: its file and name, what happens there, and the file and name of a test that reaches it. In
/// place of the test there may be a reason.
const SIZES: &str = include_str!("sizes.txt");

/// A constant with such a name is one of these sizes.
const NAMES: [&str; 16] = [
    "BATCH", "DEEPEST", "ENOUGH", "FEW", "FEWEST", "HUGE", "LARGE", "LARGEST", "LEAST", "LIMIT", "LONG",
    "LONGEST", "MANY", "MOST", "SMALL", "SLOW",
];

/// The rows by file and constant.
fn rows() -> BTreeMap<(&'static str, &'static str), &'static str> {
    let lines = SIZES
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(|line| {
        let (constant, rest) = line.split_once(" | ").unwrap_or_else(|| panic!("{line}"));
        let constant = constant.split_once(' ').unwrap_or_else(|| panic!("{line}"));
        let (_, test) = rest.split_once(" | ").unwrap_or_else(|| panic!("{line}"));
        (constant, test)
    });
    let mut by_constant = BTreeMap::new();
    for (constant, test) in rows {
        assert!(
            by_constant.insert(constant, test).is_none(),
            "{constant:?} is there twice"
        );
    }
    by_constant
}

/// The numeric constants of some code.
fn constants(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let (_, rest) = line.split_once("const ")?;
        let (name, kind) = rest.split_once(": ")?;
        let is_number = [
            "u8",
            "u16",
            "u32",
            "u64",
            "usize",
            "i32",
            "i64",
            "f64",
            "NonZeroUsize",
        ]
        .iter()
        .any(|number| {
            kind.strip_prefix(number)
                .is_some_and(|rest| rest.starts_with(" ="))
        });
        is_number.then_some(name)
    })
}

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn every_size_has_a_row() {
    let rows = rows();
    let mut missing = Vec::new();
    for package in [
        "crates/chessdb/src",
        "crates/chessdb-library/src",
        "crates/pgnfs-server/src",
        "src",
    ] {
        for (file, code) in sources(package) {
            let file = format!("{package}/{file}");
            let is_size = |name: &&str| NAMES.contains(&name.split('_').next().unwrap());
            let sizes = constants(&code).filter(is_size);
            missing.extend(
                sizes
                    .filter(|name| !rows.contains_key(&(&*file, *name)))
                    .map(|name| format!("{file} {name}")),
            );
        }
    }
    assert!(missing.is_empty(), "not in sizes.txt:\n{}", missing.join("\n"));
}

#[test]
fn constants_and_tests_of_each_row_exist() {
    let rows = rows();
    assert!(rows.len() > 150, "{}", rows.len());
    for ((file, constant), test) in rows {
        let has = |text: &str, word: &str| {
            text.match_indices(word).any(|(at, _)| {
                !text[at + word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        };
        assert!(
            ["const", "static"]
                .iter()
                .any(|kind| has(&text(file), &format!("{kind} {constant}"))),
            "{file} has no {constant}"
        );
        if let Some((tests, name)) = test.split_once(".rs ") {
            let tests = format!("{tests}.rs");
            assert!(
                has(&text(&tests), &format!("fn {name}")),
                "{tests} has no test {name}"
            );
        }
    }
}
