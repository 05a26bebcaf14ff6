//! The moves of a game and their annotations (sections 8 and 9).

use shakmaty::{CastlingSide, Chess, Move, Position, Role, Square};

use super::mode::Mode;
use super::pieces::{Pieces, kind, number_of};
use crate::writers::source::{Item, SourceGame, played};

/// An item of the `.cba`.
#[derive(Clone, Debug)]
pub struct Annotation {
    pub position: i32,
    pub kind: u8,
    pub data: Vec<u8>,
}

/// The stored parts of a game.
pub struct Encoded {
    pub bytes: Vec<u8>,
    pub annotations: Vec<Annotation>,
}

/// The moves of a game as a tree. Node 0 is the start.
pub struct Tree {
    nodes: Vec<Node>,
}

#[derive(Clone, Default)]
struct Node {
    item: Option<Item>,
    before: Vec<String>,
    after: Vec<Item>,
    children: Vec<usize>,
    parent: usize,
}

impl Tree {
    pub fn of(game: &SourceGame) -> Tree {
        let mut nodes = vec![Node::default()];
        let mut current = 0;
        let mut outer = Vec::new();
        // Comments before the first move of a line.
        let mut before = Vec::new();
        let mut is_first = true;
        for item in &game.items {
            match item {
                Item::Move(_) | Item::Null => {
                    let number = nodes.len();
                    nodes.push(Node {
                        item: Some(item.clone()),
                        before: std::mem::take(&mut before),
                        parent: current,
                        ..Node::default()
                    });
                    nodes[current].children.push(number);
                    current = number;
                    is_first = false;
                }
                Item::Comment(text) if is_first => before.push(text.clone()),
                Item::Nag(_) | Item::Comment(_) => nodes[current].after.push(item.clone()),
                Item::VariationStart => {
                    outer.push(current);
                    current = nodes[current].parent;
                    is_first = true;
                }
                Item::VariationEnd => {
                    current = outer.pop().unwrap_or(0);
                    is_first = false;
                }
            }
        }
        nodes[0].after = before.into_iter().map(Item::Comment).collect();
        Tree { nodes }
    }

    pub fn main_line_len(&self) -> usize {
        let mut node = 0;
        let mut len = 0;
        while let Some(&child) = self.nodes[node].children.first() {
            node = child;
            len += 1;
        }
        len
    }

    /// Writes the game that begins in a position.
    pub fn encode(&self, mode: Mode, start: &Chess) -> Result<Encoded, String> {
        let mut writer = Writer {
            tree: self,
            mode,
            moves: 0,
            words: Vec::new(),
            encoded: Encoded {
                bytes: Vec::new(),
                annotations: Vec::new(),
            },
        };
        for item in &self.nodes[0].after {
            writer.annotate(-1, item)?;
        }
        writer.line(0, start.clone(), Pieces::of(start, mode.is_reverse()))?;
        Ok(writer.finish())
    }
}

/// A game being written.
struct Writer<'a> {
    tree: &'a Tree,
    mode: Mode,
    moves: usize,
    /// Words of simple moves before encryption, as long as their flags are unknown.
    words: Vec<u16>,
    encoded: Encoded,
}

const KEEP: u8 = 254;
const END: u8 = 255;
const WORD: u8 = 235;

