//! From tokens to templates.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_traits::Num;

use super::super::super::arguments::Result;
use super::lex::{Token, lex};
use crate::builtin::Failure;
use crate::syntax::literal;
use crate::{Number, Value};

/// How deep actions may be nested in actions.
const MAXIMUM_DEPTH: usize = 200;

pub(super) const FUNCTIONS: &[&str] = &[
    "and", "call", "html", "index", "slice", "js", "len", "not", "or", "print", "printf", "println", "urlquery", "eq", "ge", "gt", "le", "lt", "ne",
];

/// Templates by name; the main one is called "".
pub(super) type Templates = HashMap<String, Vec<Node>>;

/// A part of a template.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(String),
    Action(Pipeline),
    If(Pipeline, Vec<Node>, Vec<Node>),
    With(Pipeline, Vec<Node>, Vec<Node>),
    Range(Pipeline, Vec<Node>, Vec<Node>),
    Template(String, Option<Pipeline>),
    Break,
    Continue,
}

/// Commands, each of which gets the result of the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipeline {
    /// The variables that get the result.
    pub(super) variables: Vec<String>,
    /// Whether these exist already.
    pub(super) assigns: bool,
    pub(super) commands: Vec<Vec<Operand>>,
}

/// A part of a command.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Dot,
    Nil,
    Constant(Value),
    Function(String),
    Field(Vec<String>),
    Variable(String, Vec<String>),
    Pipeline(Pipeline, Vec<String>),
    /// A function without arguments, and fields of its result.
    Call(String, Vec<String>),
}

/// How a list of nodes ended.
#[derive(PartialEq, Eq)]
enum End {
    Text,
    End,
    Else,
    ElseIf,
    ElseWith,
}

/// Reads a template and all that it defines.
pub(super) fn parse(text: &str) -> Result<Templates> {
    let mut parser = Parser { tokens: lex(text)?, at: 0, depth: 0, ranges: 0, variables: vec![String::new()], templates: Templates::new() };
    let (nodes, end) = parser.nodes(true)?;
    if end != End::Text {
        return Err(error("unexpected {{end}} or {{else}}"));
    }
    parser.templates.insert(String::new(), nodes);
    Ok(parser.templates)
}

