use super::*;
use crate::common::samples::open_base;
use crate::random::{Kinds, game};

#[test]
fn twenty_thousand_random_games_come_back_exactly() {
    let kinds = Kinds {
        variations: true,
        comments: true,
        nags: true,
        set_ups: true,
        null_moves: true,
    };
    // A set-up with a third rook or a second queen cannot be written once that man moves (section 3.8).
    let games = (0..).map(|number| game(number, kinds));
    let games: Vec<SourceGame> = games
        .filter(|game| encode_jose::archive(std::slice::from_ref(game)).is_ok())
        .take(GAMES as usize)
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("random");
    encode_jose::write(&games, &base).unwrap();
    let database = open_base(&base).unwrap();
    assert_eq!(u64::from(database.len()), GAMES);
    assert_eq!(database.problems(), []);
    for (number, game) in (0..).zip(&games) {
        let decoded = database.game(number);
        assert_eq!(decoded.problems, [], "game {number}");
        assert_eq!(
            items_of_game(&decoded.game),
            items_of_source(game),
            "game {number}"
        );
        for (name, value) in &game.tags {
            assert_eq!(
                decoded.game.tags.get(name),
                Some(value.as_str()),
                "{name} of game {number}"
            );
        }
    }
}