impl Writer<'_> {
    /// Writes everything after a node.
    fn line(&mut self, mut node: usize, mut position: Chess, mut pieces: Pieces) -> Result<(), String> {
        let tree = self.tree;
        while let Some((&last, others)) = tree.nodes[node].children.split_last() {
            for &other in others {
                let (after, after_pieces) = self.step(other, &position, &pieces, true)?;
                self.line(other, after, after_pieces)?;
            }
            (position, pieces) = self.step(last, &position, &pieces, false)?;
            node = last;
        }
        if self.mode.is_simple() {
            if let Some(word) = self.words.last_mut() {
                *word |= 0x4000;
            }
        } else {
            self.push(END);
        }
        Ok(())
    }

    /// Writes the move of a node and its annotations.
    fn step(
        &mut self,
        node: usize,
        position: &Chess,
        pieces: &Pieces,
        keeps: bool,
    ) -> Result<(Chess, Pieces), String> {
        let tree = self.tree;
        let node = &tree.nodes[node];
        let number = i32::try_from(self.moves).map_err(|_| "too many moves")?;
        let item = node.item.as_ref().ok_or("a node without a move")?;
        for text in &node.before {
            self.add_text(number, 0x82, text);
        }
        for annotation in &node.after {
            self.annotate(number, annotation)?;
        }
        let mv = match item {
            Item::Move(mv) => Some(*mv),
            _ => None,
        };
        if self.mode.is_simple() {
            let word = mv.map_or(Ok(0), |mv| simple_word(mv, self.mode))?;
            self.words.push(word | if keeps { 0x8000 } else { 0 });
        } else {
            if keeps {
                self.push(KEEP);
            }
            self.compact(mv, position, pieces)?;
        }
        self.moves += 1;
        let mut after = pieces.clone();
        if let Some(mv) = mv {
            after.play(position.turn(), mv);
        }
        Ok((played(position, item), after))
    }

    fn compact(&mut self, mv: Option<Move>, position: &Chess, pieces: &Pieces) -> Result<(), String> {
        let Some(mv) = mv else {
            self.push(0);
            return Ok(());
        };
        let code = match mv {
            Move::Castle { .. } if self.mode.is_chess960() => None,
            _ => code(mv, position, pieces),
        };
        match code {
            Some(code) => self.push(code),
            None => {
                self.push(WORD);
                for byte in word(mv, self.mode)?.to_be_bytes() {
                    self.push(byte);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, code: u8) {
        let byte = self.mode.byte(code, self.moves);
        self.encoded.bytes.push(byte);
    }

    fn annotate(&mut self, position: i32, item: &Item) -> Result<(), String> {
        match item {
            Item::Comment(text) => self.add_text(position, 0x02, text),
            Item::Nag(nag) => self.encoded.annotations.push(Annotation {
                position,
                kind: 0x03,
                data: vec![*nag],
            }),
            _ => return Err("an item that is not an annotation".to_owned()),
        }
        Ok(())
    }

    fn add_text(&mut self, position: i32, kind: u8, text: &str) {
        let data = [&[0, 0], text.as_bytes()].concat();
        self.encoded.annotations.push(Annotation { position, kind, data });
    }

    fn finish(mut self) -> Encoded {
        for (number, word) in self.words.iter().enumerate() {
            let bytes = word.to_be_bytes().map(|byte| self.mode.byte(byte, number));
            self.encoded.bytes.extend(bytes);
        }
        self.encoded
    }
}

/// Departure, target and promotion of a move. Castling is the king's step of two files; in Chess960 it is a
/// step from his target square onto itself.
fn word(mv: Move, mode: Mode) -> Result<u16, String> {
    let (from, to) = match mv {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(rook > king);
            let goal = Square::from_coords(side.king_to_file(), king.rank());
            (if mode.is_chess960() { goal } else { king }, goal)
        }
        _ => (mv.from().ok_or("a move from nowhere")?, mv.to()),
    };
    let promotion = match mv.promotion() {
        None | Some(Role::Queen) => 0,
        Some(Role::Rook) => 1,
        Some(Role::Bishop) => 2,
        _ => 3,
    };
    Ok(number_of(from) | number_of(to) << 6 | promotion << 12)
}

fn simple_word(mv: Move, mode: Mode) -> Result<u16, String> {
    let word = word(mv, mode)?;
    let (from, to) = (word & 63, word >> 6 & 63);
    Ok(if mode.is_reverse() {
        word & 0x3000 | to | from << 6
    } else {
        word
    })
}

/// The code of a move; `None` if it is stored as a word.
fn code(mv: Move, position: &Chess, pieces: &Pieces) -> Option<u8> {
    let us = position.turn();
    if let Move::Castle { king, rook } = mv {
        return Some(if rook > king { 9 } else { 10 });
    }
    if mv.promotion().is_some() {
        return None;
    }
    let (from, to) = (mv.from()?, mv.to());
    let files = to.file() as i32 - from.file() as i32;
    let ranks = to.rank() as i32 - from.rank() as i32;
    let place = |list: &[(i32, i32)]| {
        let found = list.iter().position(|&step| step == (files, ranks));
        found.map(|place| place as u8)
    };
    let number = |role| {
        let list = &pieces.pieces[us as usize][kind(role)?];
        list.iter().position(|&square| square == from)
    };
    // Directions: along files or ranks alone, both in the same direction, both in opposite directions.
    let slide = || match (files, ranks) {
        (0, ranks) => (ranks & 7) as u8 - 1,
        (files, 0) => 7 + (files & 7) as u8 - 1,
        (files, ranks) if files == ranks => 14 + (files & 7) as u8 - 1,
        (files, _) => 21 + (files & 7) as u8 - 1,
    };
    match mv.role() {
        Role::King => {
            const STEPS: [(i32, i32); 8] = [
                (0, 1),
                (1, 1),
                (1, 0),
                (1, -1),
                (0, -1),
                (-1, -1),
                (-1, 0),
                (-1, 1),
            ];
            place(&STEPS).map(|place| 1 + place)
        }
        Role::Knight => {
            const STEPS: [(i32, i32); 8] = [
                (2, 1),
                (1, 2),
                (-1, 2),
                (-2, 1),
                (-2, -1),
                (-1, -2),
                (1, -2),
                (2, -1),
            ];
            let first = [95, 103, 227][number(Role::Knight)?];
            place(&STEPS).map(|place| first + place)
        }
        Role::Queen => Some([11, 143, 171][number(Role::Queen)?] + slide()),
        Role::Rook => Some([39, 53, 199][number(Role::Rook)?] + slide()),
        Role::Bishop => Some([67, 81, 213][number(Role::Bishop)?] + slide() - 14),
        Role::Pawn => {
            let pawns = &pieces.pawns[us as usize];
            let number = pawns.iter().position(|&pawn| pawn == Some(from))? as u8;
            let forward = us.fold_wb(1, -1);
            let step = match (files * forward, ranks * forward) {
                (0, 1) => 0,
                (0, 2) => 1,
                (1, 1) => 2,
                _ => 3,
            };
            Some(111 + 4 * number + step)
        }
    }
}
