//! Files that use each other in a circle: to understand one of them, one has to read all.

use std::collections::{BTreeMap, BTreeSet};

use super::layering::{paths, sources};

/// The packages, each with the maximum number of files in a circle.
const LONGEST: [(&str, usize); 4] = [
    ("crates/chessdb", 8),
    ("crates/chessdb-library", 6),
    ("crates/pgnfs-server", 4),
    (".", 1),
];

#[test]
fn no_circle_of_files_is_long() {
    for (package, longest) in LONGEST {
        let files = Files::of(&format!("{package}/src"));
        assert!(files.uses.len() > 5, "{package}");
        for circle in files.circles() {
            // A format is one room.
            let is_format = circle.iter().all(|file| file.starts_with("formats/"));
            assert!(is_format || circle.len() <= longest, "{package}: {circle:?}");
        }
    }
}

/// The files of a package, and which of them each uses.
struct Files {
    uses: BTreeMap<String, BTreeSet<String>>,
}

type Module = Vec<String>;

impl Files {
    fn of(folder: &str) -> Files {
        let sources = sources(folder);
        let modules: BTreeMap<Module, &str> = sources
            .iter()
            .map(|(name, _)| (module_of(name), name.as_str()))
            .collect();
        let mut passed_on = BTreeMap::new();
        for (name, code) in &sources {
            let Parts {
                passed_on: passed,
                used,
                ..
            } = Parts::of(code);
            // What a room has at its head is also taken from there by its files.
            for path in paths(&(passed + &used)) {
                let (module, item) = resolve(&modules, &module_of(name), &path);
                passed_on.insert((module_of(name), item), module);
            }
        }
        let uses = sources.iter().map(|(name, code)| {
            let own = module_of(name);
            // What the head of a room passes on, it does not use itself.
            let is_head = name.ends_with("mod.rs") || name.ends_with("lib.rs");
            let Parts {
                passed_on: passed,
                used,
                rest,
            } = Parts::of(code);
            let code = if is_head {
                used + &rest
            } else {
                passed + &used + &rest
            };
            let used = paths(&code).into_iter().filter_map(|path| {
                let (mut module, item) = resolve(&modules, &own, &path);
                while let Some(next) = passed_on.get(&(module.clone(), item.clone()))
                    && *next != module
                {
                    module.clone_from(next);
                }
                modules.get(&module).filter(|&used| used != name)
            });
            (name.clone(), used.map(|&used| used.to_owned()).collect())
        });
        Files { uses: uses.collect() }
    }

    /// All circles. Files that reach each other are in one.
    fn circles(&self) -> Vec<BTreeSet<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self
            .uses
            .keys()
            .map(|file| (file.as_str(), self.reached(file)))
            .collect();
        let mut circles = BTreeSet::new();
        for (&file, others) in &reached {
            let circle = others
                .iter()
                .copied()
                .filter(|other| reached[other].contains(file));
            circles.insert(circle.collect::<BTreeSet<&str>>());
        }
        circles.into_iter().filter(|circle| circle.len() > 1).collect()
    }

    fn reached<'a>(&'a self, file: &'a str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut next = vec![file];
        while let Some(file) = next.pop() {
            let new = self.uses[file].iter().map(String::as_str);
            next.extend(new.filter(|&used| reached.insert(used)));
        }
        reached
    }
}

/// The module that a file is.
fn module_of(name: &str) -> Module {
    let path = name.trim_end_matches(".rs");
    let parts = path
        .split('/')
        .filter(|part| !matches!(*part, "mod" | "lib" | "main"));
    parts.map(str::to_owned).collect()
}

/// The module that a path in another module leads to, and the name of the item in it.
fn resolve(modules: &BTreeMap<Module, &str>, from: &[String], path: &str) -> (Module, String) {
    let mut parts = path.split("::").peekable();
    let mut module = from.to_vec();
    match parts.peek() {
        Some(&"crate") => module.clear(),
        Some(&"super" | &"self") => {}
        _ => {
            // A module of this room, or another crate.
            let first = parts.peek().map_or("", |&first| first);
            let child: Module = from
                .iter()
                .map(String::as_str)
                .chain([first])
                .map(str::to_owned)
                .collect();
            if !modules.contains_key(&child) {
                return (vec!["another crate".to_owned()], String::new());
            }
        }
    }
    for part in parts {
        match part {
            "crate" | "self" => continue,
            "super" => {
                module.pop();
                continue;
            }
            _ => {}
        }
        module.push(part.to_owned());
        if !modules.contains_key(&module) {
            module.pop();
            return (module, part.to_owned());
        }
    }
    (module, String::new())
}

/// A source in parts.
struct Parts {
    /// Its `pub use`.
    passed_on: String,
    /// Its other `use`.
    used: String,
    rest: String,
}

impl Parts {
    fn of(code: &str) -> Parts {
        let [mut passed_on, mut used, mut rest] = <[String; 3]>::default();
        let mut statement = None;
        for line in code.lines() {
            let mut words = line.split_whitespace();
            statement = statement.or(match (words.next(), words.next()) {
                (Some("use"), _) => Some(false),
                (Some(word), Some("use")) if word.starts_with("pub") => Some(true),
                _ => None,
            });
            let to = match statement {
                Some(true) => &mut passed_on,
                Some(false) => &mut used,
                None => &mut rest,
            };
            to.push_str(line);
            to.push('\n');
            statement = statement.filter(|_| !line.ends_with(';'));
        }
        Parts {
            passed_on,
            used,
            rest,
        }
    }
}

#[test]
fn circles_are_found() {
    let uses = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "d")];
    let mut files = Files {
        uses: BTreeMap::from([("d".to_owned(), BTreeSet::new())]),
    };
    for (file, used) in uses {
        let of_file = files.uses.entry(file.to_owned()).or_default();
        of_file.insert(used.to_owned());
    }
    assert_eq!(files.circles(), [BTreeSet::from(["a", "b", "c"])]);
}
