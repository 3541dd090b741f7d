//! The command line: what clap parses, and the spelling that comes before it.
//!
//! Long options work with one dash or two: an argument with one dash whose name is a long option of any command gets its second
//! dash before clap sees it, so that `-target` is never read as `-t arget`.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use pravo_model::Address;

/// Infrastructure from CUE specifications, through sandboxed providers.
#[derive(Clone, Debug, Parser)]
#[command(name = "pravo", version, about, long_about = None, max_term_width = 100, disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Example:\n  pravo init && pravo plan && pravo apply\n\nLong options work with one dash or two. `pravo COMMAND --help` shows an example of each command."
)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// Work in this directory instead of the current one
    #[arg(short = 'C', value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub directory: Option<PathBuf>,
    /// What is logged to stderr, such as `debug` or `pravo_engine=trace`
    #[arg(long, value_name = "FILTER", global = true, env = "PRAVO_LOG", hide_env_values = true)]
    pub log: Option<String>,
    /// Write no colours (as the environment variable NO_COLOR does)
    #[arg(long, global = true)]
    pub no_color: bool,
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Resolve the providers of the specification and write pravo.lock
    Init(Init),
    /// Show what an apply would do
    Plan(Plan),
    /// Make the infrastructure match the specification
    Apply(Apply),
    /// Destroy everything that the state holds
    Destroy(Destroy),
    /// Compare every record with the infrastructure
    Drift(Drift),
    /// Show a saved plan, or the state
    Show(Show),
    /// Print a field of the specification, evaluated against the state
    Output(Output),
    /// Evaluate CUE files
    Eval(Eval),
    /// Check the specification without reading or changing anything
    Validate(Validate),
    /// Bring CUE files into their canonical layout
    Fmt(Fmt),
    /// Print which resource depends on which
    Graph(Graph),
    /// Read and change the state
    #[command(subcommand)]
    State(State),
    /// Look into providers
    #[command(subcommand)]
    Provider(Provider),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the version
    Version(Version),
}

/// Options of commands that evaluate a specification.
#[derive(Clone, Debug, Default, Args)]
pub struct Evaluation {
    /// Set a `@tag(NAME)` field, or choose files by `@if(NAME)`; repeatable
    #[arg(short = 't', long = "tag", value_name = "NAME[=VALUE]")]
    pub tags: Vec<String>,
    /// Largest number of evaluation steps
    #[arg(long, value_name = "N")]
    pub eval_steps: Option<u64>,
    /// Largest memory of the evaluation, such as `2GiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub eval_memory: Option<u64>,
}

/// Options of commands that plan.
#[derive(Clone, Debug, Default, Args)]
pub struct Planning {
    /// Options of the evaluation.
    #[command(flatten)]
    pub evaluation: Evaluation,
    /// Which records are read: `true` as their ages say, `expired` every one older than its age, `all`, or `false` for none
    #[arg(long, value_name = "WHICH", default_value = "true", hide_default_value = true)]
    pub refresh: RefreshArgument,
    /// Plan only this address and what it needs; repeatable
    #[arg(long = "target", value_name = "ADDR")]
    pub targets: Vec<Address>,
    /// Leave out this address and what needs it; repeatable
    #[arg(long = "exclude", value_name = "ADDR")]
    pub excludes: Vec<Address>,
    /// Plan a replacement of this address; repeatable
    #[arg(long, value_name = "ADDR")]
    pub replace: Vec<Address>,
    /// Go on with an uncertain address as if its object did not exist; repeatable
    #[arg(long, value_name = "ADDR")]
    pub retry: Vec<Address>,
    /// A policy that may refuse the plan: a CUE file or a package directory; repeatable
    #[arg(long = "policy", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub policies: Vec<PathBuf>,
    /// Show sensitive values
    #[arg(long)]
    pub show_sensitive: bool,
}

