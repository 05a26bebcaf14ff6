//! One name, one meaning: a type name is defined once in the packages that make the program.

use std::collections::BTreeMap;

use super::layering::sources;

/// The folder of a format may have names of its own.
const OF_FORMATS: &str = "chessdb/src/formats/";

#[test]
fn a_type_name_is_defined_once() {
    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    let mut broken = Vec::new();
    for package in ["chessdb/src", "chessdb-library/src", "pgnfs-server/src", "src"] {
        for (file, code) in sources(package) {
            let file = format!("{package}/{file}");
            let is_of_a_format = file
                .strip_prefix(OF_FORMATS)
                .is_some_and(|rest| rest.contains('/'));
            if is_of_a_format {
                continue;
            }
            for name in code.lines().filter_map(type_name) {
                if let Some(home) = homes.insert(name.to_owned(), file.clone()) {
                    broken.push(format!("{name} is defined in {home} and in {file}"));
                }
            }
        }
    }
    assert!(!homes.is_empty());
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// The name of the type that a line defines at the level of a module.
fn type_name(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let keywords = ["struct ", "enum ", "trait ", "type "];
    let rest = keywords.iter().find_map(|keyword| line.strip_prefix(keyword))?;
    rest.split(|c: char| !c.is_alphanumeric()).next()
}
