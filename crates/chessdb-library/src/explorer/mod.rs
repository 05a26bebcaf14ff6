//! The opening explorer: the moves played in a position with their results, and the strongest and latest games.
//!
//! Games without a result count only for the mean rating of a move, and null moves do not count.

mod filter;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chessdb::Database;
use chessdb::board::{Color, Move, Position, Uci, Undo};
use chessdb::game::{Outcome, Tags};

use crate::lines::Occurrence;
use crate::parallel::chunks_of;
use crate::positions::{
    Answers, DatabasePart, Facts, Pattern, PopularPosition, SLACK, Tally, keep_greatest, occurrence,
};

pub use crate::time_control::Speed;
pub use filter::{ExplorerFilter, group};

/// Number of games that a thread takes at a time.
const FEW: u32 = 4096;

/// What was played in a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explored {
    /// All games that have the position.
    pub all: Results,
    /// The moves, the most frequent first; moves of the same frequency are sorted by UCI.
    pub moves: Vec<ExploredMove>,
    /// The games with the highest sums of ratings, in this order.
    pub strongest: Vec<ExploredGame>,
    /// The latest games, the last one first.
    pub latest: Vec<ExploredGame>,
    /// Results by month, if the caller wants them. Games with an unknown month count in no month.
    pub months: BTreeMap<(u16, u8), Results>,
}

/// Results of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Games won by White.
    pub white: u32,
    /// Draws.
    pub draws: u32,
    /// Games won by Black.
    pub black: u32,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct ExploredMove {
    /// The move.
    pub mv: Move,
    /// In the notation of UCI; castling is the king taking its rook.
    pub uci: String,
    /// Its SAN.
    pub san: String,
    /// The games.
    pub tally: Tally,
    /// The game, if it is only one.
    pub game: Option<u32>,
}

/// A game that has the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExploredGame {
    /// Its number among the games of all parts.
    pub game: u32,
    /// The move that was played in the position.
    pub next: Option<Move>,
    facts: Facts,
}

impl ExploredGame {
    fn by_strength(&self) -> (u32, u32, u32) {
        (self.facts.strength(), self.facts.day(), self.game)
    }

    fn by_day(&self) -> (u32, u32, u32) {
        (self.facts.day(), self.facts.strength(), self.game)
    }
}

/// How much of an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExplorerLimits {
    /// Number of moves.
    pub moves: usize,
    /// Number of the strongest games.
    pub strongest: usize,
    /// Number of the latest games.
    pub latest: usize,
    /// True if results by month are wanted, which takes reading all games.
    pub months: bool,
    /// The side whose ratings, opponents and performance the moves have; `None` for the side to move.
    pub side: Option<Color>,
}

impl Results {
    /// Number of games.
    pub fn games(self) -> u32 {
        self.white + self.draws + self.black
    }

    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::WhiteWins => self.white += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::BlackWins => self.black += 1,
            Outcome::Unknown => {}
        }
    }

    fn merge(&mut self, other: Results) {
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
    }
}

impl Explored {
    /// What was played in a position. `None` if a part has no index and is not scanned. Calls `so_far` after each part
    /// but the last with a function that returns the sums of the parts done so far.
    ///
    /// Ends when its work is [cancelled](crate::task).
    pub fn find(
        answers: &Answers,
        pattern: &Pattern,
        filter: &ExplorerFilter,
        limits: ExplorerLimits,
        mut so_far: impl FnMut(&dyn Fn() -> Explored),
    ) -> Option<Explored> {
        let mover = pattern.position().turn();
        let side = limits.side.unwrap_or(mover);
        let mut sums = Sums::default();
        // An index stores sums for the side to move.
        let is_stored = filter.is_all() && limits.are_stored() && side == mover;
        for (part, done) in answers.parts().iter().zip(0..) {
            if done > 0 {
                so_far(&|| sums.clone().explored(pattern.position(), limits));
            }
            let popular = is_stored.then(|| part.popular(pattern, answers.options()));
            let stored = popular
                .flatten()
                .and_then(|popular| Sums::stored(part, &popular, pattern));
            if let Some(stored) = stored {
                sums.merge(stored, limits);
                continue;
            }
            let found = part.find_with_facts(pattern, answers.options())?;
            let chunks = chunks_of(
                FEW,
                found.len() as u32,
                answers.options().threads,
                &|_| (),
                |places| {
                    let found = found
                        .get(places.start as usize..places.end as usize)
                        .unwrap_or_default();
                    Sums::of(part, found, side, filter, limits)
                },
            );
            chunks.into_iter().for_each(|chunk| sums.merge(chunk, limits));
        }
        Some(sums.explored(pattern.position(), limits))
    }
}

