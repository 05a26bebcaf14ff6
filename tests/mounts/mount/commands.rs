//! `export`, `info`, help.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::scratch::{Scratch, pgnfs, run};
use super::simplecdb::{self, Game, ILLEGAL, OPERA};
use chessdb_library::mounts::Mounts;
use testkit::needs;

#[test]
fn status_names_the_mounts_that_show_files_of_a_file_system() {
    needs!(mount);
    let scratch = Scratch::new();
    let point = run(Command::new("stat").args(["-c", "%m"]).arg(&scratch.source)).out;
    // A root that was changed into need not be one.
    let is_known = Mounts::read().is_ok_and(|mounts| mounts.top_at(Path::new(point.trim())).is_some());
    needs!(if is_known, "a root that is a mount point");
    let list = || run(pgnfs().args(["status", "--json"]).arg(point.trim())).out;
    let has = |list: &str| list.contains(scratch.mount.to_str().unwrap());
    assert!(!has(&list()), "{}", list());
    scratch.mount(&[]);
    let listed: serde_json::Value = serde_json::from_str(&list()).unwrap();
    let rows = listed.as_array().unwrap().iter();
    let own: Vec<_> = rows
        .filter(|row| row["mount_point"] == scratch.mount.to_str().unwrap())
        .map(|row| row["source"].as_str().unwrap())
        .collect();
    assert_eq!(own, [scratch.source.to_str().unwrap()]);
    let text = run(pgnfs().arg("status").arg(point.trim())).out;
    let (mount, source) = (scratch.mount.display(), scratch.source.display());
    assert!(text.contains(&format!("{mount} shows {source}\n")), "{text}");
    // A folder that is neither.
    let refused = run(pgnfs().arg("status").arg(&scratch.source));
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn export_writes_all_games_in_database_order() {
    let scratch = Scratch::new();
    let all = run(pgnfs().arg("export").arg(&scratch.source));
    assert_eq!((all.code, all.err.as_str()), (Some(0), ""));
    let whites: Vec<_> = all
        .out
        .lines()
        .filter(|line| line.starts_with("[White "))
        .collect();
    assert_eq!(
        whites,
        [
            r#"[White "Morphy, Paul"]"#,
            r#"[White "Anderssen, Adolf"]"#,
            r#"[White "Morphy, Paul"]"#
        ]
    );
    assert!(
        all.out
            .contains("1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 1-0\n\n")
    );
    let one = run(pgnfs().arg("export").arg(&scratch.source).arg("sub/b.dci"));
    assert!(all.out.ends_with(&one.out) && one.out.starts_with("[Event "));
    for threads in ["1", "7"] {
        let on_threads = run(pgnfs()
            .args(["export", "--threads", threads])
            .arg(&scratch.source));
        assert_eq!(on_threads.out, all.out);
    }
}

#[test]
fn a_single_database_may_be_named_as_info_shows_it() {
    let scratch = Scratch::new();
    let source = scratch.source.join("a.dci");
    let info = run(pgnfs().arg("info").arg(&source)).out;
    assert!(info.contains("a.dci: 2 games"), "{info}");
    let all = run(pgnfs().arg("export").arg(&source));
    let named = run(pgnfs().arg("export").arg(&source).arg("a.dci"));
    assert_eq!((named.code, named.out), (Some(0), all.out));
    let other = run(pgnfs().arg("export").arg(&source).arg("b.dci"));
    assert_eq!((other.code, other.out.as_str()), (Some(2), ""));
}

#[test]
fn an_empty_book_says_why() {
    let scratch = Scratch::new();
    let path = scratch.path("x.pgn");
    let fen = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n";
    for (games, said) in [
        ("1. e4 *\n", "--min-games, --min-score and --side leave no move"),
        (fen, "no game begins in the usual start position"),
        ("", "there are no games"),
    ] {
        fs::write(&path, games).unwrap();
        let book = run(pgnfs().args(["export", "--to=polyglot"]).arg(&path));
        assert_eq!((book.code, book.out.as_str()), (Some(0), ""), "{games}");
        let line = format!("pgnfs: the book is empty: {said}\n");
        assert!(book.err.ends_with(&line), "{}", book.err);
    }
}

#[test]
fn export_of_a_database_that_is_not_there() {
    let scratch = Scratch::new();
    let ended = run(pgnfs().arg("export").arg(&scratch.source).arg("c.dci"));
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("has no database 'c.dci'"), "{}", ended.err);
    assert!(ended.err.contains("pgnfs info"), "{}", ended.err);
}

