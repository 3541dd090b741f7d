//! From a session to a [`Tree`].
//!
//! Texts of constraints and of what is incomplete come from the sources: the session knows only where they stand.

use std::sync::Arc;

use std::collections::HashMap;

use pravo_diag::{SourceMap, Span};

use super::tree::{Class, Code, Constraint, Content, Field, Openness, Pattern, Problem, Tree};
use crate::program::{Operator, Presence};
use crate::session::{Choice, Code as SessionCode, FieldClass, LimitExceeded, Session, Shape};
use crate::syntax::{ast, literal};
use crate::{Kinds, Node};

/// The value of a settled node with everything below it.
pub fn tree(session: &mut Session, node: Node, sources: &SourceMap) -> Result<Tree, LimitExceeded> {
    Walk { session, sources }.node(node, 0)
}

struct Walk<'a> {
    session: &'a mut Session,
    sources: &'a SourceMap,
}

impl Walk<'_> {
    fn node(&mut self, node: Node, depth: usize) -> Result<Tree, LimitExceeded> {
        if let Some(exceeded) = self.session.too_deep(node, depth) {
            return Err(exceeded);
        }
        stacker::maybe_grow(96 * 1024, 1024 * 1024, || self.node_inside(node, depth))
    }

    fn node_inside(&mut self, node: Node, depth: usize) -> Result<Tree, LimitExceeded> {
        if matches!(self.session.shape(node), Shape::Waiting) {
            // What nobody asked for so far: fields of constraints and of branches.
            self.session.settle_now(node)?;
        }
        let spans = self.session.spans(node);
        let content = match self.session.shape(node) {
            Shape::Bottom => Content::Bottom(self.problem(node, &spans)),
            Shape::Waiting => Content::Bottom(Problem {
                code: Code::Incomplete,
                message: "the value waits for something".to_owned(),
                path: self.session.path(node),
                source: self.source(&spans),
                spans: spans.clone(),
                causes: Vec::new(),
                is_struct: false,
            }),
            Shape::Scalar(value) => Content::Scalar(value),
            Shape::Struct { .. } => Content::Struct,
            Shape::List { open, .. } => self.list(node, open, depth)?,
            Shape::Pending(kinds) => Content::Kinds(kinds),
            Shape::Constraint { kinds, bounds, validators } => {
                let arguments = self.session.validator_arguments(node);
                let equalities = self.equalities(node, depth)?;
                self.constraint(kinds, bounds, equalities, (&validators, &arguments))
            }
            Shape::Disjunction(choices) => self.disjunction(choices, depth)?,
        };
        let mut tree = Tree { spans, ..Tree::of(content) };
        if matches!(tree.content, Content::Disjunction { .. }) {
            return Ok(tree);
        }
        self.fields(node, &mut tree, depth)?;
        if self.session.is_closed(node) {
            tree.openness = Openness::Closed;
        }
        Ok(tree)
    }

    fn list(&mut self, node: Node, open: bool, depth: usize) -> Result<Content, LimitExceeded> {
        let mut elements = Vec::new();
        for arc in self.session.arcs(node) {
            if arc.class == FieldClass::Element {
                let mut element = self.node(arc.node, depth + 1)?;
                element.written = self.written(arc.node, &element);
                elements.push((arc.label.id(), element));
            }
        }
        elements.sort_by_key(|(index, _)| *index);
        let elements = elements.into_iter().map(|(_, element)| element).collect();
        let rest = open.then(|| Box::new(Tree::of(Content::Kinds(Kinds::TOP))));
        Ok(Content::List { elements, rest })
    }

    /// How a scalar is written that a literal stands for, on one line.
    fn written(&self, node: Node, tree: &Tree) -> Option<Arc<str>> {
        if !matches!(tree.content, Content::Scalar(_)) {
            return None;
        }
        let literal = |span: &Span| {
            let text = self.text(*span).filter(|text| !text.contains('\n') && !text.starts_with(['-', '+']))?;
            (literal::string(text).is_ok() || literal::number(text).is_ok()).then(|| text.into())
        };
        self.session.spans(node).iter().find_map(literal)
    }

    fn fields(&mut self, node: Node, tree: &mut Tree, depth: usize) -> Result<(), LimitExceeded> {
        let mut arcs = self.session.arcs(node);
        let is_struct = match &tree.content {
            Content::Struct => true,
            // What is known so far of a struct that may still come out.
            Content::Bottom(problem) => problem.code.is_incomplete() && self.session.is_struct(node),
            _ => false,
        };
        let braces = !matches!(tree.content, Content::Bottom(_));
        if (is_struct || braces) && depth < 60 {
            let mut constraints = self.session.constraints(node)?;
            if !is_struct {
                constraints.retain(|arc| arc.class != FieldClass::Regular);
            }
            if !constraints.is_empty() {
                let nodes: Vec<Node> = constraints.iter().map(|arc| arc.node).collect();
                let order = self.session.ordered_with(node, &nodes);
                let place: HashMap<crate::Label, usize> = order.into_iter().enumerate().map(|(at, node)| (self.session.label(node), at)).collect();
                arcs.extend(constraints);
                arcs.sort_by_key(|arc| place.get(&arc.label).copied().unwrap_or(usize::MAX));
            }
        }
        for arc in arcs {
            let class = match arc.class {
                FieldClass::Regular => Class::Regular,
                FieldClass::Hidden => Class::Hidden,
                FieldClass::Definition => Class::Definition,
                FieldClass::HiddenDefinition => Class::HiddenDefinition,
                FieldClass::Element => continue,
            };
            let constraint = match arc.presence {
                Presence::Member => None,
                Presence::Required => Some(ast::Constraint::Required),
                Presence::Optional => Some(ast::Constraint::Optional),
            };
            let mut value = self.node(arc.node, depth + 1)?;
            if let (Presence::Optional, Content::Bottom(problem)) = (arc.presence, &mut value.content)
                && problem.code == Code::StructuralCycle
            {
                // Nobody goes round where a field is optional: what is written is all there is to say.
                problem.source = self.source(&value.spans);
            }
            tree.fields.push(Field {
                name: self.session.label_name(arc.label).into(),
                class,
                foreign: self.is_foreign(arc.label, class),
                constraint,
                value,
                docs: Vec::new(),
                attributes: self.session.attributes(arc.node).into_iter().map(Into::into).collect(),
            });
        }
        if is_struct && depth < 60 {
            for (label, value) in self.session.patterns(node)? {
                let label = self.node(label, depth + 1)?;
                let value = self.node(value, depth + 1)?;
                tree.patterns.push(Pattern { label, value });
            }
        }
        Ok(())
    }

    /// Whether a hidden label belongs to another package than the one that is evaluated.
    fn is_foreign(&self, label: crate::Label, class: Class) -> bool {
        let main = self.session.program().packages.first().map_or("", |package| &package.path);
        matches!(class, Class::Hidden | Class::HiddenDefinition) && self.session.label_package(label) != main
    }

    /// The structs and lists that a value is compared with.
    fn equalities(&mut self, node: Node, depth: usize) -> Result<Vec<Constraint>, LimitExceeded> {
        let mut out = Vec::new();
        for (operator, target) in self.session.equalities(node) {
            let operand = Box::new(self.node(target, depth + 1)?);
            out.extend(bound_operator(operator).map(|operator| Constraint::Bound { operator, operand }));
        }
        Ok(out)
    }

    fn constraint(
        &self,
        kinds: Kinds,
        bounds: Vec<(Operator, crate::Value)>,
        equalities: Vec<Constraint>,
        (validators, arguments): (&[Span], &[Arc<[crate::Value]>]),
    ) -> Content {
        let bound = |(operator, value): (Operator, crate::Value)| {
            let operand = Box::new(Tree::of(Content::Scalar(value)));
            bound_operator(operator).map(|operator| Constraint::Bound { operator, operand })
        };
        let mut constraints: Vec<Constraint> = bounds.into_iter().filter_map(bound).chain(equalities).collect();
        for (at, span) in validators.iter().enumerate() {
            let written = self.text(*span).unwrap_or("_");
            let evaluated = arguments.get(at).and_then(|arguments| evaluated_call(written, arguments));
            // A validator that is named only is called with the value alone; a function that is a value is no validator.
            let is_function = arguments.get(at).is_none();
            let called = if is_function || written.contains('(') { written.to_owned() } else { format!("{written}()") };
            constraints.push(Constraint::Validator(evaluated.unwrap_or(called).into()));
        }
        if constraints.is_empty() { Content::Kinds(kinds) } else { Content::Constraints { kinds, constraints } }
    }

    fn disjunction(&mut self, choices: Vec<(Choice, bool)>, depth: usize) -> Result<Content, LimitExceeded> {
        let mut defaults = Vec::new();
        let mut others = Vec::new();
        for (choice, is_default) in choices {
            let tree = match choice {
                Choice::Scalar(value) => Tree::of(Content::Scalar(value)),
                Choice::Kinds(kinds) => Tree::of(Content::Kinds(kinds)),
                Choice::Node(node) => self.node(node, depth + 1)?,
            };
            if is_default { defaults.push(tree) } else { others.push(tree) }
        }
        let count = defaults.len();
        defaults.extend(others);
        Ok(Content::Disjunction { branches: defaults, defaults: count })
    }

    fn problem(&self, node: Node, spans: &[Span]) -> Problem {
        let code = self.session.error_code(node).map_or(Code::Eval, code_of);
        let causes = self.session.error_parts(node).into_iter().map(|(code, diagnostic)| Problem {
            code: code_of(code),
            spans: diagnostic.labels.iter().map(|label| label.span).collect(),
            path: diagnostic.path,
            message: diagnostic.summary,
            source: None,
            causes: Vec::new(),
            is_struct: false,
        });
        let causes = causes.collect();
        Problem {
            code,
            message: self.session.error(node).map_or_else(String::new, |error| match error.summary.strip_prefix(&format!("{}: ", error.path)) {
                Some(message) => message.to_owned(),
                None => error.summary,
            }),
            path: self.session.error_path(node).unwrap_or_default(),
            spans: self.session.error_spans(node),
            source: if code.is_incomplete() { self.source(&self.behind_reference(node, spans)) } else { None },
            causes,
            is_struct: code.is_incomplete() && self.session.is_struct_so_far(node),
        }
    }

    /// Where a value is nothing but a reference to something that is not known yet, the places of that.
    fn behind_reference(&self, node: Node, spans: &[Span]) -> Vec<Span> {
        let (mut node, mut spans) = (node, spans.to_vec());
        for _ in 0..64 {
            let [span] = spans.as_slice() else { break };
            let origins = self.session.origins(node);
            let Some(origin) = origins.iter().find(|origin| origin.bare && origin.at == *span && origin.target != node) else { break };
            // A let has no name of its own to be shown under.
            let behind = self.session.spans(origin.target);
            if self.session.label(origin.target) == crate::Label::NONE || behind.is_empty() {
                break;
            }
            (node, spans) = (origin.target, behind);
        }
        spans
    }

    fn text(&self, span: Span) -> Option<&str> {
        let text = self.sources.get(span.file)?.text();
        text.get(span.start as usize..span.end as usize)
    }

    /// The expressions that a value is made of, as they are written.
    fn source(&self, spans: &[Span]) -> Option<String> {
        let mut texts: Vec<(u8, Span, &str)> = spans.iter().filter_map(|span| self.text(*span).map(|text| (rank(text), *span, text))).collect();
        texts.sort_by_key(|(rank, span, _)| (*rank, span.file.0, span.start));
        let mut parts: Vec<&str> = Vec::new();
        for (_, _, part) in texts {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        (!parts.is_empty()).then(|| parts.join(" & "))
    }
}

