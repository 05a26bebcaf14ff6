//! How moves are encoded (sections 8.1 to 8.3).

use std::sync::LazyLock;

use crate::writers::source::SourceGame;

/// The table of each mode, as on the page of the format.
const TABLES: &str = include_str!("../../../../../docs/formats/chessbase-cbh-tables.txt");

/// A mode by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(u8);

impl Mode {
    /// A mode described on the page.
    pub fn of(number: u8) -> Option<Mode> {
        matches!(number, 0..8 | 10..12).then_some(Mode(number))
    }

    /// The mode in which ChessBase writes a game, nearly always the first one.
    pub fn usual(game: &SourceGame) -> Mode {
        let variant = game.tag("Variant").unwrap_or_default().replace(' ', "");
        if variant.eq_ignore_ascii_case("chess960") {
            Mode(10)
        } else {
            Mode(0)
        }
    }

    pub fn number(self) -> u8 {
        self.0
    }

    pub fn is_simple(self) -> bool {
        matches!(self.0, 1 | 3 | 5 | 7)
    }

    pub fn is_reverse(self) -> bool {
        matches!(self.0, 2 | 3 | 6 | 7 | 11)
    }

    pub fn is_chess960(self) -> bool {
        self.0 >= 10
    }

    /// The byte for a code after `moves` moves.
    pub fn byte(self, code: u8, moves: usize) -> u8 {
        let byte_of = |code: u8| BYTES[usize::from(self.0)][usize::from(code)];
        let moves = moves as u8;
        if self.0 < 4 {
            byte_of(code).wrapping_add(moves)
        } else {
            byte_of(code.wrapping_add(moves))
        }
    }
}

/// The byte for each code, by mode.
static BYTES: LazyLock<[[u8; 256]; 12]> = LazyLock::new(|| {
    let mut bytes = [[0; 256]; 12];
    for mode in (0..12).filter_map(Mode::of) {
        let title = format!("**Mode {}**", mode.0);
        let table = TABLES.lines().skip_while(|line| *line != title).skip(2).take(16);
        let codes = table.flat_map(|row| row.split_whitespace().skip(1));
        for (byte, code) in codes.enumerate() {
            let code = usize::from_str_radix(code, 16).expect("a table has two digits a byte");
            bytes[usize::from(mode.0)][code] = byte as u8;
        }
    }
    bytes
});
