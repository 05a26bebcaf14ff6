//! `all/moves/` and `all/positions/`: the opening tree and the positions of all databases.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use chessdb::game::Outcome;
use chessdb_library::library::Library;
use chessdb_library::positions::IndexUse;
use pgnfs_server::inside::{ChessFs, CurrentState, Failure, FsError, Inode, Kind, ServeOptions};

use super::mounted::{Mounted, mount_all, mount_with};
use super::tables::read_csv;
use testkit::fake::{Fake, FakeGame, game};

const DATABASES: [&str; 3] = ["a.dci", "club/b, \"c\".dci", "zero.dci"];

/// The position after 1. d4 d5 2. c4 e6, reached in any order.
const GAMBIT: &str = "rnbqkbnr-ppp2ppp-4p3-3p4-2PP4-8-PP2PPPP-RNBQKBNR_w_KQkq_-";

fn copies(line: &'static str, count: usize) -> Vec<FakeGame> {
    vec![game("A", "B").line(line); count]
}

fn first() -> Vec<FakeGame> {
    let mut games = copies("e4 e5 Nf3 Nc6", 20);
    games.push(
        game("C", "D")
            .line("d4 d5 c4 e6 Nc3")
            .date(1990, 1, 1)
            .eco(b"D35"),
    );
    games.push(game("E", "F").line("e4 e5").outcome(Outcome::WhiteWins));
    games.push(game("G", "H").line("e4 e5 Nf3").deleted());
    games
}

