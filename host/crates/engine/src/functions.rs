//! Calls of provider functions: one for equal arguments in a run, and the same result in the plan and in the apply.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use pravo_diag::Diagnostic;
use pravo_model::provider::ProviderBinding;
use pravo_model::schema::Parameter;
use pravo_model::specification::{Answer, CallPlace, QuestionId};
use pravo_model::{Path, PathStep, Value};

use crate::fingerprint::digest;
use crate::pool::Pool;
use crate::shape::conforms;

/// What is called. Equal calls are one, wherever they stand.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) binding: ProviderBinding,
    pub(crate) function: String,
    pub(crate) arguments: Vec<Value>,
    /// Where it was asked for first.
    pub(crate) at: CallPlace,
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        (&self.binding, &self.function, &self.arguments) == (&other.binding, &other.function, &other.arguments)
    }
}

impl Eq for Call {}

impl Hash for Call {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.binding, &self.function, &self.arguments).hash(state);
    }
}

impl Call {
    /// A diagnostic at the call, or at one of its arguments: the path of what a provider says begins with the argument's number.
    fn locate(&self, diagnostic: Diagnostic, parameters: &[Parameter], about: &Path) -> Diagnostic {
        let (argument, rest) = match about.steps() {
            [PathStep::Index(index), rest @ ..] => (usize::try_from(*index).ok().and_then(|index| parameters.get(index)), rest),
            rest => (None, rest),
        };
        let below =
            Path(argument.map(|parameter| PathStep::Attribute(parameter.name.as_str().into())).into_iter().chain(rest.iter().cloned()).collect());
        let path = if below.steps().is_empty() { self.at.path.clone() } else { format!("{}.{below}", self.at.path) };
        let diagnostic = diagnostic.with_path(path);
        match self.at.span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        }
    }
}

enum State {
    /// On its way, with the questions that wait for it.
    Called(Vec<QuestionId>),
    Done(Option<Value>),
}

/// All calls of a run.
pub(crate) struct Functions {
    key: [u8; 32],
    calls: HashMap<Call, State>,
    /// Digests of calls and results of the plan that is being applied.
    expected: HashMap<[u8; 16], [u8; 16]>,
    digests: Vec<([u8; 16], [u8; 16])>,
}

impl Functions {
    /// `expected` is empty in a plan.
    pub(crate) fn new(key: [u8; 32], expected: &[([u8; 16], [u8; 16])]) -> Self {
        Self { key, calls: HashMap::new(), expected: expected.iter().copied().collect(), digests: Vec::new() }
    }

    /// A question about a call: an answer, or whether the call is to be made now.
    pub(crate) fn ask(&mut self, question: QuestionId, call: &Call) -> Result<Answer, bool> {
        match self.calls.get_mut(call) {
            Some(State::Done(result)) => Ok(answer(result.as_ref())),
            Some(State::Called(questions)) => {
                questions.push(question);
                Err(false)
            }
            None => {
                self.calls.insert(call.clone(), State::Called(vec![question]));
                Err(true)
            }
        }
    }

    /// The result of a call; gives the answers to the questions that waited, and an error where the plan had another result.
    pub(crate) fn done(&mut self, call: &Call, result: Option<Value>) -> (Vec<(QuestionId, Answer)>, Option<Diagnostic>) {
        let mut contradiction = None;
        let mut result = result;
        if let Some(value) = &result {
            let made = digest(&self.key, &[&call.binding.package, &call.function], &call.arguments);
            let gave = digest(&self.key, &[], std::slice::from_ref(value));
            if self.expected.get(&made).is_some_and(|expected| *expected != gave) {
                let text =
                    format!("the function {} of {} gave another result than in the plan for equal arguments", call.function, call.binding.package);
                contradiction = Some(Diagnostic::error("provider.impure", text).with_help("this is a bug of the provider; make a new plan"));
                result = None;
            }
            self.digests.push((made, gave));
        }
        let answers = match self.calls.insert(call.clone(), State::Done(result.clone())) {
            Some(State::Called(questions)) => questions.into_iter().map(|question| (question, answer(result.as_ref()))).collect(),
            _ => Vec::new(),
        };
        (answers, contradiction)
    }

    /// Digests of all calls, sorted.
    pub(crate) fn digests(&self) -> Vec<([u8; 16], [u8; 16])> {
        let mut digests = self.digests.clone();
        digests.sort_unstable();
        digests
    }
}

fn answer(result: Option<&Value>) -> Answer {
    match result {
        Some(value) => Answer::Known { value: value.clone(), sensitive: false, ephemeral: false },
        None => Answer::Failed,
    }
}

/// Calls a function.
pub(crate) async fn call(pool: &Pool, call: &Call, diagnostics: &mut Vec<Diagnostic>) -> Option<Value> {
    let name = format!("{} of {}", call.function, call.binding.package);
    let rejected = |text: String, detail: String| Diagnostic::error("function.rejected", text).with_detail(detail);
    let schema = match pool.providers().schema(&call.binding.package) {
        Ok(schema) => schema,
        Err(failure) => {
            diagnostics.push(call.locate(rejected(failure.message, failure.detail), &[], &Path::root()));
            return None;
        }
    };
    let Some(function) = schema.functions.get(&call.function) else {
        diagnostics.push(call.locate(rejected(format!("there is no function {name}"), String::new()), &[], &Path::root()));
        return None;
    };
    let place = |diagnostic, about: &Path| call.locate(diagnostic, &function.parameters, about);
    for ((parameter, argument), index) in function.parameters.iter().zip(&call.arguments).zip(0..) {
        if argument.is_null() && !parameter.allow_null {
            let text = format!("the function {name}: {} must not be null", parameter.name);
            diagnostics.push(place(rejected(text, String::new()), &Path(vec![PathStep::Index(index)])));
            return None;
        }
    }
    let provider = pool.for_functions(&call.binding, diagnostics).await.ok()?;
    let reply = match provider.call_function(&call.function, &call.arguments).await {
        Ok(reply) => reply,
        Err(failure) => {
            diagnostics.push(place(rejected(format!("the function {name}: {}", failure.message), failure.detail), &Path::root()));
            return None;
        }
    };
    let failed = reply.has_errors();
    for said in reply.diagnostics {
        let text = format!("the function {name}: {}", said.summary);
        let diagnostic =
            if said.error { rejected(text, said.detail) } else { Diagnostic::warning("function.warning", text).with_detail(said.detail) };
        diagnostics.push(place(diagnostic, &said.path));
    }
    let fits = |value: &Value| conforms(value, &function.result) && value.is_wholly_known();
    match reply.value {
        _ if failed => None,
        Some(value) if fits(&value) => Some(value),
        _ => {
            let text = format!("the function {name} gave a result that is not of type {}", function.result);
            diagnostics.push(place(rejected(text, String::new()), &Path::root()));
            None
        }
    }
}
