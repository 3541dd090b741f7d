//! What gives back what it is given: a resource, a data source, an ephemeral and functions.

use std::collections::BTreeMap;

use pravo_sdk::function::Result as FunctionResult;
use pravo_sdk::{Attr, Context, DataSource, Ephemeral, FunctionError, Opened, Resource, Result, function};

use crate::behavior::fresh_id;
use crate::settings::Log;

/// Gives back after the apply what it was given; while a creation or a change is planned, the outputs are unknown.
#[derive(Resource)]
#[pravo(name = "trace_echo")]
pub struct Echo {
    /// A fresh id.
    #[pravo(computed, keep_prior, identity)]
    id: Attr<String>,
    /// A text.
    #[pravo(optional)]
    input: Attr<String>,
    /// A text that is not stored, but given back.
    #[pravo(optional, write_only)]
    input_wo: Attr<String>,
    /// A number.
    #[pravo(optional)]
    input_number: Attr<pravo_sdk::Number>,
    /// A truth value.
    #[pravo(optional)]
    input_bool: Attr<bool>,
    /// Texts in order.
    #[pravo(optional)]
    input_list: Attr<Vec<Attr<String>>>,
    /// Texts by name.
    #[pravo(optional)]
    input_map: Attr<BTreeMap<String, Attr<String>>>,
    /// `input_wo` if it is set, else `input`.
    #[pravo(computed)]
    output: Attr<String>,
    /// `input_number`.
    #[pravo(computed)]
    output_number: Attr<pravo_sdk::Number>,
    /// `input_bool`.
    #[pravo(computed)]
    output_bool: Attr<bool>,
    /// `input_list`.
    #[pravo(computed)]
    output_list: Attr<Vec<Attr<String>>>,
    /// `input_map`.
    #[pravo(computed)]
    output_map: Attr<BTreeMap<String, Attr<String>>>,
}

impl Echo {
    fn answer(mut self) -> Self {
        self.output = if self.input_wo.is_null() { self.input.clone() } else { self.input_wo.clone() };
        self.output_number = self.input_number.clone();
        self.output_bool = self.input_bool.clone();
        self.output_list = self.input_list.clone();
        self.output_map = self.input_map.clone();
        self
    }
}

impl Resource for Echo {
    type Configuration = Log;

    fn create(mut planned: Self, _: &Context<'_, Log>) -> Result<Self> {
        planned.id = fresh_id()?.into();
        Ok(planned.answer())
    }

    fn update(_: Self, planned: Self, _: &Context<'_, Log>) -> Result<Self> {
        Ok(planned.answer())
    }
}

/// What the log holds.
#[derive(DataSource)]
#[pravo(name = "trace_log")]
pub struct Lines {
    /// Only lines that begin so.
    #[pravo(optional)]
    prefix: Attr<String>,
    /// The lines.
    #[pravo(computed)]
    lines: Attr<Vec<String>>,
    /// How many there are.
    #[pravo(computed)]
    count: Attr<i64>,
    /// The region that the provider is configured with.
    #[pravo(computed)]
    region: Attr<String>,
}

impl DataSource for Lines {
    type Configuration = Log;

    fn read(mut config: Self, context: &Context<'_, Log>) -> Result<Self> {
        let prefix = config.prefix.known().map_or("", String::as_str);
        let lines: Vec<String> = context.configuration.lines()?.into_iter().filter(|line| line.starts_with(prefix)).collect();
        config.count = i64::try_from(lines.len()).ok().into();
        config.lines = lines.into();
        config.region = context.configuration.region.clone();
        Ok(config)
    }
}

/// A token that is valid while it is open.
#[derive(Ephemeral)]
#[pravo(name = "trace_token")]
pub struct Token {
    /// Is part of the token.
    #[pravo(optional)]
    input: Attr<String>,
    /// After how many milliseconds it wants to be renewed.
    #[pravo(optional)]
    renew_after_ms: Attr<i64>,
    /// The token.
    #[pravo(computed, sensitive)]
    token: Attr<String>,
}

impl Ephemeral for Token {
    type Configuration = Log;

    fn open(mut config: Self, context: &Context<'_, Log>) -> Result<Opened<Self>> {
        let id = fresh_id()?;
        context.configuration.append(&format!("open {id}"))?;
        config.token = format!("{}:{id}", config.input.known().map_or("", String::as_str)).into();
        let renew_after = config.renew_after_ms.known().and_then(|after| u64::try_from(*after).ok());
        Ok(Opened { value: config, private: id.into_bytes(), renew_after })
    }

    fn renew(private: &[u8], context: &Context<'_, Log>) -> Result<Opened<()>> {
        context.configuration.append(&format!("renew {}", String::from_utf8_lossy(private)))?;
        Ok(Opened { value: (), private: private.to_vec(), renew_after: None })
    }

    fn close(private: &[u8], context: &Context<'_, Log>) -> Result<()> {
        context.configuration.append(&format!("close {}", String::from_utf8_lossy(private)))
    }
}

/// The text in upper case.
#[function]
pub fn shout(text: String) -> FunctionResult<String> {
    Ok(text.to_uppercase())
}

/// The sum of numbers.
#[function]
pub fn sum(numbers: Vec<i64>) -> FunctionResult<i64> {
    let sum = numbers.iter().try_fold(0i64, |sum, number| sum.checked_add(*number));
    sum.ok_or_else(|| FunctionError::argument(0, "The sum does not fit 64 bits."))
}

/// Fails with the text.
#[function]
pub fn fail(text: String) -> FunctionResult<String> {
    Err(FunctionError::argument(0, text))
}
