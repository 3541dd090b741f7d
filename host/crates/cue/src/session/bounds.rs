//! Bounds whose operand has to be computed, and those on structs and lists.

use std::sync::Arc;

use super::data::*;
use super::evaluate::Val;
use super::{Session, flag};
use crate::Node;
use crate::program::{ExprId, Operator};

impl Session {
    /// Joins a bound with the value of its operand.
    pub(crate) fn join_computed_bound(&mut self, node: Node, conjunct: Conjunct, operator: Operator, operand: ExprId) -> Run<()> {
        let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        match self.eval(operand, conjunct.env, node)? {
            Val::Scalar(value) => match self.refused_operand(operator, value) {
                Some(reason) => {
                    let bottom = self.bottom_at(Code::Eval, node, reason, conjunct.expr);
                    self.fail(node, bottom);
                    Ok(())
                }
                None => self.join_bound(node, Bound { operator, value, expr: conjunct.expr }),
            },
            Val::Pending(kinds) => {
                self.set(node, flag::PENDING);
                if operator == Operator::NotEqual { Ok(()) } else { self.join_kinds(node, kinds, conjunct.expr) }
            }
            Val::Bottom(bottom) => {
                self.fail(node, bottom);
                Ok(())
            }
            Val::Node(target) if equality && self.is_composite(target) => self.join_equality(node, conjunct, operator, target),
            Val::Node(target) => {
                let val = if self.is_composite(target) {
                    let reason = Reason::Text(format!("invalid operand for bound {}: {}", operator.text(), self.node(target).kinds));
                    Val::Bottom(self.bottom_at(Code::Eval, node, reason, conjunct.expr))
                } else {
                    self.not_concrete(target, operand, node)
                };
                self.join_val(node, val, conjunct)
            }
        }
    }

    /// Why a scalar cannot be the operand of a bound, if so.
    fn refused_operand(&mut self, operator: Operator, value: Scalar) -> Option<Reason> {
        if matches!(operator, Operator::Match | Operator::NotMatch) {
            let valid = matches!(value, Scalar::Text(pattern) if self.regex(pattern).is_some());
            return (!valid).then(|| Reason::Text(format!("invalid regular expression {}", self.scalar_text(value))));
        }
        let refused = match value {
            Scalar::Bool(_) => operator != Operator::NotEqual,
            Scalar::Null => !matches!(operator, Operator::Equal | Operator::NotEqual),
            _ => false,
        };
        refused.then(|| Reason::Text(format!("invalid operand {} for bound {}", self.scalar_text(value), operator.text())))
    }

    /// `==x` and `!=x`, where x is a struct or list: what the value must be equal to, or must not, once it is there.
    fn join_equality(&mut self, node: Node, conjunct: Conjunct, operator: Operator, target: Node) -> Run<()> {
        self.join_kinds(node, self.node(target).kinds, conjunct.expr)?;
        let check = if operator == Operator::Equal { Check::Equal } else { Check::NotEqual };
        let extra = self.extra_mut(node);
        if !extra.validators.iter().any(|other| (other.expr, other.env) == (conjunct.expr, conjunct.env)) {
            let nodes: Arc<[Node]> = Arc::from([target]);
            let core = Some((check, nodes));
            extra.validators.push(Validator { expr: conjunct.expr, env: conjunct.env, function: 0, arguments: Arc::from(&[][..]), core });
        }
        Ok(())
    }

    /// What an equality has against a value.
    pub(crate) fn check_equality(&mut self, value: Node, target: Node, wanted: bool) -> Run<Option<(Code, String)>> {
        Ok(match self.equal_nodes(value, target)? {
            Ok(equal) if equal != wanted => {
                let operator = if wanted { Operator::Equal } else { Operator::NotEqual };
                Some((Code::Eval, format!("invalid value: out of bound {}{}", operator.text(), self.node(target).kinds)))
            }
            Ok(_) | Err(_) => None,
        })
    }

    /// The structs and lists that a node must be equal to, or must not.
    pub(crate) fn equalities(&self, node: Node) -> Vec<(Operator, Node)> {
        let validators = self.extra(node).map_or(&[][..], |extra| &extra.validators);
        let equality = |validator: &Validator| match validator.core.as_ref()? {
            (Check::Equal, nodes) => Some((Operator::Equal, *nodes.first()?)),
            (Check::NotEqual, nodes) => Some((Operator::NotEqual, *nodes.first()?)),
            (Check::Match(_), _) => None,
        };
        validators.iter().filter_map(equality).collect()
    }
}
