//! Move data and comments of a game (docs/formats/jose.md, sections 3 and 4).

use shakmaty::{Board, Chess, Color, Move, Position, Role, Square};

use crate::writers::source::{Item, SourceGame, played};

/// The contents of the columns `Bin` and `Comments`.
pub struct MoveData {
    pub bin: Vec<u8>,
    pub texts: Vec<u8>,
    /// Moves of the main line.
    pub plies: i64,
}

impl MoveData {
    /// Encodes a game.
    ///
    /// # Errors
    /// A move of a piece for which there is no code.
    pub fn of(game: &SourceGame, result: u8) -> Result<MoveData, String> {
        let mut data = MoveData {
            bin: Vec::new(),
            texts: Vec::new(),
            plies: 0,
        };
        let mut line = Line {
            position: game.start.clone(),
            pieces: PieceNumbers::of(game.start.board()),
        };
        let mut before = line.clone();
        let mut outer: Vec<(Line, Line)> = Vec::new();
        for item in &game.items {
            match item {
                Item::Move(_) | Item::Null => {
                    before = line.clone();
                    match item {
                        Item::Move(mv) => data.bin.extend(line.pieces.play(&line.position, *mv)?),
                        _ => data.bin.push(0x9a),
                    }
                    line.position = played(&line.position, item);
                    data.plies += i64::from(outer.is_empty());
                }
                Item::Nag(nag @ 1..=31) => data.bin.push(0xb0 + nag),
                Item::Nag(nag) => data.bin.extend([0xb0, *nag]),
                Item::Comment(text) => {
                    data.bin.push(0xe0);
                    let text = text.replace('&', "&amp;").replace('<', "&lt;");
                    data.texts.extend(text.bytes());
                    data.texts.push(0);
                }
                Item::VariationStart => {
                    data.bin.push(0xf0);
                    outer.push((line.clone(), before.clone()));
                    before.pieces.grow_to(&line.pieces);
                    line = before.clone();
                }
                Item::VariationEnd => {
                    data.bin.push(0xf1);
                    let inside = line;
                    (line, before) = outer.pop().ok_or("a variation ends that did not begin")?;
                    line.pieces.grow_to(&inside.pieces);
                    before.pieces.grow_to(&inside.pieces);
                }
            }
        }
        data.bin.extend([result, 0xff]);
        Ok(data)
    }
}

#[derive(Clone)]
struct Line {
    position: Chess,
    pieces: PieceNumbers,
}

/// Lists of pieces by side and kind, and the places of promoted pawns.
#[derive(Clone)]
struct PieceNumbers {
    lists: [[Vec<Option<Square>>; 5]; 2],
    promoted: [[Option<(usize, usize)>; 8]; 2],
}

fn kind(role: Role) -> usize {
    role as usize - 1
}

fn side(color: Color) -> usize {
    usize::from(color == Color::Black)
}

impl PieceNumbers {
    /// The lists of a start position: ranks 8 to 1, each from file a to h.
    fn of(board: &Board) -> PieceNumbers {
        let mut pieces = PieceNumbers {
            lists: Default::default(),
            promoted: Default::default(),
        };
        for number in 0..64 {
            let square = Square::new(number ^ 56);
            if let Some(piece) = board.piece_at(square)
                && piece.role != Role::King
            {
                pieces.lists[side(piece.color)][kind(piece.role)].push(Some(square));
            }
        }
        pieces
    }

    /// Makes no list shorter than in `other`.
    fn grow_to(&mut self, other: &PieceNumbers) {
        for (mine, theirs) in self.lists.iter_mut().flatten().zip(other.lists.iter().flatten()) {
            mine.resize(mine.len().max(theirs.len()), None);
        }
    }

