//! Words of moves (section 4.2). A word means the same move in every position.
//!
//! | words from | are moves of |
//! |---|---|
//! | 0001, 09d9, 2bf9, 33d9, 40f9 | White's king, queen, knight, bishop, rook |
//! | 55f9, 5fd1, 81f1, 89d1, 96f1 | Black's |
//! | abf1, ae8d | White's pawns, Black's |
//! | b129, b12d | castling, castling in Chess960 |
//!
//! Moves on an empty board are numbered by from-square, direction, distance, and captured piece.

mod steps;

use std::fmt;
use std::sync::LazyLock;

use super::walk::{ALTERNATIVE, END};
use crate::board::{CastlingSide, Color, Move, Position, Square, Step};

/// The first words of castling, of castling in Chess960, and after all moves.
const CASTLING: u16 = 0xb129;
const CHESS960: u16 = 0xb12d;
const NO_MOVE: u16 = 0xc02d;
/// A null move.
pub(super) const NULL: u16 = 0xfffa;

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Step(Step),
    Castle(Color, CastlingSide),
    Null,
}

/// All steps by their words, from 1 on.
pub(super) struct Table(Vec<Step>);

impl Table {
    /// The table, which is made on first use.
    pub(super) fn get() -> &'static Table {
        static TABLE: LazyLock<Table> = LazyLock::new(|| Table(steps::steps()));
        &TABLE
    }

    /// The meaning of a word; `None` if it is not a move.
    pub(super) fn meaning(&self, word: u16) -> Option<Word> {
        match self.step(word) {
            Some(step) => Some(Word::Step(step)),
            None => castling(word),
        }
    }

    /// The step of a word; `None` for castling, null moves and words that are not moves.
    #[inline(always)]
    pub(super) fn step(&self, word: u16) -> Option<Step> {
        self.0.get(usize::from(word).wrapping_sub(1)).copied()
    }
}

/// True for a word that is a move.
#[inline(always)]
pub(super) fn is_move(word: u16) -> bool {
    (1..NO_MOVE).contains(&word) || word == NULL
}

/// True for a word that is not a mark. In a game without both kings, such a word may be a move.
pub(super) fn is_no_mark(word: u16) -> bool {
    !matches!(word, ALTERNATIVE | END)
}

/// Decodes the words above the last step.
#[cold]
fn castling(word: u16) -> Option<Word> {
    let number = match word {
        CASTLING..CHESS960 => word - CASTLING,
        // The number of the start position is ignored (section 4.2).
        CHESS960..NO_MOVE => (word - CHESS960) % 4,
        NULL => return Some(Word::Null),
        _ => return None,
    };
    Some(match number {
        0 => Word::Castle(Color::White, CastlingSide::QueenSide),
        1 => Word::Castle(Color::White, CastlingSide::KingSide),
        2 => Word::Castle(Color::Black, CastlingSide::QueenSide),
        _ => Word::Castle(Color::Black, CastlingSide::KingSide),
    })
}

impl Word {
    /// The move on a board; `None` if its moving or captured piece is not there.
    #[inline(always)]
    pub(super) fn on(self, position: &Position) -> Option<Move> {
        match self {
            Word::Step(step) => {
                let (from, to) = (step.from(), step.to());
                let takes_on = position.capture_square(from, to);
                let is_there = position.turn() == step.color()
                    && position.role_at(from) == step.role()
                    && position.role_at(takes_on) == step.taken()
                    && (takes_on != to) == step.is_en_passant();
                is_there.then_some(Move::Normal {
                    from,
                    to,
                    promotion: step.promotion(),
                })
            }
            Word::Castle(color, side) => (position.turn() == color).then_some(Move::Castle(side)),
            Word::Null => Some(Move::Null),
        }
    }
}

/// As `e2-e4`, `e7-e8Q`, for remarks.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Step(step) => {
                write!(f, "{}-{}", step.from(), step.to())?;
                let promotion = step.promotion();
                promotion.map_or(Ok(()), |role| write!(f, "{}", role.upper_char()))
            }
            Word::Castle(_, CastlingSide::KingSide) => f.write_str("O-O"),
            Word::Castle(_, CastlingSide::QueenSide) => f.write_str("O-O-O"),
            Word::Null => f.write_str("--"),
        }
    }
}

