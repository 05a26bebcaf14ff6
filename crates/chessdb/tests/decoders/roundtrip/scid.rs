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
    let games: Vec<SourceGame> = (0..most_games()).map(|number| game(number, kinds)).collect();
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("random");
    encode_scid::write(&games, &base).unwrap();
    let database = open_base(&base).unwrap();
    assert_comes_back(&*database, &games);
}
