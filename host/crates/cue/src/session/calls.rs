//! Calls: the functions of the language, those of the standard packages, and validators.

use std::sync::Arc;

use super::data::*;
use super::evaluate::Val;
use super::read::Unread;
use super::resolve::Target;
use super::{Session, flag};
use crate::builtin::{Demand, Failure, Function, Host, Openness};
use crate::intern::Label;
use crate::program::{Core, Expr, ExprId, NULL_BY_DEFAULT, Operands, Presence};
use crate::{IntegerDivision, Kinds, Node, Value};

/// How a value and a constraint go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unification {
    Valid,
    /// A required field is missing.
    Lacking,
    Invalid,
}

impl Session {
    /// A call as an operand.
    pub(crate) fn call(&mut self, expr: ExprId, operands: Operands, env: u32, at: Node) -> Run<Val> {
        let function = self.program.code.operand(operands, 0);
        match self.program.code.expr(function) {
            Expr::Core(core) => match core {
                Core::Len => self.len(expr, operands, env, at),
                Core::Div => self.divide(IntegerDivision::Div, expr, operands, env, at),
                Core::Mod => self.divide(IntegerDivision::Mod, expr, operands, env, at),
                Core::Quo => self.divide(IntegerDivision::Quo, expr, operands, env, at),
                Core::Rem => self.divide(IntegerDivision::Rem, expr, operands, env, at),
                _ => {
                    let node = self.inline_node(expr, env, at)?;
                    self.value_of(node)
                }
            },
            _ => match self.callee(function, expr, env, at)? {
                Ok((_, package, function)) => self.call_function(expr, package, function, operands, env, at),
                Err(val) => Ok(val),
            },
        }
    }

    /// The function that an expression means.
    fn callee(&mut self, function: ExprId, call: ExprId, env: u32, at: Node) -> Run<Result<(u32, &'static str, Function), Val>> {
        let (index, other) = match self.program.code.expr(function) {
            Expr::Function(index) => (Some(index), None),
            _ => match self.eval(function, env, at)? {
                Val::Bottom(bottom) if self.is_undefined(bottom) => (None, None),
                val @ (Val::Bottom(_) | Val::Pending(_)) => return Ok(Err(val)),
                Val::Scalar(_) => (None, None),
                Val::Node(node) => (self.function_of(node), Some(node)),
            },
        };
        if let Some(index) = index {
            let found = self.program.code.functions.get(index as usize).copied();
            return Ok(match found {
                Some((package, function)) => Ok((index, package, function)),
                None => Err(Val::Bottom(self.bottom_at(Code::Eval, at, Reason::Compile, call))),
            });
        }
        let open = other.is_some_and(|node| self.node(node).kinds.intersects(Kinds::FUNCTION));
        let (code, text) = if open {
            (Code::Incomplete, "cannot call a value that is not concrete")
        } else {
            (Code::Eval, "cannot call a value that is not a function")
        };
        Ok(Err(Val::Bottom(self.bottom_at(code, at, Reason::Text(text.into()), call))))
    }

    /// Whether an error is that of a field that nothing declares: what is not there cannot be called, and stays so.
    fn is_undefined(&self, bottom: u32) -> bool {
        self.bottom_data(bottom).is_some_and(|data| matches!(data.reason, Reason::Undefined(_)))
    }

    /// The function that a node is; a validator that nothing was given is one, too.
    fn function_of(&self, node: Node) -> Option<u32> {
        let extra = self.extra(self.deref(node))?;
        match (extra.function, extra.validators.as_slice()) {
            (Some((index, _)), _) => Some(index),
            (None, [only]) if self.is_bare_function(only) => Some(only.function),
            _ => None,
        }
    }

    /// Whether a validator is a function that was not called yet.
    fn is_bare_function(&self, validator: &Validator) -> bool {
        validator.core.is_none() && validator.expr.0 & DATUM == 0 && matches!(self.program.code.expr(validator.expr), Expr::Function(_))
    }

    fn argument_count(&mut self, expr: ExprId, operands: Operands, name: &str, low: u32, high: u32, at: Node) -> Option<u32> {
        let count = operands.count - 1;
        if count >= low && count <= high {
            return None;
        }
        let problem = if count < low { "not enough" } else { "too many" };
        let reason = Reason::Text(format!("{problem} arguments in call to {name} (have {count}, want {low})"));
        Some(self.bottom_at(Code::Eval, at, reason, expr))
    }

