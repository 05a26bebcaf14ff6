//! `all/unique/moves` and `all/unique/positions`, compared with the same directories of databases that have only the
//! unique games.

use pgnfs_server::inside::ServeOptions;

use super::mounted::{Mounted, mount_with};
use super::tables::read_csv;
use testkit::fake::{Fake, FakeGame, game};

const LINES: [&str; 5] = [
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1",
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4",
    "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O",
    "Nf3 d5 d4 Nf6 c4 e6 Nc3 Be7 Bg5 O-O",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
];

/// The nth of different games, which have one of these lines.
fn own(n: usize) -> FakeGame {
    let date = (1900 + n as u16, 1, 1);
    let game = game(&format!("White{n}, A"), "Black, B").date(date.0, date.1, date.2);
    game.line(LINES[n % LINES.len()])
        .tag("WhiteElo", &(2000 + n).to_string())
}

/// The same, with an annotation, which makes it the best of its group.
fn annotated(n: usize) -> FakeGame {
    own(n).comment("good")
}

fn mount(first: Vec<FakeGame>, second: Vec<FakeGame>) -> Mounted {
    let options = ServeOptions {
        unique: true,
        ..ServeOptions::default()
    };
    mount_with(vec![Fake::of(first).at("a"), Fake::of(second).at("b")], options)
}

/// Two databases with duplicates, and two with the unique ones of their games.
fn both() -> (Mounted, Mounted) {
    let mut first: Vec<FakeGame> = (0..80).map(own).collect();
    first.extend((0..20).map(own));
    first.push(own(90).deleted());
    let mut second: Vec<FakeGame> = (40..60).map(annotated).collect();
    second.extend((60..100).map(own));
    let alone = (0..40).chain(60..80).map(own).collect();
    let others = (40..60).map(annotated).chain((80..100).map(own)).collect();
    (mount(first, second), mount(alone, others))
}

/// A table without the paths of games, whose numbers differ.
fn without_paths(table: &str) -> Vec<Vec<String>> {
    let (columns, rows) = read_csv(table);
    let rows = rows.iter().map(|row| {
        let kept = columns
            .iter()
            .filter(|column| !["path", "number"].contains(&column.as_str()));
        kept.map(|column| row.get(column).cloned().unwrap_or_default())
            .collect()
    });
    rows.collect()
}

/// Everything below a directory: directories and files, and the texts of games.
fn below(tree: &Mounted, directory: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for path in tree.walk_from(directory) {
        let name = path[directory.len()..].to_owned();
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", &name));
        found.push(match file {
            "" => (name, String::new()),
            "moves.csv" => {
                let rows = without_paths(&tree.cat(&path));
                (name, format!("{rows:?}"))
            }
            file if file.ends_with(".pgn") => (folder.to_owned(), tree.cat(&path)),
            _ => (name, String::new()),
        });
    }
    found.sort();
    found
}

#[test]
fn the_moves_of_unique_are_those_of_its_games_alone() {
    let (tree, alone) = both();
    let (found, expected) = (below(&tree, "all/unique/moves/"), below(&alone, "all/moves/"));
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(found, expected);
    // Links and moves that are not listed.
    for path in ["e4/e5/Nf3/Nc6/Bb5/moves.csv", "d4/d5/moves.csv", "moves.csv"] {
        let rows = without_paths(&tree.cat(&format!("all/unique/moves/{path}")));
        assert_eq!(
            rows,
            without_paths(&alone.cat(&format!("all/moves/{path}"))),
            "{path}"
        );
        assert_ne!(
            rows,
            without_paths(&tree.cat(&format!("all/moves/{path}"))),
            "{path}"
        );
    }
}

#[test]
fn the_positions_of_unique_are_those_of_its_games_alone() {
    let (tree, alone) = both();
    for position in [
        "rnbqkbnr-pppppppp-8-8-8-8-PPPPPPPP-RNBQKBNR_w_KQkq_-",
        "rnbqkbnr-pppppppp-8-8-8-8-PPPPPPPP-RNBQKBNR_w",
        "rnbqkb1r-ppp2ppp-4pn2-3p4-2PP4-2N5-PP2PPPP-R1BQKBNR_w_KQkq_-",
        "rnbq1rk1-ppp1bppp-4pn2-3p2B1-2PP4-2N1P3-PP3PPP-R2QKBNR_w_KQ_-",
        "r1bqkb1r-1ppp1ppp-p1n5-4p3-B3n3-5N2-PPPP1PPP-RNBQ1RK1_w_kq_-",
        "8-8-8-8-8-8-8-k1K5_w_-_-",
    ] {
        let of = |tree: &Mounted, top: &str| -> Option<Vec<String>> {
            let path = format!("{top}/positions/{position}");
            tree.exists(&path).then(|| {
                let mut texts = vec![
                    format!("{:?}", without_paths(&tree.cat(&format!("{path}/moves.csv")))),
                    format!("{:?}", without_paths(&tree.cat(&format!("{path}/games.csv")))),
                    tree.cat(&format!("{path}/games.pgn")),
                    tree.ls(&format!("{path}/moves")).join(" "),
                    tree.ls(&format!("{path}/games")).len().to_string(),
                ];
                let info = tree.cat(&format!("{path}/info.txt"));
                let is_number = |line: &&str| line.starts_with("Games:") || line.starts_with("Results:");
                texts.extend(info.lines().filter(is_number).map(str::to_owned));
                texts
            })
        };
        let expected = of(&alone, "all");
        assert_eq!(of(&tree, "all/unique"), expected, "{position}");
        assert_ne!(expected.is_some(), position.starts_with('8'), "{position}");
    }
    let start = tree.cat("all/unique/positions/info.txt");
    assert_eq!(start, alone.cat("all/positions/info.txt"));
}

#[test]
fn the_overview_of_unique_is_that_of_its_games_alone() {
    let (tree, alone) = both();
    let page = alone.cat("all/tables/overview.html");
    let (before, after) = page.split_once("<h2 id=\"problems\">").unwrap();
    let end = after.find("</body>").unwrap();
    let expected = before.replace("All games", "All games, each once") + &after[end..];
    assert_eq!(tree.cat("all/unique/tables/overview.html"), expected);
}