fn second() -> Vec<FakeGame> {
    let mut games = copies("e4 e5 Nf3 Nc6 Bb5 a6", 18);
    let rated = |game: FakeGame| game.tag("WhiteElo", "2700").tag("BlackElo", "2600");
    games.push(rated(game("I", "J").line("c4 e6 d4 d5 Nc3").outcome(Outcome::Draw)).eco(b"D37"));
    games.push(rated(game("K", "L").line("d4 d5 c4 e6 Nf3").date(1985, 1, 1)).eco(b"D37"));
    games.push(game("M", "N").line("Kd2").fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    games.push(game("O", "P"));
    games
}

fn library() -> Mounted {
    let fakes = [Fake::of(first()), Fake::of(second()), Fake::default()];
    let entries = fakes.into_iter().zip(DATABASES);
    mount_all(entries.map(|(fake, path)| fake.at(path)).collect())
}

fn target(tree: &Mounted, path: &str) -> Result<String, FsError> {
    tree.target(tree.find(path)?)
}

/// How often each game is listed below a directory, by its inode.
fn games_below(tree: &Mounted, directory: &str) -> BTreeMap<Inode, usize> {
    let mut games = BTreeMap::new();
    for path in tree.walk_from(directory) {
        if path.ends_with(".pgn") {
            *games.entry(tree.inode(&path)).or_default() += 1;
        }
    }
    games
}

/// The rows of a table of moves by move, as numbers: games, white, draws, black.
fn counts(table: &str) -> BTreeMap<String, [u32; 4]> {
    let (_, rows) = read_csv(table);
    let count = |row: &BTreeMap<String, String>| {
        let numbers = ["games", "white", "draws", "black"].map(|name| row[name].parse().unwrap());
        (row.get("move").cloned().unwrap_or_default(), numbers)
    };
    rows.iter().map(count).collect()
}

#[test]
fn every_game_stands_in_moves_once() {
    let tree = library();
    let game_of =
        |database: &str, number| tree.inode(&format!("{database}/games/000001-001000/{number:06}.pgn"));
    let mut expected: Vec<Inode> = (1..=22).map(|number| game_of(DATABASES[0], number)).collect();
    let own = (1..=22).filter(|&number| number != 21);
    expected.extend(own.map(|number| game_of(DATABASES[1], number)));
    let expected: BTreeMap<Inode, usize> = expected.into_iter().map(|game| (game, 1)).collect();
    assert_eq!(games_below(&tree, "all/moves/"), expected);
}

#[test]
fn a_directory_lists_moves_where_the_databases_have_more_than_32_games() {
    let tree = library();
    let directories = |path: &str| -> Vec<String> {
        let entries = tree.entries(path).into_iter();
        let directories = entries.filter(|entry| entry.2 == Kind::Directory);
        directories.map(|entry| entry.0).collect()
    };
    assert_eq!(directories("all/moves"), ["c4", "d4", "e4"]);
    assert_eq!(directories("all/moves/e4/e5"), ["Nf3"]);
    // In one database the line ends, in the other it goes on.
    assert_eq!(directories("all/moves/e4/e5/Nf3/Nc6"), ["Bb5"]);
    assert_eq!(tree.ls("all/moves/e4/e5/Nf3/Nc6").len(), 20 + 3);
    let listed = tree.entries("all/moves/d4");
    assert_eq!(listed.len(), 2);
    for (entry, (database, number)) in listed.iter().zip([(DATABASES[0], 21), (DATABASES[1], 20)]) {
        let path = format!("{database}/games/000001-001000/{number:06}.pgn");
        assert_eq!(entry.1, tree.inode(&path));
        // The code of the database, as in the views of `all/`.
        let year = &entry.0[..4];
        assert!(
            tree.ls(&format!("all/years/{year}")).contains(&entry.0),
            "{}",
            entry.0
        );
    }
    // Only the second database has this line.
    assert_eq!(tree.ls("all/moves/c4/e6/d4").len(), 1);
    assert_eq!(tree.find("all/moves/c4/e5"), Err(FsError::NotFound));
    assert_eq!(target(&tree, "all/moves/e4/1...e5"), Ok("e5".to_owned()));
    assert_eq!(
        target(&tree, "all/moves/1. c4 e6 2. d4"),
        Ok("c4/e6/d4".to_owned())
    );
    let deep = tree.inode("all/moves/c4/e6/d4");
    assert_eq!(tree.parent(deep), Ok(tree.inode("all/moves/c4/e6")));
    assert_eq!(tree.parent(tree.inode("all/moves")), Ok(tree.inode("all")));
}

#[test]
fn tables_are_the_sums_of_those_of_the_databases() {
    let tree = library();
    for path in [
        "moves/moves.csv",
        "moves/e4/e5/moves.csv",
        &format!("positions/{GAMBIT}/moves.csv"),
    ] {
        let mut sums: BTreeMap<String, [u32; 4]> = BTreeMap::new();
        for database in &DATABASES[..2] {
            for (name, own) in counts(&tree.cat(&format!("{database}/{path}"))) {
                let sum = sums.entry(name).or_default();
                (0..4).for_each(|n| sum[n] += own[n]);
            }
        }
        let all = tree.cat(&format!("all/{path}"));
        assert_eq!(counts(&all), sums, "{path}");
        let (_, rows) = read_csv(&all);
        assert!(rows.iter().all(|row| tree.exists(&row["path"])), "{all}");
    }
    // Score, mean rating, performance, years, opening code and path follow from the games of both databases.
    assert_eq!(
        tree.cat(&format!("all/positions/{GAMBIT}/moves.csv")),
        "move,uci,games,white,draws,black,score,elo,performance,first,last,reached,eco,path
Nc3,b1c3,2,0,1,0,50.0,2700,2600,1990,1990,2,D35,a.dci/games/000001-001000/000021.pgn
Nf3,g1f3,1,0,0,0,,2700,,1985,1985,1,D37,\"club/b, \"\"c\"\".dci/games/000001-001000/000020.pgn\"
"
    );
}

#[test]
fn the_first_game_of_a_move_is_one_that_played_it() {
    // The first database has the position after 1. d4 d5 2. c4 by another order of moves only.
    let tree = mount_all(vec![
        Fake::of(copies("c4 d5 d4", 2)).at("a"),
        Fake::of(copies("d4 d5 c4", 1)).at("b"),
    ]);
    let (_, rows) = read_csv(&tree.cat("all/moves/d4/d5/moves.csv"));
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (&*row["move"], &*row["games"], &*row["reached"]),
        ("c4", "1", "3")
    );
    assert_eq!(row["path"], "b/games/000001-001000/000001.pgn");
}

