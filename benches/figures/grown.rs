//! A database of many games made of one of fewer: each is a real game up to a random ply, and goes on with random legal
//! moves from there.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::board::{Bitboard, Move, Position, Role};
use chessdb::game::Tags;
use chessdb::replay::{Limits, MainLine, Origin, Ply, Replay};
use chessdb::{Database, Decoded, Info, Keys, TextId};

/// Fewest moves of a real game that are kept.
const KEPT: u64 = 6;
/// The others are up to this.
const MOST_KEPT: u64 = 80;
/// Number of moves with which a game ends that was cut.
const PLIES: u32 = 80;
/// Tries to find a random legal move; where none is found the game ends.
const TRIES: usize = 200;

/// The games of `base`, and after them others up to `games`.
pub struct Grown {
    pub base: Arc<dyn Database>,
    pub games: u32,
}

impl Grown {
    fn of_base(&self, game: u32) -> u32 {
        game % self.base.len()
    }
}

impl Database for Grown {
    fn len(&self) -> u32 {
        self.games
    }

    fn keys(&self, game: u32) -> Keys {
        self.base.keys(self.of_base(game))
    }

    fn text(&self, id: TextId) -> String {
        self.base.text(id)
    }

    fn tags(&self, game: u32) -> Tags {
        self.base.tags(self.of_base(game))
    }

    /// The real game, uncut: only main lines are cut.
    fn game(&self, game: u32) -> Decoded {
        self.base.game(self.of_base(game))
    }

    fn main_line(&self, game: u32, each: &mut dyn FnMut(&Ply<'_>) -> ControlFlow<()>) {
        let base = self.of_base(game);
        if game == base {
            return self.base.main_line(base, each);
        }
        let mut random = Random(u64::from(game));
        let kept = KEPT + random.below(MOST_KEPT - KEPT);
        let mut moves = Vec::with_capacity(kept as usize);
        let mut start = Position::initial();
        self.base.main_line(base, &mut |ply| {
            if ply.number == 0 {
                start = ply.before();
            }
            moves.push(ply.mv);
            if (moves.len() as u64) < kept {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        let mut replay = Replay::new(MainLine(each), start, (), Limits::NONE, Origin::default());
        for mv in moves {
            if replay.play(mv).is_err() || replay.is_done() {
                return;
            }
        }
        for _ in kept as u32..PLIES {
            let played = (0..TRIES).any(|_| {
                let mv = random_move(replay.position(), &mut random);
                mv.is_some_and(|mv| replay.play(mv).is_ok())
            });
            if !played || replay.is_done() {
                return;
            }
        }
    }

    fn info(&self) -> Info {
        self.base.info()
    }
}

/// A move that a piece might make, legal or not.
fn random_move(position: &Position, random: &mut Random) -> Option<Move> {
    let us = position.turn();
    let from = random.of(position.pieces(us))?;
    let role = position.role_at(from)?;
    let targets = match role {
        Role::Pawn => {
            let steps = us.fold_wb(8, -8);
            let ahead = [steps, 2 * steps]
                .into_iter()
                .filter_map(|steps| from.offset(steps));
            ahead
                .map(Bitboard::from_square)
                .fold(position.attacks_from(role, from), |all, one| all | one)
        }
        _ => position.attacks_from(role, from),
    };
    Some(Move::normal(from, random.of(targets & !position.pieces(us))?))
}

/// Numbers that look random.
pub struct Random(pub u64);

impl Random {
    /// A number below another one.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 33) % limit
    }

    fn of(&mut self, squares: Bitboard) -> Option<chessdb::board::Square> {
        match squares.count() as u64 {
            0 => None,
            count => squares.into_iter().nth(self.below(count) as usize),
        }
    }
}
