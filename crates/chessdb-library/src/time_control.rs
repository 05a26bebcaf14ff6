//! Time controls, and how fast a game is, in the words of Lichess.

use chessdb::game::Tags;

/// How fast a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Speed {
    /// Less than 30 seconds.
    UltraBullet,
    /// Less than 3 minutes.
    Bullet,
    /// Less than 8 minutes.
    Blitz,
    /// Less than 25 minutes.
    Rapid,
    /// More, or unknown.
    Classical,
    /// Days for each move.
    Correspondence,
}

/// The speeds of games against the clock, each with the number of seconds where the next speed starts.
const LIMITS: &[(u64, Speed)] = &[
    (30, Speed::UltraBullet),
    (180, Speed::Bullet),
    (480, Speed::Blitz),
    (1500, Speed::Rapid),
];

/// Number of moves whose increments are counted.
const MOVES: u64 = 40;

/// Seconds of a day. A time control of a day or more a move is correspondence.
const DAY: u64 = 86_400;

/// The first period of a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Number of moves; `None` if it lasts to the end of the game.
    pub moves: Option<u64>,
    /// Seconds for these.
    pub time: u64,
    /// Seconds that each move adds.
    pub increment: u64,
}

impl TimeControl {
    /// Reads the value of the tag (PGN standard, 9.6.1): `300`, `180+2`, `40/7200:3600`, `*180`.
    ///
    /// ```
    /// use chessdb_library::time_control::TimeControl;
    ///
    /// let control = TimeControl::parse("40/5400+30:1800+30").unwrap();
    /// assert_eq!((control.moves, control.time, control.increment), (Some(40), 5400, 30));
    /// ```
    pub fn parse(text: &str) -> Option<TimeControl> {
        let first = text.split(':').next().unwrap_or_default().trim();
        let first = first.strip_prefix('*').unwrap_or(first);
        let (moves, time) = match first.split_once('/') {
            Some((moves, time)) => (Some(moves.parse().ok()?), time),
            None => (None, first),
        };
        let (time, increment) = time.split_once('+').unwrap_or((time, "0"));
        Some(TimeControl {
            moves,
            time: time.parse().ok()?,
            increment: increment.parse().ok()?,
        })
    }
}

impl Speed {
    /// All speeds with their names.
    pub const NAMES: [(Speed, &str); 6] = [
        (Speed::UltraBullet, "ultraBullet"),
        (Speed::Bullet, "bullet"),
        (Speed::Blitz, "blitz"),
        (Speed::Rapid, "rapid"),
        (Speed::Classical, "classical"),
        (Speed::Correspondence, "correspondence"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let mut names = Speed::NAMES.iter();
        names
            .find(|(speed, _)| *speed == self)
            .map_or("", |(_, name)| name)
    }

    /// The speed with this name.
    pub fn named(name: &str) -> Option<Speed> {
        let mut names = Speed::NAMES.iter();
        names.find(|(_, own)| *own == name).map(|&(speed, _)| speed)
    }

    /// The speed of a game with these tags.
    pub fn of(tags: &Tags) -> Speed {
        tags.get("TimeControl")
            .map_or(Speed::Classical, Speed::of_time_control)
    }

    /// The speed of a time control as PGN writes it (standard, 9.6.1), from its first period: the time and 40
    /// increments.
    ///
    /// ```
    /// use chessdb_library::time_control::Speed;
    ///
    /// assert_eq!(Speed::of_time_control("180+2"), Speed::Blitz);
    /// assert_eq!(Speed::of_time_control("40/7200:3600"), Speed::Classical);
    /// assert_eq!(Speed::of_time_control("1/259200"), Speed::Correspondence);
    /// ```
    pub fn of_time_control(text: &str) -> Speed {
        let Some(TimeControl {
            moves,
            time,
            increment,
        }) = TimeControl::parse(text)
        else {
            // Servers write "-" for games without a clock.
            return if text.trim() == "-" {
                Speed::Correspondence
            } else {
                Speed::Classical
            };
        };
        if moves.is_some_and(|moves| moves > 0 && time / moves >= DAY) {
            return Speed::Correspondence;
        }
        let seconds = time.saturating_add(increment.saturating_mul(MOVES));
        let known = LIMITS.iter().find(|(limit, _)| seconds < *limit);
        known.map_or(Speed::Classical, |&(_, speed)| speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_follow_from_time_controls() {
        for (text, speed) in [
            ("29", Speed::UltraBullet),
            ("30", Speed::Bullet),
            ("15+0", Speed::UltraBullet),
            ("0+1", Speed::Bullet),
            ("179", Speed::Bullet),
            ("180", Speed::Blitz),
            ("60+3", Speed::Blitz),
            ("479", Speed::Blitz),
            ("480", Speed::Rapid),
            ("900+10", Speed::Rapid),
            ("1499", Speed::Rapid),
            ("1500", Speed::Classical),
            ("40/5400+30:1800+30", Speed::Classical),
            ("*180", Speed::Blitz),
            ("1/86399", Speed::Classical),
            ("1/86400", Speed::Correspondence),
            ("-", Speed::Correspondence),
            ("?", Speed::Classical),
            ("", Speed::Classical),
            ("G/60", Speed::Classical),
            ("/60", Speed::Classical),
            ("18446744073709551615+18446744073709551615", Speed::Classical),
        ] {
            assert_eq!(Speed::of_time_control(text), speed, "{text}");
        }
    }
}