    fn len(&mut self, expr: ExprId, operands: Operands, env: u32, at: Node) -> Run<Val> {
        if let Some(bottom) = self.argument_count(expr, operands, "len", 1, 1, at) {
            return Ok(Val::Bottom(bottom));
        }
        let operand = self.program.code.operand(operands, 1);
        let count = match self.eval(operand, env, at)? {
            Val::Pending(_) => return Ok(Val::Pending(Kinds::INT)),
            Val::Bottom(bottom) => return Ok(Val::Bottom(bottom)),
            Val::Scalar(Scalar::Text(text)) => self.texts.get(text).len(),
            Val::Scalar(Scalar::Bytes(bytes)) => self.bytes_of(bytes).len(),
            Val::Node(node) if self.is_composite(node) => {
                self.ensure_arcs(node)?;
                let node = self.deref(node);
                if self.has(node, flag::OPEN_ENDED) {
                    return Ok(Val::Pending(Kinds::INT));
                }
                if self.node(node).bottom != 0 {
                    return Ok(Val::Bottom(self.node(node).bottom));
                }
                if self.node(node).kinds == Kinds::LIST {
                    self.list_length(node) as usize
                } else {
                    self.node(node)
                        .arcs
                        .iter()
                        .filter(|arc| self.node(**arc).presence == Presence::Member && self.node(**arc).label.is_regular())
                        .count()
                }
            }
            Val::Node(node) if self.node(node).kinds.intersects(Kinds::STRING | Kinds::BYTES | Kinds::LIST | Kinds::STRUCT) => {
                let kinds = self.node(node).kinds;
                return Ok(Val::Bottom(self.bottom_at(Code::Incomplete, at, Reason::NotConcrete(kinds), expr)));
            }
            other => {
                let text = match other {
                    Val::Scalar(scalar) => self.scalar_text(scalar),
                    Val::Node(node) => self.node(node).kinds.to_string(),
                    _ => String::new(),
                };
                let reason = Reason::Text(format!("invalid argument {text} for len: it must be a string, bytes, list or struct"));
                return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
            }
        };
        Ok(Val::Scalar(Scalar::Int(count as i64)))
    }

