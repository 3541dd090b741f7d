//! Meta fields: what the `$`-fields of a body say, and what is wrong with them.

use pravo_diag::{Diagnostic, Span};
use pravo_model::schema::Block;
use pravo_model::specification::{IgnoreChanges, Meta, Move};
use pravo_model::{Address, RefreshAge};

use crate::names::suggestion;
use crate::raw::{Raw, RawPath, RawStep, path_text};

/// Where the parts of a body stand, and what an unknown part waits for.
pub(crate) trait Places {
    /// The position of the value at a path below the body.
    fn span(&self, path: &[RawStep]) -> Span;
    /// The attributes that the value at a path hangs on, as `pet.id`.
    fn unknowns(&self, path: &[RawStep]) -> Vec<String>;
}

struct Reader<'a> {
    address: &'a Address,
    places: &'a dyn Places,
    errors: Vec<Diagnostic>,
}

/// The meta fields of a body. `$depends_on` is not looked at: it is read by where it points.
///
/// # Errors
/// Everything that is wrong with them, at the position of the value.
pub(crate) fn meta(address: &Address, block: &Block, fields: &[(String, Raw)], places: &dyn Places) -> Result<Meta, Vec<Diagnostic>> {
    let mut reader = Reader { address, places, errors: Vec::new() };
    let mut meta = Meta::default();
    for (name, raw) in fields.iter().filter(|(name, _)| name.starts_with('$') && name != "$depends_on") {
        let path = vec![RawStep::Field(name.clone())];
        if reader.refuse_unknown(&path, raw) {
            continue;
        }
        match name.as_str() {
            "$from" => meta.from = reader.moved(&path, raw, false),
            "$import" => meta.import = reader.text(&path, raw),
            "$lifecycle" => reader.lifecycle(&path, raw, block, &mut meta),
            _ => reader.error(&path, format!("{name} is no meta field of this kind")),
        }
    }
    if reader.errors.is_empty() { Ok(meta) } else { Err(reader.errors) }
}

/// The `$from` of a group.
///
/// # Errors
/// Where it is no address, or not known.
pub(crate) fn group_from(address: &Address, raw: &Raw, places: &dyn Places) -> Result<Option<Move>, Vec<Diagnostic>> {
    let mut reader = Reader { address, places, errors: Vec::new() };
    let path = vec![RawStep::Field("$from".to_owned())];
    let moved = if reader.refuse_unknown(&path, raw) { None } else { reader.moved(&path, raw, true) };
    if reader.errors.is_empty() { Ok(moved) } else { Err(reader.errors) }
}