impl ExplorerLimits {
    /// True if the answer follows from what an index stores about popular positions.
    fn are_stored(&self) -> bool {
        !self.months && self.strongest <= PopularPosition::STRONGEST && self.latest <= PopularPosition::LATEST
    }
}

/// Sums over some games.
#[derive(Clone, Default)]
struct Sums {
    all: Results,
    /// Each move with its games, and the last of these games that has a result.
    moves: Vec<(Move, Tally, Option<u32>)>,
    strongest: Vec<ExploredGame>,
    latest: Vec<ExploredGame>,
    months: BTreeMap<(u16, u8), Results>,
}

impl Sums {
    /// The sums over all games of a part that have a popular position. `None` if a move has a game with a result and
    /// others without, because the index does not store which of them has the result.
    fn stored(part: &DatabasePart, popular: &PopularPosition, pattern: &Pattern) -> Option<Sums> {
        let database = part.database();
        let mut sums = Sums::default();
        for row in &popular.table.rows {
            let Tally {
                white, draws, black, ..
            } = row.tally;
            sums.all.merge(Results { white, draws, black });
            let Some(mv) = row.mv.filter(|&mv| mv != Move::Null && row.tally.games > 0) else {
                continue;
            };
            let only = match (row.tally.decided(), row.tally.games) {
                (1, 1) => Some(part.first.saturating_add(row.game?)),
                (1, _) => return None,
                _ => None,
            };
            sums.moves.push((mv, row.tally.clone(), only));
        }
        let explored = |games: &[u32]| {
            let games = games.iter().filter(|&&game| game < database.len());
            let explored = games.filter_map(|&game| {
                let next = occurrence(database, game, pattern)?.next;
                Some(ExploredGame {
                    game: part.first.saturating_add(game),
                    next: next.filter(|&mv| mv != Move::Null),
                    facts: Facts::of(database, game),
                })
            });
            explored.collect()
        };
        sums.strongest = explored(&popular.strongest);
        sums.latest = explored(&popular.latest);
        Some(sums)
    }

    fn of(
        part: &DatabasePart,
        found: &[(Occurrence, Facts)],
        side: Color,
        filter: &ExplorerFilter,
        limits: ExplorerLimits,
    ) -> Sums {
        let database = part.database();
        let mut sums = Sums::default();
        for &(found, facts) in found {
            if !filter.has(database, found.game, facts) {
                continue;
            }
            let game = part.first.saturating_add(found.game);
            let next = found.next.filter(|&mv| mv != Move::Null);
            let outcome = facts.outcome();
            if let Some(mv) = next {
                let decided = (outcome != Outcome::Unknown).then_some(game);
                sums.tally_of(mv, decided).add(facts, side);
            }
            if outcome == Outcome::Unknown {
                continue;
            }
            sums.all.add(outcome);
            let date = facts.date();
            if limits.months && date.month != 0 {
                sums.months
                    .entry((date.year, date.month))
                    .or_default()
                    .add(outcome);
            }
            let found = ExploredGame { game, next, facts };
            sums.strongest.push(found);
            sums.latest.push(found);
            sums.trim(limits, SLACK);
        }
        sums.trim(limits, 0);
        sums
    }

    fn tally_of(&mut self, mv: Move, decided: Option<u32>) -> &mut Tally {
        let place = self.moves.iter().position(|(other, ..)| *other == mv);
        let place = place.unwrap_or_else(|| {
            self.moves.push((mv, Tally::default(), None));
            self.moves.len() - 1
        });
        let (_, tally, last) = &mut self.moves[place];
        *last = decided.or(*last);
        tally
    }

    fn merge(&mut self, other: Sums, limits: ExplorerLimits) {
        self.all.merge(other.all);
        for (mv, tally, last) in other.moves {
            self.tally_of(mv, last).merge(&tally);
        }
        for (month, results) in other.months {
            self.months.entry(month).or_default().merge(results);
        }
        self.strongest.extend(other.strongest);
        self.latest.extend(other.latest);
        self.trim(limits, 0);
    }

    /// Drops all but the first games, once there are `slack` more than are wanted.
    fn trim(&mut self, limits: ExplorerLimits, slack: usize) {
        keep_greatest(
            &mut self.strongest,
            limits.strongest,
            slack,
            ExploredGame::by_strength,
        );
        keep_greatest(&mut self.latest, limits.latest, slack, ExploredGame::by_day);
    }