#[test]
fn a_hyphen_is_standard_output() {
    let scratch = Scratch::new();
    let all = run(pgnfs().arg("export").arg(&scratch.source));
    let mut export = pgnfs();
    export.args(["export", "--output=-"]).arg(&scratch.source);
    assert_eq!(run(export.current_dir(scratch.path(""))).out, all.out);
    assert!(!scratch.path("-").exists());
}

#[test]
fn export_to_a_file() {
    let scratch = Scratch::new();
    let all = run(pgnfs().arg("export").arg(&scratch.source));
    let file = scratch.path("games.pgn");
    fs::write(&file, "x".repeat(100_000)).unwrap();
    let export_to = |file: &Path| {
        run(pgnfs()
            .arg("export")
            .arg(&scratch.source)
            .arg("--output")
            .arg(file))
    };
    let ended = export_to(&file);
    assert_eq!(
        (ended.code, ended.out.as_str(), ended.err.as_str()),
        (Some(0), "", "")
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), all.out);

    let own = scratch.path("link");
    fs::hard_link(scratch.source.join("a.dcg"), &own).unwrap();
    let refused = export_to(&own);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("link belongs to the source"),
        "{}",
        refused.err
    );
    assert_eq!(run(pgnfs().arg("export").arg(&scratch.source)).out, all.out);
    for (file, remedy) in [
        ("none/games.pgn", "create its folder first"),
        ("source", "name a file in it"),
    ] {
        let refused = export_to(&scratch.path(file));
        let said = format!("{file} cannot be written: ");
        assert!(
            refused.err.contains(&said) && refused.err.contains(remedy),
            "{}",
            refused.err
        );
    }
}

/// A quarter of a mebibyte has room for the old file and a part of the new one.
#[test]
fn a_full_disk_keeps_the_file_that_was_there() {
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("big"), &[OPERA; 5000]);
    fs::create_dir(scratch.path("disk")).unwrap();
    let script = r#"
        cd "$1" && mount -t tmpfs -o size=256k none disk || exit 9
        echo old >disk/games.pgn; chmod 640 disk/games.pgn; ln -s games.pgn disk/link.pgn
        for file in games new link; do "$2" export source --output disk/$file.pgn; echo $?; done
        cat disk/games.pgn; ls disk
        "$2" export source --only a.dci --output disk/link.pgn; echo $?
        grep -c '^.White ' disk/games.pgn; stat -c %a disk/games.pgn; ls disk
    "#;
    let Some(ended) = scratch.run_isolated(script, |_| {}) else {
        return;
    };
    let all = ["2", "2", "2", "old", "games.pgn", "link.pgn"];
    let small = ["0", "2", "640", "games.pgn", "link.pgn"];
    assert_eq!(ended.out.lines().collect::<Vec<_>>(), [&all[..], &small].concat());
    for file in ["games.pgn", "new.pgn", "link.pgn"] {
        let said = format!("{file} cannot be written: No space left");
        assert!(ended.err.contains(&said), "{}", ended.err);
    }
}

#[test]
fn a_terminal_shows_a_progress_bar() {
    needs!(program "script", in "bsdutils");
    needs!(terminal);
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("bad"), &[OPERA, ILLEGAL]);
    let on_terminal = |arguments: &str| {
        let line = format!("\"$pgnfs\" {arguments} \"$source\" 2>&1");
        run(Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .env("pgnfs", env!("CARGO_BIN_EXE_pgnfs"))
            .env("source", &scratch.source)
            .env("TERM", "xterm"))
    };
    let checked = on_terminal("check");
    assert!(checked.out.contains("] 100%  5 of 5 games"), "{:?}", checked.out);
    assert!(
        checked.out.contains("bad.dci: game 2: ") && checked.out.contains(" (bad.dcg, byte "),
        "{:?}",
        checked.out
    );
    assert_eq!(checked.code, Some(1));
    let exported = on_terminal("export --output /dev/null");
    assert!(exported.out.contains("of 5 games"), "{:?}", exported.out);
    let shown = on_terminal("export");
    assert!(
        !shown.out.contains("of 5 games") && shown.out.contains("1. e4"),
        "{:?}",
        shown.out
    );
}

