//! `all/`: the games of all databases as one library.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use chessdb::game::Outcome;
use pgnfs_server::inside::{Inode, Kind, Layout, ServeOptions};
use xxhash_rust::xxh3::xxh3_64;

use super::contents;
use super::mounted::{Mounted, mount, mount_all, mount_with};
use super::tables::{read_csv, read_ndjson};
use testkit::fake::{Fake, FakeGame, game};

fn karpov(black: &str, year: u16) -> FakeGame {
    game("Karpov, Anatoly", black)
        .event("Linares")
        .date(year, 1, 2)
        .outcome(Outcome::Draw)
        .eco(b"B97")
        .comment(format!("{black} {year}"))
}

/// Three databases with players in common; the last one has no games.
fn library() -> Mounted {
    let old = Fake::of([
        karpov("Spassky, Boris", 1974),
        game("a/b", "x").comment("1"),
        karpov("Korchnoi, Viktor", 1978).deleted(),
    ]);
    let new = Fake::of([
        karpov("Kasparov, Garry", 1985).tag("Annotator", "Tal, \"M\""),
        game("a_b", "a/b").comment("2"),
        karpov("Spassky, Boris", 1974),
    ]);
    mount_all(vec![
        old.at("old/a.dci"),
        new.at("new, \"b\".dci"),
        Fake::default().at("zero.dci"),
    ])
}

/// The names of a directory without the codes of databases.
fn without_codes(names: &[String]) -> Vec<String> {
    let without = |name: &String| {
        let (before, number) = name.rsplit_once('-').unwrap();
        let (before, code) = before.rsplit_once('_').unwrap();
        assert_eq!(code.len(), 3, "{name}");
        format!("{before}_{number}")
    };
    names.iter().map(without).collect()
}

#[test]
fn a_source_of_one_database_has_no_such_directory() {
    let alone = mount(Fake::many(2));
    assert!(!alone.exists("all"));
    let in_a_folder = mount_all(vec![Fake::many(2).at("club/a.dci")]);
    assert_eq!(in_a_folder.ls(""), ["info.txt", "club"]);
}

#[test]
fn the_directory_has_views_merged_files_tables_and_all_games() {
    let tree = library();
    assert_eq!(
        tree.names(""),
        ["all", "info.txt", "new, \"b\".dci", "old", "zero.dci"]
    );
    assert_eq!(tree.ls("all"), contents::names(&[]));
    assert_eq!(
        tree.ls("all/tables"),
        [
            "duplicates.csv",
            "games.csv",
            "games.ndjson",
            "games.parquet",
            "overview.html"
        ]
    );
    assert_eq!(
        tree.ls("all/players"),
        [
            "Karpov, Anatoly",
            "Kasparov, Garry",
            "Spassky, Boris",
            "a_b",
            "a_b (2)",
            "x"
        ]
    );
    assert_eq!(tree.ls("all/eco"), ["B", "unknown"]);
    assert_eq!(
        without_codes(&tree.ls("all/eco/B/B97")),
        without_codes(&tree.ls("all/players/Karpov, Anatoly"))
    );
    assert_eq!(
        without_codes(&tree.ls("all/players/Karpov, Anatoly")),
        [
            "1985.01.02_Karpov-Kasparov_draw_000001.pgn",
            "1974.01.02_Karpov-Spassky_draw_000003.pgn",
            "1974.01.02_Karpov-Spassky_draw_000001.pgn",
        ]
    );
    // As in a database, the text whose game comes first has its name without a number.
    assert_eq!(tree.ls("all/players/a_b").len(), 1);
    assert_eq!(tree.ls("all/players/a_b (2)").len(), 2);
    tree.walk_from("all/");
}

#[test]
fn a_game_is_the_one_of_its_database() {
    let tree = library();
    let old = tree.inode("old/a.dci/games/000001-001000/000001.pgn");
    let players = "all/players/Spassky, Boris";
    let entries = tree.entries(players);
    assert!(
        entries
            .iter()
            .any(|entry| entry.1 == old && entry.2 == Kind::File)
    );
    let name = &entries.iter().find(|entry| entry.1 == old).unwrap().0;
    // In its database.
    for path in [
        "old/a.dci/games/000001-001000/000001.pgn",
        &format!("{players}/{name}"),
    ] {
        assert_eq!(tree.stat(path).links, contents::directories_of_game(), "{path}");
    }
    assert_eq!(
        tree.cat(&format!("{players}/{name}")),
        tree.cat("old/a.dci/games/000001-001000/000001.pgn")
    );
    assert!(!tree.exists(&format!("{players}/{}", name.replace("Karpov", "Karpow"))));
    assert!(!tree.exists(&format!("{players}/{}", name.replace("000001", "000002"))));
    assert!(!tree.exists(&format!("all/players/Kasparov, Garry/{name}")));
}

