//! What the fuzz targets do with their bytes.

#[path = "../harness/mod.rs"]
pub mod harness;
#[allow(missing_docs)]
#[path = "../../tests/common/pgn.rs"]
mod pgn;

use harness::frame::Input;
use harness::movetext;
use harness::sweep::{Strictness, assert_written, sweep};

/// Times the bounds that instrumented code may take on a busy machine.
const SLOWNESS: u32 = 4;

/// Reads the databases of a format among framed files.
pub fn databases(format: &str, bytes: &[u8]) {
    let strictness = Strictness {
        slowness: Some(SLOWNESS),
        games: None,
    };
    sweep(format, &Input::parse(bytes), strictness);
}

/// Writes the game that the bytes tell, and reads it back.
pub fn written_game(bytes: &[u8]) {
    let game = movetext::game(bytes);
    assert_written(&pgnfs::pgn::to_text(&game), &game);
}
