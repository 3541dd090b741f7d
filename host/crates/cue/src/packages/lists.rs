//! `list`
//!
//! Sorting is stable and asks the comparator about pairs only; a comparator that contradicts itself gives some order,
//! never an endless loop.

use bigdecimal::BigDecimal;

use super::arguments::{self as args, ANY, CONSTRAINT, INT, LIST as LISTS, LOOSE_LIST as ELEMENTS, NUMBER, Result, boolean, function, strings};
use super::strings::MAXIMUM_REPEAT;
use crate::builtin::{Demand, Failure, Function, Host, Package, Parameter};
use crate::{Kinds, Node, Number, Value};

const B: Kinds = Kinds::BOOL;
const L: Kinds = Kinds::LIST;
const N: Kinds = Kinds::NUMBER;
/// Anything, but only a list has something to flatten.
const NESTED: Parameter = Parameter::loose(Kinds::TOP);

const FUNCTIONS: &[Function] = &[
    function("Avg", &[LISTS], N, average),
    function("Concat", &[ELEMENTS], L, concat),
    function("Contains", &[ELEMENTS, ANY], B, |a, _| {
        let wanted = args::value(a, 1)?;
        boolean(args::list(a, 0)?.iter().any(|value| args::same(value, wanted)))
    }),
    function("Drop", &[ELEMENTS, INT], L, |a, _| {
        let from = index(a)?;
        Ok(Value::List(args::list(a, 0)?.get(from..).unwrap_or(&[]).to_vec()))
    }),
    function("FlattenN", &[NESTED, INT], L, flatten),
    function("IsSorted", &[ELEMENTS, CONSTRAINT], B, is_sorted),
    function("IsSortedStrings", &[LISTS], B, |a, _| boolean(args::texts(a, 0)?.is_sorted())),
    function("MatchN", &[ELEMENTS, CONSTRAINT, CONSTRAINT], B, match_count),
    function("Max", &[LISTS], N, |a, _| extreme(a, std::cmp::Ordering::Greater)),
    function("MaxItems", &[ELEMENTS, INT], B, |a, _| {
        let (count, wanted) = (args::list(a, 0)?.len() as i64, args::integer(a, 1)?);
        boolean(count <= wanted)
    }),
    function("Min", &[LISTS], N, |a, _| extreme(a, std::cmp::Ordering::Less)),
    function("MinItems", &[ELEMENTS, INT], B, |a, host| {
        let (count, wanted) = (args::list(a, 0)?.len() as i64, args::integer(a, 1)?);
        if count >= wanted {
            return boolean(true);
        }
        if !host.validates() {
            return boolean(false);
        }
        let message = format!("len(list) < MinItems({wanted}) ({count} < {wanted})");
        Err(if host.openness(0).open { Failure::incomplete(message) } else { Failure::eval(message) })
    }),
    function("Product", &[LISTS], N, |a, _| fold(a, Number::Int(1), Number::multiply)),
    function("Range", &[NUMBER, NUMBER, NUMBER], L, range),
    function("Repeat", &[ELEMENTS, INT], L, repeat),
    function("Reverse", &[ELEMENTS], L, |a, _| Ok(Value::List(args::list(a, 0)?.iter().rev().cloned().collect()))),
    function("Slice", &[ELEMENTS, INT, INT], L, slice),
    function("Sort", &[ELEMENTS, CONSTRAINT], L, sort),
    function("SortStable", &[ELEMENTS, CONSTRAINT], L, sort),
    function("SortStrings", &[LISTS], L, |a, _| {
        let mut texts = args::texts(a, 0)?;
        texts.sort_unstable();
        strings(texts)
    }),
    function("Sum", &[LISTS], N, |a, _| fold(a, Number::Int(0), Number::add)),
    function("Take", &[ELEMENTS, INT], L, |a, _| {
        let (elements, to) = (args::list(a, 0)?, index(a)?);
        Ok(Value::List(elements.get(..to).unwrap_or(elements).to_vec()))
    }),
    function("UniqueItems", &[ELEMENTS], B, unique),
];

