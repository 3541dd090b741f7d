//! The lines of a run, as people know them: `pet: Creating...`, `pet: Creation complete after 0s [id=…]`.

use std::time::Duration;

use pravo_engine::{Operation, RunEvent};

use super::text::plain_line;

/// Where a line of a run goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunLine {
    /// What is done: stdout.
    Done(String),
    /// What is looked at: stderr.
    Looked(String),
}

/// The line of an event, if it has one.
pub fn run_line(event: &RunEvent) -> Option<RunLine> {
    match event {
        RunEvent::Refreshing { address, id } => Some(RunLine::Looked(format!("{address}: Refreshing state...{}", bracketed(id.as_deref())))),
        RunEvent::Reading { address } => Some(RunLine::Looked(format!("{address}: Reading..."))),
        RunEvent::Started { address, operation, id } => {
            Some(RunLine::Done(format!("{address}: {}{}", started(*operation), bracketed(id.as_deref()))))
        }
        RunEvent::Still { address, operation, elapsed } => {
            Some(RunLine::Done(format!("{address}: Still {}... [{} elapsed]", still(*operation), seconds(*elapsed))))
        }
        RunEvent::Completed { address, operation, elapsed, id } => {
            let what = completed(*operation)?;
            if *operation == Operation::Import {
                return Some(RunLine::Done(format!("{address}: Import complete{}", bracketed(id.as_deref()))));
            }
            let id = if matches!(operation, Operation::Delete | Operation::DeleteDeposed) { None } else { id.as_deref() };
            Some(RunLine::Done(format!("{address}: {what} complete after {}{}", seconds(*elapsed), bracketed(id))))
        }
        RunEvent::Stopping => Some(RunLine::Looked(
            "\nInterrupted: nothing new is started, what is in flight is waited for. Interrupt again to wait no longer than needed.\n".to_owned(),
        )),
        RunEvent::Progress { .. } | RunEvent::Failed { .. } | RunEvent::Skipped { .. } | RunEvent::Warning { .. } => None,
    }
}

/// ` [id=…]` on one line, whatever the id holds.
fn bracketed(id: Option<&str>) -> String {
    id.map_or_else(String::new, |id| format!(" [id={}]", plain_line(&id.replace('\n', "\\n"))))
}

fn started(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "Creating...",
        Operation::Update => "Modifying...",
        Operation::Delete | Operation::DeleteDeposed => "Destroying...",
        Operation::CreateReplacement => "Creating replacement...",
        Operation::DeletePrevious => "Destroying previous instance...",
        Operation::Read => "Reading...",
        Operation::Import => "Importing...",
    }
}

fn still(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "creating",
        Operation::Update => "modifying",
        Operation::Delete | Operation::DeleteDeposed => "destroying",
        Operation::CreateReplacement => "creating replacement",
        Operation::DeletePrevious => "destroying previous instance",
        Operation::Read => "reading",
        Operation::Import => "importing",
    }
}

/// A replacement that creates first is complete when its previous object is gone.
fn completed(operation: Operation) -> Option<&'static str> {
    match operation {
        Operation::Create => Some("Creation"),
        Operation::Update => Some("Modifications"),
        Operation::Delete | Operation::DeleteDeposed => Some("Destruction"),
        Operation::CreateReplacement => None,
        Operation::DeletePrevious => Some("Replacement"),
        Operation::Read => Some("Read"),
        Operation::Import => Some("Import"),
    }
}

/// A duration in whole seconds: `0s`, `1m10s`, `2h0m5s`.
pub fn seconds(elapsed: Duration) -> String {
    let all = elapsed.as_secs();
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, _) => format!("{minutes}m{seconds}s"),
        _ => format!("{hours}h{minutes}m{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(event: &RunEvent) -> String {
        match run_line(event) {
            Some(RunLine::Done(line) | RunLine::Looked(line)) => line,
            None => String::new(),
        }
    }

    #[test]
    fn lines_read_as_they_are_known() {
        let address: pravo_model::Address = "pet".parse().unwrap();
        let id = Some("x".to_owned());
        let start = |operation, id: &Option<String>| line(&RunEvent::Started { address: address.clone(), operation, id: id.clone() });
        let complete =
            |operation| line(&RunEvent::Completed { address: address.clone(), operation, elapsed: Duration::from_millis(70_400), id: id.clone() });
        assert_eq!(start(Operation::Create, &None), "pet: Creating...");
        assert_eq!(start(Operation::Update, &id), "pet: Modifying... [id=x]");
        assert_eq!(start(Operation::Delete, &id), "pet: Destroying... [id=x]");
        assert_eq!(start(Operation::CreateReplacement, &None), "pet: Creating replacement...");
        assert_eq!(start(Operation::DeletePrevious, &id), "pet: Destroying previous instance... [id=x]");
        assert_eq!(complete(Operation::Create), "pet: Creation complete after 1m10s [id=x]");
        assert_eq!(complete(Operation::Update), "pet: Modifications complete after 1m10s [id=x]");
        assert_eq!(complete(Operation::Delete), "pet: Destruction complete after 1m10s");
        assert_eq!(complete(Operation::CreateReplacement), "");
        assert_eq!(complete(Operation::DeletePrevious), "pet: Replacement complete after 1m10s [id=x]");
        let still = RunEvent::Still { address: address.clone(), operation: Operation::Create, elapsed: Duration::from_secs(10) };
        assert_eq!(line(&still), "pet: Still creating... [10s elapsed]");
        assert_eq!(run_line(&RunEvent::Refreshing { address, id }), Some(RunLine::Looked("pet: Refreshing state... [id=x]".into())));
    }

    #[test]
    fn an_id_stays_on_its_line() {
        assert_eq!(bracketed(Some("a\nb\u{1b}[2J")), " [id=a\\nb\\u001b[2J]");
    }
}
