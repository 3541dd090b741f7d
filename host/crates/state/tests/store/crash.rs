//! A writer that is killed at a random moment loses nothing that was acknowledged, and leaves whole commits.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use pravo_model::state::StateStore;
use pravo_state::RedbStore;

use crate::support::{address, open, put, wait, writer};

const CHILD: &str = "PRAVO_STATE_TEST_CHILD";

/// Not a test of its own: the process that is killed. It commits pairs, and says which ones are durable.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let store = RedbStore::new(path).unwrap();
    let first = store.view().unwrap().last_transaction().unwrap().map_or(0, |last| last.id) * 1_000_000;
    let writer = writer(&store);
    let mut out = std::io::stdout().lock();
    for i in first.. {
        let (one, other) = (format!("p{i}.a"), format!("p{i}.b"));
        wait(writer.commit(vec![open(&one, i), put(&one, i, &[]), put(&other, i, &[&one])])).unwrap();
        writeln!(out, "durable {i}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pravo.state");
    let store = RedbStore::new(&path).unwrap();
    let mut acknowledged = Vec::new();
    let rounds: u64 = std::env::var("PRAVO_STATE_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(25);
    // More rounds, and longer ones, where the disk is slow.
    for round in 0..rounds * 20 {
        if round >= rounds && acknowledged.len() as u64 > rounds {
            break;
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["crash::child", "--exact", "--nocapture", "--test-threads=1"])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let lines = BufReader::new(pipe).lines().map_while(Result::ok);
            lines.filter_map(|line| line.split("durable ").nth(1).and_then(|number| number.parse::<u64>().ok())).collect::<Vec<_>>()
        });
        // Spread over creating the file, opening it and writing; no two rounds alike.
        std::thread::sleep(Duration::from_micros(2_000 + (round * 7_919) % (60_000 * (1 + round / rounds))));
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged.extend(reader.join().unwrap());
        check(&store, &acknowledged);
    }
    assert!(acknowledged.len() as u64 > rounds, "the children wrote {} pairs", acknowledged.len());
    drop(writer(&store));
    check(&store, &acknowledged);
}

fn check(store: &RedbStore, acknowledged: &[u64]) {
    let view = store.view().unwrap();
    for i in acknowledged {
        assert_eq!(view.dependents(&address(&format!("p{i}.a"))).unwrap(), [address(&format!("p{i}.b"))], "pair {i} was acknowledged");
    }
    let heads = view.heads().unwrap();
    assert_eq!(heads.len() % 2, 0, "a commit is there as a whole");
    assert_eq!(view.intents().unwrap().len() * 2, heads.len());
    assert_eq!(view.records().unwrap().len(), heads.len());
}
