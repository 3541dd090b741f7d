//! `try`: a body that counts only where every reference marked with `?` in it finds something.
//!
//! The body is evaluated on a node of its own, the attempt. A marked reference that finds no field notes the node that
//! it was evaluated for; the attempt has failed if one of these lies in it, whatever else is wrong there, and is
//! dropped. All other errors are the body's own and show where it joins. What a `try` inside the body has missed is
//! that one's affair.

use super::data::*;
use super::resolve::Target;
use super::{Session, flag};
use crate::Node;
use crate::program::ExprId;

impl Session {
    /// What a reference marked with `?` stands for.
    pub(crate) fn resolve_tried(&mut self, inner: ExprId, env: u32, at: Node) -> Run<Target> {
        let target = self.resolve(inner, env, at)?;
        if let Target::Bottom(bottom) = target
            && let Some(data) = self.bottom_data(bottom)
            && !data.code.is_final()
            && matches!(data.reason, Reason::Undefined(_) | Reason::OptionalReference(_))
            && !self.missed.contains(&at)
        {
            self.missed.push(at);
        }
        Ok(target)
    }

    /// Whether the body of a `try` succeeds in a frame.
    pub(crate) fn succeeds(&mut self, body: ExprId, frame: u32, node: Node) -> Run<bool> {
        let attempt = self.inline_node(body, frame, node)?;
        self.set(attempt, flag::ATTEMPT);
        self.has_final_error(attempt, 0)?;
        Ok(!self.missed.iter().any(|missed| self.missed_in(*missed, attempt)))
    }

    /// Whether a node lies in an attempt, and in no attempt inside it.
    fn missed_in(&self, missed: Node, attempt: Node) -> bool {
        let mut at = missed;
        while at != NONE {
            let family = self.family(at);
            if family == attempt {
                return true;
            }
            if self.has(family, flag::ATTEMPT) {
                return false;
            }
            at = self.node(at).parent;
        }
        false
    }
}
