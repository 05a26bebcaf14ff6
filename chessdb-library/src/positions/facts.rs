//! The data of a game that tables of moves need in addition to its moves, in one integer.

use chessdb::Database;
use chessdb::game::{Date, Eco, Outcome};

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

#[cfg(test)]
mod tests {
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
