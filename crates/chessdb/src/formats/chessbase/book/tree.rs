//! The whole book as one game with nested variations.

use std::collections::HashMap;

use super::{Book, EVENT, MOST_PLIES, play};
use crate::board::{Position, Square};
use crate::game::{Game, Outcome, Tags, Tree};
use crate::replay::{Limits, Replay, Unplayed};

/// The start position.
const ROOT: u32 = 0;

/// The moves of a book. A move that is stored several times for the same position is a single node.
struct Moves {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    /// Number of the move in the file.
    number: u32,
    is_weak: bool,
    plies: u16,
    first_child: Option<u32>,
    last_child: Option<u32>,
    next_sibling: Option<u32>,
}

impl Moves {
    fn read(book: &Book) -> Moves {
        let mut moves = Moves {
            nodes: vec![Node::default()],
        };
        let mut known: HashMap<(u32, Square, Square), u32> = HashMap::new();
        // The node of each move; `None` for moves beyond the maximum length of a line.
        let mut nodes_of_moves: Vec<Option<u32>> = Vec::new();
        for number in 0..book.lines.moves() {
            let parent = match book.lines.parent(number) {
                None => Some(ROOT),
                Some(parent) => nodes_of_moves.get(parent as usize).copied().flatten(),
            };
            let parent = parent.filter(|&parent| usize::from(moves.node(parent).plies) < MOST_PLIES);
            nodes_of_moves.push(parent.map(|parent| {
                let stored = book.stored(number);
                let (from, to) = stored.squares();
                let node = *known
                    .entry((parent, from, to))
                    .or_insert_with(|| moves.add(parent, number));
                if let Some(node) = moves.nodes.get_mut(node as usize) {
                    node.is_weak |= stored.is_weak();
                }
                node
            }));
        }
        moves
    }

    fn node(&self, node: u32) -> Node {
        self.nodes.get(node as usize).copied().unwrap_or_default()
    }

    /// Adds a move after the other children of a node.
    fn add(&mut self, parent: u32, number: u32) -> u32 {
        let new = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node {
            number,
            plies: self.node(parent).plies + 1,
            ..Node::default()
        });
        let before = self.nodes.get_mut(parent as usize).and_then(|parent| {
            parent.first_child = parent.first_child.or(Some(new));
            parent.last_child.replace(new)
        });
        if let Some(before) = before.and_then(|before| self.nodes.get_mut(before as usize)) {
            before.next_sibling = Some(new);
        }
        new
    }

    /// The children of a node in the order of the file.
    fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.node(node).first_child, |&child| {
            self.node(child).next_sibling
        })
    }
}

/// The next step in writing the tree.
enum Step {
    /// Write the moves after a node that has just been played.
    Line(u32),
    /// Write a node and the moves after it, as an alternative to the move that has just been played.
    Variation(u32),
    /// End a variation.
    End,
}

/// The tree as a game. In each position, the first move in the file is the main line.
///
/// A line has at most [`MOST_PLIES`] plies, which also limits the number of open variations.
pub(super) fn game(book: &Book) -> Game {
    let moves = Moves::read(book);
    let start = Position::initial();
    let sink = Tree::beginning(&start, 1, moves.nodes.len());
    let mut replay = Replay::new(sink, start, (), Limits::NONE, book.origin());
    let illegal = |replay: &mut Replay<'_, Tree>, node: Node, unplayed: Unplayed| {
        let (from, to) = book.stored(node.number).squares();
        let offset = book.offset_of(node.number) as u64;
        replay.fault_with(offset, &unplayed.into(), &format!(" ({from}{to})"));
    };
    let mut steps = vec![Step::Line(ROOT)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Line(parent) => {
                let mut children = moves.children(parent);
                // The first legal move is the main line.
                let main = children.by_ref().find(|&child| {
                    let node = moves.node(child);
                    match play(&mut replay, book.stored(node.number), node.is_weak) {
                        Ok(()) => true,
                        Err(unplayed) => {
                            illegal(&mut replay, node, unplayed);
                            false
                        }
                    }
                });
                if let Some(main) = main {
                    steps.push(Step::Line(main));
                    let first = steps.len();
                    steps.extend(children.map(Step::Variation));
                    if let Some(variations) = steps.get_mut(first..) {
                        variations.reverse();
                    }
                }
            }
            Step::Variation(child) => {
                if replay.start_variation().is_err() {
                    continue;
                }
                let node = moves.node(child);
                steps.push(Step::End);
                match play(&mut replay, book.stored(node.number), node.is_weak) {
                    Ok(()) => steps.push(Step::Line(child)),
                    Err(unplayed) => illegal(&mut replay, node, unplayed),
                }
            }
            Step::End => {
                replay.end_variation();
            }
        }
    }
    let mut tags = Tags::new(Outcome::Unknown);
    tags.set_str("Event", EVENT);
    // The games of the book report these problems already.
    let (movetext, _) = replay.finish();
    Game { tags, movetext }
}