#[test]
fn a_position_has_the_games_of_all_databases() {
    let tree = library();
    assert_eq!(tree.ls("all/positions"), ["info.txt", "start"]);
    assert_eq!(tree.find("all/positions/novelties.csv"), Err(FsError::NotFound));
    let directory = format!("all/positions/{GAMBIT}");
    let own = |database: &str| format!("{database}/positions/{GAMBIT}");
    let games: Vec<Inode> = tree
        .entries(&format!("{directory}/games"))
        .iter()
        .map(|entry| entry.1)
        .collect();
    let of_databases = DATABASES[..2]
        .iter()
        .flat_map(|database| tree.entries(&format!("{}/games", own(database))));
    assert_eq!(games, of_databases.map(|entry| entry.1).collect::<Vec<_>>());
    assert_eq!(games.len(), 3);
    let texts: String = DATABASES[..2]
        .iter()
        .map(|database| tree.cat(&format!("{}/games.pgn", own(database))))
        .collect();
    assert_eq!(tree.cat(&format!("{directory}/games.pgn")), texts);
    let (columns, rows) = read_csv(&tree.cat(&format!("{directory}/games.csv")));
    assert_eq!(columns[..2], ["database", "number"].map(str::to_owned));
    let (_, all) = read_csv(&tree.cat("all/tables/games.csv"));
    let expected: Vec<_> = all
        .into_iter()
        .filter(|row| games.contains(&tree.inode(&row["path"])))
        .collect();
    let places = |rows: &[BTreeMap<String, String>]| -> Vec<(String, String)> {
        rows.iter()
            .map(|row| (row["path"].clone(), row["White"].clone()))
            .collect()
    };
    assert_eq!(places(&rows), places(&expected));
    let info = tree.cat(&format!("{directory}/info.txt"));
    assert!(
        info.contains("Games:    3\nResults:  0 won by White, 1 drawn, 0 won by Black\n"),
        "{info}"
    );
    assert!(info.contains("a.dci/games/000001-001000/000021.pgn\n"), "{info}");
    assert_eq!(tree.ls(&format!("{directory}/moves")), ["Nc3", "Nf3"]);
    let after = target(&tree, &format!("{directory}/moves/Nf3")).unwrap();
    assert_eq!(tree.ls(&format!("{directory}/moves/{after}/games")).len(), 1);
}

#[test]
fn positions_are_found_in_other_spellings() {
    let tree = library();
    let fen = "rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3";
    let pasted = format!("all/positions/{fen}");
    assert_eq!(
        target(&tree, &pasted),
        Ok(format!("../../../../../../../{GAMBIT}"))
    );
    let dotted = format!("all/positions/{}", fen.replace('/', "."));
    assert_eq!(target(&tree, &dotted), Ok(GAMBIT.to_owned()));
    assert_eq!(
        target(&tree, "all/moves/d4/d5/position")
            .map(|target| tree.exists(&format!("all/moves/d4/d5/{target}"))),
        Ok(true)
    );
    let set_up = "all/positions/4k3-8-8-8-8-8-4P3-4K3_w_-_-";
    assert_eq!(tree.ls(&format!("{set_up}/games")).len(), 1);
    assert_eq!(tree.find(&set_up.replace("_w_", "_b_")), Err(FsError::NotFound));
    let start = target(&tree, "all/positions/start").unwrap();
    assert_eq!(tree.ls(&format!("all/positions/{start}/games")).len(), 22 + 21);
}

#[test]
fn nodes_are_the_same_in_every_mount() {
    let (first, second) = (library(), library());
    let directory = format!("all/positions/{GAMBIT}");
    for path in [
        "all/moves",
        "all/moves/e4/e5/Nf3/Nc6/Bb5",
        "all/moves/e2e4",
        "all/moves/e4/moves.csv",
        &directory,
        &format!("{directory}/moves/Nf3"),
        &format!("{directory}/games"),
        &format!("{directory}/games.csv"),
    ] {
        let inode = first.inode(path);
        // An inode works without a previous look-up.
        assert_eq!(second.attributes(inode), first.attributes(inode), "{path}");
        assert_eq!(second.parent(inode), first.parent(inode), "{path}");
    }
    // The same line begins in an earlier database.
    let later = Inode(first.inode("all/moves/e4").0 + 22);
    assert_eq!(second.attributes(later), Err(FsError::Stale));
}

#[test]
fn without_indexes_there_are_neither_moves_nor_positions() {
    let entries = || vec![Fake::of(first()).at("a"), Fake::of(second()).at("b")];
    let tree = mount_with(
        entries(),
        ServeOptions {
            index: IndexUse::No,
            ..ServeOptions::default()
        },
    );
    for path in ["all/moves", "all/positions"] {
        assert_eq!(tree.find(path), Err(FsError::NotFound));
    }
    let tree = mount_with(
        entries(),
        ServeOptions {
            index_memory: 0,
            index_folders: &[],
            ..ServeOptions::default()
        },
    );
    assert_eq!(tree.find("all/moves/e4"), Err(FsError::Io(Failure::Index)));
    assert_eq!(
        tree.find(&format!("all/positions/{GAMBIT}")),
        Err(FsError::Io(Failure::Index))
    );
    assert!(tree.exists("all/players"));
}

