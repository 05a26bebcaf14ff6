//! The games of a position that people look at first.

use std::cmp::Reverse;

use super::Facts;

/// The strongest and the latest games of a position that have a result, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotableGames {
    /// The games with the highest [strength](Facts::strength), in this order; of equal ones the latest first.
    pub strongest: Vec<u32>,
    /// The games of the latest days, the last one first; of one day the strongest first.
    pub latest: Vec<u32>,
}

impl NotableGames {
    /// Number of the strongest games that are kept for a popular position.
    pub const STRONGEST: usize = 15;
    /// Number of the latest games that are kept.
    pub const LATEST: usize = 8;

    /// The greatest of some games.
    pub(super) fn of(games: impl Iterator<Item = (u32, Facts)>) -> NotableGames {
        let (mut strongest, mut latest) = (Vec::new(), Vec::new());
        for (game, facts) in games.filter(|(_, facts)| facts.is_decided()) {
            strongest.push((facts.strength(), facts.day(), game));
            keep_greatest(&mut strongest, NotableGames::STRONGEST, SLACK, |&key| key);
            latest.push((facts.day(), facts.strength(), game));
            keep_greatest(&mut latest, NotableGames::LATEST, SLACK, |&key| key);
        }
        keep_greatest(&mut strongest, NotableGames::STRONGEST, 0, |&key| key);
        keep_greatest(&mut latest, NotableGames::LATEST, 0, |&key| key);
        let games = |keys: Vec<(u32, u32, u32)>| keys.into_iter().map(|(.., game)| game).collect();
        NotableGames {
            strongest: games(strongest),
            latest: games(latest),
        }
    }
}

/// Items beyond those that are kept, between two times of sorting.
pub(crate) const SLACK: usize = 64;

/// Sorts items, the greatest first, and keeps `most` of them, as soon as there are more than `slack` beyond these; without
/// slack in any case.
pub(crate) fn keep_greatest<T, K: Ord>(items: &mut Vec<T>, most: usize, slack: usize, key: impl Fn(&T) -> K) {
    if items.len() > most + slack || slack == 0 {
        items.sort_unstable_by_key(|item| Reverse(key(item)));
        items.truncate(most);
    }
}
