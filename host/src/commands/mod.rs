//! The commands, one file each. Every one takes a [`Context`] and its arguments, and gives an [`Outcome`].

mod apply;
mod completions;
mod drift;
mod eval;
mod fmt;
mod graph;
mod init;
mod output;
mod plan;
mod planning;
mod provider;
mod show;
mod state;
mod validate;
mod version;

use crate::args::{Command, State};
use crate::exit::Outcome;
use crate::workspace::Context;

/// Runs a command.
///
/// # Errors
/// Where the command could not do what it was asked for.
pub async fn run(context: &Context, command: Command) -> Outcome {
    match command {
        Command::Init(arguments) => init::run(context, &arguments).await,
        Command::Plan(arguments) => plan::run(context, &arguments).await,
        Command::Apply(arguments) => apply::run(context, &arguments.into()).await,
        Command::Destroy(arguments) => apply::run(context, &arguments.into()).await,
        Command::Drift(arguments) => drift::run(context, &arguments).await,
        Command::Show(arguments) => show::run(context, &arguments),
        Command::Output(arguments) => output::run(context, &arguments).await,
        Command::Validate(arguments) => validate::run(context, &arguments).await,
        Command::Graph(arguments) => graph::run(context, &arguments),
        Command::State(State::Graph { format }) => state::graph(context, format),
        Command::State(command) => state::run(context, command).await,
        Command::Provider(command) => provider::run(context, &command).await,
        Command::Completions(arguments) => Ok(completions::run(context, &arguments)),
        Command::Version(arguments) => Ok(version::run(context, &arguments)),
        Command::Fmt(arguments) => fmt::run(context, &arguments),
        Command::Eval(arguments) => eval::run(context, &arguments),
    }
}
