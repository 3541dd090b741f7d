//! Embedded files: `@embed(file=…)` and `@embed(glob=…)` on fields of files that say `@extern(embed)`.
//!
//! Kept true here: only files beside the source file or below it are read, never those of another module; what a pattern matches comes in
//! the order of the names. The value of the file is unified with what the field says.

use std::path::{Path, PathBuf};

use pravo_cue::data::Format;
use pravo_cue::syntax::ast::{Attribute, Declaration, Expression, Field, File};
use pravo_cue::syntax::literal;
use pravo_diag::Diagnostic;

use super::tags::unify;
use super::{Encoding, Reader, data};

/// How deep structs with embedded files may be nested.
const MAXIMUM_DEPTH: usize = 500;

/// What an attribute asks for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    path: String,
    glob: bool,
    kind: Option<String>,
    may_be_empty: bool,
}

/// Puts the values of embedded files into the fields of a file.
pub(super) fn resolve(reader: &mut Reader, path: &Path, file: &mut File) -> Result<(), Vec<Diagnostic>> {
    let switched_on = |attribute: &Attribute| attribute.name() == "extern" && attribute.body().trim() == "embed";
    if !file.leading_attributes().any(switched_on) {
        return Ok(());
    }
    let mut errors = Vec::new();
    let directory = path.parent().unwrap_or(Path::new("."));
    for declaration in &mut file.declarations {
        field_of(reader, directory, declaration, 0, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn field_of(reader: &mut Reader, directory: &Path, declaration: &mut Declaration, depth: usize, errors: &mut Vec<Diagnostic>) {
    let Declaration::Field(field) = declaration else {
        return;
    };
    if let Expression::Struct(inner) = &mut field.value
        && depth < MAXIMUM_DEPTH
    {
        for declaration in &mut inner.declarations {
            field_of(reader, directory, declaration, depth + 1, errors);
        }
    }
    let attributes: Vec<Attribute> = field.attributes.iter().filter(|attribute| attribute.name() == "embed").cloned().collect();
    for attribute in attributes {
        if let Err(why) = embed(reader, directory, field, &attribute) {
            errors
                .push(Diagnostic::error("cue.embed", why).at(attribute.span, "").with_path(crate::literals::name(&field.label).unwrap_or_default()));
        }
    }
}

fn embed(reader: &mut Reader, directory: &Path, field: &mut Field, attribute: &Attribute) -> Result<(), String> {
    if reader.module.is_none() {
        return Err("files can be embedded in a module only: there is no cue.mod/module.cue in the directory or above it".to_owned());
    }
    let request = Request::parse(attribute.body())?;
    let value = if request.glob {
        let mut members = Vec::new();
        for name in matches(directory, &request.path)? {
            members.push((name.clone(), one(reader, directory, &name, request.kind.as_deref())?));
        }
        if members.is_empty() && !request.may_be_empty {
            return Err(format!("no file matches {:?}", request.path));
        }
        struct_of(members, attribute)
    } else {
        one(reader, directory, &request.path, request.kind.as_deref())?
    };
    unify(field, value);
    Ok(())
}

/// The value of one file.
fn one(reader: &mut Reader, directory: &Path, name: &str, kind: Option<&str>) -> Result<Expression, String> {
    let path = directory.join(name);
    let foreign = Path::new(name).ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    if foreign.into_iter().any(|parent| directory.join(parent).join("cue.mod").exists()) {
        return Err(format!("{name:?} lies in another module"));
    }
    let encoding = match kind {
        Some(kind) => Encoding::named(kind).ok_or_else(|| format!("{kind:?} is no type of file; there are json, yaml, toml, text and binary"))?,
        None => {
            Encoding::of(&path).ok_or_else(|| format!("the name {name:?} does not tell how it is read: add type=json, yaml, toml, text or binary"))?
        }
    };
    if matches!(encoding, Encoding::Cue | Encoding::Data(Format::JsonLines)) {
        return Err("CUE and streams of JSON cannot be embedded".to_owned());
    }
    if path.is_dir() {
        return Err(format!("{name:?} is a directory"));
    }
    let shown = reader.shown(&path);
    let bytes = super::read_bytes(&path).map_err(|why| format!("{name}: {why}"))?;
    reader.note(&shown, &bytes);
    let mut sources = std::mem::take(&mut reader.sources);
    let read = data::expressions(&shown, encoding, &bytes, &mut sources);
    reader.sources = sources;
    match read.map_err(|diagnostics| diagnostics.into_iter().map(|diagnostic| diagnostic.summary).collect::<Vec<_>>().join("; "))?.as_mut_slice() {
        [] => Err(format!("{name:?} holds no value")),
        [value] => Ok(value.clone()),
        more => Err(format!("{name:?} holds {} values, and only one can be embedded", more.len())),
    }
}

fn struct_of(members: Vec<(String, Expression)>, attribute: &Attribute) -> Expression {
    use pravo_cue::syntax::ast::{Label, Literal, LiteralKind, Place, Space, Struct};
    let field = |(name, value): (String, Expression)| {
        let text = literal::Form::STRING.quote(&name);
        let label =
            Label::Literal(Literal { span: attribute.span, space: Space::Unset, kind: LiteralKind::String, text, comments: Default::default() });
        let field = Field {
            span: attribute.span,
            label,
            alias: None,
            constraint: None,
            colon: Place::default(),
            value,
            attributes: Vec::new(),
            comments: Default::default(),
        };
        Declaration::Field(Box::new(field))
    };
    let declarations = members.into_iter().map(field).collect();
    let (open, close) = (Some(Place::default()), Some(Place::default()));
    Expression::Struct(Box::new(Struct { span: attribute.span, open, declarations, close, comments: Default::default() }))
}

impl Request {
    fn parse(body: &str) -> Result<Self, String> {
        let (mut file, mut glob, mut kind, mut may_be_empty) = (None, None, None, false);
        for part in split(body) {
            let (key, value) = part.split_once('=').map_or((part.as_str(), ""), |(key, value)| (key.trim(), value.trim()));
            let value = literal::plain_string(value).unwrap_or_else(|| value.to_owned());
            match key {
                "file" => file = Some(value),
                "glob" => glob = Some(value),
                "type" => kind = Some(value),
                "allowEmptyGlob" => may_be_empty = true,
                _ => {}
            }
        }
        let (path, glob) = match (file.filter(|file| !file.is_empty()), glob.filter(|glob| !glob.is_empty())) {
            (Some(file), None) if !may_be_empty => (file, false),
            (None, Some(glob)) => (glob, true),
            (Some(_), None) => return Err("allowEmptyGlob goes with glob= only".to_owned()),
            (None, None) => return Err("@embed needs file= or glob=".to_owned()),
            (Some(_), Some(_)) => return Err("@embed takes file= or glob=, not both".to_owned()),
        };
        plain_path(&path)?;
        let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
        if glob && kind.is_none() && extension.is_none_or(|extension| extension.contains(['*', '?', '[', '\\'])) {
            return Err("the pattern does not tell how its files are read: add type=json, yaml, toml, text or binary".to_owned());
        }
        Ok(Self { path, glob, kind, may_be_empty })
    }
}

/// The parts between commas, those in strings left whole.
fn split(body: &str) -> Vec<String> {
    let (mut parts, mut quoted) = (vec![String::new()], false);
    for c in body.chars() {
        quoted ^= c == '"';
        match parts.last_mut() {
            Some(last) if c != ',' || quoted => last.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

/// Whether a path is relative, below the directory and in its shortest form.
fn plain_path(path: &str) -> Result<(), String> {
    if path.starts_with('/') {
        return Err("only files beside this one or below it can be embedded, by relative paths".to_owned());
    }
    if path.split('/').any(|segment| segment == "..") {
        return Err("files of parent directories cannot be embedded".to_owned());
    }
    if path.split('/').any(|segment| segment.is_empty() || segment == ".") {
        return Err(format!("the path {path:?} is not in its shortest form"));
    }
    Ok(())
}

/// The files that a pattern matches, sorted; hidden ones only where the pattern says so.
fn matches(directory: &Path, pattern: &str) -> Result<Vec<String>, String> {
    let mut found = vec![PathBuf::new()];
    for segment in pattern.split('/') {
        let mut next = Vec::new();
        for parent in found {
            let Ok(entries) = std::fs::read_dir(directory.join(&parent)) else {
                continue;
            };
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else {
                    continue;
                };
                let hidden = name.starts_with('.') && !segment.starts_with('.');
                if !hidden && matches_name(segment, &name)? {
                    next.push(parent.join(name));
                }
            }
        }
        found = next;
    }
    let mut names: Vec<String> = found.iter().filter(|path| directory.join(path).is_file()).map(|path| path.display().to_string()).collect();
    names.sort();
    Ok(names)
}

/// A part of a pattern for names.
#[derive(Debug, PartialEq)]
enum Token {
    /// `*`
    Any,
    /// `?`
    One,
    /// `[a-z]`, `[^a-z]`
    Class(bool, Vec<(char, char)>),
    /// Itself.
    Sign(char),
}

impl Token {
    fn matches(&self, c: char) -> bool {
        match self {
            Self::Any => false,
            Self::One => true,
            Self::Class(negated, ranges) => ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated,
            Self::Sign(sign) => *sign == c,
        }
    }
}

fn tokens(pattern: &str) -> Option<Vec<Token>> {
    let mut signs = pattern.chars();
    let mut out = Vec::new();
    while let Some(c) = signs.next() {
        out.push(match c {
            '*' => Token::Any,
            '?' => Token::One,
            '\\' => Token::Sign(signs.next()?),
            '[' => class(&mut signs)?,
            c => Token::Sign(c),
        });
    }
    Some(out)
}

/// What stands behind `[`, to the `]`.
fn class(signs: &mut std::str::Chars<'_>) -> Option<Token> {
    let negated = signs.as_str().starts_with('^');
    if negated {
        signs.next();
    }
    let mut ranges = Vec::new();
    loop {
        let low = match signs.next()? {
            ']' if !ranges.is_empty() => return Some(Token::Class(negated, ranges)),
            ']' | '-' => return None,
            '\\' => signs.next()?,
            c => c,
        };
        let mut high = low;
        if signs.as_str().starts_with('-') {
            signs.next();
            high = match signs.next()? {
                '\\' => signs.next()?,
                ']' | '-' => return None,
                c => c,
            };
        }
        ranges.push((low, high));
    }
}

/// Whether a name matches a pattern.
fn matches_name(pattern: &str, name: &str) -> Result<bool, String> {
    let pattern = tokens(pattern).ok_or_else(|| format!("{pattern:?} is no pattern"))?;
    let name: Vec<char> = name.chars().collect();
    // Where to go on after the last star, in the pattern and in the name.
    let (mut at, mut from, mut star) = (0, 0, None);
    while let Some(c) = name.get(from) {
        match pattern.get(at) {
            Some(Token::Any) => {
                star = Some((at + 1, from));
                at += 1;
            }
            Some(token) if token.matches(*c) => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some((after, tried)) => {
                    (at, from) = (after, tried + 1);
                    star = Some((after, tried + 1));
                }
                None => return Ok(false),
            },
        }
    }
    Ok(pattern.iter().skip(at).all(|token| *token == Token::Any))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_checked() {
        let parse = |body: &str| Request::parse(body).map(|request| (request.path, request.glob, request.kind));
        assert_eq!(parse("file=a.json"), Ok(("a.json".into(), false, None)));
        assert_eq!(parse("glob=\"x/*.json\", type=text"), Ok(("x/*.json".into(), true, Some("text".into()))));
        for wrong in ["", "file=a.json,glob=b", "file=/a", "file=../a", "file=a//b", "glob=*", "file=a,allowEmptyGlob"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn patterns_match_names() {
        let cases = [
            ("*.json", "a.json", true),
            ("a*c", "abbc", true),
            ("a*c", "abd", false),
            ("?", "x", true),
            ("?", "", false),
            ("*", "", true),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches_name(pattern, name), Ok(expected), "{pattern} {name}");
        }
        assert!(matches_name("[a", "a").is_err());
    }
}
