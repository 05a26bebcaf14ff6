//! Holds the layers of `ARCHITECTURE.md` against the paths that the sources name.
//!
//! The sources are cut into Rust tokens, and every `use` and every written-out path is resolved, so that comments,
//! strings and `super::` neither break a rule nor get round one.

#[path = "layering/rust.rs"]
mod rust;

use std::fs;
use std::path::Path;

use rust::{Token, paths, tokens};

/// What a module at the top of `src` may use of the others.
struct Layer {
    name: &'static str,
    /// Modules, or single items of them.
    uses: &'static [&'static str],
}

/// The layers, lowest first. A module that has no row here fails the test.
const LAYERS: &[Layer] = &[
    layer("bytes", &[]),
    layer("text", &[]),
    layer("mapped", &[]),
    layer("mounts", &[]),
    layer("hung", &["mounts"]),
    layer("store", &[]),
    layer("board", &[]),
    layer("game", &["board"]),
    layer("pgn", &["board", "game"]),
    layer("formats", &["bytes", "text", "mapped", "board", "game"]),
    layer(
        "library",
        &["formats", "hung", "mapped", "mounts", "board", "game", "pgn"],
    ),
    layer("watch", &["hung", "mounts"]),
    layer(
        "tree",
        &[
            "formats::Database",
            "formats::Folder",
            "formats::Keys",
            "formats::Member",
            "formats::TextId",
            "game",
            "library",
        ],
    ),
    layer(
        "fs",
        &["bytes", "formats::Problem", "game", "library", "store", "tree"],
    ),
    layer("fuse", &["fs"]),
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
            "formats", "library", "fs", "fuse", "hung", "mount", "status", "watch",
        ],
    ),
];

const fn layer(name: &'static str, uses: &'static [&'static str]) -> Layer {
    Layer { name, uses }
}

/// What comes from outside and is not for everybody: its path, and the modules that may name it.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("env_filter", &["cli"]),
    ("fuser", &["fuse", "mount"]),
    ("indicatif", &["cli"]),
    ("memmap2", &["mapped"]),
    (
        "rustix",
        &[
            "fuse", "library", "mapped", "mount", "mounts", "status", "store", "watch",
        ],
    ),
    ("sd_notify", &["mount"]),
    ("shakmaty", &["board"]),
    ("signal_hook", &["mount"]),
    ("std::env", &["cli", "mount", "status"]),
    (
        "std::fs",
        &[
            "cli", "hung", "library", "mapped", "mount", "mounts", "status", "store", "watch",
        ],
    ),
    ("std::net", &[]),
    ("std::process", &["cli", "mount", "status"]),
];

/// The modules that may have `unsafe` code.
const UNSAFE: &[&str] = &["mapped"];

#[test]
fn every_layer_uses_only_what_it_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let formats = formats(&root);
    let mut broken = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
                broken.extend(check(name, &fs::read_to_string(&path).unwrap(), &formats));
            }
        }
    }
    broken.sort();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// The formats: the folders in `src/formats`.
fn formats(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join("formats")).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

/// The rules that a file breaks, each with its place. `name` is its path below `src`.
fn check(name: &str, source: &str, formats: &[String]) -> Vec<String> {
    let tokens = tokens(source);
    let module = module_of(name);
    let own = module.first().map_or("the root", String::as_str);
    let mut broken = Vec::new();
    let mut report = |line: usize, rule: String| broken.push(format!("src/{name}:{line}: {rule}"));
    let layer = LAYERS.iter().find(|layer| layer.name == own);
    if layer.is_none() && !module.is_empty() {
        report(1, format!("{own} has no row in the table of tests/layering.rs"));
    }
    for (line, token) in &tokens {
        let text = match token {
            Token::Word(word) if word == "unsafe" && !UNSAFE.contains(&own) => {
                report(*line, format!("only {} may have unsafe code", UNSAFE.join(", ")));
                continue;
            }
            Token::Word(text) | Token::Text(text) => text.to_lowercase(),
            Token::Sign(_) => continue,
        };
        if own != "formats"
            && let Some(format) = formats.iter().find(|format| text.contains(format.as_str()))
        {
            report(*line, format!("{own} must not know the format {format}"));
        }
    }
    for (line, path) in paths(&tokens, &module) {
        let shown = path.join("::");
        let Some(inside) = shown.strip_prefix("crate::") else {
            for (outside, owners) in OUTSIDE {
                if is_in(&shown, outside) && !owners.contains(&own) && !module.is_empty() {
                    let owners = if owners.is_empty() {
                        "nobody".to_owned()
                    } else {
                        owners.join(", ")
                    };
                    report(
                        line,
                        format!("{own} must not use {outside}: {owners} may ({shown})"),
                    );
                }
            }
            continue;
        };
        let target = path[1].as_str();
        if target == own {
            let format = path
                .get(2)
                .filter(|name| own == "formats" && formats.contains(name));
            if let Some(format) = format
                && module.len() > 1
                && module[1] != *format
            {
                let user = module[1..].join("::");
                report(
                    line,
                    format!("formats::{user} must not use the format {format} ({shown})"),
                );
            }
        } else if module.is_empty() {
            if target != "cli" {
                report(line, format!("the program starts cli and nothing else ({shown})"));
            }
        } else if let Some(layer) = layer
            && LAYERS.iter().any(|layer| layer.name == target)
            && !layer.uses.iter().any(|allowed| is_in(inside, allowed))
        {
            let allowed = if layer.uses.is_empty() {
                "nothing of ours".to_owned()
            } else {
                layer.uses.join(", ")
            };
            report(
                line,
                format!("{own} must not use {target}: it may use {allowed} ({shown})"),
            );
        }
    }
    broken
}

