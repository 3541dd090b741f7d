//! Measures a component: inspection, compilation, loading from the cache, instantiation, calls.
//!
//! `cargo run -p pravo-wasm --example measure-component -- COMPONENT.wasm`

use std::path::PathBuf;
use std::time::{Duration, Instant};

use pravo_model::Value;
use pravo_model::provider::Subject;
use pravo_wasm::{HostOptions, Limits, WasmHost, inspect};
use sha2::{Digest, Sha256};

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let path = std::env::args_os().nth(1).map(PathBuf::from).ok_or("which component?")?;
    let bytes = std::fs::read(&path)?;
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{} bytes", bytes.len());
    let (inspection, time) = timed(|| inspect(&bytes, &Limits::default()));
    let inspection = inspection?;
    println!("inspect                {time:?}: {} {}, needs {}", inspection.manifest.name, inspection.manifest.version, inspection.manifest.needs);
    let cache = tempfile::tempdir()?;
    for what in ["compile and keep      ", "load from the cache   ", "load from the cache   "] {
        let options = HostOptions { cache_directory: Some(cache.path().to_owned()), limits: Limits::default(), root_directory: PathBuf::from(".") };
        let (loaded, time) = timed(|| WasmHost::new(options).load(&bytes, &hash));
        println!("{what} {time:?}");
        let loaded = loaded?;
        let grants = &loaded.manifest().needs;
        let start = Instant::now();
        let provider = loaded.provider("measured", grants);
        let schema = provider.schema().await?;
        println!("instantiate, schema    {:?}: {} resource types", start.elapsed(), schema.resources.len());
        // The configuration in which nothing is set.
        let config = Value::object(schema.provider.attributes.keys().map(|name| (name.clone(), Value::Null)));
        let mut times = Vec::new();
        for _ in 0..200 {
            let start = Instant::now();
            provider.validate(Subject::Provider, &config).await?;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        println!(
            "a call, warm           {:?} in the median, {:?} at best",
            times.get(100).copied().unwrap_or_default(),
            times.first().copied().unwrap_or_default()
        );
        let mut fresh = Vec::new();
        for _ in 0..100 {
            let provider = loaded.provider("measured", grants);
            let start = Instant::now();
            provider.validate(Subject::Provider, &config).await?;
            fresh.push(start.elapsed());
        }
        fresh.sort_unstable();
        println!("instantiate and call   {:?} in the median", fresh.get(50).copied().unwrap_or_default());
    }
    Ok(())
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let outcome = run();
    (outcome, start.elapsed())
}