    fn divide(&mut self, division: IntegerDivision, expr: ExprId, operands: Operands, env: u32, at: Node) -> Run<Val> {
        if let Some(bottom) = self.argument_count(expr, operands, "integer division", 2, 2, at) {
            return Ok(Val::Bottom(bottom));
        }
        let a = self.eval(self.program.code.operand(operands, 1), env, at)?;
        let b = self.eval(self.program.code.operand(operands, 2), env, at)?;
        let mut numbers = Vec::new();
        for (val, index) in [(a, 1), (b, 2)] {
            let operand = self.program.code.operand(operands, index);
            match val {
                Val::Bottom(bottom) => return Ok(Val::Bottom(bottom)),
                Val::Pending(_) => return Ok(Val::Pending(Kinds::INT)),
                Val::Scalar(scalar) if self.scalar_kind(scalar) == Kinds::INT => numbers.extend(self.number_of(scalar)),
                Val::Node(node) if self.node(node).kinds.intersects(Kinds::INT) => {
                    let kinds = self.node(node).kinds;
                    return Ok(Val::Bottom(self.bottom_at(Code::Incomplete, at, Reason::NotConcrete(kinds), operand)));
                }
                _ => {
                    let reason = Reason::Text("integer division needs integers".into());
                    return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, operand)));
                }
            }
        }
        let result = match numbers.as_slice() {
            [a, b] => division.apply(a, b),
            _ => None,
        };
        Ok(match result {
            Some(number) => Val::Scalar(self.number_scalar(number)),
            None => Val::Bottom(self.bottom_at(Code::Eval, at, Reason::Text("division by zero".into()), expr)),
        })
    }

    /// A call that is unified with a node.
    pub(crate) fn join_call(&mut self, node: Node, conjunct: Conjunct, operands: Operands) -> Run<()> {
        let function = self.program.code.operand(operands, 0);
        match self.program.code.expr(function) {
            Expr::Core(core @ (Core::Close | Core::CloseAll | Core::And | Core::Or | Core::Error | Core::MatchN | Core::MatchIf)) => {
                self.join_core(node, conjunct, core, operands)
            }
            Expr::Core(_) => {
                let val = self.call(conjunct.expr, operands, conjunct.env, node)?;
                self.join_val(node, val, conjunct)
            }
            _ => match self.callee(function, conjunct.expr, conjunct.env, node)? {
                Ok((index, _, function))
                    if function.validator
                        && (operands.count as usize) == function.parameters.len()
                        && function.parameters.last().is_none_or(|parameter| !parameter.optional) =>
                {
                    self.join_validator(node, conjunct, index, function, operands)
                }
                Ok((_, package, function)) => {
                    let val = self.call_function(conjunct.expr, package, function, operands, conjunct.env, node)?;
                    self.join_val(node, val, conjunct)
                }
                Err(val) => self.join_val(node, val, conjunct),
            },
        }
    }

    fn join_core(&mut self, node: Node, conjunct: Conjunct, core: Core, operands: Operands) -> Run<()> {
        let count = match core {
            Core::MatchN => 2,
            Core::MatchIf => 3,
            _ => 1,
        };
        let full = matches!(core, Core::MatchN | Core::MatchIf) && operands.count == count + 2;
        if !full && let Some(bottom) = self.argument_count(conjunct.expr, operands, "the function", count, count, node) {
            self.fail(node, bottom);
            return Ok(());
        }
        let argument = self.program.code.operand(operands, 1);
        match core {
            Core::CloseAll if !matches!(self.program.code.expr(argument), Expr::Struct(_) | Expr::List(_)) => {
                let bottom = self.bottom_at(Code::Eval, node, Reason::Compile, conjunct.expr);
                self.fail(node, bottom);
                Ok(())
            }
            Core::Close | Core::CloseAll => {
                let data = self.info(conjunct.info);
                let closing = if core == Core::Close { Closing::Once(node) } else { Closing::Recursive };
                let occurrence = self.occurrence(data.occurrence, false, closing);
                let info = self.new_info(Info { occurrence, ..data });
                self.join(node, Conjunct { expr: argument, info, ..conjunct })
            }
            Core::Error => {
                let reason = match self.eval(argument, conjunct.env, node)? {
                    Val::Scalar(Scalar::Text(text)) => Reason::Text(self.texts.get(text).to_string()),
                    Val::Bottom(bottom) => {
                        self.fail(node, bottom);
                        return Ok(());
                    }
                    _ => Reason::Text("error called without a concrete message".into()),
                };
                let bottom = self.bottom_at(Code::User, node, reason, conjunct.expr);
                self.fail(node, bottom);
                Ok(())
            }
            Core::And | Core::Or => self.join_all_or_any(node, conjunct, core, argument),
            _ => self.join_match(node, conjunct, core, operands, full),
        }
    }

    fn join_all_or_any(&mut self, node: Node, conjunct: Conjunct, core: Core, argument: ExprId) -> Run<()> {
        let list = match self.eval(argument, conjunct.env, node)? {
            Val::Node(list) => list,
            other @ (Val::Pending(_) | Val::Bottom(_)) => {
                let other = if matches!(other, Val::Pending(_)) { Val::Pending(Kinds::TOP) } else { other };
                return self.join_val(node, other, conjunct);
            }
            Val::Scalar(_) => {
                let reason = Reason::Text("and and or need a list".into());
                let bottom = self.bottom_at(Code::Eval, node, reason, conjunct.expr);
                self.fail(node, bottom);
                return Ok(());
            }
        };
        self.ensure_arcs(list)?;
        let list = self.deref(list);
        if self.node(list).kinds != Kinds::LIST {
            let code = if self.node(list).kinds.intersects(Kinds::LIST) { Code::Incomplete } else { Code::Eval };
            let kinds = self.node(list).kinds;
            let bottom = self.bottom_at(code, node, Reason::NotConcrete(kinds), argument);
            self.fail(node, bottom);
            return Ok(());
        }
        let elements: Vec<Node> = self.node(list).arcs.iter().copied().filter(|arc| self.node(*arc).label.is_index()).collect();
        if core == Core::And {
            for element in elements {
                self.join_reference(node, element, conjunct, false)?;
            }
            return Ok(());
        }
        let branches: Vec<ExprId> = elements.into_iter().map(|element| self.datum(Datum::Node(element))).collect();
        match branches.as_slice() {
            [] => {
                let bottom = self.bottom_at(Code::Incomplete, node, Reason::Text("empty list in call to or".into()), conjunct.expr);
                self.fail(node, bottom);
                Ok(())
            }
            [only] => self.join(node, Conjunct { expr: *only, ..conjunct }),
            _ => {
                let expr = self.datum(Datum::Or(conjunct.expr, branches.into()));
                self.join(node, Conjunct { expr, ..conjunct })
            }
        }
    }

    /// `matchN` and `matchIf`: validators over constraints.
    fn join_match(&mut self, node: Node, conjunct: Conjunct, core: Core, operands: Operands, full: bool) -> Run<()> {
        let skip = u32::from(full);
        let mut nodes = Vec::new();
        for index in 1 + skip..operands.count {
            let operand = self.program.code.operand(operands, index);
            let target = self.inline_node(operand, conjunct.env, node)?;
            self.ensure(target)?;
            nodes.push(self.deref(target));
        }
        let validator = Validator {
            expr: conjunct.expr,
            env: conjunct.env,
            function: 0,
            arguments: Arc::from(&[][..]),
            core: Some((Check::Match(core), nodes.into())),
        };
        if full {
            let operand = self.program.code.operand(operands, 1);
            let value = self.inline_node(operand, conjunct.env, node)?;
            self.ensure(value)?;
            let result = self.check_match(&validator, value)?;
            return self.join_scalar(node, Scalar::Bool(result.is_none()), conjunct.expr);
        }
        self.note_material(node, conjunct.info);
        self.extra_mut(node).validators.push(validator);
        Ok(())
    }

    /// A function that stands without a call: a validator of one parameter, else a value that can be called.
    pub(crate) fn join_function(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        if let Expr::Function(index) = self.program.code.expr(conjunct.expr) {
            let found = self.program.code.functions.get(index as usize).copied();
            if let Some((_, function)) = found
                && function.validator
                && function.parameters.iter().filter(|parameter| !parameter.optional).count() == 1
            {
                return self.add_validator(node, conjunct, index, function, Vec::new());
            }
            self.join_kinds(node, Kinds::FUNCTION, conjunct.expr)?;
            let before = self.extra_mut(node).function.get_or_insert((index, conjunct.expr)).0;
            if before != index {
                let reason = Reason::Text("two different functions".into());
                let bottom = self.bottom_at(Code::Eval, node, reason, conjunct.expr);
                self.fail(node, bottom);
            }
            return Ok(());
        }
        let reason = Reason::Text("a function is no value: call it".into());
        let bottom = self.bottom_at(Code::Eval, node, reason, conjunct.expr);
        self.fail(node, bottom);
        Ok(())
    }

    fn join_validator(&mut self, node: Node, conjunct: Conjunct, index: u32, function: Function, operands: Operands) -> Run<()> {
        match self.arguments(function, 1, operands, conjunct.env, node)? {
            Ok(arguments) => self.add_validator(node, conjunct, index, function, arguments),
            Err(Val::Pending(_)) => {
                self.set(node, flag::PENDING);
                Ok(())
            }
            Err(val) => self.join_val(node, val, conjunct),
        }
    }

    fn add_validator(&mut self, node: Node, conjunct: Conjunct, index: u32, function: Function, arguments: Vec<Value>) -> Run<()> {
        self.note_material(node, conjunct.info);
        if let Some(parameter) = function.parameters.first()
            && !parameter.constraint
        {
            self.join_kinds(node, parameter.kinds, conjunct.expr)?;
        }
        for index_of_other in 0..self.extra(node).map_or(0, |extra| extra.validators.len()) {
            let Some(other) = self.extra(node).and_then(|extra| extra.validators.get(index_of_other)).cloned() else { break };
            if self.same_validator(&other, conjunct, function, &arguments)? {
                return Ok(());
            }
        }
        self.extra_mut(node).validators.push(Validator {
            expr: conjunct.expr,
            env: conjunct.env,
            function: index,
            arguments: arguments.into(),
            core: None,
        });
        Ok(())
    }

    /// Whether a validator is there already: the same call, or the same function with equal arguments.
    fn same_validator(&mut self, other: &Validator, conjunct: Conjunct, function: Function, arguments: &[Value]) -> Run<bool> {
        if other.expr == conjunct.expr && other.env == conjunct.env {
            return Ok(true);
        }
        let known = self.program.code.functions.get(other.function as usize);
        let same = known.is_some_and(|(_, known)| std::ptr::fn_addr_eq(known.code, function.code));
        if other.core.is_some() || !same || other.arguments.len() != arguments.len() {
            return Ok(false);
        }
        for (old, new) in other.arguments.iter().zip(arguments) {
            let equal = match (old, new) {
                (Value::Handle(a), Value::Handle(b)) => self.identical(*a, *b)?,
                _ => old == new,
            };
            if !equal {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Evaluates arguments, from a parameter on.
    fn arguments(&mut self, function: Function, from: usize, operands: Operands, env: u32, at: Node) -> Run<Result<Vec<Value>, Val>> {
        let mut out = Vec::new();
        let mut pending = false;
        for index in 1..operands.count {
            let operand = self.program.code.operand(operands, index);
            let Some(parameter) = function.parameters.get(index as usize - 1 + from) else { break };
            if parameter.constraint {
                match self.resolve(operand, env, at)? {
                    Target::Node(..) | Target::Scalar(_) => {}
                    Target::Bottom(bottom) => return Ok(Err(Val::Bottom(bottom))),
                    Target::Pending(_) => {
                        pending = true;
                        continue;
                    }
                }
                // A node of its own: what a definition closes is closed by the reference to it.
                let target = self.inline_node(operand, env, at)?;
                self.ensure(target)?;
                out.push(Value::Handle(self.deref(target)));
                continue;
            }
            let value = match self.eval(operand, env, at)? {
                Val::Scalar(scalar) => self.scalar_value(scalar),
                Val::Pending(_) => {
                    pending = true;
                    continue;
                }
                Val::Bottom(bottom) => return Ok(Err(Val::Bottom(bottom))),
                Val::Node(node) => {
                    if !self.node(node).kinds.intersects(parameter.kinds) {
                        return Ok(Err(self.wrong_kind(operand, parameter.kinds, self.node(node).kinds, at)));
                    }
                    let value = if parameter.loose { self.loose_tree(node)? } else { self.value_tree(node)? };
                    match value {
                        Ok(value) => value,
                        Err(Unread::Pending) => {
                            pending = true;
                            continue;
                        }
                        Err(Unread::Bottom(bottom)) => return Ok(Err(Val::Bottom(bottom))),
                        Err(Unread::Open(kinds)) => {
                            return Ok(Err(Val::Bottom(self.bottom_at(Code::Incomplete, at, Reason::NotConcrete(kinds), operand))));
                        }
                    }
                }
            };
            if !value.kinds().intersects(parameter.kinds) {
                return Ok(Err(self.wrong_kind(operand, parameter.kinds, value.kinds(), at)));
            }
            out.push(value);
        }
        if pending {
            return Ok(Err(Val::Pending(function.result)));
        }
        Ok(Ok(out))
    }

    /// A list or struct with handles for what is not concrete in it.
    fn loose_tree(&mut self, node: Node) -> Run<Result<Value, Unread>> {
        let node = self.deref(node);
        if !self.is_composite(node) || self.has(node, flag::OPEN_ENDED) {
            return self.value_tree(node);
        }
        let list = self.node(node).kinds == Kinds::LIST;
        let mut parts = Vec::new();
        for arc in self.ordered_arcs(node) {
            let label = self.node(arc).label;
            if self.node(arc).presence != Presence::Member || !(label.is_index() || label.is_regular()) {
                continue;
            }
            let nested = list && self.node(self.deref(arc)).kinds == Kinds::LIST;
            let value = if nested { stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.loose_tree(arc))? } else { self.value_tree(arc)? };
            let value = match value {
                Ok(value) => value,
                Err(Unread::Bottom(bottom)) if self.code_of(bottom).is_final() => return Ok(Err(Unread::Bottom(bottom))),
                Err(Unread::Pending) => return Ok(Err(Unread::Pending)),
                Err(_) => Value::Handle(self.deref(arc)),
            };
            parts.push((label, value));
        }
        if list {
            parts.sort_by_key(|(label, _)| label.id());
            return Ok(Ok(Value::List(parts.into_iter().map(|(_, value)| value).collect())));
        }
        let fields = parts.into_iter().map(|(label, value)| (Arc::clone(self.texts.get(label.text())), value));
        Ok(Ok(Value::Struct(fields.collect())))
    }

    fn wrong_kind(&mut self, operand: ExprId, wanted: Kinds, found: Kinds, at: Node) -> Val {
        let reason = Reason::Text(format!("cannot use a value of type {found} as {wanted} in this argument"));
        Val::Bottom(self.bottom_at(Code::Eval, at, reason, operand))
    }

    fn call_function(&mut self, expr: ExprId, package: &str, function: Function, operands: Operands, env: u32, at: Node) -> Run<Val> {
        let needed = function.parameters.iter().filter(|parameter| !parameter.optional).count() as u32;
        let name = format!("{package}.{}", function.name);
        if let Some(bottom) = self.argument_count(expr, operands, &name, needed, function.parameters.len() as u32, at) {
            return Ok(Val::Bottom(bottom));
        }
        let arguments = match self.arguments(function, 0, operands, env, at)? {
            Ok(arguments) => arguments,
            Err(val) => return Ok(val),
        };
        let nodes = self.argument_nodes(function, operands, env, at)?;
        match (function.code)(&arguments, &mut Caller { session: self, stop: None, arguments: nodes, validates: false }) {
            Ok(value) => {
                if let Some(scalar) = self.value_scalar(&value) {
                    return Ok(Val::Scalar(scalar));
                }
                let node = self.new_node(at, Label::NONE, Presence::Member);
                self.set(node, flag::FORCE_CLOSED);
                self.clear(node, flag::TEMPLATE);
                let datum = self.datum(Datum::Value(value));
                self.node_mut(node).conjuncts.push(Conjunct { expr: datum, env: 0, info: 0 });
                self.ensure(node)?;
                Ok(Val::Node(node))
            }
            Err(failure) => self.failed_call(expr, &name, failure, at),
        }
    }

    /// The nodes of the arguments that functions may ask about.
    fn argument_nodes(&mut self, function: Function, operands: Operands, env: u32, at: Node) -> Run<Vec<Option<Node>>> {
        let mut nodes = Vec::new();
        if !function.parameters.iter().any(|parameter| parameter.loose) {
            return Ok(nodes);
        }
        for (index, parameter) in (1..operands.count).zip(function.parameters) {
            let operand = self.program.code.operand(operands, index);
            nodes.push(match parameter.loose {
                true => match self.eval(operand, env, at)? {
                    Val::Node(node) => Some(node),
                    _ => None,
                },
                false => None,
            });
        }
        Ok(nodes)
    }

    fn failed_call(&mut self, expr: ExprId, name: &str, failure: Failure, at: Node) -> Run<Val> {
        let (code, text) = match failure {
            Failure::Incomplete(text) => (Code::Incomplete, text),
            Failure::Eval(text) => (Code::Eval, text),
            Failure::Limit(_) => return Err(self.exceed("bytes of one value", self.budget() as u64, at, expr)),
        };
        let reason = Reason::Text(format!("error in call to {name}: {text}"));
        Ok(Val::Bottom(self.bottom_at(code, at, reason, expr)))
    }

    /// Whether a validator accepts a scalar.
    pub(crate) fn validates(&mut self, validator: &Validator, scalar: Scalar, at: Node) -> bool {
        if validator.core.is_some() {
            return true;
        }
        let value = self.scalar_value(scalar);
        !matches!(self.run_validator(validator, value, at), Some(Failure::Eval(_)))
    }

    fn run_validator(&mut self, validator: &Validator, value: Value, at: Node) -> Option<Failure> {
        let (_, function) = self.program.code.functions.get(validator.function as usize).copied()?;
        let mut arguments = vec![value];
        arguments.extend(validator.arguments.iter().cloned());
        match (function.code)(&arguments, &mut Caller { session: self, stop: None, arguments: vec![Some(at)], validates: true }) {
            Ok(Value::Bool(false)) => Some(Failure::Eval("the value is refused".into())),
            Ok(_) => None,
            Err(failure) => Some(failure),
        }
    }

    /// Runs the validators of a node that has its value.
    pub(crate) fn check_validators(&mut self, node: Node) -> Run<()> {
        let validators = match self.extra(node) {
            Some(extra) if !extra.validators.is_empty() => extra.validators.clone(),
            _ => return Ok(()),
        };
        if self.node(node).bottom != 0 {
            return Ok(());
        }
        for validator in validators {
            if validator.core.is_some() {
                if self.node(node).scalar.is_none() && !self.is_composite(node) {
                    continue;
                }
                if self.checking.contains(&validator.expr) {
                    continue;
                }
                self.checking.push(validator.expr);
                let checked = self.check_match(&validator, node);
                self.checking.pop();
                if let Some((code, text)) = checked? {
                    let bottom = self.bottom_at(code, node, Reason::Text(text), validator.expr);
                    self.fail(node, bottom);
                }
                continue;
            }
            let value = match self.node(node).scalar {
                Some(scalar) => self.scalar_value(scalar),
                None if self.is_composite(node) => match self.loose_tree(node)? {
                    Ok(value) => value,
                    Err(_) => continue,
                },
                None => continue,
            };
            let name = match self.program.code.functions.get(validator.function as usize) {
                Some((package, function)) => format!("{package}.{}", function.name),
                None => String::new(),
            };
            if let Some(failure) = self.run_validator(&validator, value, node) {
                let (code, text) = match failure {
                    Failure::Eval(text) => (Code::Eval, text),
                    Failure::Incomplete(text) => (Code::Incomplete, text),
                    Failure::Limit(_) => return Err(self.exceed("bytes of one value", self.budget() as u64, node, validator.expr)),
                };
                let shown = self.node(node).scalar.map_or_else(|| self.node(node).kinds.to_string(), |scalar| self.scalar_text(scalar));
                let reason = Reason::Text(format!("invalid value {shown} (does not satisfy {name}): {text}"));
                let spans = self.conflict_spans(node, validator.expr);
                let bottom = self.bottom(code, node, reason, spans);
                self.fail(node, bottom);
            }
        }
        Ok(())
    }

    /// Whether a value can be unified with a constraint without an error.
    fn unifies(&mut self, constraint: Node, value: Node) -> Run<bool> {
        Ok(self.unification(constraint, value)? == Unification::Valid)
    }

    fn unification(&mut self, constraint: Node, value: Node) -> Run<Unification> {
        let probe = self.new_node(value, Label::NONE, Presence::Member);
        self.set(probe, flag::FORCE_CLOSED);
        for target in [constraint, value] {
            let expr = self.datum(Datum::Node(target));
            self.node_mut(probe).conjuncts.push(Conjunct { expr, env: 0, info: 0 });
        }
        self.ensure(probe)?;
        if self.has_final_error(probe, 0)? {
            return Ok(Unification::Invalid);
        }
        Ok(if self.lacks_required(probe)? { Unification::Lacking } else { Unification::Valid })
    }

    /// Whether a required field, here or below, is missing.
    fn lacks_required(&mut self, node: Node) -> Run<bool> {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let node = self.deref(node);
            for arc in self.node(node).arcs.clone() {
                match self.node(arc).presence {
                    Presence::Required => return Ok(true),
                    Presence::Member => stack.push(arc),
                    Presence::Optional => {}
                }
            }
        }
        Ok(false)
    }

    /// What a `matchN` or `matchIf` has against a value.
    fn check_match(&mut self, validator: &Validator, value: Node) -> Run<Option<(Code, String)>> {
        let Some((core, nodes)) = validator.core.clone() else { return Ok(None) };
        match (core, &*nodes) {
            (Check::Equal, [target]) => self.check_equality(value, *target, true),
            (Check::NotEqual, [target]) => self.check_equality(value, *target, false),
            (Check::Match(Core::MatchN), [count, list]) => {
                let list = self.deref(*list);
                let elements: Vec<Node> = self.node(list).arcs.iter().copied().filter(|arc| self.node(*arc).label.is_index()).collect();
                let total = elements.len();
                let (mut matched, mut open) = (0, 0);
                for element in elements {
                    match self.unification(element, value)? {
                        Unification::Valid => matched += 1,
                        Unification::Lacking => open += 1,
                        Unification::Invalid => {}
                    }
                }
                if self.admits(*count, Scalar::Int(matched)) {
                    return Ok(None);
                }
                let later = (1..=open).any(|more| self.admits(*count, Scalar::Int(matched + more)));
                let code = if later { Code::Incomplete } else { Code::Eval };
                Ok(Some((code, format!("invalid value: {matched} of {total} constraints of matchN match"))))
            }
            (Check::Match(Core::MatchIf), [condition, then, otherwise]) => {
                let (branch, name) = if self.unifies(*condition, value)? { (*then, "then") } else { (*otherwise, "else") };
                Ok((!self.unifies(branch, value)?).then(|| (Code::Eval, format!("invalid value: it does not satisfy the {name} part of matchIf"))))
            }
            _ => Ok(None),
        }
    }
}

