//! What the fuzz targets do with their bytes.

#[path = "../harness/mod.rs"]
pub mod harness;

mod chess_assistant;
mod edits;
mod games;
mod jose;
mod jose_rows;

#[allow(dead_code)]
#[path = "../../examples/make_database/chess_assistant/mod.rs"]
mod encode_chess_assistant;
#[path = "../../examples/make_database/jose/moves.rs"]
mod moves;
#[allow(dead_code)]
#[path = "../../tests/common/pgn.rs"]
mod pgn;
#[allow(dead_code)]
#[path = "../../examples/make_database/source.rs"]
mod source;
#[allow(dead_code)]
#[path = "../../examples/make_database/jose/tables.rs"]
mod tables;

use harness::frame::Input;
use harness::movetext;
use harness::sweep::{Strictness, assert_written, sweep};

/// Times the bounds that instrumented code may take on a busy machine.
const SLOWNESS: u32 = 4;

/// Reads the databases of a format among framed files.
pub fn databases(format: &str, bytes: &[u8]) {
    read(format, &Input::parse(bytes));
}

/// Reads the Chess Assistant database that the bytes tell.
pub fn chess_assistant_records(bytes: &[u8]) {
    read("chess-assistant", &chess_assistant::input(bytes));
}

/// Reads the jose database that the bytes tell.
pub fn jose_rows(bytes: &[u8]) {
    read("jose", &jose::input(bytes));
}

/// Writes the game that the bytes tell, and reads it back.
pub fn written_game(bytes: &[u8]) {
    let game = movetext::game(bytes);
    assert_written(&chessdb::pgn::to_text(&game), &game);
}

fn read(format: &str, input: &Input) {
    let strictness = Strictness {
        slowness: Some(SLOWNESS),
        games: None,
    };
    sweep(format, input, strictness);
}
