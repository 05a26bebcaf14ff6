//! The list of moves in a position. Files store a move as its number in this list (section 6).

use crate::writers::steps::{BISHOP, KING, KNIGHT, ROOK};
use shakmaty::{Board, Chess, Color, File, Move, Position, Rank, Role, Square};

/// The state on which the list of moves depends.
#[derive(Clone)]
pub struct Line {
    pub position: Chess,
    pub en_passant: EnPassant,
    /// The state before the last move of the line.
    pub before: Option<Box<Line>>,
}

/// The en passant state of the list: the file from 1 to 8, and whether castling kept it.
#[derive(Clone, Copy, Default)]
pub struct EnPassant {
    pub file: u8,
    pub kept: bool,
}

impl Line {
    pub fn after(mut self, mv: Move) -> Line {
        self.before = None;
        let mut position = self.position.clone();
        position.play_unchecked(mv);
        let en_passant = match mv {
            Move::Castle { .. } => EnPassant {
                kept: self.en_passant.file != 0,
                ..self.en_passant
            },
            Move::Normal {
                role: Role::Pawn,
                from,
                to,
                ..
            } if from.rank().distance(to.rank()) == 2 => EnPassant {
                file: from.file() as u8 + 1,
                kept: false,
            },
            _ => EnPassant::default(),
        };
        Line {
            position,
            en_passant,
            before: Some(Box::new(self)),
        }
    }
}

/// A move by its squares; `None` for entries that cannot be played. Castling is the king's move onto the
/// rook.
type Entry = Option<(Square, Square, Option<Role>)>;

/// The number of a legal move in the list.
pub fn number(line: &Line, mv: Move) -> Result<u8, String> {
    let wanted = match mv {
        Move::Castle { king, rook } => (king, rook, None),
        mv => (mv.from().ok_or("a dropped piece")?, mv.to(), mv.promotion()),
    };
    let list = list(line.position.board(), line.position.turn(), line.en_passant);
    let place = list.iter().position(|entry| *entry == Some(wanted));
    let place = place.ok_or("a move that is not in the list")?;
    u8::try_from(place + 1)
        .ok()
        .filter(|&number| number < 128)
        .ok_or_else(|| "a move beyond the 127th of the list".to_owned())
}

/// The list of moves in its order.
fn list(board: &Board, turn: Color, en_passant: EnPassant) -> Vec<Entry> {
    let mut list = Vec::new();
    for file in File::ALL {
        for rank in Rank::ALL {
            let from = Square::from_coords(file, rank);
            let Some(piece) = board.piece_at(from).filter(|piece| piece.color == turn) else {
                continue;
            };
            match piece.role {
                Role::King => {
                    append_runs(&mut list, board, turn, from, &KING, 1);
                    append_castling(&mut list, board, turn, from);
                }
                Role::Knight => append_runs(&mut list, board, turn, from, &KNIGHT, 1),
                Role::Bishop => append_runs(&mut list, board, turn, from, &BISHOP, 7),
                Role::Rook => append_runs(&mut list, board, turn, from, &ROOK, 7),
                Role::Queen => {
                    append_runs(&mut list, board, turn, from, &BISHOP, 7);
                    append_runs(&mut list, board, turn, from, &ROOK, 7);
                }
                Role::Pawn => append_pawn(&mut list, board, turn, from, en_passant),
            }
        }
    }
    list
}

/// The square at this distance in files and ranks.
fn step(from: Square, (files, ranks): (i32, i32)) -> Option<Square> {
    Some(Square::from_coords(
        from.file().offset(files)?,
        from.rank().offset(ranks)?,
    ))
}

fn append_runs(
    list: &mut Vec<Entry>,
    board: &Board,
    turn: Color,
    from: Square,
    directions: &[(i32, i32)],
    longest: usize,
) {
    for &direction in directions {
        let mut at = from;
        for _ in 0..longest {
            let Some(to) = step(at, direction) else { break };
            let taken = board.color_at(to);
            if taken == Some(turn) {
                break;
            }
            list.push(Some((from, to, None)));
            if taken.is_some() {
                break;
            }
            at = to;
        }
    }
}

fn append_castling(list: &mut Vec<Entry>, board: &Board, turn: Color, king: Square) {
    let home = turn.backrank();
    if king != Square::from_coords(File::E, home) {
        return;
    }
    for (corner, between) in [
        (File::H, &[File::F, File::G][..]),
        (File::A, &[File::B, File::C, File::D]),
    ] {
        let rook = Square::from_coords(corner, home);
        let is_free = |&file: &File| board.piece_at(Square::from_coords(file, home)).is_none();
        if board.piece_at(rook) == Some(turn.rook()) && between.iter().all(is_free) {
            list.push(Some((king, rook, None)));
        }
    }
}

fn append_pawn(list: &mut Vec<Entry>, board: &Board, turn: Color, from: Square, en_passant: EnPassant) {
    let forward = turn.fold_wb(1, -1);
    let is_free = |square: Square| board.piece_at(square).is_none();
    let mut push = |to: Square| {
        if to.rank() == turn.relative_rank(Rank::Eighth) {
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            list.extend(roles.map(|role| Some((from, to, Some(role)))));
        } else {
            list.push(Some((from, to, None)));
        }
    };
    let single = step(from, (0, forward)).filter(|&to| is_free(to));
    if from.rank() == turn.relative_rank(Rank::Second)
        && single.is_some()
        && let Some(double) = step(from, (0, 2 * forward)).filter(|&to| is_free(to))
    {
        push(double);
    }
    single.into_iter().for_each(&mut push);
    let captures = [-1, 1].map(|files| step(from, (files, forward)));
    for to in captures.into_iter().flatten() {
        if board.color_at(to) == Some(!turn) {
            push(to);
        }
    }
    if from.rank() == turn.relative_rank(Rank::Fifth) {
        let index = from.file() as i32;
        let file = i32::from(en_passant.file);
        for (matches, files) in [(index == file, -1), (index - file == -2, 1)] {
            if matches {
                let to = step(from, (files, forward)).filter(|_| file > 0 && !en_passant.kept);
                list.push(to.map(|to| (from, to, None)));
            }
        }
    }
}
