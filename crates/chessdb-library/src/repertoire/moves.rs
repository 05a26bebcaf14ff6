//! The moves of a repertoire, sorted by the keys of their positions.

use chessdb::board::{Bitboard, Color, EnPassantMode, Move, PackedMove, Position, Rank, Role};
use chessdb::game::Token;

use super::Repertoire;
use crate::library::LibraryEntry;
use crate::lines::BranchingLine;
use crate::parallel::chunks_of;
use crate::task;

/// Moves by the keys of positions. Positions with the same key are taken for one: among ten million, two have the same
/// by chance once in 300,000 times.
#[derive(Debug, Default)]
pub(crate) struct MovesByPosition {
    /// In ascending order; one for each move.
    keys: Vec<u64>,
    moves: Vec<PackedMove>,
    /// The positions without moves, in ascending order, too.
    ends: Vec<u64>,
    /// How far they get.
    reach: Reach,
    /// A bit set over the last bits of each key, which excludes most positions without a search.
    filter: Vec<u64>,
}

/// Number of games that a thread reads at a time.
const FEW: u32 = 64;

/// Number of games after which the moves read so far are sorted and duplicates removed.
const MANY: u32 = 1 << 16;

/// Bits of the filter for each position. With 16, at most one in sixteen positions that are not in the repertoire needs
/// a search.
const BITS: usize = 16;

/// A position with a move, or with `None` at the end of a line.
type MoveAtKey = (u64, Option<PackedMove>);

impl MovesByPosition {
    /// Reads the databases of a repertoire.
    pub(super) fn read(repertoire: &Repertoire, has_castling: bool) -> MovesByPosition {
        let (mut steps, mut reach) = (Vec::new(), Reach::default());
        for entry in &repertoire.entries {
            let len = entry.database.len();
            for first in (0..len).step_by(MANY as usize) {
                let number = MANY.min(len - first);
                let parts = chunks_of(FEW, number, repertoire.threads, &|_| (), |games| {
                    let (mut steps, mut reach) = (Vec::new(), Reach::default());
                    for game in games {
                        append(&mut steps, &mut reach, entry, first + game, has_castling);
                    }
                    (sorted(steps), reach)
                });
                for (some, own) in parts {
                    steps.extend(some);
                    reach.join(&own);
                }
                steps = sorted(steps);
            }
        }
        MovesByPosition {
            reach,
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
        self.reach.is_past(position)
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

/// How far pawns have advanced at each number of pieces. A game loses pieces and its pawns advance, so it does not come
/// back to positions with more pieces or fewer steps of pawns.
#[derive(Clone, Debug)]
struct Reach {
    /// The most steps, by the number of pieces; the least number there is if no position has so few.
    most: [i16; 65],
}

impl Default for Reach {
    fn default() -> Reach {
        Reach { most: [i16::MIN; 65] }
    }
}

impl Reach {
    fn add(&mut self, position: &Position) {
        let (pieces, steps) = (position.occupied().count(), steps_of_pawns(position));
        for most in self.most.iter_mut().skip(pieces) {
            *most = steps.max(*most);
        }
    }

    fn join(&mut self, other: &Reach) {
        for (own, other) in self.most.iter_mut().zip(other.most) {
            *own = other.max(*own);
        }
    }

    fn is_past(&self, position: &Position) -> bool {
        let most = self.most.get(position.occupied().count()).copied();
        let Some(most) = most.filter(|&most| most > i16::MIN) else {
            return true;
        };
        steps_of_pawns(position) > most
    }
}

/// How many ranks all pawns have advanced. A missing pawn counts six, one more than a pawn can advance.
fn steps_of_pawns(position: &Position) -> i16 {
    let mut steps = 0;
    for color in Color::ALL {
        let pawns = position.of_kind(color, Role::Pawn);
        steps += 6 * (8 - pawns.count() as i16);
        for (advanced, rank) in (1..).zip(3..8) {
            let rank = color.relative_rank(Rank::new(rank - 1));
            steps += advanced * (pawns & Bitboard::from_rank(rank)).count() as i16;
        }
    }
    steps
}

/// Appends the moves of a game with all its variations, and records in `reach` how far it gets.
fn append(
    steps: &mut Vec<MoveAtKey>,
    reach: &mut Reach,
    entry: &LibraryEntry,
    number: u32,
    has_castling: bool,
) {
    task::check();
    if entry.database.keys(number).deleted {
        return;
    }
    let game = entry.database.game(number).game;
    let Some(start) = game.start() else { return };
    let mut line = BranchingLine::new(start);
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
            reach.add(line.position());
        }
    }
    reach.add(line.position());
    steps.push((key(line.position()), None));
}

/// Each step once, in ascending order. Steps that are mostly in order are sorted fast.
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

#[cfg(test)]
mod tests {
    use super::*;

    use chessdb::board::Undo;

    #[test]
    fn pawns_never_step_back() {
        let mut random = testkit::Random(5);
        for _ in 0..300 {
            let mut position = Position::initial();
            let mut reach = Reach::default();
            let mut all = vec![position];
            for _ in 0..200 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let before = steps_of_pawns(&position);
                position
                    .advance(random.pick(&moves), &mut Undo::default())
                    .unwrap();
                assert!(steps_of_pawns(&position) >= before);
                all.push(position);
            }
            // No position is past itself.
            reach.add(all.last().unwrap());
            assert!(all.iter().all(|position| !reach.is_past(position)));
        }
    }

    #[test]
    fn what_has_gone_further_is_past() {
        let position = |fen: &str| chessdb::board::Fen::parse(fen).unwrap().position;
        let mut reach = Reach::default();
        reach.add(&position("4k3/4p3/8/8/4P3/8/8/4K3 w - - 0 1"));
        for (fen, is_past) in [
            ("4k3/4p3/8/8/4P3/8/8/4K3 b - - 0 1", false),
            ("4k3/4p3/8/8/8/4P3/8/4K3 w - - 0 1", false),
            ("4k3/8/8/4p3/8/8/4P3/4K3 w - - 0 1", false),
            ("4k3/4p3/8/4P3/8/8/8/4K3 w - - 0 1", true),
            ("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", true),
            ("4k3/4p3/8/8/4P3/8/8/3QK3 w - - 0 1", false),
            ("3qk3/8/4p3/8/4P3/8/8/3QK3 w - - 0 1", true),
        ] {
            assert_eq!(reach.is_past(&position(fen)), is_past, "{fen}");
        }
        assert!(Reach::default().is_past(&Position::initial()));
    }
}
