//! Addresses and blocks of addresses.

use std::cmp::Ordering;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use num_bigint::{BigInt, Sign};

use super::super::arguments::Result;
use crate::Value;
use crate::builtin::Failure;

/// An address; one of IPv6 may have a zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    ip: IpAddr,
    zone: String,
}

impl From<IpAddr> for Address {
    fn from(ip: IpAddr) -> Self {
        Self { ip, zone: String::new() }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.ip)?;
        if self.zone.is_empty() { Ok(()) } else { write!(f, "%{}", self.zone) }
    }
}

impl Address {
    /// The address that a value is: text, or a list of 4 or 16 bytes.
    pub(super) fn of(value: &Value) -> Result<Self> {
        match value {
            Value::String(text) => Self::parse(text),
            Value::Bytes(bytes) => Self::parse(&String::from_utf8_lossy(bytes)),
            Value::List(elements) => {
                let byte = |element: &'_ Value| match element {
                    Value::Number(number) => number.to_integer().and_then(|number| u8::try_from(number).ok()),
                    _ => None,
                };
                let bytes: Option<Vec<u8>> = elements.iter().map(byte).collect();
                let bytes = bytes.ok_or_else(|| Failure::eval("an element of the IP address is not a byte"))?;
                Self::from_bytes(&bytes).ok_or_else(|| Failure::eval(format!("invalid IP length {}", bytes.len())))
            }
            Value::Partial { .. } | Value::Handle(_) => Err(Failure::incomplete("the IP address is not concrete")),
            other => Err(Failure::eval(format!("invalid type {} for IP address", other.kinds()))),
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        let invalid = || Failure::eval(format!("invalid IP address {text:?}"));
        let (plain, zone) = match text.split_once('%') {
            Some((_, "")) => return Err(invalid()),
            Some((plain, zone)) => (plain, zone),
            None => (text, ""),
        };
        let ip: IpAddr = plain.parse().map_err(|_| invalid())?;
        if ip.is_ipv4() && !zone.is_empty() {
            return Err(invalid());
        }
        Ok(Self { ip, zone: zone.to_owned() })
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let ip = match <[u8; 4]>::try_from(bytes) {
            Ok(bytes) => IpAddr::from(bytes),
            Err(_) => IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?),
        };
        Some(Self::from(ip))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        match self.ip {
            IpAddr::V4(ip) => ip.octets().to_vec(),
            IpAddr::V6(ip) => ip.octets().to_vec(),
        }
    }

    pub(super) fn bytes_of_v6(&self) -> [u8; 16] {
        match self.ip {
            IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
            IpAddr::V6(ip) => ip.octets(),
        }
    }

    pub(super) fn is_v4(&self) -> bool {
        self.ip.is_ipv4()
    }

    /// Short addresses first, then by value, then by zone.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.is_v4().cmp(&other.is_v4()).reverse().then_with(|| self.ip.cmp(&other.ip)).then_with(|| self.zone.cmp(&other.zone))
    }

    /// The address so much further.
    pub(super) fn add(&self, offset: &BigInt) -> Result<Self> {
        let size = self.bytes().len();
        let (sign, sum) = (BigInt::from_bytes_be(Sign::Plus, &self.bytes()) + offset).to_bytes_be();
        let out_of_range = || Failure::eval("IP address arithmetic resulted in out-of-range address");
        if sign == Sign::Minus {
            return Err(out_of_range());
        }
        let mut bytes = vec![0; size.saturating_sub(sum.len())];
        bytes.extend(sum);
        Some(bytes).filter(|bytes| bytes.len() == size).and_then(|bytes| Self::from_bytes(&bytes)).ok_or_else(out_of_range)
    }

    /// The address that one of IPv4 within IPv6 means.
    fn canonical(&self) -> IpAddr {
        self.ip.to_canonical()
    }

    /// The first two bytes of an address of IPv6.
    fn start(ip: Ipv6Addr) -> u16 {
        ip.segments()[0]
    }

    pub(super) fn is_loopback(&self) -> bool {
        self.canonical().is_loopback()
    }

    pub(super) fn is_unspecified(&self) -> bool {
        self.zone.is_empty() && self.ip.is_unspecified()
    }

    pub(super) fn is_multicast(&self) -> bool {
        self.canonical().is_multicast()
    }

    pub(super) fn is_interface_local_multicast(&self) -> bool {
        matches!(self.canonical(), IpAddr::V6(ip) if Self::start(ip) & 0xff0f == 0xff01)
    }

    pub(super) fn is_link_local_multicast(&self) -> bool {
        match self.canonical() {
            IpAddr::V4(ip) => matches!(ip.octets(), [224, 0, 0, _]),
            IpAddr::V6(ip) => Self::start(ip) & 0xff0f == 0xff02,
        }
    }

    pub(super) fn is_link_local_unicast(&self) -> bool {
        match self.canonical() {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => Self::start(ip) & 0xffc0 == 0xfe80,
        }
    }

    pub(super) fn is_global_unicast(&self) -> bool {
        let ip = self.canonical();
        let nowhere = ip == IpAddr::V4(Ipv4Addr::UNSPECIFIED) || ip == IpAddr::V4(Ipv4Addr::BROADCAST) || self.is_unspecified();
        !nowhere && !self.is_loopback() && !self.is_multicast() && !self.is_link_local_unicast()
    }
}

