//! Times out of texts in a layout.
//!
//! Everything counts in bytes, and what a layout leaves out is the beginning: of the year 0, of the day, UTC.

use super::calendar::{Stamp, days_in, is_leap};
use super::layout::{self, Element, MONTHS, Offset, Pad, WEEK_DAYS, short};

/// What is wrong with a text.
type Parsed<T = ()> = Result<T, String>;

/// What has been read so far.
#[derive(Default)]
struct Parts {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i64,
    afternoon: Option<bool>,
    offset: i64,
    utc: bool,
}

/// Reads a text in a layout.
pub(super) fn parse(layout: &str, text: &str) -> Parsed<Stamp> {
    let mut parts = Parts::default();
    let mut reader = Reader { rest: text.as_bytes() };
    let mut layout_rest = layout.as_bytes();
    loop {
        let (before, element, after) = layout::next(layout_rest);
        let wrong = || format!("parsing time {text:?} as {layout:?}: cannot parse {:?}", String::from_utf8_lossy(reader.rest));
        reader = reader.skip(before).ok_or_else(wrong)?;
        let Some(element) = element else {
            return if reader.rest.is_empty() { parts.stamp() } else { Err(format!("parsing time {text:?}: extra text")) };
        };
        layout_rest = after;
        let before = reader;
        let wrong = || format!("parsing time {text:?} as {layout:?}: cannot parse {:?}", String::from_utf8_lossy(before.rest));
        reader.element(element, &mut parts, layout_rest).ok_or_else(wrong)?;
        parts.check_ranges().map_err(|part| format!("parsing time {text:?}: {part} out of range"))?;
    }
}

impl Parts {
    fn check_ranges(&self) -> Result<(), &'static str> {
        match self {
            _ if !(0..24).contains(&self.hour) => Err("hour"),
            _ if self.minute > 59 => Err("minute"),
            _ if self.second > 59 => Err("second"),
            _ if self.month.is_some_and(|month| !(1..=12).contains(&month)) => Err("month"),
            _ => Ok(()),
        }
    }

    fn stamp(mut self) -> Parsed<Stamp> {
        match self.afternoon {
            Some(true) if self.hour < 12 => self.hour += 12,
            Some(false) if self.hour == 12 => self.hour = 0,
            _ => {}
        }
        if let Some(year_day) = self.year_day {
            let (month, day) = day_of_year(self.year, year_day).ok_or("day-of-year out of range")?;
            if self.month.is_some_and(|own| own != month) || self.day.is_some_and(|own| own != day) {
                return Err("day-of-year does not match the month or day".to_owned());
            }
            (self.month, self.day) = (Some(month), Some(day));
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        if day < 1 || day > days_in(month, self.year) {
            return Err("day out of range".to_owned());
        }
        Ok(Stamp {
            year: self.year,
            month,
            day,
            hour: self.hour,
            minute: self.minute,
            second: self.second,
            nanosecond: self.nanosecond,
            offset: if self.utc { 0 } else { self.offset },
        })
    }
}

/// Month and day of a day of a year.
fn day_of_year(year: i64, day: i64) -> Option<(i64, i64)> {
    if !(1..=365 + i64::from(is_leap(year))).contains(&day) {
        return None;
    }
    let mut rest = day;
    for month in 1..=12 {
        if rest <= days_in(month, year) {
            return Some((month, rest));
        }
        rest -= days_in(month, year);
    }
    None
}

#[derive(Clone, Copy)]
struct Reader<'t> {
    rest: &'t [u8],
}

