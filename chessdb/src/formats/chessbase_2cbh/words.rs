//! Words of moves (section 4.2): a word names a move that means the same in every position.
//!
//! | words from | are moves of |
//! |---|---|
//! | 0001, 09d9, 2bf9, 33d9, 40f9 | White's king, queen, knight, bishop, rook |
//! | 55f9, 5fd1, 81f1, 89d1, 96f1 | Black's |
//! | abf1, ae8d | White's pawns, Black's |
//! | b129, b12d | castling, castling in Chess960 |
//!
//! They are numbered by from-square, direction, distance, and what is taken, on an empty board.

use std::fmt;
use std::sync::LazyLock;

use crate::board::{CastlingSide, Color, Move, Position, Rank, Role, Square};

/// The first words of castling, of castling in Chess960, and after all moves.
const CASTLING: u16 = 0xb129;
const CHESS960: u16 = 0xb12d;
const NO_MOVE: u16 = 0xc02d;
/// A null move.
pub(super) const NULL: u16 = 0xfffa;

/// What a piece does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) color: Color,
    pub(super) role: Role,
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) promotion: Option<Role>,
    pub(super) taken: Option<Role>,
    /// The pawn that is taken stands beside the target.
    pub(super) is_en_passant: bool,
}

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Step(Step),
    Castle(Color, CastlingSide),
    Null,
}

/// All steps by their words, from 1 on.
pub(super) struct Table(Vec<Step>);

impl Table {
    /// The table, which is made when it is first needed.
    pub(super) fn get() -> &'static Table {
        static TABLE: LazyLock<Table> = LazyLock::new(|| Table(steps()));
        &TABLE
    }

    /// The meaning of a word; none for one that is no move.
    #[inline(always)]
    pub(super) fn meaning(&self, word: u16) -> Option<Word> {
        let number = usize::from(word).wrapping_sub(1);
        match self.0.get(number) {
            Some(step) => Some(Word::Step(*step)),
            None => castling(word),
        }
    }
}

