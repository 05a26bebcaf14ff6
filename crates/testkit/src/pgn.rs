//! PGN read back by the `pgn-reader` crate, in a form in which games can be compared.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use chessdb::game::{Game, Token};
use chessdb_library::library::REMARK;
use pgn_reader::shakmaty::san::SanPlus;
use pgn_reader::{Nag, Outcome, RawComment, RawTag, Reader, Skip, Visitor};

/// A game as read back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub tags: BTreeMap<String, String>,
    /// The tree as items: moves, each with its sorted NAGs and joined comments, and variations in
    /// parentheses. An alternative to the first move of a variation is placed next to that variation,
    /// regardless of the nesting in the PGN.
    pub movetext: Vec<String>,
    pub outcome: Option<String>,
}

impl Read {
    /// The moves of the main line.
    pub fn main_line(&self) -> Vec<&str> {
        let mut depth = 0;
        let is_played = |item: &&str| {
            match *item {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => return depth == 0 && !item.starts_with(['$', '{']),
            }
            false
        };
        self.movetext
            .iter()
            .map(String::as_str)
            .filter(is_played)
            .collect()
    }
}

/// All games of a PGN text.
pub fn read(text: &[u8]) -> Vec<Read> {
    // By default the reader rejects tags of more than 255 bytes.
    let longest = text.split(|&byte| byte == b'\n').map(<[u8]>::len).max();
    let mut reader = Reader::build(text)
        .set_supported_tag_line_length(longest.unwrap_or_default().max(255) + 2)
        .finish();
    let mut games = Vec::new();
    while let Some(game) = reader.read_game(&mut Collector).unwrap() {
        games.push(game);
    }
    games
}

/// A game as a reader should read it, with the same clean-up as in the writer.
pub fn of_game(game: &Game) -> Read {
    let mut read = Read::default();
    for (name, value) in game.tags.iter() {
        let value = value.replace(char::is_control, "");
        read.tags.insert(name.to_owned(), value);
    }
    let collector = &mut Collector;
    let ControlFlow::Continue(mut movetext) = collector.begin_movetext(read) else {
        unreachable!("nothing stops the collector")
    };
    for token in game.movetext.tokens() {
        let _ = match *token {
            Token::Move(san, _) => collector.san(&mut movetext, san.to_string().parse().unwrap()),
            Token::Nag(nag) => collector.nag(&mut movetext, Nag(nag)),
            Token::Comment(range) | Token::Remark(range) => {
                let text = game.movetext.text(range).replace('}', ")");
                let text = match token {
                    Token::Remark(_) => format!("{REMARK} {text}"),
                    _ => text,
                };
                let text = text.replace(char::is_control, " ");
                collector.comment(&mut movetext, RawComment(text.as_bytes()))
            }
            Token::VariationStart => collector.begin_variation(&mut movetext).map_continue(drop),
            Token::VariationEnd => collector.end_variation(&mut movetext),
        };
    }
    movetext.game.outcome = Some(game.tags.outcome().to_string());
    collector.end_game(movetext)
}

/// Removes the escapes of a tag value. `pgn-reader` turns two backslashes before a quote into one too few.
fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match (c, rest.clone().next()) {
            ('\\', Some(escaped @ ('\\' | '"'))) => {
                text.push(escaped);
                rest.next();
            }
            _ => text.push(c),
        }
    }
    text
}

struct Collector;

/// A tree of moves. Node 0 is the start position.
#[derive(Default)]
struct Movetext {
    game: Read,
    nodes: Vec<Node>,
    /// The node after which the next move follows.
    current: usize,
    /// The nodes to return to after the open variations.
    stack: Vec<usize>,
    /// Comments before the first move of a variation; `None` unless a variation has just begun.
    before: Option<Vec<String>>,
    partial: String,
}

#[derive(Default)]
struct Node {
    san: String,
    parent: usize,
    before: Vec<String>,
    nags: Vec<u8>,
    comments: Vec<String>,
    children: Vec<usize>,
}

impl Node {
    fn write(&self, out: &mut Vec<String>) {
        comment(&self.before, out);
        if !self.san.is_empty() {
            out.push(self.san.clone());
        }
        let mut nags = self.nags.clone();
        nags.sort_unstable();
        nags.dedup();
        out.extend(nags.iter().map(|nag| format!("${nag}")));
        comment(&self.comments, out);
    }
}

