//! URLs: whether they are well-formed, and escapes within them.
//!
//! Why not a library: those that there are follow the rules of browsers, which repair and refuse other things.

use super::super::arguments::Result;
use super::address::Address;
use crate::builtin::Failure;

/// A part of a URL, by what must be escaped in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// An element of the path, and everything else that only needs its escapes to be well-formed.
    Path,
    Query,
    Host,
    Zone,
}

/// Whether a byte may stand in a part as it is.
fn is_plain(byte: u8, part: Part) -> bool {
    let unreserved = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    unreserved
        || match part {
            Part::Path => matches!(byte, b'$' | b'&' | b'+' | b':' | b'=' | b'@'),
            Part::Query => false,
            Part::Host | Part::Zone => br#"!$&'()*+,;=:[]<>""#.contains(&byte),
        }
}

/// Text for a part of a URL.
pub(super) fn escape(text: &str, part: Part) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' if part == Part::Query => out.push('+'),
            byte if is_plain(byte, part) => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn digit(byte: Option<&u8>) -> Option<u8> {
    char::from(*byte?).to_digit(16).map(|digit| digit as u8)
}

/// The text of a part of a URL.
pub(super) fn unescape(text: &str, part: Part) -> Result<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'%' => {
                let (high, low) = (digit(bytes.get(at + 1)), digit(bytes.get(at + 2)));
                let value = high.zip(low).map(|(high, low)| high << 4 | low);
                let allowed = |value: &u8| match part {
                    Part::Host => *value >= 0x80 || *value == b'%',
                    Part::Zone => matches!(value, b'%' | b' ') || is_plain(*value, Part::Host),
                    Part::Path | Part::Query => true,
                };
                let end = text.char_indices().map(|(at, _)| at).find(|end| *end >= at + 3).unwrap_or(text.len());
                let shown = text.get(at..end).unwrap_or("%");
                out.push(value.filter(allowed).ok_or_else(|| Failure::eval(format!("invalid URL escape {shown:?}")))?);
                at += 3;
                continue;
            }
            b'+' if part == Part::Query => out.push(b' '),
            byte if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && !is_plain(*byte, part) => {
                return Err(Failure::eval(format!("invalid character {:?} in host name", char::from(*byte))));
            }
            byte => out.push(*byte),
        }
        at += 1;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Whether a well-formed URL is absolute, that is, has a scheme.
pub(super) fn check(text: &str) -> Result<bool> {
    let (url, fragment) = text.split_once('#').unwrap_or((text, ""));
    if url.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err(Failure::eval("invalid control character in URL"));
    }
    let absolute = if url == "*" { false } else { check_parts(url)? };
    unescape(fragment, Part::Path)?;
    Ok(absolute)
}

fn check_parts(url: &str) -> Result<bool> {
    let (scheme, rest) = cut_scheme(url)?;
    let absolute = !scheme.is_empty();
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        // What follows a scheme without a slash may be anything.
        if absolute {
            return Ok(true);
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err(Failure::eval("first path segment in URL cannot contain colon"));
        }
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) if absolute || !rest.starts_with('/') => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            check_authority(authority)?;
            path
        }
        _ => rest,
    };
    unescape(path, Part::Path)?;
    Ok(absolute)
}

/// The scheme, without its colon, and the rest.
fn cut_scheme(url: &str) -> Result<(&str, &str)> {
    let end = url.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    match end.and_then(|end| Some((url.get(..end)?, url.get(end..)?.strip_prefix(':')?))) {
        Some(("", _)) => Err(Failure::eval("missing protocol scheme")),
        Some((scheme, rest)) if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) => Ok((scheme, rest)),
        _ => Ok(("", url)),
    }
}

fn check_authority(authority: &str) -> Result<()> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", authority),
    };
    check_host(host)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(plain) {
        return Err(Failure::eval("invalid userinfo in URL"));
    }
    unescape(user, Part::Path)?;
    Ok(())
}

fn check_host(host: &str) -> Result<()> {
    let port = |text: &str| {
        let digits = text.strip_prefix(':').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        if text.is_empty() || digits.is_some() { Ok(()) } else { Err(Failure::eval(format!("invalid port {text:?} after host"))) }
    };
    match host.rfind('[') {
        Some(0) => {
            let (literal, after) =
                host.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']')).ok_or_else(|| Failure::eval("missing ']' in host"))?;
            port(after)?;
            let (address, zone) = literal.split_at(literal.find("%25").unwrap_or(literal.len()));
            let address = Address::parse(&(unescape(address, Part::Host)? + &unescape(zone, Part::Zone)?))?;
            if address.is_v4() { Err(Failure::eval("invalid IP-literal")) } else { Ok(()) }
        }
        Some(_) => Err(Failure::eval("invalid IP-literal")),
        None => {
            if let Some(colon) = host.rfind(':') {
                port(host.get(colon..).unwrap_or(""))?;
            }
            unescape(host, Part::Host).map(drop)
        }
    }
}
