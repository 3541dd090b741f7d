//! Execution of templates.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::super::super::arguments::Result;
use super::super::super::net_escape_query as escape_query;
use super::parse::{Node, Operand, Pipeline, Templates};
use super::{escape_html, escape_js, print};
use crate::builtin::Failure;
use crate::{Number, Value};

/// How many nodes an execution may visit.
const MAXIMUM_STEPS: usize = 2_000_000;
/// How deep templates may call each other.
const MAXIMUM_DEPTH: usize = 1_000;

/// What a command gives; nothing where a field does not exist.
type Got<'d> = Option<Cow<'d, Value>>;

/// Why a list of nodes ended before its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

/// Executes the main template.
pub(super) fn execute(templates: &Templates, data: &Value, budget: usize) -> Result<String> {
    let mut state = State { templates, out: String::new(), variables: Vec::new(), steps: 0, depth: 0, budget };
    let dot = Some(Cow::Borrowed(data));
    state.call("", dot)?;
    Ok(state.out)
}

fn error(message: impl std::fmt::Display) -> Failure {
    Failure::eval(format!("template: {message}"))
}

struct State<'d> {
    templates: &'d Templates,
    out: String,
    variables: Vec<(&'d str, Got<'d>)>,
    steps: usize,
    depth: usize,
    budget: usize,
}