/// What a function sees of the session.
struct Caller<'s> {
    session: &'s mut Session,
    stop: Option<Stop>,
    /// The nodes of loose arguments.
    arguments: Vec<Option<Node>>,
    validates: bool,
}

impl Caller<'_> {
    fn note(&mut self, stop: Stop) -> Failure {
        self.stop = Some(stop);
        match stop {
            Stop::Limit => Failure::Limit("limit".into()),
            Stop::Wait(_) => Failure::Incomplete("a constraint is not known yet".into()),
        }
    }

    fn probe(&mut self, parts: &[ExprId]) -> Node {
        let probe = self.session.new_node(Node(0), Label::NONE, Presence::Member);
        self.session.set(probe, flag::FORCE_CLOSED);
        for expr in parts {
            self.session.node_mut(probe).conjuncts.push(Conjunct { expr: *expr, env: 0, info: 0 });
        }
        probe
    }
}

impl Host for Caller<'_> {
    fn accepts(&mut self, constraint: Node, value: &Value, demand: Demand) -> Result<(), Failure> {
        let parts = [self.session.datum(Datum::Node(constraint)), self.session.datum(Datum::Value(value.clone()))];
        let probe = self.probe(&parts);
        match self.session.has_final_error(probe, 0) {
            Ok(false) => {}
            Ok(true) => {
                let bottom = self.session.error_below(probe);
                return Err(Failure::Eval(self.session.bottom_text(bottom)));
            }
            Err(stop) => return Err(self.note(stop)),
        }
        if demand == Demand::Consistent {
            return Ok(());
        }
        let (lacks, open) = match self.session.lacks_required(probe) {
            Ok(lacks) if lacks || demand == Demand::Present => (lacks, false),
            Ok(lacks) => (lacks, !matches!(self.session.value_tree(probe), Ok(Ok(_)))),
            Err(stop) => return Err(self.note(stop)),
        };
        match (lacks, demand) {
            (true, Demand::Concrete) => Err(Failure::eval("a required field is missing")),
            (true, _) => Err(Failure::incomplete("a required field is missing")),
            (false, _) if open => Err(Failure::eval("a part of the value is not concrete")),
            (false, _) => Ok(()),
        }
    }

    fn openness(&mut self, argument: usize) -> Openness {
        let Some(node) = self.arguments.get(argument).copied().flatten() else { return Openness::default() };
        let node = self.session.deref(node);
        if let Some(list) = self.session.extra(node).and_then(|extra| extra.list.as_ref()) {
            return Openness { open: list.length.is_none(), constraints: 0 };
        }
        // No name that a definition could list.
        let fresh = self.session.texts.regular("\u{0}");
        let constraints = self.session.missing_fields(node);
        Openness { open: !self.session.is_closed_to(node, fresh), constraints }
    }

    fn validates(&self) -> bool {
        self.validates
    }

    fn alike(&mut self, a: Node, b: Node) -> bool {
        self.session.identical(a, b).unwrap_or(false)
    }

    // The disjunction itself would have to be the same node each time that a branch repeats the call.
    fn null_by_default(&mut self) -> Value {
        let root = self.session.root();
        match self.session.inline_node(NULL_BY_DEFAULT, 0, root) {
            Ok(node) => Value::Handle(node),
            Err(_) => Value::Null,
        }
    }

    fn less(&mut self, comparator: Node, x: &Value, y: &Value) -> Result<bool, Failure> {
        let pair = Value::Struct(vec![(Arc::from("x"), x.clone()), (Arc::from("y"), y.clone())]);
        let parts = [self.session.datum(Datum::Node(comparator)), self.session.datum(Datum::Value(pair))];
        let probe = self.probe(&parts);
        let label = self.session.texts.regular("less");
        if let Err(stop) = self.session.ensure_arcs(probe) {
            return Err(self.note(stop));
        }
        let probe = self.session.deref(probe);
        let Some(less) = self.session.find_arc(probe, label) else {
            return Err(Failure::Eval("the comparator has no field less".into()));
        };
        match self.session.value_of(less) {
            Ok(Val::Scalar(Scalar::Bool(value))) => Ok(value),
            Ok(Val::Bottom(bottom)) => Err(Failure::Eval(self.session.bottom_text(bottom))),
            Ok(_) => Err(Failure::Incomplete("the comparator's less is not concrete".into())),
            Err(stop) => Err(self.note(stop)),
        }
    }

    fn budget(&self) -> usize {
        self.session.budget()
    }
}