/// Words after those of steps.
#[cold]
fn castling(word: u16) -> Option<Word> {
    let number = match word {
        CASTLING..CHESS960 => word - CASTLING,
        // The number of the start position is not looked at (section 4.2).
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
    /// The move on a board; none where the piece that it names is not there, or takes another than it names.
    #[inline(always)]
    pub(super) fn on(self, position: &Position) -> Option<Move> {
        match self {
            Word::Step(step) => {
                let Step {
                    from, to, promotion, ..
                } = step;
                let takes_on = position.capture_square(from, to);
                let is_there = position.turn() == step.color
                    && position.role_at(from) == Some(step.role)
                    && position.role_at(takes_on) == step.taken
                    && (takes_on != to) == step.is_en_passant;
                is_there.then_some(Move::Normal { from, to, promotion })
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
            Word::Step(Step {
                from, to, promotion, ..
            }) => {
                write!(f, "{from}-{to}")?;
                promotion.map_or(Ok(()), |role| write!(f, "{}", role.upper_char()))
            }
            Word::Castle(_, CastlingSide::KingSide) => f.write_str("O-O"),
            Word::Castle(_, CastlingSide::QueenSide) => f.write_str("O-O-O"),
            Word::Null => f.write_str("--"),
        }
    }
}

/// A direction: files and ranks.
type Direction = (i32, i32);

const KING: [Direction; 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const KNIGHT: [Direction; 8] = [
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];
const BISHOP: [Direction; 4] = [(-1, -1), (1, -1), (1, 1), (-1, 1)];
const ROOK: [Direction; 4] = [(-1, 0), (0, -1), (1, 0), (0, 1)];
const QUEEN: [Direction; 8] = [
    (-1, -1),
    (1, -1),
    (1, 1),
    (-1, 1),
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
];

/// Pieces in the order of their blocks: directions, and how far they go.
const PIECES: [(Role, &[Direction], usize); 5] = [
    (Role::King, &KING, 1),
    (Role::Queen, &QUEEN, 7),
    (Role::Knight, &KNIGHT, 1),
    (Role::Bishop, &BISHOP, 7),
    (Role::Rook, &ROOK, 7),
];

/// What may be taken, and what a pawn may become, in their order.
const TAKEN: [Option<Role>; 6] = [
    None,
    Some(Role::Queen),
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Pawn),
];
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Bishop, Role::Rook];

/// The square so many files and ranks further.
fn shifted(from: Square, (files, ranks): Direction) -> Option<Square> {
    let file = i32::try_from(u32::from(from.file())).ok()? + files;
    let rank = i32::try_from(u32::from(from.rank())).ok()? + ranks;
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board
        .then(|| u32::try_from(rank * 8 + file).ok().map(Square::new))
        .flatten()
}

/// A square by ChessBase's number: file by file.
pub(super) fn square(number: u16) -> Option<Square> {
    let number = u32::from(number);
    (number < 64).then(|| Square::new((number & 7) << 3 | number >> 3))
}

fn steps() -> Vec<Step> {
    let mut steps = Vec::with_capacity(usize::from(CASTLING) - 1);
    for color in Color::ALL {
        for (role, directions, reach) in PIECES {
            for from in (0..64).filter_map(square) {
                for &direction in directions {
                    let squares =
                        std::iter::successors(shifted(from, direction), |&to| shifted(to, direction));
                    for to in squares.take(reach) {
                        steps.extend(TAKEN.map(|taken| Step {
                            color,
                            role,
                            from,
                            to,
                            promotion: None,
                            taken,
                            is_en_passant: false,
                        }));
                    }
                }
            }
        }
    }
    for color in Color::ALL {
        for from in (0..64).filter_map(square) {
            if !matches!(from.rank(), Rank::First | Rank::Eighth) {
                add_pawn(color, from, &mut steps);
            }
        }
    }
    steps
}

/// Adds the steps of a pawn from a square.
fn add_pawn(color: Color, from: Square, steps: &mut Vec<Step>) {
    let forward = color.fold_wb(1, -1);
    let is_last = from.rank() == color.relative_rank(Rank::Seventh);
    let mut add = |to: Square, promotion, taken, is_en_passant| {
        steps.push(Step {
            color,
            role: Role::Pawn,
            from,
            to,
            promotion,
            taken,
            is_en_passant,
        });
    };
    if from.rank() == color.relative_rank(Rank::Second)
        && let Some(to) = shifted(from, (0, 2 * forward))
    {
        add(to, None, None, false);
    }
    if let Some(to) = shifted(from, (0, forward)) {
        match is_last {
            true => PROMOTIONS
                .iter()
                .for_each(|&role| add(to, Some(role), None, false)),
            false => add(to, None, None, false),
        }
    }
    for to in [-1, 1]
        .into_iter()
        .filter_map(|files| shifted(from, (files, forward)))
    {
        if is_last {
            for taken in PROMOTIONS {
                PROMOTIONS
                    .iter()
                    .for_each(|&role| add(to, Some(role), Some(taken), false));
            }
            continue;
        }
        TAKEN
            .iter()
            .skip(1)
            .for_each(|&taken| add(to, None, taken, false));
        if from.rank() == color.relative_rank(Rank::Fifth) {
            add(to, None, Some(Role::Pawn), true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
                let mut text = format!("{:?} {} {}", step.color, step.role.upper_char(), step.from);
                text += if step.taken.is_some() { "x" } else { "-" };
                text += &step.to.to_string();
                if let Some(role) = step.promotion {
                    text += &format!("={}", role.upper_char());
                }
                match (step.is_en_passant, step.taken) {
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
        let found = Table::get().0.iter().map(|step| (step.color, step.role));
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
                    step.color.fold_wb(0, 1),
                    role(Some(step.role)),
                    number(step.from),
                    number(step.to),
                    role(step.promotion),
                    if step.is_en_passant { 7 } else { role(step.taken) },
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
        // Black's move, a piece that is not there, and one that would take a piece that is not there.
        for word in [0xb02d, 0x0001, 0x3615, 0xad67, 0xb12c] {
            assert_eq!(of(word).on(&position), None, "{word:04x}");
        }
        assert_eq!(
            of(0xb12a).on(&position),
            Some(Move::Castle(CastlingSide::KingSide))
        );
    }
}