/// `pravo init`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  pravo init --approve")]
pub struct Init {
    /// Options of the evaluation.
    #[command(flatten)]
    pub evaluation: Evaluation,
    /// Approve what the providers need without asking
    #[arg(long)]
    pub approve: bool,
    /// Take the newest versions that fit, not those of pravo.lock
    #[arg(long)]
    pub upgrade: bool,
    /// Look for components in this directory first; repeatable
    #[arg(long = "provider-dir", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub provider_dirs: Vec<PathBuf>,
}

/// `pravo plan`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo plan\n  pravo plan --out plan.bin -refresh=all\n  pravo plan --target web --detailed-exitcode")]
pub struct Plan {
    /// What is planned.
    #[command(flatten)]
    pub planning: Planning,
    /// Plan to delete everything
    #[arg(long)]
    pub destroy: bool,
    /// Save the plan to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Exit with 0 where there is nothing to do, 2 where there is something, 1 on an error
    #[arg(long)]
    pub detailed_exitcode: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `pravo apply`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo apply\n  pravo apply --auto-approve\n  pravo apply plan.bin")]
pub struct Apply {
    /// A saved plan: exactly this is applied, without a question
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// What is planned.
    #[command(flatten)]
    pub planning: Planning,
    /// Delete everything
    #[arg(long)]
    pub destroy: bool,
    /// Do not ask
    #[arg(long)]
    pub auto_approve: bool,
    /// Print events, one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// `pravo destroy`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo destroy\n  pravo destroy --target web --auto-approve")]
pub struct Destroy {
    /// What is planned.
    #[command(flatten)]
    pub planning: Planning,
    /// Do not ask
    #[arg(long)]
    pub auto_approve: bool,
    /// Print events, one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// `pravo drift`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo drift\n  pravo drift --accept")]
pub struct Drift {
    /// Options of the evaluation.
    #[command(flatten)]
    pub evaluation: Evaluation,
    /// Record what differs
    #[arg(long)]
    pub accept: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Show sensitive values
    #[arg(long)]
    pub show_sensitive: bool,
}

/// `pravo show`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo show\n  pravo show plan.bin --json")]
pub struct Show {
    /// A saved plan; without it the state is shown
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Show sensitive values
    #[arg(long)]
    pub show_sensitive: bool,
}

/// `pravo output`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo output\n  pravo output --raw pet.id\n  pravo output --json pages")]
pub struct Output {
    /// The CUE path of a field; without it every field is printed
    #[arg(value_name = "PATH")]
    pub path: Option<String>,
    /// Options of the evaluation.
    #[command(flatten)]
    pub evaluation: Evaluation,
    /// Print a text, a number or a truth value as it is, also where it is sensitive
    #[arg(long, conflicts_with = "json", requires = "path")]
    pub raw: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Show sensitive values
    #[arg(long)]
    pub show_sensitive: bool,
}

/// `pravo eval`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo eval\n  pravo eval -e 'site.name' --out json\n  pravo eval --out def config.cue")]
pub struct Eval {
    /// Packages (directories, patterns such as ./...), or files of one package, data files, and - for stdin; without them the current directory
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Options of the evaluation.
    #[command(flatten)]
    pub evaluation: Evaluation,
    /// Evaluate this expression within the package; repeatable
    #[arg(short = 'e', long = "expression", value_name = "EXPR")]
    pub expressions: Vec<String>,
    /// Show hidden and optional fields too
    #[arg(short = 'a', long)]
    pub all: bool,
    /// The form of the result
    #[arg(long, value_name = "FORM", default_value = "cue")]
    pub out: EvalForm,
}

/// `pravo validate`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo validate\n  pravo validate --concrete config.cue")]
pub struct Validate {
    /// Plain CUE to check instead of the specification: packages, or files of one package, data files, and - for stdin
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Options of the evaluation.
    #[command(flatten)]
    pub evaluation: Evaluation,
    /// Every value must be concrete; with =false it need not be
    #[arg(short = 'c', long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub concrete: Option<bool>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `pravo fmt`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo fmt\n  pravo fmt --check\n  pravo fmt - < main.cue")]
pub struct Fmt {
    /// Files, directories and patterns such as ./..., `-` for stdin; without them the current directory
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Change nothing; name the files that differ and exit with 1
    #[arg(long)]
    pub check: bool,
    /// Simplify what can be written shorter
    #[arg(short = 's', long)]
    pub simplify: bool,
}

/// `pravo graph` and `pravo state graph`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  pravo graph\n  pravo graph --format dot | dot -Tsvg > graph.svg")]
pub struct Graph {
    /// The form of the graph
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: GraphForm,
    /// Options of the evaluation.
    #[command(flatten)]
    pub evaluation: Evaluation,
}

/// `pravo state …`
#[derive(Clone, Debug, Subcommand)]
pub enum State {
    /// List the addresses of all records
    #[command(after_help = "Example:\n  pravo state list")]
    List {
        /// Only these addresses and what lies below them
        #[arg(value_name = "ADDR")]
        addresses: Vec<Address>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show one record
    #[command(after_help = "Examples:\n  pravo state show pet\n  pravo state show pet --at 3")]
    Show {
        /// Its address
        #[arg(value_name = "ADDR")]
        address: Address,
        /// As it was after this transaction
        #[arg(long, value_name = "TXN")]
        at: Option<u64>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
        /// Show sensitive values
        #[arg(long)]
        show_sensitive: bool,
    },
    /// Print the stored edges: `a -> b` reads "a depends on b"
    #[command(after_help = "Examples:\n  pravo state graph\n  pravo state graph --format mermaid")]
    Graph {
        /// The form of the graph
        #[arg(long, value_name = "FORM", default_value = "text")]
        format: GraphForm,
    },
    /// Give a record, or all below an address, another address
    #[command(after_help = "Example:\n  pravo state mv web.old web.new")]
    Mv {
        /// The old address
        #[arg(value_name = "FROM")]
        from: Address,
        /// The new address
        #[arg(value_name = "TO")]
        to: Address,
    },
    /// Forget a record, or all below an address; the objects stay
    #[command(after_help = "Example:\n  pravo state rm pet")]
    Rm {
        /// The addresses
        #[arg(value_name = "ADDR", required = true)]
        addresses: Vec<Address>,
    },
    /// List the transactions
    #[command(after_help = "Example:\n  pravo state log")]
    Log {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show what changed between two transactions
    #[command(after_help = "Example:\n  pravo state diff 3 5")]
    Diff {
        /// The first transaction; 0 for the empty state
        #[arg(value_name = "TXN")]
        from: u64,
        /// The second transaction
        #[arg(value_name = "TXN")]
        to: u64,
        /// Show sensitive values
        #[arg(long)]
        show_sensitive: bool,
    },
    /// Print the whole state as JSON, sensitive values included
    #[command(after_help = "Example:\n  pravo state pull > backup.json")]
    Pull,
}

/// `pravo provider …`
#[derive(Clone, Debug, Subcommand)]
pub enum Provider {
    /// Show what a provider is, needs and offers
    #[command(
        after_help = "Examples:\n  pravo provider inspect pravo.dev/providers/hashicorp/random\n  pravo provider inspect ./provider.wasm --json"
    )]
    Inspect {
        /// A component file, or a provider package
        #[arg(value_name = "PROVIDER")]
        provider: String,
        /// Print one JSON document, with the whole schema
        #[arg(long)]
        json: bool,
        /// Print the generated CUE package
        #[arg(long, conflicts_with = "json")]
        cue: bool,
    },
}

/// `pravo completions`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  pravo completions bash > /etc/bash_completion.d/pravo")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `pravo version`
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  pravo version --json")]
pub struct Version {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `-refresh=…`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RefreshArgument {
    /// As the refresh ages say
    #[default]
    True,
    /// Every record older than its age
    Expired,
    /// Every record
    All,
    /// None
    False,
}

/// `eval --out …`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvalForm {
    /// CUE, evaluated
    Cue,
    /// JSON; everything must be concrete
    Json,
    /// YAML; everything must be concrete
    Yaml,
    /// CUE with definitions and constraints
    Def,
}

/// `graph --format …`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphForm {
    /// `a -> b` a line
    Text,
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
    /// One JSON document
    Json,
}

/// A number of bytes with an optional unit: `512MiB`, `2GB`, `1000`.
fn parse_size(text: &str) -> Result<u64, String> {
    let error = || "a size is a number with a unit: B, KB, MB, GB, KiB, MiB or GiB".to_owned();
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(unit_at);
    let number = u64::from_str(digits).map_err(|_| error())?;
    let factor: u64 = match unit.trim() {
        "" | "B" => 1,
        "KB" | "K" => 1_000,
        "MB" | "M" => 1_000_000,
        "GB" | "G" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(error()),
    };
    number.checked_mul(factor).ok_or_else(error)
}

/// Gives long options with one dash their second one.
pub fn rewrite(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut names = BTreeSet::new();
    collect_long_names(&Cli::command(), &mut names);
    let mut rest = false;
    let rewritten = arguments.into_iter().enumerate().map(|(index, argument)| {
        rest |= argument == OsStr::new("--");
        if index == 0 || rest { argument } else { second_dash(argument, &names) }
    });
    rewritten.collect()
}

fn second_dash(argument: OsString, names: &BTreeSet<String>) -> OsString {
    let Some(text) = argument.to_str() else { return argument };
    let Some(body) = text.strip_prefix('-').filter(|body| !body.starts_with('-')) else { return argument };
    let name = body.split('=').next().unwrap_or(body);
    if name.chars().count() > 1 && names.contains(name) { OsString::from(format!("-{text}")) } else { argument }
}

fn collect_long_names(command: &clap::Command, names: &mut BTreeSet<String>) {
    names.extend(["help".to_owned(), "version".to_owned()]);
    names.extend(command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned));
    for subcommand in command.get_subcommands() {
        collect_long_names(subcommand, names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(rewrite(std::iter::once("pravo").chain(line.split_whitespace()).map(OsString::from)))
    }

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn one_dash_or_two() {
        for line in ["apply -auto-approve -refresh=all -target a -target=b", "apply --auto-approve --refresh=all --target a --target=b"] {
            let Command::Apply(apply) = parse(line).unwrap().command else { panic!("{line}") };
            assert!(apply.auto_approve);
            assert_eq!(apply.planning.refresh, RefreshArgument::All);
            assert_eq!(apply.planning.targets.iter().map(Address::as_str).collect::<Vec<_>>(), ["a", "b"]);
        }
    }

    #[test]
    fn short_options_stay_short() {
        let cli = parse("plan -C dir -t name=a=b -tother=x").unwrap();
        assert_eq!(cli.global.directory, Some(PathBuf::from("dir")));
        let Command::Plan(plan) = cli.command else { panic!() };
        assert_eq!(plan.planning.evaluation.tags, ["name=a=b", "other=x"]);
    }

    #[test]
    fn nothing_is_rewritten_after_two_dashes() {
        let rewritten = rewrite(["pravo", "-json", "--", "-json"].map(OsString::from));
        assert_eq!(rewritten, ["pravo", "--json", "--", "-json"].map(OsString::from));
    }

    #[test]
    fn every_command_has_an_example() {
        fn check(command: &clap::Command) {
            let has_subcommands = command.get_subcommands().next().is_some();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(has_subcommands || help.contains("Example"), "{}", command.get_name());
            command.get_subcommands().for_each(check);
        }
        Cli::command().get_subcommands().for_each(check);
    }

    #[test]
    fn wrong_values_are_refused() {
        for line in ["plan --target a..b", "plan -refresh=sometimes", "plan --eval-memory 3X", "output --raw", "nothing"] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
    }
}
