//! The main line of a game, move by move.

use super::{Game, Movetext, Token};
use crate::board::{Move, PackedMove, Position, San, Undo};

/// A move of a game's main line, from [`Game::main_line`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MainLineMove {
    /// Number of moves before it, from 0.
    pub number: u32,
    /// The move.
    pub mv: Move,
    /// The move as text, with the sign of check or mate.
    pub san: San,
    /// The position after it.
    pub position: Position,
    undo: Undo,
}

impl MainLineMove {
    /// The position before the move.
    pub fn before(&self) -> Position {
        let mut position = self.position;
        position.take_back(&self.undo);
        position
    }
}

impl Game {
    /// The start position: from the tag `FEN`, otherwise the normal one. `None` if the game has a set-up position that it
    /// cannot be played from: see [`Tags::start`](super::Tags::start).
    pub fn start(&self) -> Option<Position> {
        self.tags.start().map(|start| start.position)
    }

    /// The moves of the main line, without variations.
    ///
    /// A [`Database`](crate::database::Database) passes them to a function several times faster, without decoding the
    /// rest of the game: see [`Database::main_line`](crate::database::Database::main_line).
    ///
    /// ```
    /// use chessdb::board::{Move, Position, Square};
    /// use chessdb::game::Game;
    /// use chessdb::replay::Replay;
    ///
    /// let mut replay = Replay::builder(Position::initial(), 1);
    /// replay.play(Move::normal(Square::E2, Square::E4)).unwrap();
    /// replay.play(Move::normal(Square::C7, Square::C5)).unwrap();
    /// let game = Game { movetext: replay.finish().0, ..Game::default() };
    /// let sans: Vec<String> = game.main_line().map(|played| played.san.to_string()).collect();
    /// assert_eq!(sans, ["e4", "c5"]);
    /// let last = game.main_line().last().unwrap();
    /// assert_eq!(last.mv, Move::normal(Square::C7, Square::C5));
    /// assert!(last.position.piece_at(Square::C5).is_some());
    /// assert!(last.before().piece_at(Square::C5).is_none());
    /// ```
    pub fn main_line(&self) -> impl Iterator<Item = MainLineMove> {
        let mut position = self.start().unwrap_or_default();
        (0..)
            .zip(self.movetext.main_line())
            .map_while(move |(number, (san, mv))| {
                let (mv, mut undo) = (mv.unpack(), Undo::default());
                position.advance(mv, &mut undo).ok()?;
                Some(MainLineMove {
                    number,
                    mv,
                    san,
                    position,
                    undo,
                })
            })
    }
}

impl Movetext {
    /// The moves of the main line, without their positions.
    pub fn main_line(&self) -> impl Iterator<Item = (San, PackedMove)> {
        self.main_line_tokens().filter_map(|token| match *token {
            Token::Move(san, mv) => Some((san, mv)),
            _ => None,
        })
    }

    /// The moves of the main line with their annotations, without variations.
    pub fn main_line_tokens(&self) -> impl Iterator<Item = &Token> {
        let mut depth = 0u32;
        self.tokens().iter().filter(move |token| match token {
            Token::VariationStart => {
                depth += 1;
                false
            }
            Token::VariationEnd => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0,
        })
    }
}