    /// The code of a move; updates the lists.
    fn play(&mut self, position: &Chess, mv: Move) -> Result<Vec<u8>, String> {
        let us = position.turn();
        if let Move::Castle { king, rook } = mv {
            let king_side = rook > king;
            let to = if king_side { Square::F1 } else { Square::D1 };
            let place = self.lists[side(us)][kind(Role::Rook)]
                .iter_mut()
                .find(|square| **square == Some(rook));
            *place.ok_or("the rook is in no list")? = Some(us.fold_wb(to, to.flip_vertical()));
            return Ok(vec![if king_side { 0x98 } else { 0x99 }]);
        }
        let (from, to) = (mv.from().ok_or("no piece is dropped")?, mv.to());
        let taken = if mv.is_en_passant() {
            to.xor(Square::A2)
        } else {
            to
        };
        if let Some(role) = mv.capture() {
            self.take(!us, role, taken);
        }
        let role = mv.role();
        if role == Role::King {
            const STEPS: [(i32, i32); 8] = [
                (1, 1),
                (1, -1),
                (-1, -1),
                (-1, 1),
                (1, 0),
                (-1, 0),
                (0, 1),
                (0, -1),
            ];
            return Ok(vec![0x90 + step(&STEPS, from, to)?]);
        }
        let index = self.lists[side(us)][kind(role)]
            .iter()
            .position(|square| *square == Some(from))
            .ok_or("the piece is in no list")?;
        if let Some(promotion) = mv.promotion() {
            if index > 7 {
                return Err(format!("pawn {index} has no code"));
            }
            self.promote(us, index, promotion, to);
            let become_code = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
                .iter()
                .position(|role| *role == promotion)
                .ok_or("a pawn becomes no such piece")?;
            return Ok(vec![
                0xa0 + index as u8,
                0x20 | pawn_direction(us, from, to) << 2 | become_code as u8,
            ]);
        }
        self.lists[side(us)][kind(role)][index] = Some(to);
        let direction = direction(us, role, from, to)?;
        if let Some(pawn) = self.promoted[side(us)]
            .iter()
            .position(|place| *place == Some((kind(role), index)))
        {
            return Ok(vec![0xa8 + pawn as u8, 0x20 | direction]);
        }
        let (first, per_piece, most) = match role {
            Role::Pawn => (0x00, 4, 8),
            Role::Knight => (0x20, 8, 2),
            Role::Bishop => (0x30, 16, 2),
            Role::Rook => (0x50, 16, 2),
            _ => (0x70, 32, 1),
        };
        if index >= most {
            return Err(format!("{role:?} {index} has no code"));
        }
        Ok(vec![first + per_piece * index as u8 + direction])
    }

    fn take(&mut self, color: Color, role: Role, square: Square) {
        let list = &mut self.lists[side(color)][kind(role)];
        if let Some(index) = list.iter().position(|place| *place == Some(square)) {
            list[index] = None;
            for promoted in &mut self.promoted[side(color)] {
                if *promoted == Some((kind(role), index)) {
                    *promoted = None;
                }
            }
        }
    }

    /// Places a promoted piece at the last vacant place of the list, otherwise at a new place.
    fn promote(&mut self, color: Color, pawn: usize, role: Role, to: Square) {
        self.lists[side(color)][kind(Role::Pawn)][pawn] = None;
        let list = &mut self.lists[side(color)][kind(role)];
        let index = list.iter().rposition(Option::is_none).unwrap_or(list.len());
        list.resize(list.len().max(index + 1), None);
        list[index] = Some(to);
        self.promoted[side(color)][pawn] = Some((kind(role), index));
    }
}

fn difference(from: Square, to: Square) -> (i32, i32) {
    let files = i32::from(to.file()) - i32::from(from.file());
    (files, i32::from(to.rank()) - i32::from(from.rank()))
}

fn step(steps: &[(i32, i32); 8], from: Square, to: Square) -> Result<u8, String> {
    let found = steps.iter().position(|step| *step == difference(from, to));
    found
        .map(|place| place as u8)
        .ok_or_else(|| format!("no step leads from {from} to {to}"))
}

fn pawn_direction(us: Color, from: Square, to: Square) -> u8 {
    let (files, ranks) = difference(from, to);
    match files * us.fold_wb(1, -1) {
        1 => 1,
        -1 => 2,
        _ if ranks.abs() == 2 => 3,
        _ => 0,
    }
}

fn direction(us: Color, role: Role, from: Square, to: Square) -> Result<u8, String> {
    const JUMPS: [(i32, i32); 8] = [
        (2, 1),
        (2, -1),
        (1, -2),
        (-1, -2),
        (-2, -1),
        (-2, 1),
        (-1, 2),
        (1, 2),
    ];
    let (files, ranks) = difference(from, to);
    let (file, rank) = (to.file() as u8, to.rank() as u8);
    let diagonal = if files == ranks { rank } else { 8 + rank };
    let straight = if files == 0 { rank } else { 8 + file };
    Ok(match role {
        Role::Pawn => pawn_direction(us, from, to),
        Role::Knight => return step(&JUMPS, from, to),
        Role::Bishop => diagonal,
        Role::Rook => straight,
        _ if files == 0 || ranks == 0 => 16 + straight,
        _ => diagonal,
    })
}
