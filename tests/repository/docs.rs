//! The pages of the repository: links work, and files and commands that they mention exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The forms for issues.
const TEMPLATES: &str = ".github/ISSUE_TEMPLATE";

/// All pages in the repository, with their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = Vec::new();
    for folder in [
        "",
        TEMPLATES,
        "benches",
        "crates/chessdb",
        "docs",
        "docs/formats",
        "examples/games",
        "packaging",
    ] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
            let text = fs::read_to_string(&path).unwrap();
            pages.push((path, text));
        }
    }
    assert!(pages.len() >= 7, "{} pages", pages.len());
    pages
}

/// The texts between two marks on the same line.
fn between<'a>(text: &'a str, open: &'a str, close: char) -> impl Iterator<Item = &'a str> {
    let parts = text.lines().flat_map(move |line| line.split(open).skip(1));
    parts.filter_map(move |part| Some(part.split_once(close)?.0))
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for (page, text) in pages() {
        for link in between(&text, "](", ')').filter(|link| !link.contains("://")) {
            let (path, _) = link.split_once('#').unwrap_or((link, ""));
            if !path.is_empty() && !page.parent().unwrap().join(path).exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn files_that_are_named_exist() {
    let folders = [
        ".ci/",
        "benches/",
        "crates/chessdb/",
        "crates/chessdb-library/",
        "docs/",
        "examples/",
        "fuzz/",
        "packaging/",
        "crates/pgnfs-server/",
        "python/",
        "scripts/",
        "src/",
        "tests/",
    ];
    let mut missing = Vec::new();
    for (page, text) in pages() {
        // Code is every second part between backticks.
        let code = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let words = code.flat_map(str::split_whitespace);
        for path in words.filter(|word| folders.iter().any(|folder| word.starts_with(folder))) {
            if !path.contains(['<', '*']) && !root().join(path).exists() {
                missing.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn scripts_say_how_they_are_used() {
    let entries = fs::read_dir(root().join("scripts")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let scripts: Vec<PathBuf> = paths
        .filter(|path| path.is_file() && path.extension().is_none())
        .collect();
    assert!(scripts.len() >= 8, "{scripts:?}");
    for script in scripts {
        let ended = |argument: &str| {
            let ended = Command::new(&script).arg(argument).output().unwrap();
            let text = |bytes| String::from_utf8(bytes).unwrap();
            (ended.status.code(), text(ended.stdout), text(ended.stderr))
        };
        let usage = format!("usage: scripts/{}", script.file_name().unwrap().to_str().unwrap());
        let (code, out, err) = ended("--help");
        assert_eq!((code, err.as_str()), (Some(0), ""), "{}", script.display());
        assert!(out.starts_with(&usage), "{out}");
        let (code, out, err) = ended("--nonsense");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{}", script.display());
        assert!(err.contains(&format!("\n{usage}")), "{err}");
    }
}

/// The commands and the options of the program itself.
fn known_commands() -> BTreeSet<String> {
    let help = run(Command::new(env!("CARGO_BIN_EXE_pgnfs")).arg("--help"));
    let words = help.lines().filter_map(|line| line.strip_prefix("  "));
    let words = words.flat_map(|line| line.split_whitespace().take(2));
    words.map(str::to_owned).collect()
}

#[test]
fn issues_ask_for_what_the_program_says() {
    let known = known_commands();
    let templates: Vec<String> = pages()
        .into_iter()
        .filter_map(|(page, text)| page.starts_with(root().join(TEMPLATES)).then_some(text))
        .collect();
    assert!(templates.len() >= 2, "{templates:?}");
    for text in templates {
        let asked = text.lines().filter_map(|line| line.strip_prefix("$ pgnfs "));
        let asked: BTreeSet<&str> = asked.filter_map(|line| line.split_whitespace().next()).collect();
        assert!(
            asked.is_superset(&BTreeSet::from(["--version", "info"])),
            "{text}"
        );
        assert!(asked.iter().all(|word| known.contains(*word)), "{asked:?}");
    }
}

#[test]
fn commands_in_the_readme_exist() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let known = known_commands();
    let code = readme.lines().filter_map(|line| line.strip_prefix("    "));
    let code = code.map(|line| line.trim_start_matches("$ "));
    let named: BTreeSet<&str> = code
        .filter_map(|line| line.strip_prefix("pgnfs ")?.split_whitespace().next())
        .collect();
    for command in ["mount", "unmount", "find", "export", "check"] {
        assert!(named.contains(command), "the README does not show {command}");
    }
    assert!(
        named.iter().all(|word| known.contains(*word)),
        "{named:?} are not all in {known:?}"
    );
    assert!(
        readme.contains("scripts/demo"),
        "the README does not name scripts/demo"
    );
}
