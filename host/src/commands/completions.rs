//! `pravo completions`

use clap::CommandFactory as _;

use crate::args::{Cli, Completions};
use crate::exit::Done;
use crate::workspace::Context;

pub(super) fn run(context: &Context, arguments: &Completions) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "pravo", &mut script);
    context.terminal.print(&String::from_utf8_lossy(&script));
    Done::Success
}