/// A square by ChessBase's number: file by file.
pub(super) fn square(number: u16) -> Option<Square> {
    let number = u32::from(number);
    (number < 64).then(|| Square::new((number & 7) << 3 | number >> 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Role;
    use std::collections::HashSet;

    fn of(word: u16) -> Word {
        Table::get().meaning(word).unwrap()
    }

    /// A step as on the page: `White K a1xa2 queen`.
    fn described(word: u16) -> String {
        match of(word) {
            Word::Castle(color, side) => format!("{color:?} {side:?}"),
            Word::Null => "null".to_owned(),
            Word::Step(step) => {
                let role = step.role().unwrap().upper_char();
                let mut text = format!("{:?} {role} {}", step.color(), step.from());
                text += if step.taken().is_some() { "x" } else { "-" };
                text += &step.to().to_string();
                if let Some(role) = step.promotion() {
                    text += &format!("={}", role.upper_char());
                }
                match (step.is_en_passant(), step.taken()) {
                    (true, _) => text += " en passant",
                    (false, Some(role)) => text += &format!(" {}", role.upper_char()),
                    _ => {}
                }
                text
            }
        }
    }

    #[test]
    fn words_are_those_of_the_page() {
        for (word, meaning) in [
            (0x0001, "White K a1-a2"),
            (0x0002, "White K a1xa2 Q"),
            (0x0007, "White K a1-b1"),
            (0x09d8, "White K h8xh7 P"),
            (0x09d9, "White Q a1-b2"),
            (0xad3f, "White P e2-e4"),
            (0x325f, "White N g1-f3"),
            (0xb02d, "Black P e7-e5"),
            (0x8929, "Black N g8-f6"),
            (0x3615, "White B b5xc6 N"),
            (0xad67, "White P e5xd6 en passant"),
            (0xafb8, "Black P d4xe3 en passant"),
            (0xad7e, "White P e7xd8=N Q"),
            (0xb0f5, "Black P h2-h1=Q"),
            (0xb12a, "White KingSide"),
            (0x53ab, "White R h1xh8 R"),
            (0x16e2, "White Q d1xd8 Q"),
            (0xb12c, "Black KingSide"),
            (0xb129, "White QueenSide"),
            (0xb12b, "Black QueenSide"),
            (0xb5df, "Black QueenSide"),
            (0xc02c, "Black KingSide"),
            (0xabf0, "Black R h8xh1 P"),
            (0xb128, "Black P h7xg6 P"),
            (0xae8d, "Black P a2-a1=Q"),
            (NULL, "null"),
        ] {
            assert_eq!(described(word), meaning, "{word:04x}");
        }
        for word in [
            0, 0xc02d, 0xc30c, 0xc30d, 0xfff9, 0xfffb, 0xfffc, 0xfffd, 0xfffe, 0xffff,
        ] {
            assert_eq!(Table::get().meaning(word), None, "{word:04x}");
        }
    }

    #[test]
    fn blocks_begin_where_the_page_says() {
        let starts = [
            (0x0001, Color::White, Role::King),
            (0x09d9, Color::White, Role::Queen),
            (0x2bf9, Color::White, Role::Knight),
            (0x33d9, Color::White, Role::Bishop),
            (0x40f9, Color::White, Role::Rook),
            (0x55f9, Color::Black, Role::King),
            (0x5fd1, Color::Black, Role::Queen),
            (0x81f1, Color::Black, Role::Knight),
            (0x89d1, Color::Black, Role::Bishop),
            (0x96f1, Color::Black, Role::Rook),
            (0xabf1, Color::White, Role::Pawn),
            (0xae8d, Color::Black, Role::Pawn),
        ];
        let found = Table::get()
            .0
            .iter()
            .map(|step| (step.color(), step.role().unwrap()));
        let mut last = None;
        let changes = (1..)
            .zip(found)
            .filter(|(_, kind)| last.replace(*kind) != Some(*kind));
        let changes: Vec<_> = changes.map(|(word, (color, role))| (word, color, role)).collect();
        assert_eq!(changes, starts);
        assert_eq!(Table::get().0.len(), usize::from(CASTLING) - 1);
    }

    /// CRC-32 as in ZIP files, bit by bit.
    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| match crc & 1 {
                0 => crc >> 1,
                _ => crc >> 1 ^ 0xedb8_8320,
            })
        })
    }

    #[test]
    fn all_steps_have_the_checksum_of_the_page() {
        let role = |role: Option<Role>| role.map_or(0, |role| role as u8);
        let number = |square: Square| square.file() as u8 * 8 + square.rank() as u8;
        let bytes: Vec<u8> = Table::get()
            .0
            .iter()
            .flat_map(|step| {
                [
                    step.color().fold_wb(0, 1),
                    role(step.role()),
                    number(step.from()),
                    number(step.to()),
                    role(step.promotion()),
                    if step.is_en_passant() {
                        7
                    } else {
                        role(step.taken())
                    },
                ]
            })
            .collect();
        assert_eq!(bytes.len(), 272_112);
        assert_eq!(crc32(&bytes), 0x2c53_c9b9);
    }

    #[test]
    fn every_word_is_another_move() {
        let words = 1..NO_MOVE;
        assert_eq!(words.len(), 49_196);
        let described: HashSet<String> = (1..CHESS960).map(described).collect();
        assert_eq!(described.len(), usize::from(CHESS960) - 1);
        for word in CHESS960..NO_MOVE {
            assert_eq!(of(word), of(CASTLING + (word - CHESS960) % 4));
        }
    }

    #[test]
    fn a_word_agrees_with_the_board_or_is_no_move() {
        let position = Position::initial();
        assert_eq!(
            of(0xad3f).on(&position),
            Some(Move::normal(Square::E2, Square::E4))
        );
        // A move by Black, a move of a missing piece, and a capture of a missing piece.
        for word in [0xb02d, 0x0001, 0x3615, 0xad67, 0xb12c] {
            assert_eq!(of(word).on(&position), None, "{word:04x}");
        }
        assert_eq!(
            of(0xb12a).on(&position),
            Some(Move::Castle(CastlingSide::KingSide))
        );
    }
}
