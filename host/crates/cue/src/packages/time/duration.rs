//! Durations: nanoseconds, and texts such as `1h15m30.918s`.

use super::super::arguments::Result;
use crate::builtin::Failure;

const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The largest magnitude, that of the smallest duration.
const LIMIT: u64 = 1 << 63;

/// The nanoseconds of a text.
pub(super) fn parse(text: &str) -> Result<i64> {
    let invalid = || Failure::eval(format!("time: invalid duration {text:?}"));
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        let unit = after.get(..after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len())).unwrap_or("");
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        if unit.is_empty() {
            return Err(Failure::eval(format!("time: missing unit in duration {text:?}")));
        }
        let size = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size);
        let size = size.ok_or_else(|| Failure::eval(format!("time: unknown unit {unit:?} in duration {text:?}")))?;
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        if whole > LIMIT / size {
            return Err(invalid());
        }
        let part = (whole * size).saturating_add(part_of(fraction, size));
        total = total.checked_add(part).filter(|total| part <= LIMIT && *total <= LIMIT).ok_or_else(invalid)?;
        rest = after.get(unit.len()..).unwrap_or("");
    }
    if negative { Ok(0_i64.wrapping_sub_unsigned(total)) } else { i64::try_from(total).map_err(|_| invalid()) }
}

/// The digits at the beginning, and the rest.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// A fraction of a unit, cut to nanoseconds. Binary floating point, as in Go: the last nanosecond depends on it.
fn part_of(fraction: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0_u64, 1.0_f64);
    for byte in fraction.bytes() {
        let next = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(byte - b'0')));
        let Some(next) = next.filter(|next| value <= (LIMIT - 1) / 10 && *next <= LIMIT) else {
            break;
        };
        value = next;
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// The text of a duration.
pub(super) fn format(nanoseconds: i64) -> String {
    let magnitude = nanoseconds.unsigned_abs();
    let sign = if nanoseconds < 0 { "-" } else { "" };
    if magnitude < 1_000_000_000 {
        return match magnitude {
            0 => "0s".to_owned(),
            1..1_000 => format!("{sign}{magnitude}ns"),
            1_000..1_000_000 => format!("{sign}{}µs", decimal(magnitude, 3)),
            _ => format!("{sign}{}ms", decimal(magnitude, 6)),
        };
    }
    let seconds = decimal(magnitude % 60_000_000_000, 9);
    let minutes = magnitude / 60_000_000_000;
    match minutes {
        0 => format!("{sign}{seconds}s"),
        1..60 => format!("{sign}{minutes}m{seconds}s"),
        _ => format!("{sign}{}h{}m{seconds}s", minutes / 60, minutes % 60),
    }
}

/// An integer with the point so many digits from the right, without zeros at the end.
fn decimal(value: u64, digits: usize) -> String {
    let all = format!("{value:0width$}", width = digits + 1);
    let (whole, fraction) = all.split_at(all.len() - digits);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}
