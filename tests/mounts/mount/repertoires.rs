//! Repertoires: what `find` and a mount say of games that follow or leave them.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use super::scratch::{Scratch, pgnfs, run, wait_for};
use testkit::needs;

const GAMES: &str = "[White \"Tal\"]\n[Black \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n\
    [White \"Tal\"]\n[Black \"B\"]\n\n1. e4 c5 2. c3 d5 *\n\n\
    [White \"C\"]\n[Black \"Tal\"]\n\n1. d4 d5 *\n\n";

/// Games, and what White wants to play.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    fs::remove_dir_all(&scratch.source).unwrap();
    fs::create_dir_all(scratch.source.join("own")).unwrap();
    fs::write(scratch.source.join("games.pgn"), GAMES).unwrap();
    write(&scratch, "1. e4 e5 (1... c5 2. Nf3) 2. Nf3");
    scratch
}

/// Writes the repertoire.
fn write(scratch: &Scratch, line: &str) {
    let text = format!("[White \"Mine\"]\n\n{line} *\n\n");
    fs::write(scratch.source.join("own/white.pgn"), text).unwrap();
}

fn find(scratch: &Scratch, arguments: &[&str]) -> (Option<i32>, String, String) {
    let ended = run(pgnfs().arg("find").args(arguments).arg(&scratch.source));
    (ended.code, ended.out, ended.err)
}

#[test]
fn an_export_says_that_its_repertoire_was_changed_meanwhile() {
    let scratch = scratch();
    fs::write(scratch.source.join("games.pgn"), GAMES.repeat(2000)).unwrap();
    let mine = scratch.path("mine.pgn");
    fs::rename(scratch.source.join("own/white.pgn"), &mine).unwrap();
    let query = format!("player:tal repertoire:\"{}\" by:player", mine.to_str().unwrap());
    let mut export = pgnfs();
    export.args(["export", "--where", &query]).arg(&scratch.source);
    let whole = run(&mut export);
    assert_eq!((whole.code, whole.err.as_str()), (Some(0), ""));

    let mut writing = export
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // When the first game is written, all are found. The pipe does not take them all.
    let mut out = writing.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    fs::write(&mine, "1. d4 *").unwrap();
    std::io::copy(&mut out, &mut std::io::sink()).unwrap();
    let ended = writing.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(
        ended.status.code() == Some(2) && said.contains("mine.pgn: a file was changed while it was read"),
        "{said}"
    );
}

#[test]
fn find_shows_where_games_leave_a_repertoire() {
    let scratch = scratch();
    let shown = |query: &str| find(&scratch, &["--show=deviations", query]).1;
    let row = |game: u32, rest: &str| {
        format!("path,ply,by,move,repertoire\ngames.pgn/games/000001-001000/00000{game}.pgn,{rest}\n")
    };
    // With Black, the repertoire has no move of the player after 1. d4.
    let both = row(2, "2,white,c3,Nf3") + "games.pgn/games/000001-001000/000003.pgn,0,white,d4,e4\n";
    assert_eq!(shown("player:tal -repertoire:white.pgn by:player"), both);
    assert_eq!(
        shown("black:tal -repertoire:own/white.pgn by:white"),
        row(3, "0,white,d4,e4")
    );
    assert_eq!(
        find(
            &scratch,
            &["player:tal repertoire:white.pgn by:player", "--show=count"]
        )
        .1,
        "1\n"
    );
    // A game that follows it to its end leaves it nowhere.
    let (code, out, _) = find(
        &scratch,
        &["--show=deviations", "repertoire:white.pgn by:white db:games.pgn"],
    );
    assert_eq!((code, out.as_str()), (Some(1), ""));
    // A file that is not in the source.
    let file = scratch.path("other.pgn");
    fs::write(&file, "[White \"A\"]\n\n1. d4 d5 *\n\n").unwrap();
    let query = format!("repertoire:\"{}\" by:white", file.to_str().unwrap());
    assert_eq!(find(&scratch, &[&query, "--show=count"]).1, "1\n");
    for (arguments, said) in [
        (
            &["repertoire:none.pgn by:white"][..],
            "repertoire:none.pgn: no database here has this name",
        ),
        (
            &["player:tal", "--show=deviations"],
            "needs a query with one repertoire:",
        ),
        (&["repertoire:white.pgn"], "needs the side that plays its moves"),
    ] {
        let (code, _, err) = find(&scratch, arguments);
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(said), "{err}");
    }
}

#[test]
fn the_directory_of_a_search_follows_its_repertoire() {
    needs!(mount);
    let scratch = scratch();
    scratch.mount(&[
        "--search=left=-repertoire:white.pgn by:white",
        "--search=lost=-repertoire:none.pgn by:white",
    ]);
    let query = "player:tal -repertoire:white.pgn by:player";
    let search = scratch.mount.join("all/search").join(query);
    let expected = find(&scratch, &["--show=deviations", query]).1;
    assert_eq!(
        fs::read_to_string(search.join("tables/deviations.csv")).unwrap(),
        expected
    );
    let games = || {
        fs::read_to_string(search.join("all.pgn"))
            .unwrap()
            .matches("[White ")
            .count()
    };
    assert_eq!(games(), 2);
    let names = fs::read_dir(search.join("tables"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().any(|name| name == "deviations.csv"));
    let other = scratch.mount.join("all/search/player:tal");
    assert!(other.exists() && !other.join("tables/deviations.csv").exists());
    // The search of one database cannot name another database.
    assert!(!scratch.mount.join("games.pgn/search").join(query).exists());
    let status = run(pgnfs().arg("status").arg(&scratch.mount)).out;
    assert!(
        status.contains("repertoire:white.pgn: no database here has this name"),
        "{status}"
    );
    // Listed searches do not have them either: an unknown repertoire gives no answer.
    let listed = |folder: &str| {
        let entries = fs::read_dir(scratch.mount.join(folder).join("search")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    assert_eq!(listed("all"), ["left", "syntax.txt"]);
    assert_eq!(listed("games.pgn"), ["syntax.txt"]);
    assert!(!scratch.mount.join("all/search/lost").exists());
    assert!(scratch.mount.join("all/search/left/all.pgn").exists());
    let status = run(pgnfs().arg("status").arg(&scratch.mount)).out;
    assert!(
        status.contains("repertoire:none.pgn: no database here has this name"),
        "{status}"
    );
    write(&scratch, "1. e4 c5 2. c3");
    wait_for("the new repertoire", || games() == 1);
    let left = fs::read_to_string(search.join("tables/deviations.csv")).unwrap();
    assert_eq!(left.lines().count(), 2, "{left}");
    assert!(left.ends_with("000003.pgn,0,white,d4,e4\n"), "{left}");
    scratch.unmount();
}
