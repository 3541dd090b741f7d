//! `time`
//!
//! Times are strings in the form of RFC 3339, layouts are Go's: the reference time `Mon Jan 2 15:04:05 MST 2006`, written
//! in the wanted form. There is no clock and no table of time zones: names of zones other than UTC say nothing about the
//! offset, as in CUE on a machine that runs in UTC.

mod calendar;
mod duration;
mod format;
mod layout;
mod parse;

use std::sync::Arc;

use super::arguments::{self as args, INT, Result, STRING, boolean, function, int, string};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};
use calendar::Stamp;

const S: Kinds = Kinds::STRING;
const B: Kinds = Kinds::BOOL;
const I: Kinds = Kinds::INT;

const RFC3339_NANO: &str = "2006-01-02T15:04:05.999999999Z07:00";

const FUNCTIONS: &[Function] = &[
    function("Duration", &[STRING], B, |a, _| duration::parse(args::text(a, 0)?).and_then(|_| boolean(true))),
    function("Format", &[STRING, STRING], B, |a, _| valid(args::text(a, 0)?, args::text(a, 1)?)),
    function("FormatDuration", &[INT], S, |a, _| string(duration::format(args::integer(a, 0)?))),
    function("FormatString", &[STRING, STRING], S, |a, host| {
        args::check_size(host, args::text(a, 0)?.len().saturating_mul(8))?;
        let stamp = parse::parse(RFC3339_NANO, args::text(a, 1)?).map_err(Failure::Eval)?;
        string(format::format(&stamp, args::text(a, 0)?))
    }),
    function("Parse", &[STRING, STRING], S, |a, _| {
        let stamp = parse::parse(args::text(a, 0)?, args::text(a, 1)?).map_err(Failure::Eval)?;
        string(format::format(&stamp.utc(), RFC3339_NANO))
    }),
    function("ParseDuration", &[STRING], I, |a, _| int(duration::parse(args::text(a, 0)?)?)),
    function("Split", &[STRING], Kinds::STRUCT, split),
    function("Time", &[STRING], B, |a, _| valid(args::text(a, 0)?, RFC3339_NANO)),
    function("ToUnix", &[STRING], I, |a, _| int(rfc3339(a)?.unix())),
    function("ToUnixNano", &[STRING], I, |a, _| {
        let stamp = rfc3339(a)?;
        // 64 bits, which end in the year 2262; behind them is what CUE gives, too.
        int(stamp.unix().wrapping_mul(1_000_000_000).wrapping_add(stamp.nanosecond))
    }),
    function("Unix", &[INT, INT], S, |a, _| string(format::format(&Stamp::from_unix(args::integer(a, 0)?, args::integer(a, 1)?), RFC3339_NANO))),
];

pub(super) static TIME: Package = Package {
    path: "time",
    functions: FUNCTIONS,
    source: "\
Nanosecond:  1
Microsecond: 1000
Millisecond: 1000000
Second:      1000000000
Minute:      60000000000
Hour:        3600000000000
ANSIC:       \"Mon Jan _2 15:04:05 2006\"
UnixDate:    \"Mon Jan _2 15:04:05 MST 2006\"
RubyDate:    \"Mon Jan 02 15:04:05 -0700 2006\"
RFC822:      \"02 Jan 06 15:04 MST\"
RFC822Z:     \"02 Jan 06 15:04 -0700\"
RFC850:      \"Monday, 02-Jan-06 15:04:05 MST\"
RFC1123:     \"Mon, 02 Jan 2006 15:04:05 MST\"
RFC1123Z:    \"Mon, 02 Jan 2006 15:04:05 -0700\"
RFC3339:     \"2006-01-02T15:04:05Z07:00\"
RFC3339Nano: \"2006-01-02T15:04:05.999999999Z07:00\"
RFC3339Date: \"2006-01-02\"
Kitchen:     \"3:04PM\"
Kitchen24:   \"15:04\"
January:     1
February:    2
March:       3
April:       4
May:         5
June:        6
July:        7
August:      8
September:   9
October:     10
November:    11
December:    12
Sunday:      0
Monday:      1
Tuesday:     2
Wednesday:   3
Thursday:    4
Friday:      5
Saturday:    6
",
};

/// Whether a text is a time in a layout.
pub(crate) fn is_time(layout: &str, text: &str) -> bool {
    parse::parse(layout, text).is_ok()
}

fn valid(text: &str, layout: &str) -> Result {
    if is_time(layout, text) { boolean(true) } else { Err(Failure::eval(format!("invalid time {text:?}"))) }
}

fn rfc3339(a: &[Value]) -> Result<Stamp> {
    parse::parse(RFC3339_NANO, args::text(a, 0)?).map_err(Failure::Eval)
}

fn split(a: &[Value], _: &mut dyn Host) -> Result {
    let stamp = rfc3339(a)?;
    let parts = [
        ("year", stamp.year),
        ("month", stamp.month),
        ("day", stamp.day),
        ("hour", stamp.hour),
        ("minute", stamp.minute),
        ("second", stamp.second),
        ("nanosecond", stamp.nanosecond),
    ];
    Ok(Value::Struct(parts.into_iter().map(|(name, part)| (Arc::from(name), Value::integer(part))).collect()))
}
