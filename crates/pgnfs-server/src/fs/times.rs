//! Times as file systems store them.

use std::time::SystemTime;

use chessdb::game::Date;

const SECONDS_A_DAY: i64 = 24 * 60 * 60;

/// Noon UTC of a day, in seconds since 1970. An unknown month or day counts as the first, a day beyond the
/// end of its month as the last. `None` if the year is unknown.
pub(super) fn noon(date: Date) -> Option<i64> {
    if date.year == 0 {
        return None;
    }
    let year = i64::from(date.year);
    let month = i64::from(date.month.max(1));
    let day = i64::from(date.day.max(1)).min(days_of_month(year, month));
    Some(Date::days_since_1970(year, month, day) * SECONDS_A_DAY + SECONDS_A_DAY / 2)
}

/// Splits nanoseconds since 1970 into seconds and nanoseconds; (0, 0) if there are too many seconds, as for the time of
/// a folder without databases.
pub(super) fn seconds_and_nanoseconds(time: i128) -> (i64, u32) {
    let seconds = time.div_euclid(1_000_000_000);
    let nanoseconds = time.rem_euclid(1_000_000_000);
    match (i64::try_from(seconds), u32::try_from(nanoseconds)) {
        (Ok(seconds), Ok(nanoseconds)) => (seconds, nanoseconds),
        _ => (0, 0),
    }
}

/// A time as `2026-01-31 12:34:56 UTC`.
pub fn utc(time: SystemTime) -> String {
    let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = since_1970.as_secs().cast_signed();
    let (days, time) = (seconds / SECONDS_A_DAY, seconds % SECONDS_A_DAY);
    // The first of a year is at most 366 days before any of its days.
    let year = (days / 366 + 1970..).take_while(|&year| Date::days_since_1970(year, 1, 1) <= days);
    let year = year.last().unwrap_or(1970);
    let months = (1..=12).take_while(|&month| Date::days_since_1970(year, month, 1) <= days);
    let month = months.last().unwrap_or(1);
    let day = days - Date::days_since_1970(year, month, 1) + 1;
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon_of(year: u16, month: u8, day: u8) -> Option<i64> {
        noon(Date::new(year, month, day))
    }

    #[test]
    fn a_time_is_what_date_says() {
        // date -u -d @...
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_868_800, "2000-03-01 00:00:00 UTC"),
            (1_798_761_599, "2026-12-31 23:59:59 UTC"),
            (1_798_761_600, "2027-01-01 00:00:00 UTC"),
            (1_735_646_645, "2024-12-31 12:04:05 UTC"),
        ] {
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            assert_eq!(utc(time), text, "{seconds}");
        }
    }

    #[test]
    fn noon_is_what_date_says() {
        // date -u -d '... 12:00' +%s
        assert_eq!(noon_of(1970, 1, 1), Some(43_200));
        assert_eq!(noon_of(1985, 11, 9), Some(500_385_600));
        assert_eq!(noon_of(2000, 2, 29), Some(951_825_600));
        assert_eq!(noon_of(1851, 6, 21), Some(-3_740_472_000));
        assert_eq!(noon_of(1, 1, 1), Some(-62_135_553_600));
        assert_eq!(noon_of(9999, 12, 31), Some(253_402_257_600));
    }

    #[test]
    fn unknown_parts_are_the_first_and_impossible_days_the_last() {
        assert_eq!(noon_of(1985, 0, 0), noon_of(1985, 1, 1));
        assert_eq!(noon_of(1985, 11, 0), noon_of(1985, 11, 1));
        assert_eq!(noon_of(1985, 2, 31), noon_of(1985, 2, 28));
        assert_eq!(noon_of(1984, 2, 30), noon_of(1984, 2, 29));
        assert_eq!(noon_of(1900, 2, 29), noon_of(1900, 2, 28));
        assert_eq!(noon_of(0, 11, 9), None);
    }

    #[test]
    fn times_before_1970_have_positive_nanoseconds() {
        assert_eq!(seconds_and_nanoseconds(-1), (-1, 999_999_999));
        assert_eq!(seconds_and_nanoseconds(1_500_000_000), (1, 500_000_000));
    }

    #[test]
    fn a_time_that_does_not_fit_is_1970() {
        assert_eq!(seconds_and_nanoseconds(i128::MIN), (0, 0));
        assert_eq!(seconds_and_nanoseconds(i128::MAX), (0, 0));
    }
}