/// True where a path is another one or leads on from it.
fn is_in(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The module of a file: `formats/simplecdb/body.rs` is `formats::simplecdb::body`.
fn module_of(name: &str) -> Vec<String> {
    let stem = name.strip_suffix(".rs").unwrap();
    let mut module: Vec<String> = stem.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

mod self_test {
    use super::*;

    /// Asserts that a source breaks one rule, at a line and with a message that has these words.
    #[track_caller]
    fn breaks(name: &str, source: &str, place: usize, words: &str) {
        let broken = check(name, source, &["simplecdb".to_owned(), "brenner".to_owned()]);
        let [message] = &broken[..] else {
            panic!("{source}: {broken:?}");
        };
        let start = format!("src/{name}:{place}: ");
        assert!(
            message.starts_with(&start) && message.contains(words),
            "{message}"
        );
    }

    #[track_caller]
    fn keeps(name: &str, source: &str) {
        let broken = check(name, source, &["simplecdb".to_owned(), "brenner".to_owned()]);
        assert!(broken.is_empty(), "{source}: {broken:?}");
    }

    #[test]
    fn forbidden_uses_are_found_however_they_are_written() {
        for source in [
            "use crate::mapped::Mapped;",
            "use crate::{game::Date, mapped::Mapped};",
            "use super::super::mapped as m;",
            "fn f() { let _ = crate::mapped::Mapped::open(p); }",
            "mod tests { use super::super::super::mapped::Mapped; }",
            "pub(in crate::mapped) fn f<'a>(c: char) -> bool { c == '\"' }",
            "use crate::formats::{Keys, self};",
            "use crate::formats::*;",
        ] {
            breaks("tree/views.rs", &format!("\n{source}\n"), 2, "tree must not use ");
        }
        breaks(
            "pgn/mod.rs",
            "use crate::formats::Keys;",
            1,
            "pgn must not use formats",
        );
        breaks("bytes.rs", "use super::board;", 1, "it may use nothing of ours");
        breaks("main.rs", "fn main() { pgnfs::mount::user() }", 1, "starts cli");
        breaks("news/mod.rs", "", 1, "news has no row");
    }

    #[test]
    fn what_comes_from_outside_has_owners() {
        breaks(
            "fs/mod.rs",
            "use fuser::INodeNo;",
            1,
            "fs must not use fuser: fuse, mount may",
        );
        breaks(
            "pgn/mod.rs",
            "fn f() { std::fs::read(p); }",
            1,
            "must not use std::fs",
        );
        breaks(
            "tree/mod.rs",
            "use std::{fmt, fs as disk};",
            1,
            "must not use std::fs",
        );
        breaks(
            "fs/mod.rs",
            "fn f() { unsafe { g() } }",
            1,
            "only mapped may have unsafe code",
        );
        keeps("fuse/mod.rs", "use fuser::INodeNo;");
        keeps("mapped.rs", "use std::fs; fn f() { unsafe { g() } }");
    }

    #[test]
    fn formats_know_themselves_only() {
        let source = "use crate::formats::brenner::X;";
        breaks(
            "formats/simplecdb/body.rs",
            source,
            1,
            "must not use the format brenner",
        );
        breaks(
            "formats/simplecdb/mod.rs",
            "use super::brenner;",
            1,
            "the format brenner",
        );
        breaks(
            "formats/files.rs",
            source,
            1,
            "formats::files must not use the format",
        );
        breaks(
            "library/open.rs",
            "fn f() -> &str { \"SimpleCDb\" }",
            1,
            "library must not know the format",
        );
        keeps(
            "formats/mod.rs",
            "pub mod simplecdb; const X: F = simplecdb::FORMAT;",
        );
        keeps(
            "formats/simplecdb/mod.rs",
            "use super::{Database, Keys}; use self::index::Index;",
        );
    }

    #[test]
    fn what_is_no_path_breaks_no_rule() {
        keeps(
            "bytes.rs",
            "// use crate::fs; unsafe\n/* /* crate::fs */ fuser::x */ fn f() {}",
        );
        keeps(
            "bytes.rs",
            r##"const X: [&str; 3] = ["crate::fs \" unsafe", r#"fuser::"x"#, "\\"];"##,
        );
        keeps(
            "bytes.rs",
            "pub(crate) fn f<'fuser>(x: &'fuser str) -> impl Fn() + use<'fuser> { || () }",
        );
        keeps(
            "tree/mod.rs",
            "use crate::formats::{Database, Keys}; use crate::library;",
        );
    }
}
