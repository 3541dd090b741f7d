//! `net`: addresses, hosts and URLs, as text only; nothing is looked up.

mod address;
mod host;
mod url;

use std::cmp::Ordering;
use std::sync::Arc;

use super::arguments::{self as args, ANY, INT, Result, STRING, boolean, function, int, string, strings};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};
use address::{Address, Block};

const S: Kinds = Kinds::STRING;
const B: Kinds = Kinds::BOOL;
const L: Kinds = Kinds::LIST;

const FUNCTIONS: &[Function] = &[
    function("AbsURL", &[STRING], B, |a, _| if url::check(args::text(a, 0)?)? { boolean(true) } else { Err(Failure::eval("URL is not absolute")) }),
    function("AddIP", &[ANY, INT], S, |a, _| match Block::of(args::value(a, 0)?) {
        Ok(block) => string(block.with(block.address.add(&args::big(a, 1)?)?).to_string()),
        Err(_) => string(address(a, 0)?.add(&args::big(a, 1)?)?.to_string()),
    }),
    function("AddIPCIDR", &[ANY, INT], S, |a, _| {
        let block = Block::of(args::value(a, 0)?)?;
        let offset = args::big(a, 1)? << block.host_bits();
        string(block.with(block.address.add(&offset)?).to_string())
    }),
    function("CompareIP", &[ANY, ANY], Kinds::INT, |a, _| {
        int(match address(a, 0)?.order(&address(a, 1)?) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })
    }),
    function("FQDN", &[STRING], B, |a, _| boolean(host::is_domain(args::text(a, 0)?))),
    function("GlobalUnicastIP", &[ANY], B, |a, _| boolean(address(a, 0)?.is_global_unicast())),
    function("IP", &[ANY], B, |a, _| address(a, 0).and_then(|_| boolean(true))),
    function("IPCIDR", &[ANY], B, |a, _| Block::of(args::value(a, 0)?).and_then(|_| boolean(true))),
    function("IPString", &[ANY], S, |a, _| string(address(a, 0)?.to_string())),
    function("IPv4", &[ANY], B, |a, _| boolean(address(a, 0)?.is_v4())),
    function("IPv6", &[ANY], B, |a, _| boolean(!address(a, 0)?.is_v4())),
    function("InCIDR", &[ANY, ANY], B, |a, _| {
        let address = address(a, 0)?;
        boolean(Block::of(args::value(a, 1)?)?.contains(&address))
    }),
    function("InterfaceLocalMulticastIP", &[ANY], B, |a, _| boolean(address(a, 0)?.is_interface_local_multicast())),
    function("JoinHostPort", &[ANY, ANY], S, host::join),
    function("LinkLocalMulticastIP", &[ANY], B, |a, _| boolean(address(a, 0)?.is_link_local_multicast())),
    function("LinkLocalUnicastIP", &[ANY], B, |a, _| boolean(address(a, 0)?.is_link_local_unicast())),
    function("LoopbackIP", &[ANY], B, |a, _| boolean(address(a, 0)?.is_loopback())),
    function("MulticastIP", &[ANY], B, |a, _| boolean(address(a, 0)?.is_multicast())),
    function("ParseCIDR", &[STRING], Kinds::STRUCT, parse_block),
    function("ParseIP", &[STRING], L, |a, _| {
        let text = args::text(a, 0)?;
        let parsed = Address::parse(text).map_err(|_| Failure::eval(format!("invalid IP address {text:?}")))?;
        list(&parsed.bytes())
    }),
    function("PathEscape", &[STRING], S, |a, _| string(url::escape(args::text(a, 0)?, url::Part::Path))),
    function("PathUnescape", &[STRING], S, |a, _| string(url::unescape(args::text(a, 0)?, url::Part::Path)?)),
    function("QueryEscape", &[STRING], S, |a, _| string(url::escape(args::text(a, 0)?, url::Part::Query))),
    function("QueryUnescape", &[STRING], S, |a, _| string(url::unescape(args::text(a, 0)?, url::Part::Query)?)),
    function("SplitHostPort", &[STRING], L, |a, _| {
        let (host, port) = host::split(args::text(a, 0)?)?;
        strings([host, port])
    }),
    function("ToIP16", &[ANY], L, |a, _| list(&address(a, 0)?.bytes_of_v6())),
    function("ToIP4", &[ANY], L, |a, _| {
        let address = address(a, 0)?;
        if address.is_v4() { list(&address.bytes()) } else { Err(Failure::eval(format!("cannot convert \"{address}\" to IPv4"))) }
    }),
    function("URL", &[STRING], B, |a, _| url::check(args::text(a, 0)?).and_then(|_| boolean(true))),
    function("UnspecifiedIP", &[ANY], B, |a, _| boolean(address(a, 0)?.is_unspecified())),
];

pub(super) static NET: Package = Package { path: "net", functions: FUNCTIONS, source: "IPv4len: 4\nIPv6len: 16\n" };

/// Text for the query of a URL.
pub(super) fn escape_query(text: &str) -> String {
    url::escape(text, url::Part::Query)
}

fn address(a: &[Value], index: usize) -> Result<Address> {
    Address::of(args::value(a, index)?)
}

fn list(bytes: &[u8]) -> Result {
    Ok(Value::List(bytes.iter().map(|byte| Value::integer(i64::from(*byte))).collect()))
}

/// Mask, length, first address and, of IPv4, last address.
fn parse_block(a: &[Value], _: &mut dyn Host) -> Result {
    let block = Block::parse(args::text(a, 0)?)?;
    let mut fields = vec![
        (Arc::from("prefix_mask"), Value::string(block.mask().to_string())),
        (Arc::from("prefix_len"), Value::integer(i64::from(block.bits))),
        (Arc::from("prefix_addr"), Value::string(block.first().to_string())),
    ];
    if block.address.is_v4() {
        fields.push((Arc::from("broadcast_addr"), Value::string(block.last().to_string())));
    }
    Ok(Value::Struct(fields))
}
