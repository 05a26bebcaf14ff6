//! The opening explorer. What is expected follows from the games of `client.rs` by hand.

use std::fs;

use serde_json::{Value, json};

use super::client::{GAMES, Served};
use testkit::patience::wait_for;

fn served() -> Served {
    Served::with(&[("a.pgn", GAMES)], &[])
}

#[test]
fn masters_count_games_with_a_result() {
    let served = served();
    let answer = served.json("/masters?play=e2e4,c7c5&topGames=1");
    assert_eq!(answer["white"], 1);
    assert_eq!(answer["draws"], 0);
    assert_eq!(answer["black"], 1);
    assert_eq!(
        answer["opening"],
        json!({"eco": "B20", "name": "Sicilian Defense"})
    );
    // 2. d4 was played in an unfinished game only.
    let moves: Vec<&Value> = answer["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mv| &mv["uci"])
        .collect();
    assert_eq!(moves, ["c2c3", "g1f3"]);
    let first = &answer["moves"][0];
    assert_eq!(first["san"], "c3");
    assert_eq!(first["averageRating"], 2500);
    assert_eq!(first["opening"]["name"], "Sicilian Defense: Alapin Variation");
    let game = &first["game"];
    assert_eq!(game["winner"], "black");
    assert_eq!(game["white"], json!({"name": "Tal", "rating": 2500}));
    assert_eq!((&game["year"], &game["month"]), (&json!(2021), &Value::Null));
    assert_eq!(game.get("speed"), None);
    // Both sums of ratings are 5,000: the later game comes first.
    assert_eq!(answer["topGames"][0]["uci"], "c2c3");
    assert_eq!(answer.get("recentGames"), None);
    assert_eq!(answer.get("queuePosition"), None);
}

#[test]
fn the_fields_are_in_the_order_of_lichess() {
    let served = served();
    let text = served.get("/lichess?play=e2e4&history=true").text();
    let places = [
        "\"white\":",
        "\"draws\":",
        "\"black\":",
        "\"moves\":",
        "\"recentGames\":",
        "\"topGames\":",
        "\"opening\":{\"eco\":\"B00\"",
        "\"history\":",
    ]
    .map(|field| {
        text.rfind(field)
            .or_else(|| text.find(field))
            .unwrap_or_else(|| panic!("{field}: {text}"))
    });
    assert!(places[4..].is_sorted(), "{text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        answer["history"],
        json!([{"month": "2019-05", "white": 1, "draws": 0, "black": 0}])
    );
    let game = &answer["recentGames"][1];
    assert_eq!(
        (&game["id"], &game["speed"], &game["mode"]),
        (&json!("abcd1234"), &json!("blitz"), &json!("rated"))
    );
    let casual = &answer["recentGames"][0];
    assert_eq!(
        (&casual["speed"], &casual["mode"]),
        (&json!("classical"), &json!("casual"))
    );
}

#[test]
fn bounds_leave_games_out() {
    let served = served();
    let games = |query: &str| {
        let answer = served.json(query);
        ["white", "draws", "black"].map(|result| answer[result].as_u64().unwrap())
    };
    assert_eq!(games("/masters"), [1, 1, 1]);
    assert_eq!(games("/masters?since=2000"), [1, 0, 1]);
    assert_eq!(games("/masters?until=1999"), [0, 1, 0]);
    assert_eq!(games("/masters?since=1&until=3000"), [1, 1, 1]);
    assert_eq!(games("/lichess?since=2019-05&until=2019-05"), [1, 0, 0]);
    // The month of a game of 2021 is not known, but its year is within the bounds.
    assert_eq!(games("/lichess?since=2021-01"), [0, 0, 1]);
    assert_eq!(games("/lichess?since=2021-02"), [0, 0, 0]);
    assert_eq!(games("/lichess?speeds=blitz"), [1, 0, 0]);
    assert_eq!(games("/lichess?speeds="), [1, 1, 1]);
    assert_eq!(games("/lichess?speeds=blitz,classical"), [1, 1, 1]);
    assert_eq!(games("/lichess?ratings=2500"), [1, 0, 1]);
    assert_eq!(games("/lichess?ratings=0,2200"), [0, 1, 0]);
    assert_eq!(games("/in/black:tal/masters"), [1, 0, 0]);
    assert_eq!(games("/in/white:tal%20year:2000../lichess"), [0, 0, 1]);
}

#[test]
fn players_are_found_by_colour() {
    let served = served();
    let answer = served.get("/player?player=Tal&color=white");
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let last: Value = serde_json::from_str(answer.text().lines().last().unwrap()).unwrap();
    assert_eq!((&last["black"], &last["queuePosition"]), (&json!(1), &json!(0)));
    let first = &last["moves"][0];
    assert_eq!(
        (&first["averageOpponentRating"], &first["performance"]),
        (&json!(2500), &json!(1700))
    );
    assert_eq!(first.get("averageRating"), None);
    let modes =
        |modes: &str| served.json(&format!("/player?player=Tal&color=white&modes={modes}"))["black"].clone();
    assert_eq!(
        (modes("rated"), modes("casual"), modes("rated,casual")),
        (0.into(), 1.into(), 1.into())
    );
    let long = |bytes| {
        served
            .get(&format!("/player?color=white&player={}", "x".repeat(bytes)))
            .status
    };
    assert_eq!((long(255), long(256)), (200, 400));
    for wrong in ["", "player=Tal", "color=white", "player=Tal&color=red"] {
        assert_eq!(served.get(&format!("/player?{wrong}")).status, 400, "{wrong}");
    }
    assert_eq!(served.get("/player?player=a%7Cb&color=white").status, 200);
}

/// The ratings are about the player, whichever side is to move. By FIDE's table (B.02, 8.1a), a win is 800 points above
/// the opponent and a loss 800 below.
#[test]
fn a_player_has_opponents_also_when_they_are_to_move() {
    let pgn = "[White \"Strong\"]\n[Black \"Weak\"]\n[WhiteElo \"2450\"]\n[BlackElo \"2100\"]\n\n1. e4 e5 2. Nf3 1-0\n";
    let served = Served::with(&[("a.pgn", pgn)], &[]);
    for (player, color, opponents, performance) in
        [("Strong", "white", 2100, 2900), ("Weak", "black", 2450, 1650)]
    {
        for play in ["", "e2e4", "e2e4,e7e5"] {
            let answer = served.get(&format!("/player?player={player}&color={color}&play={play}"));
            let last: Value = serde_json::from_str(answer.text().lines().last().unwrap()).unwrap();
            let mv = &last["moves"][0];
            assert_eq!(
                (&mv["averageOpponentRating"], &mv["performance"]),
                (&json!(opponents), &json!(performance)),
                "{color} {play}"
            );
        }
    }
}

#[test]
fn ids_lead_to_games() {
    let served = Served::games(&[]);
    let top = served.json("/masters?play=f2f4")["topGames"].clone();
    let ids: Vec<&str> = top
        .as_array()
        .unwrap()
        .iter()
        .map(|game| game["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    for id in ids {
        assert!(
            id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{id}"
        );
        let game = served.get(&format!("/masters/pgn/{id}"));
        assert_eq!(game.header("content-type"), "application/x-chess-pgn");
        assert!(game.text().contains("1. f4 d5 1/2-1/2"), "{id}");
    }
    assert_eq!(served.get("/masters/pgn/abcd1234").status, 404);
    assert_eq!(served.get("/lichess?play=e2e4").status, 200);
    assert!(served.get("/masters/pgn/abcd1234").text().contains("2. Nf3"));
    assert_eq!(served.get("/masters/pgn/zzzzzzzz").status, 404);
}

#[test]
fn an_id_of_lichess_is_never_that_of_another_game() {
    let served = Served::with(&[("a.pgn", GAMES)], &["-o", "watch=poll:1"]);
    assert_eq!(served.get("/lichess?play=e2e4").status, 200);
    assert!(served.get("/masters/pgn/abcd1234").text().contains("2. Nf3"));
    // The game is the second one now.
    let other = "[Site \"https://lichess.org/wxyz6789\"]\n\n1. e4 e5 *\n\n";
    let new = served.source().join("new");
    fs::write(&new, format!("{other}{GAMES}")).unwrap();
    fs::rename(&new, served.source().join("a.pgn")).unwrap();
    wait_for("the new games", || served.json("/api/games")["count"] == 5);
    assert_eq!(served.get("/masters/pgn/abcd1234").status, 404);
    assert_eq!(served.get("/lichess?play=e2e4").status, 200);
    assert!(served.get("/masters/pgn/abcd1234").text().contains("2. Nf3"));
}

#[test]
fn wrong_questions_are_refused() {
    let served = served();
    for wrong in [
        "variant=crazyhouse",
        "fen=x",
        "play=e2e5",
        "play=e2e4,e2e4",
        "since=x",
        "speeds=fast",
        "ratings=x",
        "moves=x",
    ] {
        let answer = served.get(&format!("/lichess?{wrong}"));
        assert_eq!(answer.status, 400, "{wrong}");
        let name = wrong.split('=').next().unwrap();
        assert!(answer.text().starts_with(name), "{}", answer.text());
    }
    assert_eq!(served.get("/in/nofield:x/masters").status, 400);
    for place in ["masters", "lichess"] {
        let unknown = served.get(&format!("/in/repertoire:none by:white/{place}").replace(' ', "%20"));
        assert_eq!(unknown.status, 400, "{place}");
        assert!(
            unknown.text().starts_with("repertoire:none: "),
            "{}",
            unknown.text()
        );
    }
    assert_eq!(
        served
            .get("/lichess?unknown=1&speeds[]=x&variant=chess960")
            .status,
        200
    );
    // Castling is the king taking its rook, and both ways to write it are read.
    let castled = |mv: &str| {
        served
            .get(&format!("/masters?play=e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,{mv}"))
            .status
    };
    assert_eq!(
        (castled("e1g1"), castled("e1h1"), castled("e1c1")),
        (200, 200, 400)
    );
}

/// Requests as Nibbler and En Croissant send them. A page of Nibbler asks first whether it may name its program; the
/// pages of En Croissant go through the program, which says where the page is.
#[test]
fn nibbler_and_en_croissant_are_answered() {
    let served = Served::with(
        &[("a.pgn", GAMES)],
        &["--allow-origin=null", "--allow-origin=tauri://localhost"],
    );
    let fen = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR%20w%20KQkq%20-%200%202";
    let plus = fen.replace("%20", "+").replace('/', "%2F");
    let nibbler = [
        format!("/masters?topGames=0&fen={fen}"),
        format!("/lichess?variant=standard&topGames=0&recentGames=0&fen={fen}"),
    ];
    let en_croissant = [
        format!("/masters?fen={fen}&since=1952&until=2026&moves=12&topGames=15"),
        format!(
            "/lichess?fen={plus}&speeds=bullet%2Cblitz%2Crapid%2Cclassical&ratings=1000%2C1200%2C1400%2C1600%2C1800%2C2000%2C2200%2C2500&topGames=4&recentGames=4"
        ),
        format!("/player?fen={plus}&player=tal&color=black&since=1952-1&until=2026-12"),
    ];
    for (origin, paths, games) in [
        ("null", &nibbler[..], [2, 2, 0]),
        ("tauri://localhost", &en_croissant, [2, 2, 1]),
    ] {
        for (path, games) in paths.iter().zip(games) {
            let from = format!("Origin: {origin}");
            let asked = "Access-Control-Request-Headers: authorization,user-agent";
            let preflight = served.ask(
                "OPTIONS",
                path,
                &[&from, "Access-Control-Request-Method: GET", asked],
            );
            assert_eq!(preflight.status, 204, "{path}");
            let allowed = preflight.header("access-control-allow-headers");
            assert!(
                allowed.contains("authorization") && allowed.contains("user-agent"),
                "{allowed}"
            );
            let answer = served.ask(
                "GET",
                path,
                &[&from, "User-Agent: Nibbler", "Authorization: Bearer lip_x"],
            );
            assert_eq!(
                (answer.status, answer.header("access-control-allow-origin")),
                (200, origin),
                "{path}"
            );
            let answer: Value = serde_json::from_slice(&answer.body).unwrap();
            let results = ["white", "draws", "black"].map(|result| answer[result].as_u64().unwrap());
            assert_eq!(results.iter().sum::<u64>(), games, "{path}: {answer}");
            for mv in answer["moves"].as_array().unwrap() {
                assert!(
                    mv["uci"].is_string()
                        && mv["white"].is_u64()
                        && mv["draws"].is_u64()
                        && mv["black"].is_u64()
                );
            }
        }
    }
}

/// The address that clients once used to ask for the months alone.
#[test]
fn months_have_an_address_of_their_own() {
    let served = served();
    for asked in [
        "",
        "play=e2e4",
        "play=e2e4&speeds=blitz&moves=5&topGames=2",
        "since=2000-01",
    ] {
        let alone = served.json(&format!("/lichess/history?{asked}"));
        let whole = served.json(&format!("/lichess?{asked}&history=true"));
        for same in ["history", "opening", "white", "draws", "black"] {
            assert_eq!(alone[same], whole[same], "{asked}");
        }
        for empty in ["moves", "topGames", "recentGames"] {
            assert_eq!(alone[empty], json!([]), "{asked}");
        }
    }
    assert_eq!(
        served.json("/in/white:tal/lichess/history?play=e2e4")["history"],
        json!([])
    );
    assert_ne!(served.json("/lichess/history")["history"], json!([]));
}
