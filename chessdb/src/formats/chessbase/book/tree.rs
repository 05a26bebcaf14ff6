//! The whole book as one game with nested variations.

use std::collections::HashMap;

use super::{Book, EVENT, MOST_PLIES, play, remark};
use crate::board::{Position, Square};
use crate::game::{Game, MovetextBuilder, Outcome, Tags};

/// The start position.
const ROOT: u32 = 0;

/// Moves of the book; what is played in the same position several times is one node.
struct Tree {
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

impl Tree {
    fn of(book: &Book) -> Tree {
        let mut tree = Tree {
            nodes: vec![Node::default()],
        };
        let mut known: HashMap<(u32, Square, Square), u32> = HashMap::new();
        // The node of each move; none where a line is longer than is shown.
        let mut nodes_of_moves: Vec<Option<u32>> = Vec::new();
        for number in 0..book.lines.moves() {
            let parent = match book.lines.parent(number) {
                None => Some(ROOT),
                Some(parent) => nodes_of_moves.get(parent as usize).copied().flatten(),
            };
            let parent = parent.filter(|&parent| usize::from(tree.node(parent).plies) < MOST_PLIES);
            nodes_of_moves.push(parent.map(|parent| {
                let stored = book.stored(number);
                let (from, to) = stored.squares();
                let node = *known
                    .entry((parent, from, to))
                    .or_insert_with(|| tree.add(parent, number));
                if let Some(node) = tree.nodes.get_mut(node as usize) {
                    node.is_weak |= stored.is_weak();
                }
                node
            }));
        }
        tree
    }

    fn node(&self, node: u32) -> Node {
        self.nodes.get(node as usize).copied().unwrap_or_default()
    }

    /// Adds a move behind the other children of a node.
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

/// What is still to be written.
enum Step {
    /// What follows a node, which has just been played.
    Line(u32),
    /// A node and what follows it, instead of the move that has just been played.
    Variation(u32),
    /// A variation ends.
    End,
}

/// The tree as a game. The first move of the file at each place is the main line.
///
/// A line has at most [`MOST_PLIES`] plies, so no more variations than that are ever open.
pub(super) fn game(book: &Book) -> Game {
    let tree = Tree::of(book);
    let mut builder = MovetextBuilder::new(Position::initial(), 1);
    // The games of the book tell their problems; here they are but remarks.
    let mut problems = Vec::new();
    let mut illegal = |builder: &mut MovetextBuilder, node: Node| {
        let (from, to) = book.stored(node.number).squares();
        let what = format!("illegal move {from}{to}");
        remark(
            builder,
            &mut problems,
            book.source(),
            book.offset_of(node.number),
            &what,
        );
    };
    let mut steps = vec![Step::Line(ROOT)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Line(parent) => {
                let mut children = tree.children(parent);
                // The first legal move is the main line.
                let main = children.by_ref().find(|&child| {
                    let node = tree.node(child);
                    let played = play(&mut builder, book.stored(node.number), node.is_weak);
                    if played.is_err() {
                        illegal(&mut builder, node);
                    }
                    played.is_ok()
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
                if builder.start_variation().is_err() {
                    continue;
                }
                let node = tree.node(child);
                steps.push(Step::End);
                if play(&mut builder, book.stored(node.number), node.is_weak).is_ok() {
                    steps.push(Step::Line(child));
                } else {
                    illegal(&mut builder, node);
                }
            }
            Step::End => {
                builder.end_variation();
            }
        }
    }
    let mut tags = Tags::new(Outcome::Unknown);
    tags.set_str("Event", EVENT);
    Game {
        tags,
        movetext: builder.finish(),
    }
}
