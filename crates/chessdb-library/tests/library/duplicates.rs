//! The same game in several places.

use std::path::Path;

use chessdb::{Database, Options};
use chessdb_library::duplicates::{ComparedDatabase, Duplicate, Duplicates};
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::Library;
use chessdb_library::positions::{BuildOptions, LineEnd, Positions};

use crate::groups::asking::games;

#[test]
fn groups_and_their_games_are_counted() {
    let game = |players: [&str; 2], moves: &str| {
        let [white, black] = players;
        format!("[Date \"1958.11.09\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n{moves} *\n\n")
    };
    let long = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5";
    let other = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6 7. Bh4 b6 8. cxd5 Nxd5 9. Bxe7 Qxe7 10. Nxd5";
    let (tal, giri) = (["Tal, M", "Ivkov, B"], ["Giri, A", "So, W"]);
    let all = [
        game(tal, long),
        game(tal, other),
        game(tal, long),
        game(giri, "1. c4"),
        game(giri, other),
        game(tal, other),
        game(tal, long),
    ];
    let database = games(&all.concat());
    assert_eq!(database.len(), 7);
    let found = Duplicates::find(&[&*database], 1);
    assert_eq!((found.groups(), found.len()), (2, 5));
    let groups: Vec<_> = (0..found.len()).map(|n| found.get(n).unwrap().0).collect();
    assert_eq!(groups, [0, 0, 0, 1, 1]);
    assert_eq!(found.unique(&[&*database])[0].len(), 4);
    assert_eq!(Duplicates::find(&[], 1).groups(), 0);
}

/// The moves of a game of 40 half-moves, and of another game with the same first 24.
const LINE: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5 \
                    11. d4 Qc7 12. Nbd2 cxd4 13. cxd4 Nc6 14. Nb3 a5 15. Be3 a4 16. Nbd2 Bd7 17. Rc1 Qb7 18. Qe2 Rfe8 \
                    19. Bd3 Rab8 20. Nf1 exd4";
const OTHER_LINE: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5 \
                          11. d4 Qc7 12. Nbd2 Bd7 13. Nf1 cxd4";

/// The first half-moves of a line.
fn first(plies: usize, line: &str) -> String {
    let moves = line.split_whitespace().filter(|word| !word.ends_with('.'));
    moves.take(plies).collect::<Vec<_>>().join(" ")
}

/// A game with these tags and moves; the moves end with the result of the tag.
fn tagged(tags: &[(&str, &str)], moves: &str) -> String {
    let result = tags
        .iter()
        .find(|(name, _)| *name == "Result")
        .map_or("*", |(_, value)| value);
    let tags: String = tags
        .iter()
        .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
        .collect();
    format!("{tags}\n{moves} {result}\n\n")
}

/// The groups of games, each with its games from the best one on, and what the others are.
fn grouped(all: &[String]) -> Vec<Vec<(u32, &'static str)>> {
    let database = games(&all.concat());
    assert_eq!(database.len() as usize, all.len());
    let found = Duplicates::find(&[&*database], 2);
    let mut groups = vec![Vec::new(); found.groups()];
    for n in 0..found.len() {
        let (group, _, duplicate) = found.get(n).unwrap();
        groups[group].push((
            duplicate.game,
            duplicate.reason.map_or("best", |reason| reason.name()),
        ));
    }
    groups
}

const PLAYERS: [(&str, &str); 2] = [("White", "Tal, M"), ("Black", "Ivkov, B")];

