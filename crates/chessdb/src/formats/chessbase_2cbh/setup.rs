//! Start positions (section 4.3).
//!
//! | words between fffb and fffc | mean |
//! |---|---|
//! | one, 0 to 959 | a start of Chess960 |
//! | number of the move, side and rights, 0, pieces | a set-up |
//! | 1000, and a set-up | a set-up of Chess960 |
//!
//! A set-up is the number of the move (0 for 1); the side to move in the low byte (1 Black) and castling rights in the
//! high byte (1 White long, 2 White short, 4 Black long, 8 Black short); a word that was 0 in all known files, where 1
//! to 8 is read as an en passant file; and a word for each piece.
//!
//! A piece is `c02d + 64 * kind + square` for White, `c16d + ...` for Black, with king 0, queen 1, knight 2, bishop
//! 3, rook 4; a pawn `c2ad + 6 * file + rank - 2` for White, `c2dd + ...` for Black.

use std::num::NonZeroU32;

use super::frame;
use super::walk::Words;
use super::words::square;
use crate::board::{
    Bitboard, Board, Color, Fen, File, Piece, Position, Rank, Role, Setup, SetupError, Square,
};
use crate::formats::chessbase_common::setup::with_files_of_rooks;
use crate::replay::castling::rooks_without_right;

/// The start position follows.
const START: u16 = 0xfffb;
/// The moves follow.
const MOVES: u16 = 0xfffc;
/// A set-up of Chess960 follows.
const CHESS960_SETUP: u16 = 1000;
/// Starts of Chess960.
const STARTS: u16 = 960;
/// The first words of pieces, of Black's pieces, of pawns and of Black's pawns, and the first word after all of these.
const PIECES: u16 = 0xc02d;
const BLACK: u16 = 0xc16d;
const PAWNS: u16 = 0xc2ad;
const BLACK_PAWNS: u16 = 0xc2dd;
const NO_PIECE: u16 = 0xc30d;

/// The start of a game.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) position: Position,
    pub(super) first_move: u32,
    pub(super) is_chess960: bool,
    /// Set if no game can be played from the position.
    pub(super) flaw: Option<SetupError>,
    /// True if it has castling rights that are not stored.
    pub(super) has_added_rights: bool,
    /// The number of the first word of the moves; `None` if it is not marked.
    pub(super) moves: Option<usize>,
    /// Damage in the start position: the number of the word, and the description.
    pub(super) damage: Option<(usize, &'static str)>,
    /// The FEN of an unusual position.
    fen: Option<String>,
    /// True for a set-up of usual chess.
    is_set_up: bool,
}

impl Start {
    /// The start of a game whose frame has this tag.
    pub(super) fn of(words: Words<'_>, tag: u16) -> Start {
        let usual = Start {
            position: Position::initial(),
            first_move: 1,
            is_chess960: tag == frame::CHESS960,
            flaw: None,
            has_added_rights: false,
            moves: (words.get(0) == Some(MOVES)).then_some(1),
            damage: None,
            fen: None,
            is_set_up: false,
        };
        if words.get(0) != Some(START) {
            return usual;
        }
        let len = (1..words.len()).find(|&at| words.get(at) == Some(MOVES));
        let stored: Vec<u16> = (1..len.unwrap_or(words.len()).min(MOST_WORDS))
            .map_while(|at| words.get(at))
            .collect();
        let start = read(&stored, tag).unwrap_or(Start {
            damage: Some((1, "the start position cannot be read: the usual one is shown")),
            ..usual
        });
        Start {
            moves: len.map(|at| at + 1),
            ..start
        }
    }

    /// The rooks that are on their home squares, like their king, but have no stored right to castle. Always empty in
    /// Chess960.
    pub(super) fn rooks_without_right(&self) -> Bitboard {
        if !self.is_set_up || self.flaw.is_some() {
            return Bitboard::EMPTY;
        }
        rooks_without_right(&self.position)
    }

    /// The same position with the rights of further rooks to castle.
    pub(super) fn with_rights(&self, rooks: Bitboard) -> Start {
        let mut setup = self.position.setup();
        setup.castling_rights |= rooks;
        Start {
            has_added_rights: true,
            moves: self.moves,
            damage: self.damage,
            ..of_setup(setup, self.first_move, self.is_chess960)
        }
    }

