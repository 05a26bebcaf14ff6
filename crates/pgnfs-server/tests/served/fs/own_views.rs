//! Views and names of games defined by the user.

use chessdb::game::Outcome;
use pgnfs_server::inside::{Layout, ServeOptions};
use proptest::prelude::*;

use super::contents;
use super::mounted::{Mounted, mount_with};
use testkit::fake::{Fake, game};

fn mount_views(fake: Fake, views: &[&str]) -> Mounted {
    let mut layout = Layout::default();
    for view in views {
        layout.add_view(view).unwrap();
    }
    mount_layout(fake, layout)
}

fn mount_layout(fake: Fake, layout: Layout) -> Mounted {
    let options = ServeOptions {
        layout: layout.into(),
        ..ServeOptions::default()
    };
    mount_with(vec![fake.at("")], options)
}

fn match_of_1985() -> Fake {
    Fake::of([
        game("Karpov, Anatoly", "Kasparov, Garry")
            .event("World Championship")
            .date(1985, 11, 9)
            .eco(b"B85")
            .outcome(Outcome::BlackWins)
            .tag("Round", "24"),
        game("Kasparov, Garry", "Karpov, Anatoly")
            .event("World Championship")
            .date(1985, 11, 5)
            .eco(b"C92")
            .outcome(Outcome::Draw)
            .tag("Round", "23/a"),
        game("Morphy, Paul", "?").date(1858, 0, 0),
        game("Erased, One", "Erased, Two").deleted(),
    ])
}

const FIRST: &str = "1985.11.09_Karpov-Kasparov_0-1_000001.pgn";
const SECOND: &str = "1985.11.05_Kasparov-Karpov_draw_000002.pgn";
const THIRD: &str = "1858.xx.xx_Morphy-unknown_open_000003.pgn";

#[test]
fn a_view_has_a_directory_for_every_name_of_its_template() {
    let tree = mount_views(match_of_1985(), &["by-opponent=%{player}/%{opponent}/%{year}"]);
    let paths: Vec<String> = [
        format!("Karpov, Anatoly/Kasparov, Garry/1985/{SECOND}"),
        format!("Karpov, Anatoly/Kasparov, Garry/1985/{FIRST}"),
        format!("Kasparov, Garry/Karpov, Anatoly/1985/{SECOND}"),
        format!("Kasparov, Garry/Karpov, Anatoly/1985/{FIRST}"),
        format!("Morphy, Paul/unknown/1858/{THIRD}"),
        format!("unknown/Morphy, Paul/1858/{THIRD}"),
    ]
    .map(|path| format!("by-opponent/{path}"))
    .to_vec();
    let files: Vec<String> = tree.walk_from("by-opponent/").into_iter().collect();
    let files: Vec<String> = files.into_iter().filter(|path| !path.ends_with('/')).collect();
    assert_eq!(files, paths);
    assert_eq!(
        tree.inode(&paths[0]),
        tree.inode("games/000001-001000/000002.pgn")
    );
    // And the new one twice.
    assert_eq!(tree.stat(&paths[0]).links, contents::directories_of_game() + 2);
}

#[test]
fn merged_files_of_a_view_stand_in_its_directories() {
    let tree = mount_views(
        match_of_1985(),
        &["by=%{white:1}/%{white}/%{year}", "flat=%{year}"],
    );
    assert_eq!(
        tree.walk_from("merged/by/"),
        [
            "merged/by/K/",
            "merged/by/K/Karpov, Anatoly/",
            "merged/by/K/Karpov, Anatoly/1985.pgn",
            "merged/by/K/Kasparov, Garry/",
            "merged/by/K/Kasparov, Garry/1985.pgn",
            "merged/by/M/",
            "merged/by/M/Morphy, Paul/",
            "merged/by/M/Morphy, Paul/1858.pgn",
        ]
    );
    assert_eq!(tree.ls("merged/flat"), ["1858.pgn", "1985.pgn"]);
    assert_eq!(
        tree.cat("merged/by/K/Kasparov, Garry/1985.pgn"),
        tree.cat("games/000001-001000/000002.pgn")
    );
    for (path, parent) in [
        ("merged/by/K/Kasparov, Garry", "merged/by/K"),
        ("merged/by/K", "merged/by"),
        ("merged/by", "merged"),
        ("by/K/Kasparov, Garry/1985", "by/K/Kasparov, Garry"),
    ] {
        assert_eq!(tree.inode(&format!("{path}/..")), tree.inode(parent), "{path}");
    }
    let links = |path: &str| tree.stat(path).links;
    assert_eq!(
        [
            "merged",
            "merged/by",
            "merged/by/K",
            "merged/by/K/Kasparov, Garry",
            "merged/flat"
        ]
        .map(links),
        [2 + 7, 1, 2 + 2, 2, 2]
    );
    for wrong in [
        "merged/by/K.pgn",
        "merged/by/K/Kasparov, Garry.pgn",
        "merged/by/1985.pgn",
    ] {
        assert!(!tree.exists(wrong), "{wrong}");
    }
}

