//! Sums of results, ratings and years over several games.

use super::facts::{Facts, eco_of};
use chessdb::board::Color;
use chessdb::game::{Eco, Outcome};

/// Sums over games. The sums of two disjoint sets of games add up to the sum over both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of games.
    pub games: u32,
    /// Number of games won by White.
    pub white: u32,
    /// Number of draws.
    pub draws: u32,
    /// Number of games won by Black.
    pub black: u32,
    /// Year of the first of the games; `None` if no year is known.
    pub first: Option<u16>,
    /// Year of the last of the games.
    pub last: Option<u16>,
    /// Number and sum of the ratings of the side to move.
    elo: (u32, u64),
    /// Games with a result and a rating of the opponent: their number, the sum of these ratings, and twice
    /// the points of the side to move.
    rated: (u32, u64, u32),
    /// Number of games by [`Facts::eco`], without 0, sorted by code.
    codes: Vec<(u16, u32)>,
}

impl Tally {
    /// Adds a game in which `mover` was to move.
    pub fn add(&mut self, facts: Facts, mover: Color) {
        self.games += 1;
        let (own, other) = match mover {
            Color::White => (facts.white_elo(), facts.black_elo()),
            Color::Black => (facts.black_elo(), facts.white_elo()),
        };
        let half_points = match facts.outcome() {
            Outcome::Unknown => None,
            Outcome::Draw => Some(1),
            Outcome::WhiteWins => Some(mover.fold_wb(2, 0)),
            Outcome::BlackWins => Some(mover.fold_wb(0, 2)),
        };
        match facts.outcome() {
            Outcome::Unknown => {}
            Outcome::WhiteWins => self.white += 1,
            Outcome::BlackWins => self.black += 1,
            Outcome::Draw => self.draws += 1,
        }
        if let Some(own) = own {
            self.elo.0 += 1;
            self.elo.1 += u64::from(own);
        }
        if let (Some(other), Some(half_points)) = (other, half_points) {
            self.rated.0 += 1;
            self.rated.1 += u64::from(other);
            self.rated.2 += half_points;
        }
        let year = Some(facts.date().year).filter(|&year| year != 0);
        self.first = earliest(self.first, year);
        self.last = self.last.max(year);
        if facts.eco() != 0 {
            self.add_code(facts.eco(), 1);
        }
    }

    /// Adds the games of another tally.
    pub fn merge(&mut self, other: &Tally) {
        self.games += other.games;
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        self.elo.0 += other.elo.0;
        self.elo.1 += other.elo.1;
        self.rated.0 += other.rated.0;
        self.rated.1 += other.rated.1;
        self.rated.2 += other.rated.2;
        self.first = earliest(self.first, other.first);
        self.last = self.last.max(other.last);
        for &(code, games) in &other.codes {
            self.add_code(code, games);
        }
    }

    fn add_code(&mut self, code: u16, games: u32) {
        match self.codes.binary_search_by_key(&code, |(code, _)| *code) {
            Ok(place) => self.codes[place].1 += games,
            Err(place) => self.codes.insert(place, (code, games)),
        }
    }

    /// All numbers, as read by [`Tally::of_numbers`].
    pub(super) fn numbers(&self) -> Vec<u64> {
        let year = |year: Option<u16>| u64::from(year.unwrap_or(0));
        let mut numbers = vec![
            self.games.into(),
            self.white.into(),
            self.draws.into(),
            self.black.into(),
            year(self.first),
            year(self.last),
            self.elo.0.into(),
            self.elo.1,
            self.rated.0.into(),
            self.rated.1,
            self.rated.2.into(),
            self.codes.len() as u64,
        ];
        for &(code, games) in &self.codes {
            numbers.extend([u64::from(code), games.into()]);
        }
        numbers
    }

    /// Restores a tally from its [`numbers`](Tally::numbers); `None` if one is missing or too large.
    pub(super) fn of_numbers(mut next: impl FnMut() -> Option<u64>) -> Option<Tally> {
        let mut number = || u32::try_from(next()?).ok();
        let mut tally = Tally {
            games: number()?,
            white: number()?,
            draws: number()?,
            black: number()?,
            ..Tally::default()
        };
        let mut year = || Some(Some(u16::try_from(next()?).ok()?).filter(|&year| year != 0));
        tally.first = year()?;
        tally.last = year()?;
        tally.elo = (next()?.try_into().ok()?, next()?);
        tally.rated = (next()?.try_into().ok()?, next()?, next()?.try_into().ok()?);
        for _ in 0..next()? {
            tally
                .codes
                .push((next()?.try_into().ok()?, next()?.try_into().ok()?));
        }
        Some(tally)
    }

    /// White's points in percent of the games with a result.
    pub fn score(&self) -> Option<f64> {
        let games = self.decided();
        let points = f64::from(self.white) + f64::from(self.draws) / 2.0;
        (games != 0).then(|| 100.0 * points / f64::from(games))
    }

