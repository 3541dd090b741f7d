//! Names of hosts, and hosts with ports.

use super::super::arguments::{self as args, Result, string};
use super::address::Address;
use crate::Value;
use crate::builtin::{Failure, Host};

/// `host:port`, an address of IPv6 in brackets.
pub(super) fn join(a: &[Value], _: &mut dyn Host) -> Result {
    let host = match args::value(a, 0)? {
        list @ Value::List(_) => Address::of(list)?.to_string(),
        other => text(other, "host")?,
    };
    let port = match args::value(a, 1)? {
        Value::Number(_) => args::integer(a, 1)?.to_string(),
        other => text(other, "port")?,
    };
    string(if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") })
}

fn text(value: &Value, what: &str) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.to_string()),
        Value::Bytes(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        Value::Partial { .. } | Value::Handle(_) => Err(Failure::incomplete(format!("the {what} is not concrete"))),
        other => Err(Failure::eval(format!("cannot use a value of type {} as {what}", other.kinds()))),
    }
}

/// Host and port of `host:port` or `[host]:port`.
pub(super) fn split(text: &str) -> Result<(&str, &str)> {
    let wrong = |what: &str| Failure::eval(format!("address {text}: {what}"));
    let (before, port) = text.rsplit_once(':').ok_or_else(|| wrong("missing port in address"))?;
    let (host, inside) = match before.strip_prefix('[') {
        Some(_) => {
            let (host, after) = text.get(1..).and_then(|rest| rest.split_once(']')).ok_or_else(|| wrong("missing ']' in address"))?;
            match after {
                "" => return Err(wrong("missing port in address")),
                after if after.len() == port.len() + 1 && after.starts_with(':') => (host, host),
                after if after.starts_with(':') => return Err(wrong("too many colons in address")),
                _ => return Err(wrong("missing port in address")),
            }
        }
        None if before.contains(':') => return Err(wrong("too many colons in address")),
        None => (before, before),
    };
    if inside.contains('[') || port.contains('[') {
        return Err(wrong("unexpected '[' in address"));
    }
    if inside.contains(']') || port.contains(']') {
        return Err(wrong("unexpected ']' in address"));
    }
    Ok((host, port))
}

/// Whether a text is the full name of a domain: letters, digits and dashes, of lengths that the DNS allows.
pub(super) fn is_domain(text: &str) -> bool {
    use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
    let text = text.strip_suffix('.').unwrap_or(text);
    text.is_ascii() && Uts46::new().to_ascii(text.as_bytes(), AsciiDenyList::STD3, Hyphens::Check, DnsLength::Verify).is_ok()
}
