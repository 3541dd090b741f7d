//! Permissions as texts of octal digits.

use pravo_sdk::Problem;

/// Checks a permission: three or four octal digits, up to 0777.
pub fn check(text: &String) -> Result<(), Problem> {
    parse(text).map(drop).map_err(|problem| Problem::new("Invalid File Permission String Value", format!("bad mode permission: {problem}: {text}")))
}

/// The bits of a permission.
pub fn parse(text: &str) -> Result<u32, &'static str> {
    if !(3..=4).contains(&text.len()) {
        return Err("string length should be 3 or 4 digits");
    }
    match u32::from_str_radix(text, 8) {
        Ok(bits) if bits <= 0o777 => Ok(bits),
        _ => Err("string must be expressed in octal numeric notation"),
    }
}
