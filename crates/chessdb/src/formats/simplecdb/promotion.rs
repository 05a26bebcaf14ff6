//! The meaning of promotion codes, chosen once for each database (section 6.5).

use super::SimpleCdb;
use super::body::{Item, Items, StoredMove};
use super::decode;
use crate::board::Role;

/// A reading of the codes 0 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promotions {
    /// The codes of pgn2dcg and dcg2pgn: 2=N 3=B 4=R 5=Q.
    Reference,
    /// The codes of the description: 1=N 2=B 3=R 4=Q.
    Text,
}

impl Promotions {
    /// The promotion of a code: the outer `None` if the reading does not have the code, the inner `None` for code 0, no
    /// promotion.
    #[inline]
    pub(super) fn role(self, code: usize) -> Option<Option<Role>> {
        if code == 0 {
            return Some(None);
        }
        let first = match self {
            Promotions::Reference => 2,
            Promotions::Text => 1,
        };
        const ROLES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        ROLES.get(code.wrapping_sub(first)).map(|&role| Some(role))
    }

    pub(super) const ALL: [Promotions; 2] = [Promotions::Reference, Promotions::Text];

    /// Name in the option.
    pub(super) fn name(self) -> &'static str {
        match self {
            Promotions::Reference => "reference",
            Promotions::Text => "text",
        }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Promotions::Reference => "reference (2=N 3=B 4=R 5=Q)",
            Promotions::Text => "text (1=N 2=B 3=R 4=Q)",
        }
    }

    /// The reading with this name.
    pub(super) fn named(name: &str) -> Option<Promotions> {
        Promotions::ALL.into_iter().find(|reading| reading.name() == name)
    }
}

/// Number of promotions that is enough to decide.
const ENOUGH: u32 = 64;

/// Chooses the reading of a database by its games.
pub(super) fn choose(database: &SimpleCdb) -> Promotions {
    let sample = Sample::take(database);
    let [_, knight_or_none, c2, c3, c4, queen, ..] = sample.codes;
    if queen != knight_or_none {
        return if queen > knight_or_none {
            Promotions::Reference
        } else {
            Promotions::Text
        };
    }
    // Problems of the tags say nothing about the moves.
    let clean = |promotions| {
        let is_clean = |game: &&u32| {
            let (_, problems) = decode::moves(database, &database.entry(**game), promotions);
            problems.is_empty()
        };
        sample.games.iter().filter(is_clean).count()
    };
    let (reference, text) = (clean(Promotions::Reference), clean(Promotions::Text));
    if reference != text {
        return if reference > text {
            Promotions::Reference
        } else {
            Promotions::Text
        };
    }
    // A queen is by far the commonest promotion.
    if c4 >= 3 && c4 > c2 + c3 {
        Promotions::Text
    } else {
        Promotions::Reference
    }
}

/// Promotions of the first games.
#[derive(Default)]
struct Sample {
    /// Number of occurrences of each code.
    codes: [u32; 8],
    /// The games that contain them.
    games: Vec<u32>,
}

impl Sample {
    fn take(database: &SimpleCdb) -> Sample {
        let mut sample = Sample::default();
        // In undamaged files each byte belongs to one game. The budget limits the cost of an index that
        // points to one long record many times.
        let mut budget = database.records.data_len();
        for game in database.index.games() {
            let counted: u32 = sample.codes.iter().sum();
            if counted >= ENOUGH || budget == 0 {
                break;
            }
            let Ok(record) = database.records.record(database.entry(game).offset) else {
                continue;
            };
            let Ok(parts) = record.parts() else { continue };
            budget = budget.saturating_sub(record.bytes.len() as u64);
            let mut items = Items::new(record.bytes, parts.body);
            while let Ok(Some(item)) = items.next() {
                if let Item::Move(stored) = item
                    && looks_like_promotion(stored)
                    && let Some(count) = sample.codes.get_mut(stored.promotion_code())
                {
                    *count += 1;
                }
            }
            if sample.codes.iter().sum::<u32>() > counted {
                sample.games.push(game);
            }
        }
        sample
    }
}

/// True for a move with a promotion code from the seventh to the last rank that changes the file by one at
/// most.
fn looks_like_promotion(stored: StoredMove) -> bool {
    let (from, to) = (stored.from(), stored.to());
    stored.promotion_code() != 0
        && matches!((from.rank() as u8, to.rank() as u8), (6, 7) | (1, 0))
        && from.file().distance(to.file()) <= 1
}
