//! Games from random bytes, as `scripts/fuzz` makes them.

use chessdb::game::Game;
use chessdb::pgn::to_text;
use proptest::prelude::*;

use super::harness::{movetext, sweep};

pub fn assert_written(game: &Game) {
    sweep::assert_written(&to_text(game), game);
}

/// Random bytes that often lead to valid games.
pub fn game_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte =
        prop_oneof![3 => 0u8..16, 1 => any::<u8>(), 1 => prop::sample::select(b"}\"\\[]%;\n (".to_vec())];
    prop::collection::vec(byte, 0..600)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testkit::cases(500, 2_000)))]

    #[test]
    fn every_game_is_read_back(bytes in game_bytes()) {
        assert_written(&movetext::game(&bytes));
    }
}
