//! What the board asks.

use std::process::Command;

use serde_json::{Value, json};

use super::client::{GAMES, Served};
use testkit::patience::wait_for;
use testkit::writers::{chessbase_2cbh, source};

#[test]
fn rights_that_a_fen_leaves_out_match_any() {
    let served = Served::games(&[]);
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR%20b";
    for fen in [
        board.to_owned(),
        format!("{board}%20KQkq"),
        format!("{board}%20KQkq%20-"),
    ] {
        assert_eq!(served.json(&format!("/api/moves?fen={fen}"))["games"], 6, "{fen}");
        assert_eq!(served.json(&format!("/api/games?fen={fen}"))["count"], 6, "{fen}");
        let explored = served.json(&format!("/lichess?fen={fen}"));
        let games = ["white", "draws", "black"].map(|result| explored[result].as_u64().unwrap());
        assert!(games.iter().sum::<u64>() > 0, "{fen}: {explored}");
        let files = served.json(&format!("/api/query?fen={fen}"))["files"].clone();
        let found = served.get(files.as_str().unwrap());
        assert_eq!(found.status, 200, "{fen}: {files}");
    }
    // In all games, both sides can still castle in this position.
    let fen = format!("{board}%20-%20-");
    assert_eq!(served.json(&format!("/api/moves?fen={fen}"))["games"], 0);
}

#[test]
fn databases_are_those_of_the_status() {
    let served = Served::games(&[]);
    let answer = served.json("/api/databases");
    let paths: Vec<&Value> = answer["databases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["path"])
        .collect();
    assert_eq!(paths, ["a.pgn", "more/b ü.pgn"]);
    assert_eq!(answer["databases"][0]["games"], 4);
}

/// Output and error of `pgnfs status`, and whether it succeeded.
fn status(arguments: &[&str]) -> (String, String, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_pgnfs"))
        .arg("status")
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.success())
}

#[test]
fn the_status_command_asks_a_server() {
    let served = Served::games(&[]);
    let address = served.address.to_string();
    let (text, error, is_well) = status(&["--wait", &address]);
    assert!(is_well, "{error}");
    assert!(
        text.starts_with(&format!("{address}: 8 games in 2 databases\n")),
        "{text}"
    );
    assert!(
        text.contains("  serving for     ") && text.contains("\na.pgn\n"),
        "{text}"
    );
    let (json, ..) = status(&["--json", &format!("http://{address}/")]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["games"], &json["sizes_known"], json.get("source")),
        (&json!(8), &json!(8), None)
    );
    let folder = tempfile::tempdir().unwrap();
    let logins = folder.path().join("logins");
    std::fs::write(&logins, "a:b\n").unwrap();
    std::fs::set_permissions(&logins, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let closed = Served::with(&[("a.pgn", GAMES)], &["--login", logins.to_str().unwrap()]);
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for (address, said) in [
        (closed.address, "requires a name and a password"),
        (free, "refused"),
    ] {
        let (_, error, is_well) = status(&[&address.to_string()]);
        assert!(
            !is_well && error.contains(said) && error.contains(&address.to_string()),
            "{error}"
        );
    }
}