#[test]
fn parents_lead_back_to_the_root() {
    let tree = library();
    let all = tree.inode("all");
    assert_eq!(tree.parent(all), Ok(Inode::ROOT));
    assert_eq!(tree.parent(tree.inode("all/players")), Ok(all));
    assert_eq!(
        tree.parent(tree.inode("all/eco/B/B97")),
        Ok(tree.inode("all/eco/B"))
    );
    assert_eq!(
        tree.parent(tree.inode("all/merged/eco")),
        Ok(tree.inode("all/merged"))
    );
    assert_eq!(tree.parent(tree.inode("all/info.txt")), Ok(all));
    assert_eq!(tree.stat("all").links, contents::links(0));
    assert_eq!(tree.stat("").links, 2 + 4);
}

#[test]
fn merged_files_have_the_games_in_the_order_of_the_databases() {
    let tree = library();
    let of = |path: &str, games: &[u32]| -> String {
        let text = |game: &u32| tree.cat(&format!("{path}/games/000001-001000/{game:06}.pgn"));
        games.iter().map(text).collect()
    };
    let karpov = of("new, \"b\".dci", &[1, 3]) + &of("old/a.dci", &[1]);
    assert_eq!(tree.cat("all/merged/players/Karpov, Anatoly.pgn"), karpov);
    assert_eq!(tree.cat("all/merged/eco/B97.pgn"), karpov);
    let all = tree.cat("new, \"b\".dci/all.pgn") + &tree.cat("old/a.dci/all.pgn");
    assert_eq!(tree.cat("all/all.pgn"), all);
}

#[test]
fn tables_name_the_database_and_the_path_from_the_root() {
    let tree = library();
    let (columns, rows) = read_csv(&tree.cat("all/tables/games.csv"));
    assert_eq!(columns[..2], ["database", "number"].map(str::to_owned));
    assert_eq!(rows.len(), 6);
    assert_eq!(read_ndjson(&tree.cat("all/tables/games.ndjson")), rows);
    for row in &rows {
        let game = tree.cat(&row["path"]);
        assert!(row["path"].starts_with(&row["database"]), "{row:?}");
        assert!(game.contains(&format!("[White \"{}\"]", row["White"])), "{row:?}");
    }
    // Except for the place of their games, rows are the same as in the table of the database.
    let own = ["new, \"b\".dci", "old/a.dci"].into_iter().flat_map(|database| {
        let (_, mut rows) = read_csv(&tree.cat(&format!("{database}/tables/games.csv")));
        for row in &mut rows {
            let path = format!("{database}/{}", row["path"]);
            row.insert("database".to_owned(), database.to_owned());
            row.insert("path".to_owned(), path);
        }
        rows
    });
    assert_eq!(own.collect::<Vec<_>>(), rows);
}

#[test]
fn a_tag_called_database_gets_another_name() {
    let tagged = Fake::of([game("a", "b").tag("database", "x").tag("number", "y")]);
    let tree = mount_all(vec![tagged.at("a"), Fake::many(1).at("b")]);
    let (_, rows) = read_csv(&tree.cat("all/tables/games.csv"));
    assert_eq!((&*rows[0]["tag:database"], &*rows[0]["tag:number"]), ("x", "y"));
    assert_eq!((&*rows[0]["database"], &*rows[0]["number"]), ("a", "1"));
    assert_eq!(read_ndjson(&tree.cat("all/tables/games.ndjson")), rows);
    let (_, own) = read_csv(&tree.cat("a/tables/games.csv"));
    assert_eq!(own[0]["tag:database"], "x");
}

#[test]
fn any_piece_of_a_file_is_the_piece_of_the_whole() {
    let tree = mount_all(vec![
        Fake::many(150).at("a"),
        Fake::default().at("b"),
        Fake::many(70).at("c/d"),
    ]);
    for file in [
        "all.pgn",
        "tables/games.csv",
        "tables/games.ndjson",
        "merged/years/1900.pgn",
    ] {
        let path = format!("all/{file}");
        let whole = tree.cat(&path).into_bytes();
        let inode = tree.inode(&path);
        for offset in (0..whole.len() + 10).step_by(97) {
            for size in [0, 1, 50, 5000] {
                let piece = tree.read(inode, offset as u64, size).unwrap();
                let start = offset.min(whole.len());
                let end = (start + size as usize).min(whole.len());
                assert_eq!(*piece, whole[start..end], "{path} {offset} {size}");
            }
        }
    }
}

