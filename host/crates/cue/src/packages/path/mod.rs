//! `path`: names of files of every system, as text only.
//!
//! Most functions take the system as their last argument; without it they are for Unix, and `VolumeName` is for Windows.

mod pattern;
mod system;

use super::arguments::{self as args, LIST, Result, STRING, boolean, function, string, strings};
use crate::Kinds;
use crate::builtin::{Function, Package, Parameter};
use system::{Paths, System};

const S: Kinds = Kinds::STRING;
const B: Kinds = Kinds::BOOL;
const L: Kinds = Kinds::LIST;
/// The system, which may be left out.
const SYSTEM: Parameter = Parameter::new(Kinds::STRING).optional();

const FUNCTIONS: &[Function] = &[
    function("Base", &[STRING, SYSTEM], S, |a, _| string(system(a, 1)?.base(args::text(a, 0)?))),
    function("Clean", &[STRING, SYSTEM], S, |a, _| string(system(a, 1)?.clean(args::text(a, 0)?))),
    function("Dir", &[STRING, SYSTEM], S, |a, _| string(system(a, 1)?.directory(args::text(a, 0)?))),
    function("Ext", &[STRING, SYSTEM], S, |a, _| string(system(a, 1)?.extension(args::text(a, 0)?))),
    function("FromSlash", &[STRING, STRING], S, |a, _| string(system(a, 1)?.from_slash(args::text(a, 0)?))),
    function("IsAbs", &[STRING, SYSTEM], B, |a, _| boolean(system(a, 1)?.is_absolute(args::text(a, 0)?))),
    function("Join", &[LIST, SYSTEM], S, |a, host| {
        let parts = args::texts(a, 0)?;
        args::check_size(host, parts.iter().map(|part| part.len() + 1).sum())?;
        string(system(a, 1)?.join(&parts))
    }),
    function("Match", &[STRING, STRING, SYSTEM], B, |a, _| boolean(pattern::matches(args::text(a, 0)?, args::text(a, 1)?, system(a, 2)?)?)),
    function("Rel", &[STRING, STRING, SYSTEM], S, |a, _| string(system(a, 2)?.relative(args::text(a, 0)?, args::text(a, 1)?)?)),
    function("Resolve", &[STRING, STRING, SYSTEM], S, |a, _| string(system(a, 2)?.resolve(args::text(a, 0)?, args::text(a, 1)?))),
    function("Split", &[STRING, SYSTEM], L, |a, _| {
        let (directory, file) = system(a, 1)?.split(args::text(a, 0)?);
        strings([directory, file])
    }),
    function("SplitList", &[STRING, STRING], L, |a, _| strings(system(a, 1)?.split_list(args::text(a, 0)?))),
    function("ToSlash", &[STRING, STRING], S, |a, _| string(system(a, 1)?.to_slash(args::text(a, 0)?))),
    function("VolumeName", &[STRING, SYSTEM], S, |a, _| {
        let paths = if a.len() < 2 { Paths(System::Windows) } else { system(a, 1)? };
        string(paths.volume(args::text(a, 0)?))
    }),
];

pub(super) static PATH: Package = Package { path: "path", functions: FUNCTIONS, source: "Unix: \"unix\"\nWindows: \"windows\"\nPlan9: \"plan9\"\n" };

fn system(a: &[crate::Value], index: usize) -> Result<Paths> {
    if a.len() <= index { Ok(Paths(System::Unix)) } else { System::named(args::text(a, index)?).map(Paths) }
}
