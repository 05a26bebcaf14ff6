//! The moves of a repertoire, sorted by the keys of the positions in which they are played.

use chessdb::board::{Bitboard, EnPassantMode, Move, PackedMove, Position};
use chessdb::game::Token;

use super::Repertoire;
use crate::cancel;
use crate::library::{LibraryEntry, decoded};
use crate::parallel::chunks_of;
use crate::positions::BranchingLine;

/// Moves by the keys of positions. Positions with the same key are taken for one: among ten million, two have the same
/// by chance once in 300,000 times.
#[derive(Debug, Default)]
pub(crate) struct MovesByPosition {
    /// In ascending order; one for each move.
    keys: Vec<u64>,
    moves: Vec<PackedMove>,
    /// The positions without moves, likewise.
    ends: Vec<u64>,
    /// The fewest pieces in one of the positions.
    pieces: u32,
    /// Has a bit for the last bits of each key, so that most other positions are not searched for.
    filter: Vec<u64>,
}

/// Number of games that a thread reads at a time.
const FEW: u32 = 64;

/// Number of games after which what was read is sorted, so that a position is there once.
const MANY: u32 = 1 << 16;

/// Bits of the filter for each position.
const BITS: usize = 16;

/// A position with a move, or with `None` at the end of a line.
type MoveAtKey = (u64, Option<PackedMove>);

impl MovesByPosition {
    /// Reads the databases of a repertoire.
    pub(super) fn read(repertoire: &Repertoire, has_castling: bool) -> MovesByPosition {
        let (mut steps, mut pieces) = (Vec::new(), u32::MAX);
        for entry in &repertoire.entries {
            let len = entry.database.len();
            for first in (0..len).step_by(MANY as usize) {
                let number = MANY.min(len - first);
                let parts = chunks_of(FEW, number, repertoire.threads, &|_| (), |games| {
                    let (mut steps, mut pieces) = (Vec::new(), u32::MAX);
                    for game in games {
                        pieces = pieces.min(append(&mut steps, entry, first + game, has_castling));
                    }
                    (sorted(steps), pieces)
                });
                for (some, fewest) in parts {
                    steps.extend(some);
                    pieces = pieces.min(fewest);
                }
                steps = sorted(steps);
            }
        }
        MovesByPosition {
            pieces,
            ..MovesByPosition::new(steps)
        }
    }

    fn new(steps: Vec<MoveAtKey>) -> MovesByPosition {
        let bits = (steps.len() * BITS).next_power_of_two().max(64);
        let mut all = MovesByPosition {
            filter: vec![0; bits / 64],
            ..MovesByPosition::default()
        };
        for (key, mv) in steps {
            let bit = key as usize & (bits - 1);
            if let Some(word) = all.filter.get_mut(bit / 64) {
                *word |= 1 << (bit % 64);
            }
            match mv {
                Some(mv) => {
                    all.keys.push(key);
                    all.moves.push(mv);
                }
                None => all.ends.push(key),
            }
        }
        all
    }

    /// The moves in the position with a key.
    #[inline]
    pub(crate) fn of(&self, key: u64) -> &[PackedMove] {
        if !self.may_have(key) {
            return &[];
        }
        let start = self.keys.partition_point(|&own| own < key);
        let rest = self.keys.get(start..).unwrap_or_default();
        let len = rest.iter().take_while(|&&own| own == key).count();
        self.moves.get(start..start + len).unwrap_or_default()
    }

    /// True if no position that a game can reach from this one has moves here.
    #[inline]
    pub(crate) fn is_past(&self, position: &Position) -> bool {
        (position.occupied().count() as u32) < self.pieces
    }

    /// True for the key of a position.
    pub(crate) fn has(&self, key: u64) -> bool {
        self.may_have(key) && (!self.of(key).is_empty() || self.ends.binary_search(&key).is_ok())
    }

    #[inline]
    fn may_have(&self, key: u64) -> bool {
        let bit = key as usize & (self.filter.len() * 64).wrapping_sub(1);
        let word = self.filter.get(bit / 64);
        word.is_some_and(|word| word >> (bit % 64) & 1 != 0)
    }
}

/// Appends the moves of a game with all its variations. Returns the fewest pieces in one of its positions.
fn append(steps: &mut Vec<MoveAtKey>, entry: &LibraryEntry, number: u32, has_castling: bool) -> u32 {
    cancel::check();
    let mut pieces = u32::MAX;
    if entry.database.keys(number).deleted {
        return pieces;
    }
    let game = decoded(&*entry.database, number).game;
    let mut line = BranchingLine::new(game.start());
    let key = |position: &Position| {
        if has_castling {
            key_of(position)
        } else {
            without_castling(position).map_or(0, |position| key_of(&position))
        }
    };
    for &token in game.movetext.tokens() {
        let is_counted = match token {
            Token::Move(_, mv) => has_castling || !matches!(mv.unpack(), Move::Castle(_)),
            _ => false,
        };
        match token {
            Token::Move(_, mv) if is_counted => steps.push((key(line.position()), Some(mv))),
            Token::Move(..) | Token::VariationStart | Token::VariationEnd => {
                steps.push((key(line.position()), None));
            }
            _ => {}
        }
        if !line.read(token) {
            break;
        }
        if matches!(token, Token::Move(..)) {
            pieces = pieces.min(line.position().occupied().count() as u32);
        }
    }
    steps.push((key(line.position()), None));
    pieces
}

/// Each step once, in ascending order. Steps of which most are in order are sorted fast.
fn sorted(mut steps: Vec<MoveAtKey>) -> Vec<MoveAtKey> {
    steps.sort();
    steps.dedup();
    steps
}

/// The key of a position. En passant counts if it is legal.
pub(super) fn key_of(position: &Position) -> u64 {
    position.key_with(EnPassantMode::Legal)
}

/// The same position without castling rights.
fn without_castling(position: &Position) -> Option<Position> {
    let mut setup = position.setup();
    setup.castling_rights = Bitboard::EMPTY;
    Position::from_setup(&setup).ok()
}
