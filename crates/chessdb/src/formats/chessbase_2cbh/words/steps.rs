//! All steps in the order of their words (section 4.2).
//!
//! Words are numbered from 1:
//!
//! 1. For each colour, White first: king, queen, knight, bishop, rook. For each square from a1 in the order of its
//!    number, for each direction, for each square in that direction on an empty board (king and knight: one step): to
//!    an empty square, then taking queen, knight, bishop, rook, pawn.
//! 2. White's pawns, then Black's. For each file, for each rank from the second to the seventh: forward (two squares
//!    before one on the home rank; queen, knight, bishop, rook on the last), then taking to the lower, then to the
//!    higher file: queen, knight, bishop, rook, pawn, and on the rank where it may happen a pawn en passant; on the
//!    last rank no pawn is taken, and each of the four has the four promotions.
//! 3. Castling: White long, White short, Black long, Black short.
//! 4. The same four for each start of Chess960 (from public descriptions alone), 960 times.

use super::{CASTLING, square};
use crate::board::{Color, Rank, Role, Square, Step};

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

/// Captured pieces, and promotions, in the order of the numbering.
const TAKEN: [Option<Role>; 6] = [
    None,
    Some(Role::Queen),
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Pawn),
];
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Bishop, Role::Rook];

/// The square that is this number of files and ranks away; `None` if it is not on the board.
fn shifted(from: Square, (files, ranks): Direction) -> Option<Square> {
    let file = i32::try_from(u32::from(from.file())).ok()? + files;
    let rank = i32::try_from(u32::from(from.rank())).ok()? + ranks;
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board
        .then(|| u32::try_from(rank * 8 + file).ok().map(Square::new))
        .flatten()
}

pub(super) fn steps() -> Vec<Step> {
    let mut steps = Vec::with_capacity(usize::from(CASTLING) - 1);
    for color in Color::ALL {
        for (role, directions, reach) in PIECES {
            for from in (0..64).filter_map(square) {
                for &direction in directions {
                    let squares =
                        std::iter::successors(shifted(from, direction), |&to| shifted(to, direction));
                    for to in squares.take(reach) {
                        steps.extend(TAKEN.map(|taken| Step::new(color, role, from, to, taken)));
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
    let step = |to, taken| Step::new(color, Role::Pawn, from, to, taken);
    if from.rank() == color.relative_rank(Rank::Second)
        && let Some(to) = shifted(from, (0, 2 * forward))
    {
        steps.push(step(to, None));
    }
    if let Some(to) = shifted(from, (0, forward)) {
        if is_last {
            steps.extend(PROMOTIONS.map(|role| step(to, None).promoting(role)));
        } else {
            steps.push(step(to, None));
        }
    }
    for to in [-1, 1]
        .into_iter()
        .filter_map(|files| shifted(from, (files, forward)))
    {
        if is_last {
            for taken in PROMOTIONS {
                steps.extend(PROMOTIONS.map(|role| step(to, Some(taken)).promoting(role)));
            }
            continue;
        }
        steps.extend(TAKEN.iter().skip(1).map(|&taken| step(to, taken)));
        if from.rank() == color.relative_rank(Rank::Fifth) {
            steps.push(step(to, Some(Role::Pawn)).en_passant());
        }
    }
}
