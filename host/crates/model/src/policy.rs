//! Policies: what may refuse a plan.

use pravo_diag::{Diagnostic, SourceMap};

use crate::plan::PlanDocument;

/// A policy that is loaded and ready to judge.
pub trait Policy: Send + Sync {
    /// Every violation, with the policy's file, line and message; empty where the plan may go on. What is not known yet
    /// is abstract: a guard that needs it is a violation too.
    fn judge(&self, plan: &PlanDocument) -> Vec<Diagnostic>;

    /// The policy's sources, for the diagnostics.
    fn sources(&self) -> &SourceMap;
}
