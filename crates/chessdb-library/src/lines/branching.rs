//! The lines of a game that has variations.

use chessdb::Database;
use chessdb::board::{Move, PackedMove, Position, San, Undo};
use chessdb::game::Token;
use chessdb::replay::Ply;

use super::Occurrence;
use super::line::at;

/// A line of a game from its first position on, which grows and branches as the tokens of the game are read.
#[derive(Debug)]
pub(crate) struct BranchingLine {
    start: Position,
    moves: Vec<LineMove>,
    /// The variations that are open, outermost first.
    open: Vec<OpenVariation>,
    /// Number of variations so far.
    begun: u32,
}

/// A move of a line.
#[derive(Debug)]
struct LineMove {
    mv: Move,
    san: San,
    /// The position after it.
    position: Position,
    undo: Undo,
}

/// A variation that has not ended.
#[derive(Debug)]
struct OpenVariation {
    /// Its number, from 1, in the order of the text.
    number: u32,
    /// Number of moves before it.
    ply: u32,
    /// The move that it replaces.
    replaced: LineMove,
}

impl BranchingLine {
    /// A line without moves.
    pub(crate) fn new(start: Position) -> BranchingLine {
        BranchingLine {
            start,
            moves: Vec::new(),
            open: Vec::new(),
            begun: 0,
        }
    }

    /// Reads the next token. False if it cannot be followed, which no movetext has.
    pub(crate) fn read(&mut self, token: Token) -> bool {
        match token {
            Token::Move(san, mv) => self.play(san, mv),
            Token::VariationStart => self.branch(),
            Token::VariationEnd => self.return_from_variation(),
            _ => true,
        }
    }

    fn play(&mut self, san: San, mv: PackedMove) -> bool {
        let (mv, mut position, mut undo) = (mv.unpack(), *self.position(), Undo::default());
        let is_legal = position.advance(mv, &mut undo).is_ok();
        if is_legal {
            self.moves.push(LineMove {
                mv,
                san,
                position,
                undo,
            });
        }
        is_legal
    }

    /// Takes back the last move, so that a variation can replace it.
    fn branch(&mut self) -> bool {
        let Some(replaced) = self.moves.pop() else {
            return false;
        };
        self.begun += 1;
        self.open.push(OpenVariation {
            number: self.begun,
            ply: self.len(),
            replaced,
        });
        true
    }

    /// Leaves the last variation.
    fn return_from_variation(&mut self) -> bool {
        let Some(left) = self.open.pop() else {
            return false;
        };
        self.moves.truncate(left.ply as usize);
        self.moves.push(left.replaced);
        true
    }

    /// Number of moves.
    pub(crate) fn len(&self) -> u32 {
        self.moves.len() as u32
    }

    /// True if no variation is open.
    pub(crate) fn is_main(&self) -> bool {
        self.open.is_empty()
    }

    /// True if the variation that is open has a move.
    pub(crate) fn has_own_move(&self) -> bool {
        self.open
            .last()
            .is_some_and(|variation| variation.ply < self.len())
    }

    /// The first position.
    pub(crate) fn start(&self) -> &Position {
        &self.start
    }

    /// The position after all moves.
    pub(crate) fn position(&self) -> &Position {
        self.moves.last().map_or(&self.start, |last| &last.position)
    }

    /// The position after `moves` moves, or the last position of a shorter line.
    pub(crate) fn position_after(&self, moves: u32) -> &Position {
        match moves.checked_sub(1) {
            None => &self.start,
            Some(last) => {
                let played = self.moves.get(last as usize);
                played.map_or_else(|| self.position(), |played| &played.position)
            }
        }
    }

    /// The moves from a ply on.
    pub(crate) fn moves_from(&self, ply: u32) -> impl Iterator<Item = Ply<'_>> {
        let moves = self.moves.get(ply as usize..).unwrap_or_default();
        (ply..)
            .zip(moves)
            .map(|(number, played)| Ply::new(number, played.mv, &played.position, &played.undo))
    }

    /// The number of the variation that has the move played after `ply` moves, or the last move: from 1, in the order of the
    /// text; 0 for the main line.
    pub(crate) fn variation_at(&self, ply: u32) -> u32 {
        let ply = ply.min(self.len().saturating_sub(1));
        let own = self.open.iter().rfind(|variation| variation.ply <= ply);
        own.map_or(0, |variation| variation.number)
    }

    /// The number of the variation that is open.
    fn variation(&self) -> u32 {
        self.open.last().map_or(0, |variation| variation.number)
    }
}

/// The position of an occurrence, and the SAN of the moves that lead to it; `None` if its game has changed.
fn reach(database: &dyn Database, found: &Occurrence) -> Option<(Position, Vec<San>)> {
    let game = database.game(found.game).game;
    let mut line = BranchingLine::new(game.start()?);
    let is_there = |line: &BranchingLine| line.variation() == found.variation && line.len() == found.ply;
    let mut tokens = game.movetext.tokens().iter();
    while !is_there(&line) {
        if !line.read(*tokens.next()?) {
            return None;
        }
    }
    let sans = line.moves.iter().map(|played| played.san);
    Some((*line.position(), sans.collect()))
}

/// The position of an occurrence; `None` if its game has changed.
pub(crate) fn position_of(database: &dyn Database, found: &Occurrence) -> Option<Position> {
    match found.variation {
        0 => at(database, found.game, found.ply).map(|(position, _)| position),
        _ => reach(database, found).map(|(position, _)| position),
    }
}

/// The moves that lead to an occurrence, as SAN; none if its game has changed.
pub fn line_of(database: &dyn Database, found: &Occurrence) -> Vec<String> {
    let reached = reach(database, found);
    let sans = reached.into_iter().flat_map(|(_, sans)| sans);
    sans.map(|san| san.to_string()).collect()
}