fn error(message: impl std::fmt::Display) -> Failure {
    Failure::eval(format!("template: {message}"))
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: usize,
    ranges: usize,
    variables: Vec<String>,
    templates: Templates,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token<'t>> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn take(&mut self, token: &Token<'_>) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn spaces(&mut self) {
        while self.take(&Token::Space) {}
    }

    fn close(&mut self, what: &str) -> Result<()> {
        self.spaces();
        if self.take(&Token::Close) { Ok(()) } else { Err(error(format!("unexpected text in {what}"))) }
    }

    /// Nodes up to an end that is not theirs.
    fn nodes(&mut self, top: bool) -> Result<(Vec<Node>, End)> {
        self.depth += 1;
        if self.depth > MAXIMUM_DEPTH {
            return Err(error(format!("actions are nested deeper than {MAXIMUM_DEPTH} levels")));
        }
        let mut nodes = Vec::new();
        let end = loop {
            match self.next() {
                None if top => break End::Text,
                None => {
                    return Err(error("unexpected end of the template: an {{end}} is missing"));
                }
                Some(Token::Text(text)) => nodes.push(Node::Text(text.to_owned())),
                Some(_) => match self.action(top, &mut nodes)? {
                    Some(end) => break end,
                    None => continue,
                },
            }
        };
        self.depth -= 1;
        Ok((nodes, end))
    }

    fn action(&mut self, top: bool, nodes: &mut Vec<Node>) -> Result<Option<End>> {
        self.spaces();
        let Some(Token::Word(word)) = self.peek().cloned() else {
            nodes.push(Node::Action(self.pipeline("command", &Token::Close)?));
            return Ok(None);
        };
        self.at += 1;
        match word {
            "end" => return self.close("end").map(|()| Some(End::End)),
            "else" => return self.else_action().map(Some),
            "if" => nodes.push(self.control("if")?),
            "with" => nodes.push(self.control("with")?),
            "range" => nodes.push(self.control("range")?),
            "break" | "continue" if self.ranges > 0 => {
                self.close(word)?;
                nodes.push(if word == "break" { Node::Break } else { Node::Continue });
            }
            "template" | "block" => nodes.push(self.template(word)?),
            "define" if top && self.depth == 1 => {
                let name = self.name("define clause")?;
                self.close("define clause")?;
                self.define(name)?;
            }
            "define" => return Err(error("unexpected define")),
            _ => {
                self.at -= 1;
                nodes.push(Node::Action(self.pipeline("command", &Token::Close)?));
            }
        }
        Ok(None)
    }

    fn else_action(&mut self) -> Result<End> {
        self.spaces();
        match self.peek() {
            Some(Token::Word("if")) => Ok(End::ElseIf),
            Some(Token::Word("with")) => Ok(End::ElseWith),
            _ => self.close("else").map(|()| End::Else),
        }
    }

    /// `if`, `with` or `range`, up to its end.
    fn control(&mut self, word: &str) -> Result<Node> {
        let outer = self.variables.len();
        let pipeline = self.pipeline(word, &Token::Close)?;
        self.ranges += usize::from(word == "range");
        let (body, end) = self.nodes(false)?;
        self.ranges -= usize::from(word == "range");
        let otherwise = match end {
            End::Else => match self.nodes(false)? {
                (nodes, End::End) => nodes,
                _ => return Err(error("expected end")),
            },
            // The chain has one end for all.
            End::ElseIf if word == "if" => vec![self.chained("if")?],
            End::ElseWith if word == "with" => vec![self.chained("with")?],
            End::End => Vec::new(),
            _ => return Err(error(format!("unexpected else in {word}"))),
        };
        self.variables.truncate(outer);
        Ok(match word {
            "if" => Node::If(pipeline, body, otherwise),
            "with" => Node::With(pipeline, body, otherwise),
            _ => Node::Range(pipeline, body, otherwise),
        })
    }

    fn chained(&mut self, word: &str) -> Result<Node> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAXIMUM_DEPTH {
            return Err(error(format!("actions are nested deeper than {MAXIMUM_DEPTH} levels")));
        }
        let node = self.control(word);
        self.depth -= 1;
        node
    }

    fn name(&mut self, context: &str) -> Result<String> {
        self.spaces();
        match self.next() {
            Some(Token::Quoted(text)) => unquote(text),
            _ => Err(error(format!("a quoted name should follow in the {context}"))),
        }
    }

    fn define(&mut self, name: String) -> Result<()> {
        let variables = std::mem::replace(&mut self.variables, vec![String::new()]);
        let ranges = std::mem::take(&mut self.ranges);
        let (nodes, end) = self.nodes(false)?;
        if end != End::End {
            return Err(error("unexpected else in a definition"));
        }
        (self.variables, self.ranges) = (variables, ranges);
        // A definition that is empty does not replace one that is not.
        let is_blank = |node: &Node| matches!(node, Node::Text(text) if text.trim().is_empty());
        if !nodes.iter().all(is_blank) || !self.templates.contains_key(&name) {
            self.templates.insert(name, nodes);
        }
        Ok(())
    }

    fn template(&mut self, word: &str) -> Result<Node> {
        let name = self.name("template clause")?;
        self.spaces();
        if word == "template" && self.take(&Token::Close) {
            return Ok(Node::Template(name, None));
        }
        let pipeline = self.pipeline("template clause", &Token::Close)?;
        if word == "block" {
            self.define(name.clone())?;
        }
        Ok(Node::Template(name, Some(pipeline)))
    }

    fn pipeline(&mut self, context: &str, end: &Token<'_>) -> Result<Pipeline> {
        let mut pipeline = Pipeline::default();
        self.declarations(context, &mut pipeline)?;
        loop {
            self.spaces();
            if self.take(end) {
                break;
            }
            let command = self.command()?;
            let executable = !matches!(command.first(), Some(Operand::Dot | Operand::Nil | Operand::Constant(_)));
            if !pipeline.commands.is_empty() && !executable {
                return Err(error(format!("non executable command in pipeline stage {}", pipeline.commands.len() + 1)));
            }
            pipeline.commands.push(command);
        }
        if pipeline.commands.is_empty() { Err(error(format!("missing value for {context}"))) } else { Ok(pipeline) }
    }

    /// `$x :=`, `$x =`, and in a range `$i, $x :=`.
    fn declarations(&mut self, context: &str, pipeline: &mut Pipeline) -> Result<()> {
        loop {
            self.spaces();
            let start = self.at;
            let Some(Token::Variable(name)) = self.peek().cloned() else {
                return Ok(());
            };
            self.at += 1;
            self.spaces();
            let declared = self.peek() == Some(&Token::Declare);
            let comma = self.peek() == Some(&Token::Comma);
            if !declared && !comma && self.peek() != Some(&Token::Assign) {
                self.at = start;
                return Ok(());
            }
            self.at += 1;
            pipeline.variables.push(name.to_owned());
            self.variables.push(name.to_owned());
            if !comma {
                pipeline.assigns = !declared;
                return Ok(());
            }
            if context != "range" || pipeline.variables.len() > 1 {
                return Err(error(format!("too many declarations in {context}")));
            }
        }
    }

    fn command(&mut self) -> Result<Vec<Operand>> {
        let mut operands = Vec::new();
        loop {
            self.spaces();
            operands.extend(self.operand()?);
            match self.peek() {
                Some(Token::Space) => {}
                Some(Token::Close | Token::RightParen) => break,
                Some(Token::Pipe) => {
                    self.at += 1;
                    self.spaces();
                    if matches!(self.peek(), Some(Token::Close | Token::RightParen)) {
                        return Err(error("missing command behind a pipe"));
                    }
                    break;
                }
                _ => return Err(error("unexpected text in an operand")),
            }
        }
        if operands.is_empty() { Err(error("empty command")) } else { Ok(operands) }
    }

    fn operand(&mut self) -> Result<Option<Operand>> {
        let start = self.at;
        let operand = match self.next() {
            Some(Token::Word("true")) => Operand::Constant(Value::Bool(true)),
            Some(Token::Word("false")) => Operand::Constant(Value::Bool(false)),
            Some(Token::Word("nil")) => Operand::Nil,
            Some(Token::Word(name)) if FUNCTIONS.contains(&name) => Operand::Function(name.to_owned()),
            Some(Token::Word(name)) => return Err(error(format!("function {name:?} not defined"))),
            Some(Token::Dot) => Operand::Dot,
            Some(Token::Field(name)) => Operand::Field(vec![name.to_owned()]),
            Some(Token::Variable(name)) if self.variables.iter().any(|variable| variable == name) => Operand::Variable(name.to_owned(), Vec::new()),
            Some(Token::Variable(name)) => {
                return Err(error(format!("undefined variable \"${name}\"")));
            }
            Some(Token::Number(text)) => Operand::Constant(Value::Number(number(text)?)),
            Some(Token::Character(text)) => Operand::Constant(character(text)?),
            Some(Token::Quoted(text)) => Operand::Constant(Value::string(unquote(text)?)),
            Some(Token::LeftParen) => {
                self.depth += 1;
                if self.depth > MAXIMUM_DEPTH {
                    return Err(error("max expression depth exceeded"));
                }
                let pipeline = self.pipeline("parenthesized pipeline", &Token::RightParen)?;
                self.depth -= 1;
                Operand::Pipeline(pipeline, Vec::new())
            }
            _ => {
                self.at = start;
                return Ok(None);
            }
        };
        let mut fields = Vec::new();
        while let Some(Token::Field(name)) = self.peek() {
            fields.push((*name).to_owned());
            self.at += 1;
        }
        if fields.is_empty() {
            return Ok(Some(operand));
        }
        Ok(Some(match operand {
            Operand::Field(first) => Operand::Field(first.into_iter().chain(fields).collect()),
            Operand::Variable(name, _) => Operand::Variable(name, fields),
            Operand::Pipeline(pipeline, _) => Operand::Pipeline(pipeline, fields),
            Operand::Function(name) => Operand::Call(name, fields),
            _ => return Err(error("unexpected . after a term")),
        }))
    }
}

