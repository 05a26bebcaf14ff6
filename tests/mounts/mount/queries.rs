//! Queries of `find` and `export`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::scratch::{Ended, Scratch, pgnfs, run};
use testkit::needs;

/// Games of two databases, which are named by their dates.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    fs::remove_dir_all(&scratch.source).unwrap();
    fs::create_dir_all(scratch.source.join("club")).unwrap();
    let game = |tags: &[(&str, &str)], moves: &str| {
        let tags: String = tags
            .iter()
            .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
            .collect();
        format!("{tags}\n{moves}\n\n")
    };
    let of = |white, black, date, result, elo: &str, moves: &str| {
        let mut tags = vec![
            ("White", white),
            ("Black", black),
            ("Date", date),
            ("Result", result),
        ];
        if !elo.is_empty() {
            tags.push(("WhiteElo", elo));
        }
        game(&tags, &format!("{moves} {result}"))
    };
    let first = [
        of(
            "Carlsen, Magnus",
            "Caruana",
            "2013.01.12",
            "1-0",
            "2861",
            "1. e4 c5 2. Nf3 d6",
        ),
        of(
            "Tal",
            "Carlsen, M",
            "1999.??.??",
            "0-1",
            "2500",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        ),
        of("Vitaly", "Anand", "????.??.??", "1/2-1/2", "", "1. d4 d5"),
    ];
    let second = [
        of(
            "Carlsen, Magnus",
            "Tal",
            "2005.03.01",
            "0-1",
            "2600",
            "1. e4 c5 2. c3",
        ),
        of("Anand", "Tal", "2001.02.03", "1-0", "", "1. Nf3 c5 2. e4"),
    ];
    fs::write(scratch.source.join("a.pgn"), first.concat()).unwrap();
    fs::write(scratch.source.join("club/b.pgn"), second.concat()).unwrap();
    scratch
}

fn find(scratch: &Scratch, arguments: &[&str]) -> Ended {
    let mut command = pgnfs();
    command.args(["find", "--cache-dir=none"]).args(arguments);
    run(command.arg(&scratch.source))
}

/// The games of an answer, such as `a2` for the second of `a.pgn`, each with its ply if that is not 0.
fn games(out: &str) -> String {
    let games = out.lines().map(|line| {
        let (path, ply) = line.split_once('\t').unwrap();
        let database = if path.starts_with("club/b.pgn/") { "b" } else { "a" };
        let number = path.trim_end_matches(".pgn").rsplit('/').next().unwrap();
        let ply = if ply == "0" {
            String::new()
        } else {
            format!("@{ply}")
        };
        format!("{database}{}{ply}", number.trim_start_matches('0'))
    });
    games.collect::<Vec<_>>().join(" ")
}

#[test]
fn find_answers_queries() {
    let scratch = scratch();
    for (arguments, expected) in [
        (&["carlsen"][..], "a1 a2 b1"),
        (&["player:carlsen result:win"], "a1 a2"),
        (&["player:tal year:..2004"], "a2 b2"),
        (&[" -carlsen"], "a3 b2"),
        // A field with a hyphen is a query, and no option.
        (&["-player:carlsen"], "a3 b2"),
        (&["-opening:sicilian"], "a2 a3"),
        (&["--", "-carlsen"], "a3 b2"),
        (&["-( carlsen )"], "a3 b2"),
        (
            &["( black:tal line:\"e4 c5 Nf3\" | line:\"e4 c5\" result:1-0 )"],
            "a1@2 b2@3",
        ),
        (&["line:\"e4 c5\""], "a1@2 b1@2"),
        (&["black:tal line:\"e4 c5 Nf3\""], "b2@3"),
        (&["db:club/*"], "b1 b2"),
        (&["--only=a.pgn", "db:b.pgn"], ""),
        (&["--spelling=fold", "player:magnus"], "a1 a2 b1"),
        (&["player:magnus"], "a1 b1"),
        // Orders.
        (&["", "--sort=date"], "a2 b2 b1 a1 a3"),
        (&["", "--sort=date", "--reverse"], "a1 b1 b2 a2 a3"),
        (&["", "--sort=elo", "--limit=2"], "a1 b1"),
        (&["", "--sort=elo", "--reverse"], "a2 b1 a1 a3 b2"),
        (&["", "--reverse", "--limit=2"], "b2 b1"),
        (&["carlsen", "--limit=2"], "a1 a2"),
    ] {
        let ended = find(&scratch, arguments);
        assert_eq!(games(&ended.out), expected, "{arguments:?}: {}", ended.err);
        let code = i32::from(expected.is_empty());
        assert_eq!(
            (ended.code, ended.err.as_str()),
            (Some(code), ""),
            "{arguments:?}"
        );
    }
    let one = run(pgnfs()
        .args(["find", "carlsen"])
        .arg(&scratch.source)
        .arg("club/b.pgn"));
    assert_eq!(games(&one.out), "b1");
    // A single file is a database with the name of the file.
    for unique in [&[][..], &["--unique"]] {
        let mut command = pgnfs();
        command
            .args(["find", "--cache-dir=none", "--show=count", "db:b.pgn"])
            .args(unique);
        let ended = run(command.arg(scratch.source.join("club/b.pgn")));
        assert_eq!(ended.out, "2\n", "{unique:?}: {}", ended.err);
    }
    let exported = run(pgnfs()
        .args(["export", "--cache-dir=none", "--unique", "--where=db:b.pgn"])
        .arg(scratch.source.join("club/b.pgn")));
    assert_eq!(exported.out.matches("[White ").count(), 2, "{}", exported.err);
    // An index, which is built first, changes no answer.
    let cache = scratch.path("cache");
    for index in ["--index=yes", "--index=auto"] {
        let mut command = pgnfs();
        command.args(["find", index, "--cache-dir"]).arg(&cache);
        let ended = run(command.arg("-result:0-1 line:\"e4 c5\"").arg(&scratch.source));
        assert_eq!(games(&ended.out), "a1@2", "{}", ended.err);
    }
}

