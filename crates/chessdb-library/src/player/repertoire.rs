//! Moves that a player has taken up or given up.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use chessdb::board::{EnPassantMode, Move, PackedMove, Position};

use crate::lines::{LineStep, follow};
use crate::positions::DatabasePart;
use crate::query::PlayerGame;
use crate::task;

/// Half-moves of a game that count as its opening.
const LONGEST_OPENING: u32 = 40;

/// Number of earlier games with a move that are needed before it counts as given up.
const FEW: u32 = 3;

/// A move of a player in a position that occurred before and after a day, which was played only before or only after it.
#[derive(Clone, Debug, PartialEq)]
pub struct RepertoireChange {
    /// A game where it was played: the first one after the day, or the last one before.
    pub game: PlayerGame,
    /// The start position of that game.
    pub start: Position,
    /// The moves of that game from there on; this one is the last.
    pub line: Vec<Move>,
    /// Number of games where it was played.
    pub games: u32,
    /// Number of games that had the position before the day, and after it.
    pub occurred: (u32, u32),
}

/// A choice of the player in a game.
struct OwnMove {
    key: u64,
    /// The place of the game.
    game: u32,
    ply: u32,
    mv: PackedMove,
}

/// A change, and where the move was played.
struct FoundChange {
    /// The place of the game.
    game: u32,
    ply: u32,
    games: u32,
    occurred: (u32, u32),
}

/// The moves that were played in new games and in no old ones, and those that were played in at least [`FEW`] old games
/// and in no new ones, each the most frequent first, and at most `most` of each.
pub(super) fn changes(
    parts: &[DatabasePart],
    old: &[PlayerGame],
    new: &[PlayerGame],
    most: usize,
) -> (Vec<RepertoireChange>, Vec<RepertoireChange>) {
    let games = &[old, new].concat();
    let since = old.len();
    let mut moves = Vec::new();
    for (place, played) in (0..).zip(games) {
        task::check();
        if let Some(part) = parts.get(played.part) {
            append(&mut moves, part, played, place);
        }
    }
    moves.sort_unstable_by_key(|own| (own.key, own.game, own.ply));
    // A game counts where it has the position first.
    moves.dedup_by_key(|own| (own.key, own.game));
    let (mut new, mut given_up) = (Vec::new(), Vec::new());
    for position in moves.chunk_by_mut(|a, b| a.key == b.key) {
        let before = position.partition_point(|own| (own.game as usize) < since) as u32;
        let occurred = (before, position.len() as u32 - before);
        if occurred.0 == 0 || occurred.1 == 0 {
            continue;
        }
        position.sort_by_key(|own| own.mv);
        for same in position.chunk_by(|a, b| a.mv == b.mv) {
            let (Some(first), Some(last)) = (same.first(), same.last()) else {
                continue;
            };
            let change = |own: &OwnMove| FoundChange {
                game: own.game,
                ply: own.ply,
                games: same.len() as u32,
                occurred,
            };
            if first.game as usize >= since {
                new.push(change(first));
            } else if (last.game as usize) < since && same.len() as u32 >= FEW {
                given_up.push(change(last));
            }
        }
    }
    let shown = |mut found: Vec<FoundChange>| {
        found.sort_by_key(|change| {
            let all = change.occurred.0 + change.occurred.1;
            (Reverse((change.games, all)), change.ply, change.game)
        });
        found.truncate(most);
        let changes = found.iter().filter_map(|change| change.with_line(parts, games));
        changes.collect()
    };
    (shown(new), shown(given_up))
}

/// Appends the moves of the player in a game.
fn append(moves: &mut Vec<OwnMove>, part: &DatabasePart, played: &PlayerGame, place: u32) {
    follow(part.database(), played.game, |step| {
        let LineStep::Ply(ply) = step else {
            return ControlFlow::Continue(());
        };
        if ply.number >= LONGEST_OPENING {
            return ControlFlow::Break(());
        }
        let before = ply.before();
        if before.turn() == played.color && ply.mv != Move::Null {
            moves.push(OwnMove {
                key: before.key_with(EnPassantMode::Legal),
                game: place,
                ply: ply.number,
                mv: PackedMove::new(ply.mv),
            });
        }
        ControlFlow::Continue(())
    });
}

impl FoundChange {
    fn with_line(&self, parts: &[DatabasePart], games: &[PlayerGame]) -> Option<RepertoireChange> {
        let game = *games.get(self.game as usize)?;
        let part = parts.get(game.part)?;
        let mut line = Vec::new();
        let mut start = None;
        follow(part.database(), game.game, |step| match step {
            LineStep::Start(position) => {
                start = Some(*position);
                ControlFlow::Continue(())
            }
            LineStep::Ply(ply) => {
                line.push(ply.mv);
                if ply.number == self.ply {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
        });
        Some(RepertoireChange {
            game,
            start: start?,
            line,
            games: self.games,
            occurred: self.occurred,
        })
    }
}