fn comment(texts: &[String], out: &mut Vec<String>) {
    let text = plain(&texts.join(" "));
    if !text.is_empty() {
        out.push(format!("{{{text}}}"));
    }
}

/// Writes the moves after a node: its first child with the others as variations, then the moves after that
/// child.
fn write_line(nodes: &[Node], mut from: usize, out: &mut Vec<String>) {
    while let Some((&main, others)) = nodes[from].children.split_first() {
        nodes[main].write(out);
        for &other in others {
            out.push("(".to_owned());
            nodes[other].write(out);
            write_line(nodes, other, out);
            out.push(")".to_owned());
        }
        from = main;
    }
}

/// Normalizes a comment: runs of white space become one space, pieces of words longer than 250 bytes are
/// joined, and only the offset of a remark is kept.
fn plain(comment: &str) -> String {
    let mut text = String::new();
    let mut last = 0;
    for word in comment.split_whitespace() {
        if last < 247 && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
        last = word.len();
    }
    let mut from = 0;
    while let Some(start) = text[from..].find("pgnfs: ").map(|at| from + at) {
        let Some(at) = text[start..].find(" offset 0x").map(|at| start + at) else {
            break;
        };
        text.replace_range(start..at, "pgnfs");
        from = start + "pgnfs offset 0x".len();
    }
    text
}

impl Visitor for Collector {
    type Tags = Read;
    type Movetext = Movetext;
    type Output = Read;

    fn begin_tags(&mut self) -> ControlFlow<Read, Read> {
        ControlFlow::Continue(Read::default())
    }

    fn tag(&mut self, game: &mut Read, name: &[u8], value: RawTag<'_>) -> ControlFlow<Read> {
        let name = String::from_utf8(name.to_vec()).unwrap();
        let value = unescaped(&String::from_utf8_lossy(value.as_bytes()));
        assert_eq!(
            game.tags.insert(name.clone(), value),
            None,
            "tag {name} occurs twice"
        );
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: Read) -> ControlFlow<Read, Movetext> {
        ControlFlow::Continue(Movetext {
            game,
            nodes: vec![Node::default()],
            ..Movetext::default()
        })
    }

    fn san(&mut self, movetext: &mut Movetext, san: SanPlus) -> ControlFlow<Read> {
        let number = movetext.nodes.len();
        movetext.nodes.push(Node {
            san: san.to_string(),
            parent: movetext.current,
            before: movetext.before.take().unwrap_or_default(),
            ..Node::default()
        });
        movetext.nodes[movetext.current].children.push(number);
        movetext.current = number;
        ControlFlow::Continue(())
    }

    fn nag(&mut self, movetext: &mut Movetext, nag: Nag) -> ControlFlow<Read> {
        movetext.nodes[movetext.current].nags.push(nag.0);
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, movetext: &mut Movetext, comment: RawComment<'_>) -> ControlFlow<Read> {
        movetext
            .partial
            .push_str(&String::from_utf8_lossy(comment.as_bytes()));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, movetext: &mut Movetext, comment: RawComment<'_>) -> ControlFlow<Read> {
        let mut text = std::mem::take(&mut movetext.partial);
        text.push_str(&String::from_utf8_lossy(comment.as_bytes()));
        let current = &mut movetext.nodes[movetext.current];
        movetext
            .before
            .as_mut()
            .unwrap_or(&mut current.comments)
            .push(text);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, movetext: &mut Movetext) -> ControlFlow<Read, Skip> {
        movetext.stack.push(movetext.current);
        movetext.current = movetext.nodes[movetext.current].parent;
        movetext.before = Some(Vec::new());
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, movetext: &mut Movetext) -> ControlFlow<Read> {
        assert!(movetext.before.is_none(), "an empty variation");
        movetext.current = movetext.stack.pop().unwrap();
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, movetext: &mut Movetext, outcome: Outcome) -> ControlFlow<Read> {
        movetext.game.outcome = Some(outcome.to_string());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut movetext: Movetext) -> Read {
        movetext.nodes[0].write(&mut movetext.game.movetext);
        write_line(&movetext.nodes, 0, &mut movetext.game.movetext);
        movetext.game
    }
}