pub(super) static LIST: Package = Package {
    path: "list",
    functions: FUNCTIONS,
    source: "Comparer: {\n\tT:    _\n\tx:    T\n\ty:    T\n\tless: bool\n}\nAscending: {\n\tComparer\n\tT:    number | string\n\tx:    T\n\ty:    T\n\tless: x < y\n}\nDescending: {\n\tComparer\n\tT:    number | string\n\tx:    T\n\ty:    T\n\tless: x > y\n}\n",
};

fn index(a: &[Value]) -> Result<usize> {
    usize::try_from(args::integer(a, 1)?).map_err(|_| Failure::eval("negative index"))
}

/// A number; an integer where it is a whole one, whatever its digits.
fn whole_if_integral(number: Number) -> Result {
    match number.to_decimal() {
        Some(decimal) => args::from_decimal(decimal),
        None => Ok(Value::Number(number)),
    }
}

fn fold(a: &[Value], start: Number, step: fn(&Number, &Number) -> Number) -> Result {
    whole_if_integral(args::numbers(a, 0)?.into_iter().fold(start, |sum, number| step(&sum, number)))
}

fn extreme(a: &[Value], wanted: std::cmp::Ordering) -> Result {
    let numbers = args::numbers(a, 0)?;
    let better = |best: &'_ Number, other: &'_ Number| other.compare(best) == Some(wanted);
    let best = numbers.into_iter().reduce(|best, other| if better(best, other) { other } else { best });
    whole_if_integral(best.cloned().ok_or_else(|| Failure::eval("empty list"))?)
}

fn average(a: &[Value], _: &mut dyn Host) -> Result {
    let numbers = args::numbers(a, 0)?;
    let count = Number::Int(numbers.len() as i64);
    let sum = numbers.into_iter().fold(Number::Int(0), |sum, number| sum.add(number));
    let quotient = sum.divide(&count).and_then(|quotient| quotient.to_decimal());
    let quotient = quotient.ok_or_else(|| Failure::eval("empty list"))?;
    args::from_decimal(quotient)
}

fn concat(a: &[Value], host: &mut dyn Host) -> Result {
    let mut out = Vec::new();
    for element in args::list(a, 0)? {
        match element {
            Value::List(elements) => out.extend_from_slice(elements),
            Value::Partial { .. } | Value::Handle(_) => {
                return Err(Failure::incomplete("an element of the list is not concrete"));
            }
            _ => return Err(Failure::eval("an element of the list is not a list")),
        }
        args::check_size(host, out.len() * size_of::<Value>())?;
    }
    Ok(Value::List(out))
}

fn flatten(a: &[Value], _: &mut dyn Host) -> Result {
    let depth = args::integer(a, 1)?;
    let mut out = Vec::new();
    // What is still to do, the next on top.
    let mut rest: Vec<(&Value, i64)> = args::list(a, 0)?.iter().rev().map(|value| (value, depth)).collect();
    while let Some((value, depth)) = rest.pop() {
        match value {
            Value::List(elements) if depth != 0 => rest.extend(elements.iter().rev().map(|value| (value, depth.saturating_sub(1)))),
            other => out.push(other.clone()),
        }
    }
    Ok(Value::List(out))
}

fn repeat(a: &[Value], host: &mut dyn Host) -> Result {
    let (elements, count) = (args::list(a, 0)?, args::integer(a, 1)?);
    let Ok(times) = usize::try_from(count) else {
        return Err(Failure::eval("negative count"));
    };
    if count > MAXIMUM_REPEAT {
        return Err(Failure::eval(format!("count {count} exceeds limit of {MAXIMUM_REPEAT}")));
    }
    args::check_size(host, elements.len().saturating_mul(times).saturating_mul(size_of::<Value>()))?;
    Ok(Value::List(std::iter::repeat_n(elements, times).flatten().cloned().collect()))
}

fn slice(a: &[Value], _: &mut dyn Host) -> Result {
    let (elements, from, to) = (args::list(a, 0)?, args::integer(a, 1)?, args::integer(a, 2)?);
    if from < 0 {
        return Err(Failure::eval("negative index"));
    }
    if from > to {
        return Err(Failure::eval(format!("invalid index: {from} > {to}")));
    }
    let range = super::strings::range(from, to, elements.len());
    let range = range.map_err(|_| Failure::eval("slice bounds out of range"))?;
    Ok(Value::List(elements.get(range).unwrap_or(&[]).to_vec()))
}