#[test]
fn a_game_that_was_cut_short_belongs_to_the_longer_one() {
    type Tag = (&'static str, &'static str);
    const DATE: Tag = ("Date", "1958.11.09");
    const EVENT: Tag = ("Event", "Zagreb");
    const ROUND: Tag = ("Round", "3");
    /// Half-moves of the shorter game, tags of both, and whether they are one game.
    type Case = (usize, &'static [Tag], &'static [Tag], bool);
    let cases: [Case; 24] = [
        (20, &[DATE], &[DATE], true),
        (19, &[DATE], &[DATE], false),
        (19, &[DATE, ROUND], &[DATE, ROUND], true),
        (0, &[DATE, ROUND], &[DATE, ROUND], true),
        (19, &[EVENT, ROUND], &[EVENT, ROUND], false),
        (20, &[EVENT, ROUND], &[EVENT, ROUND], true),
        (20, &[EVENT], &[EVENT], false),
        (20, &[ROUND], &[ROUND], false),
        (39, &[], &[], false),
        (20, &[("Date", "1958.11.??")], &[DATE], false),
        (
            20,
            &[("Date", "1958.11.08"), EVENT, ROUND],
            &[DATE, EVENT, ROUND],
            false,
        ),
        (
            20,
            &[("Date", "1958.??.??"), EVENT, ROUND],
            &[DATE, EVENT, ROUND],
            true,
        ),
        (20, &[DATE, ("Round", "2")], &[DATE, ROUND], false),
        (20, &[DATE, ("Result", "1-0")], &[DATE, ("Result", "1-0")], true),
        (20, &[DATE, ("Result", "1-0")], &[DATE, ("Result", "0-1")], false),
        (20, &[DATE, ("Result", "1-0")], &[DATE], true),
        (20, &[DATE, ("Event", "Another name")], &[DATE, EVENT], true),
        (
            20,
            &[DATE, ("Event", "Zagreb 1958")],
            &[DATE, ("Event", "Zagreb 1959")],
            true,
        ),
        // Games of one match are played on one day, and only further numbers of their rounds differ.
        (20, &[DATE, ("Round", "3.5")], &[DATE, ("Round", "3.4")], false),
        (20, &[DATE, ("Round", "3.5")], &[DATE, ("Round", "3.5")], true),
        (20, &[DATE, ROUND], &[DATE, ("Round", "3.5")], true),
        (
            20,
            &[("Event", "Zagreb 1958"), ROUND],
            &[("Event", "Zagreb 1959"), ROUND],
            false,
        ),
        (
            20,
            &[("Event", "2nd Zagreb 1958"), ROUND],
            &[("Event", "Zagreb 1958"), ROUND],
            true,
        ),
        (20, &[EVENT, ROUND], &[("Event", "Zagreb 1958"), ROUND], true),
    ];
    for (plies, short, long, is_one) in cases {
        let game = |tags: &[Tag], moves: &str| tagged(&[&PLAYERS, tags].concat(), moves);
        let all = [game(short, &first(plies, LINE)), game(long, &first(40, LINE))];
        let expected: &[Vec<(u32, &str)>] = if is_one {
            &[vec![(1, "best"), (0, "shorter")]]
        } else {
            &[]
        };
        assert_eq!(grouped(&all), expected, "{plies} {short:?} {long:?}");
    }
}

#[test]
fn games_of_other_or_unknown_players_are_not_cut_short() {
    let game = |players: [&str; 2], plies| {
        let tags = [
            ("Date", "1958.11.09"),
            ("White", players[0]),
            ("Black", players[1]),
        ];
        tagged(&tags, &first(plies, LINE))
    };
    let long = game(["Tal, Mihail", "Ivkov, B"], 40);
    for (players, is_one) in [
        (["Mihail Tal", "Ivkov"], true),
        (["Tal, M", "?"], false),
        (["Tal, V", "Ivkov, B"], false),
        (["Ivkov, B", "Tal, M"], false),
    ] {
        let groups = grouped(&[game(players, 30), long.clone()]);
        assert_eq!(groups.len(), usize::from(is_one), "{players:?}");
    }
}

#[test]
fn the_longest_game_is_the_best_of_a_chain() {
    let tags = [PLAYERS[0], PLAYERS[1], ("Date", "1958.11.09")];
    let annotated = first(22, LINE).replace("Bb5", "Bb5 {the Spanish game} $1");
    let all = [
        tagged(&tags, &first(30, LINE)),
        tagged(&tags, &annotated),
        tagged(&tags, &first(40, LINE)),
        tagged(&tags, &first(30, LINE)),
        tagged(&tags, &first(40, LINE)),
    ];
    let expected = [
        (2, "best"),
        (0, "shorter"),
        (1, "shorter"),
        (3, "shorter"),
        (4, "date"),
    ];
    assert_eq!(grouped(&all), [expected]);
    let database = games(&all.concat());
    assert_eq!(*Duplicates::find(&[&*database], 1).unique(&[&*database])[0], [2]);
}

