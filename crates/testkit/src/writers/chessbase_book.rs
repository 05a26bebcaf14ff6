//! Writes an opening book of Fritz: `.fbk` (docs/formats/chessbase.md, section 14).
//!
//! The book is the tree of the games' main lines. A line that is the beginning of another one is not stored
//! separately.

use std::error::Error;
use std::path::Path;

use shakmaty::{CastlingSide, Move, Role, Square};

use crate::writers::source::{Item, SourceGame};

/// Maximum length of a line in a book.
const MOST_PLIES: usize = 512;

/// Writes a book whose variants branch off inside lines.
///
/// # Errors
/// Fails if the file cannot be written, or if a book cannot hold a game.
pub fn write(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    write_file(target, &Tree::of(games)?.branching())
}

/// Writes a book whose variants all begin in the start position.
///
/// # Errors
/// As [`write()`].
pub fn write_flat(games: &[SourceGame], target: &Path) -> Result<(), Box<dyn Error>> {
    write_file(target, &Tree::of(games)?.flat())
}

fn write_file(target: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let path = target.with_extension("fbk");
    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(())
}

/// The moves of a book. Node 0 is the start position.
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    /// Departure and target square, with the flag of a weak move.
    bytes: [u8; 2],
    children: Vec<usize>,
}

const STARTS: u8 = 0x40;
const ENDS: u8 = 0x80;
const WEAK: u8 = 0x80;

impl Tree {
    fn of(games: &[SourceGame]) -> Result<Tree, String> {
        let mut tree = Tree {
            nodes: vec![Node::default()],
        };
        for (number, game) in (1..).zip(games) {
            tree.add(game)
                .map_err(|error| format!("game {number}: {error}"))?;
        }
        Ok(tree)
    }

    fn add(&mut self, game: &SourceGame) -> Result<(), String> {
        if game.tag("FEN").is_some() {
            return Err("a book begins in the initial position".to_owned());
        }
        let mut depth = 0;
        let mut node = 0;
        let mut plies = 0;
        for item in &game.items {
            match item {
                Item::VariationStart => depth += 1,
                Item::VariationEnd => depth -= 1,
                _ if depth > 0 => {}
                Item::Move(mv) => {
                    plies += 1;
                    node = self.child(node, squares(*mv)?);
                }
                Item::Nag(2) if plies > 0 => self.nodes[node].bytes[1] |= WEAK,
                Item::Nag(_) | Item::Comment(_) => {}
                Item::Null => return Err("a null move".to_owned()),
            }
        }
        if plies > MOST_PLIES {
            return Err(format!("more than {MOST_PLIES} plies"));
        }
        Ok(())
    }

    /// The node of a move; creates it if necessary.
    fn child(&mut self, parent: usize, [from, to]: [u8; 2]) -> usize {
        let same = |&&node: &&usize| {
            let [a, b] = self.nodes[node].bytes;
            [a, b & !WEAK] == [from, to]
        };
        if let Some(&node) = self.nodes[parent].children.iter().find(same) {
            return node;
        }
        let new = self.nodes.len();
        self.nodes.push(Node {
            bytes: [from, to],
            children: Vec::new(),
        });
        self.nodes[parent].children.push(new);
        new
    }

    /// Of several alternatives, all but the last begin a variant, whose end leads back to the same position.
    fn branching(&self) -> Vec<u8> {
        let mut out = Vec::new();
        // Nodes still to be written, and whether each is the last of its alternatives.
        let mut rest: Vec<(usize, bool)> = Vec::new();
        let push_children = |rest: &mut Vec<(usize, bool)>, node: usize| {
            let children = self.nodes[node].children.iter().rev();
            rest.extend(children.enumerate().map(|(place, &child)| (child, place == 0)));
        };
        push_children(&mut rest, 0);
        while let Some((node, is_last)) = rest.pop() {
            let Node { bytes, children } = &self.nodes[node];
            let starts = if is_last { STARTS } else { 0 };
            let ends = if children.is_empty() { ENDS } else { 0 };
            out.extend([bytes[0] | starts | ends, bytes[1]]);
            push_children(&mut rest, node);
        }
        out
    }

    /// Every line from its first move to its last one.
    fn flat(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut line: Vec<usize> = Vec::new();
        let mut rest: Vec<(usize, usize)> = vec![(0, 0)];
        while let Some((node, plies)) = rest.pop() {
            line.truncate(plies.saturating_sub(1));
            if node > 0 {
                line.push(node);
            }
            let children = self.nodes[node].children.iter().rev();
            rest.extend(children.map(|&child| (child, plies + 1)));
            if !self.nodes[node].children.is_empty() {
                continue;
            }
            for (place, &node) in line.iter().enumerate() {
                let [from, to] = self.nodes[node].bytes;
                let starts = if place == 0 { 0 } else { STARTS };
                let ends = if place + 1 == line.len() { ENDS } else { 0 };
                out.extend([from | starts | ends, to]);
            }
        }
        out
    }
}

/// Departure and target square. Castling is the king's move.
fn squares(mv: Move) -> Result<[u8; 2], String> {
    if !matches!(mv.promotion(), None | Some(Role::Queen)) {
        return Err("a promotion to another piece than a queen".to_owned());
    }
    let (from, to) = match mv {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            (king, Square::from_coords(side.king_to_file(), king.rank()))
        }
        mv => (mv.from().ok_or("a dropped piece")?, mv.to()),
    };
    Ok([from as u8, to as u8])
}
