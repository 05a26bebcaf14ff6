use std::collections::HashSet;

use proptest::prelude::*;

use super::contents;
use super::mounted::mount;
use testkit::fake::{Fake, game};

#[test]
fn texts_that_are_equal_in_nfc_are_one_directory() {
    let tree = mount(Fake::of([
        game("Réti, Richard", "a"),
        game("Re\u{301}ti, Richard", "a"),
        game("b", "Réti, Richard"),
    ]));
    assert_eq!(tree.ls("players"), ["Réti, Richard", "a", "b"]);
    let names = tree.ls("players/Réti, Richard");
    assert_eq!(names.len(), 3);
    assert!(names.iter().all(|name| name.contains("Réti")), "{names:?}");
}

#[test]
fn different_texts_never_share_a_directory() {
    let tree = mount(Fake::of([
        game("a_b", "x"),
        game("a/b", "x"),
        game("a\nb", "x"),
        game("a_b (2)", "x"),
        game("a/b", "x"),
    ]));
    assert_eq!(
        tree.ls("players"),
        ["a_b", "a_b (2)", "a_b (2) (2)", "a_b (3)", "x"]
    );
    // `a/b` came second.
    let games = tree.ls("players/a_b (2)");
    assert_eq!(
        games,
        [
            "xxxx.xx.xx_a-b-x_open_000002.pgn",
            "xxxx.xx.xx_a-b-x_open_000005.pgn"
        ]
    );
    assert!(tree.exists("merged/players/a_b (2).pgn"));
}

#[test]
fn what_is_unknown_has_a_name() {
    let tree = mount(Fake::of([
        game("?", ""),
        game("", "?"),
        game(".", ".."),
        game("unknown", "a"),
    ]));
    assert_eq!(
        tree.ls("players"),
        ["a", "unknown", "unknown (2)", "unknown (3)", "unknown (4)"]
    );
    assert_eq!(tree.ls("players/unknown").len(), 2);
    assert_eq!(tree.ls("years"), ["unknown"]);
    assert_eq!(tree.ls("eco"), ["unknown"]);
    assert_eq!(tree.ls("events"), ["unknown"]);
}

#[test]
fn long_names_are_cut_and_stay_apart() {
    let long = "é".repeat(300);
    let tree = mount(Fake::of([
        game(&format!("{long}1"), &format!("{long}2")),
        game(&format!("{long}1"), "x"),
    ]));
    let names = tree.ls("players");
    let cut = "é".repeat(120);
    assert_eq!(names, ["x".to_owned(), cut.clone(), format!("{cut} (2)")]);
    assert_eq!(tree.ls(&format!("players/{cut}")).len(), 2);
    assert_eq!(tree.ls(&format!("players/{cut} (2)")).len(), 1);
}

#[test]
fn a_game_between_two_of_one_name_stands_once() {
    let tree = mount(Fake::of([
        game("Smith, J", "Smith, J"),
        game("Re\u{301}ti", "Réti"),
    ]));
    assert_eq!(tree.ls("players/Smith, J").len(), 1);
    assert_eq!(tree.ls("players/Réti").len(), 1);
    let links = contents::directories_of_game() - 1;
    assert_eq!(tree.stat("games/000001-001000/000001.pgn").links, links);
    assert_eq!(tree.stat("games/000001-001000/000002.pgn").links, links);
}

#[test]
fn a_game_has_one_name_in_every_view() {
    let tree = mount(Fake::of([game(
        "O'Kelly de Galway, Alberic",
        "(van) der Wiel, John",
    )
    .date(1984, 2, 0)]));
    let name = "1984.02.xx_O-Kelly-de-Galway-van-der-Wiel_open_000001.pgn";
    for directory in [
        "players/O'Kelly de Galway, Alberic",
        "events/unknown 1984",
        "years/1984",
        "eco/unknown",
    ] {
        assert_eq!(tree.ls(directory), [name]);
    }
}

/// Texts that are likely to collide with each other and with the rules.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab/_.?\n\u{0}é\u{301}e ]{0,4}",
        any::<String>(),
        "[a/]{230,260}",
        Just(". ".to_owned()),
        Just("a (2)".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_texts_are_every_directory_is_sound(
        texts in proptest::collection::vec((text(), text(), text(), 0u16..2000), 1..12)
    ) {
        let fake = Fake::of(texts.iter().map(|(white, black, event, year)| {
            game(white, black).event(event).date(*year, 1, 1)
        }));
        let tree = mount(fake);
        // The walk looks up every name.
        let paths = tree.walk();
        prop_assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len());
        for directory in ["players", "events", "merged/players", "merged/events"] {
            let names = tree.ls(directory);
            prop_assert!(names.is_sorted_by_key(|name| name.strip_suffix(".pgn").unwrap_or(name)));
            for name in names {
                prop_assert!(!name.is_empty() && name.len() <= 255);
                prop_assert!(!name.contains(['/', '\0']) && name != "." && name != "..");
            }
        }
        let shown: usize = tree.ls("players").iter().map(|name| tree.ls(&format!("players/{name}")).len()).sum();
        let elsewhere = contents::directories_of_game() as usize - 2;
        let links: usize = (1..=texts.len())
            .map(|number| tree.stat(&format!("games/000001-001000/{number:06}.pgn")).links as usize - elsewhere)
            .sum();
        prop_assert_eq!(shown, links);
    }
}
