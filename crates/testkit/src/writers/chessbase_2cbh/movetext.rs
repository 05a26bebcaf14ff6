//! The moves of a game and their annotations (sections 4.1 and 6).

use shakmaty::{Color, Position};

use super::start::Start;
use super::words::{self, word};
use crate::writers::source::{Item, SourceGame};

/// Kinds of annotations.
const TEXT_AFTER: u16 = 0x02;
const TEXT_BEFORE: u16 = 0x82;
const GLYPHS: u16 = 0x03;

/// The language of texts that are for all.
const ANY_LANGUAGE: u16 = 7;

/// Glyphs below this one value a move, all others a position.
const FIRST_OF_POSITION: u8 = 10;

/// The moves of a game as a tree. Node 0 is the start.
pub struct Tree {
    nodes: Vec<Node>,
}

#[derive(Clone)]
struct Node {
    item: Option<Item>,
    /// The side that moves next.
    turn: Color,
    before: Vec<String>,
    after: Vec<Item>,
    /// The move that follows in its line, then alternatives to that move.
    children: Vec<usize>,
    parent: usize,
}

/// The words and the annotations of a game.
pub struct Encoded {
    pub words: Vec<u16>,
    pub annotations: Annotations,
}

impl Tree {
    /// The tree of a game. An alternative to the first move of a variation stands beside the variation.
    ///
    /// # Errors
    /// A glyph before the first move of a line, and a line without moves.
    pub fn of(game: &SourceGame) -> Result<Tree, String> {
        let mut nodes = vec![Node {
            item: None,
            turn: game.start.turn(),
            before: Vec::new(),
            after: Vec::new(),
            children: Vec::new(),
            parent: 0,
        }];
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
                        turn: !nodes[current].turn,
                        before: std::mem::take(&mut before),
                        after: Vec::new(),
                        children: Vec::new(),
                        parent: current,
                    });
                    if current == 0 && outer.is_empty() {
                        // Comments in front of the main line belong to the whole game.
                        let texts = std::mem::take(&mut nodes[number].before);
                        nodes[0].after = texts.into_iter().map(Item::Comment).collect();
                    }
                    nodes[current].children.push(number);
                    current = number;
                    is_first = false;
                }
                Item::Comment(text) if is_first => before.push(text.clone()),
                Item::Nag(_) if is_first => return Err("a glyph before the first move of a line".to_owned()),
                Item::Nag(_) | Item::Comment(_) => nodes[current].after.push(item.clone()),
                Item::VariationStart if is_first => {
                    return Err("a variation before the first move of a line".to_owned());
                }
                Item::VariationStart => {
                    outer.push(current);
                    current = nodes[current].parent;
                    is_first = true;
                }
                Item::VariationEnd if is_first => return Err("a variation without moves".to_owned()),
                Item::VariationEnd => current = outer.pop().ok_or("the end of no variation")?,
            }
        }
        if nodes.len() == 1 {
            nodes[0].after = before.into_iter().map(Item::Comment).collect();
        }
        Ok(Tree { nodes })
    }

    pub fn main_line_len(&self) -> usize {
        let next = |node: &usize| self.nodes[*node].children.first().copied();
        std::iter::successors(Some(0), next).count() - 1
    }

    /// Whether there are variations, texts and glyphs.
    pub fn contents(&self) -> [bool; 3] {
        let any = |has: fn(&Node) -> bool| self.nodes.iter().any(has);
        [
            any(|node| node.children.len() > 1),
            any(|node| {
                !node.before.is_empty() || node.after.iter().any(|item| matches!(item, Item::Comment(_)))
            }),
            any(|node| node.after.iter().any(|item| matches!(item, Item::Nag(_)))),
        ]
    }

    /// The stored form of the game.
    ///
    /// # Errors
    /// A move or an annotation that the format cannot hold.
    pub fn encode(&self, start: &Start) -> Result<Encoded, String> {
        let mut words = Vec::new();
        if start.is_set_up() {
            words.push(words::START);
            words.extend(start.words());
        }
        words.push(words::MOVES);
        self.append_lines(start.chess960(), &mut words)?;
        Ok(Encoded {
            words,
            annotations: self.annotations()?,
        })
    }

    /// The main line as a whole, then the alternatives, the latest first.
    fn append_lines(&self, chess960: Option<u16>, words: &mut Vec<u16>) -> Result<(), String> {
        // Moves with alternatives that are still to come: the node before, and the place of the next one.
        let mut waiting = Vec::new();
        let mut next = (0, 0);
        loop {
            let (node, place) = next;
            let Node { children, turn, .. } = &self.nodes[node];
            if let Some(&child) = children.get(place) {
                words.push(match &self.nodes[child].item {
                    Some(Item::Move(mv)) => word(*turn, *mv, chess960)?,
                    _ => words::NULL,
                });
                if place + 1 < children.len() {
                    words.push(words::KEEP);
                    waiting.push((node, place + 1));
                }
                next = (child, 0);
                continue;
            }
            words.push(words::END);
            match waiting.pop() {
                Some(alternative) => next = alternative,
                None => return Ok(()),
            }
        }
    }

    /// All annotations. Positions count in the order of PGN: an alternative and all that follows it come after the
    /// move that it replaces.
    fn annotations(&self) -> Result<Annotations, String> {
        let mut annotations = Annotations::default();
        let mut position = -1;
        // Nodes to be numbered, and nodes after which lines are to be continued.
        let mut stack = vec![(0, true)];
        while let Some((node, is_new)) = stack.pop() {
            if is_new {
                self.annotate(position, &self.nodes[node], &mut annotations)?;
                position += 1;
                stack.push((node, false));
            } else if let Some((&first, others)) = self.nodes[node].children.split_first() {
                // The last is the first to come.
                stack.push((first, false));
                stack.extend(others.iter().rev().map(|&other| (other, true)));
                self.annotate(position, &self.nodes[first], &mut annotations)?;
                position += 1;
            }
        }
        Ok(annotations)
    }

    fn annotate(&self, position: i32, node: &Node, annotations: &mut Annotations) -> Result<(), String> {
        for before in &node.before {
            annotations.add(position, TEXT_BEFORE, &text(before));
        }
        let mut items = node.after.iter().peekable();
        while let Some(item) = items.next() {
            match item {
                Item::Comment(after) => annotations.add(position, TEXT_AFTER, &text(after)),
                Item::Nag(0) => return Err("the glyph 0".to_owned()),
                Item::Nag(glyph) if *glyph < FIRST_OF_POSITION => {
                    let of_position = items.next_if(
                        |next| matches!(next, Item::Nag(of_position) if *of_position >= FIRST_OF_POSITION),
                    );
                    let of_position = match of_position {
                        Some(Item::Nag(of_position)) => *of_position,
                        _ => 0,
                    };
                    annotations.add(position, GLYPHS, &[*glyph, of_position, 0]);
                }
                Item::Nag(glyph) => annotations.add(position, GLYPHS, &[0, *glyph, 0]),
                _ => return Err("an item that is not an annotation".to_owned()),
            }
        }
        Ok(())
    }
}

