//! Which games the explorer counts.

use chessdb::Database;
use chessdb::game::{Date, Tags};

use super::Speed;
use crate::positions::Facts;

/// Lower bounds of the groups of ratings.
const GROUPS: [u16; 9] = [0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500];

/// Which games are counted. The default is all that have a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExplorerFilter {
    /// The first month or, with the month 0, the first year. Games without a year are left out, and games without a
    /// month unless their whole year is counted.
    pub since: Option<(u16, u8)>,
    /// The last month, or the last year.
    pub until: Option<(u16, u8)>,
    /// The speeds; `None` for all.
    pub speeds: Option<Vec<Speed>>,
    /// Groups of the mean of both ratings, by their lower bounds; `None` for all.
    pub ratings: Option<Vec<u16>>,
    /// True for rated games, false for casual ones; `None` for both.
    pub rated: Option<bool>,
}

impl ExplorerFilter {
    /// True if all games are counted.
    pub fn is_all(&self) -> bool {
        *self == ExplorerFilter::default()
    }

    /// True for a game that is counted, provided that it has a result.
    pub(super) fn has(&self, database: &dyn Database, game: u32, facts: Facts) -> bool {
        if !self.has_date(facts.date()) {
            return false;
        }
        let group = || group_of(facts.white_elo(), facts.black_elo());
        if self
            .ratings
            .as_ref()
            .is_some_and(|groups| !groups.contains(&group()))
        {
            return false;
        }
        if self.speeds.is_none() && self.rated.is_none() {
            return true;
        }
        let tags = database.tags(game);
        let has_speed = |speeds: &Vec<Speed>| speeds.contains(&Speed::of(&tags));
        self.speeds.as_ref().is_none_or(has_speed) && self.rated.is_none_or(|rated| rated == is_rated(&tags))
    }

    fn has_date(&self, date: Date) -> bool {
        let or = |month: u8, other| if month == 0 { other } else { month };
        let (earliest, latest) = (or(date.month, 1), or(date.month, 12));
        let is_after = |since: (u16, u8)| (date.year, earliest) >= since;
        let is_before = |(year, month): (u16, u8)| (date.year, latest) <= (year, or(month, 12));
        let has_bounds = self.since.is_some() || self.until.is_some();
        (date.year != 0 || !has_bounds) && self.since.is_none_or(is_after) && self.until.is_none_or(is_before)
    }
}

/// The group of the mean of two ratings; 0 if one is unknown.
fn group_of(white: Option<u16>, black: Option<u16>) -> u16 {
    let (Some(white), Some(black)) = (white, black) else {
        return 0;
    };
    group(white.midpoint(black))
}

/// The group that a rating belongs to, by its lower bound.
pub fn group(rating: u16) -> u16 {
    let after = GROUPS.partition_point(|&bound| bound <= rating);
    GROUPS[after.saturating_sub(1)]
}

/// False for games of events that are called casual.
pub(super) fn is_rated(tags: &Tags) -> bool {
    !tags.get("Event").is_some_and(|event| event.starts_with("Casual"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_in_groups() {
        for (white, black, group) in [
            (Some(999), Some(999), 0),
            (Some(1000), Some(1000), 1000),
            (Some(2499), Some(2500), 2200),
            (Some(2500), Some(2500), 2500),
            (Some(3999), Some(3999), 2500),
            (Some(2800), None, 0),
            (None, None, 0),
        ] {
            assert_eq!(group_of(white, black), group, "{white:?} {black:?}");
        }
    }

    #[test]
    fn bounds_need_dates_that_are_known() {
        let date = |year, month| Date { year, month, day: 0 };
        let filter = |since, until| ExplorerFilter {
            since,
            until,
            ..ExplorerFilter::default()
        };
        let years = filter(Some((1990, 0)), Some((1999, 0)));
        for (date, is_in) in [
            (date(1989, 12), false),
            (date(1990, 0), true),
            (date(1990, 1), true),
            (date(1999, 12), true),
            (date(1999, 0), true),
            (date(2000, 1), false),
            (date(0, 0), false),
        ] {
            assert_eq!(years.has_date(date), is_in, "{date:?}");
        }
        let months = filter(Some((1990, 5)), Some((1990, 7)));
        for (date, is_in) in [
            (date(1990, 4), false),
            (date(1990, 5), true),
            (date(1990, 7), true),
            (date(1990, 8), false),
            (date(1990, 0), false),
            (date(1991, 5), false),
        ] {
            assert_eq!(months.has_date(date), is_in, "{date:?}");
        }
        for (since, until, year, is_in) in [
            (Some((1980, 1)), None, 1985, true),
            (Some((1980, 1)), None, 1980, true),
            (Some((1980, 2)), None, 1980, false),
            (None, Some((1985, 12)), 1985, true),
            (None, Some((1985, 11)), 1985, false),
            (None, Some((1985, 11)), 1984, true),
            (None, Some((1985, 0)), 0, false),
        ] {
            let found = filter(since, until).has_date(date(year, 0));
            assert_eq!(found, is_in, "{since:?} {until:?} {year}");
        }
        assert!(filter(None, None).has_date(date(0, 0)));
    }
}
