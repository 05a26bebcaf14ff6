//! The message when no game answers a query.

use chessdb_library::query::{Query, hints};
use chessdb_library::spelling::{Names, Spelling};

use super::rules::{database, game};
use super::{games, searched};

fn players() -> String {
    let names = [
        ("Carlsen, Magnus", "Caruana, Fabiano", "Tata Steel"),
        ("Carlsson, Pontus", "Karlsen, Henrik", "Tata Steel"),
        ("Carlson, A", "Smyslov, Vassily", "Candidates"),
        ("?", "Carl, Sen", "?"),
    ];
    let games = names.map(|(white, black, event)| {
        game(
            &format!("Event={event}; White={white}; Black={black}; Result=*"),
            "1. e4 *",
        )
    });
    games.concat()
}

/// Each query finds nothing; the texts say why.
#[test]
fn an_empty_answer_has_reasons() {
    let database = database(&players());
    let searched = searched(&*database, "a.pgn");
    for (query, said) in [
        (
            "white=carlsen",
            vec!["white=carlsen was searched for as a name; did you mean white:carlsen?"],
        ),
        (
            "carlsen elo>2700",
            vec!["elo>2700 was searched for as a name; did you mean elo:2701..?"],
        ),
        (
            "carlsen VS caruana",
            vec![
                "VS was searched for as a name; for the games of two players, write player:carlsen player:caruana",
            ],
        ),
        (
            "c*lsen tag:mode=\"o*b\" vishy*",
            vec![
                "c*lsen: leave out the *; a word finds every name with a word that begins so",
                "tag:mode=\"o*b\": leave out the *; a word finds every name with a word that begins so",
                "vishy*: no player and no event has such a name",
            ],
        ),
        (
            "player:\"carlsn magnus\"",
            vec![
                "player:\"carlsn magnus\": no player has such a name; \"Carlsen, Magnus\", \"Carlson, A\" and \"Carlsson, \
                 Pontus\" are similar",
            ],
        ),
        (
            "white:karlsn year:1985",
            vec![
                "white:karlsn: no player has such a name; \"Karlsen, Henrik\", \"Carlsen, Magnus\" and \"Carlson, A\" \
                 are similar",
            ],
        ),
        (
            "player:smislow|smyslow",
            vec!["player:smislow|smyslow: no player has such a name; \"Smyslov, Vassily\" is similar"],
        ),
        (
            "player:=\"carlsen, magnus\"",
            vec![
                "player:=\"carlsen, magnus\": no player has such a name; \"Carlsen, Magnus\" and \"Carlson, A\" are \
                 similar",
            ],
        ),
        (
            "event:candidaets",
            vec!["event:candidaets: no event has such a name; \"Candidates\" is similar"],
        ),
        (
            "xyzzy smyslow",
            vec![
                "xyzzy: no player and no event has such a name",
                "smyslow: no player and no event has such a name; \"Smyslov, Vassily\" is similar",
            ],
        ),
        (
            "has:foo carlsen",
            vec![
                "has:foo: no game has this tag; has: also takes comments, variations, chess960, clock, eval, arrows, fen",
            ],
        ),
        // The names of tags that games have, and of what else has: takes.
        (
            "has:evnt carlsen",
            vec!["has:evnt: no game has this tag; has:Event, has:fen and has:eval are similar"],
        ),
        (
            "has:evals",
            vec!["has:evals: no game has this tag; has:eval is similar"],
        ),
        (
            "( carlsen db:club | db:b.pgn ) db:a.pgn",
            vec![
                "db:club: no database or folder that is searched has this name",
                "db:b.pgn: no database or folder that is searched has this name",
            ],
        ),
        ("db:*.pgn|club year:1900", vec![]),
        ("-db:club year:1900", vec![]),
        // Tags and names that exist, what is left out, and what is unrelated to either.
        ("has:foo|white year:1900", vec![]),
        ("has:comments", vec![]),
        ("-has:foo year:1900", vec![]),
        ("carlsen smyslov", vec![]),
        ("black:magnus", vec![]),
        ("-player:nobody carlsen year:1900", vec![]),
        ("player:?|nobody year:1900", vec![]),
        ("player:nobody|tal|carlsen year:1900", vec![]),
        ("tag:x=y site:nowhere", vec![]),
        (
            "\"then\" elo:9999",
            vec!["\"then\": no player and no event has such a name"],
        ),
    ] {
        Query::parse(query).unwrap();
        assert_eq!(games(query, &searched), [0; 0], "{query}");
        let hints: Vec<String> = hints(query, &[searched])
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(hints, said, "{query}");
    }
    assert!(hints("player:nobody elo:", &[searched]).is_empty());
    assert!(hints("", &[searched]).is_empty());
    // The most similar word comes first.
    let said = hints("opening:sicillian", &[searched]);
    let said: Vec<String> = said.iter().map(ToString::to_string).collect();
    let beginning = "opening:sicillian: no opening has such a name; \"sicilian\"";
    assert!(said.len() == 1 && said[0].starts_with(beginning), "{said:?}");
    assert!(hints("opening:sicilian", &[searched]).is_empty());
}

#[test]
fn every_database_is_asked_for_a_name() {
    let [one, other] = ["Smyslov, Vassily", "Tal, M"]
        .map(|white| database(&game(&format!("White={white}; Black=Petrosian; Result=*"), "*")));
    let both = [searched(&*one, "one.pgn"), searched(&*other, "other.pgn")];
    assert!(hints("player:tal player:smyslov", &both).is_empty());
    let said = hints("player:talu", &both);
    assert!(said[0].to_string().ends_with("\"Tal, M\" is similar"), "{said:?}");
}

#[test]
fn a_name_of_players_counts_as_it_is_shown() {
    let game = |name: &str| game(&format!("White={name}; Black=?; Result=*"), "*");
    let database = database(&[game("Smyslov, Vassily"), game("Smyslov V")].concat());
    let names = Names::find(&[&*database], &Spelling::Fold).unwrap();
    let mut searched = searched(&*database, "a.pgn");
    searched.names = Some(&names);
    assert!(hints("player:=\"Smyslov V\"", &[searched]).is_empty());
    assert!(hints("player:smyslov", &[searched]).is_empty());
}

/// Characters of a name that a terminal would not show stay out of a message.
#[test]
fn similar_names_are_safe_to_print() {
    let database = database(&game("White=Tal\u{202e}lin; Black=?; Result=*", "*"));
    let said = hints("player:tallinn", &[searched(&*database, "a.pgn")]);
    assert!(
        said.iter().all(|hint| !hint.to_string().contains('\u{202e}')),
        "{said:?}"
    );
}