/// A game of [`every_pair_of_options`]: its name, the number of its date, its ratings, its half-moves, and whether it has
/// a Carlsen and starts with `e4 c5`.
type Row = (&'static str, u32, u32, u32, bool, bool);

#[test]
fn every_pair_of_options_gives_what_both_say() {
    let scratch = scratch();
    // The first game of this database again, and in the other database its second game with a comment.
    let path = scratch.source.join("club/b.pgn");
    let text = fs::read_to_string(&path).unwrap();
    let (first, second) = text.split_at(text.find("[White \"Anand").unwrap());
    fs::write(&path, format!("{text}{first}")).unwrap();
    let other = scratch.source.join("a.pgn");
    let commented = second.replace("1. Nf3", "1. Nf3 {good}");
    fs::write(&other, fs::read_to_string(&other).unwrap() + &commented).unwrap();
    // 0 for unknown values.
    let rows: [Row; 7] = [
        ("a1", 20130112, 2861, 4, true, true),
        ("a2", 19990000, 2500, 5, true, false),
        ("a3", 0, 0, 2, false, false),
        ("a4", 20010203, 0, 3, false, false),
        ("b1", 20050301, 2600, 3, true, true),
        ("b2", 20010203, 0, 3, false, false),
        ("b3", 20050301, 2600, 3, true, true),
    ];
    let options = [
        "carlsen",
        "line:\"e4 c5\"",
        "db:club/b.pgn",
        "--sort=date",
        "--sort=elo",
        "--sort=length",
        "--reverse",
        "--limit=1",
        "--limit=4",
        "--unique",
        "--show=csv",
        "--show=count",
        "--threads=2",
    ];
    // Two values of one option are not two options.
    let option = |text: &'static str| match text.split_once('=') {
        _ if !text.starts_with("--") => "query",
        Some((name, _)) => name,
        None => text,
    };
    let mut compared = 0;
    for (n, one) in options.iter().enumerate() {
        for other in &options[..n] {
            if option(one) == option(other) {
                continue;
            }
            let given = [*other, *one];
            let has = |text: &str| given.contains(&text);
            let mut arguments: Vec<&str> = given.to_vec();
            if option(other) != "query" {
                arguments.insert(0, "");
            }
            let ended = find(&scratch, &arguments);
            let orders = ["--sort", "--reverse", "--limit"];
            if has("--show=count") && orders.contains(&option(other)) {
                let what = "--sort, --reverse and --limit are for lists of games, not for --show count";
                assert!(ended.err.contains(what), "{given:?}: {}", ended.err);
                continue;
            }
            let mut shown: Vec<Row> = rows.to_vec();
            shown.retain(|row| {
                let is_of_b = row.0.starts_with('b');
                let matches = (!has("carlsen") || row.4)
                    && (!has("line:\"e4 c5\"") || row.5)
                    && (!has("db:club/b.pgn") || is_of_b);
                // Copies are searched for in the databases of the search.
                let is_lesser = row.0 == "b3" || row.0 == "b2" && !has("db:club/b.pgn");
                matches && !(has("--unique") && is_lesser)
            });
            let sort = given.iter().find_map(|text| text.strip_prefix("--sort="));
            // The least comes first, and the highest of the ratings; with --reverse the other end. Unknown values come last.
            let key = |row: &Row| match sort {
                Some("date") => i64::from(row.1),
                Some("elo") => -i64::from(row.2),
                Some(_) => i64::from(row.3),
                None => 1,
            };
            match (sort, has("--reverse")) {
                (None, true) => shown.reverse(),
                (_, is_reversed) => {
                    shown.sort_by_key(|row| {
                        let key = key(row);
                        (key == 0, if is_reversed { -key } else { key })
                    });
                }
            }
            for limit in [1, 4] {
                if has(&format!("--limit={limit}")) {
                    shown.truncate(limit);
                }
            }
            let ply = if has("line:\"e4 c5\"") { "2" } else { "0" };
            let right: Vec<String> = if has("--show=count") {
                vec![shown.len().to_string()]
            } else {
                shown.iter().map(|row| format!("{} {ply}", row.0)).collect()
            };
            let mut lines = ended.out.lines();
            if has("--show=csv") {
                assert!(lines.next().unwrap().starts_with("path,ply,"), "{given:?}");
            }
            let answered: Vec<String> = lines
                .map(|line| {
                    let mut fields = line.split(['\t', ',']);
                    let path = fields.next().unwrap();
                    let Some(ply) = fields.next() else {
                        return path.to_owned();
                    };
                    let database = if path.starts_with("club/b.pgn/") { "b" } else { "a" };
                    let number = path.trim_end_matches(".pgn").rsplit('/').next().unwrap();
                    format!("{database}{} {ply}", number.trim_start_matches('0'))
                })
                .collect();
            assert_eq!(answered, right, "{given:?}: {}", ended.err);
            compared += 1;
        }
    }
    assert_eq!(compared, 64);
}