/// A number as Go spells it.
fn number(text: &str) -> Result<Number> {
    let invalid = || error(format!("bad number syntax: {text:?}"));
    let negative = text.starts_with('-');
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text).to_ascii_lowercase();
    let octal = digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let prefixed = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, radix)));
    if let Some((digits, radix)) = prefixed.or(octal.then_some((digits.as_str(), 8))) {
        let value = BigInt::from_str_radix(&digits.replace('_', ""), radix).map_err(|_| invalid())?;
        return Ok(Number::from(if negative { -value } else { value }));
    }
    if digits.ends_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(invalid());
    }
    match literal::number(text).map_err(|_| invalid())? {
        literal::Number::Integer(value) => match Number::from(value) {
            Number::Big(_) => Err(error(format!("integer overflow: {text}"))),
            number => Ok(number),
        },
        literal::Number::Float(value) => Ok(Number::from(value)),
    }
}

fn character(text: &str) -> Result<Value> {
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or("");
    let text = unescape(inner, '\'')?;
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) => Ok(Value::integer(i64::from(u32::from(c)))),
        _ => Err(error("malformed character constant")),
    }
}

/// The text of a string as Go spells it.
fn unquote(text: &str) -> Result<String> {
    if let Some(raw) = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')) {
        return Ok(raw.replace('\r', ""));
    }
    unescape(text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(""), '"')
}

fn unescape(text: &str, mark: char) -> Result<String> {
    let invalid = || error("invalid escape in a string");
    let mut out = Vec::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let escape = characters.next().ok_or_else(invalid)?;
        let (count, radix) = match escape {
            'x' => (2, 16),
            'u' => (4, 16),
            'U' => (8, 16),
            '0'..='7' => (2, 8),
            _ => (0, 0),
        };
        if count > 0 {
            let mut code = escape.to_digit(8).unwrap_or(0);
            for _ in 0..count {
                let digit = characters.next().and_then(|c| c.to_digit(radix)).ok_or_else(invalid)?;
                code = code.checked_mul(radix).and_then(|code| code.checked_add(digit)).ok_or_else(invalid)?;
            }
            match escape {
                'u' | 'U' => {
                    let c = char::from_u32(code).ok_or_else(invalid)?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => out.push(u8::try_from(code).map_err(|_| invalid())?),
            }
            continue;
        }
        out.push(match escape {
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' => b'\\',
            c if c == mark => mark as u8,
            _ => return Err(invalid()),
        });
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}
