//! The `pravo` binary as a library, so that tests can use its parts.
//!
//! Kept true here: this is the only crate that sees all others, and the only one that prints, asks and ends the process.
//! Deliberately absent: decisions. What a plan is, what a specification means and what a provider may do is decided below.

pub mod args;
pub mod commands;
pub mod cue;
pub mod exit;
pub mod logging;
pub mod observer;
pub mod providers;
pub mod records;
pub mod render;
pub mod terminal;
pub mod workspace;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use pravo_engine::Interrupt;

use crate::args::{Cli, Command};
use crate::exit::{Failure, Outcome};
use crate::terminal::Terminal;
use crate::workspace::Context;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(args::rewrite(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers; anything else is a wrong command line.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    let terminal = Arc::new(Terminal::new(cli.global.no_color));
    let outcome = run(cli, &terminal);
    terminal.live("");
    if let Err(failure) = &outcome {
        terminal.report(&failure.diagnostics, &failure.sources);
    }
    exit::code(&outcome)
}

fn run(cli: Cli, terminal: &Arc<Terminal>) -> Outcome {
    logging::begin(cli.global.log.as_deref(), terminal.err.color)?;
    if let Some(directory) = &cli.global.directory {
        std::env::set_current_dir(directory).map_err(|error| Failure::file("work in", directory, &error))?;
    }
    let here = std::path::Path::new(".");
    let directory = std::env::current_dir().map_err(|error| Failure::file("work in", here, &error))?;
    let context = Context { terminal: terminal.clone(), directory, interrupt: Interrupt::new() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::message("runtime", format!("no threads can be started: {error}")))?;
    runtime.block_on(async {
        let signals = tokio::spawn(hear(context.clone(), listens(&cli.command)));
        let outcome = commands::run(&context, cli.command).await;
        signals.abort();
        outcome
    })
}

/// Whether a command ends gracefully when it is asked to; others have nothing to lose.
fn listens(command: &Command) -> bool {
    matches!(command, Command::Plan(_) | Command::Apply(_) | Command::Destroy(_) | Command::Drift(_))
}

/// Turns signals into wishes to end: the first starts nothing new, the second shortens the wait, the third ends the process. While a
/// question is open, and in commands that do not listen, the first one does.
async fn hear(context: Context, listens: bool) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupts), Ok(mut terminations)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) else { return };
    for heard in 1_u8.. {
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = terminations.recv() => {}
        }
        if heard >= 3 || !listens || context.terminal.is_asking() {
            context.terminal.live("");
            std::process::exit(exit::INTERRUPTED);
        }
        context.interrupt.raise();
    }
}