/// A tag that only one game has is a column of each part.
#[test]
fn parts_of_a_table_are_the_whole_table() {
    let scratch = Scratch::new();
    fs::remove_dir_all(&scratch.source).unwrap();
    fs::create_dir_all(&scratch.source).unwrap();
    for (file, first) in [("a.pgn", 1), ("b.pgn", 4)] {
        let games =
            (first..first + 3).map(|n| format!("[White \"W{n}\"]\n[Of{n} \"only {n}\"]\n\n1. e4 *\n\n"));
        fs::write(scratch.source.join(file), games.collect::<String>()).unwrap();
    }
    let export = |form: &str, part: &str| {
        let ended = run(pgnfs()
            .args(["export", "--to", form, "--part", part])
            .arg(&scratch.source));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{form} {part}");
        ended.out
    };
    for form in ["csv", "ndjson"] {
        let whole = export(form, "1/1");
        // The names of the columns.
        let head = if form == "csv" {
            whole.split_inclusive('\n').next().unwrap()
        } else {
            ""
        };
        assert_eq!(
            head.matches("Of").count(),
            if form == "csv" { 6 } else { 0 },
            "{head}"
        );
        for number in 2..=7 {
            let parts = (1..=number).map(|part| {
                let rows = export(form, &format!("{part}/{number}"));
                let rows = rows.strip_prefix(head);
                rows.unwrap_or_else(|| panic!("{form} {part}/{number}"))
                    .to_owned()
            });
            assert_eq!(
                format!("{head}{}", parts.collect::<String>()),
                whole,
                "{form} {number}"
            );
        }
    }
}