impl<'d> State<'d> {
    fn call(&mut self, name: &str, dot: Got<'d>) -> Result<()> {
        let nodes = self.templates.get(name).ok_or_else(|| error(format!("template {name:?} not defined")))?;
        if self.depth >= MAXIMUM_DEPTH {
            return Err(error(format!("exceeded maximum template depth ({MAXIMUM_DEPTH})")));
        }
        self.depth += 1;
        // Variables of the caller are not seen.
        let outer = std::mem::replace(&mut self.variables, vec![("", dot.clone())]);
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.nodes(nodes, &dot))?;
        self.variables = outer;
        self.depth -= 1;
        Ok(())
    }

    fn nodes(&mut self, nodes: &'d [Node], dot: &Got<'d>) -> Result<Flow> {
        for node in nodes {
            self.step()?;
            if self.out.len() > self.budget {
                return Err(Failure::Limit("the template writes too much".to_owned()));
            }
            let flow = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.node(node, dot))?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps > MAXIMUM_STEPS {
            return Err(error(format!("the execution takes more than {MAXIMUM_STEPS} steps")));
        }
        Ok(())
    }

    fn node(&mut self, node: &'d Node, dot: &Got<'d>) -> Result<Flow> {
        match node {
            Node::Text(text) => self.out.push_str(text),
            Node::Action(pipeline) => {
                let value = self.pipeline(pipeline, dot)?;
                if pipeline.variables.is_empty() {
                    match value {
                        Some(value) => print::value(&mut self.out, &value),
                        None => self.out.push_str("<no value>"),
                    }
                }
            }
            Node::If(pipeline, body, otherwise) => {
                return self.choose(pipeline, body, otherwise, dot, false);
            }
            Node::With(pipeline, body, otherwise) => {
                return self.choose(pipeline, body, otherwise, dot, true);
            }
            Node::Range(pipeline, body, otherwise) => {
                return self.range(pipeline, body, otherwise, dot);
            }
            Node::Template(name, pipeline) => {
                let dot = match pipeline {
                    Some(pipeline) => self.pipeline(pipeline, dot)?,
                    None => None,
                };
                self.call(name, dot)?;
            }
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn choose(&mut self, pipeline: &'d Pipeline, body: &'d [Node], otherwise: &'d [Node], dot: &Got<'d>, with: bool) -> Result<Flow> {
        let outer = self.variables.len();
        let value = self.pipeline(pipeline, dot)?;
        let flow = match is_true(&value) {
            true if with => self.nodes(body, &value)?,
            true => self.nodes(body, dot)?,
            false => self.nodes(otherwise, dot)?,
        };
        self.variables.truncate(outer);
        Ok(flow)
    }

    fn range(&mut self, pipeline: &'d Pipeline, body: &'d [Node], otherwise: &'d [Node], dot: &Got<'d>) -> Result<Flow> {
        let outer = self.variables.len();
        let value = self.pipeline(pipeline, dot)?;
        let mut ran = false;
        for (index, element) in elements(value, pipeline.variables.len() > 1)? {
            ran = true;
            self.step()?;
            let inner = self.variables.len();
            match pipeline.variables.as_slice() {
                [only] => self.bind(only, element.clone(), pipeline.assigns, outer)?,
                [first, second] => {
                    self.bind(first, index.map(Cow::Owned), pipeline.assigns, outer)?;
                    self.bind(second, element.clone(), pipeline.assigns, outer)?;
                }
                _ => {}
            }
            let flow = self.nodes(body, &element)?;
            self.variables.truncate(inner);
            if flow == Flow::Break {
                break;
            }
        }
        let flow = if ran { Flow::Next } else { self.nodes(otherwise, dot)? };
        self.variables.truncate(outer);
        Ok(flow)
    }

    /// Gives a variable of a range its value for one round.
    fn bind(&mut self, name: &'d str, value: Got<'d>, assigns: bool, from: usize) -> Result<()> {
        let declared = self.variables.iter_mut().skip(if assigns { 0 } else { from }).rev().find(|(own, _)| *own == name);
        let slot = declared.ok_or_else(|| error(format!("undefined variable: ${name}")))?;
        slot.1 = value.filter(|value| **value != Value::Null);
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &'d Pipeline, dot: &Got<'d>) -> Result<Got<'d>> {
        let mut value: Option<Got<'d>> = None;
        for command in &pipeline.commands {
            let result = self.command(command, dot, value.take())?;
            // Null at the end of a command is nothing.
            value = Some(result.filter(|value| **value != Value::Null));
        }
        let value = value.flatten();
        for name in &pipeline.variables {
            match pipeline.assigns {
                true => self.bind(name, value.clone(), true, 0)?,
                false => self.variables.push((name, value.clone())),
            }
        }
        Ok(value)
    }

    fn command(&mut self, operands: &'d [Operand], dot: &Got<'d>, last: Option<Got<'d>>) -> Result<Got<'d>> {
        let Some((first, others)) = operands.split_first() else {
            return Ok(None);
        };
        if let Operand::Function(name) = first {
            return self.function(name, others, dot, last);
        }
        if !others.is_empty() || last.is_some() {
            return Err(error("can't give argument to what is no function"));
        }
        if matches!(first, Operand::Nil) {
            return Err(error("nil is not a command"));
        }
        self.operand(first, dot)
    }

    fn operand(&mut self, operand: &'d Operand, dot: &Got<'d>) -> Result<Got<'d>> {
        match operand {
            Operand::Dot => Ok(dot.clone()),
            Operand::Nil => Ok(Some(Cow::Owned(Value::Null))),
            Operand::Constant(value) => Ok(Some(Cow::Borrowed(value))),
            Operand::Function(name) => self.function(name, &[], dot, None),
            Operand::Field(names) => fields(dot.clone(), names),
            Operand::Variable(name, names) => {
                let found = self.variables.iter().rev().find(|(own, _)| own == name);
                let value = found.map(|(_, value)| value.clone()).ok_or_else(|| error(format!("undefined variable: ${name}")))?;
                fields(value, names)
            }
            Operand::Pipeline(pipeline, names) => fields(self.pipeline(pipeline, dot)?, names),
            Operand::Call(name, names) => fields(self.function(name, &[], dot, None)?, names),
        }
    }

    fn function(&mut self, name: &str, operands: &'d [Operand], dot: &Got<'d>, last: Option<Got<'d>>) -> Result<Got<'d>> {
        if name == "and" || name == "or" {
            return self.short_circuit(name == "or", operands, dot, last);
        }
        let mut arguments = Vec::new();
        let literals: Vec<bool> = operands.iter().skip(1).map(|operand| matches!(operand, Operand::Constant(_))).collect();
        for operand in operands {
            let value = self.operand(operand, dot)?;
            arguments.push(value.unwrap_or(Cow::Owned(Value::Null)));
        }
        arguments.extend(last.map(|last| last.unwrap_or(Cow::Owned(Value::Null))));
        let arguments: Vec<&Value> = arguments.iter().map(|argument| &**argument).collect();
        let result = builtin(name, &arguments, &literals, self.budget)?;
        if let Value::String(text) = &result
            && text.len() > self.budget
        {
            return Err(Failure::Limit("the template writes too much".to_owned()));
        }
        Ok(Some(Cow::Owned(result)))
    }

    fn short_circuit(&mut self, or: bool, operands: &'d [Operand], dot: &Got<'d>, last: Option<Got<'d>>) -> Result<Got<'d>> {
        if operands.is_empty() && last.is_none() {
            return Err(error("and and or need an argument"));
        }
        let mut value = None;
        for operand in operands {
            value = self.operand(operand, dot)?;
            if is_true(&value) == or {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }
}

fn is_true(value: &Got<'_>) -> bool {
    match value.as_deref() {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value,
        Some(Value::Number(number)) => !number.is_zero(),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Bytes(bytes)) => !bytes.is_empty(),
        Some(Value::List(elements)) => !elements.is_empty(),
        Some(Value::Struct(fields)) => !fields.is_empty(),
        Some(_) => true,
    }
}

/// The field at the end of a chain of names.
fn fields<'d>(value: Got<'d>, names: &[String]) -> Result<Got<'d>> {
    let mut value = value;
    for name in names {
        // What nothing has is nothing.
        let Some(receiver) = value else {
            return Ok(None);
        };
        let find = |fields: &[(std::sync::Arc<str>, Value)]| fields.iter().position(|(own, _)| **own == **name);
        value = match receiver {
            Cow::Borrowed(Value::Struct(fields)) => find(fields).and_then(|at| fields.get(at)).map(|(_, value)| Cow::Borrowed(value)),
            Cow::Owned(Value::Struct(mut fields)) => find(&fields).map(|at| Cow::Owned(fields.swap_remove(at).1)),
            other => {
                let what = if *other == Value::Null { "nil pointer evaluating" } else { "can't evaluate field" };
                return Err(error(format!("{what} {name} in {}", other.kinds())));
            }
        };
    }
    Ok(value)
}

type Element<'d> = (Option<Value>, Got<'d>);

