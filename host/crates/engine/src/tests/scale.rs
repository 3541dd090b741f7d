//! Cost: one pass, counted at N and ten times N.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use pravo_diag::{Diagnostic, SourceMap};
use pravo_model::provider::ProviderBinding;
use pravo_model::specification::*;
use pravo_model::{Path, Value};

use super::bench::Bench;
use super::scripted::{PACKAGE, address, of, span, thing};

/// Chains of ten.
fn chains(count: usize) -> Bench {
    let mut bench = Bench::new([]);
    for index in 0..count {
        let body = thing().with("name", format!("n{index}"));
        let body = if index.is_multiple_of(10) { body } else { body.with("note", of(&format!("r{}", index - 1), "id")) };
        bench.script.set(&format!("r{index}"), body);
    }
    bench.script.settings.parallelism = 64;
    bench
}

/// `(record reads, provider calls, changes written)` of a plan and an apply without changes.
async fn unchanged(count: usize) -> (u64, usize, u64) {
    let mut bench = chains(count);
    bench.applied().await;
    bench.script.batch = 64;
    bench.calls();
    let before = bench.state.view();
    let reads = before.reads.load(Ordering::Relaxed);
    let plan = bench.plan().await.unwrap();
    assert_eq!(plan.document.graph.to_string(), format!("planned 0 of {count}, {count} unchanged and skipped, {count} not read."));
    let planned = bench.state.view().reads.load(Ordering::Relaxed) - reads;
    bench.apply_plan(&plan).await.unwrap();
    (planned, bench.calls().len(), bench.state.view().changes - before.changes)
}

#[tokio::test]
async fn a_plan_without_changes_is_linear_and_asks_nobody() {
    let (small, calls, changes) = unchanged(100).await;
    let (large, more_calls, more_changes) = unchanged(1000).await;
    assert_eq!((small, large), (90, 900), "one record for each question");
    assert_eq!((calls, more_calls), (0, 0));
    assert_eq!((changes, more_changes), (0, 0));
}

#[tokio::test]
async fn one_that_all_read_is_asked_for_once() {
    for count in [50, 500] {
        let mut bench = Bench::new([("root", thing().with("name", "root"))]);
        for index in 0..count {
            bench.script.set(&format!("r{index}"), thing().with("name", format!("n{index}")).with("note", of("root", "id")));
        }
        bench.applied().await;
        let reads = bench.state.view().reads.load(Ordering::Relaxed);
        bench.planned().await;
        assert_eq!(bench.state.view().reads.load(Ordering::Relaxed) - reads, 1);
        bench.script.set("root", thing().with("name", "other"));
        assert_eq!(bench.planned().await[..2], ["~ root", "+0 ~1 -0 =0"]);
    }
}

/// Chains of ten in linear time: a body comes as soon as the id that it reads is known.
struct Chains {
    count: usize,
    settings: Settings,
    sources: SourceMap,
    ready: VecDeque<(usize, Option<Value>)>,
    started: bool,
    bodies: usize,
}

impl Chains {
    fn new(count: usize) -> Self {
        let settings = Settings { parallelism: 64, ..Settings::default() };
        let ready = (0..count).step_by(10).map(|index| (index, None)).collect();
        Self { count, settings, sources: SourceMap::new(), ready, started: false, bodies: 0 }
    }

    fn body(&self, index: usize, note: Option<Value>) -> Body {
        let name = |index: usize| format!("group{}.resource{index}", index / 1000).parse().unwrap();
        let mut config = vec![("name", Value::from(format!("n{index}")))];
        config.extend(note.map(|note| ("note", note)));
        Body {
            address: name(index),
            kind: Kind::Resource,
            type_name: Arc::from("thing"),
            instance: InstanceId(0),
            config: Value::object(config),
            sensitive: Vec::new(),
            ephemeral: Vec::new(),
            meta: Meta::default(),
            references: if index.is_multiple_of(10) { Vec::new() } else { vec![name(index - 1)] },
            depends_on: Vec::new(),
            reads_failed: false,
            span: span(),
        }
    }
}

impl Specification for Chains {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn advance(&mut self) -> Result<Progress, Vec<Diagnostic>> {
        let mut events = Vec::new();
        if !self.started {
            self.started = true;
            events.push(Event::Instance(Box::new(Instance {
                id: InstanceId(0),
                address: address("$fake"),
                binding: ProviderBinding { package: PACKAGE.to_owned(), allow: String::new() },
                config: Value::object::<&str>([]),
                ephemeral: Vec::new(),
                sensitive: Vec::new(),
                dependencies: Vec::new(),
                span: span(),
            })));
        }
        for _ in 0..64 {
            let Some((index, note)) = self.ready.pop_front() else {
                break;
            };
            self.bodies += 1;
            let body = self.body(index, note);
            if index % 10 != 9 {
                let kind = QuestionKind::Attribute { owner: body.address.clone(), path: Path::attribute("id") };
                events.push(Event::Question(Question { id: QuestionId(index as u32), kind }));
            }
            events.push(Event::Body(Box::new(body)));
        }
        Ok(Progress { events, more: !self.ready.is_empty(), done: self.bodies == self.count })
    }

    fn answer(&mut self, question: QuestionId, answer: Answer) {
        let value = match answer {
            Answer::Known { value, .. } => value,
            _ => Value::Unknown,
        };
        self.ready.push_back((question.0 as usize + 1, Some(value)));
    }

    fn want_output(&mut self, _: Option<&str>) -> Result<(), Vec<Diagnostic>> {
        Ok(())
    }

    fn output(&mut self, _: Option<&str>) -> Result<Output, Vec<Diagnostic>> {
        Ok(Output { value: Value::Null, sensitive: Vec::new() })
    }

    fn inputs(&self) -> Vec<Input> {
        Vec::new()
    }
}

/// Times of an apply of all and of a plan without changes; run by hand with `COUNT`, for there is no clock in the other tests.
#[tokio::test]
#[ignore = "measures time: run with COUNT=100000 --ignored --nocapture"]
async fn timing() {
    let count: usize = std::env::var("COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let mut bench = Bench::new([]);
    bench.conversations = Some(Arc::new(move || Ok(Box::new(Chains::new(count)) as Box<dyn Specification>)));
    let began = Instant::now();
    let plan = bench.plan().await.unwrap();
    eprintln!("plan of creates {:?}", began.elapsed());
    let began = Instant::now();
    assert!(bench.apply_plan(&plan).await.unwrap().is_complete());
    eprintln!("apply of creates {:?}", began.elapsed());
    drop(plan);
    let began = Instant::now();
    let view = bench.state.view();
    eprintln!("of the next: view {:?}", began.elapsed());
    drop(view);
    let began = Instant::now();
    let plan = bench.plan().await.unwrap();
    eprintln!("plan without changes {:?}: {}", began.elapsed(), plan.document.graph);
}
