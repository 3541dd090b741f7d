//! TOML.
//!
//! Dates and times are strings as they are written, as in CUE, which then asks that they have the form of
//! `time.Format`: a blank for the `T`, or a lower-case one, is TOML but an error here.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use super::DecodeError;
use crate::packages::is_time;
use crate::syntax::literal;
use crate::{Number, Value};

/// The table of a text. The parser bounds how deep it is.
pub(super) fn decode(text: &str) -> Result<Value, DecodeError> {
    let table = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        DecodeError::at(error.message().trim_end(), text, start)
    })?;
    Reader { text }.table(table.get_ref())
}

struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>, span: &Range<usize>) -> DecodeError {
        DecodeError::at(message, self.text, span.start)
    }

    fn table(&self, table: &DeTable<'_>) -> Result<Value, DecodeError> {
        let field = |(name, value): (&Spanned<_>, &Spanned<_>)| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            Ok((name.as_ref().into(), self.value(value)?))
        };
        Ok(Value::Struct(table.iter().map(field).collect::<Result<_, _>>()?))
    }

    fn value(&self, value: &Spanned<DeValue<'_>>) -> Result<Value, DecodeError> {
        let span = value.span();
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::string(text.as_ref()),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Integer(integer) => self.integer(integer, &span)?,
            DeValue::Float(float) => self.float(float, &span)?,
            DeValue::Datetime(time) => {
                let layout = match (time.date, time.time, time.offset) {
                    (Some(_), None, _) => "2006-01-02",
                    (None, ..) => "15:04:05",
                    (_, _, None) => "2006-01-02T15:04:05",
                    _ => "2006-01-02T15:04:05Z07:00",
                };
                let written = self.text.get(span.clone()).unwrap_or("");
                if !is_time(layout, written) {
                    return Err(self.error(format!("invalid time {written:?}: it does not have the form {layout:?}"), &span));
                }
                Value::string(written)
            }
            DeValue::Array(elements) => Value::List(elements.iter().map(|element| self.value(element)).collect::<Result<_, _>>()?),
            DeValue::Table(table) => self.table(table)?,
        })
    }

    fn integer(&self, integer: &DeInteger<'_>, span: &Range<usize>) -> Result<Value, DecodeError> {
        let digits = integer.as_str().replace('_', "");
        let digits = digits.strip_prefix('+').unwrap_or(&digits);
        let value = num_bigint::BigInt::parse_bytes(digits.as_bytes(), integer.radix());
        Ok(Value::Number(Number::from(value.ok_or_else(|| self.error("this is not an integer", span))?)))
    }

    fn float(&self, float: &DeFloat<'_>, span: &Range<usize>) -> Result<Value, DecodeError> {
        match literal::number(float.as_str()) {
            Ok(literal::Number::Float(value)) => Ok(Value::Number(Number::from(value))),
            Ok(literal::Number::Integer(value)) => Ok(Value::Number(Number::from(value))),
            Err(_) => Err(self.error(format!("CUE has no number {:?}", float.as_str()), span)),
        }
    }
}
