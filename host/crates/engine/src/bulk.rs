//! Types that ask for lists: their reads and plans that come at about the same time travel in one call.
//!
//! Kept true here: each request gets its own answer, in whatever list it travelled; a failed call fails all that travelled
//! together, which is why a type has to ask for it. What is not `bulk` passes through, one at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use pravo_model::Value;
use pravo_model::provider::*;
use pravo_model::schema::ProviderSchema;
use tokio::sync::oneshot;

/// How long the first request of a list waits for others.
const GATHER: Duration = Duration::from_millis(2);

type One<A> = Result<Reply<A>, ProviderFailure>;
type Waiting<Q, A> = Vec<(Q, oneshot::Sender<One<A>>)>;

/// Requests of one operation that wait for others, by type.
struct Gathering<Q, A> {
    waiting: Mutex<HashMap<String, Waiting<Q, A>>>,
}

impl<Q: Clone, A> Gathering<Q, A> {
    fn new() -> Self {
        Self { waiting: Mutex::new(HashMap::new()) }
    }

    /// Asks together with whoever asks the same within a moment: the first of them makes the call.
    async fn ask<F>(&self, type_name: &str, request: &Q, call: impl FnOnce(Vec<Q>) -> F) -> One<A>
    where
        F: Future<Output = Result<Vec<Reply<A>>, ProviderFailure>>,
    {
        let (sender, receiver) = oneshot::channel();
        let is_first = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let list = waiting.entry(type_name.to_owned()).or_default();
            list.push((request.clone(), sender));
            list.len() == 1
        };
        if is_first {
            // Should this call be dropped before it is made, those that wait for it must not wait for ever.
            let left = Left { gathering: self, type_name };
            tokio::time::sleep(GATHER).await;
            let list = left.take();
            // From here on a list of that name is another one.
            std::mem::forget(left);
            let (requests, senders): (Vec<Q>, Vec<_>) = list.into_iter().unzip();
            let count = requests.len();
            let answers: Vec<One<A>> = match call(requests).await {
                Ok(replies) if replies.len() == count => replies.into_iter().map(Ok).collect(),
                Ok(replies) => {
                    let message = format!("{type_name}: the provider was asked for {count} objects and gave {}", replies.len());
                    (0..count).map(|_| Err(failure(FailureKind::Invalid, message.clone()))).collect()
                }
                Err(failed) => (0..count).map(|_| Err(failed.clone())).collect(),
            };
            for (sender, answer) in senders.into_iter().zip(answers) {
                // Who asked may have gone meanwhile.
                let _ = sender.send(answer);
            }
        }
        receiver
            .await
            .unwrap_or_else(|_| Err(failure(FailureKind::Cancelled, format!("{type_name}: the call that this one travelled with was cancelled"))))
    }
}

/// The list that a first request is responsible for: taken once, or dropped with it.
struct Left<'g, Q, A> {
    gathering: &'g Gathering<Q, A>,
    type_name: &'g str,
}

impl<Q, A> Left<'_, Q, A> {
    fn take(&self) -> Waiting<Q, A> {
        self.gathering.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(self.type_name).unwrap_or_default()
    }
}

impl<Q, A> Drop for Left<'_, Q, A> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

fn failure(kind: FailureKind, message: String) -> ProviderFailure {
    ProviderFailure { kind, message, detail: String::new() }
}

/// A provider some of whose types ask for lists.
pub(crate) struct Bulk {
    provider: Arc<dyn Provider>,
    schema: Arc<ProviderSchema>,
    reads: Gathering<CurrentObject, CurrentObject>,
    plans: Gathering<PlanRequest, PlannedObject>,
}

impl Bulk {
    /// The provider, with lists for the types that ask for them; itself where none does.
    pub(crate) fn wrap(provider: Arc<dyn Provider>, schema: &Arc<ProviderSchema>) -> Arc<dyn Provider> {
        if !schema.resources.values().any(|resource| resource.bulk) {
            return provider;
        }
        Arc::new(Self { provider, schema: Arc::clone(schema), reads: Gathering::new(), plans: Gathering::new() })
    }

    fn is_bulk(&self, type_name: &str) -> bool {
        self.schema.resources.get(type_name).is_some_and(|resource| resource.bulk)
    }
}

#[async_trait]
impl Provider for Bulk {
    async fn read(&self, type_name: &str, objects: &[CurrentObject]) -> Result<Vec<Reply<CurrentObject>>, ProviderFailure> {
        match objects {
            [object] if self.is_bulk(type_name) => {
                let call = |objects: Vec<CurrentObject>| async move { self.provider.read(type_name, &objects).await };
                Ok(vec![self.reads.ask(type_name, object, call).await?])
            }
            objects => self.provider.read(type_name, objects).await,
        }
    }

    async fn plan(&self, type_name: &str, requests: &[PlanRequest]) -> Result<Vec<Reply<PlannedObject>>, ProviderFailure> {
        match requests {
            [request] if self.is_bulk(type_name) => {
                let call = |requests: Vec<PlanRequest>| async move { self.provider.plan(type_name, &requests).await };
                Ok(vec![self.plans.ask(type_name, request, call).await?])
            }
            requests => self.provider.plan(type_name, requests).await,
        }
    }

    async fn schema(&self) -> Result<Arc<ProviderSchema>, ProviderFailure> {
        self.provider.schema().await
    }

    async fn validate(&self, subject: Subject<'_>, config: &Value) -> Called<()> {
        self.provider.validate(subject, config).await
    }

    async fn configure(&self, config: &Value) -> Called<()> {
        self.provider.configure(config).await
    }

    async fn upgrade(&self, stored: &StoredObject) -> Called<Value> {
        self.provider.upgrade(stored).await
    }

    async fn apply(&self, type_name: &str, request: &ApplyRequest, progress: Progress) -> Called<CurrentObject> {
        self.provider.apply(type_name, request, progress).await
    }

    async fn import(&self, type_name: &str, id: &str) -> Called<CurrentObject> {
        self.provider.import(type_name, id).await
    }

    async fn read_data(&self, type_name: &str, config: &Value) -> Called<Value> {
        self.provider.read_data(type_name, config).await
    }

    async fn open(&self, type_name: &str, config: &Value) -> Called<OpenedEphemeral> {
        self.provider.open(type_name, config).await
    }

    async fn renew(&self, type_name: &str, private: &[u8]) -> Called<OpenedEphemeral> {
        self.provider.renew(type_name, private).await
    }

    async fn close(&self, type_name: &str, private: &[u8]) -> Called<()> {
        self.provider.close(type_name, private).await
    }

    async fn call_function(&self, name: &str, arguments: &[Value]) -> Called<Value> {
        self.provider.call_function(name, arguments).await
    }

    async fn stop(&self) {
        self.provider.stop().await;
    }
}