#[test]
fn a_folder_of_the_source_keeps_its_name() {
    let tree = mount_all(vec![Fake::many(1).at("all/a.dci"), Fake::many(2).at("all (2)")]);
    assert_eq!(tree.names(""), ["all", "all (2)", "all (3)", "info.txt"]);
    assert_eq!(tree.ls("all"), ["a.dci"]);
    assert!(tree.exists("all (3)/players"));
    let (_, rows) = read_csv(&tree.cat("all (3)/tables/games.csv"));
    assert_eq!(rows.len(), 3);
}

#[test]
fn own_views_and_names_are_there() {
    let mut layout = Layout::default();
    layout.add_view("rivals=%{player}/%{opponent}").unwrap();
    layout.name_games("%{year}-%{number}").unwrap();
    let options = ServeOptions {
        layout: layout.into(),
        ..ServeOptions::default()
    };
    let fake = || Fake::of([karpov("Spassky, Boris", 1974)]);
    let tree = mount_with(vec![fake().at("a"), fake().at("b")], options);
    let names = tree.ls("all/rivals/Karpov, Anatoly/Spassky, Boris");
    assert_eq!(names.len(), 2);
    for name in &names {
        assert!(
            name.starts_with("1974-") && name.ends_with("-000001.pgn"),
            "{name}"
        );
        tree.inode(&format!("all/rivals/Karpov, Anatoly/Spassky, Boris/{name}"));
    }
    let merged = tree.cat("all/merged/rivals/Karpov, Anatoly/Spassky, Boris.pgn");
    assert_eq!(merged, tree.cat("all/all.pgn"));
}

#[test]
fn nothing_is_decoded_for_names_and_tables() {
    let fakes = [Fake::many(100), Fake::many(80)];
    let decoded = fakes.each_ref().map(|fake| fake.decoded.clone());
    let [a, b] = fakes;
    let tree = mount_all(vec![a.at("a"), b.at("b")]);
    assert!(tree.may_wait(tree.inode("all/players")));
    tree.inode("all/players/White0, A");
    assert!(!tree.may_wait(tree.inode("all/players")));
    tree.cat("all/tables/games.csv");
    assert_eq!(decoded.map(|decoded| decoded.load(Ordering::Relaxed)), [0, 0]);
}

#[test]
fn a_name_with_a_long_code_is_cut_to_what_a_name_may_have() {
    // Two databases whose codes begin with the same three characters, which is a hash of the path in base 36.
    let mut seen = HashMap::new();
    let [first, second] = (0..)
        .find_map(|number| {
            let path = format!("{number}.fake");
            let code = xxh3_64(path.as_bytes()) % 36_u64.pow(3);
            let other = seen.insert(code, path.clone())?;
            let mut both = [other, path];
            both.sort_unstable();
            Some(both)
        })
        .unwrap();
    let long = game(&"W".repeat(300), "b").event(&"E".repeat(300));
    let mut layout = Layout::default();
    layout
        .name_games("%{white}%{event}%{white}%{event}_%{number}")
        .unwrap();
    let options = ServeOptions {
        layout: layout.into(),
        ..ServeOptions::default()
    };
    let tree = mount_with(
        vec![Fake::of([long.clone()]).at(&first), Fake::of([long]).at(&second)],
        options,
    );
    let names = tree.ls("all/years/unknown");
    let code = |name: &str| {
        let (before, number) = name.rsplit_once('-').unwrap();
        assert_eq!(number, "000001.pgn");
        before.trim_start_matches(['W', 'E', '_']).to_owned()
    };
    let codes: Vec<String> = names.iter().map(|name| code(name)).collect();
    assert_eq!(
        codes.iter().map(String::len).collect::<Vec<_>>(),
        [3, 4],
        "{codes:?}"
    );
    assert!(codes[1].starts_with(&codes[0]));
    for (name, database) in names.iter().zip([&first, &second]) {
        assert_eq!(name.len(), 255, "{name}");
        let own = format!("{database}/games/000001-001000/000001.pgn");
        assert_eq!(tree.inode(&format!("all/years/unknown/{name}")), tree.inode(&own));
    }
}