/// Only the ply is a number: tags are texts, whatever they look like.
#[test]
fn values_of_ndjson_keep_their_types() {
    let scratch = Scratch::new();
    fs::remove_dir_all(&scratch.source).unwrap();
    fs::create_dir_all(&scratch.source).unwrap();
    let tags = [
        "White", "Black", "Result", "Date", "Event", "ECO", "WhiteElo", "BlackElo",
    ];
    let values = ["1234", "0", "*", "2024.01.02", "2024", "B00", "2500", "2400"];
    let pairs = tags
        .iter()
        .zip(values)
        .map(|(tag, value)| format!("[{tag} \"{value}\"]\n"));
    let game = format!("{}\n1. e4 *\n\n", pairs.collect::<String>());
    fs::write(scratch.source.join("a.pgn"), game).unwrap();
    let shown = find(&scratch, &["played:e4", "--show=ndjson"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    for (tag, value) in tags.into_iter().zip(values) {
        assert_eq!(shown[tag], value, "{shown}");
    }
    assert_eq!(
        (&shown["ply"], &shown["move"]),
        (&0.into(), &"e4".into()),
        "{shown}"
    );
}

#[test]
fn find_shows_answers_in_every_form() {
    let scratch = scratch();
    let show = |query: &str, form: &str| find(&scratch, &[query, "--show", form]).out;
    assert_eq!(show("carlsen", "count"), "3\n");
    assert_eq!(
        show("white:carlsen result:0-1", "csv"),
        "path,ply,move,White,Black,Result,Date,Event,ECO,WhiteElo,BlackElo\n\
         club/b.pgn/games/000001-001000/000001.pgn,0,,\"Carlsen, Magnus\",Tal,0-1,2005.03.01,,,2600,\n"
    );
    // As in the tables of `export`, an unknown value is missing.
    assert!(!show("white:carlsen result:0-1", "ndjson").contains("Event"));
    let row = show("white:vitaly played:d5", "ndjson");
    assert!(
        row.contains("\"move\":\"d5\"") && row.contains("\"ply\":1"),
        "{row}"
    );
    assert_eq!(show("carlsen", "pgn").matches("[White ").count(), 3);
    let table = |query: &str| {
        let rows = show(query, "moves");
        let rows = rows.lines().skip(1).map(|row| {
            let fields: Vec<&str> = row.split(',').collect();
            format!("{} {} {}", fields[0], fields[2], fields[11])
        });
        rows.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(table("line:\"e4 c5\" white:carlsen"), "Nf3 1 1; c3 1 1");
    assert_eq!(table("line:\"e4 c5\" -played:d6"), "c3 1 1");
    assert_eq!(table("ply:2 year:2005.."), "Nf3 1 ; c3 1 ");
    assert_eq!(table("played:c5"), "c5 3 ");
    // A game that reaches the position after a move otherwise counts for it, if it answers the rest of the query.
    let one = scratch.path("one.pgn");
    let both = "[White \"a\"]\n\n1. e4 c5 2. Nf3 *\n\n[White \"b\"]\n\n1. Nf3 c5 2. e4 *\n";
    fs::write(&one, both).unwrap();
    for (query, reached) in [("line:\"e4 c5\"", "2"), ("line:\"e4 c5\" white:a", "1")] {
        let table = run(pgnfs().args(["find", query, "--show=moves"]).arg(&one)).out;
        let row: Vec<&str> = table.lines().nth(1).unwrap().split(',').collect();
        assert_eq!((row[0], row[2], row[11]), ("Nf3", "1", reached), "{query}");
    }
    // A novelty is new among all games, even if only some games are shown.
    let novelties = |more: &[&str]| games(&find(&scratch, &[&["--novelty"], more].concat()).out);
    let all = novelties(&[]);
    let some: Vec<&str> = all.split(' ').filter(|game| game.starts_with("a1")).collect();
    assert_eq!(novelties(&["date:2013.01.12"]), some.join(" "));
    assert!(!some.is_empty());
}

#[test]
fn export_writes_the_games_that_answer_a_query() {
    let scratch = scratch();
    let export = |arguments: &[&str]| {
        let ended = run(pgnfs().arg("export").args(arguments).arg(&scratch.source));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{arguments:?}");
        ended.out
    };
    let pgn = export(&["--where", "carlsen"]);
    assert_eq!(pgn.matches("[White ").count(), 3);
    // What `find` shows is the same.
    assert_eq!(pgn, find(&scratch, &["carlsen", "--show=pgn"]).out);
    let parts: String = ["1/2", "2/2"]
        .map(|part| export(&["--where=carlsen", "--part", part]))
        .concat();
    assert_eq!(parts, pgn);
    for form in ["csv", "ndjson"] {
        let rows = export(&["--where", "-player:carlsen", "--columns=White,path", "--to", form]);
        assert_eq!(rows.matches("/games/").count(), 2, "{rows}");
        assert!(
            rows.contains("Vitaly") && rows.contains("a.pgn/games/000001-001000/000003.pgn"),
            "{rows}"
        );
    }
    // The columns follow from the games of all parts, so they do not depend on the part that is written.
    let [first, second] =
        ["1/2", "2/2"].map(|part| export(&["--where=-has:WhiteElo", "--to=csv", "--part", part]));
    assert_eq!(first.lines().next(), second.lines().next());
    assert!(!first.contains("WhiteElo") && export(&["--to=csv"]).contains("WhiteElo"));
    let file = scratch.path("games.parquet");
    export(&[
        "--where=carlsen",
        "--to=parquet",
        "--output",
        file.to_str().unwrap(),
    ]);
    let rows = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
    assert_eq!(rows.metadata().file_metadata().num_rows(), 3);
    assert_eq!(
        export(&["--where=player:magnus", "--spelling=fold"])
            .matches("[White ")
            .count(),
        3
    );
    let none = run(pgnfs().args(["export", "--where=nobody"]).arg(&scratch.source));
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""));
    let said = "pgnfs: --where finds no game\npgnfs: nobody: no player and no event has such a name\n";
    assert_eq!(none.err, said);
}

#[test]
fn export_writes_the_colour_and_the_points_of_a_player() {
    let scratch = scratch();
    fs::write(
        scratch.source.join("unfinished.pgn"),
        "[Black \"Carlsen\"]\n\n*\n\n[Black \"Carlsen\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n",
    )
    .unwrap();
    let export = |form: &str, more: &[&str]| {
        let mut export = pgnfs();
        export.args(["export", "--where=player:carlsen", "--to", form]);
        export.arg("--columns=White,Result,colour,score").args(more);
        run(export.arg(&scratch.source))
    };
    let table = export("csv", &[]).out.replace("\"Carlsen, Magnus\"", "Carlsen");
    let mut scores = Vec::new();
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let is_white = fields[0] == "Carlsen";
        let score = match fields[1] {
            "1-0" => ["0", "1"][usize::from(is_white)],
            "0-1" => ["1", "0"][usize::from(is_white)],
            "1/2-1/2" => "0.5",
            _ => "",
        };
        assert_eq!(
            fields[2..],
            [if is_white { "white" } else { "black" }, score],
            "{row}"
        );
        scores.push(score);
    }
    assert_eq!(scores.len(), 5);
    assert!(
        ["1", "0.5", ""].iter().all(|score| scores.contains(score)),
        "{scores:?}"
    );
    // The numbers are the same in other forms, and the parts follow one another.
    let json = ["1/2", "2/2"]
        .map(|part| export("ndjson", &["--part", part]).out)
        .concat();
    for (line, score) in json.lines().zip(&scores) {
        let score = if score.is_empty() { "null" } else { score };
        assert!(line.ends_with(&format!("\"score\":{score}}}")), "{line}");
    }
    let file = scratch.path("scores.parquet");
    assert_eq!(
        export("parquet", &["--output", file.to_str().unwrap()]).code,
        Some(0)
    );
    let rows = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
    let read = rows
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().get_double(3).ok());
    let expected = scores.iter().map(|score| score.parse().ok());
    assert!(read.eq(expected));
    for filter in ["--where=white:carlsen", "--where=player:carlsen player:tal"] {
        let refused = run(pgnfs()
            .args(["export", filter, "--to=csv", "--columns=score"])
            .arg(&scratch.source));
        let said = "colour and score are about one player: give --where with one player:NAME";
        assert!(
            refused.code == Some(2) && refused.err.contains(said),
            "{}",
            refused.err
        );
    }
}