/// What a range goes over: elements with their indexes, fields by name, numbers below a number.
fn elements(value: Got<'_>, pairs: bool) -> Result<Box<dyn Iterator<Item = Element<'_>> + '_>> {
    let index = |at: usize| Some(Value::integer(at as i64));
    Ok(match value {
        None => Box::new(std::iter::empty()),
        Some(Cow::Borrowed(Value::List(elements))) => {
            Box::new(elements.iter().enumerate().map(move |(at, element)| (index(at), Some(Cow::Borrowed(element)))))
        }
        Some(Cow::Owned(Value::List(elements))) => {
            Box::new(elements.into_iter().enumerate().map(move |(at, element)| (index(at), Some(Cow::Owned(element)))))
        }
        Some(Cow::Borrowed(Value::Struct(fields))) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            Box::new(fields.into_iter().map(|(name, value)| (Some(Value::String(name.clone())), Some(Cow::Borrowed(value)))))
        }
        Some(Cow::Owned(Value::Struct(mut fields))) => {
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            Box::new(fields.into_iter().map(|(name, value)| (Some(Value::String(name)), Some(Cow::Owned(value)))))
        }
        Some(value) => match &*value {
            Value::Number(number) if number.is_integer() && !pairs => {
                let end = number.to_i64().unwrap_or(i64::MAX);
                Box::new((0..end).map(|at| (None, Some(Cow::Owned(Value::integer(at))))))
            }
            Value::Bytes(bytes) => {
                let bytes: Vec<u8> = bytes.to_vec();
                let byte = move |(at, byte): (usize, u8)| (index(at), Some(Cow::Owned(Value::integer(i64::from(byte)))));
                Box::new(bytes.into_iter().enumerate().map(byte))
            }
            other => {
                return Err(error(format!("range can't iterate over a value of type {}", other.kinds())));
            }
        },
    })
}

fn builtin(name: &str, arguments: &[&Value], literals: &[bool], budget: usize) -> Result<Value> {
    let text = |text: String| Ok(Value::string(text));
    let boolean = |value: bool| Ok(Value::Bool(value));
    match (name, arguments) {
        ("print", values) => text(print::joined(values)),
        ("println", values) => text(print::line(values)),
        ("printf", [Value::String(format), values @ ..]) => text(print::formatted(format, values, literals, budget)?),
        ("html", values) => text(escape_html(&print::joined(values))),
        ("js", values) => text(escape_js(&print::joined(values))),
        ("urlquery", values) => text(escape_query(&print::joined(values))),
        ("len", [value]) => length(value),
        ("not", [value]) => boolean(!is_true(&Some(Cow::Borrowed(*value)))),
        ("index", [value, indexes @ ..]) => indexes.iter().try_fold((*value).clone(), |value, index| item(&value, index)),
        ("slice", [value, indexes @ ..]) => slice(value, indexes),
        ("eq", [first, others @ ..]) if !others.is_empty() => {
            for other in others {
                if equal(first, other)? {
                    return boolean(true);
                }
            }
            boolean(false)
        }
        ("ne", [a, b]) => boolean(!equal(a, b)?),
        ("lt", [a, b]) => boolean(order(a, b)? == Ordering::Less),
        ("le", [a, b]) => boolean(order(a, b)? != Ordering::Greater),
        ("gt", [a, b]) => boolean(order(a, b)? == Ordering::Greater),
        ("ge", [a, b]) => boolean(order(a, b)? != Ordering::Less),
        ("call", _) => Err(error("call of what is no function")),
        _ => Err(error(format!("wrong number or type of arguments for {name}"))),
    }
}

