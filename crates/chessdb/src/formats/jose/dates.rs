//! Dates, and correcting dates that one version of the program stored one day early (section 10).

use crate::game::Date;

const DAY_UNKNOWN: u8 = 0x10;
const MONTH_UNKNOWN: u8 = 0x20;
const YEAR_UNKNOWN: u8 = 0x40;

/// A stored date: day, month and year in a number, and flags of unknown parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredDate {
    pub(super) date: Date,
    flags: u8,
}

/// The evidence for or against the bug in a partial date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShiftEvidence {
    Nothing,
    OneDayEarly,
    InPlace,
}

/// How many partial dates of a table are one day early, and how many are not (section 10.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shift {
    pub(super) early: u32,
    pub(super) in_place: u32,
}

impl Shift {
    /// Counts a date.
    pub(super) fn see(&mut self, date: StoredDate) {
        match date.evidence() {
            ShiftEvidence::Nothing => {}
            ShiftEvidence::OneDayEarly => self.early += 1,
            ShiftEvidence::InPlace => self.in_place += 1,
        }
    }

    /// True if full dates are one day early too.
    pub(super) fn is_general(self) -> bool {
        self.early > self.in_place
    }
}

impl StoredDate {
    /// `number` is day | month << 5 | year << 9.
    pub(super) fn new(number: u32, flags: u8) -> StoredDate {
        let part = |shift: u32, mask: u32| u16::try_from(number >> shift & mask).unwrap_or(0);
        let small = |shift: u32, mask: u32| u8::try_from(number >> shift & mask).unwrap_or(0);
        StoredDate {
            date: Date::new(part(9, 0x7fff), small(5, 15), small(0, 31)),
            flags,
        }
    }

    fn is_unknown(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn has_zero(self) -> bool {
        self.date.year == 0 || self.date.month == 0 || self.date.day == 0
    }

    fn evidence(self) -> ShiftEvidence {
        let stored = if self.is_unknown(DAY_UNKNOWN) {
            self.date.day
        } else if self.is_unknown(MONTH_UNKNOWN) {
            self.date.month
        } else {
            return ShiftEvidence::Nothing;
        };
        match stored {
            _ if self.has_zero() => ShiftEvidence::Nothing,
            1 => ShiftEvidence::InPlace,
            _ => ShiftEvidence::OneDayEarly,
        }
    }

    /// The correct date. Without a `shift`, dates are returned as stored.
    pub(super) fn meant(self, shift: Option<Shift>) -> Date {
        let is_early = match self.evidence() {
            ShiftEvidence::OneDayEarly => shift.is_some(),
            ShiftEvidence::InPlace => false,
            ShiftEvidence::Nothing => shift.is_some_and(Shift::is_general) && !self.has_zero(),
        };
        let date = if is_early { next_day(self.date) } else { self.date };
        let known = |flag| !self.is_unknown(flag);
        Date {
            year: if known(YEAR_UNKNOWN) { date.year } else { 0 },
            month: if known(MONTH_UNKNOWN) { date.month } else { 0 },
            day: if known(DAY_UNKNOWN) { date.day } else { 0 },
        }
    }
}

fn next_day(date: Date) -> Date {
    let Date { year, month, day } = date;
    let last = Date::days_of_month(year, month.into());
    match (u16::from(day) < last, month < 12) {
        (true, _) => Date {
            year,
            month,
            day: day + 1,
        },
        (false, true) => Date {
            year,
            month: month + 1,
            day: 1,
        },
        (false, false) => Date::new(year + 1, 1, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(year: u32, month: u32, day: u32, flags: u8) -> StoredDate {
        StoredDate::new(day | month << 5 | year << 9, flags)
    }

    #[test]
    fn partial_dates_reveal_the_shift() {
        let mut shift = Shift::default();
        for date in [
            stored(2000, 12, 31, DAY_UNKNOWN | MONTH_UNKNOWN),
            stored(2001, 1, 31, DAY_UNKNOWN),
            stored(2001, 1, 1, DAY_UNKNOWN),
            stored(2001, 5, 1, MONTH_UNKNOWN),
            stored(2001, 5, 5, 0),
            stored(0, 5, 5, DAY_UNKNOWN),
        ] {
            shift.see(date);
        }
        assert_eq!(
            shift,
            Shift {
                early: 3,
                in_place: 1
            }
        );
    }

    #[test]
    fn full_dates_follow_the_majority_of_partial_ones() {
        let general = Some(Shift {
            early: 2,
            in_place: 1,
        });
        let rare = Some(Shift {
            early: 1,
            in_place: 1,
        });
        let meant = |date: StoredDate, shift| date.meant(shift).to_string();
        assert_eq!(meant(stored(2000, 12, 31, 0), general), "2001.01.01");
        assert_eq!(meant(stored(2000, 2, 28, 0), general), "2000.02.29");
        assert_eq!(meant(stored(1900, 2, 28, 0), general), "1900.03.01");
        assert_eq!(meant(stored(2000, 12, 31, 0), rare), "2000.12.31");
        assert_eq!(
            meant(stored(2000, 12, 31, DAY_UNKNOWN | MONTH_UNKNOWN), rare),
            "2001.??.??"
        );
        assert_eq!(
            meant(stored(2000, 12, 31, DAY_UNKNOWN | MONTH_UNKNOWN), None),
            "2000.??.??"
        );
        assert_eq!(meant(stored(2000, 0, 5, 0), general), "2000.??.05");
        assert_eq!(meant(stored(9999, 12, 31, 0), general), "????.01.01");
    }
}
