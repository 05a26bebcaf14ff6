//! Hostile names of players, events and folders, and great numbers of them.

use std::collections::HashSet;

use chessdb::Folder;

use super::mounted::{Mounted, mount};
use testkit::fake::{Fake, game};

/// Texts that are invalid as names, or similar to others.
const TEXTS: [&str; 20] = [
    "/",
    "/etc/passwd",
    "../../../etc/passwd",
    "..",
    ".",
    "",
    "?",
    "unknown",
    "a\0b",
    "a\nb",
    "a\rb\x1b[2Jc\x7f\u{85}",
    "-rf",
    " ",
    "all.pgn",
    "\u{202e}nemow, \u{202c}x",
    "שָׁחְמָט, משה",
    "e\u{301}\u{301}\u{301}\u{323}",
    "\u{1e69}",
    "s\u{307}\u{323}",
    "A\u{feff}\u{200d}\u{fffd}",
];

fn texts() -> Vec<String> {
    let long = [
        "x".repeat(10_000),
        "é".repeat(10_000) + "1",
        "é".repeat(10_000) + "2",
        "\u{301}".repeat(10_000),
        "\n".repeat(10_000),
        "a/".repeat(5_000),
    ];
    let texts = TEXTS.iter().map(|&text| text.to_owned());
    texts.chain(long).collect()
}

/// Walks the tree, looks up every name, and asserts that names are valid and unique.
fn assert_sound(tree: &Mounted) -> Vec<String> {
    let paths = tree.walk();
    assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len());
    for path in &paths {
        for name in path.trim_end_matches('/').split('/') {
            assert!(!["", ".", ".."].contains(&name) && name.len() <= 255, "{path}");
            assert!(!name.contains(char::is_control), "{path}");
        }
    }
    paths
}

#[test]
fn whatever_texts_are_the_tree_is_sound_and_the_pgn_has_them() {
    let texts = texts();
    let games = texts.iter().flat_map(|text| {
        [
            game(text, "x").event(text).comment(text.clone()),
            game("y", text).event(text).date(1900, 1, 1),
        ]
    });
    let tree = mount(Fake::of(games));
    assert_sound(&tree);
    let all = testkit::pgn::read(tree.cat("all.pgn").as_bytes());
    assert_eq!(all.len(), 2 * texts.len());
    for (number, text) in texts.iter().enumerate() {
        let mut kept = text.replace(char::is_control, "");
        // An empty name of the roster is an unknown one.
        if kept.is_empty() {
            kept.push('?');
        }
        assert_eq!(all[2 * number].tags["White"], kept);
        assert_eq!(all[2 * number + 1].tags["Black"], kept);
    }
    // Names of games need no quotes.
    let number = 1 + 2 * TEXTS.iter().position(|text| text.contains("\x1b")).unwrap();
    assert!(tree.exists(&format!(
        "years/unknown/xxxx.xx.xx_a-b-2Jc-x_open_{number:06}.pgn"
    )));
}

#[test]
fn folders_and_inner_files_stay_where_they_belong() {
    let texts = texts();
    let folder = |(number, name): (usize, &String)| Folder {
        parent: number.checked_sub(2),
        name: name.clone(),
        games: vec![0, 0, 1],
    };
    let mut fake = Fake::of([game("a", "b"), game("c", "d")]);
    fake.folders = texts.iter().enumerate().map(folder).collect();
    fake.members = texts
        .iter()
        .map(|name| (name.clone(), name.clone().into_bytes()))
        .collect();
    let tree = mount(fake);
    assert_sound(&tree);
    let mut members: Vec<String> = tree
        .ls("emb")
        .iter()
        .map(|name| tree.cat(&format!("emb/{name}")))
        .collect();
    members.sort();
    let mut expected = texts;
    expected.sort();
    assert_eq!(members, expected);
}

#[test]
fn a_million_players() {
    let players = 1_000_000;
    let tree = mount(Fake::of((0..players / 2).map(|n| {
        game(
            &format!("Player {:07}, A", 2 * n),
            &format!("Player {:07}, A", 2 * n + 1),
        )
    })));
    for number in [0, 1, 499_999, 999_999] {
        let names = tree.ls(&format!("players/Player {number:07}, A"));
        let (white, game) = (number - number % 2, number / 2 + 1);
        let expected = format!(
            "xxxx.xx.xx_Player-{white:07}-Player-{:07}_open_{game:06}.pgn",
            white + 1
        );
        assert_eq!(names, [expected]);
        assert!(tree.exists(&format!("merged/players/Player {number:07}, A.pgn")));
    }
    assert!(!tree.exists("players/Player 1000000, A"));
    assert_eq!(tree.ls("players").len(), players as usize);
}

#[test]
fn all_games_of_one_event_one_year_one_player() {
    let games = 100_000;
    let one = game("Simul, Q", "Simul, Q").event("Simul").date(1999, 1, 1);
    let tree = mount(Fake::of(std::iter::repeat_n(one, games)));
    for directory in [
        "events/Simul 1999",
        "years/1999",
        "players/Simul, Q",
        "eco/unknown",
    ] {
        let names = tree.ls(directory);
        assert_eq!(names.len(), games);
        assert_eq!(names[games - 1], "1999.01.01_Simul-Simul_open_100000.pgn");
        assert!(tree.exists(&format!("{directory}/{}", names[games / 2])));
    }
    assert_eq!(
        tree.stat("merged/events/Simul 1999.pgn").size,
        tree.stat("all.pgn").size
    );
}
