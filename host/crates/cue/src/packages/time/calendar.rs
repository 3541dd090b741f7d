//! Points in time and the Gregorian calendar, for every year that 64 bits of seconds reach (a library of dates stops
//! long before that).

/// A time: what a clock and a calendar show, and how far they are from UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) year: i64,
    /// From 1.
    pub(super) month: i64,
    /// From 1.
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) nanosecond: i64,
    /// Seconds east of UTC.
    pub(super) offset: i64,
}

const SECONDS_OF_DAY: i64 = 86_400;

/// Seconds from the beginning of Go's time, which counts in 64 bits without a sign and wraps around, to 1970.
const BEFORE_1970: i128 = 62_135_596_800 + (730_692_556 * 146_097 + 306) * SECONDS_OF_DAY as i128;

impl Stamp {
    /// The time in UTC that is so many seconds and nanoseconds after the beginning of 1970.
    pub(super) fn from_unix(seconds: i64, nanoseconds: i64) -> Self {
        let seconds = seconds.wrapping_add(nanoseconds.div_euclid(1_000_000_000));
        let wrapped = (i128::from(seconds) + BEFORE_1970).rem_euclid(1 << 64) - BEFORE_1970;
        let (days, rest) = (wrapped.div_euclid(i128::from(SECONDS_OF_DAY)), wrapped.rem_euclid(i128::from(SECONDS_OF_DAY)));
        let (year, month, day) = civil(days);
        let rest = rest as i64;
        Self {
            year,
            month,
            day,
            hour: rest / 3_600,
            minute: rest / 60 % 60,
            second: rest % 60,
            nanosecond: nanoseconds.rem_euclid(1_000_000_000),
            offset: 0,
        }
    }

    /// Whole seconds after the beginning of 1970.
    pub(super) fn unix(&self) -> i64 {
        let days = days(self.year, self.month, self.day);
        days * SECONDS_OF_DAY + self.hour * 3_600 + self.minute * 60 + self.second - self.offset
    }

    /// The same time in UTC.
    pub(super) fn utc(&self) -> Self {
        Self::from_unix(self.unix(), self.nanosecond)
    }

    /// The day of the week, Sunday is 0.
    pub(super) fn weekday(&self) -> usize {
        (days(self.year, self.month, self.day) + 4).rem_euclid(7) as usize
    }

    /// The day of the year, from 1.
    pub(super) fn day_of_year(&self) -> i64 {
        days(self.year, self.month, self.day) - days(self.year, 1, 1) + 1
    }
}

/// Days from 1970-01-01 to a date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March put the day that may be missing at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date so many days after 1970-01-01.
fn civil(days: i128) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097) as i64;
    let of_era = days.rem_euclid(146_097) as i64;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = year + era * 400;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

/// Whether a year has a 29th of February.
pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month has; the month is from 1 to 12.
pub(super) fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