#[test]
fn the_beginning_of_two_different_games_stays_alone() {
    let tags = [PLAYERS[0], PLAYERS[1], ("Date", "1958.11.09")];
    let [short, shared, long, other] = [
        first(20, LINE),
        first(24, LINE),
        first(40, LINE),
        first(26, OTHER_LINE),
    ]
    .map(|moves| tagged(&tags, &moves));
    assert_eq!(
        grouped(&[short.clone(), long.clone(), other.clone()]),
        [] as [Vec<_>; 0]
    );
    // Twenty-four half-moves belong to one of them, twenty may be the other.
    let expected = [(2, "best"), (1, "shorter")];
    assert_eq!(grouped(&[short.clone(), shared, long.clone(), other]), [expected]);
}

#[test]
fn beginnings_that_contradict_each_other_stay_alone() {
    let long = tagged(
        &[
            PLAYERS[0],
            PLAYERS[1],
            ("Date", "1958.11.??"),
            ("Event", "Zagreb"),
            ("Round", "3"),
        ],
        &first(40, LINE),
    );
    for (more, is_one) in [
        ([("Result", "1-0"), ("Result", "0-1")], false),
        ([("Result", "1-0"), ("Result", "*")], true),
        ([("Result", "1-0"), ("Result", "1-0")], true),
        ([("Date", "1958.11.09"), ("Date", "1958.11.10")], false),
        ([("Date", "1958.11.09"), ("Date", "1958.??.??")], true),
    ] {
        let short = |plies, tag| {
            let tags = [PLAYERS[0], PLAYERS[1], ("Event", "Zagreb"), ("Round", "3"), tag];
            tagged(&tags, &first(plies, LINE))
        };
        let found = grouped(&[short(20, more[0]), short(22, more[1]), long.clone()]);
        let expected: &[Vec<_>] = if is_one {
            &[vec![(2, "best"), (0, "shorter"), (1, "shorter")]]
        } else {
            &[]
        };
        assert_eq!(found, expected, "{more:?}");
    }
}

#[test]
fn a_game_is_compared_with_at_most_64_longer_ones() {
    let tags = [PLAYERS[0], PLAYERS[1], ("Date", "1958.11.09")];
    let (short, long) = (tagged(&tags, &first(20, LINE)), tagged(&tags, &first(40, LINE)));
    for (copies, in_group) in [(64, 65), (65, 65)] {
        let mut all = vec![long.clone(); copies];
        all.push(short.clone());
        let groups = grouped(&all);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].len(), in_group, "{copies}");
        assert_eq!(
            groups[0].iter().any(|(_, reason)| *reason == "shorter"),
            copies == 64
        );
    }
}

/// The number of groups among these games, and of the games in all groups.
fn groups(all: &[String]) -> (usize, usize) {
    let database = games(&all.concat());
    let found = Duplicates::find(&[&*database], 1);
    (found.groups(), found.len())
}

/// The first half-moves of a game.
fn game(players: [&str; 2], date: &str, round: &str, result: &str, plies: usize) -> String {
    let tags = [
        ("White", players[0]),
        ("Black", players[1]),
        ("Date", date),
        ("Round", round),
        ("Result", result),
    ];
    tagged(&tags, &first(plies, LINE))
}

#[test]
fn a_game_shares_a_known_player_with_its_group() {
    let of = |white, black| game([white, black], "1972.08.10", "13", "1-0", 40);
    let both = || of("Muster, Robert", "Probe, Boris");
    for (other, is_same) in [
        (of("?", "?"), false),
        (of("Muster, Robert", "?"), true),
        (of("?", "Probe, Boris"), true),
    ] {
        let wanted = if is_same { (1, 2) } else { (0, 0) };
        assert_eq!(groups(&[both(), other.clone()]), wanted, "{other}");
    }
    assert_eq!(
        groups(&[of("Muster, Robert", "?"), of("?", "Probe, Boris")]),
        (0, 0)
    );
    assert_eq!(groups(&[of("?", "?"), of("NN", "")]), (1, 2));
}

