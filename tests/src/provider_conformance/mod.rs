//! Recorded cases of real providers, driven through the components in the whole product.
//!
//! A case becomes a directory with a CUE root; each step runs the `pravo` binary there and compares what it says, records and leaves
//! behind. What is not known while planning comes from an object of the `trace` component that is created in the same apply.
//! Whether an ephemeral was opened in the plan, too, leaves no trace outside and is taken from whether its configuration was known.
//! Terraform's language turns numbers and texts into each other where the schema asks for the other; a CUE author writes that
//! conversion down (`"\(n)"`, `json.Unmarshal(text)`), and so does a case's root: the product evaluates it.

pub mod case;
pub mod conversion;
pub mod drive;
pub mod judge;
pub mod matchers;
pub mod product;
pub mod source;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::Case;
use product::Product;

/// A case and how it went.
pub type Verdict<'a> = (&'a Case, Result<(), String>);

/// Runs cases on all cores; verdicts in the order of the cases.
pub fn run_all<'a>(cases: &'a [Case], pravo: &Path, trace: &Path) -> Vec<Verdict<'a>> {
    let next = AtomicUsize::new(0);
    let verdicts = Mutex::new(BTreeMap::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else { break };
                    let result = Product::new(case, pravo, trace).and_then(|product| drive::drive(case, &product));
                    verdicts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(index, (case, result));
                }
            });
        }
    });
    verdicts.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values().collect()
}

/// Sums per type: passed and all.
pub fn sums(verdicts: &[Verdict<'_>]) -> BTreeMap<String, (usize, usize)> {
    let mut sums = BTreeMap::new();
    for (case, result) in verdicts {
        let (passed, all): &mut (usize, usize) = sums.entry(format!("{} {}", case.kind, case.type_name)).or_default();
        *passed += usize::from(result.is_ok());
        *all += 1;
    }
    sums
}