#[test]
fn a_database_without_an_index_is_named() {
    let entries = vec![
        Fake::of(copies("e4", 2000)).at("large"),
        Fake::of(copies("e4 e5", 2)).at("small"),
    ];
    let options = ServeOptions {
        index_memory: 10_000,
        index_folders: &[],
        ..ServeOptions::default()
    };
    let tree = mount_with(entries, options);
    assert_eq!(games_below(&tree, "all/moves/").len(), 2);
    let info = tree.cat("all/positions/info.txt");
    assert!(
        info.ends_with("\nThese databases are left out, because they have no index of positions:\n  large\n"),
        "{info}"
    );
    assert_eq!(tree.find("large/moves/e4"), Err(FsError::Io(Failure::Index)));
    let complete = library().cat("all/positions/info.txt");
    assert!(!complete.contains("Without"), "{complete}");
}

#[test]
fn a_replaced_database_has_a_new_tree() {
    let entries = [Fake::of(first()).at("a"), Fake::of(second()).at("b")].map(Arc::new);
    let other = Arc::new(Fake::of(copies("Nf3 d5", 3)).at("b"));
    let live = CurrentState::new(ChessFs::new(
        Library::from_shared(entries.to_vec()),
        ServeOptions::default(),
    ));
    let walk = |path: &str| {
        path.split('/').try_fold(Inode::ROOT, |inode, name| {
            let found = live
                .child(&live.resolve(inode)?.open()?, OsStr::new(name))?
                .inode();
            assert!(live.hold(&[found]).is_empty(), "{path}");
            Ok::<_, FsError>(found)
        })
    };
    let (line, table) = (
        walk("all/moves/c4").unwrap(),
        walk("all/moves/moves.csv").unwrap(),
    );
    let before = live.resolve(table).unwrap().open().unwrap().attributes().unwrap();
    live.replace(Library::from_shared(vec![Arc::clone(&entries[0]), other]));
    assert_eq!(walk("all/moves/c4"), Err(FsError::NotFound));
    let now = walk("all/moves/moves.csv").unwrap();
    let text = live
        .resolve(now)
        .unwrap()
        .open()
        .unwrap()
        .read(0, 10_000)
        .unwrap();
    let counted = counts(std::str::from_utf8(&text).unwrap());
    assert_eq!((counted["Nf3"][0], counted["e4"][0]), (3, 21));
    // Programs that use the old state continue to see it.
    assert_eq!(live.resolve(line).unwrap().open().unwrap().entries(), Ok(1));
    assert_eq!(
        live.resolve(table).unwrap().open().unwrap().attributes(),
        Ok(before)
    );
}

#[test]
fn a_position_is_searched_for_once() {
    // The other games lose the rights to castle before they come to the same board, so each of them is searched.
    let fakes = [0, 1].map(|_| {
        let mut games = copies("Nf3 Nf6 Rg1 Rg8 Rh1 Rh8 Ng1 Ng8 e4 e5 d4 d5", 300);
        games.push(game("C", "D").line("e4 e5 d4 d5"));
        Fake::of(games)
    });
    let decoded = fakes.each_ref().map(|fake| Arc::clone(&fake.decoded));
    let count = || -> usize {
        decoded
            .iter()
            .map(|decoded| decoded.load(Ordering::Relaxed))
            .sum()
    };
    let [first, second] = fakes;
    let tree = mount_all(vec![first.at("a"), second.at("b")]);
    tree.ls("all/moves");
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
    for (directory, games) in [("a", 301), ("all", 602)] {
        let before = count();
        let link = target(&tree, &format!("{directory}/positions/{fen}")).unwrap();
        let position = format!("{directory}/positions/{}", link.trim_start_matches("../"));
        for file in ["info.txt", "moves.csv"] {
            assert_ne!(tree.cat(&format!("{position}/{file}")), "");
        }
        let (_, rows) = read_csv(&tree.cat(&format!("{position}/games.csv")));
        assert_eq!(rows.len(), games / 301, "{directory}");
        let searched = count() - before;
        assert!((300..2 * games).contains(&searched), "{directory}: {searched}");
    }
}