/// A player may have another spelling in a long game, if nothing else differs.
#[test]
fn one_player_of_a_long_game_may_have_another_spelling() {
    let robert = game(
        ["Muster, Robert James", "Probe, Boris"],
        "1972.??.??",
        "13",
        "1-0",
        40,
    );
    for (other, is_same) in [
        (
            game(["Muster, Bobby", "Probe, Boris"], "1972.08.10", "13", "1-0", 40),
            true,
        ),
        (
            game(["Moster, Bobby", "Probe, B"], "1972.08.10", "?", "*", 40),
            true,
        ),
        (
            game(["Muster, Bobby", "Probe, Boris"], "1973.08.10", "13", "1-0", 40),
            false,
        ),
        (
            game(["Muster, Bobby", "Probe, Boris"], "1972.08.10", "12", "1-0", 40),
            false,
        ),
        (
            game(["Muster, Bobby", "Probe, Boris"], "1972.08.10", "13", "0-1", 40),
            false,
        ),
        (
            game(["Muster, Bobby", "Proba, Boris"], "1972.08.10", "13", "1-0", 40),
            false,
        ),
        (
            game(["Keres, Paul", "Probe, Boris"], "1972.08.10", "13", "1-0", 40),
            true,
        ),
        (
            game(["Engine 3", "Probe, Boris"], "1972.08.10", "13", "1-0", 40),
            false,
        ),
    ] {
        let wanted = if is_same { (1, 2) } else { (0, 0) };
        assert_eq!(groups(&[robert.clone(), other.clone()]), wanted, "{other}");
        assert_eq!(groups(&[other.clone(), robert.clone()]), wanted, "{other}");
    }
    let short = |white| game([white, "Probe, Boris"], "1972.08.10", "13", "1-0", 39);
    assert_eq!(groups(&[short("Muster, Robert"), short("Muster, Bobby")]), (0, 0));
    // Engines play the same game with several versions.
    for (date, round) in [("2024.01.02", "?"), ("2024.01.02", "1"), ("????.??.??", "?")] {
        let engine = |black| game(["Engine A", black], date, round, "1-0", 40);
        for all in [
            ["Engine X 1.0", "Engine X 1.1", "Other"],
            ["Engine-dev", "Engine-base", "Engine-test"],
            ["Mephisto Lyon", "Mephisto Vancouver", "Rybka"],
        ] {
            assert_eq!(groups(&all.map(engine)), (0, 0), "{date} {round} {all:?}");
        }
    }
}

#[test]
fn programs_may_play_the_same_game_again() {
    let humans = ["Muster, Robert", "Probe, Boris"];
    let (program, alone) = (["Engine X 1.0", "Other"], ["Engine X 1.0", "?"]);
    for plies in [10, 39, 40] {
        for ((date, round), (other_date, other_round), is_same) in [
            (("2024.05.13", "3.1"), ("2024.05.13", "3.1"), true),
            (("2024.05.13", "3.1"), ("2024.05.13", "3"), true),
            (("2024.05.13", "3.1"), ("2024.05.13", "?"), true),
            (("2024.05.13", "3.1"), ("????.??.??", "3.1"), true),
            (("2024.05.13", "3.1"), ("2024.05.13", "3.2"), false),
            (("2024.05.13", "3.1"), ("2024.05.13", "27.1"), false),
            (("2024.05.13", "3.1"), ("2024.05.14", "3.1"), false),
            (("2024.05.13", "?"), ("2024.05.14", "?"), false),
        ] {
            for players in [program, [program[1], program[0]], alone] {
                let games = [(date, round), (other_date, other_round)]
                    .map(|(date, round)| game(players, date, round, "1/2-1/2", plies));
                let wanted = if is_same { (1, 2) } else { (0, 0) };
                assert_eq!(groups(&games), wanted, "{plies} plies: {games:?}");
            }
        }
        // Nor do they against a player with another spelling.
        if plies >= 40 {
            let games = |round| {
                [("Muster, Robert", "3.1"), ("Muster, Bobby", round)]
                    .map(|(black, round)| game([program[0], black], "2024.05.13", round, "1/2-1/2", plies))
            };
            assert_eq!(groups(&games("3.1")), (1, 2));
            assert_eq!(groups(&games("3.2")), (0, 0));
        }
        // People hardly do.
        let round = |round| game(humans, "2024.05.13", round, "1/2-1/2", plies);
        assert_eq!(groups(&[round("3.1"), round("3.2")]), (1, 2), "{plies}");
    }
}

