//! Checks the layers of `ARCHITECTURE.md` that Cargo does not enforce, by the paths in the sources.
//!
//! All paths count, in `use` lines and elsewhere, except in comments.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules that a top-level module of a package may use.
struct Layer {
    name: &'static str,
    /// Modules, or single items.
    uses: &'static [&'static str],
}

const fn layer(name: &'static str, uses: &'static [&'static str]) -> Layer {
    Layer { name, uses }
}

/// The layers of `chessdb`. A module without a row fails the test.
const DECODERS: &[Layer] = &[
    layer("bytes", &[]),
    layer("text", &[]),
    layer("problem", &[]),
    layer("board", &[]),
    layer("game", &["board", "replay"]),
    layer("pgn", &["board", "game"]),
    layer("replay", &["board", "game", "problem"]),
    layer("packed", &["bytes", "text", "formats::Bytes"]),
    layer(
        "formats",
        &["bytes", "text", "problem", "board", "game", "packed", "replay"],
    ),
    layer("open", &["formats"]),
];

/// The layers of `pgnfs`, and what they may use of `chessdb`.
const MOUNT: &[Layer] = &[
    layer("mapped", &["chessdb::bytes", "chessdb::formats::Bytes"]),
    layer("mounts", &[]),
    layer("hung", &["mounts"]),
    layer("caller", &[]),
    layer("cancel", &[]),
    layer("parallel", &["cancel"]),
    layer("store", &[]),
    layer("sections", &["chessdb::bytes", "mapped"]),
    layer(
        "library",
        &["chessdb", "hung", "mapped", "mounts", "sections", "store"],
    ),
    layer(
        "positions",
        &[
            "cancel",
            "chessdb::board",
            "chessdb::bytes",
            "chessdb::formats::Database",
            "chessdb::game",
            "chessdb::replay::Ply",
            "library",
            "parallel",
            "sections",
        ],
    ),
    layer(
        "spelling",
        &["cancel", "chessdb::formats::Database", "chessdb::formats::TextId"],
    ),
    layer(
        "duplicates",
        &[
            "chessdb::board",
            "chessdb::formats::Database",
            "chessdb::formats::Keys",
            "chessdb::game",
            "library",
            "parallel",
            "positions",
        ],
    ),
    layer(
        "table",
        &[
            "chessdb::board",
            "chessdb::formats::Database",
            "chessdb::game",
            "library",
            "spelling",
            "tree::BLOCK",
            "tree::block_name",
            "tree::numbered_game_name",
        ],
    ),
    layer("overview", &["library", "spelling", "table"]),
    layer("watch", &["hung", "mounts"]),
    layer(
        "tree",
        &[
            "cancel",
            "chessdb::board",
            "chessdb::formats::Database",
            "chessdb::formats::Folder",
            "chessdb::formats::Keys",
            "chessdb::formats::Member",
            "chessdb::formats::TextId",
            "chessdb::game",
            "duplicates",
            "library",
            "mapped::give_back",
            "parallel",
            "positions",
            "sections",
            "spelling",
        ],
    ),
    layer(
        "fs",
        &[
            "cancel",
            "chessdb::bytes",
            "chessdb::formats::Problem",
            "chessdb::game",
            "duplicates",
            "library",
            "overview",
            "parallel",
            "positions",
            "spelling",
            "store",
            "table",
            "tree",
        ],
    ),
    layer("fuse", &["caller", "fs"]),
    layer("status", &["fs"]),
    layer(
        "mount",
        &[
            "fs",
            "fuse",
            "hung",
            "library::Library",
            "library::on_one_line",
            "library::shown",
            "mounts",
            "status",
            "watch",
        ],
    ),
    layer(
        "cli",
        &[
            "chessdb::formats",
            "duplicates",
            "library",
            "mapped::limit_kept",
            "fs",
            "fuse",
            "hung",
            "mount",
            "positions",
            "spelling",
            "status",
            "table",
            "tree::digits",
            "tree::game_path",
            "watch",
        ],
    ),
];

/// External items that only some modules may use: their paths, and these modules.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("env_filter", &["cli"]),
    ("fuser", &["fuse", "mount"]),
    ("indicatif", &["cli"]),
    ("memmap2", &["mapped"]),
    ("plotters", &["overview"]),
    (
        "rustix",
        &[
            "caller", "fuse", "library", "mapped", "mount", "mounts", "status", "store", "watch",
        ],
    ),
    ("sd_notify", &["mount"]),
    ("shakmaty", &["board"]),
    ("signal_hook", &["cli", "mount"]),
    ("std::env", &["cli", "mount", "positions", "status"]),
    (
        "std::fs",
        &[
            "caller",
            "cli",
            "formats",
            "hung",
            "library",
            "mapped",
            "mount",
            "mounts",
            "open",
            "positions",
            "sections",
            "status",
            "store",
            "watch",
        ],
    ),
    ("std::net", &[]),
    ("std::process", &["caller", "cli", "mount", "status"]),
];

