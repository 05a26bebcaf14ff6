use super::encode_brenner::{Reading, record, write_as};
use super::random::{Kinds, game};
use super::*;
use testkit::Random;
use testkit::needs;
use testkit::samples::open_base;

const MAIN: Reading = Reading {
    alternate: false,
    order: false,
    diagram: false,
};
const ALTERNATE: Reading = Reading {
    alternate: true,
    ..MAIN
};

/// A random game that the format can store: no variations, and only the six glyphs made of `?` and `!`.
fn plain_game(number: u64) -> SourceGame {
    let kinds = Kinds {
        variations: false,
        comments: true,
        nags: true,
        set_ups: false,
        null_moves: false,
    };
    let mut game = game(number, kinds);
    let mut random = Random(number);
    let mut last = 0;
    for item in &mut game.items {
        let Item::Nag(nag) = item else {
            last = 0;
            continue;
        };
        if *nag > 6 {
            *nag = 1 + (last + random.below(5) as u8) % 6;
        }
        last = *nag;
    }
    if random.once_in(3) {
        game.set_tag("Site", "Ålesund");
    }
    if random.once_in(3) {
        game.set_tag("Opening", "Réti");
    }
    // Occasionally nothing is known, and no header is written.
    if random.once_in(9) {
        game.tags.retain(|(name, _)| name == "Result");
    }
    game
}

/// The first random games that can be encoded in a reading, and the number of those that cannot.
fn games_with_code(count: u64, reading: Reading) -> (Vec<SourceGame>, u64) {
    let mut refused = 0;
    let mut games = Vec::new();
    for number in 0.. {
        let game = plain_game(number);
        match record(&game, reading, false) {
            Ok(_) => games.push(game),
            Err(error) => {
                assert!(error.contains("gets a fifth"), "game {number}: {error}");
                refused += 1;
            }
        }
        if games.len() as u64 == count {
            break;
        }
    }
    (games, refused)
}

fn check(count: u64, reading: Reading, name: &str) {
    let (games, refused) = games_with_code(count, reading);
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("random");
    write_as(&games, &base, reading).unwrap();
    let database = open_base(&base).unwrap();
    assert_eq!(u64::from(database.len()), count, "games of {name}");
    let info = database.info();
    let said = &info.rows.iter().find(|(row, _)| *row == "reading").unwrap().1;
    assert_eq!(*said, format!("{name} (64 of 64 sampled games replay)"));
    assert_eq!(database.problems(), []);
    for (number, game) in (0..).zip(&games) {
        let decoded = database.game(number);
        assert_eq!(decoded.problems, [], "game {number} of {name}");
        assert_eq!(
            items_of_game(&decoded.game),
            game.texts(),
            "game {number} of {name}"
        );
        for tag in ["White", "Black", "Date", "Site", "Event", "Opening", "Result"] {
            let unknown = match tag {
                "Date" => Some("????.??.??"),
                "Opening" => None,
                _ => Some("?"),
            };
            assert_eq!(
                decoded.game.tags.get(tag),
                game.tag(tag).or(unknown),
                "{tag} of game {number}"
            );
        }
    }
    eprintln!("{name}: {count} games, {refused} more have no code");
}

#[test]
fn random_games_come_back_exactly_from_the_main_notation() {
    check(most_games(), MAIN, "main/identity/own");
}

#[test]
fn random_games_come_back_exactly_from_the_alternate_notation() {
    check(most_games(), ALTERNATE, "alternate/identity/own");
}

#[test]
fn games_of_every_reading_are_read_under_it() {
    for number in 0..8 {
        let [alternate, order, diagram] = [4, 2, 1].map(|bit| number & bit != 0);
        let reading = Reading {
            alternate,
            order,
            diagram,
        };
        let name = [
            if alternate { "alternate" } else { "main" },
            if order { "order" } else { "identity" },
            if diagram { "diagram" } else { "own" },
        ];
        check(500, reading, &name.join("/"));
    }
}

#[test]
fn scholars_mate_has_the_bytes_of_the_description() {
    let text = b"1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 $4 4. Qxf7# 1-0\n";
    let mut games = source::read(text).unwrap();
    games[0].set_tag("Result", "1-0");
    let bytes = [
        (MAIN, [0x2c, 0x2c, 0x61, 0x17, 0xdb, 0x1e, 6, 6, 0x53, 2]),
        (ALTERNATE, [0x34, 0x34, 0xcc, 0x17, 0x5b, 0x1e, 6, 6, 0xda, 2]),
    ];
    for (reading, bytes) in bytes {
        assert_eq!(record(&games[0], reading, false).unwrap(), bytes);
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("mate");
        std::fs::write(base.with_extension("brn"), bytes).unwrap();
        let database = open_base(&base).unwrap();
        assert_eq!(database.len(), 1);
        assert_eq!(items_of_game(&database.game(0).game), games[0].texts());
        assert_eq!(database.tags(0).get("Result"), Some("1-0"));
    }
}

#[test]
fn what_has_no_code_is_refused_with_a_message() {
    for (pgn, message) in [
        ("1. e4 (1. d4) e5 *", "a variation has no code"),
        ("1. e4 $7 *", "the glyph $7 has no code"),
        ("1. e4 -- *", "a null move has no code"),
        (
            "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. Kd1 *",
            "a game from a set-up position has no code",
        ),
    ] {
        let games = source::read(pgn.as_bytes()).unwrap();
        assert_eq!(record(&games[0], MAIN, false), Err(message.to_owned()), "{pgn}");
    }
    let shared = needs!(samples);
    let text = std::fs::read(shared.join("data/brenner/unencodable.pgn")).unwrap();
    let games = source::read(&text).unwrap();
    assert_eq!(games.len(), 2);
    for game in &games {
        for reading in [MAIN, ALTERNATE] {
            let error = record(game, reading, false).unwrap_err();
            assert!(error.contains("gets a fifth"), "{error}");
        }
    }
}

#[test]
fn the_samples_are_written_with_the_bytes_that_they_have() {
    let shared = needs!(samples);
    let folder = shared.join("data/brenner");
    let text = std::fs::read(folder.join("small.expected.pgn")).unwrap();
    let games = source::read(&text).unwrap();
    for (reading, name) in [(MAIN, "small.main.brn"), (ALTERNATE, "small.alternate.brn")] {
        let expected = std::fs::read(folder.join(name)).unwrap();
        let target = tempfile::tempdir().unwrap();
        write_as(&games, &target.path().join("small"), reading).unwrap();
        let given = std::fs::read(target.path().join("small.brn")).unwrap();
        let differs = given.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!((differs, given.len()), (None, expected.len()), "{name}");
    }
}
