//! Every page of the documentation does what it shows, and every link leads somewhere.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pravo_tests::support::links::{Placed, broken};
use pravo_tests::support::page::{Page, pages_below};
use pravo_tests::support::sandbox::{environment, repository};

/// Pages beside docs/ where they exist: those that come with the product's definition, and those that the caller names.
fn other_pages() -> Vec<PathBuf> {
    let beside = repository().join("../shared/acceptance");
    let named = std::env::var_os("PRAVO_PAGES").map(|value| std::env::split_paths(&value).collect::<Vec<_>>()).unwrap_or_default();
    std::iter::once(beside).filter(|directory| directory.is_dir()).chain(named).collect()
}

fn pages(directory: &Path) -> Vec<PathBuf> {
    pages_below(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
}

#[test]
fn pages_do_what_they_show() {
    let directories = std::iter::once(repository().join("docs")).chain(other_pages());
    let paths: Vec<PathBuf> = directories.flat_map(|directory| pages(&directory)).collect();
    assert!(paths.len() > 3, "there are pages");
    let environment = environment();
    let failures = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let directory = tempfile::tempdir().expect("a directory can be made");
                    if let Err(failure) = Page::load(path).and_then(|page| page.run(directory.path(), &environment)) {
                        failures.lock().expect("no test panics with the lock").push(format!("{}: {}", failure.place, failure.message));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no test panics with the lock");
    failures.sort();
    assert!(failures.is_empty(), "{} of {} pages fail:\n\n{}", failures.len(), paths.len(), failures.join("\n\n"));
}

#[test]
fn links_lead_somewhere() {
    let docs = repository().join("docs");
    let mut placed = Vec::new();
    for path in pages(&docs) {
        let text = std::fs::read_to_string(&path).expect("a page can be read");
        placed.push(Placed { text, place: Path::new("docs").join(path.strip_prefix(&docs).expect("a page lies in docs")) });
    }
    for name in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        let text = std::fs::read_to_string(repository().join(name)).expect("a page can be read");
        placed.push(Placed { text, place: name.into() });
    }
    // Other pages are written as if they lay among the reference.
    for path in other_pages().iter().flat_map(|directory| pages(directory)) {
        let place = Path::new("docs/reference").join(path.file_name().expect("a page has a name"));
        if placed.iter().all(|page| page.place != place) {
            placed.push(Placed { text: std::fs::read_to_string(&path).expect("a page can be read"), place });
        }
    }
    let wrong = broken(&placed, &|place| repository().join(place).exists());
    assert!(wrong.is_empty(), "links lead nowhere:\n{}", wrong.join("\n"));
}
