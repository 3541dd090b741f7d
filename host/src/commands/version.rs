//! `pravo version`

use crate::args::Version;
use crate::exit::Done;
use crate::render::document::head;
use crate::workspace::Context;

/// The version of the CUE language that is evaluated.
const CUE: &str = "v0.17.1";

pub(super) fn run(context: &Context, arguments: &Version) -> Done {
    if arguments.json {
        let mut document = head("version");
        document.insert("cue_version".into(), CUE.into());
        document.insert("provider_world".into(), pravo_wasm::WORLD.into());
        context.terminal.line(&serde_json::Value::Object(document).to_string());
    } else {
        context.terminal.line(&format!("pravo {}\ncue {CUE}\nprovider world {}", env!("CARGO_PKG_VERSION"), pravo_wasm::WORLD));
    }
    Done::Success
}