#[test]
fn games_of_strangers_with_other_spellings_are_found() {
    let folder = testkit::needs!(samples).join("data/pgn-cases/fifth/t07.duplicates-missed.pgn");
    let database = games(&std::fs::read_to_string(folder).unwrap());
    let found = Duplicates::find(&[&*database], 1);
    assert_eq!((database.len(), found.groups(), found.len()), (6, 3, 6));
}

/// All games of all groups, with the number of the group.
fn all(found: &Duplicates) -> Vec<(usize, Duplicate)> {
    let games = (0..found.len()).map(|n| found.get(n).unwrap());
    games.map(|(group, _, duplicate)| (group, duplicate)).collect()
}

/// Kept lines, and ends of lines that were found before, save time and change nothing.
#[test]
fn groups_are_the_same_with_kept_lines() {
    let tags = [
        PLAYERS[0],
        PLAYERS[1],
        ("Date", "1958.11.09"),
        ("Event", "Zagreb"),
        ("Round", "3"),
    ];
    let fen = ("FEN", "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1");
    let set_up = tagged(
        &[&tags[..], &[fen]].concat(),
        "1. O-O Kd7 2. e4 Ke7 3. e5 Kd7 4. e6+ Kd6 5. e7 Kd7 6. e8=Q+",
    );
    let invalid = tagged(&[&tags[..], &[("FEN", "8/8")]].concat(), "1. e4");
    let empty = tagged(&tags, "");
    let commented = tagged(&tags, &first(40, LINE).replace("Bb5", "Bb5 {the Spanish game}"));
    let mut made: Vec<String> = [40, 30, 25, 9]
        .map(|plies| tagged(&tags, &first(plies, LINE)))
        .into();
    made.extend([set_up, invalid, empty, commented]);
    made.extend(made.clone());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("made.pgn"), made.concat()).unwrap();
    assert_same_with_kept_lines(&folder.path().join("made.pgn"));
}

#[test]
fn groups_of_samples_are_the_same_with_kept_lines() {
    let data = testkit::needs!(samples).join("data");
    for folder in ["pgn-cases", "scid/si4", "brenner"] {
        assert_same_with_kept_lines(&data.join(folder));
    }
}

fn assert_same_with_kept_lines(path: &Path) {
    let library = Library::open(path, &Options::default()).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let files = KeptFiles::open(cache.path(), "", Space::default()).unwrap();
    let kept: Vec<Positions> = library
        .databases()
        .iter()
        .map(|entry| {
            let positions = Positions::new(entry, BuildOptions::default());
            positions.keep_in(&files);
            positions.lines().make(1, &|_| ());
            assert!(positions.lines().are_kept());
            positions
        })
        .collect();
    let databases: Vec<&dyn Database> = library.databases().iter().map(|entry| &*entry.database).collect();
    let expected = all(&Duplicates::find(&databases, 1));
    assert!(!expected.is_empty(), "{}", path.display());
    let ends: Vec<Vec<LineEnd>> = databases
        .iter()
        .map(|database| {
            (0..database.len())
                .map(|game| LineEnd::of(*database, game))
                .collect()
        })
        .collect();
    for has_ends in [false, true] {
        let compared = databases
            .iter()
            .zip(&kept)
            .zip(&ends)
            .map(|((database, kept), ends)| ComparedDatabase {
                database: *database,
                lines: Some(kept.lines()),
                ends: has_ends.then_some(&**ends),
            });
        let found = Duplicates::find_among(&compared.collect::<Vec<_>>(), 2, |_, _| true);
        assert_eq!(all(&found), expected, "{}", path.display());
    }
}
