use super::*;

#[test]
fn every_game_equals_its_expected_pgn() {
    // PGN has no glyph $0; the samples write it where the database holds it.
    check_samples("simplecdb", |game| game.movetext.retain(|item| item != "$0"));
}
