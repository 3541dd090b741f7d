//! Layouts: the reference time `Mon Jan 2 15:04:05 MST 2006`, in the form that a time should have.

/// How a number is padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pad {
    /// Not at all.
    None,
    /// With zeros.
    Zero,
    /// With blanks.
    Blank,
}

/// The offset from UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    /// Whether UTC is `Z`.
    pub(super) zulu: bool,
    /// Whether there are colons.
    pub(super) colon: bool,
    /// Hours only (1), with minutes (2), with seconds (3).
    pub(super) parts: u8,
}

/// An element of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    LongMonth,
    ShortMonth,
    Month(Pad),
    LongWeekDay,
    ShortWeekDay,
    Day(Pad),
    YearDay(Pad),
    Hour,
    Hour12(Pad),
    Minute(Pad),
    Second(Pad),
    LongYear,
    ShortYear,
    /// `PM`, in capitals or not.
    Half {
        capitals: bool,
    },
    /// `MST`
    Zone,
    Offset(Offset),
    /// `.000` (all digits) or `.999` (as many as needed), and the separator.
    Fraction {
        digits: usize,
        trim: bool,
        separator: u8,
    },
}

const fn offset(zulu: bool, colon: bool, parts: u8) -> Element {
    Element::Offset(Offset { zulu, colon, parts })
}

/// Elements by their first letters; longer ones first.
const FIXED: &[(&str, Element)] = &[
    ("January", Element::LongMonth),
    ("Monday", Element::LongWeekDay),
    ("MST", Element::Zone),
    ("01", Element::Month(Pad::Zero)),
    ("02", Element::Day(Pad::Zero)),
    ("03", Element::Hour12(Pad::Zero)),
    ("04", Element::Minute(Pad::Zero)),
    ("05", Element::Second(Pad::Zero)),
    ("06", Element::ShortYear),
    ("002", Element::YearDay(Pad::Zero)),
    ("15", Element::Hour),
    ("1", Element::Month(Pad::None)),
    ("2006", Element::LongYear),
    ("2", Element::Day(Pad::None)),
    ("_2", Element::Day(Pad::Blank)),
    ("__2", Element::YearDay(Pad::Blank)),
    ("3", Element::Hour12(Pad::None)),
    ("4", Element::Minute(Pad::None)),
    ("5", Element::Second(Pad::None)),
    ("PM", Element::Half { capitals: true }),
    ("pm", Element::Half { capitals: false }),
    ("-070000", offset(false, false, 3)),
    ("-07:00:00", offset(false, true, 3)),
    ("-0700", offset(false, false, 2)),
    ("-07:00", offset(false, true, 2)),
    ("-07", offset(false, false, 1)),
    ("Z070000", offset(true, false, 3)),
    ("Z07:00:00", offset(true, true, 3)),
    ("Z0700", offset(true, false, 2)),
    ("Z07:00", offset(true, true, 2)),
    ("Z07", offset(true, false, 1)),
];

/// The text before the next element, the element, and what follows; without an element, all is before it.
pub(super) fn next(layout: &[u8]) -> (&[u8], Option<Element>, &[u8]) {
    for at in 0..layout.len() {
        let rest = layout.get(at..).unwrap_or(&[]);
        // An underscore before a year is itself.
        let before_year = rest.starts_with(b"_2006");
        if let Some((element, length)) = if before_year { None } else { starting(rest) } {
            let (before, after) = (layout.get(..at).unwrap_or(&[]), rest.get(length..).unwrap_or(&[]));
            return (before, Some(element), after);
        }
    }
    (layout, None, &[])
}

/// The element that a layout begins with.
fn starting(rest: &[u8]) -> Option<(Element, usize)> {
    if let [separator @ (b'.' | b','), digit @ (b'0' | b'9'), ..] = rest {
        let digits = rest.iter().skip(1).take_while(|byte| *byte == digit).count();
        let ends = !rest.get(1 + digits).is_some_and(u8::is_ascii_digit);
        let element = Element::Fraction { digits, trim: *digit == b'9', separator: *separator };
        return ends.then_some((element, 1 + digits));
    }
    if let Some((text, element)) = FIXED.iter().find(|(text, _)| rest.starts_with(text.as_bytes())) {
        return Some((*element, text.len()));
    }
    // The short names are not the beginning of some other word.
    let word_ends = !rest.get(3).is_some_and(u8::is_ascii_lowercase);
    match rest {
        [b'J', b'a', b'n', ..] if word_ends => Some((Element::ShortMonth, 3)),
        [b'M', b'o', b'n', ..] if word_ends => Some((Element::ShortWeekDay, 3)),
        _ => None,
    }
}

pub(super) const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
pub(super) const WEEK_DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The first three letters of a name.
pub(super) fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}
