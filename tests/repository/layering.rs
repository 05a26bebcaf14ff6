//! Checks the layers of `ARCHITECTURE.md` that Cargo does not enforce, by the paths in the sources.
//!
//! All paths count, in `use` lines and elsewhere, except in comments.

use std::fs;
use std::path::{Path, PathBuf};

/// The packages, each with its modules from the bottom up. A module uses only modules of its own line and of earlier
/// lines.
const PACKAGES: &[(&str, &[&[&str]])] = &[
    (
        "crates/chessdb",
        &[
            &["bytes", "text", "problem"],
            &["board"],
            &["files", "game", "replay"],
            &["holed", "map", "packed", "pgn"],
            &["database"],
            &["formats"],
            &["open"],
        ],
    ),
    (
        "crates/chessdb-library",
        &[
            &[
                "csv",
                "links",
                "made",
                "making",
                "mounts",
                "mapped",
                "once_lru",
                "similar",
                "task",
                "time_control",
                "workers",
            ],
            &["kept", "parallel", "spill", "turns"],
            &["library", "spelling"],
            &["lines"],
            &["annotations", "repertoire"],
            &["positions"],
            &["duplicates", "openings", "polyglot", "table"],
            &["explorer", "player", "query"],
        ],
    ),
    (
        "crates/pgnfs-server",
        &[&["overview", "watch"], &["tree"], &["fs"], &["server"]],
    ),
    (
        ".",
        &[&["fuse", "secret", "status"], &["mount", "serve"], &["cli"]],
    ),
];

/// Items that only some modules of a package may use.
const OUTSIDE: &[(&str, &str, &[&str])] = &[
    ("crates/chessdb", "shakmaty", &["board"]),
    ("crates/chessdb", "memmap2", &["map"]),
    ("crates/chessdb", "std::fs", &["map", "open"]),
    ("crates/chessdb-library", "memmap2", &["mapped"]),
    (".", "clap", &["cli"]),
    (".", "fuser", &["fuse", "mount"]),
    (".", "std::env", &["cli", "mount", "status"]),
    ("crates/pgnfs-server", "std::env", &[]),
    ("crates/pgnfs-server", "std::fs", &["watch"]),
    ("crates/pgnfs-server", "std::process", &["fs"]),
    (
        ".",
        "std::fs",
        &["fuse", "cli", "mount", "secret", "serve", "status"],
    ),
    (".", "axum", &["serve"]),
    (".", "tokio", &["serve"]),
    (".", "std::process", &["fuse", "cli", "mount", "status"]),
];

