//! The component's exports: those of the SDK, but for forged answers.

use std::rc::Rc;

use pravo_sdk::guest::bindings::exports::pravo::provider::provider::{ConfigureOutcome, Guest, GuestConfigured};
use pravo_sdk::guest::bindings::pravo::provider::types;
use pravo_sdk::guest::{self, ConfiguredProvider, Source};

use crate::behavior::{Forgery, forgery};

thread_local! {
    static SERVER: Rc<pravo_sdk::Server> = Rc::new(crate::provider().serve());
}

struct Trace;

impl Source for Trace {
    fn server() -> Rc<pravo_sdk::Server> {
        SERVER.with(Rc::clone)
    }
}

type Honest = guest::Component<Trace>;

struct Exports;

impl Guest for Exports {
    type Configured = Forger;

    fn schema() -> Vec<u8> {
        Honest::schema()
    }

    fn validate_provider(config: Vec<u8>) -> Vec<types::Diagnostic> {
        Honest::validate_provider(config)
    }

    fn validate(kind: types::Kind, type_name: String, config: Vec<u8>) -> Vec<types::Diagnostic> {
        Honest::validate(kind, type_name, config)
    }

    fn upgrade(stored: types::StoredObject) -> types::Outcome {
        Honest::upgrade(stored)
    }

    fn call_function(name: String, arguments: Vec<Vec<u8>>) -> types::Outcome {
        Honest::call_function(name, arguments)
    }

    fn configure(config: Vec<u8>) -> ConfigureOutcome {
        guest::configure::<Trace, Forger>(&config, Forger)
    }
}

/// A configured provider that may forge its answers.
struct Forger(ConfiguredProvider);

/// Bytes that are no MessagePack.
const GARBAGE: [u8; 7] = [0xc1, 0xff, 0xde, 0xad, 0xbe, 0xef, 0xc1];

impl GuestConfigured for Forger {
    fn read(&self, type_name: String, objects: Vec<types::Object>) -> Vec<types::ObjectOutcome> {
        let mut outcomes = self.0.read(type_name, objects);
        if forgery() != Forgery::None {
            for object in outcomes.iter_mut().filter_map(|outcome| outcome.object.as_mut()) {
                object.value = GARBAGE.to_vec();
            }
        }
        outcomes
    }

    fn plan(&self, type_name: String, requests: Vec<types::PlanRequest>) -> Vec<types::PlanOutcome> {
        let mut outcomes = self.0.plan(type_name, requests);
        if forgery() != Forgery::None {
            for planned in outcomes.iter_mut().filter_map(|outcome| outcome.planned.as_mut()) {
                planned.planned = GARBAGE.to_vec();
            }
        }
        outcomes
    }

    fn apply(&self, type_name: String, request: types::ApplyRequest) -> types::ObjectOutcome {
        let planned = request.planned.clone();
        let mut outcome = self.0.apply(type_name, request);
        let forged = match forgery() {
            Forgery::None => return outcome,
            Forgery::Garbage => GARBAGE.to_vec(),
            Forgery::Unknown => planned,
        };
        if let Some(object) = &mut outcome.object {
            object.value = forged;
        }
        outcome
    }

    fn import(&self, type_name: String, id: String) -> types::ObjectOutcome {
        self.0.import(type_name, id)
    }

    fn read_data(&self, type_name: String, config: Vec<u8>) -> types::Outcome {
        self.0.read_data(type_name, config)
    }

    fn open(&self, type_name: String, config: Vec<u8>) -> types::OpenOutcome {
        self.0.open(type_name, config)
    }

    fn renew(&self, type_name: String, private: Vec<u8>) -> types::OpenOutcome {
        self.0.renew(type_name, private)
    }

    fn close(&self, type_name: String, private: Vec<u8>) -> Vec<types::Diagnostic> {
        self.0.close(type_name, private)
    }
}

pravo_sdk::guest::bindings::export_component!(Exports with_types_in pravo_sdk::guest::bindings);