#[test]
fn a_wrong_query_is_refused_before_anything_is_opened() {
    let scratch = Scratch::new();
    let missing = scratch.path("missing");
    let long = format!("player:{}", "a".repeat(64 << 10));
    let many = "a ".repeat(10_000);
    for (arguments, said) in [
        (
            &["find", "elo:abc"][..],
            "query, byte 1: elo:abc: expected a number or a range such as 2500..",
        ),
        (&["find", "a playr:b"], "did you mean player:?"),
        (&["find", "year:1985..1984"], "the wrong way round"),
        (&["find", "--novelty", "a|b"], "alternatives need a field"),
        (&["find", "player:\"a"], "the double quotes are not closed"),
        (&["find", &long], "byte 65537: a query has at most 64 KiB"),
        (&["find", &many], "byte 513: a query has at most 256 terms"),
        (&["find", "board:8/8/8/8/8/8/8"], "8 ranks"),
        (&["find", "a\u{1b}b"], "byte 2: a control character"),
        (
            &["find", "year:1985", "--show=moves"],
            "--show moves needs a position",
        ),
        (
            &["find", "played:e4 then played:d4", "--show=moves"],
            "without then",
        ),
        (
            &["find", "carlsen", "--show=count", "--limit=2"],
            "not for --show count",
        ),
        (
            &["find", "line:e4", "--show=moves", "--sort=date"],
            "not for --show moves",
        ),
        (&["export", "--where", "elo:abc"], "query, byte 1"),
    ] {
        let ended = run(pgnfs().args(arguments).arg(&missing));
        assert_eq!(
            (ended.code, ended.err.lines().count()),
            (Some(2), 1),
            "{said}: {}",
            ended.err
        );
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
    }
    let bytes = OsStr::from_bytes(b"player:a\xff");
    let ended = run(pgnfs().arg("find").arg(bytes).arg(&missing));
    assert!(
        ended.err.contains("byte 9: a query is written in UTF-8"),
        "{}",
        ended.err
    );
    assert_eq!(ended.code, Some(2));
    // Without a query nothing is searched.
    let ended = run(pgnfs().arg("find").arg(&missing));
    assert!(
        ended.err.contains("a query and SOURCE are required"),
        "{}",
        ended.err
    );
    let ended = run(pgnfs().args(["check", "--spelling=fold"]).arg(&missing));
    assert!(
        ended
            .err
            .contains("an option of pgnfs mount, pgnfs serve, pgnfs export and pgnfs find"),
        "{}",
        ended.err
    );
}

