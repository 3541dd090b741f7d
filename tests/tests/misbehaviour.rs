//! A provider that crashes, hangs, floods or answers nonsense fails its own call with a clear error; everything else goes on.

use std::time::{Duration, Instant};

use pravo_tests::support::guest;
use pravo_tests::support::sandbox::{Ran, Sandbox};

/// One resource that misbehaves when it is made, one that depends on it, one that has nothing to do with it, and a bundled one.
fn root(behavior: &str) -> String {
    format!(
        r#"package demo

import (
	tr "pravo.dev/providers/test/trace"
	rnd "pravo.dev/providers/hashicorp/random"
)

$trace:  tr.#Provider & {{$source: "file:./trace.wasm"}}
$random: rnd.#Provider

bad:       $trace.#Resource.trace_object & {{name: "bad", behavior: "{behavior}", behavior_on: "create"}}
dependent: $trace.#Resource.trace_object & {{name: bad.id}}
good:      $trace.#Resource.trace_object & {{name: "good"}}
pet:       $random.#Resource.random_pet & {{length: 1}}
"#
    )
}

fn sandbox(behavior: &str) -> Sandbox {
    let sandbox = Sandbox::with(&root(behavior));
    sandbox.write("trace.wasm", std::fs::read(guest::component("trace")).expect("the guest is built"));
    sandbox.pravo("init --approve").exits(0);
    sandbox
}

/// Applies with tight limits. The good resources are there afterwards, the bad one is not ready, its dependent was skipped.
#[track_caller]
fn fails(behavior: &str, texts: &[&str]) {
    let sandbox = sandbox(behavior);
    let begun = Instant::now();
    let mut command = sandbox.command("apply --auto-approve");
    command.env("PRAVO_LIMIT_CPU_TIME", "2s").env("PRAVO_LIMIT_WALL_CLOCK", "10s").env("PRAVO_LIMIT_MEMORY", "64MiB");
    let ran = Ran::from(command.output().expect("pravo can be started")).exits(1).says(&["Error: ", "bad"]).says(texts);
    assert!(begun.elapsed() < Duration::from_secs(120), "{behavior}: nothing ended it");
    assert!(!ran.stderr.contains("panicked at host"), "{behavior}: {}", ran.stderr);
    assert!(ran.stdout.contains("skipped: dependent\n"), "{behavior}: {}", ran.stdout);
    let state = sandbox.pravo("state list").exits(0).stdout;
    assert!(state.contains("good\n") && state.contains("pet\n") && !state.contains("dependent\n"), "{behavior}: {state}");
}

#[test]
fn a_provider_that_crashes() {
    fails("trap", &["test/trace"]);
    fails("recurse", &["test/trace"]);
}

#[test]
fn a_provider_that_hangs() {
    fails("hang", &["test/trace", "PRAVO_LIMIT_"]);
}

#[test]
fn a_provider_that_takes_all_memory() {
    fails("allocate", &["test/trace", "limit of 64MiB", "PRAVO_LIMIT_MEMORY"]);
}

#[test]
fn a_provider_that_answers_nonsense() {
    fails("garbage", &["test/trace"]);
    fails("unknown", &["bad"]);
    fails("contradict", &["bad"]);
}

#[test]
fn a_provider_that_refuses() {
    fails("error", &["Failed on request", "bad"]);
}
