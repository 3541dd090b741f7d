//! Whether an expression names a field.

use super::{Code, DEFAULT, Declared, Element, Expr, ExprId, LoweredClause};
use crate::intern::Label;

/// How many expressions are looked at before the answer is that it may be.
const LOOK: usize = 1_000;

impl Code {
    /// Whether an expression, or one inside of it, may stand for a field of this label by naming it.
    pub(crate) fn mentions(&self, expr: ExprId, label: Label) -> bool {
        let mut stack = vec![expr];
        let mut looked = 0;
        while let Some(expr) = stack.pop() {
            looked += 1;
            if looked > LOOK {
                return true;
            }
            match self.expr(expr) {
                Expr::Field { label: other, .. } if other == label => return true,
                Expr::Select { label: other, .. } if other == label => return true,
                Expr::This { .. } => return true,
                Expr::Index { index, .. } if self.may_index(index, label) => return true,
                Expr::Index { base, index } => stack.extend([base, index]),
                Expr::Select { base, .. } => stack.push(base),
                Expr::Slice(operands) | Expr::Unify(operands) | Expr::Disjunction(operands) | Expr::Call(operands) => {
                    stack.extend(self.operands(operands).iter().map(|operand| ExprId(operand & !DEFAULT)));
                }
                Expr::Interpolation { pieces, .. } => stack.extend(self.operands(pieces).iter().map(|operand| ExprId(*operand))),
                Expr::Not(operand) | Expr::Negate(operand) | Expr::Plus(operand) | Expr::Open(operand) | Expr::Try(operand) => stack.push(operand),
                Expr::Binary { left, right, .. } => stack.extend([left, right]),
                Expr::Bound { operand, .. } => stack.push(operand),
                Expr::Struct(literal) => self.declared_parts(literal, &mut stack),
                Expr::List(list) => self.element_parts(list, &mut stack),
                _ => {}
            }
        }
        false
    }

    /// Whether an index may be that of a field.
    fn may_index(&self, index: ExprId, label: Label) -> bool {
        match self.expr(index) {
            Expr::Int(value) => label.is_index() && i64::from(label.id()) == value,
            Expr::Text(text) => label == Label::regular(text),
            _ => true,
        }
    }

    fn declared_parts(&self, literal: u32, out: &mut Vec<ExprId>) {
        for declared in self.structs.get(literal as usize).map_or(&[][..], |literal| &literal.declarations) {
            match declared {
                Declared::Field(field) => out.push(field.slot.value),
                Declared::Dynamic { label, slot, .. } => out.extend([*label, slot.value]),
                Declared::Pattern { pattern, slot } => out.extend([*pattern, slot.value]),
                Declared::Embedding(value) => out.push(*value),
                Declared::Comprehension(id) => self.comprehension_parts(*id, out),
            }
        }
    }

    fn element_parts(&self, list: u32, out: &mut Vec<ExprId>) {
        for element in self.lists.get(list as usize).map_or(&[][..], |elements| elements) {
            match element {
                Element::Value(slot) => out.push(slot.value),
                Element::Rest(value) => out.extend(*value),
                Element::Comprehension(id) => self.comprehension_parts(*id, out),
            }
        }
    }

    fn comprehension_parts(&self, id: u32, out: &mut Vec<ExprId>) {
        let Some(comprehension) = self.comprehensions.get(id as usize) else { return };
        out.push(comprehension.value);
        out.extend(comprehension.fallback);
        for clause in &comprehension.clauses {
            match clause {
                LoweredClause::For { source: value }
                | LoweredClause::If(value)
                | LoweredClause::Let(value)
                | LoweredClause::Try(value)
                | LoweredClause::TryLet(value) => out.push(*value),
            }
        }
    }
}