#[test]
fn every_field_has_its_value() {
    let fields = [
        ("%{white}", "Kasparov, Garry"),
        ("%{black}", "Karpov, Anatoly"),
        ("%{event}", "World Championship"),
        ("%{tournament}", "World Championship 1985"),
        ("%{event-year}", "1985"),
        ("%{date}", "1985.11.05"),
        ("%{year}-%{month}", "1985-11"),
        ("%{day}", "05"),
        ("%{eco}", "C92"),
        ("%{eco:1}", "C"),
        ("%{result}", "draw"),
        ("%{number}", "000002"),
        ("%{tag:Round}", "23_a"),
        ("%{tag:Result}", "1_2-1_2"),
        ("%{white:4} 100%%", "Kasp 100%"),
        ("%{white:1U}", "K"),
        ("%{tag:Round:2U}", "23"),
    ];
    for (template, name) in fields {
        let tree = mount_views(match_of_1985(), &[&format!("v={template}")]);
        assert_eq!(
            tree.ls(&format!("v/{name}")).last().unwrap(),
            SECOND,
            "{template}"
        );
    }
    let unknown = [
        ("%{black}", "unknown"),
        ("%{event} of %{event-year}", "unknown of 1858"),
        ("%{tournament}", "unknown 1858"),
        ("%{date}", "1858.xx.xx"),
        ("%{month}", "unknown"),
        ("%{year}-%{month}-%{day}", "1858-xx-xx"),
        ("%{year}-%{month:1}", "1858-x"),
        ("%{eco:1}", "unknown"),
        ("%{eco:1U}", "unknown"),
        ("%{eco:1U}?", "unknown?"),
        ("%{result}", "open"),
        ("%{tag:Round}", "unknown"),
        ("(%{tag:Round})", "(unknown)"),
    ];
    for (template, name) in unknown {
        let tree = mount_views(match_of_1985(), &[&format!("v={template}")]);
        assert!(
            tree.ls(&format!("v/{name}")).contains(&THIRD.to_owned()),
            "{template}"
        );
    }
}

#[test]
fn a_view_that_says_what_a_built_in_one_says_is_the_same() {
    let mut fake = Fake::many(500);
    fake.games[7].white = "A/B\n".to_owned();
    fake.games[9].black = "A_B_".to_owned();
    fake.games[11].event = String::new();
    fake.games[13].event_year = 1812;
    fake.games[15].date = chessdb::game::Date::default();
    let tree = mount_views(fake, &["p=%{player}", "e=%{tournament}", "y=%{year}"]);
    for (own, built_in) in [("p", "players"), ("e", "events"), ("y", "years")] {
        let same = |own: &str, built_in: &str| {
            let paths = tree.walk_from(&format!("{built_in}/"));
            let expected = paths.iter().map(|path| path.replacen(built_in, own, 1));
            assert_eq!(tree.walk_from(&format!("{own}/")), expected.collect::<Vec<_>>());
        };
        same(own, built_in);
        same(&format!("merged/{own}"), &format!("merged/{built_in}"));
    }
}

#[test]
fn a_view_makes_way_for_what_a_database_has() {
    let mut fake = match_of_1985();
    fake.members = vec![("x".to_owned(), Vec::new())];
    let tree = mount_views(fake, &["emb=%{eco}"]);
    assert_eq!(tree.ls("emb"), ["x"]);
    assert_eq!(tree.ls("emb (2)"), ["B85", "C92", "unknown"]);
    assert_eq!(tree.ls("merged/emb"), ["B85.pgn", "C92.pgn", "unknown.pgn"]);
}

