//! Times in a layout.

use super::calendar::Stamp;
use super::layout::{self, Element, MONTHS, Offset, Pad, WEEK_DAYS, short};

/// A time in a layout.
pub(super) fn format(stamp: &Stamp, layout: &str) -> String {
    let mut out = Vec::new();
    let mut rest = layout.as_bytes();
    loop {
        let (before, element, after) = layout::next(rest);
        out.extend_from_slice(before);
        let Some(element) = element else { break };
        let mut text = String::new();
        write(&mut text, stamp, element);
        out.extend_from_slice(text.as_bytes());
        rest = after;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn write(out: &mut String, stamp: &Stamp, element: Element) {
    match element {
        Element::ShortYear => number(out, stamp.year.max(0) % 100, 2),
        Element::LongYear => number(out, stamp.year, 4),
        Element::LongMonth => out.push_str(month(stamp)),
        Element::ShortMonth => out.push_str(short(month(stamp))),
        Element::Month(pad) => padded(out, stamp.month, pad, 2),
        Element::LongWeekDay => out.push_str(week_day(stamp)),
        Element::ShortWeekDay => out.push_str(short(week_day(stamp))),
        Element::Day(pad) => padded(out, stamp.day, pad, 2),
        Element::YearDay(pad) => padded(out, stamp.day_of_year(), pad, 3),
        Element::Hour => number(out, stamp.hour, 2),
        Element::Hour12(pad) => padded(out, if stamp.hour % 12 == 0 { 12 } else { stamp.hour % 12 }, pad, 2),
        Element::Minute(pad) => padded(out, stamp.minute, pad, 2),
        Element::Second(pad) => padded(out, stamp.second, pad, 2),
        Element::Half { capitals } => out.push_str(match (stamp.hour >= 12, capitals) {
            (true, true) => "PM",
            (true, false) => "pm",
            (false, true) => "AM",
            (false, false) => "am",
        }),
        Element::Zone if stamp.offset == 0 => out.push_str("UTC"),
        Element::Zone => offset(out, stamp.offset, Offset { zulu: false, colon: false, parts: 2 }),
        Element::Offset(form) => offset(out, stamp.offset, form),
        Element::Fraction { digits, trim, separator } => fraction(out, stamp.nanosecond, digits, trim, separator),
    }
}

fn month(stamp: &Stamp) -> &'static str {
    MONTHS.iter().nth((stamp.month - 1).max(0) as usize).copied().unwrap_or("")
}

fn week_day(stamp: &Stamp) -> &'static str {
    WEEK_DAYS.get(stamp.weekday()).copied().unwrap_or("")
}

fn number(out: &mut String, value: i64, width: usize) {
    if value < 0 {
        out.push('-');
    }
    out.push_str(&format!("{:0width$}", value.unsigned_abs()));
}

fn padded(out: &mut String, value: i64, pad: Pad, width: usize) {
    match pad {
        Pad::None => number(out, value, 0),
        Pad::Zero => number(out, value, width),
        Pad::Blank => out.push_str(&format!("{value:width$}")),
    }
}

fn offset(out: &mut String, seconds: i64, form: Offset) {
    if form.zulu && seconds == 0 {
        out.push('Z');
        return;
    }
    // The sign is that of the minutes.
    let minutes = seconds / 60;
    out.push(if minutes < 0 { '-' } else { '+' });
    let (minutes, seconds) = (minutes.abs(), if minutes < 0 { -seconds } else { seconds });
    for (part, value) in [(1, minutes / 60), (2, minutes % 60), (3, seconds % 60)] {
        if part > form.parts {
            break;
        }
        if part > 1 && form.colon {
            out.push(':');
        }
        number(out, value, 2);
    }
}

fn fraction(out: &mut String, nanosecond: i64, digits: usize, trim: bool, separator: u8) {
    if trim && nanosecond == 0 {
        return;
    }
    let all = format!("{nanosecond:09}");
    let shown = all.get(..digits.min(9)).unwrap_or(&all);
    let shown = if trim { shown.trim_end_matches('0') } else { shown };
    if trim && shown.is_empty() {
        return;
    }
    out.push(char::from(separator));
    out.push_str(shown);
}