    /// FEN for the tag; `None` for the usual position, and for a position that no game can be played from.
    pub(super) fn fen(&self) -> Option<&str> {
        self.fen.as_deref().filter(|_| self.flaw.is_none())
    }

    /// FEN of any position.
    pub(super) fn shown_fen(&self) -> String {
        self.fen.clone().unwrap_or_else(|| self.position.fen())
    }
}

/// Maximum number of words of a set-up: number, side, en passant, a piece on each square, the mark of Chess960, and
/// some without meaning.
const MOST_WORDS: usize = 256;

/// The position of a start section; `None` if nothing can be read.
fn read(words: &[u16], tag: u16) -> Option<Start> {
    match words {
        [number @ ..STARTS] => return chess960_start(*number),
        // Without this test, a normal set-up with move number 1000 would be taken for Chess960; its fourth word is a
        // piece.
        [CHESS960_SETUP, setup @ ..] if words.get(3).is_some_and(|&word| !is_piece(word)) => {
            return read_setup(setup, 2, true);
        }
        _ => {}
    }
    read_setup(words, 1, tag == frame::CHESS960)
}

fn is_piece(word: u16) -> bool {
    (PIECES..NO_PIECE).contains(&word)
}

/// Reads a set-up from its words. `first` is the number of the first one.
fn read_setup(words: &[u16], first: usize, is_chess960: bool) -> Option<Start> {
    let [number, side, en_passant, pieces @ ..] = words else {
        return None;
    };
    let mut setup = Setup::empty();
    let [turn, rights, ..] = side.to_le_bytes();
    setup.turn = match turn & 1 {
        0 => Color::White,
        _ => Color::Black,
    };
    let mut unknown = None;
    for (at, &word) in pieces.iter().enumerate() {
        match piece(word) {
            Some((square, piece)) => setup.board.set_piece_at(square, piece),
            None => unknown = unknown.or(Some(at)),
        }
    }
    if setup.board.occupied().is_empty() && unknown.is_some() {
        return None;
    }
    setup.castling_rights = rooks_with_right(&setup, rights, is_chess960);
    setup.ep_square = pawn_to_take(&setup, *en_passant);
    // Three words come before the pieces.
    let first_piece = first + 3;
    Some(Start {
        damage: unknown.map(|at| (first_piece + at, "a word of the start position is no piece")),
        is_set_up: !is_chess960,
        ..of_setup(setup, u32::from(*number).max(1), is_chess960)
    })
}

/// The piece of a word, and its square.
fn piece(word: u16) -> Option<(Square, Piece)> {
    const ROLES: [Role; 5] = [Role::King, Role::Queen, Role::Knight, Role::Bishop, Role::Rook];
    let (color, number, is_pawn) = match word {
        PIECES..BLACK => (Color::White, word - PIECES, false),
        BLACK..PAWNS => (Color::Black, word - BLACK, false),
        PAWNS..BLACK_PAWNS => (Color::White, word - PAWNS, true),
        BLACK_PAWNS..NO_PIECE => (Color::Black, word - BLACK_PAWNS, true),
        _ => return None,
    };
    if is_pawn {
        return Some((square(number / 6 * 8 + number % 6 + 1)?, Role::Pawn.of(color)));
    }
    let role = ROLES.get(usize::from(number / 64))?;
    Some((square(number % 64)?, role.of(color)))
}

/// The rooks with castling rights: the rooks in the corners or, in Chess960, the outermost rooks on each side of the
/// king. A right without its king or rook does not count.
fn rooks_with_right(setup: &Setup, rights: u8, is_chess960: bool) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    for (color, rights) in [(Color::White, rights & 3), (Color::Black, (rights >> 2) & 3)] {
        let home = Bitboard::from_rank(color.backrank());
        let kings = setup.board.by_piece(color.king()) & home;
        let rooks = setup.board.by_piece(color.rook()) & home;
        let Some(king) = kings.single_square() else {
            continue;
        };
        let sides = if is_chess960 {
            [
                rooks.first().filter(|rook| rook.file() < king.file()),
                rooks.last().filter(|rook| rook.file() > king.file()),
            ]
        } else {
            [File::A, File::H].map(|file| {
                let corner = Square::from_coords(file, color.backrank());
                (king.file() == File::E && rooks.contains(corner)).then_some(corner)
            })
        };
        for (bit, rook) in [1, 2].into_iter().zip(sides) {
            found |= rook
                .filter(|_| rights & bit != 0)
                .map_or(Bitboard::EMPTY, Bitboard::from_square);
        }
    }
    found
}