/// The data of a text.
fn text(text: &str) -> Vec<u8> {
    let mut data = vec![0; 2];
    data.extend(ANY_LANGUAGE.to_le_bytes());
    data.extend((text.len() as i32).to_le_bytes());
    data.extend(text.as_bytes());
    data
}

/// Annotations by their positions, which ascend.
#[derive(Default)]
pub struct Annotations {
    /// Position, number of annotations, and their bytes.
    blocks: Vec<(i32, i32, Vec<u8>)>,
}

impl Annotations {
    /// What ends the annotations of a game.
    pub const END: i32 = i32::MAX;

    /// Adds an annotation. A position that is not the last one begins a new block.
    pub fn add(&mut self, position: i32, kind: u16, data: &[u8]) {
        if self.blocks.last().is_none_or(|(last, ..)| *last != position) {
            self.blocks.push((position, 0, Vec::new()));
        }
        if let Some((_, count, bytes)) = self.blocks.last_mut() {
            *count += 1;
            bytes.extend(kind.to_le_bytes());
            bytes.extend(data);
        }
    }

    /// The content of a frame.
    pub fn bytes(&self) -> Vec<u8> {
        let mut content = Vec::new();
        for (position, count, bytes) in &self.blocks {
            content.extend(position.to_le_bytes());
            content.extend(count.to_le_bytes());
            content.extend(bytes);
        }
        content.extend(Annotations::END.to_le_bytes());
        content
    }
}