/// A block of addresses, `10.0.0.0/8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) address: Address,
    pub(super) bits: u8,
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl Block {
    /// The block that a value is.
    pub(super) fn of(value: &Value) -> Result<Self> {
        match value {
            Value::String(text) => Self::parse(text),
            Value::Bytes(bytes) => Self::parse(&String::from_utf8_lossy(bytes)),
            Value::Partial { .. } | Value::Handle(_) => Err(Failure::incomplete("the IP CIDR is not concrete")),
            other => Err(Failure::eval(format!("invalid type {} for IP CIDR", other.kinds()))),
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        let invalid = || Failure::eval(format!("invalid IP CIDR {text:?}"));
        let (address, bits) = text.rsplit_once('/').ok_or_else(invalid)?;
        let address = Address::parse(address).map_err(|_| invalid())?;
        let plain = bits.bytes().all(|byte| byte.is_ascii_digit()) && (bits.len() == 1 || !bits.starts_with('0'));
        let bits = Some(bits).filter(|_| plain && address.zone.is_empty()).and_then(|bits| bits.parse().ok());
        let bits = bits.filter(|bits| usize::from(*bits) <= address.bytes().len() * 8).ok_or_else(invalid)?;
        Ok(Self { address, bits })
    }

    pub(super) fn with(&self, address: Address) -> Self {
        Self { address, bits: self.bits }
    }

    /// How many bits are not fixed.
    pub(super) fn host_bits(&self) -> usize {
        (self.address.bytes().len() * 8).saturating_sub(usize::from(self.bits))
    }

    fn mask_bytes(&self) -> Vec<u8> {
        let byte = |at: usize| match usize::from(self.bits).saturating_sub(at * 8) {
            0 => 0,
            set @ 1..8 => 0xff_u8 << (8 - set),
            _ => 0xff,
        };
        (0..self.address.bytes().len()).map(byte).collect()
    }

    fn map(&self, combine: fn(u8, u8) -> u8) -> Address {
        let bytes: Vec<u8> = self.address.bytes().into_iter().zip(self.mask_bytes()).map(|(a, b)| combine(a, b)).collect();
        Address::from_bytes(&bytes).unwrap_or_else(|| self.address.clone())
    }

    pub(super) fn mask(&self) -> Address {
        self.map(|_, mask| mask)
    }

    pub(super) fn first(&self) -> Address {
        self.map(|byte, mask| byte & mask)
    }

    pub(super) fn last(&self) -> Address {
        self.map(|byte, mask| byte | !mask)
    }

    pub(super) fn contains(&self, address: &Address) -> bool {
        let same_kind = address.is_v4() == self.address.is_v4() && address.zone.is_empty();
        same_kind && self.with(address.clone()).first() == self.first()
    }
}