impl Reader<'_> {
    fn error(&mut self, path: &[RawStep], summary: impl Into<String>) {
        self.errors.push(self.diagnostic(path, summary.into()));
    }

    fn diagnostic(&self, path: &[RawStep], summary: String) -> Diagnostic {
        let place = format!("{}.{}", self.address, path_text(path));
        Diagnostic::error("specification.meta", format!("{}: {summary}", self.address)).with_path(place).at(self.places.span(path), "")
    }

    /// Reports a value that is not known, and tells whether it is one.
    fn refuse_unknown(&mut self, path: &RawPath, raw: &Raw) -> bool {
        let Some(below) = raw.first_unknown() else {
            return false;
        };
        let whole: RawPath = path.iter().cloned().chain(below).collect();
        let unknowns = self.places.unknowns(&whole);
        let what = if unknowns.is_empty() { "a value".to_owned() } else { unknowns.join(", ") };
        let summary = format!("{} must be known when planning, but it needs {what}, which is known only after the apply", path_text(&whole));
        self.error(&whole, summary);
        true
    }

    fn text(&mut self, path: &RawPath, raw: &Raw) -> Option<String> {
        match raw {
            Raw::String(text) => Some(text.clone()),
            Raw::Null => None,
            raw => {
                self.error(path, format!("{} is a string, not a {}", path_text(path), raw.kind()));
                None
            }
        }
    }

    fn truth(&mut self, path: &RawPath, raw: &Raw) -> bool {
        match raw {
            Raw::Bool(truth) => *truth,
            Raw::Null => false,
            raw => {
                self.error(path, format!("{} is true or false, not a {}", path_text(path), raw.kind()));
                false
            }
        }
    }

    fn moved(&mut self, path: &RawPath, raw: &Raw, group: bool) -> Option<Move> {
        let text = self.text(path, raw)?;
        match text.parse::<Address>() {
            Ok(from) if from == *self.address => {
                self.error(path, "$from names the address itself; it names the address that the record had before");
                None
            }
            Ok(from) => Some(Move { from, group, span: self.places.span(path) }),
            Err(error) => {
                self.error(path, format!("$from: {error}"));
                None
            }
        }
    }

    fn lifecycle(&mut self, path: &RawPath, raw: &Raw, block: &Block, meta: &mut Meta) {
        let Raw::Struct(fields) = raw else {
            return self.error(path, format!("$lifecycle is a struct, not a {}", raw.kind()));
        };
        for (name, raw) in fields {
            let path = [path.as_slice(), &[RawStep::Field(name.clone())]].concat();
            match name.as_str() {
                "create_before_destroy" => meta.create_before_destroy = self.truth(&path, raw),
                "prevent_destroy" => meta.prevent_destroy = self.truth(&path, raw),
                "ignore_changes" => meta.ignore_changes = self.ignore_changes(&path, raw, block),
                "refresh" => meta.refresh = self.refresh(&path, raw),
                name => {
                    let known = ["create_before_destroy", "prevent_destroy", "ignore_changes", "refresh"];
                    let diagnostic = self.diagnostic(&path, format!("$lifecycle has no field {name:?}"));
                    self.errors.push(diagnostic.with_help(suggestion(name, known)));
                }
            }
        }
    }

    fn refresh(&mut self, path: &RawPath, raw: &Raw) -> Option<RefreshAge> {
        let text = self.text(path, raw)?;
        text.parse().map_err(|error| self.error(path, format!("$lifecycle.refresh: {error}"))).ok()
    }

    fn ignore_changes(&mut self, path: &RawPath, raw: &Raw, block: &Block) -> IgnoreChanges {
        let elements = match raw {
            Raw::List(elements) => elements,
            Raw::Null => return IgnoreChanges::None,
            raw => {
                self.error(path, format!("$lifecycle.ignore_changes is a list of attribute names, not a {}", raw.kind()));
                return IgnoreChanges::None;
            }
        };
        let mut names = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let path = [path.as_slice(), &[RawStep::Index(index)]].concat();
            let Some(name) = self.text(&path, element) else { continue };
            if name == "*" && elements.len() > 1 {
                self.error(&path, "$lifecycle.ignore_changes: \"*\" stands for every attribute, so it stands alone");
            } else if name != "*" && !block.attributes.contains_key(name.as_str()) && !block.blocks.contains_key(name.as_str()) {
                let known = block.attributes.keys().chain(block.blocks.keys()).map(|known| known.as_str());
                let diagnostic = self.diagnostic(&path, format!("$lifecycle.ignore_changes: there is no attribute {name:?}"));
                self.errors.push(diagnostic.with_help(suggestion(&name, known)));
            }
            names.push(name);
        }
        names.sort();
        names.dedup();
        match names.as_slice() {
            [] => IgnoreChanges::None,
            [only] if only == "*" => IgnoreChanges::All,
            _ => IgnoreChanges::Names(names),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pravo_diag::FileId;
    use pravo_model::Type;
    use pravo_model::schema::{Attribute, AttributeKind};

    struct Fixed;

    impl Places for Fixed {
        fn span(&self, path: &[RawStep]) -> Span {
            Span::new(FileId(0), path.len() as u32, path.len() as u32)
        }

        fn unknowns(&self, _: &[RawStep]) -> Vec<String> {
            vec!["pet.id".to_owned()]
        }
    }

    fn block() -> Block {
        let mut block = Block::default();
        let text = Attribute {
            kind: AttributeKind::Type(Type::String),
            required: false,
            optional: true,
            computed: false,
            sensitive: false,
            write_only: false,
            description: String::new(),
            deprecated: None,
        };
        block.attributes.insert("content".into(), text);
        block
    }

    fn lifecycle(name: &str, raw: Raw) -> Result<Meta, Vec<String>> {
        let fields = [("$lifecycle".to_owned(), Raw::Struct(vec![(name.to_owned(), raw)]))];
        meta(&"note".parse().unwrap(), &block(), &fields, &Fixed).map_err(|errors| {
            errors.into_iter().map(|error| if error.help.is_empty() { error.summary } else { format!("{}; {}", error.summary, error.help) }).collect()
        })
    }

    fn text(text: &str) -> Raw {
        Raw::String(text.into())
    }

    #[test]
    fn lifecycle_is_read() {
        assert!(lifecycle("create_before_destroy", Raw::Bool(true)).unwrap().create_before_destroy);
        assert!(lifecycle("prevent_destroy", Raw::Bool(true)).unwrap().prevent_destroy);
        assert_eq!(lifecycle("refresh", text("15m")).unwrap().refresh, Some("15m".parse().unwrap()));
        assert_eq!(lifecycle("ignore_changes", Raw::List(vec![text("*")])).unwrap().ignore_changes, IgnoreChanges::All);
        let names = lifecycle("ignore_changes", Raw::List(vec![text("content"), text("content")])).unwrap().ignore_changes;
        assert_eq!(names, IgnoreChanges::Names(vec!["content".into()]));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("refresh", text("15 minutes"), "note: $lifecycle.refresh: \"15 minutes\" is not a refresh age"),
            ("refresh", Raw::Unknown, "note: $lifecycle.refresh must be known when planning, but it needs pet.id, which"),
            (
                "ignore_changes",
                Raw::List(vec![text("conten")]),
                "note: $lifecycle.ignore_changes: there is no attribute \"conten\"; did you mean \"content\"?",
            ),
            ("ignore_changes", Raw::List(vec![text("*"), text("content")]), "note: $lifecycle.ignore_changes: \"*\" stands for every attribute"),
            ("ignore_change", Raw::List(vec![]), "note: $lifecycle has no field \"ignore_change\"; did you mean \"ignore_changes\"?"),
            ("prevent_destroy", text("yes"), "note: $lifecycle.prevent_destroy is true or false, not a string"),
        ];
        for (name, raw, expected) in cases {
            let errors = lifecycle(name, raw).unwrap_err();
            assert!(errors.len() == 1 && errors[0].starts_with(expected), "{errors:?}");
        }
    }

    #[test]
    fn moves_name_an_address() {
        let from = |text: &str| meta(&"note".parse().unwrap(), &block(), &[("$from".to_owned(), Raw::String(text.into()))], &Fixed);
        assert_eq!(from("old.note").unwrap().from.unwrap().from.as_str(), "old.note");
        assert!(from("a-b").unwrap_err()[0].summary.starts_with("note: $from: \"a-b\" is not an address"));
        assert!(from("note").is_err());
        assert!(group_from(&"new".parse().unwrap(), &text("old"), &Fixed).unwrap().unwrap().group);
    }
}
