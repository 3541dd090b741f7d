//! A case's configuration as a CUE root.

use std::fmt::Write as _;
use std::path::Path;

use pravo_model::Type;
use serde_json::{Map, Value as Json};

use super::case::{Case, Step};
use super::conversion::{Kinds, element, scalar};

/// Writes one configuration. What is unknown while planning comes from objects of the `trace` provider that the same apply creates.
pub struct Source<'a> {
    case: &'a Case,
    directory: &'a Path,
    kinds: &'a Kinds,
    step: usize,
    echoes: String,
    count: usize,
    decodes: bool,
}

/// The parts of a root that needs the `trace` component: its path.
pub fn needs_trace(case: &Case) -> bool {
    matches!(case.kind.as_str(), "ephemeral" | "function") || case.steps.iter().any(|step| mentions_unknown(&Json::Object(step.config.clone())))
}

/// Whether something in it is not known while planning.
pub fn mentions_unknown(json: &Json) -> bool {
    match json {
        Json::Object(entries) => entries.contains_key("$unknown") || entries.values().any(mentions_unknown),
        Json::Array(elements) => elements.iter().any(mentions_unknown),
        _ => false,
    }
}

impl<'a> Source<'a> {
    /// For one step.
    pub fn new(case: &'a Case, directory: &'a Path, kinds: &'a Kinds, step: usize) -> Self {
        Self { case, directory, kinds, step, echoes: String::new(), count: 0, decodes: false }
    }

    /// The whole file. `trace` is the path of that component, where the case needs it.
    pub fn file(mut self, step: Option<&Step>, trace: Option<&Path>) -> String {
        let body = step.map(|step| self.declarations(step)).unwrap_or_default();
        let mut text = String::from("package recorded\n\nimport (\n");
        let _ = writeln!(text, "\tunder \"pravo.dev/providers/hashicorp/{}\"", self.case.provider);
        if trace.is_some() {
            text.push_str("\ttrace \"pravo.dev/providers/test/trace\"\n");
        }
        if self.decodes {
            text.push_str("\t\"encoding/json\"\n");
        }
        text.push_str(")\n\n$under: under.#Provider");
        // What reaches out of the case's directory is granted as an operator would grant it.
        if self.case.is("outside") {
            text.push_str(" & {$allow: fs: [{path: \".\", access: \"write\"}, {path: \"/\", access: \"read\"}]}");
        }
        text.push('\n');
        if let Some(path) = trace {
            let _ = writeln!(text, "$trace: trace.#Provider & {{$source: {}}}", Json::String(format!("file:{}", path.display())));
        }
        text.push_str(&self.echoes);
        text.push_str(&body);
        text
    }

    fn declarations(&mut self, step: &Step) -> String {
        let name = &self.case.type_name;
        match self.case.kind.as_str() {
            "function" => {
                let kinds = self.kinds;
                let arguments: Vec<String> = step
                    .args
                    .iter()
                    .enumerate()
                    .map(|(index, argument)| {
                        let (name, kind) = kinds.parameter(index);
                        format!("{}: {}", Json::String(name), self.value(argument, kind))
                    })
                    .collect();
                let arguments = arguments.join(", ");
                format!("answer: ($under.#Function.{name} & {{{arguments}}}).result\nsink: $trace.#Resource.trace_echo & {{input: \"\\(answer)\"}}\n")
            }
            "ephemeral" => {
                self.decodes = true;
                let body = self.arguments(&step.config, "");
                format!(
                    "it: $under.#Ephemeral.{name} & {body}\nsink: $trace.#Resource.trace_echo & {{input: \"{}\", input_wo: json.Marshal(it)}}\n",
                    self.step
                )
            }
            "data" => format!("it: $under.#Data.{name} & {}\n", self.arguments(&step.config, "")),
            _ => {
                let import = if step.op == "import" { format!("$import: {}\n", Json::String(step.id.clone())) } else { String::new() };
                format!("it: $under.#Resource.{name} & {}\n", self.arguments(&step.config, &import))
            }
        }
    }

    fn arguments(&mut self, config: &Map<String, Json>, first: &str) -> String {
        let kinds = self.kinds;
        self.fields(config, first, |name| kinds.attribute(name))
    }

    fn fields<'k>(&mut self, config: &Map<String, Json>, first: &str, kind: impl Fn(&str) -> Option<&'k Type>) -> String {
        let fields: Vec<String> =
            config.iter().map(|(name, value)| format!("{}: {}\n", Json::String(name.clone()), self.value(value, kind(name)))).collect();
        format!("{{\n{first}{}}}", fields.concat())
    }

    fn value(&mut self, json: &Json, kind: Option<&Type>) -> String {
        match json {
            Json::Object(entries) if entries.contains_key("$unknown") => self.unknown(&entries["$unknown"], kind),
            Json::Object(entries) if entries.contains_key("$repeat") => Json::String(repeat(&entries["$repeat"])).to_string(),
            Json::Object(entries) => self.fields(entries, "", |name| element(kind, name)),
            Json::Array(elements) => {
                let elements: Vec<String> = elements.iter().map(|value| self.value(value, element(kind, ""))).collect();
                format!("[{}]", elements.join(", "))
            }
            json => {
                let (text, decodes) = scalar(&expand(json, self.directory), kind);
                self.decodes |= decodes;
                text
            }
        }
    }

    fn unknown(&mut self, later: &Json, kind: Option<&Type>) -> String {
        let name = format!("later_{}_{}", self.step, self.count);
        self.count += 1;
        let expanded = expand(later, self.directory);
        let (input, read) = match &expanded {
            Json::String(text) if !matches!(kind, Some(Type::Number | Type::Bool)) => (text.clone(), format!("{name}.output")),
            Json::Number(_) | Json::Bool(_) if kind == Some(&Type::String) => (expanded.to_string(), format!("{name}.output")),
            Json::String(text) => {
                self.decodes = true;
                (text.clone(), format!("json.Unmarshal({name}.output)"))
            }
            other => {
                self.decodes = true;
                (other.to_string(), format!("json.Unmarshal({name}.output)"))
            }
        };
        let _ = writeln!(self.echoes, "{name}: $trace.#Resource.trace_echo & {{input: {}}}", Json::String(input));
        read
    }
}

fn repeat(argument: &Json) -> String {
    let text = argument[0].as_str().unwrap_or_default();
    text.repeat(argument[1].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default())
}

/// A value with `{cwd}` and `$repeat` expanded.
pub fn expand(json: &Json, directory: &Path) -> Json {
    match json {
        Json::Object(entries) if entries.contains_key("$repeat") && entries.len() == 1 => Json::String(repeat(&entries["$repeat"])),
        Json::Object(entries) => Json::Object(entries.iter().map(|(key, value)| (key.clone(), expand(value, directory))).collect()),
        Json::Array(elements) => Json::Array(elements.iter().map(|element| expand(element, directory)).collect()),
        Json::String(text) => Json::String(text.replace("{cwd}", &directory.display().to_string())),
        scalar => scalar.clone(),
    }
}
