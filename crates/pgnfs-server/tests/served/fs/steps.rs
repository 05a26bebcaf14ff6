//! A section that no database has, as one file and one row: a tree too large to be built, with games next to
//! directories, and links that can be looked up but are not listed.

use std::borrow::Cow;
use std::sync::Arc;

use chessdb::Keys;
use pgnfs_server::inside::tree::{Existing, GameSet, Games, Node, Row, Section};
use pgnfs_server::inside::{Kind, ServeOptions};

const DIRECTORY: u8 = 0x20;
const LINK: u8 = 0x21;

/// Names below a directory: directory n contains 2n and 2n + 1.
const STEPS: [&str; 2] = ["left", "right"];

static ROW: Row = Row {
    names: &[("steps", Node::new(DIRECTORY, 1))],
    nodes: &[Node::all_of(DIRECTORY, LINK)],
    needs_index: false,
    new: |branch| {
        branch
            .own_database()
            .map(|_| Box::new(Steps(Arc::clone(branch))) as Box<dyn Section>)
    },
};

/// Options to serve databases with `steps/`.
pub fn options() -> ServeOptions {
    ServeOptions {
        sections: vec![&ROW],
        ..ServeOptions::default()
    }
}

/// `steps/` and everything below it. Directory n shows the nth game, and `home` is always a link to `steps/`.
struct Steps(Arc<GameSet>);

impl Steps {
    fn child_number(directory: Node, step: usize) -> Option<u32> {
        let doubled = directory.number().checked_mul(2)?;
        (step < STEPS.len()).then(|| doubled + step as u32)
    }

    fn game(&self, directory: Node) -> Option<u32> {
        let game = directory.number() - 1;
        self.0.games_of(0).position(game).map(|_| game)
    }
}

impl Section for Steps {
    fn kind(&self, node: Node) -> Kind {
        match node.kind() {
            LINK => Kind::Link,
            _ => Kind::Directory,
        }
    }

    fn open(&self, node: Node) -> Option<Existing<'_>> {
        let depth = node.number().checked_ilog2()? as usize;
        let up = || match depth {
            0 => ".".into(),
            _ => vec![".."; depth].join("/").into(),
        };
        Some(match self.kind(node) {
            Kind::Link => Existing::Link(up()),
            _ => Existing::Directory,
        })
    }

    fn parent(&self, node: Node) -> Node {
        match (node.kind(), node.number()) {
            (LINK, number) => Node::new(DIRECTORY, number),
            (_, 1) => Node::DATABASE,
            (_, number) => Node::new(DIRECTORY, number / 2),
        }
    }

    fn directories_of(&self, _game: u32, _: &Keys) -> u32 {
        1
    }

    fn len(&self, directory: Node) -> usize {
        (0..).map_while(|n| self.entry_at(directory, n)).count()
    }

    fn entry_at(&self, directory: Node, n: usize) -> Option<(Cow<'_, str>, Node)> {
        if let (Some(number), Some(&step)) = (Steps::child_number(directory, n), STEPS.get(n)) {
            return Some((step.into(), Node::new(DIRECTORY, number)));
        }
        self.0
            .game_at(&self.games(directory)?, n.checked_sub(STEPS.len())?)
    }

    fn child(&self, directory: Node, name: &str) -> Option<Node> {
        if name == "home" {
            return Some(Node::new(LINK, directory.number()));
        }
        match STEPS.iter().position(|&step| step == name) {
            Some(step) => Steps::child_number(directory, step).map(|number| Node::new(DIRECTORY, number)),
            None => self.0.game_of_name(name, &self.games(directory)?),
        }
    }

    fn games(&self, directory: Node) -> Option<Games<'_>> {
        let own = self.game(directory)?;
        Some(Games::range(own..own + 1))
    }
}
