//! Everything that a tree keeps once it was made: each path reads the same after all others, in either order, as in a tree
//! where nothing else was read.

use std::ffi::OsStr;
use std::ops::ControlFlow;

use chessdb::game::Outcome;
use pgnfs_server::inside::{Inode, Kind};

use super::mounted::{Mounted, mount_all};
use testkit::Random;
use testkit::fake::{Fake, FakeGame, game};

/// One board with all castling rights, with some, and with none.
const FENS: [&str; 3] = [
    "4k2r/8/8/8/8/8/4P3/4K2R w Kk - 0 1",
    "4k2r/8/8/8/8/8/4P3/4K2R w K - 0 1",
    "4k2r/8/8/8/8/8/4P3/4K2R w - - 0 1",
];

/// Two databases have as many games, and the same lines in another order.
fn games(is_first: bool) -> Vec<FakeGame> {
    let lines = [
        "d4 d5 c4 e6 Nc3",
        "c4 e6 d4 d5 Nf3",
        "e4 e5 Nf3",
        "e4 c5",
        "d4 d5 c4 e6",
        "e4 e5 f4",
    ];
    let names = ["Tal", "Keres", "Smyslov", "Bird"];
    let mut games: Vec<FakeGame> = (0..lines.len())
        .map(|n| {
            let line = lines[if is_first { n } else { lines.len() - 1 - n }];
            let number = if is_first { n } else { n + 1 };
            game(names[number % 4], names[(number + 1) % 4])
                .line(line)
                .event(["Riga", "Moscow"][number % 2])
                .outcome([Outcome::WhiteWins, Outcome::Draw, Outcome::Unknown][number % 3])
                .date(1960 + number as u16, 1, 1)
                .eco([b"B20", b"C50"][number % 2])
                .comment("x".repeat(number))
        })
        .collect();
    games.extend(FENS.map(|fen| {
        game("Tal", "Bird")
            .fen(fen)
            .line(if is_first { "e4" } else { "Kd2" })
    }));
    games[usize::from(is_first)].problems.push("a problem".to_owned());
    games
}

fn tree() -> Mounted {
    mount_all(vec![
        Fake::of(games(true)).at("a.fake"),
        Fake::of(games(false)).at("b.fake"),
    ])
}

/// What a path shows: the entries of a directory, the target of a link, or bytes.
fn shown(tree: &Mounted, path: &str) -> Vec<u8> {
    let inode = tree.inode(path);
    let attributes = tree.attributes(inode).unwrap();
    match attributes.kind {
        Kind::Directory => {
            let mut names = Vec::new();
            let mut each = |entry: pgnfs_server::inside::Entry<'_>| {
                names.push(format!("{} {:?}", entry.name, entry.kind));
                ControlFlow::Continue(())
            };
            tree.read_dir(inode, 0, &mut each).unwrap();
            names.sort();
            names.join("\n").into_bytes()
        }
        Kind::Link => tree.target(inode).unwrap().into_bytes(),
        Kind::File => {
            let mut bytes = Vec::new();
            loop {
                let piece = tree.read(inode, bytes.len() as u64, 4096).unwrap();
                if piece.is_empty() {
                    break;
                }
                bytes.extend_from_slice(&piece);
            }
            assert_eq!(bytes.len() as u64, attributes.size, "{path}");
            bytes
        }
    }
}

/// Paths that are not listed.
fn named() -> Vec<String> {
    let boards = FENS.map(|fen| fen.trim_end_matches(" 0 1").replace('/', "-").replace(' ', "_"));
    let gambit = "rnbqkbnr-ppp2ppp-4p3-3p4-2PP4-8-PP2PPPP-RNBQKBNR_w_KQkq_-".to_owned();
    let mut own = Vec::new();
    for board in boards.iter().chain([&gambit]) {
        for file in [
            "",
            "/info.txt",
            "/moves.csv",
            "/games.pgn",
            "/games.csv",
            "/games",
            "/moves",
        ] {
            own.push(format!("positions/{board}{file}"));
        }
    }
    for line in ["", "e4/", "e4/e5/", "d4/", "d4/d5/", "c4/"] {
        own.push(format!("moves/{line}"));
        if !line.is_empty() {
            own.push(format!("moves/{line}moves.csv"));
            own.push(format!("moves/{line}position"));
        }
    }
    for query in [
        "white:tal",
        "white:keres",
        "black:tal",
        "white:TAL",
        "eco:b20",
        "line:e4,e5",
    ] {
        own.push(format!("search/{query}"));
        if query != "white:TAL" {
            for file in [
                "all.pgn",
                "games.csv",
                "info.txt",
                "players",
                "years",
                "overview.html",
                "moves",
                "duplicates.csv",
            ] {
                own.push(format!("search/{query}/{file}"));
            }
        }
    }
    let folders = ["a.fake", "b.fake", "all"];
    folders
        .iter()
        .flat_map(|folder| own.iter().map(move |own| format!("{folder}/{own}")))
        .collect()
}

#[test]
fn each_path_shows_the_same_after_all_others() {
    let whole = tree();
    let mut paths = whole.walk();
    paths.extend(named());
    let exists = |path: &String| {
        let parts = path.split('/').filter(|part| !part.is_empty());
        let mut inode = Inode::ROOT;
        for part in parts {
            match whole.lookup(inode, OsStr::new(part)) {
                Ok(child) => inode = child,
                Err(_) => return false,
            }
        }
        true
    };
    let all = paths.len();
    paths.retain(exists);
    assert!(
        paths.len() > 400 && paths.len() * 10 > all * 9,
        "{} of {all}",
        paths.len()
    );
    let fresh: Vec<Vec<u8>> = paths.iter().map(|path| shown(&tree(), path)).collect();
    let mut orders: Vec<Vec<usize>> = vec![(0..paths.len()).collect(), (0..paths.len()).rev().collect()];
    let mut random = Random(9);
    for _ in 0..testkit::cases(2, 20) {
        orders.push((0..2 * paths.len()).map(|_| random.below(paths.len())).collect());
    }
    for order in orders {
        let kept = tree();
        let mut last = "";
        for number in order {
            let path = &paths[number];
            assert_eq!(
                shown(&kept, path),
                fresh[number],
                "{path}, the last one was {last}"
            );
            last = path;
        }
    }
}
