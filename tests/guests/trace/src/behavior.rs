//! Misbehaviour on request.

use std::cell::Cell;
use std::hint::black_box;

use pravo_sdk::host::{self, Level};
use pravo_sdk::{Diagnostic, DiagnosticExt, Result};

/// When it is asked.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    Validate,
    Plan,
    Create,
    Read,
    Update,
    Delete,
}

impl Moment {
    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Moment::Validate => "validate",
            Moment::Plan => "plan",
            Moment::Create => "create",
            Moment::Read => "read",
            Moment::Update => "update",
            Moment::Delete => "delete",
        }
    }
}

/// What the exports put in place of an honest answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forgery {
    /// Nothing.
    #[default]
    None,
    /// Bytes that are no value.
    Garbage,
    /// The plan as it came, with its unknowns.
    Unknown,
}

thread_local! {
    static FORGERY: Cell<Forgery> = const { Cell::new(Forgery::None) };
}

/// The forgery that the running call asked for.
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
pub fn forgery() -> Forgery {
    FORGERY.take()
}

/// Misbehaves in the way of that name. Some ways do not come back.
pub fn act(behavior: &str) -> Result<()> {
    match behavior {
        "error" => return Err(Diagnostic::error("Failed on request", "The configuration asks for an error.").at_attribute("behavior").into()),
        "trap" => panic!("trapped on request"),
        "hang" => loop {
            black_box(());
        },
        "sleep" => std::thread::sleep(std::time::Duration::from_secs(3600)),
        "allocate" => {
            let mut hoard: Vec<Vec<u8>> = Vec::new();
            loop {
                hoard.push(black_box(vec![1; 1 << 20]));
            }
        }
        "recurse" => drop(black_box(recurse(1))),
        "flood" => {
            for line in 0..1_000_000 {
                host::log(Level::Info, &format!("line {line} of a flood"));
            }
        }
        "garbage" => FORGERY.set(Forgery::Garbage),
        "unknown" => FORGERY.set(Forgery::Unknown),
        _ => {}
    }
    Ok(())
}

#[allow(unconditional_recursion)]
fn recurse(depth: u64) -> u64 {
    black_box(recurse(black_box(depth) + 1)) + 1
}

/// Whether a result shall contradict its plan.
pub fn contradicts(behavior: Option<&String>) -> bool {
    behavior.is_some_and(|behavior| behavior == "contradict")
}

/// 16 random hexadecimal digits.
pub fn fresh_id() -> Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| Diagnostic::error("No randomness", error.to_string()))?;
    Ok(format!("{:016x}", u64::from_be_bytes(bytes)))
}