    /// Mean rating of the side to move.
    pub fn elo(&self) -> Option<u32> {
        let (games, sum) = self.elo;
        mean(sum, games)
    }

    /// Number of games with a result.
    pub fn decided(&self) -> u32 {
        self.white + self.draws + self.black
    }

    /// Mean rating of the other side in games with a result.
    pub fn opponents(&self) -> Option<u32> {
        let (games, sum, _) = self.rated;
        mean(sum, games)
    }

    /// The rating that corresponds to the results of the side to move against opponents of known rating, by
    /// FIDE's table.
    pub fn performance(&self) -> Option<i32> {
        let (games, sum, half_points) = self.rated;
        let opponents = mean(sum, games)? as i32;
        let percent = (u64::from(half_points) * 50 + u64::from(games) / 2) / u64::from(games);
        Some(opponents + difference(percent as usize))
    }

    /// The most frequent opening code, the first one if there are several.
    pub fn eco(&self) -> Option<Eco> {
        let most = self.codes.iter().map(|(_, games)| games).max()?;
        let (code, _) = self.codes.iter().find(|(_, games)| games == most)?;
        eco_of(*code)
    }
}

fn earliest(one: Option<u16>, other: Option<u16>) -> Option<u16> {
    one.into_iter().chain(other).min()
}

fn mean(sum: u64, games: u32) -> Option<u32> {
    let games = u64::from(games);
    (games != 0).then(|| ((sum + games / 2) / games) as u32)
}

/// FIDE's rating difference for a score of 50 to 100 percent (FIDE Handbook B.02, 8.1a).
const DIFFERENCES: [i32; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175,
    184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444,
    470, 501, 538, 589, 677, 800,
];

fn difference(percent: usize) -> i32 {
    match percent.checked_sub(50) {
        Some(above) => DIFFERENCES.get(above).copied().unwrap_or(800),
        None => -DIFFERENCES[50 - percent],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(outcome: u64, year: u64, eco: u64, white: u64, black: u64) -> Facts {
        Facts(outcome | year << 2 | eco << 25 | white << 34 | black << 46)
    }

    #[test]
    fn sums_of_parts_are_the_sum_of_all() {
        let games = [
            facts(1, 1990, 198, 2700, 2600),
            facts(2, 0, 198, 0, 2500),
            facts(3, 1985, 0, 2400, 0),
            facts(0, 2001, 7, 2300, 2000),
        ];
        let mut all = Tally::default();
        let mut parts = [Tally::default(), Tally::default()];
        for (n, &game) in games.iter().enumerate() {
            all.add(game, Color::White);
            parts[n % 2].add(game, Color::White);
        }
        let [mut sum, other] = parts;
        sum.merge(&other);
        assert_eq!(sum, all);
        assert_eq!((all.games, all.white, all.draws, all.black), (4, 1, 1, 1));
        assert_eq!((all.first, all.last), (Some(1985), Some(2001)));
        assert_eq!((all.score(), all.elo()), (Some(50.0), Some(2467)));
        // One point out of two against 2600 and 2500.
        assert_eq!(all.performance(), Some(2550));
        assert_eq!(all.eco().unwrap().as_str(), "B97");
        assert_eq!(Tally::default().performance(), None);
        let mut numbers = all.numbers().into_iter();
        assert_eq!(Tally::of_numbers(|| numbers.next()), Some(all));
    }

    #[test]
    fn performance_is_that_of_the_side_to_move() {
        let mut tally = Tally::default();
        for _ in 0..3 {
            tally.add(facts(2, 0, 0, 2000, 2200), Color::Black);
        }
        tally.add(facts(1, 0, 0, 2000, 2200), Color::Black);
        // A score of 75 percent is 193 points above the opponents.
        assert_eq!((tally.elo(), tally.performance()), (Some(2200), Some(2193)));
        assert_eq!([0, 25, 50, 99, 100].map(difference), [-800, -193, 0, 677, 800]);
    }

    #[test]
    fn a_score_is_rounded_to_a_percent() {
        let performance = |wins: usize, losses: usize| {
            let mut tally = Tally::default();
            for outcome in std::iter::repeat_n(1, wins).chain(std::iter::repeat_n(2, losses)) {
                tally.add(facts(outcome, 0, 0, 2400, 2000), Color::White);
            }
            tally.performance()
        };
        // 66.7, 33.3, 57.1 and 62.5 percent are 67, 33, 57 and 63: by FIDE's table 125, -125, 50 and 95 points.
        assert_eq!(performance(2, 1), Some(2125));
        assert_eq!(performance(1, 2), Some(1875));
        assert_eq!(performance(4, 3), Some(2050));
        assert_eq!(performance(5, 3), Some(2095));
    }
}