/// The square behind a pawn on a file, counted from 1, that may be taken en passant.
fn pawn_to_take(setup: &Setup, file: u16) -> Option<Square> {
    let file = File::try_from(u32::from(file).checked_sub(1)?).ok()?;
    let pawn = Square::from_coords(file, setup.turn.fold_wb(Rank::Fifth, Rank::Fourth));
    let ours = setup.board.by_piece(setup.turn.pawn());
    let is_beside = |files| {
        pawn.offset(files)
            .is_some_and(|beside| beside.rank() == pawn.rank() && ours.contains(beside))
    };
    // `Position` tests whether the pawn is there and can have made a double step.
    [-1, 1]
        .into_iter()
        .any(is_beside)
        .then(|| Square::from_coords(file, setup.turn.fold_wb(Rank::Sixth, Rank::Third)))
}

/// The usual pieces in an order of Chess960, by the standard numbering.
fn chess960_start(number: u16) -> Option<Start> {
    let setup = Setup {
        board: chess960_board(number)?,
        ..Setup::empty()
    };
    let rooks = setup.board.by_role(Role::Rook);
    Some(of_setup(
        Setup {
            castling_rights: rooks,
            ..setup
        },
        1,
        true,
    ))
}

fn chess960_board(number: u16) -> Option<Board> {
    let order = chess960_order(number)?;
    let mut board = Board::empty();
    for (file, role) in File::ALL.into_iter().zip(order) {
        for color in Color::ALL {
            board.set_piece_at(Square::from_coords(file, color.backrank()), role.of(color));
            let second = color.relative_rank(Rank::Second);
            board.set_piece_at(Square::from_coords(file, second), Role::Pawn.of(color));
        }
    }
    Some(board)
}

/// The pieces from file a to file h by the standard numbering: bishops on light and dark squares, then the queen and
/// the knights on free squares, and the king between the rooks on the last three.
fn chess960_order(number: u16) -> Option<[Role; 8]> {
    const KNIGHTS: [[usize; 2]; 10] = [
        [0, 1],
        [0, 2],
        [0, 3],
        [0, 4],
        [1, 2],
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
        [3, 4],
    ];
    let number = usize::from(number);
    let mut order = [None; 8];
    let mut put = |file: usize, role| {
        if let Some(place) = order.get_mut(file) {
            *place = Some(role);
        }
        order
    };
    put(number % 4 * 2 + 1, Role::Bishop);
    let with_bishops = put(number / 4 % 4 * 2, Role::Bishop);
    let free = |order: [Option<Role>; 8]| (0..8).filter(move |&file| order.get(file) == Some(&None));
    let queen = free(with_bishops).nth(number / 16 % 6)?;
    let with_queen = put(queen, Role::Queen);
    let places: Vec<usize> = free(with_queen).collect();
    let mut with_knights = with_queen;
    for place in KNIGHTS.get(number / 96)? {
        with_knights = put(*places.get(*place)?, Role::Knight);
    }
    let mut rest = [Role::Rook, Role::King, Role::Rook].into_iter();
    let filled = with_knights.map(|role| role.or_else(|| rest.next()).unwrap_or(Role::Rook));
    Some(filled)
}

/// A start from a set-up.
fn of_setup(setup: Setup, first_move: u32, is_chess960: bool) -> Start {
    let (position, flaw) = match Position::from_setup(&setup) {
        Ok(position) => (position, None),
        Err(flaw) => (Position::unplayable(&setup), Some(flaw)),
    };
    let mut shown = match flaw {
        None => position.setup(),
        Some(_) => setup,
    };
    if let Some(number) = NonZeroU32::new(first_move) {
        shown.fullmoves = number;
    }
    let rights = shown.castling_rights;
    let fen = Fen::text(&shown);
    Start {
        position,
        first_move,
        is_chess960,
        flaw,
        has_added_rights: false,
        moves: None,
        damage: None,
        fen: Some(if is_chess960 {
            with_files_of_rooks(&fen, rights)
        } else {
            fen
        }),
        is_set_up: !is_chess960,
    }
}