#[test]
fn every_layer_uses_only_what_it_may() {
    let mut broken = Vec::new();
    for (folder, layers) in [("chessdb/src", DECODERS), ("src", MOUNT)] {
        for (name, code) in sources(folder) {
            let own = name.split(['/', '.']).next().unwrap();
            if matches!(name.as_str(), "lib.rs" | "main.rs") {
                continue;
            }
            let Some(layer) = layers.iter().find(|layer| layer.name == own) else {
                broken.push(format!("{folder}/{name}: {own} has no row in tests/layering.rs"));
                continue;
            };
            for path in paths(&code).into_iter().map(|path| from_root(&name, path)) {
                let inside = path.strip_prefix("crate::").unwrap_or(&path);
                let is_layer = layers.iter().any(|layer| is_in(inside, layer.name));
                let is_ours = inside != path && is_layer && !is_in(inside, own) || is_in(&path, "chessdb");
                let is_forbidden = is_ours && !layer.uses.iter().any(|allowed| is_in(inside, allowed));
                let belongs_to = OUTSIDE.iter().find(|(outside, _)| is_in(&path, outside));
                if is_forbidden || belongs_to.is_some_and(|(_, owners)| !owners.contains(&own)) {
                    broken.push(format!("{folder}/{name}: {own} must not use {path}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn formats_are_known_to_themselves_alone() {
    let folder = "chessdb/src/formats";
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
    for package in ["chessdb/src", "src"] {
        for (name, code) in sources(package) {
            let code = code.to_lowercase();
            let own = name.strip_prefix("formats/").filter(|_| package != "src");
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
fn only_mapped_has_unsafe_code() {
    for (name, code) in sources("src") {
        let is_allowed = name.starts_with("mapped");
        assert!(is_allowed || !code.contains("(unsafe_code)"), "{name}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The sources below a folder by relative path, without comments and without texts in quotation marks.
fn sources(folder: &str) -> Vec<(String, String)> {
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

/// A path with as many `super` as there are modules above the file starts at the root.
fn from_root(name: &str, path: String) -> String {
    let depth = name.trim_end_matches("/mod.rs").split('/').count();
    let rest = path.trim_start_matches("super::");
    match (path.len() - rest.len()) / "super::".len() >= depth {
        true => format!("crate::{rest}"),
        false => path,
    }
}

/// True if a path is `prefix` or continues it.
fn is_in(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// All paths with several parts in a source. Groups in braces are one path for each item.
fn paths(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '*');
    let mut paths = Vec::new();
    // The beginnings of paths before the open braces, most of which are not groups.
    let mut groups: Vec<String> = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
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
fn paths_are_found_however_they_are_written() {
    let code =
        "use crate::{game::Date, mapped::{self, Mapped as M}};\nfn f() { std::fs::read(p) }\nuse a::*;";
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
