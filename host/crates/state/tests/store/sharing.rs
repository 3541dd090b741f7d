//! One writer, many readers, groups of commits.

use pravo_model::state::{StateErrorKind, StateStore, TransactionRecord};

use crate::support::{address, put, store, transact, wait, writer};

#[test]
fn a_missing_file_is_an_empty_state_and_is_not_made() {
    let (directory, store) = store();
    let view = store.view().unwrap();
    assert!(view.heads().unwrap().is_empty() && view.last_transaction().unwrap().is_none());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    transact(&store, vec![vec![put("a", 1, &[])]]);
    assert_eq!(store.view().unwrap().key(), view.key(), "the key of the empty view is the key of the file");
}

#[test]
fn the_key_is_of_the_file_and_random() {
    let (directory, one) = store();
    transact(&one, vec![]);
    let again = pravo_state::RedbStore::new(directory.path().join("pravo.state")).unwrap();
    assert_eq!(one.view().unwrap().key(), again.view().unwrap().key());
    assert_ne!(store().1.view().unwrap().key(), one.view().unwrap().key());
}

#[test]
fn a_second_writer_is_told_who_holds_the_lock() {
    let (_directory, store) = store();
    let first = writer(&store);
    let error = store.write("pravo destroy").map(drop).unwrap_err();
    assert_eq!(error.kind, StateErrorKind::Locked);
    let process = std::process::id().to_string();
    for part in ["is locked by \"pravo apply\"", &format!("process {process} of "), " on ", ", since 20"] {
        assert!(error.message.contains(part), "{part:?} in {:?}", error.message);
    }
    assert!(error.help.contains("Wait until it ends"), "{}", error.help);
    drop(first);
    drop(store.write("pravo destroy").unwrap());
}

#[test]
fn readers_see_whole_commits_while_a_writer_works() {
    let (_directory, store) = store();
    let writer = writer(&store);
    let empty = store.view().unwrap();
    wait(writer.commit(vec![put("a", 1, &[]), put("b", 2, &["a"])])).unwrap();
    let after = store.view().unwrap();
    wait(writer.commit(vec![put("c", 3, &["a"])])).unwrap();
    assert_eq!(empty.heads().unwrap().len(), 0);
    assert_eq!(after.heads().unwrap().len(), 2);
    assert_eq!(after.dependents(&address("a")).unwrap(), [address("b")]);
    assert_eq!(store.view().unwrap().heads().unwrap().len(), 3);
    let running = store.view().unwrap().last_transaction().unwrap().unwrap();
    assert_eq!((running.id, running.command.as_str(), running.ended), (1, "pravo apply", None));
    wait(writer.finish(TransactionRecord { added: 3, ..TransactionRecord::default() })).unwrap();
    let ended = store.view().unwrap().last_transaction().unwrap().unwrap();
    assert_eq!((ended.id, ended.command.as_str(), ended.added, ended.ended.is_some()), (1, "pravo apply", 3, true));
    assert!(wait(writer.commit(vec![])).unwrap_err().message.contains("has ended already"));
    assert_eq!(after.heads().unwrap().len(), 2, "a view stays at its moment");
}

#[test]
fn calls_at_the_same_time_share_commits() {
    let (_directory, store) = store();
    let writer = writer(&store);
    wait(async {
        let calls: Vec<_> = (0..500).map(|i| writer.commit(vec![put(&format!("r{i}"), i, &[])])).collect();
        for done in futures(calls).await {
            done.unwrap();
        }
    });
    assert_eq!(store.view().unwrap().heads().unwrap().len(), 500);
    assert!(writer.commits() < 250, "{} commits for 500 calls", writer.commits());
}

/// Polls all futures once before it waits for any.
async fn futures<F: Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    use std::task::Poll;
    let mut results: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, result) in futures.iter_mut().zip(&mut results) {
            if result.is_none()
                && let Poll::Ready(output) = std::pin::Pin::new(future).poll(context)
            {
                *result = Some(output);
            }
        }
        if results.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect()
}

#[test]
fn a_dropped_writer_lets_go_and_leaves_its_transaction_open() {
    let (directory, store) = store();
    let writer = writer(&store);
    wait(writer.commit(vec![put("a", 1, &[])])).unwrap();
    drop(writer);
    let names: Vec<_> = std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["pravo.state"]);
    assert_eq!(store.view().unwrap().last_transaction().unwrap().unwrap().ended, None);
    assert_eq!(transact(&store, vec![]).0, 2);
    assert_eq!(store.view().unwrap().transactions().unwrap().len(), 2);
}
