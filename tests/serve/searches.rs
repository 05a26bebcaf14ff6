//! Searches whose terms could be mistaken for other ones: each has games, pages and files of its own.

use serde_json::Value;

use super::client::Served;

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// The number of games in a list, and in the file of all games that the search leads to.
fn counts(served: &Served, parameters: &str) -> (u64, usize) {
    let games = served.json(&format!("/api/games?{parameters}"));
    let files = served.json(&format!("/api/query?{parameters}"))["files"].clone();
    let all = served.get(&format!("{}all.pgn", files.as_str().unwrap()));
    assert_eq!(all.status, 200, "{parameters}: {files}");
    (
        games["count"].as_u64().unwrap(),
        all.text().matches("[White ").count(),
    )
}

fn game(tags: &str, moves: &str) -> String {
    format!("{tags}\n[White \"Tal\"]\n[Black \"Bird\"]\n\n{moves} *\n\n")
}

#[test]
fn a_slash_and_an_underscore_are_two_searches() {
    let games = |event: &str, number: usize| game(&format!("[Event \"{event}\"]"), "1. e4").repeat(number);
    let rounds = |round: &str, number: usize| game(&format!("[Round \"{round}\"]"), "1. d4").repeat(number);
    let text = [
        games("Hastings 1934/35", 3),
        games("Hastings 1934_35", 2),
        games("100%", 1),
        games("O\\\"Neil", 1),
        rounds("1/2", 3),
        rounds("1_2", 2),
    ]
    .concat();
    let names = [
        ("a.pgn", &*text),
        ("club/x.pgn", &games("x", 3)),
        ("club_x.pgn", &games("y", 1)),
    ];
    let questions = [
        (r#"event:="Hastings 1934/35""#, 3),
        (r#"event:="Hastings 1934_35""#, 2),
        (r#"event:="100%""#, 1),
        (r#"event:="O\"Neil""#, 1),
        ("round:1/2", 3),
        ("round:1_2", 2),
        ("db:club/x.pgn", 3),
        ("db:club_x.pgn", 1),
    ];
    let back = questions.into_iter().rev().collect::<Vec<_>>();
    for questions in [&questions[..], &back] {
        let served = Served::with(&names, &[]);
        for (query, number) in questions {
            let parameters = format!("q={}", encoded(query));
            assert_eq!(counts(&served, &parameters), (*number as u64, *number), "{query}");
        }
    }
}

#[test]
fn a_repertoire_may_be_in_another_database() {
    let line = |moves: &str| game("", moves);
    let repertoire = line("1. e4 e5 2. Nf3");
    let served = Served::with(
        &[
            ("two.pgn", &[line("1. e4 e5 2. f4"), line("1. e4 c5")].concat()),
            ("f/two.pgn", &line("1. e4 e5 2. Nc3")),
            (
                "g/[x]*?.pgn",
                &[
                    line("1. e4 e5 2. d4"),
                    line("1. e4 e5 2. Nc3"),
                    line("1. e4 e5 2. c3"),
                ]
                .concat(),
            ),
            ("own.pgn", &repertoire),
        ],
        &[],
    );
    for (database, number) in [("two.pgn", 2), ("f/two.pgn", 1), ("g/[x]*?.pgn", 3)] {
        let query = encoded("player:tal -repertoire:own.pgn by:player ply:2..");
        let parameters = format!("db={}&q={query}", encoded(database));
        let (listed, filed) = counts(&served, &parameters);
        assert_eq!((listed, filed), (number, number as usize), "{database}");
        let answer = served.json(&format!("/api/query?{parameters}"));
        let table = served.get(answer["deviations"].as_str().unwrap());
        assert_eq!(table.status, 200, "{database}: {answer}");
    }
}

#[test]
fn a_player_who_fits_both_sides_counts_for_the_side_that_is_asked_for() {
    let game = |white: &str, black: &str, result: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n[Date \"2020.01.01\"]\n\n1. e4 {result}\n\n"
        )
    };
    let games = [
        game("Carlsen, H", "Carlsen, M", "1-0"),
        game("Carlsen, M", "So, W", "1-0"),
        game("So, W", "Carlsen, M", "0-1"),
    ]
    .concat();
    let served = Served::with(&[("a.pgn", &games)], &[]);
    for (color, wins, losses) in [("", 3, 0), ("&colour=white", 2, 0), ("&colour=black", 1, 1)] {
        let found = served.json(&format!("/api/prepare?player=carlsen{color}"));
        assert_eq!(
            (&found["all"]["wins"], &found["all"]["losses"]),
            (&wins.into(), &losses.into()),
            "{color}"
        );
        assert_eq!(found["lost"].as_array().unwrap().len(), losses, "{color}");
        for row in found["colours"].as_array().unwrap() {
            let query = encoded(row["q"].as_str().unwrap());
            let listed = served.json(&format!("/api/games?q={query}"));
            assert_eq!(listed["count"], row["games"], "{color}: {row}");
        }
    }
}

/// What the page about openings leads to has the games that it counted.
#[test]
fn codes_of_openings_are_those_that_a_search_finds() {
    let game = |eco: &str, moves: &str| game(&format!("[ECO \"{eco}\"]\n[Date \"2020.01.01\"]"), moves);
    let games = [
        game("b90", "1. e4 c5"),
        game("B90", "1. e4 c5"),
        game("X99", "1. e4 c5"),
        game("?", "1. e4 e5 2. f4"),
    ]
    .concat();
    let served = Served::with(&[("a.pgn", &games)], &[]);
    let found = served.json("/api/prepare?player=tal");
    let rows: Vec<(&Value, &Value)> = found["openings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["eco"], &row["games"]))
        .collect();
    assert_eq!(rows, [(&"B90".into(), &2.into()), (&"C30".into(), &1.into())]);
    for row in found["openings"].as_array().unwrap() {
        let query = encoded(row["q"].as_str().unwrap());
        let listed = served.json(&format!("/api/games?q={query}"));
        assert_eq!(listed["count"], row["games"], "{row}");
    }
}

#[test]
fn a_name_without_words_is_asked_for_exactly() {
    let games = "[White \"!!!\"]\n[Black \"Bird\"]\n[Event \"---\"]\n\n1. e4 *\n\n";
    let served = Served::with(&[("a.pgn", games)], &[]);
    let names = served.json("/api/names?kind=player,event");
    for row in names["names"].as_array().unwrap() {
        let query = encoded(row["q"].as_str().unwrap());
        assert_eq!(served.json(&format!("/api/games?q={query}"))["count"], 1, "{row}");
    }
    let error = served.get("/api/prepare?player=!!!");
    assert_eq!(error.status, 400);
    assert!(error.text().contains("\"player: "), "{}", error.text());
}

/// The part of a file that a client has may be of another state from the same second.
#[test]
fn a_date_resumes_no_file() {
    let served = Served::with(&[("a.pgn", &game("", "1. e4"))], &[]);
    let path = "/files/a.pgn/all.pgn";
    let whole = served.get(path);
    let date = format!("If-Range: {}", whole.headers["last-modified"]);
    let resumed = served.ask("GET", path, &["Range: bytes=5-", &date]);
    assert_eq!((resumed.status, resumed.body), (200, whole.body));
}

/// Sorted lists are found in windows of 20,000 games.
#[test]
fn pages_at_the_borders_of_windows_are_whole() {
    let served = Served::with(&[("a.pgn", &"[Event \"x\"]\n\n1. e4 *\n\n".repeat(20_100))], &[]);
    for from in [9_950_u64, 9_999, 10_000, 19_950, 19_999, 20_000, 20_001] {
        let page = served.json(&format!("/api/games?sort=length&from={from}&count=100"));
        let numbers: Vec<u64> = page["games"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| game["number"].as_u64().unwrap())
            .collect();
        let expected: Vec<u64> = (from + 1..=(from + 100).min(20_100)).collect();
        assert_eq!((&page["count"], numbers), (&20_100.into(), expected), "{from}");
    }
}