fn range(a: &[Value], host: &mut dyn Host) -> Result {
    let (start, end, step) = (args::decimal(a, 0)?, args::decimal(a, 1)?, args::decimal(a, 2)?);
    let zero = BigDecimal::from(0);
    if step == zero {
        return Err(Failure::eval("step must be non zero"));
    }
    let upwards = step > zero;
    if upwards && start > end || !upwards && start < end {
        let word = if upwards { "greater" } else { "less" };
        let sign = if upwards { "positive" } else { "negative" };
        return Err(Failure::eval(format!("end must be {word} than start when step is {sign}")));
    }
    let count = crate::number::quotient_size(&(&end - &start), &step);
    args::check_size(host, count.saturating_mul(size_of::<Value>()))?;
    let mut out = Vec::new();
    let mut at = start;
    while if upwards { at < end } else { at > end } {
        out.push(args::from_decimal(at.clone())?);
        args::check_size(host, out.len().saturating_mul(size_of::<Value>()))?;
        let next = crate::number::round(&(&at + &step));
        if next == at {
            return Err(Failure::eval("the step is too small for the start"));
        }
        at = next;
    }
    Ok(Value::List(out))
}

fn unique(a: &[Value], host: &mut dyn Host) -> Result {
    let elements = args::list(a, 0)?;
    for (at, value) in elements.iter().enumerate() {
        for other in elements.iter().skip(at + 1) {
            match (value, other) {
                // The same so far; what they become may differ.
                (Value::Handle(value), Value::Handle(other)) if host.validates() && host.alike(*value, *other) => {
                    return Err(Failure::incomplete("two elements of the list are equal so far"));
                }
                _ if args::same(value, other) => return boolean(false),
                _ => {}
            }
        }
    }
    boolean(true)
}

fn match_count(a: &[Value], host: &mut dyn Host) -> Result {
    let (wanted, pattern) = (args::constraint(a, 1)?, args::constraint(a, 2)?);
    let mut count = 0;
    for element in args::list(a, 0)? {
        match host.accepts(pattern, element, Demand::Present) {
            Ok(()) => count += 1,
            Err(limit @ Failure::Limit(_)) => return Err(limit),
            Err(_) => {}
        }
    }
    match host.accepts(wanted, &Value::integer(count), Demand::Present) {
        Ok(()) => boolean(true),
        Err(limit @ Failure::Limit(_)) => Err(limit),
        Err(_) if !host.validates() => boolean(false),
        Err(_) => Err(Failure::eval(format!("{count} elements of the list match, which is not the number that is wanted"))),
    }
}

fn is_sorted(a: &[Value], host: &mut dyn Host) -> Result {
    let comparator = args::constraint(a, 1)?;
    for pair in args::list(a, 0)?.windows(2) {
        if let [first, second] = pair
            && less_or_not(host, comparator, second, first)?
        {
            return boolean(false);
        }
    }
    boolean(true)
}

/// A comparator that fails does not say that something is less; only a limit ends the question.
fn less_or_not(host: &mut dyn Host, comparator: Node, x: &Value, y: &Value) -> Result<bool> {
    match host.less(comparator, x, y) {
        Err(Failure::Limit(limit)) => Err(Failure::Limit(limit)),
        other => Ok(other.unwrap_or(false)),
    }
}

fn sort(a: &[Value], host: &mut dyn Host) -> Result {
    let comparator = args::constraint(a, 1)?;
    let elements: Vec<&Value> = args::list(a, 0)?.iter().collect();
    Ok(Value::List(merge_sort(elements, comparator, host)?.into_iter().cloned().collect()))
}

fn merge_sort<'v>(mut elements: Vec<&'v Value>, comparator: Node, host: &mut dyn Host) -> Result<Vec<&'v Value>> {
    if elements.len() < 2 {
        return Ok(elements);
    }
    let right = elements.split_off(elements.len() / 2);
    let mut left = merge_sort(elements, comparator, host)?.into_iter().peekable();
    let mut right = merge_sort(right, comparator, host)?.into_iter().peekable();
    let mut out = Vec::with_capacity(left.len() + right.len());
    while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
        let from_right = host.less(comparator, second, first)?;
        out.extend(if from_right { right.next() } else { left.next() });
    }
    out.extend(left);
    out.extend(right);
    Ok(out)
}
