use super::random::{Kinds, game};
use super::*;
use testkit::samples::open_base;

#[test]
fn random_games_come_back_exactly() {
    let kinds = Kinds {
        variations: true,
        comments: true,
        nags: true,
        set_ups: true,
        null_moves: true,
    };
    // Moves of a third rook or a second queen in a set-up position have no code (section 3.8).
    let games = (0..).map(|number| game(number, kinds));
    let games: Vec<SourceGame> = games
        .filter(|game| encode_jose::archive(std::slice::from_ref(game)).is_ok())
        .take(most_games() as usize)
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("random");
    encode_jose::write(&games, &base).unwrap();
    let database = open_base(&base).unwrap();
    assert_comes_back(&*database, &games);
}