#[test]
fn on_a_terminal_find_says_that_there_is_no_game() {
    needs!(program "script", in "bsdutils");
    needs!(terminal);
    let scratch = scratch();
    // Errors go to the terminal that the command makes.
    let on_terminal = |query: &str| {
        let line = r#""$PGNFS" find --cache-dir=none "$QUERY" "$SOURCE" >/dev/null"#;
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", line, "/dev/null"]);
        command
            .env("PGNFS", env!("CARGO_BIN_EXE_pgnfs"))
            .env("QUERY", query)
            .env("SOURCE", &scratch.source);
        run(&mut command)
    };
    let none = "pgnfs: no game found";
    for (query, said) in [
        ("player:carlsen", &[][..]),
        ("white:carlsen black:anand", &[none]),
        (
            "player:carlsn",
            &[none, "pgnfs: player:carlsn: no player has such a name; "],
        ),
        (
            "white=carlsen",
            &[none, "pgnfs: white=carlsen was searched for as a name; "],
        ),
        (
            "white=carlsen elo>2700",
            &[none, "pgnfs: white=carlsen ", "pgnfs: elo>2700 "],
        ),
    ] {
        let ended = on_terminal(query);
        assert_eq!(ended.code, Some(i32::from(!said.is_empty())), "{ended:?}");
        // A progress bar comes before it.
        let shown = ended.out.find("pgnfs: ").map(|place| &ended.out[place..]);
        let lines: Vec<&str> = shown.unwrap_or_default().lines().collect();
        let are_said = lines.iter().zip(said).all(|(line, said)| line.starts_with(said));
        assert!(lines.len() == said.len() && are_said, "{query}: {ended:?}");
    }
    // If the output is not a terminal, scripts read it.
    let silent = find(&scratch, &["white:carlsen black:anand"]);
    assert_eq!((silent.code, silent.err.as_str()), (Some(1), ""));
}

#[test]
fn help_and_completions_have_the_language() {
    let help = run(pgnfs().args(["find", "--help"])).out;
    for part in [
        "pgnfs find [OPTIONS] QUERY SOURCE [DATABASE]",
        "mirror:",
        "then, next    separate groups",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
    let complete = |words: &[&str]| run(pgnfs().args(["complete", "--", "pgnfs"]).args(words)).out;
    assert_eq!(
        complete(&["find", "opp"])
            .lines()
            .next()
            .unwrap()
            .split('\t')
            .next(),
        Some("opponent:")
    );
    assert!(complete(&["export", "--where", "white"]).starts_with("white:\t"));
    // With a query, the next argument is a path.
    assert_eq!(complete(&["find", "carlsen", "whi"]), "");
}