fn length(value: &Value) -> Result<Value> {
    let length = match value {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(elements) => elements.len(),
        Value::Struct(fields) => fields.len(),
        other => return Err(error(format!("len of type {}", other.kinds()))),
    };
    Ok(Value::integer(length as i64))
}

fn position(index: &Value, limit: usize) -> Result<usize> {
    let at = match index {
        Value::Number(number) if number.is_integer() => number.to_i64().and_then(|at| usize::try_from(at).ok()),
        other => return Err(error(format!("cannot index with type {}", other.kinds()))),
    };
    at.filter(|at| *at <= limit).ok_or_else(|| error("index out of range"))
}

fn item(value: &Value, index: &Value) -> Result<Value> {
    let out_of_range = || error("index out of range");
    match (value, index) {
        (Value::List(elements), index) => elements.get(position(index, elements.len())?).cloned().ok_or_else(out_of_range),
        (Value::String(text), index) => {
            let byte = text.as_bytes().get(position(index, text.len())?).copied();
            byte.map(|byte| Value::integer(i64::from(byte))).ok_or_else(out_of_range)
        }
        (Value::Bytes(bytes), index) => {
            let byte = bytes.get(position(index, bytes.len())?).copied();
            byte.map(|byte| Value::integer(i64::from(byte))).ok_or_else(out_of_range)
        }
        (Value::Struct(_), Value::String(name)) => Ok(value.field(name).cloned().unwrap_or(Value::Null)),
        (Value::Null, _) => Err(error("index of untyped nil")),
        (other, _) => Err(error(format!("can't index item of type {}", other.kinds()))),
    }
}

fn slice(value: &Value, indexes: &[&Value]) -> Result<Value> {
    let length = match value {
        Value::String(text) if indexes.len() < 3 => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(elements) => elements.len(),
        other => {
            return Err(error(format!("can't slice item of type {} this way", other.kinds())));
        }
    };
    let mut bounds = vec![0, length];
    for (at, index) in indexes.iter().enumerate() {
        let position = position(index, length)?;
        match bounds.get_mut(at) {
            Some(bound) => *bound = position,
            None => bounds.push(position),
        }
    }
    if indexes.len() > 3 || !bounds.is_sorted() {
        return Err(error("invalid slice index"));
    }
    let range = match bounds.as_slice() {
        [start, end, ..] => *start..*end,
        _ => 0..length,
    };
    Ok(match value {
        Value::String(text) => Value::string(String::from_utf8_lossy(text.as_bytes().get(range).unwrap_or(&[]))),
        Value::Bytes(bytes) => Value::Bytes(bytes.get(range).unwrap_or(&[]).into()),
        Value::List(elements) => Value::List(elements.get(range).unwrap_or(&[]).to_vec()),
        _ => Value::Null,
    })
}

fn incompatible(a: &Value, b: &Value) -> Failure {
    error(format!("incompatible types for comparison: {} and {}", a.kinds(), b.kinds()))
}

fn both_of_a_kind(a: &Number, b: &Number) -> bool {
    a.is_integer() == b.is_integer()
}

fn equal(a: &Value, b: &Value) -> Result<bool> {
    match (a, b) {
        (Value::Null, other) | (other, Value::Null) => Ok(*other == Value::Null),
        (Value::Number(x), Value::Number(y)) if both_of_a_kind(x, y) => Ok(x.compare(y) == Some(Ordering::Equal)),
        (Value::Bool(_), Value::Bool(_)) | (Value::String(_), Value::String(_)) => Ok(a == b),
        (Value::List(_) | Value::Struct(_) | Value::Bytes(_), Value::List(_) | Value::Struct(_) | Value::Bytes(_)) => {
            Err(error("lists and maps cannot be compared"))
        }
        _ => Err(incompatible(a, b)),
    }
}

fn order(a: &Value, b: &Value) -> Result<Ordering> {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) if both_of_a_kind(x, y) => x.compare(y).ok_or_else(|| incompatible(a, b)),
        (Value::String(x), Value::String(y)) => Ok(x.cmp(y)),
        (Value::Number(_) | Value::String(_), Value::Number(_) | Value::String(_)) => Err(incompatible(a, b)),
        _ => Err(error("invalid type for comparison")),
    }
}
