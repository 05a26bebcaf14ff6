//! The commands on the pages for users: each is run, and prints what the page shows.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testkit::writers::{WRITERS, source};
use testkit::{needs, python};

const README: &str = include_str!("../../../README.md");
const TUTORIAL: &str = include_str!("../../../docs/tutorial.md");
const RECIPES: &str = include_str!("../../../docs/recipes.md");
const SEARCH: &str = include_str!("../../../docs/search.md");
const TABLES: &str = include_str!("../../../docs/tables.md");

/// Blocks that no test here can run: how they start, and why.
const NOT_RUN: [(&str, &str); 5] = [
    ("scripts/test", "runs this test, too"),
    ("cargo install", "builds for minutes"),
    ("sudo apt-get install", "changes the machine"),
    (
        "pgnfs mount SOURCE MOUNTPOINT",
        "names the commands; tests/repository compares them",
    ),
    ("pgnfs serve", "serves until it is ended"),
];

/// Folders on which the commands of a page mount something.
const MOUNT_POINTS: [&str; 3] = ["mount", "games", "pairs"];

/// A folder with `databases` and an empty folder `mount`, in which the commands of a page are run.
struct Place {
    folder: tempfile::TempDir,
    /// A Python with DuckDB, if the page needs one.
    python: Option<PathBuf>,
}