impl<'t> Reader<'t> {
    /// Takes so many bytes.
    fn take(&mut self, count: usize) -> Option<&'t [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn digit(&self, at: usize) -> bool {
        self.rest.get(at).is_some_and(u8::is_ascii_digit)
    }

    fn blank(&mut self) {
        if let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Skips text that must be there; a run of blanks stands for any run of blanks.
    fn skip(mut self, mut prefix: &[u8]) -> Option<Self> {
        while let [first, tail @ ..] = prefix {
            if *first == b' ' {
                if self.rest.first().is_some_and(|byte| *byte != b' ') {
                    return None;
                }
                prefix = trim(prefix);
                self.rest = trim(self.rest);
                continue;
            }
            match self.rest {
                [byte, rest @ ..] if byte == first => self.rest = rest,
                _ => return None,
            }
            prefix = tail;
        }
        Some(self)
    }

    /// A number of one or two digits.
    fn number(&mut self, fixed: bool) -> Option<i64> {
        self.digits(2, if fixed { 2 } else { 1 })
    }

    fn digits(&mut self, maximum: usize, minimum: usize) -> Option<i64> {
        let count = (0..maximum).take_while(|at| self.digit(*at)).count();
        if count < minimum {
            return None;
        }
        Some(value(self.take(count)?))
    }

    fn name(&mut self, names: &[&str], length: fn(&str) -> &str) -> Option<i64> {
        let matches = |name: &&str| self.rest.get(..length(name).len()).is_some_and(|text| text.eq_ignore_ascii_case(length(name).as_bytes()));
        let at = names.iter().position(|name| matches(&name))?;
        self.take(length(names.get(at)?).len())?;
        Some(at as i64)
    }

    fn element(&mut self, element: Element, parts: &mut Parts, after: &[u8]) -> Option<()> {
        match element {
            Element::ShortYear => {
                let year = self.digits(2, 2)?;
                parts.year = if year >= 69 { 1900 + year } else { 2000 + year };
            }
            Element::LongYear => parts.year = self.digits(4, 4)?,
            Element::ShortMonth => parts.month = Some(self.name(&MONTHS, short)? + 1),
            Element::LongMonth => parts.month = Some(self.name(&MONTHS, |name| name)? + 1),
            Element::Month(pad) => parts.month = Some(self.number(pad == Pad::Zero)?),
            Element::ShortWeekDay => drop(self.name(&WEEK_DAYS, short)?),
            Element::LongWeekDay => drop(self.name(&WEEK_DAYS, |name| name)?),
            Element::Day(pad) => {
                if pad == Pad::Blank {
                    self.blank();
                }
                parts.day = Some(self.number(pad == Pad::Zero)?);
            }
            Element::YearDay(pad) => {
                if pad == Pad::Blank {
                    self.blank();
                    self.blank();
                }
                parts.year_day = Some(self.digits(3, if pad == Pad::Zero { 3 } else { 1 })?);
            }
            Element::Hour => parts.hour = self.number(false)?,
            Element::Hour12(pad) => {
                parts.hour = self.number(pad == Pad::Zero)?;
                if parts.hour > 12 {
                    // Out of range in every sense.
                    parts.hour = 24;
                }
            }
            Element::Minute(pad) => parts.minute = self.number(pad == Pad::Zero)?,
            Element::Second(pad) => {
                parts.second = self.number(pad == Pad::Zero)?;
                // A fraction may follow although the layout has none.
                let in_layout = matches!(layout::next(after).1, Some(Element::Fraction { .. }));
                if !in_layout && self.fraction_follows() {
                    parts.nanosecond = self.fraction()?;
                }
            }
            Element::Half { capitals } => {
                let (after_noon, before_noon): (&[u8], &[u8]) = if capitals { (b"PM", b"AM") } else { (b"pm", b"am") };
                let text = self.take(2)?;
                if text != after_noon && text != before_noon {
                    return None;
                }
                // Of several, the afternoon counts.
                parts.afternoon = Some(text == after_noon || parts.afternoon == Some(true));
            }
            Element::Offset(form) => self.offset(form, parts)?,
            Element::Zone => {
                if self.rest.starts_with(b"UTC") {
                    parts.utc = true;
                    self.take(3)?;
                } else {
                    self.take(zone_name(self.rest)?)?;
                }
            }
            Element::Fraction { digits, trim: false, .. } => {
                let text = self.take(1 + digits)?;
                parts.nanosecond = nanoseconds(text)?;
            }
            Element::Fraction { .. } => {
                if self.fraction_follows() {
                    parts.nanosecond = self.fraction()?;
                }
            }
        }
        Some(())
    }

    fn fraction_follows(&self) -> bool {
        matches!(self.rest.first(), Some(b'.' | b',')) && self.digit(1)
    }

    /// A separator and all digits behind it.
    fn fraction(&mut self) -> Option<i64> {
        let count = self.rest.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
        nanoseconds(self.take(1 + count)?)
    }

    fn offset(&mut self, form: Offset, parts: &mut Parts) -> Option<()> {
        if form.zulu && self.rest.first() == Some(&b'Z') {
            self.take(1)?;
            parts.utc = true;
            return Some(());
        }
        let sign = match self.take(1)? {
            b"+" => 1,
            b"-" => -1,
            _ => return None,
        };
        let mut seconds = 0;
        for (part, size, maximum) in [(1, 3_600, 24), (2, 60, 60), (3, 1, 60)] {
            if part > form.parts {
                break;
            }
            if part > 1 && form.colon && self.take(1)? != b":" {
                return None;
            }
            let value = self.number(true).filter(|value| *value <= maximum)?;
            seconds += value * size;
        }
        parts.offset = sign * seconds;
        Some(())
    }
}

fn trim(text: &[u8]) -> &[u8] {
    text.get(text.iter().take_while(|byte| **byte == b' ').count()..).unwrap_or(&[])
}

fn value(digits: &[u8]) -> i64 {
    digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'))
}

/// A separator and up to nine digits; more are cut off.
fn nanoseconds(text: &[u8]) -> Option<i64> {
    let (separator, digits) = text.split_first()?;
    let digits = digits.get(..digits.len().min(9))?;
    if !matches!(separator, b'.' | b',') || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(value(digits) * 10_i64.pow(9 - digits.len() as u32))
}

/// How long the name of a zone is.
fn zone_name(text: &[u8]) -> Option<usize> {
    if text.starts_with(b"ChST") || text.starts_with(b"MeST") {
        return Some(4);
    }
    if text.starts_with(b"GMT") {
        return Some(3 + signed_hours(text.get(3..)?).unwrap_or(0));
    }
    if matches!(text.first(), Some(b'+' | b'-')) && text.len() >= 3 {
        return signed_hours(text);
    }
    let capitals = text.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    match capitals {
        5 if text.get(4) == Some(&b'T') => Some(5),
        4 if text.get(3) == Some(&b'T') || text.starts_with(b"WITA") => Some(4),
        3 => Some(3),
        _ => None,
    }
}

/// How long an offset such as `+03` is.
fn signed_hours(text: &[u8]) -> Option<usize> {
    if !matches!(text.first(), Some(b'+' | b'-')) {
        return None;
    }
    let digits: Vec<u8> = text.iter().skip(1).copied().take_while(u8::is_ascii_digit).collect();
    let hours: u64 = std::str::from_utf8(&digits).ok()?.parse().ok()?;
    (hours <= 23).then_some(1 + digits.len())
}
