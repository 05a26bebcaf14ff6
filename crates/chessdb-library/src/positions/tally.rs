//! The sums in tables: the facts of a game in one integer, sums of these, and the strongest and latest games.

use std::cmp::Reverse;

use chessdb::Database;
use chessdb::board::Color;
use chessdb::game::{Date, Eco, Outcome};

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
    /// Year of the earliest game; `None` if no year is known.
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
    /// Adds a game where `mover` is to move.
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

    /// The most frequent opening code; the first of several that are equally frequent.
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

/// Result, date, opening code and ratings of a game.
///
/// | bits | content |
/// |---|---|
/// | 0-1 | result: unknown, White wins, Black wins, draw |
/// | 2-15 | year, 0 unknown |
/// | 16-19 | month, 0 unknown |
/// | 20-24 | day, 0 unknown |
/// | 25-33 | opening code: 1 for A00 to 500 for E99, 0 unknown |
/// | 34-45 | White's rating, 0 unknown |
/// | 46-57 | Black's rating, 0 unknown |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(pub(super) u64);

impl Facts {
    /// Reads the data from the tags of a game; decodes no moves.
    pub fn of(database: &dyn Database, game: u32) -> Facts {
        let keys = database.keys(game);
        let ratings = database.ratings(game);
        let outcome = match keys.outcome {
            Outcome::Unknown => 0,
            Outcome::WhiteWins => 1,
            Outcome::BlackWins => 2,
            Outcome::Draw => 3,
        };
        let Date { year, month, day } = keys.date;
        let eco = keys.eco.map_or(0, number_of);
        Facts(
            outcome
                | u64::from(year.min(9999)) << 2
                | u64::from(month.min(12)) << 16
                | u64::from(day.min(31)) << 20
                | eco << 25
                | u64::from(ratings.white.unwrap_or(0)) << 34
                | u64::from(ratings.black.unwrap_or(0)) << 46,
        )
    }

    /// The result.
    pub fn outcome(self) -> Outcome {
        match self.0 & 3 {
            0 => Outcome::Unknown,
            1 => Outcome::WhiteWins,
            2 => Outcome::BlackWins,
            _ => Outcome::Draw,
        }
    }

    /// The day on which the game was played.
    pub fn date(self) -> Date {
        Date {
            year: self.bits(2, 14) as u16,
            month: self.bits(16, 4) as u8,
            day: self.bits(20, 5) as u8,
        }
    }

    /// The number of the opening code: 1 for A00 to 500 for E99, or 0.
    pub(super) fn eco(self) -> u16 {
        self.bits(25, 9) as u16
    }

    /// White's rating; `None` if it is unknown.
    pub fn white_elo(self) -> Option<u16> {
        Some(self.bits(34, 12) as u16).filter(|&elo| elo != 0)
    }

    /// Black's rating; `None` if it is unknown.
    pub fn black_elo(self) -> Option<u16> {
        Some(self.bits(46, 12) as u16).filter(|&elo| elo != 0)
    }

    /// True if the game has a result.
    pub fn is_decided(self) -> bool {
        self.outcome() != Outcome::Unknown
    }

    /// The sum of the known ratings.
    pub fn strength(self) -> u32 {
        let ratings = [self.white_elo(), self.black_elo()];
        ratings.into_iter().flatten().map(u32::from).sum()
    }

    /// The day as a number, which is greater for later days; an unknown month or day comes before the others.
    pub fn day(self) -> u32 {
        let Date { year, month, day } = self.date();
        u32::from(year) << 9 | u32::from(month) << 5 | u32::from(day)
    }

    fn bits(self, first: u32, number: u32) -> u64 {
        self.0 >> first & ((1 << number) - 1)
    }
}

fn number_of(eco: Eco) -> u64 {
    match *eco.as_str().as_bytes() {
        [letter @ b'A'..=b'E', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
            u64::from(letter - b'A') * 100 + u64::from(tens - b'0') * 10 + u64::from(ones - b'0') + 1
        }
        _ => 0,
    }
}

/// The opening code with a number from [`Facts::eco`].
pub(super) fn eco_of(number: u16) -> Option<Eco> {
    let number = number.checked_sub(1)?;
    let digit = |value: u16| b'0' + (value % 10) as u8;
    Eco::new([b'A' + (number / 100) as u8, digit(number / 10), digit(number)])
}

/// Items beyond those that are kept, between two times of sorting, so that not each new item sorts them all.
pub(crate) const SLACK: usize = 64;

/// Sorts items, the greatest first, and keeps `most` of them, but only once there are more than `slack` beyond these:
/// sorting on each insertion would be slow. With no slack, it always sorts.
pub(crate) fn keep_greatest<T, K: Ord>(items: &mut Vec<T>, most: usize, slack: usize, key: impl Fn(&T) -> K) {
    if items.len() > most + slack || slack == 0 {
        items.sort_unstable_by_key(|item| Reverse(key(item)));
        items.truncate(most);
    }
}

#[cfg(test)]
mod tally_tests {
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

#[cfg(test)]
mod facts_tests {
    use super::*;

    #[test]
    fn opening_codes_have_numbers() {
        for (code, number) in [(*b"A00", 1), (*b"B97", 198), (*b"E99", 500), (*b"b97", 0)] {
            assert_eq!(number_of(Eco::new(code).unwrap()), number);
        }
        assert_eq!(eco_of(198), Eco::new(*b"B97"));
        assert_eq!(eco_of(0), None);
    }
}