    fn explored(mut self, position: &Position, limits: ExplorerLimits) -> Explored {
        self.trim(limits, 0);
        let moves = self.moves.into_iter().filter(|(_, tally, _)| tally.decided() > 0);
        let moves = moves.filter_map(|(mv, tally, last)| {
            let san = { *position }.play_legal(mv, &mut Undo::default()).ok()?;
            let uci = Uci {
                position,
                mv,
                is_chess960: true,
            };
            Some(ExploredMove {
                mv,
                uci: uci.to_string(),
                san: san.to_string(),
                game: last.filter(|_| tally.decided() == 1),
                tally,
            })
        });
        let mut moves: Vec<ExploredMove> = moves.collect();
        moves.sort_unstable_by(|a, b| {
            let games = |explored: &ExploredMove| Reverse(explored.tally.decided());
            games(a).cmp(&games(b)).then_with(|| a.uci.cmp(&b.uci))
        });
        moves.truncate(limits.moves);
        Explored {
            all: self.all,
            moves,
            strongest: self.strongest,
            latest: self.latest,
            months: self.months,
        }
    }
}

/// What the explorer shows about a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameCard {
    /// White's name and rating, 0 if it is unknown.
    pub white: (String, u16),
    /// Black's name and rating.
    pub black: (String, u16),
    /// The result.
    pub outcome: Outcome,
    /// The year; 0 if it is unknown.
    pub year: u16,
    /// The month; 0 if it is unknown.
    pub month: u8,
    /// How fast it is.
    pub speed: Speed,
    /// False if its event says that it is casual.
    pub is_rated: bool,
    /// The address of the game, if it is one on Lichess.
    pub lichess: Option<String>,
}

/// The start of the addresses of games on Lichess.
const LICHESS: &str = "https://lichess.org/";

impl GameCard {
    /// Reads the tags of a game.
    pub fn of(database: &dyn Database, game: u32) -> GameCard {
        let (tags, facts) = (database.tags(game), Facts::of(database, game));
        let name = |tag| tags.get(tag).unwrap_or("?").to_owned();
        GameCard {
            white: (name("White"), facts.white_elo().unwrap_or(0)),
            black: (name("Black"), facts.black_elo().unwrap_or(0)),
            outcome: facts.outcome(),
            year: facts.date().year,
            month: facts.date().month,
            speed: Speed::of(&tags),
            is_rated: filter::is_rated(&tags),
            lichess: lichess_id(&tags),
        }
    }
}

/// The eight characters that identify a game on Lichess. An address may have four more, which select the player's side.
pub fn lichess_id(tags: &Tags) -> Option<String> {
    let address = tags.get("Site")?.strip_prefix(LICHESS)?;
    let end = address.find(['/', '?', '#']).unwrap_or(address.len());
    let (name, rest) = address.split_at(end);
    let is_side = |rest: &str| {
        matches!(
            rest.split(['?', '#']).next(),
            Some("" | "/" | "/white" | "/black")
        )
    };
    let is_id = matches!(name.len(), 8 | 12) && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // These pages have names of eight letters as well, but are not games.
    let is_page = ["training", "analysis", "practice", "streamer", "insights"].contains(&name);
    (is_id && is_side(rest) && !is_page).then(|| name[..8].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_games_have_an_id() {
        for (site, id) in [
            ("https://lichess.org/abcd1234", Some("abcd1234")),
            ("https://lichess.org/abcd1234WXYZ", Some("abcd1234")),
            ("https://lichess.org/abcd1234/black", Some("abcd1234")),
            ("https://lichess.org/abcd1234#20", Some("abcd1234")),
            ("https://lichess.org/abcd1234?pov=x", Some("abcd1234")),
            ("https://lichess.org/abcd1234/black#20", Some("abcd1234")),
            ("https://lichess.org/broadcast/a/b/abcdefgh", None),
            ("https://lichess.org/tournament/abcd1234", None),
            ("https://lichess.org/training/abcde", None),
            ("https://lichess.org/analysis", None),
            ("https://lichess.org/abcd1234/pgn", None),
            ("https://lichess.org/abcd123", None),
            ("https://lichess.org/abcd12345", None),
            ("https://lichess.org/abcd-234", None),
            ("https://lichess.org/", None),
            ("lichess.org/abcd1234", None),
        ] {
            let mut tags = Tags::new(Outcome::Unknown);
            tags.set("Site", site);
            assert_eq!(lichess_id(&tags).as_deref(), id, "{site}");
        }
    }
}
