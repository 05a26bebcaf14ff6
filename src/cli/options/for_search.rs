//! The options of `mount`, `serve`, `find` and `export`, which search for players.

use std::sync::Arc;

use super::row::{OptionRow, SHOW};
use super::values::spelling_file;
use chessdb_library::spelling::Spelling;

pub(super) static ROWS: &[OptionRow] = &[OptionRow {
    name: "spelling",
    heading: SHOW,
    short: "stored, fold or a file: spellings of players",
    value: "stored|fold|FILE",
    help: "Spellings of players; stored: as stored; fold: joined by rules; FILE: joined by a spelling file of Scid \
               [default: stored]",
    repeats: false,
    set: |settings, value| {
        let spelling = match value {
            "" => return Err("stored, fold or a spelling file of Scid".into()),
            "stored" => Spelling::Stored,
            "fold" => Spelling::Fold,
            path => spelling_file(path)?,
        };
        Arc::make_mut(&mut settings.serve.layout).spell(spelling);
        Ok(())
    },
}];
