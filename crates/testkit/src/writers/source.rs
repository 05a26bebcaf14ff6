//! Games for the writers: tags and a flat list of items, read from PGN by the `pgn-reader` crate.

use std::ops::ControlFlow;

use pgn_reader::{Nag, RawComment, RawTag, Reader, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus};
use shakmaty::{CastlingMode, Chess, Move, Position, Setup};

/// One game.
#[derive(Clone, Debug, Default)]
pub struct SourceGame {
    /// Tag pairs in the order of the PGN, including `FEN` and `SetUp`.
    pub tags: Vec<(String, String)>,
    /// The start position.
    pub start: Chess,
    /// The movetext.
    pub items: Vec<Item>,
}

/// One item of movetext, in PGN's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A legal move of the current line.
    Move(Move),
    /// A null move.
    Null,
    /// A glyph for the move before it.
    Nag(u8),
    /// A comment on the move before it, or before the first move of a line.
    Comment(String),
    /// Start of an alternative to the move before it.
    VariationStart,
    /// End of the alternative.
    VariationEnd,
}

impl SourceGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(tag, _)| tag == name)
            .map(|(_, value)| value.as_str())
    }

    /// Sets a tag.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => *old = value.to_owned(),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The movetext, one text for each item; SAN is computed by shakmaty.
    pub fn texts(&self) -> Vec<String> {
        let mut position = self.start.clone();
        let mut before = position.clone();
        let mut outer = Vec::new();
        let text = |item: &Item| match item {
            Item::Move(mv) => {
                before = position.clone();
                SanPlus::from_move_and_play_unchecked(&mut position, *mv).to_string()
            }
            Item::Null => {
                before = position.clone();
                position = played(&position, item);
                "--".to_owned()
            }
            Item::Nag(nag) => format!("${nag}"),
            Item::Comment(text) => format!("{{{text}}}"),
            Item::VariationStart => {
                outer.push((position.clone(), before.clone()));
                position = before.clone();
                "(".to_owned()
            }
            Item::VariationEnd => {
                (position, before) = outer.pop().expect("variations are balanced");
                ")".to_owned()
            }
        };
        self.items.iter().map(text).collect()
    }
}

/// The position after a move or a null move.
pub fn played(position: &Chess, item: &Item) -> Chess {
    match item {
        Item::Move(mv) => {
            let mut after = position.clone();
            after.play_unchecked(*mv);
            after
        }
        Item::Null => position
            .clone()
            .swap_turn()
            .expect("null moves are not made in check"),
        _ => position.clone(),
    }
}

/// All games of a PGN text.
///
/// # Errors
/// An illegal or ambiguous move, or a position that cannot be set up, with the number of the game.
pub fn read(text: &[u8]) -> Result<Vec<SourceGame>, String> {
    let mut reader = Reader::new(text);
    let mut games = Vec::new();
    while let Some(game) = reader.read_game(&mut Games).map_err(|error| error.to_string())? {
        let number = games.len() + 1;
        games.push(game.map_err(|error| format!("game {number}: {error}"))?);
    }
    Ok(games)
}

struct Games;

/// A game being read, with the positions that variations return to.
struct Line {
    game: SourceGame,
    position: Chess,
    before: Option<Chess>,
    outer: Vec<(Chess, Option<Chess>)>,
    partial: String,
}

type Read = Result<SourceGame, String>;

impl Visitor for Games {
    type Tags = SourceGame;
    type Movetext = Line;
    type Output = Read;

    fn begin_tags(&mut self) -> ControlFlow<Read, SourceGame> {
        ControlFlow::Continue(SourceGame::default())
    }

    fn tag(&mut self, game: &mut SourceGame, name: &[u8], value: RawTag<'_>) -> ControlFlow<Read> {
        let name = String::from_utf8_lossy(name);
        game.set_tag(&name, &value.decode_utf8_lossy());
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut game: SourceGame) -> ControlFlow<Read, Line> {
        match game.tag("FEN").map(set_up).transpose() {
            Ok(start) => game.start = start.unwrap_or_default(),
            Err(error) => return ControlFlow::Break(Err(error)),
        }
        ControlFlow::Continue(Line {
            position: game.start.clone(),
            game,
            before: None,
            outer: Vec::new(),
            partial: String::new(),
        })
    }

    fn san(&mut self, line: &mut Line, SanPlus { san, .. }: SanPlus) -> ControlFlow<Read> {
        let item = if san == San::Null {
            Item::Null
        } else {
            match san.to_move(&line.position) {
                Ok(mv) => Item::Move(mv),
                Err(error) => return ControlFlow::Break(Err(format!("{san}: {error}"))),
            }
        };
        let after = played(&line.position, &item);
        line.before = Some(std::mem::replace(&mut line.position, after));
        line.game.items.push(item);
        ControlFlow::Continue(())
    }

    fn nag(&mut self, line: &mut Line, nag: Nag) -> ControlFlow<Read> {
        line.game.items.push(Item::Nag(nag.0));
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, line: &mut Line, comment: RawComment<'_>) -> ControlFlow<Read> {
        line.partial
            .push_str(&String::from_utf8_lossy(comment.as_bytes()));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, line: &mut Line, comment: RawComment<'_>) -> ControlFlow<Read> {
        let mut text = std::mem::take(&mut line.partial);
        text.push_str(&String::from_utf8_lossy(comment.as_bytes()));
        let words: Vec<&str> = text.split_whitespace().collect();
        line.game.items.push(Item::Comment(words.join(" ")));
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, line: &mut Line) -> ControlFlow<Read, Skip> {
        let Some(before) = line.before.take() else {
            return ControlFlow::Break(Err("a variation before the first move".to_owned()));
        };
        line.outer.push((line.position.clone(), Some(before.clone())));
        line.position = before;
        line.game.items.push(Item::VariationStart);
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, line: &mut Line) -> ControlFlow<Read> {
        if let Some((position, before)) = line.outer.pop() {
            line.position = position;
            line.before = before;
        }
        line.game.items.push(Item::VariationEnd);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, line: Line) -> Read {
        Ok(line.game)
    }
}

/// The position of a FEN, as Chess960 if its castling rights require it.
///
/// # Errors
/// If the text is not FEN, or no game can be played from the position.
pub fn set_up(fen: &str) -> Result<Chess, String> {
    let fen: Fen = fen.parse().map_err(|error| format!("{fen}: {error}"))?;
    let setup: Setup = fen.into_setup();
    let mode = CastlingMode::detect(&setup);
    setup.position(mode).map_err(|error| error.to_string())
}