#[test]
fn games_are_called_by_the_users_template() {
    let mut layout = Layout::default();
    layout
        .name_games("%{year}%{month},%{tag:Round}-%{event:5}+%{result}@%{number}")
        .unwrap();
    let mut fake = match_of_1985();
    fake.folders = vec![chessdb::Folder {
        parent: None,
        name: "Best".to_owned(),
        games: vec![1],
    }];
    let tree = mount_layout(fake, layout);
    let first = "198511,24-World+0-1@000001.pgn";
    let second = "198511,23-a-World+draw@000002.pgn";
    assert_eq!(tree.ls("years/1985"), [first, second]);
    assert_eq!(tree.ls("years/1858"), ["1858xx,unknown-unknown+open@000003.pgn"]);
    assert_eq!(tree.ls("collections/Best"), [second]);
    assert_eq!(
        tree.inode(&format!("eco/B/B85/{first}")),
        tree.inode("games/000001-001000/000001.pgn")
    );
    assert!(!tree.exists(&format!("years/1985/{FIRST}")));
    tree.walk();
}

#[test]
fn a_number_may_stand_behind_digits() {
    let mut layout = Layout::default();
    layout.name_games("%{year}%{number}").unwrap();
    let tree = mount_layout(match_of_1985(), layout);
    assert_eq!(tree.ls("years/1985"), ["1985000001.pgn", "1985000002.pgn"]);
    assert!(!tree.exists("years/1985/000001.pgn"));
}

#[test]
fn initials_bring_spellings_together() {
    let fake = Fake::of([
        game("Élise", "(el)"),
        game("[é", "\u{df}x"),
        game("...", "_7th"),
        game("Éa", "e\u{301}b"),
    ]);
    let tree = mount_views(fake, &["v=%{player:1U}", "two=%{white:2U}"]);
    assert_eq!(tree.ls("v"), ["7", "E", "S", "unknown"]);
    assert_eq!(tree.ls("two"), ["E", "EA", "EL", "unknown"]);
    assert_eq!(tree.ls("v/E").len(), 3);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab/_.?, é\u{301}-]{0,4}",
        Just("a (2)".to_owned()),
        Just("a - b".to_owned())
    ]
}

fn template() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "%{white}",
        "%{black:1}",
        "%{player}",
        "%{opponent}",
        "%{event}",
        "%{tournament}",
        "%{year}",
        "%{month}",
        "%{eco}",
        "%{result}",
        "%{number}",
        "%{tag:Round}",
        " - ",
        "x",
    ]);
    let name = proptest::collection::vec(part, 1..3).prop_map(|parts| parts.concat());
    proptest::collection::vec(name, 1..4).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_the_template_is_every_directory_is_sound(
        template in template(),
        texts in proptest::collection::vec((text(), text(), text(), 0u16..3), 1..10)
    ) {
        let fake = Fake::of(texts.iter().map(|(white, black, event, year)| {
            game(white, black).event(event).date(*year, 0, 0).tag("Round", event)
        }));
        let tree = mount_views(fake, &[&format!("v={template}")]);
        // The walk looks up every name.
        let paths = tree.walk_from("v/");
        let files = paths.iter().filter(|path| !path.ends_with('/'));
        let mut links = vec![0; texts.len()];
        for path in files {
            let number: usize = path[path.len() - "000001.pgn".len()..path.len() - 4].parse().unwrap();
            links[number - 1] += 1;
        }
        for (game, links) in links.into_iter().enumerate() {
            let (white, black, ..) = &texts[game];
            prop_assert!((1..=2).contains(&links), "{template}: {white} {black}");
            let players = tree.walk_from("players/").iter()
                .filter(|path| path.ends_with(&format!("{:06}.pgn", game + 1)))
                .count() as u32;
            let all = tree.stat(&format!("games/000001-001000/{:06}.pgn", game + 1)).links;
            let others = contents::directories_of_game() - 2;
            prop_assert_eq!(all, others + players + links, "{}", template);
        }
        // Each directory of games has its merged file.
        let merged = tree.walk_from("merged/v/");
        let leaves = paths.iter().filter(|path| path.ends_with('/'))
            .filter(|path| tree.ls(path).iter().all(|name| tree.stat(&format!("{path}{name}")).kind == pgnfs_server::inside::Kind::File));
        let mut expected: Vec<String> =
            leaves.map(|path| format!("merged/{}.pgn", path.trim_end_matches('/'))).collect();
        expected.sort();
        let mut files: Vec<String> = merged.into_iter().filter(|path| !path.ends_with('/')).collect();
        files.sort();
        prop_assert_eq!(files, expected);
    }
}
