//! The examples of docs/serve.md.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::client::Served;

/// Each example: the path that is asked, and a part of the answer.
fn examples(page: &str) -> Vec<(String, Value)> {
    let asked = page.split("    $ curl 'http://127.0.0.1:9002").skip(1);
    let examples = asked.map(|rest| {
        let (path, rest) = rest.split_once("'\n").unwrap();
        let lines = rest.lines().take_while(|line| line.starts_with("    "));
        let answer: String = lines.map(str::trim_start).collect();
        let answer = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{path}: {error}"));
        (path.to_owned(), answer)
    });
    examples.collect()
}

/// Keys and entries may be left out of a part.
fn check_part(part: &Value, whole: &Value, place: &str) {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            for (key, value) in part {
                let own = whole.get(key).unwrap_or_else(|| panic!("{place} has no {key}"));
                check_part(value, own, &format!("{place}.{key}"));
            }
        }
        (Value::Array(part), Value::Array(whole)) => {
            assert!(
                part.len() <= whole.len() && part.is_empty() == whole.is_empty(),
                "{place}"
            );
            for (n, (value, own)) in part.iter().zip(whole).enumerate() {
                check_part(value, own, &format!("{place}[{n}]"));
            }
        }
        _ => assert_eq!(part, whole, "{place}"),
    }
}

#[test]
fn every_route_of_the_api_has_an_example_that_is_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/serve.md")).unwrap();
    let texts = ["annotated.pgn", "classics.pgn"].map(|name| {
        let text = fs::read_to_string(root.join("examples/games").join(name)).unwrap();
        (name, text)
    });
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let served = Served::with(&files, &[]);
    let examples = examples(&page);
    for (path, part) in &examples {
        let answer: Value = serde_json::from_slice(&served.get(path).body).unwrap();
        check_part(part, &answer, path);
    }
    let source = fs::read_to_string(root.join("src/serve/api/mod.rs")).unwrap();
    let routes: Vec<&str> = source
        .split(".route(\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(routes.len() >= 7, "{routes:?}");
    for route in routes {
        let has_example = examples
            .iter()
            .any(|(path, _)| path.split('?').next() == Some(route));
        assert!(has_example && page.contains(&format!("| `{route}")), "{route}");
    }
}
