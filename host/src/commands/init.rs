//! `pravo init`: resolve, show, ask, write, and learn the schemas.

use pravo_model::capability::Capabilities;
use pravo_model::provider::ProviderFailure;
use pravo_registry::{Cache, Lock, Options, Resolved};
use pravo_specification::Root;
use pravo_wasm::WasmHost;

use crate::args::Init;
use crate::exit::{Done, Failure, Outcome};
use crate::providers::{import_failure, left, registry_failure, requirements, wasm_host};
use crate::workspace::{Context, options};

pub(super) async fn run(context: &Context, arguments: &Init) -> Outcome {
    let terminal = &context.terminal;
    let root = Root::load(&context.directory, &options(&arguments.evaluation))?;
    let look = Options { root: context.directory.clone(), provider_dirs: arguments.provider_dirs.clone(), upgrade: arguments.upgrade };
    let failed = |error| registry_failure(&error);
    let lock = Lock::read(&context.directory).map_err(failed)?;
    let mut required = requirements(root.requirements());
    if let Some(lock) = lock.as_ref().filter(|lock| lock.unasked(&required).next().is_some()) {
        required.extend(left(&*context.open_state()?.view()?, lock, &required)?);
    }
    let mut resolved = pravo_registry::resolve(&required, lock.as_ref(), &look).map_err(|error| import_failure(&error, &root))?;
    for one in &resolved {
        terminal.print(&describe(one));
    }
    if !approve(context, arguments, &mut resolved) {
        terminal.note("Nothing was approved, and nothing was written.");
        return Ok(Done::Failed);
    }
    // Components are started before anything is written: one that cannot run is not pinned.
    let host = wasm_host(&context.directory)?;
    let cache = Cache::new(&context.directory);
    let mut schemas = Vec::new();
    for one in resolved.iter().filter(|one| cache.schema(one.locked.hash).is_none()) {
        schemas.push((one.locked.hash, schema(&host, one).await?));
    }
    let changed = lock.as_ref() != Some(&Lock::new(resolved.iter().map(|one| one.locked.clone())));
    pravo_registry::store(&resolved, &context.directory).map_err(failed)?;
    for (hash, schema) in schemas {
        cache.store_schema(hash, &schema).map_err(failed)?;
    }
    terminal.line(&ending(resolved.is_empty(), changed));
    Ok(Done::Success)
}

fn ending(empty: bool, changed: bool) -> String {
    match (empty, changed) {
        (true, _) => "The specification imports no providers.".to_owned(),
        (false, true) => "\npravo.lock was written. Keep it in version control.".to_owned(),
        (false, false) => "\npravo.lock is up to date.".to_owned(),
    }
}

/// What was chosen, from where, and what it needs.
fn describe(one: &Resolved) -> String {
    let locked = &one.locked;
    let mut text = format!("{} {} ({})\n", locked.package.short(), locked.version, locked.source);
    if let Some(before) = one.before.as_ref().filter(|before| before.version != locked.version || before.hash != locked.hash) {
        text.push_str(&format!("  was {} {}\n", before.version, before.hash.hex().get(..12).unwrap_or_default()));
    }
    for capability in one.asked.iter() {
        let approved = if locked.approved.covers(&capability) { "approved" } else { "not approved yet" };
        text.push_str(&format!("  needs {capability} ({approved})\n"));
    }
    text
}

/// Asks for what nobody approved yet.
fn approve(context: &Context, arguments: &Init, resolved: &mut [Resolved]) -> bool {
    let open: Vec<(String, Capabilities)> =
        resolved.iter().map(|one| (one.locked.package.short(), one.unapproved())).filter(|(_, capabilities)| !capabilities.is_empty()).collect();
    if open.is_empty() {
        return true;
    }
    let list =
        |(name, capabilities): &(String, Capabilities)| capabilities.iter().map(|capability| format!("{name}: {capability}")).collect::<Vec<_>>();
    let wanted = open.iter().flat_map(list).collect::<Vec<_>>().join("\n");
    let question = "Do you approve what these providers need?";
    let explanation = format!("{wanted}\nOnly 'yes' will be accepted; pravo init --approve approves without asking.");
    if !arguments.approve && !context.terminal.confirm(question, &explanation) {
        return false;
    }
    resolved.iter_mut().for_each(Resolved::approve);
    true
}

/// Starts a component once, without any grant, to learn its schema.
async fn schema(host: &WasmHost, one: &Resolved) -> Result<std::sync::Arc<pravo_model::schema::ProviderSchema>, Failure> {
    let name = one.locked.package.short();
    let loaded = tokio::task::block_in_place(|| host.load(one.component.bytes(), &one.locked.hash.hex()));
    let loaded = loaded.map_err(|error| Failure::message("provider.component", format!("provider {name}: {error}")))?;
    let provider = loaded.provider(&name, &Capabilities::default());
    provider.schema().await.map_err(|failure: ProviderFailure| failure.into())
}