#[test]
fn modules_use_what_is_below_them() {
    let mut broken = Vec::new();
    for (package, lines) in PACKAGES {
        for (name, code) in sources(&format!("{package}/src")) {
            let own = name.split(['/', '.']).next().unwrap();
            if matches!(name.as_str(), "lib.rs" | "main.rs") {
                continue;
            }
            let Some(line) = lines.iter().position(|line| line.contains(&own)) else {
                broken.push(format!(
                    "{package}/src/{name}: {own} has no place in tests/repository/layering.rs"
                ));
                continue;
            };
            for path in paths(&code).into_iter().map(|path| from_root(&name, path)) {
                let inside = path.strip_prefix("crate::").unwrap_or_default();
                let is_above = lines[line + 1..]
                    .concat()
                    .iter()
                    .any(|module| is_in(inside, module));
                let is_outside = |(of, outside, owners): &(&str, &str, &[&str])| {
                    of == package && is_in(&path, outside) && !owners.contains(&own)
                };
                if is_above
                    || OUTSIDE.iter().any(is_outside)
                    || is_in(&path, "std::net") && !may_listen(package, own)
                {
                    broken.push(format!("{package}/src/{name}: {own} must not use {path}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// Only HTTP is heard from elsewhere, at the address that the command names.
fn may_listen(package: &str, module: &str) -> bool {
    package == "." && matches!(module, "serve" | "cli")
}

#[test]
fn formats_are_known_to_themselves_alone() {
    let folder = "crates/chessdb/src/formats";
    let entries = fs::read_dir(root().join(folder)).unwrap().map(Result::unwrap);
    // A folder without a row is what formats share.
    let has_row = |path: &Path| {
        let code = fs::read_to_string(path.join("mod.rs")).unwrap_or_default();
        code.contains("pub const FORMAT")
    };
    let formats: Vec<String> = entries
        .filter(|entry| has_row(&entry.path()))
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert!(formats.len() >= 5, "{formats:?}");
    let mut broken = Vec::new();
    for package in [
        "crates/chessdb/src",
        "crates/chessdb-library/src",
        "crates/pgnfs-server/src",
        "src",
    ] {
        for (name, code) in sources(package) {
            let code = code.to_lowercase();
            let own = name
                .strip_prefix("formats/")
                .filter(|_| package == "crates/chessdb/src");
            let own = own.and_then(|name| name.split('/').next());
            // The list of formats, which is the only one.
            if own == Some("mod.rs") {
                continue;
            }
            let known = formats.iter().filter(|format| match own {
                Some(own) => own != *format && code.contains(&format!("{format}::")),
                None => code.contains(format.as_str()),
            });
            broken.extend(known.map(|format| format!("{package}/{name} must not know {format}")));
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn formats_use_nothing_of_the_list_of_formats() {
    let mut broken = Vec::new();
    for (name, code) in sources("crates/chessdb/src") {
        let is_list = name == "formats/mod.rs";
        if is_list || !name.starts_with("formats/") {
            continue;
        }
        for path in paths(&code).into_iter().map(|path| from_root(&name, path)) {
            let folder = path.strip_prefix("crate::formats::");
            let folder = folder.and_then(|rest| rest.split("::").next());
            if folder.is_some_and(|folder| !root().join("crates/chessdb/src/formats").join(folder).is_dir()) {
                broken.push(format!("crates/chessdb/src/{name} must not use {path}"));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn only_maps_have_unsafe_code() {
    for (package, _) in PACKAGES {
        for (name, code) in sources(&format!("{package}/src")) {
            let is_allowed = match *package {
                "crates/chessdb" => name == "map.rs",
                "crates/chessdb-library" => name.starts_with("mapped"),
                _ => false,
            };
            assert!(
                is_allowed || !code.contains("allow(unsafe_code)"),
                "{package}: {name}"
            );
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The sources below a folder by relative path, without comments and without texts in quotation marks.
pub(super) fn sources(folder: &str) -> Vec<(String, String)> {
    let root = root().join(folder);
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                let text = fs::read_to_string(&path).unwrap();
                // Tests may use any module.
                if path.ends_with("tests.rs") {
                    continue;
                }
                let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                let code = code.map(|line| line.split('"').step_by(2).collect::<String>());
                sources.push((name, code.collect::<Vec<_>>().join("\n")));
            }
        }
    }
    sources.sort();
    sources
}

/// A path with `super` starts at the root instead.
fn from_root(name: &str, path: String) -> String {
    let module = name.trim_end_matches(".rs").trim_end_matches("/mod");
    let mut above: Vec<&str> = module.split('/').collect();
    let mut rest = path.as_str();
    while let Some(inner) = rest.strip_prefix("super::") {
        above.pop();
        rest = inner;
    }
    if rest == path {
        return path;
    }
    let parts = ["crate"].into_iter().chain(above).chain([rest]);
    parts.collect::<Vec<_>>().join("::")
}

/// True if a path is `prefix` or continues it.
fn is_in(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// All paths with several parts in a source. Groups in braces are one path for each item.
pub(super) fn paths(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '*');
    let mut paths = Vec::new();
    // The beginnings of paths in front of the open braces. Most of these braces are not groups.
    let mut groups: Vec<String> = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        // From where an item can be seen is no use of that place.
        if let Some(place) = rest.strip_prefix("pub(in ") {
            rest = place.split_once(')').map_or("", |(_, item)| item);
            continue;
        }
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let prefix = groups.last().cloned().unwrap_or_default();
        match first {
            '}' => drop(groups.pop()),
            '{' => groups.push(String::new()),
            _ if word.is_empty() => {}
            _ => {
                rest = &rest[word.len()..];
                let path = format!("{prefix}{word}");
                if word.ends_with("::") && rest.starts_with('{') {
                    rest = &rest[1..];
                    groups.push(path);
                } else if path.contains("::") {
                    paths.push(path);
                }
                continue;
            }
        }
        rest = &rest[first.len_utf8()..];
    }
    paths
}

#[test]
fn paths_start_at_the_root() {
    let path = |name, path: &str| from_root(name, path.to_owned());
    assert_eq!(path("formats/scid/mod.rs", "super::Keys"), "crate::formats::Keys");
    assert_eq!(
        path("formats/scid/index.rs", "super::Scid"),
        "crate::formats::scid::Scid"
    );
    assert_eq!(path("open.rs", "super::Found"), "crate::Found");
    assert_eq!(path("open.rs", "std::fs"), "std::fs");
}

#[test]
fn paths_are_found_however_they_are_written() {
    let code = "use crate::{game::Date, mapped::{self, Mapped as M}};\npub(in crate::b) fn f() { std::fs::read(p) }\nuse a::*;";
    let expected = [
        "crate::game::Date",
        "crate::mapped::self",
        "crate::mapped::Mapped",
        "crate::mapped::M",
        "std::fs::read",
        "a::*",
    ];
    let found: Vec<String> = paths(code)
        .into_iter()
        .filter(|path| !path.ends_with("::as"))
        .collect();
    assert_eq!(found, expected);
}