#[test]
fn games_are_listed_page_by_page() {
    let served = Served::games(&[]);
    let names = |query: &str| -> Vec<String> {
        let answer = served.json(&format!("/api/games?{query}"));
        let games = answer["games"].as_array().unwrap().iter();
        games
            .map(|game| format!("{} {}", game["database"].as_str().unwrap(), game["number"]))
            .collect()
    };
    assert_eq!(served.json("/api/games")["count"], 8);
    assert_eq!(names("from=2&count=3"), ["a.pgn 3", "a.pgn 4", "more/b ü.pgn 1"]);
    assert_eq!(names("sort=-database&count=1"), ["more/b ü.pgn 4"]);
    let mut of_position = names("play=e2e4");
    assert!(
        of_position.len() == 6 && of_position[0] == "a.pgn 1",
        "{of_position:?}"
    );
    of_position.reverse();
    assert_eq!(names("play=e2e4&sort=-database"), of_position);
    assert_eq!(names("from=8"), [""; 0]);
    assert_eq!(
        names("db=a.pgn&sort=date"),
        ["a.pgn 3", "a.pgn 1", "a.pgn 2", "a.pgn 4"]
    );
    assert_eq!(names("db=a.pgn&sort=-elo&count=1"), ["a.pgn 1"]);
    assert_eq!(names("q=white:tal&db=a.pgn"), ["a.pgn 2"]);
    let with_position = served.json("/api/games?q=result:0-1&play=e2e4,c7c5&db=a.pgn");
    assert_eq!(
        (&with_position["count"], &with_position["games"][0]["ply"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(with_position["games"][0]["White"], "Tal");
}

#[test]
fn the_pages_of_a_sorted_list_are_one_list() {
    let served = Served::games(&["-o", "watch=poll:1"]);
    let page = |query: &str, from: usize, count: usize| {
        let answer = served.json(&format!("/api/games?{query}&from={from}&count={count}"));
        let games = answer["games"].as_array().unwrap().clone();
        (answer["count"].as_u64().unwrap() as usize, games)
    };
    for query in [
        "sort=date",
        "sort=-elo",
        "sort=length&db=a.pgn",
        "sort=-date&q=result:0-1",
        "play=e2e4",
        "play=e2e4&sort=-length",
    ] {
        let (number, all) = page(query, 0, 1000);
        assert!(number > 1 && all.len() == number, "{query}");
        let pages = (0..number).step_by(3).flat_map(|from| page(query, from, 3).1);
        assert_eq!(pages.collect::<Vec<Value>>(), all, "{query}");
        assert_eq!(page(query, number, 3), (number, Vec::new()), "{query}");
    }
    let new = served.source().join("new");
    std::fs::write(&new, "[White \"Later\"]\n[Date \"2030.01.01\"]\n\n1. e4 *\n").unwrap();
    std::fs::rename(&new, served.source().join("a.pgn")).unwrap();
    wait_for("the new list", || {
        page("sort=-date", 0, 1).1[0]["White"] == "Later"
    });
    assert_eq!(page("sort=-date", 0, 1000).0, 5);
}

#[test]
fn at_most_a_thousand_games_are_listed() {
    let games = "[Event \"a\"]\n\n1. e4 *\n\n".repeat(1001);
    let served = Served::with(&[("a.pgn", &games)], &[]);
    let listed = |count: &str| {
        let answer = served.json(&format!("/api/games?count={count}"));
        assert_eq!(answer["count"], 1001);
        answer["games"].as_array().unwrap().len()
    };
    assert_eq!((listed("999"), listed("1000"), listed("1001")), (999, 1000, 1000));
}

#[test]
fn a_game_is_a_tree_of_moves() {
    let served = Served::with(&[("a.pgn", GAMES)], &[]);
    let game = served.json("/api/game?path=a.pgn/games/000001-001000/000002.pgn");
    assert_eq!(game["result"], "0-1");
    let moves = game["moves"].as_array().unwrap();
    let sans: Vec<&Value> = moves.iter().map(|mv| &mv["san"]).collect();
    assert_eq!(sans, ["e4", "c5", "c3", "d4", "d5"]);
    let parents: Vec<&Value> = moves.iter().map(|mv| &mv["parent"]).collect();
    assert_eq!(
        parents,
        [&Value::Null, &json!(0), &json!(1), &json!(1), &json!(2)]
    );
    assert_eq!(moves[3]["nags"], json!([6]));
    assert_eq!(moves[3]["comments"], json!(["gambit [%csl Gd4]"]));
    assert_eq!(
        moves[4]["fen"],
        "rnbqkbnr/pp2pppp/8/2pp4/4P3/2P5/PP1P1PPP/RNBQKBNR w KQkq - 0 3"
    );
    assert_eq!(served.get("/api/game?path=a.pgn/info.txt").status, 404);
    let set_up =
        "[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 17\"]\n\n17... Kf7 ({so} {far} 17... Kd7 {well}) 18. O-O+ *\n";
    let served = Served::with(&[("b.pgn", set_up)], &[]);
    let game = served.json("/api/game?path=b.pgn/games/000001-001000/000001.pgn");
    let moves = game["moves"].as_array().unwrap();
    assert_eq!(moves[0]["fen"], "8/5k2/8/8/8/8/8/4K2R w K - 4 18");
    assert_eq!(
        (&moves[0]["comments"], &moves[0]["before"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        (&moves[1]["san"], &moves[1]["before"]),
        (&json!("Kd7"), &json!(["so", "far"]))
    );
    assert_eq!(moves[1]["comments"], json!(["well"]));
    assert_eq!(moves[2]["fen"], "8/5k2/8/8/8/8/8/5RK1 b - - 5 18");
    assert_eq!(served.get("/api/game?path=x").status, 404);
}

#[test]
fn positions_have_their_legal_moves() {
    let served = Served::with(&[("a.pgn", GAMES)], &[]);
    let initial = served.json("/api/position");
    assert_eq!(initial["moves"].as_array().unwrap().len(), 20);
    let mate = served.json("/api/position?play=f2f3,e7e5,g2g4,d8h4");
    assert_eq!(
        (&mate["mate"], &mate["check"], &mate["moves"]),
        (&json!(true), &json!(true), &json!([]))
    );
    let played = served.json("/api/moves?play=e2e4,c7c5");
    let rows: Vec<(&Value, &Value)> = played["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["move"], &row["games"]))
        .collect();
    // Unfinished games count here, as in moves.csv.
    assert_eq!(
        rows,
        [
            (&json!("Nf3"), &json!(1)),
            (&json!("c3"), &json!(1)),
            (&json!("d4"), &json!(1))
        ]
    );
}

#[test]
fn a_player_is_prepared_against() {
    let served = Served::with(&[("a.pgn", GAMES)], &[]);
    let answer = served.json("/api/prepare?player=tal");
    let results = |row: &Value| ["games", "wins", "draws", "losses"].map(|name| row[name].as_u64().unwrap());
    assert_eq!(results(&answer["all"]), [3, 0, 0, 2]);
    assert_eq!(answer["all"]["score"], 0.0);
    let colours = answer["colours"].as_array().unwrap();
    assert_eq!(
        colours.iter().map(results).collect::<Vec<_>>(),
        [[1, 0, 0, 1], [2, 0, 0, 1]]
    );
    // The last year with a game.
    assert_eq!(
        (&answer["since"], results(&answer["recent"])),
        (&json!("2022"), [1, 0, 0, 0])
    );
    assert_eq!(answer["latest"][0]["Date"], "2022.01.01");
    let since = served.json("/api/prepare?player=tal&since=2019-06");
    assert_eq!(
        (
            since["lost"].as_array().unwrap().len(),
            &since["lost"][0]["White"]
        ),
        (1, &json!("Tal"))
    );
    // Every line is a search that finds its games.
    let mut rows = vec![&answer["all"], &answer["recent"]];
    rows.extend(
        ["colours", "openings", "years", "opponents"]
            .into_iter()
            .flat_map(|list| answer[list].as_array().unwrap()),
    );
    // The codes of openings follow from the moves, as no game has one.
    assert_eq!(rows.len(), 13);
    for row in rows {
        let query = row["q"].as_str().unwrap();
        let found = served.json(&format!(
            "/api/games?q={}",
            query.replace(' ', "%20").replace('"', "%22")
        ));
        assert_eq!(found["count"], row["games"], "{query}");
    }
    let black = served.json("/api/prepare?player=tal&colour=black&q=opponent:bird");
    assert_eq!(
        (results(&black["all"]), black["colours"].as_array().unwrap().len()),
        ([1, 0, 0, 0], 1)
    );
    // The explorer's spelling.
    assert_eq!(
        served.json("/api/prepare?player=tal&color=black&q=opponent:bird")["all"],
        black["all"]
    );
    assert_eq!(served.json("/api/prepare?player=nobody")["all"]["games"], 0);
    for name in ["tal%22%20event:%22a", "a%5C", "O%22Neil"] {
        let answer = served.json(&format!("/api/prepare?player={name}"));
        assert_eq!(answer["all"]["games"], 0, "{name}");
    }
    for (given, term) in [
        ("", "player"),
        ("player=tal&colour=red", "colour"),
        ("player=tal&color=red", "colour"),
        ("player=tal&since=June", "since"),
        ("player=tal&q=player:bird", "q"),
        ("player=tal&q=playr:bird", "playr:bird"),
    ] {
        let refused = served.get(&format!("/api/prepare?{given}"));
        let body: Value = serde_json::from_slice(&refused.body).unwrap();
        assert_eq!(
            (refused.status, &body["error"]["term"]),
            (400, &json!(term)),
            "{given}"
        );
        // The place in the search of the request.
        if term == "playr:bird" {
            assert_eq!(body["error"]["offset"], 1);
        }
    }
}

/// With a name that fits both players of a game, the opponent is Black in it, unless games with Black are asked for.
#[test]
fn opponents_of_a_name_that_fits_both_players_have_their_games() {
    let game = |white: (&str, u16), black: (&str, u16)| {
        let tags = [("White", white), ("Black", black)];
        let tags = tags.map(|(side, (name, elo))| format!("[{side} \"{name}\"]\n[{side}Elo \"{elo}\"]\n"));
        format!("{}\n1. e4 e5 1-0\n\n", tags.concat())
    };
    let pgn = [
        game(("Tal,A", 2710), ("Tal,B", 2510)),
        game(("Keres", 2750), ("Tal,B", 2510)),
        game(("Tal,B", 2520), ("Bronstein", 2720)),
    ];
    let served = Served::with(&[("a.pgn", &pgn.concat())], &[]);
    for (colour, rows) in [
        ("", vec![(2700, 2), (2500, 1)]),
        ("&colour=white", vec![(2700, 1), (2500, 1)]),
        ("&colour=black", vec![(2700, 2)]),
        ("&q=black:tal", vec![(2700, 2)]),
        ("&q=played:e5%20by:player", vec![(2700, 2)]),
    ] {
        let answer = served.json(&format!("/api/prepare?player=tal{colour}"));
        let found = answer["opponents"].as_array().unwrap().iter();
        let found = found.map(|row| (row["from"].as_i64().unwrap(), row["games"].as_i64().unwrap()));
        assert_eq!(found.collect::<Vec<_>>(), rows, "{colour}");
        let rows = ["opponents", "colours", "openings"].map(|list| answer[list].as_array().unwrap());
        for row in rows.into_iter().flatten() {
            let query = row["q"].as_str().unwrap();
            let found = served.json(&format!("/api/games?q={}", percent(query)));
            assert_eq!(found["count"], row["games"], "{query}");
        }
    }
}

/// Lists are cached, so an answer must not depend on whether another request came first.
#[test]
fn an_empty_search_for_a_position_is_no_search() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n[Deleted \"1\"]\n\n1. e4 *\n";
    chessbase_2cbh::write(&source::read(pgn.as_bytes()).unwrap(), &folder.path().join("a")).unwrap();
    for asked in [
        ["q=&", "", "q=%20&"],
        ["", "q=&", "q=%20&"],
        ["q=%20&", "q=&", ""],
    ] {
        let served = Served::at(folder.path(), &[]);
        assert_eq!(served.json("/api/games")["count"], 2);
        for query in asked {
            let answer = served.json(&format!("/api/games?{query}play=e2e4"));
            assert_eq!(answer["count"], 1, "{query} of {asked:?}");
        }
        let deleted = served.json("/api/games?q=deleted:yes&play=e2e4");
        assert_eq!(
            (&deleted["count"], &deleted["games"][0]["White"]),
            (&json!(1), &json!("b"))
        );
    }
}

#[test]
fn moves_that_are_new_have_the_line_that_leads_to_them() {
    let game = |date: &str, moves: &str| {
        format!("[White \"Tal\"]\n[Black \"X\"]\n[Date \"{date}\"]\n[Result \"0-1\"]\n\n{moves} 0-1\n\n")
    };
    let old = game("1960.01.01", "1. e4 e5 2. Nf3");
    let games = [old.repeat(3), game("1961.01.01", "1. e4 e5 2. f4")].concat();
    let many = [games, game("1961.01.02", "1. a3")].concat() + &game("1961.01.03", "1. b3").repeat(12);
    let served = Served::with(&[("a.pgn", &many)], &[]);
    let answer = served.json("/api/prepare?player=tal");
    let [new, first, ..] = &answer["new"].as_array().unwrap()[..] else {
        panic!("{answer}");
    };
    assert_eq!((&new["line"], &new["games"]), (&json!(["b3"]), &json!(12)));
    assert_eq!(first["line"], json!(["a3"]));
    let given_up = &answer["given_up"][0];
    assert_eq!(given_up["line"], json!(["e4", "e5", "Nf3"]));
    assert_eq!(given_up["play"], json!(["e2e4", "e7e5", "g1f3"]));
    assert_eq!(
        [&given_up["games"], &given_up["before"], &given_up["after"]],
        [3, 3, 1]
    );
    assert_eq!(given_up["fen"], Value::Null);
    for (change, games) in [(first, 14), (given_up, 3)] {
        let query = change["q"]
            .as_str()
            .unwrap()
            .replace(' ', "%20")
            .replace('"', "%22");
        assert_eq!(
            served.json(&format!("/api/games?q={query}"))["count"],
            games,
            "{query}"
        );
    }
    // Of fourteen lost games, twelve are listed.
    assert_eq!(answer["lost"].as_array().unwrap().len(), 12);
}

#[test]
fn games_of_no_database_come_with_the_reason() {
    let served = Served::with(&[("club/a.pgn", GAMES), ("b.pgn", GAMES)], &[]);
    let all = served.json("/api/games?q=result:*|draw|1-0|0-1")["count"]
        .as_u64()
        .unwrap();
    let answer = served.json("/api/games?q=db:club");
    assert_eq!(answer["count"].as_u64(), Some(all / 2));
    assert_eq!(answer["hints"], Value::Null);
    let answer = served.json("/api/games?q=db:%22my%20club%22");
    assert_eq!(answer["count"], 0);
    let hint = "db:\"my club\": no database or folder that is searched has this name";
    assert_eq!(answer["hints"], json!([hint]));
}

#[test]
fn errors_name_what_is_wrong() {
    let served = Served::with(&[("a.pgn", GAMES)], &[]);
    let error = |path: &str| {
        let answer = served.get(path);
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        (answer.status, body["error"].clone())
    };
    let (status, wrong) = error("/api/query?q=player:tal%20colour:x");
    assert_eq!(status, 400);
    assert_eq!(
        (&wrong["term"], &wrong["offset"]),
        (&json!("colour:x"), &json!(12))
    );
    assert_eq!(error("/api/games?sort=x").1["term"], "sort");
    assert_eq!(error("/api/position?fen=x").1["term"], "fen");
    assert_eq!(error("/api/query?db=x"), error("/api/games?db=x"));
    let (status, unknown) = error("/api/games?db=x");
    assert_eq!((status, &unknown["term"]), (404, &json!("db")));
    assert_eq!(
        unknown["what"],
        "no database has the path 'x': /api/databases lists them"
    );
    let (_, bare) = error("/api/position?fen=8/8/8/8/8/8/8/8");
    assert!(!bare["what"].as_str().unwrap().contains("fields"), "{bare}");
    let (_, short) = error("/api/moves?fen=8/8");
    assert_eq!(
        short["what"],
        "'8/8' is not a position: the board has 8 ranks, not 2"
    );
    let (status, nothing) = error("/api/nothing");
    assert!(
        status == 404 && nothing["what"].as_str().unwrap().contains("/files/"),
        "{nothing}"
    );
    let (status, unknown) = error("/api/games?q=repertoire:none%20by:white");
    let what = unknown["what"].as_str().unwrap();
    assert!(
        status == 400 && what.starts_with("repertoire:none: no database here has this name"),
        "{status} {what}"
    );
    assert_eq!(served.json("/api/query?q=white:Tal")["canonical"], "white:tal");
    for (path, words) in [
        ("/files/a.pgn/search/playr:x/all.pgn", "playr"),
        ("/files/a.pgn/search/tal/", "a search needs a field"),
        ("/files/a.pgn/search/.git", "no such file or directory"),
    ] {
        let wrong = served.get(path);
        assert_eq!(wrong.status, 404, "{path}");
        assert!(wrong.text().contains(words), "{path}: {}", wrong.text());
    }
}

/// Words are searched for as the command does it: names in a mount and in `/files` need a field, questions need none.
#[test]
fn words_without_a_field_are_a_search() {
    let served = Served::games(&[]);
    let source = served.source();
    for (words, query, games) in [
        ("tal", "tal", 6),
        ("Müller%20bird", "bird müller", 2),
        ("-tal", "-tal", 2),
        ("(tal|nobody)", "( nobody | tal )", 6),
        ("nobody", "nobody", 0),
        ("%20", "", 8),
    ] {
        let found = served.json(&format!("/api/games?q={words}"));
        assert_eq!(found["count"], games, "{words}");
        assert_eq!(
            served.json(&format!("/api/moves?q={words}"))["games"],
            games,
            "{words}"
        );
        let canonical = served.json(&format!("/api/query?q={words}"))["canonical"].clone();
        assert_eq!(canonical.as_str().unwrap_or_default(), query, "{words}");
        if query.is_empty() {
            continue;
        }
        let command = Command::new(env!("CARGO_BIN_EXE_pgnfs"))
            .args(["find", "--cache-dir=none", "--", query])
            .arg(&source)
            .output()
            .unwrap();
        let lines = String::from_utf8(command.stdout).unwrap().lines().count();
        assert_eq!(lines, games, "{words}");
        // The explorer leaves out the two games that are not finished.
        let explored = served.json(&format!("/in/{words}/masters"));
        let results = ["white", "draws", "black"].map(|result| explored[result].as_u64().unwrap());
        let finished = served.json(&format!("/api/games?q={words}%20-result:*"));
        assert_eq!(Some(results.iter().sum()), finished["count"].as_u64(), "{words}");
        let name = format!("/files/all/search/{words}/");
        assert_eq!(served.get(&name).status, 404, "{words}");
    }
    assert_eq!(served.json("/api/prepare?player=tal&q=bird")["all"]["games"], 4);
}

/// Wherever a query is refused, the sentence is the same.
#[test]
fn a_refusal_is_one_sentence() {
    let served = Served::with(&[("a.pgn", GAMES)], &[]);
    for query in ["playr:x", "year:", "tal elo:abc", "result:win", "(a"] {
        let output = Command::new(env!("CARGO_BIN_EXE_pgnfs"))
            .args(["find", "--cache-dir=none", "--", query])
            .arg(served.source())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let encoded = query.replace(' ', "%20");
        for path in [
            format!("/api/games?q={encoded}"),
            format!("/api/moves?q={encoded}"),
            format!("/api/query?q={encoded}"),
        ] {
            let answer = served.get(&path);
            let body: Value = serde_json::from_slice(&answer.body).unwrap();
            let message = body["error"]["message"].as_str().unwrap();
            assert_eq!(answer.status, 400, "{path}");
            assert!(said.contains(message), "{path}: {message}; {said}");
        }
        let answer = served.get(&format!("/in/{encoded}/masters"));
        assert!(said.contains(answer.text().trim()), "{query}: {}", answer.text());
        assert_eq!(answer.status, 400, "{query}");
    }
}

/// As the placeholder of the page *Prepare* and the documentation write it.
#[test]
fn a_player_may_be_named_exactly() {
    let served = Served::with(&[("a.pgn", GAMES)], &[]);
    for (name, games) in [
        ("tal", 3),
        ("=Tal", 3),
        ("=%22Tal%22", 3),
        ("%22tal%22", 3),
        ("=%22tal%22", 0),
        ("=%22Müller,%20%3Cb%3E%22", 2),
    ] {
        let found = served.json(&format!("/api/prepare?player={name}"));
        assert_eq!(found["all"]["games"], games, "{name}");
    }
}

/// A list and the files of the same search have the same games.
#[test]
fn a_search_has_an_address_among_the_files() {
    let served = Served::games(&[]);
    for query in [
        "",
        "db=a.pgn",
        "q=tal",
        "q=white:tal&db=more/b%20ü.pgn",
        "play=e2e4,c7c5",
        "q=tal&play=e2e4,c7c5",
        "q=played:e4%20then%20played:d5&play=e2e4,c7c5",
        "q=played:c3%20then%20played:d5&db=a.pgn&fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201",
    ] {
        let count = served.json(&format!("/api/games?{query}"))["count"]
            .as_u64()
            .unwrap();
        let files = served.json(&format!("/api/query?{query}"))["files"].clone();
        let all = served.get(&format!("{}all.pgn", files.as_str().unwrap()));
        let games = all
            .text()
            .lines()
            .filter(|line| line.starts_with("[White "))
            .count();
        assert_eq!((all.status, games as u64), (200, count), "{query}: {files}");
    }
    for (len, has_name) in [(255, true), (256, false)] {
        let name = "x".repeat(len - "player:".len());
        let files = served.json(&format!("/api/query?q=player:{name}"))["files"].clone();
        assert_eq!(files.is_string(), has_name, "{len}");
    }
    // Its mirror images would count, too.
    let files = served.json("/api/query?q=material:KRkr%20mirror:colour&play=e2e4")["files"].clone();
    assert_eq!(files, Value::Null);
    let single = Served::at(&served.source().join("a.pgn"), &[]);
    assert_eq!(
        single.json("/api/query?q=tal")["files"],
        "/files/search/tal%20deleted%3Ano/"
    );
}

/// The table of deviations has an address, and so have the games in it.
#[test]
fn games_that_leave_a_repertoire_have_an_address() {
    let game = |white: &str, moves: &str| format!("[White \"{white}\"]\n[Black \"B\"]\n\n{moves} *\n\n");
    let games = [
        game("Tal", "1. e4 e5 2. Nf3"),
        game("Tal", "1. e4 e5 2. f4"),
        game("Tal", "1. e4 c5"),
        game("Keres", "1. d4"),
    ]
    .concat();
    let own = game("A", "1. e4 e5 2. Nf3");
    let served = Served::with(&[("games.pgn", &games), ("own.pgn", &own)], &[]);
    let encoded = |query: &str| query.replace(' ', "%20");
    for (query, leaving) in [
        ("white:tal player:tal -repertoire:own.pgn by:player", Some(1)),
        ("player:tal repertoire:own.pgn by:player", Some(1)),
        ("player:tal left:own.pgn", Some(2)),
        // Those that White leaves and comes back to are in the table, and no search finds them alone.
        ("-repertoire:own.pgn by:white", None),
    ] {
        let answer = served.json(&format!("/api/query?q={}", encoded(query)));
        let table = served.get(answer["deviations"].as_str().unwrap()).text();
        let Some(number) = leaving else {
            assert_eq!(answer["leaving"], Value::Null, "{query}");
            continue;
        };
        assert_eq!(table.lines().count(), 1 + number, "{query}: {table}");
        let all = served.get(&format!("{}all.pgn", answer["leaving"].as_str().unwrap()));
        assert_eq!(all.text().matches("[White ").count(), number, "{query}");
    }
    for query in ["player:tal", "-left:own.pgn player:tal"] {
        let answer = served.json(&format!("/api/query?q={}", encoded(query)));
        let has_none = |key: &str| answer[key] == Value::Null;
        assert!(has_none("deviations") && has_none("leaving"), "{query}");
    }
}

#[test]
fn names_are_suggested() {
    let served = Served::games(&[]);
    let names = |query: &str| -> Vec<String> {
        let answer = served.json(&format!("/api/names?{query}"));
        let names = answer["names"].as_array().unwrap().iter();
        names
            .map(|name| {
                format!(
                    "{} {} {}",
                    name["kind"].as_str().unwrap(),
                    name["q"].as_str().unwrap(),
                    name["games"]
                )
            })
            .collect()
    };
    assert_eq!(names("text=ta&kind=player"), ["player player:\"Tal\" 6"]);
    assert_eq!(
        names("text=mueller&kind=player&db=a.pgn"),
        ["player player:\"Müller, <b>\" 2"]
    );
    assert_eq!(names("text=club&kind=event"), ["event event:\"Club\" 6"]);
    assert_eq!(names("text=club&kind=player"), [""; 0]);
    assert_eq!(
        names("text=king's+pawn+game&kind=opening&count=1"),
        ["opening opening:\"King's Pawn Game\" null"]
    );
    assert_eq!(
        names("text=pl&kind=field"),
        ["field player: null", "field played: null", "field ply: null"]
    );
    assert_eq!(names("text=b&kind=player,event").len(), 2);
    assert_eq!(names("text=&kind=player&count=2").len(), 2);
    for (count, most) in [(100, 100), (101, 100)] {
        assert_eq!(
            names(&format!("text=defense&kind=opening&count={count}")).len(),
            most,
            "{count}"
        );
    }
    for (query, said) in [
        ("kind=x", "kind: 'x' is not one of"),
        ("count=x", "count: 'x' is not a number"),
    ] {
        let answer = served.get(&format!("/api/names?text=a&{query}"));
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(answer.status, 400, "{query}");
        assert!(
            body["error"]["message"].as_str().unwrap().starts_with(said),
            "{body}"
        );
    }
    // What is suggested finds what it says.
    for name in served.json("/api/names?text=&count=100&kind=player,event")["names"]
        .as_array()
        .unwrap()
    {
        let term = percent(name["q"].as_str().unwrap());
        assert_eq!(
            served.json(&format!("/api/games?q={term}"))["count"],
            name["games"],
            "{term}"
        );
    }
}

/// A text as the value of a parameter.
fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[test]
fn a_line_is_read_as_games_have_it() {
    let served = Served::games(&[]);
    let line = served.json("/api/position?moves=1.+e4+c5+2.Nf3!");
    assert_eq!(line["play"], json!(["e2e4", "c7c5", "g1f3"]));
    assert_eq!(line["line"], json!(["e4", "c5", "Nf3"]));
    let error = served.get("/api/position?moves=1.+e5");
    assert_eq!(error.status, 400);
    assert!(error.text().contains("move 1, e5, is not legal in "));
}

/// Of a game that two databases have, one copy counts, everywhere the same.
#[test]
fn each_game_counts_once_if_that_is_asked_for() {
    // A short game without a whole date is no copy of an equal one.
    let games = GAMES.replace("2021.??.??", "2021.02.03");
    let served = Served::with(&[("a.pgn", &games), ("b.pgn", &games)], &[]);
    let one = Served::with(&[("a.pgn", &games)], &[]);
    let count = |served: &Served, path: &str| served.json(path)["count"].clone();
    let moves = |served: &Served, path: &str| served.json(path)["moves"].clone();
    let all = count(&one, "/api/games").as_u64().unwrap();
    assert_eq!(count(&served, "/api/games"), 2 * all);
    assert_eq!(count(&served, "/api/games?unique=false"), 2 * all);
    assert_eq!(count(&served, "/api/games?unique=true"), all);
    let of_player = count(&one, "/api/games?q=white:muller");
    assert_eq!(count(&served, "/api/games?q=white:muller&unique=true"), of_player);
    for path in [
        "/api/moves?unique=true",
        "/unique/masters?x=1",
        "/unique/in/white:muller/lichess?x=1",
    ] {
        // The keys of moves are the same, but for the games that examples name.
        let numbers = |moves: Value| -> Vec<(Value, Value, Value)> {
            let rows = moves.as_array().unwrap().iter();
            rows.map(|row| (row["uci"].clone(), row["white"].clone(), row["draws"].clone()))
                .collect()
        };
        let expected = numbers(moves(
            &one,
            &path.replace("/unique", "").replace("unique=true", "x=1"),
        ));
        assert!(!expected.is_empty(), "{path}");
        assert_eq!(numbers(moves(&served, path)), expected, "{path}");
        let twice = moves(
            &served,
            &path.replace("/unique", "").replace("unique=true", "x=1"),
        );
        assert_ne!(numbers(twice), expected, "{path}");
    }
    // The best copy is one of the games that are asked about: each database shows all of its games.
    for path in ["a.pgn", "b.pgn"] {
        assert_eq!(
            count(&served, &format!("/api/games?db={path}&unique=true")),
            all,
            "{path}"
        );
        assert_eq!(
            count(&served, &format!("/api/games?q=db:{path}&unique=true")),
            all,
            "{path}"
        );
        // However the query says it.
        let other = if path == "a.pgn" { "b.pgn" } else { "a.pgn" };
        for query in [
            format!("-db:{other}"),
            format!("( db:{path} )"),
            format!("-( db:{other} )"),
        ] {
            let asked = format!("/api/games?q={}&unique=true", percent(&query));
            assert_eq!(count(&served, &asked), all, "{query}");
        }
        // A query that is too long for the name of a directory finds the same.
        let nobody = vec!["nobody"; 50].join("|");
        let long = percent(&format!("db:{path} -white:{nobody}"));
        assert_eq!(
            count(&served, &format!("/api/games?q={long}&unique=true")),
            all,
            "{path}"
        );
        // Of a search, only the best copies that it finds.
        let of_player = |more: &str| count(&served, &format!("/api/games?q=black:tal&db={path}{more}"));
        assert_eq!(
            (of_player(""), of_player("&unique=true")),
            (2.into(), 2.into()),
            "{path}"
        );
        let prepared = served.json(&format!("/api/prepare?player=tal&db={path}&unique=true"));
        assert_eq!(prepared["all"]["games"], 3, "{path}");
    }
    let wrong = served.get("/api/games?unique=1");
    assert!(
        wrong.text().contains("'1' is neither true nor false"),
        "{}",
        wrong.text()
    );
}

/// Copies are searched for in whole databases: if a query finds only a copy, it is still not the best one.
#[test]
fn the_best_copy_does_not_depend_on_the_rest_of_the_query() {
    let game = |tag: &str, comment: &str| {
        let tags = "[White \"Tal, M\"]\n[Black \"Petrosian, T\"]\n[Date \"1960.01.01\"]\n";
        format!("{tags}{tag}\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 {comment}*\n\n")
    };
    let games = [game("", "{A good game} "), game("[Annotator \"Keres\"]\n", "")].concat();
    let served = Served::with(&[("a.pgn", &games)], &[]);
    for query in ["annotator:keres", "annotator:keres db:a.pgn"] {
        let count = |unique| {
            served.json(&format!("/api/games?q={}&unique={unique}", percent(query)))["count"].clone()
        };
        assert_eq!((count(false), count(true)), (json!(1), json!(0)), "{query}");
    }
}

/// Nobody has played lately whose games have no year.
#[test]
fn nothing_is_recent_without_a_year() {
    let games = "[White \"Tal\"]\n\n1. e4 *\n\n";
    let served = Served::with(&[("a.pgn", games)], &[]);
    for (player, games) in [("tal", 1), ("nobody", 0)] {
        let answer = served.json(&format!("/api/prepare?player={player}"));
        assert_eq!(answer["all"]["games"], games);
        assert_eq!(
            (&answer["since"], &answer["recent"]),
            (&Value::Null, &Value::Null),
            "{player}"
        );
    }
}
