//! Ephemerals that are open: renewed while they are in use, closed at the end whatever happens.
//!
//! Kept true here: an ephemeral with one configuration is opened once, and everything that was opened is closed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use pravo_diag::Diagnostic;
use pravo_model::provider::{OpenedEphemeral, Provider};
use pravo_model::{Address, Value};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::calls::Calls;
use crate::diagnose::{Failed, Phase};
use crate::pool::{Pool, Slot};
use crate::shape::conforms;
use crate::subject::Subject;
use crate::validity::{Problem, assert_plan_valid};

/// How long closing may take.
const CLOSE_WITHIN: Duration = Duration::from_secs(10);

struct Opened {
    config: Value,
    value: Value,
    subject: Subject,
    provider: Arc<dyn Provider>,
    private: Arc<Mutex<Vec<u8>>>,
    renewal: Option<JoinHandle<()>>,
}

/// Everything that is open in a run.
#[derive(Default)]
pub(crate) struct Ephemerals {
    opened: Mutex<HashMap<Address, Opened>>,
}

impl Ephemerals {
    /// The value of an ephemeral, opened now where it is not open yet.
    pub(crate) async fn open(
        &self,
        pool: &Pool,
        slot: &Slot,
        subject: &Subject,
        config: &Value,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Value, Failed> {
        let mut opened = self.opened.lock().await;
        if let Some(open) = opened.get(subject.address())
            && open.config == *config
        {
            return Ok(open.value.clone());
        }
        let provider = pool.get(slot, diagnostics).await?;
        Calls { provider: &provider, subject, diagnostics }.validate(config).await?;
        let complete = subject.shape().complete(config);
        let called = provider.open(&subject.type_name, &complete).await;
        let open = subject.place.required(subject.package(), Phase::Ephemeral, "opened an ephemeral", called, diagnostics)?;
        let private = Arc::new(Mutex::new(open.private.clone()));
        let renewal =
            open.renew_after.map(|after| tokio::spawn(renew(Arc::clone(&provider), Arc::clone(&subject.type_name), Arc::clone(&private), after)));
        let value = open.value.clone();
        let kept = Opened { config: config.clone(), value: value.clone(), subject: subject.clone(), provider, private, renewal };
        if let Some(old) = opened.insert(subject.address().clone(), kept) {
            close(old, diagnostics).await;
        }
        check(subject, &complete, &open, diagnostics)?;
        Ok(value)
    }

    /// Closes everything; what fails is a warning, since nothing depends on it any more.
    pub(crate) async fn close(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        let opened: Vec<Opened> = self.opened.lock().await.drain().map(|(_, opened)| opened).collect();
        for opened in opened {
            close(opened, &mut warnings).await;
        }
        warnings
    }
}

fn check(subject: &Subject, config: &Value, open: &OpenedEphemeral, diagnostics: &mut Vec<Diagnostic>) -> Result<(), Failed> {
    let mut problems = assert_plan_valid(subject.shape(), &Value::Null, config, &open.value);
    if !open.value.is_wholly_known() || !conforms(&open.value, subject.value_type()) {
        problems.push(Problem::new(&pravo_model::Path::root(), "it is not wholly known, or not of the type of its schema"));
    }
    if problems.is_empty() {
        return Ok(());
    }
    diagnostics.push(subject.place.bug(subject.package(), "the provider opened an ephemeral that contradicts its configuration", &problems));
    Err(Failed)
}

/// Renews an ephemeral as long as its provider asks for it.
async fn renew(provider: Arc<dyn Provider>, type_name: Arc<str>, private: Arc<Mutex<Vec<u8>>>, mut after: u64) {
    loop {
        tokio::time::sleep(Duration::from_millis(after)).await;
        let mut private = private.lock().await;
        match provider.renew(&type_name, &private).await.ok().and_then(|reply| if reply.has_errors() { None } else { reply.value }) {
            Some(OpenedEphemeral { private: renewed, renew_after: Some(next), .. }) => {
                *private = renewed;
                after = next;
            }
            Some(OpenedEphemeral { private: renewed, renew_after: None, .. }) => {
                *private = renewed;
                return;
            }
            None => return,
        }
    }
}

async fn close(opened: Opened, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(renewal) = opened.renewal {
        renewal.abort();
    }
    let private = opened.private.lock().await.clone();
    let place = &opened.subject.place;
    let mut said = Vec::new();
    match tokio::time::timeout(CLOSE_WITHIN, opened.provider.close(&opened.subject.type_name, &private)).await {
        Ok(called) => {
            let _ = place.taken(Phase::Ephemeral, called, &mut said);
        }
        Err(_) => {
            said.push(Diagnostic::error("ephemeral.close", format!("{}: it was not closed within {} s", place.address, CLOSE_WITHIN.as_secs())))
        }
    }
    diagnostics.extend(said.into_iter().map(|diagnostic| Diagnostic { severity: pravo_diag::Severity::Warning, ..diagnostic }));
}
