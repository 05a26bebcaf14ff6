//! `docs/dependencies.md` names the crates that are used, and all of them are used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use testkit::samples::files_below;

use crate::run;

/// The manifests of the repository, each with what it names itself.
fn packages() -> Vec<(String, Vec<String>)> {
    let mut packages = Vec::new();
    for manifest in [
        "Cargo.toml",
        "python/Cargo.toml",
        "fuzz/Cargo.toml",
        "benches/instructions/Cargo.toml",
    ] {
        let text = run(Command::new("cargo")
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .args(["--manifest-path", manifest]));
        let metadata: Value = serde_json::from_str(&text).unwrap();
        for package in metadata["packages"].as_array().unwrap() {
            let dependencies = package["dependencies"].as_array().unwrap();
            let names = dependencies
                .iter()
                .map(|dependency| dependency["name"].as_str().unwrap().to_owned());
            let manifest = package["manifest_path"].as_str().unwrap().to_owned();
            packages.push((manifest, names.collect()));
        }
    }
    assert!(packages.len() >= 8, "{packages:?}");
    packages
}

/// The crates that the page names in code.
fn listed() -> BTreeSet<String> {
    let page = fs::read_to_string("docs/dependencies.md").unwrap();
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once(" |"));
    let rows = rows.flat_map(|(names, _)| names.split(['`', ',', ' ']));
    let (_, tests) = page.split_once("## In tests alone").unwrap();
    let names = rows.chain(tests.split('`').skip(1).step_by(2));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_page_lists_each_direct_dependency() {
    let used: BTreeSet<String> = packages().into_iter().flat_map(|(_, names)| names).collect();
    let used: BTreeSet<String> = used.into_iter().filter(|name| name != "testkit").collect();
    assert!(used.len() > 50, "{used:?}");
    let listed = listed();
    let missing: Vec<_> = used.difference(&listed).collect();
    let more: Vec<_> = listed.difference(&used).collect();
    assert!(
        missing.is_empty() && more.is_empty(),
        "not listed: {missing:?}; not used: {more:?}"
    );
}

#[test]
fn each_dependency_is_named_in_a_source() {
    let mut unused = BTreeMap::new();
    for (manifest, names) in packages() {
        let folder = Path::new(&manifest).parent().unwrap();
        // testkit has some only for their features.
        if folder.ends_with("testkit") {
            continue;
        }
        let folders = ["src", "tests", "benches", "examples", "fuzz_targets"].map(|name| folder.join(name));
        let files = folders
            .iter()
            .filter(|folder| folder.exists())
            .flat_map(|folder| files_below(folder));
        let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
        let code: String = files.map(|file| fs::read_to_string(file).unwrap()).collect();
        let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for name in names {
            if !words.contains(name.replace('-', "_").as_str()) {
                unused.entry(name).or_insert_with(Vec::new).push(manifest.clone());
            }
        }
    }
    assert!(unused.is_empty(), "{unused:#?}");
}
