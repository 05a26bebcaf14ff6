//! What scripts/test runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Without cargo-nextest, scripts/test names the programs that it runs at the same time.
#[test]
fn every_test_program_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs = BTreeSet::new();
    for folder in [
        "tests",
        "crates/chessdb/tests",
        "crates/chessdb-library/tests",
        "crates/pgnfs-server/tests",
    ] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let is_program = path.join("main.rs").exists() || path.extension().is_some_and(|end| end == "rs");
            if is_program {
                programs.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let script = fs::read_to_string(root.join("scripts/test")).unwrap();
    let named = |list: &str| {
        let begin = format!("\n{list}=(");
        let (_, rest) = script.split_once(&begin).unwrap();
        let (names, _) = rest.split_once(')').unwrap();
        names.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let run: BTreeSet<String> = named("waiting").into_iter().chain(named("others")).collect();
    assert_eq!(run, programs);
    assert!(programs.len() > 8, "{programs:?}");
}