impl Place {
    /// Writes databases of example games: each has a format, a path without extension, and the name of its games.
    fn of(databases: &[(&str, &str, &str)]) -> Option<Place> {
        needs!(mount);
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("mount")).unwrap();
        for (format, path, games) in databases {
            let games = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/games/{games}.pgn"));
            let path = folder.path().join("databases").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            if *format == "pgn" {
                std::fs::copy(games, path.with_extension("pgn")).unwrap();
                continue;
            }
            let (_, write) = WRITERS.iter().find(|(name, _)| name == format).unwrap();
            write(&source::read(&std::fs::read(games).unwrap()).unwrap(), &path).unwrap();
        }
        Some(Place { folder, python: None })
    }

    /// The databases of the README and of the tutorial.
    fn of_a_reader() -> Option<Place> {
        Place::of(&[
            ("chessbase-cbh", "classics", "classics"),
            ("pgn", "annotated", "annotated"),
        ])
    }

    /// The databases of the recipes and of the tables, which are mounted, and a Python with DuckDB.
    fn of_recipes() -> Option<Place> {
        let python = PathBuf::from(python("duckdb", "duckdb")?);
        let mut place = Place::of(&[
            ("simplecdb", "classics", "classics"),
            ("simplecdb", "studies/annotated", "annotated"),
        ])?;
        place.python = Some(python);
        place.run("pgnfs mount databases mount");
        Some(place)
    }

    fn output(&self, command: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_pgnfs"));
        let mut path = vec![program.parent().unwrap().to_owned()];
        path.extend(
            self.python
                .iter()
                .filter_map(|python| python.parent().map(Path::to_owned)),
        );
        path.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        Command::new("sh")
            .args(["-c", command])
            .current_dir(self.folder.path())
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"))
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// What a command prints, which must succeed.
    #[track_caller]
    fn run(&self, command: &str) -> String {
        let output = self.output(command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs all commands of a page, and returns their number.
    #[track_caller]
    fn follow(&self, page: &str) -> usize {
        let examples = examples(page);
        for (command, shown) in &examples {
            let printed = self.run(command);
            if command.starts_with("ls ") {
                // In columns, if a person reads them.
                let names = |text: &str| {
                    let mut names: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                    names.sort();
                    names
                };
                assert_eq!(names(&printed), names(shown), "{command}");
            } else {
                assert_eq!(printed.trim_end(), shown.trim_end(), "{command}");
            }
        }
        examples.len()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for point in MOUNT_POINTS.map(|name| self.folder.path().join(name)) {
            if !testkit::mounts::lines_at(&point).is_empty() {
                self.output(&format!("pgnfs unmount --lazy '{}'", point.display()));
            }
        }
    }
}

#[test]
fn the_session_of_the_readme_is_true() {
    let Some(place) = Place::of_a_reader() else { return };
    assert_eq!(place.follow(README), 7);
}

#[test]
fn the_tutorial_leads_to_its_end() {
    let Some(place) = Place::of_a_reader() else { return };
    let run = place.follow(TUTORIAL);
    assert!(run >= 14, "{run}");
    assert!(
        !place.folder.path().join("games/info.txt").exists(),
        "it ends unmounted"
    );
}

#[test]
fn the_recipes_print_what_is_shown() {
    needs!(program "jq", in "jq");
    let Some(place) = Place::of_recipes() else { return };
    let run = place.follow(RECIPES);
    assert!(run >= 12, "{run}");
}

#[test]
fn the_commands_of_the_tables_print_what_is_shown() {
    let Some(place) = Place::of_recipes() else { return };
    let run = place.follow(TABLES);
    assert!(run >= 5, "{run}");
}

#[test]
fn the_examples_of_searches_can_be_asked() {
    let Some(place) = Place::of_a_reader() else { return };
    assert_eq!(place.follow(SEARCH), 1);
    let queries = queries();
    assert!(queries.len() >= 25, "{}", queries.len());
    let mut answered = 0;
    for query in queries {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pgnfs"));
        command.args([
            "find",
            "--show",
            "count",
            "--cache-dir",
            "none",
            query,
            "databases",
        ]);
        let output = command.current_dir(place.folder.path()).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{query}: {output:?}");
        answered += usize::from(output.status.success());
    }
    assert!(answered >= 7, "{answered} queries have answers");
}

#[test]
fn every_block_of_commands_is_run() {
    let queries = queries();
    let mut blocks = 0;
    for (page, text) in [
        ("README.md", README),
        ("tutorial.md", TUTORIAL),
        ("recipes.md", RECIPES),
        ("search.md", SEARCH),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        let is_code = |line: usize| lines[line].starts_with("    ");
        for line in (1..lines.len()).filter(|&line| is_code(line) && !is_code(line - 1)) {
            blocks += 1;
            let begin = &lines[line][4..];
            let is_run = begin.starts_with("$ ") || begin.starts_with(">>> ") || queries.contains(&begin);
            let is_excused = NOT_RUN.iter().any(|(text, _)| begin.starts_with(text));
            assert!(
                is_run || is_excused || is_printed(text, begin),
                "{page}, line {}: '{begin}' is run by no test",
                line + 1
            );
        }
    }
    assert!(blocks >= 55, "{blocks}");
}

/// True for a line of what an example of a page prints.
fn is_printed(page: &str, line: &str) -> bool {
    examples(page)
        .iter()
        .any(|(_, shown)| shown.lines().any(|shown| shown == line))
}

/// The queries among the examples of searches.
fn queries() -> Vec<&'static str> {
    let examples = SEARCH.split("\n## Examples\n").nth(1).unwrap();
    let examples = examples.split("\n## ").next().unwrap();
    examples
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .collect()
}

/// The commands on a page, each after `$ ` in an indented block, with their output. An empty line belongs to the output if
/// an indented line without a `$` follows.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    let mut in_document = false;
    let mut in_example = false;
    for line in page.lines() {
        let code = line.strip_prefix("    ");
        match (code, code.and_then(|code| code.strip_prefix("$ "))) {
            (_, Some(command)) => {
                in_document = command.ends_with("<<'END'");
                examples.push((command.to_owned() + "\n", String::new()));
                in_example = true;
            }
            (Some(code), None) if in_example => {
                let Some((command, printed)) = examples.last_mut() else {
                    continue;
                };
                let text = if in_document { command } else { printed };
                *text += &format!("{code}\n");
                in_document &= code != "END";
            }
            (None, None) if in_example && line.is_empty() && printed_goes_on(&examples) => {
                if let Some((_, printed)) = examples.last_mut() {
                    *printed += "\n";
                }
            }
            _ => in_example = in_document,
        }
    }
    examples
}

/// True while a game is printed, whose tags an empty line follows.
fn printed_goes_on(examples: &[(String, String)]) -> bool {
    examples
        .last()
        .is_some_and(|(command, printed)| command.starts_with("cat ") && printed.starts_with('['))
}