/// Where an expression stands among those that it is joined with: types, references, literals, bounds, anything else, structs and lists.
fn rank(text: &str) -> u8 {
    let is_word = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '#' | '$'));
    match text.chars().next() {
        _ if matches!(text, "string" | "int" | "number" | "float" | "bytes" | "bool" | "_" | "null") => 1,
        Some('{' | '[') => 30,
        Some('>' | '<' | '!' | '=') => 20,
        Some('0'..='9' | '"' | '\'') => 10,
        _ if is_word => 2,
        _ => 25,
    }
}

fn code_of(code: SessionCode) -> Code {
    match code {
        SessionCode::User => Code::User,
        SessionCode::Incomplete => Code::Incomplete,
        SessionCode::Cycle => Code::Cycle,
        SessionCode::Structural => Code::StructuralCycle,
        SessionCode::Eval => Code::Eval,
    }
}

/// The operator of a bound.
fn bound_operator(operator: Operator) -> Option<ast::UnaryOperator> {
    use ast::UnaryOperator as U;
    Some(match operator {
        Operator::Less => U::Less,
        Operator::LessOrEqual => U::LessOrEqual,
        Operator::Greater => U::Greater,
        Operator::GreaterOrEqual => U::GreaterOrEqual,
        Operator::NotEqual => U::NotEqual,
        Operator::Equal => U::Equal,
        Operator::Match => U::Match,
        Operator::NotMatch => U::NotMatch,
        _ => return None,
    })
}

/// A call as it is written, but with the values of its arguments, where these are scalars.
fn evaluated_call(written: &str, arguments: &[crate::Value]) -> Option<String> {
    let (function, _) = written.split_once('(')?;
    let scalar = |value: &crate::Value| !matches!(value.kinds(), Kinds::LIST | Kinds::STRUCT) && value.is_concrete();
    if arguments.is_empty() || !arguments.iter().all(scalar) {
        return None;
    }
    let mut out = format!("{}(", function.trim_end());
    for (at, value) in arguments.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        super::cue::scalar(&mut out, value);
    }
    out.push(')');
    Some(out)
}
