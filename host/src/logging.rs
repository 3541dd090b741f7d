//! What is logged: to stderr, and nothing unless it is asked for.

use tracing_subscriber::EnvFilter;

use crate::exit::Failure;

/// Begins logging.
///
/// # Errors
/// Where the filter cannot be read.
pub fn begin(filter: Option<&str>, color: bool) -> Result<(), Failure> {
    let Some(filter) = filter.filter(|filter| !filter.is_empty()) else { return Ok(()) };
    let parsed = EnvFilter::try_new(filter).map_err(|error| {
        let what = format!("the log filter {filter:?} cannot be read: {error}");
        Failure::of(
            pravo_diag::Diagnostic::error("log.filter", what).with_help("it is a level, or parts such as pravo_engine=debug, separated by commas"),
        )
    })?;
    let subscriber = tracing_subscriber::fmt().with_env_filter(parsed).with_writer(std::io::stderr).with_ansi(color);
    // A library that was there first keeps its subscriber.
    let _ = subscriber.try_init();
    Ok(())
}