#[test]
fn a_closed_pipe_is_no_error() {
    let scratch = Scratch::new();
    simplecdb::write(&scratch.source.join("big"), &[OPERA; 5000]);
    for (arguments, expected) in [
        (&[][..], b"[Ev"),
        (&["--to=csv", "--columns=White,pgn"], b"Whi"),
        (&["--to=parquet", "--columns=White,pgn"], b"PAR"),
    ] {
        let mut child = pgnfs()
            .arg("export")
            .args(arguments)
            .arg(&scratch.source)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut begin = [0; 3];
        child.stdout.take().unwrap().read_exact(&mut begin).unwrap();
        assert_eq!(&begin, expected);
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(
            (ended.status.code(), said.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_name_with_a_line_feed_is_one_line() {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("no\nne.dci"), "nothing").unwrap();
    simplecdb::write(&scratch.source.join("ba\x1b\nd"), &[ILLEGAL]);
    let checked = run(pgnfs().arg("check").arg(&scratch.source));
    assert!(
        checked.out.starts_with("no ne.dci: left out: "),
        "{}",
        checked.out
    );
    assert!(checked.out.contains(" (ba  d.dcg, byte "), "{}", checked.out);
    assert_eq!(checked.out.lines().count(), 2, "{}", checked.out);
    assert!(
        checked.err.lines().all(|line| line.starts_with("pgnfs: ")),
        "{}",
        checked.err
    );
    let info = run(pgnfs().args(["info", "--long"]).arg(&scratch.source));
    assert!(info.out.contains("  file            ba  d.dcg, "), "{}", info.out);
    assert!(
        info.out.ends_with("begins as SimpleCDb files do\n"),
        "{}",
        info.out
    );
    assert!(info.out.contains("\n  no ne.dci: "), "{}", info.out);
}

#[test]
fn long_games_are_exported_in_their_order() {
    let scratch = Scratch::new();
    let long = Game {
        // The text of such a game is a few times as long as its moves, which continue after an illegal one.
        moves: Box::leak(format!("a1a1{}", " g1f3".repeat(30_000)).into_boxed_str()),
        ..OPERA
    };
    // If its texts are long, the end of a chunk is processed by the thread that writes.
    let games: Vec<Game> = (0..200).map(|n| if n % 3 == 0 { OPERA } else { long }).collect();
    simplecdb::write(&scratch.source.join("long"), &games);
    let exported = |threads| {
        let command = ["export", "--threads", threads];
        run(pgnfs().args(command).arg(scratch.source.join("long.dci"))).out
    };
    let one = exported("1");
    assert!(one.len() > 128 * (100 << 10));
    let begins: Vec<bool> = one
        .split("[Event ")
        .skip(1)
        .map(|game| game.contains("1. e4 e5"))
        .collect();
    assert!(begins.iter().copied().eq((0..200).map(|n| n % 3 == 0)));
    assert_eq!(exported("3"), one);
}

#[test]
fn a_table_has_all_plies_of_a_very_long_game() {
    let scratch = Scratch::new();
    let (games, table) = (scratch.path("long.pgn"), scratch.path("long.parquet"));
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(10_000);
    fs::write(&games, format!("[Event \"?\"]\n[Result \"*\"]\n\n{moves}*\n")).unwrap();
    let mut export = pgnfs();
    export.args(["export", "--to=parquet", "--columns=ply_count", "--output"]);
    assert_eq!(run(export.arg(&table).arg(&games)).code, Some(0));
    let rows = SerializedFileReader::new(fs::File::open(table).unwrap()).unwrap();
    let row = rows.get_row_iter(None).unwrap().next().unwrap().unwrap();
    assert_eq!(row.get_int(0).unwrap(), 40_000);
}

#[test]
fn export_writes_tables() {
    let scratch = Scratch::new();
    let export = |arguments: &[&str]| run(pgnfs().arg("export").args(arguments).arg(&scratch.source));
    let columns = "database,number,White,ply_count,uci,moves,final_fen,year";
    let table = export(&["--to", "csv", "--columns", columns]);
    assert_eq!((table.code, table.err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = table.out.lines().collect();
    assert_eq!((lines[0], lines.len()), (columns, 4));
    assert_eq!(
        lines[2],
        "a.dci,2,\"Anderssen, Adolf\",8,e2e4 e7e5 f2f4 e5f4 f1c4 d8h4 e1f1 b7b5,e4 e5 f4 exf4 Bc4 Qh4+ Kf1 b5,\
         rnb1kbnr/p1pp1ppp/8/1p6/2B1Pp1q/8/PPPP2PP/RNBQ1KNR w kq b6 0 5,1851"
    );
    // What is not asked for is as in a mount, with the database before it and paths from the root.
    let usual = export(&["--to", "csv"]).out;
    assert!(
        usual.starts_with("database,number,Event,Site,Date,Round,White,"),
        "{usual}"
    );
    assert!(
        usual.contains(",sub/b.dci/games/000001-001000/000001.pgn\n"),
        "{usual}"
    );
    let json = export(&["--to", "ndjson", "--columns", "path,WhiteElo"]).out;
    assert_eq!(
        json.lines().next(),
        Some(r#"{"path":"a.dci/games/000001-001000/000001.pgn","WhiteElo":null}"#)
    );
    // A usual tag that no game has, and one that is wanted for certain.
    let empty = export(&["--to", "csv", "--columns", "Annotator,tag:Whit"]);
    assert_eq!((empty.code, empty.out.lines().last()), (Some(0), Some(",")));
    let file = scratch.path("games.parquet");
    let name = file.to_str().unwrap();
    assert_eq!(export(&["--to", "parquet", "--output", name]).code, Some(0));
    let bytes = fs::read(&file).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    // Parts follow one another, whatever their form.
    for form in ["pgn", "ndjson"] {
        let parts = ["1/2", "2/2"].map(|part| export(&["--to", form, "--part", part]).out);
        assert!(parts.iter().all(|part| !part.is_empty()), "{form}");
        assert_eq!(parts.concat(), export(&["--to", form]).out, "{form}");
    }
    for (wrong, said) in [
        (
            &["--to", "csv", "--columns", "White,elo"][..],
            "no table has a column 'elo'",
        ),
        (
            &["--to", "csv", "--columns", "White,Whit"],
            "no game has the tag 'Whit'; similar are White",
        ),
        (
            &["--to", "csv", "--columns", "ply"],
            "the column 'ply' is for rows that are positions, not games: give --rows positions",
        ),
        (
            &["--to", "csv", "--columns", "White,Black,White"],
            "the column 'White' is named twice",
        ),
        (
            &["--columns", "White"],
            "--columns is for tables: give --to csv, ndjson or parquet",
        ),
        (&["--part", "3/2"], "--part is K/N"),
        (&["--part", "x"], "--part is K/N"),
        (&["--part", "0/0"], "--part is K/N"),
        (&["--part", "-1/2"], "--part is K/N"),
        (&["--part", "+1/2"], "--part is K/N"),
        (&["--part", "4294967296/4294967296"], "--part is K/N"),
        (&["--part", "1/2/3"], "--part is K/N"),
    ] {
        let refused = export(wrong);
        assert_eq!(refused.code, Some(2), "{wrong:?}");
        assert!(refused.err.contains(said), "{}", refused.err);
    }
}

#[test]
fn info_prints_text_or_json() {
    let scratch = Scratch::new();
    let text = run(pgnfs().arg("info").arg(&scratch.source));
    assert_eq!(text.code, Some(0));
    let lines: Vec<&str> = text.out.lines().collect();
    let [sum, first, second] = lines[..] else {
        panic!("{}", text.out);
    };
    assert!(sum.ends_with(": 3 games in 2 databases"), "{sum}");
    assert!(first.starts_with("a.dci: 2 games, SimpleCDb"), "{first}");
    assert!(second.starts_with("sub/b.dci: 1 game, SimpleCDb"), "{second}");
    let long = run(pgnfs().args(["info", "--long"]).arg(&scratch.source));
    assert!(long.out.contains("\n\nsub/b.dci\n  format "), "{}", long.out);
    // All facts about a single database are shown.
    for options in [&["info"][..], &["info", "--long"]] {
        let single = run(pgnfs().args(options).arg(scratch.source.join("a.dci")));
        assert!(
            single.out.contains("\n  file            a.dcg, "),
            "{}",
            single.out
        );
    }

    let json = run(pgnfs().args(["info", "--json"]).arg(&scratch.source));
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["games"], 3);
    assert_eq!(
        json["source"],
        scratch.source.canonicalize().unwrap().to_str().unwrap()
    );
    let first = &json["databases"][0];
    assert_eq!(
        (&first["path"], &first["format"], &first["games"]),
        (&"a.dci".into(), &"simplecdb".into(), &2.into())
    );
    assert_eq!(first["files"][0]["name"], "a.dci");
    assert_eq!(
        first["files"][0]["size"],
        fs::metadata(scratch.source.join("a.dci")).unwrap().len()
    );
    for list in ["warnings", "problems"] {
        assert_eq!(first[list], serde_json::json!([]));
    }
    assert!(first["info"].is_object());
    assert_eq!(json["left_out"], serde_json::json!([]));
}

#[test]
fn what_was_left_out_is_said_of_what_is_asked_for() {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("none.dci"), "nothing").unwrap();
    fs::write(scratch.source.join("sub/games.rar"), "an archive").unwrap();
    for (arguments, said) in [
        (&["export", "SOURCE"][..], "none.dci and 1 other were left out"),
        (&["export", "SOURCE", "a.dci"], ""),
        (&["export", "SOURCE", "sub/b.dci"], ""),
        (
            &["export", "--where=db:sub/*", "SOURCE"],
            "sub/games.rar: left out",
        ),
        (&["export", "--only=b.dci", "SOURCE"], ""),
        (&["export", "--kinds=dci", "SOURCE"], "none.dci: left out"),
        (&["find", "", "SOURCE"], "none.dci and 1 other were left out"),
        (&["find", "", "SOURCE", "a.dci"], ""),
        (&["find", "--novelty", "", "SOURCE", "a.dci"], ""),
        (&["find", "-db:sub/*", "SOURCE"], "none.dci: left out"),
        (
            &["find", "--novelty", "db:*.rar|a.*", "SOURCE"],
            "sub/games.rar: left out",
        ),
    ] {
        let mut command = pgnfs();
        command.arg(arguments[0]).arg("--cache-dir=none");
        for &argument in &arguments[1..] {
            match argument {
                "SOURCE" => command.arg(&scratch.source),
                _ => command.arg(argument),
            };
        }
        let ended = run(&mut command);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        assert_eq!(
            ended.err.is_empty(),
            said.is_empty(),
            "{arguments:?}: {}",
            ended.err
        );
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn sources_that_hold_nothing() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("empty")).unwrap();
    fs::write(scratch.path("note.txt"), "hello").unwrap();
    for command in ["export", "check", "info"] {
        for (source, message) in [
            ("missing", "no such file or folder"),
            ("empty", "no chess database"),
            ("note.txt", "not a chess database"),
        ] {
            let ended = run(pgnfs().arg(command).arg(scratch.path(source)));
            assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""));
            assert!(ended.err.starts_with("pgnfs: "), "{}", ended.err);
            assert!(
                ended.err.contains(source) && ended.err.contains(message),
                "{}",
                ended.err
            );
        }
    }
}

#[test]
fn usage() {
    for arguments in [&["--help"][..], &["mount", "--help"], &["--version"]] {
        let ended = run(pgnfs().args(arguments));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
        assert!(!ended.out.is_empty());
    }
    for (arguments, message) in [
        (&[][..], "name a command"),
        (
            &["moutn", "a", "b"],
            "there is no command 'moutn': 'mount' is similar",
        ),
        (&["serch", "x", "a"], "'find' is similar"),
        (&["ls", "a"], "'info' is similar"),
        (
            &["/", "a"],
            "there is no command '/': to mount it, write pgnfs mount SOURCE MOUNTPOINT",
        ),
        (
            &["xyz"],
            "there is no command 'xyz': pgnfs --help lists all commands",
        ),
        (
            &["mount", "--ro", "a", "b"],
            "pgnfs mount takes -o ro, which has no effect",
        ),
        (&["find", "--fold", "x", "a"], "write --spelling=fold"),
        (&["export", "--verbatim", "a"], "write --pgn=verbatim"),
        (
            &["find", "/", "player:x"],
            "the query comes before SOURCE, as in pgnfs find player:x /",
        ),
        (&["info", "--jsn", "a"], "'--json'"),
        (&["mount", "a"], "<MOUNTPOINT>"),
        (&["info", "--nonsense", "a"], "--nonsense"),
        (
            &["mount", "-o", "nonsense", "a", "b"],
            "unknown option 'nonsense'",
        ),
        (&["mount", "--uid=me", "a", "b"], "option 'uid': 'me'"),
        (&["export", "-o", "uid=1", "a"], "option 'uid' is only for mount"),
        (
            &["info", "--cache-size=1M", "a"],
            "'--cache-size' is an option of pgnfs mount and pgnfs serve",
        ),
        (
            &["check", "--unique", "a"],
            "'--unique' is an option of pgnfs mount, pgnfs serve, pgnfs export and pgnfs find",
        ),
        (
            &["help", "find", "mount"],
            "one argument too many: 'mount'; pgnfs help takes one command",
        ),
        (&["info", "--kinds=pgn,cbhh", "a"], "option 'kinds': 'pgn,cbhh'"),
        (
            &["check", "-o", "reading=nonsense", "a"],
            "option 'reading': 'nonsense' is not a reading of any format; pgnfs info SOURCE lists those that apply",
        ),
    ] {
        let ended = run(pgnfs().args(arguments));
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.err.starts_with("pgnfs: "), "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
    }
}

#[test]
fn the_columns_of_lichess_may_be_a_folder_with_files_for_each_month() {
    let scratch = Scratch::new();
    let game = |n: usize, dates: &str| format!("[Event \"e{n}\"]\n{dates}\n1. e4 {{[%clk 0:01:00]}} *\n\n");
    let dates = [
        "[Date \"2013.01.31\"]\n[UTCDate \"2013.02.01\"]\n[UTCTime \"00:00:01\"]\n",
        "[Date \"2013.01.31\"]\n",
        "[UTCDate \"2013.02.28\"]\n",
        "[Date \"2013.??.??\"]\n",
        "",
        "[Date \"????.??.??\"]\n[UTCDate \"2013.02.??\"]\n",
    ];
    let games = dates.iter().enumerate().map(|(n, dates)| game(n, dates));
    fs::write(scratch.path("x.pgn"), games.collect::<String>()).unwrap();
    let export = |arguments: &[&str]| {
        let mut export = pgnfs();
        export.args(["export", "--schema=lichess"]).args(arguments);
        run(export.arg(scratch.path("x.pgn")))
    };
    let set_up = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n\n[Variant \"Chess960\"]\n\n1. e4 *\n\n\
        [FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n[Variant \"Standard\"]\n\n1. e4 *\n\n\
        [FEN \"none\"]\n\n1. e4 *\n";
    fs::write(scratch.path("set-up.pgn"), set_up).unwrap();
    let said = |option: &str| {
        let mut export = pgnfs();
        run(export
            .args(["export", "--to=csv", option])
            .arg(scratch.path("set-up.pgn")))
        .err
    };
    for (option, is_told) in [
        ("--schema=lichess", true),
        ("--columns=White,moves", true),
        ("--columns=White,moves,FEN", false),
        ("--columns=pgn", false),
        ("--columns=White", false),
    ] {
        let expected = "pgnfs: 2 games from set-up positions: ";
        assert_eq!(said(option).starts_with(expected), is_told, "{option}");
    }
    let folder = scratch.path("months/");
    let output = format!("--output={}/", folder.display());
    assert_eq!(export(&["--to=parquet", &output]).code, Some(0));
    let unknown = "__HIVE_DEFAULT_PARTITION__";
    let mut found = Vec::new();
    for (month, events) in [
        ("year=2013/month=01".to_owned(), &["e1"][..]),
        ("year=2013/month=02".to_owned(), &["e0", "e2", "e5"]),
        (format!("year=2013/month={unknown}"), &["e3"]),
        (format!("year={unknown}/month={unknown}"), &["e4"]),
    ] {
        let file = folder
            .join("data")
            .join(month)
            .join("train-00000-of-00001.parquet");
        let rows = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
        let columns = rows.metadata().file_metadata().schema_descr().columns().len();
        let rows = rows.get_row_iter(None).unwrap().map(|row| row.unwrap());
        let rows: Vec<(String, String)> = rows
            .map(|row| {
                (
                    row.get_string(0).unwrap().clone(),
                    row.get_string(17).unwrap().clone(),
                )
            })
            .collect();
        let expected = events
            .iter()
            .map(|event| ((*event).to_owned(), "1. e4 {[%clk 0:01:00]} *".to_owned()));
        assert_eq!((columns, &rows), (18, &expected.collect()));
        found.extend(rows);
    }
    assert_eq!(found.len(), dates.len());
    for (arguments, said) in [
        (
            &["--to=parquet", &output][..],
            "is there already: remove it or name another folder",
        ),
        (&["--to=csv", &output], "is for --to parquet without --part"),
        (
            &["--to=parquet", "--part=1/2", &output],
            "is for --to parquet without --part",
        ),
        (&["--to=csv", "--columns=White"], "leave out --columns"),
        (&["--to=pgn"], "--schema is for tables"),
    ] {
        let ended = export(arguments);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.err.contains(said), "{}", ended.err);
    }
    // A folder that cannot exist is reported at once, and nothing is left to remove.
    let below_file = format!("--output={}/", scratch.path("x.pgn").display());
    let refused = export(&["--to=parquet", &below_file]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("cannot be written") && !refused.err.contains("incomplete"),
        "{}",
        refused.err
    );
    let csv = export(&["--to=csv"]).out;
    assert!(
        csv.contains("\ne0,,,,*,,,,,,,2013-02-01,00:00:01,,,,,1. e4 {[%clk 0:01:00]} *\n"),
        "{csv}"
    );
}

#[test]
fn codes_of_openings_have_names() {
    let scratch = Scratch::new();
    let game = |eco: &str| format!("[Event \"x\"]\n[Result \"*\"]\n[ECO \"{eco}\"]\n\n1. e4 *\n\n");
    fs::write(scratch.path("x.pgn"), game("C67") + &game("X67")).unwrap();
    let mut export = pgnfs();
    export
        .args(["export", "--to=csv", "--columns=ECO,eco_name"])
        .arg(scratch.path("x.pgn"));
    assert_eq!(
        run(&mut export).out,
        "ECO,eco_name\nC67,Ruy Lopez: Berlin\nX67,\n"
    );
}

#[test]
fn castling_in_chess960_is_the_king_taking_its_rook() {
    let scratch = Scratch::new();
    // Written with the king's target, castling would look like a plain move to g1, or like no move at all.
    let [first, second] = [
        "rk5r/1p6/8/8/8/8/8/1R3K1R w HBha - 0 9",
        "k7/8/8/8/8/8/8/1RK3R1 w GB - 3 9",
    ];
    let game =
        |fen: &str, moves: &str| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n[Result \"*\"]\n\n{moves} *\n\n");
    let games = game(first, "9. O-O O-O-O") + &game(first, "9. Kg1 Kc8") + &game(second, "9. O-O-O");
    fs::write(scratch.path("960.pgn"), games).unwrap();
    let of = |arguments: &[&str]| run(pgnfs().args(arguments).arg(scratch.path("960.pgn"))).out;
    let columns = ["export", "--to=csv", "--columns=uci,final_fen"];
    assert_eq!(
        of(&columns),
        "uci,final_fen\n\
         f1h1 b8a8,2kr3r/1p6/8/8/8/8/8/1R3RK1 w - - 2 10\n\
         f1g1 b8c8,r1k4r/1p6/8/8/8/8/8/1R4KR w - - 2 10\n\
         c1b1,k7/8/8/8/8/8/8/2KR2R1 b - - 4 9\n"
    );
    let table = of(&["find", "--show=moves", &format!("fen:\"{first}\"")]);
    let rows: Vec<&str> = table.lines().map(|row| &row[..10.min(row.len())]).collect();
    assert_eq!(rows, ["move,uci,g", "Kg1,f1g1,1", "O-O,f1h1,1"]);
}

#[test]
fn find_shows_which_games_have_a_position() {
    let scratch = Scratch::new();
    let cache = scratch.path("cache");
    let find = |query: &str, arguments: &[&str]| {
        let mut command = pgnfs();
        command.args(["find", query]).arg(&scratch.source).args(arguments);
        run(command.arg("--cache-dir").arg(&cache))
    };
    // Both Morphy's games are the opera game, and Anderssen's is the Immortal.
    let line = "line:\"1. e4 e5 2. Nf3 d6\"";
    let fen = "fen:\"rnbqkbnr/ppp2ppp/3p4/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w\"";
    let paths = "a.dci/games/000001-001000/000001.pgn\t4\nsub/b.dci/games/000001-001000/000001.pgn\t4\n";
    for index in ["--index=no", "--index=auto", "--index=yes", "--index=auto"] {
        for query in [line, fen] {
            let found = find(query, &[index]);
            assert_eq!(
                (found.code, found.out.as_str(), found.err.as_str()),
                (Some(0), paths, "")
            );
        }
        let none = find("line:d4", &[index]);
        assert_eq!((none.code, none.out.as_str()), (Some(1), ""));
        let count = find("line:e4,e5", &["--show=count", index, "--only=a.dci"]);
        assert_eq!((count.code, count.out.as_str()), (Some(0), "2\n"));
        let table = find("line:e4,e5", &["--show=moves", index]);
        let rows: Vec<&str> = table.out.lines().map(|row| &row[..row.len().min(18)]).collect();
        assert_eq!(
            rows,
            ["move,uci,games,whi", "Nf3,g1f3,2,2,0,0,1", "f4,f2f4,1,1,0,0,10"]
        );
    }
    let one = find("material:KRPkr", &["sub/b.dci"]);
    assert_eq!(one.code, Some(1));
    // The search finds one of the two copies.
    for index in ["--index=no", "--index=yes"] {
        let unique = find(line, &["--unique", index]);
        assert_eq!(
            (unique.code, unique.out.lines().count()),
            (Some(0), 1),
            "{}",
            unique.out
        );
        assert!(paths.contains(&unique.out), "{}", unique.out);
        let table = find("line:e4,e5", &["--show=moves", "--unique", index]);
        let rows: Vec<&str> = table.out.lines().map(|row| &row[..row.len().min(12)]).collect();
        assert_eq!(rows, ["move,uci,gam", "Nf3,g1f3,1,1", "f4,f2f4,1,1,"], "{index}");
    }
    let mut export = pgnfs();
    let exported = run(export
        .args(["export", "--unique", "--cache-dir"])
        .arg(&cache)
        .arg(&scratch.source));
    assert_eq!(exported.out.matches("[White ").count(), 2, "{}", exported.err);
    let pgn = find("line:e4,e5,f4", &["--show=pgn"]);
    assert_eq!(pgn.out.matches("[Event ").count(), 1);
    for kind in ["positions", "lines"] {
        let files = fs::read_dir(&cache).unwrap().flatten();
        let kept = files.filter(|file| file.path().extension().is_some_and(|own| own == kind));
        assert_eq!(kept.count(), 2, "{kind} of each database");
    }
}

#[test]
fn files_that_are_perhaps_no_chess_are_named_by_info_alone() {
    let scratch = Scratch::new();
    fs::write(scratch.source.join("firmware.bin"), "no chess").unwrap();
    fs::write(scratch.source.join("sub/book.abk"), "chess").unwrap();
    let of = |command: &[&str]| run(pgnfs().args(command).arg(&scratch.source));
    let info = of(&["info"]);
    assert!(info.out.contains("firmware.bin: perhaps"), "{}", info.out);
    for command in [
        &["export"][..],
        &["find", "line:e4"],
        &["find", "--novelty"],
        &["check"],
    ] {
        let ended = of(command);
        let said = ended.out + &ended.err;
        assert!(
            said.contains("book.abk") && !said.contains("firmware"),
            "{command:?}: {said}"
        );
    }
    fs::remove_file(scratch.source.join("sub/book.abk")).unwrap();
    assert_eq!(of(&["check"]).code, Some(0));
}

#[test]
fn find_needs_no_folder_for_novelties() {
    let scratch = Scratch::new();
    // No file can have a single byte, as on a full disk.
    let full = r#"trap "" XFSZ; ulimit -f 0; exec "$@""#;
    let find = |start: &[&str], cache: &str| {
        let mut command = Command::new(start[0]);
        command
            .args(&start[1..])
            .args(["find", "--novelty", "--cache-dir", cache]);
        run(command.arg(&scratch.source))
    };
    let program = env!("CARGO_BIN_EXE_pgnfs");
    let cache = scratch.path("cache");
    let cache = cache.to_str().unwrap();
    let without = find(&["sh", "-c", full, "sh", program], cache);
    assert_eq!(fs::read_dir(cache).unwrap().count(), 0);
    let missing = find(&[program], "/proc/missing");
    let usual = find(&[program], cache);
    assert_eq!((usual.code, usual.err.as_str()), (Some(0), ""));
    for (found, said) in [(without, "File too large"), (missing, "/proc/missing")] {
        assert_eq!((found.code, found.out.as_str()), (Some(0), usual.out.as_str()));
        assert!(found.err.contains(said), "{}", found.err);
    }
}

#[test]
fn find_says_what_is_wrong() {
    let scratch = Scratch::new();
    for (arguments, said) in [
        (
            &["line:e4,e4", "SOURCE"][..],
            "'e4' is not a legal move after 1. e4: no pawn can go to e4",
        ),
        (
            &["fen:\"nonsense w\"", "SOURCE"],
            "rank 8: 'o' is neither a piece nor",
        ),
        (&["material:KQ", "SOURCE"], "with one K and one k"),
        (&["line:e4", "SOURCE", "none.dci"], "has no database 'none.dci'"),
        (&["SOURCE"], "a query and SOURCE are required"),
        (
            &["--novelty"],
            "SOURCE is required, as in pgnfs find --novelty SOURCE",
        ),
        (&["--fen", "8/8/8/8/8/8/8/8 w", "SOURCE"], "--fen"),
    ] {
        let source = scratch.source.to_str().unwrap();
        let arguments = arguments
            .iter()
            .map(|&one| if one == "SOURCE" { source } else { one });
        let arguments: Vec<&str> = arguments.collect();
        let ended = run(pgnfs().arg("find").args(&arguments));
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
    }
}
