//! A plan that deletes everything.
//!
//! Kept true here: `prevent_destroy` is checked before anything is read. The specification is only looked at, for its meta fields and
//! the configurations of its provider instances; what is deleted is what the state holds.

use std::collections::HashMap;

use pravo_diag::Diagnostic;
use pravo_model::Address;
use pravo_model::specification::{Body, Kind, Specification};

use super::planner::Planner;
use super::scope::Edges;
use crate::failure::Failure;
use crate::request::Known;
use crate::survey::{Found, Survey};

/// What a survey of the specification found.
#[derive(Default)]
pub(super) struct Surveyed {
    pub(super) bodies: HashMap<Address, Body>,
    pub(super) instances: Vec<pravo_model::specification::Instance>,
}

impl Planner<'_> {
    /// Looks at the specification with answers from the records; bodies come without their attributes.
    pub(super) async fn survey(&self, specification: &mut dyn Specification) -> Result<Surveyed, Failure> {
        let mut surveyed = Surveyed::default();
        let survey = Survey::new(self.request.state, &self.shared.pool, Known::Records);
        // What is destroyed is recorded; what is made may be there only because of what a data source says.
        let survey = if self.request.options.destroy { survey } else { survey.reading(&self.shared) };
        survey
            .run(specification, |found| match found {
                Found::Instance(instance) => surveyed.instances.push(instance),
                Found::Body(body) => {
                    let body = Body { config: pravo_model::Value::Null, ..*body };
                    surveyed.bodies.insert(body.address.clone(), body);
                }
            })
            .await?;
        Ok(surveyed)
    }

    /// Direct dependencies of every address, for targets: of the specification, and as stored.
    pub(super) fn edges(&self, surveyed: &Surveyed) -> Edges {
        let mut edges: Edges = self.heads.iter().map(|(address, head)| (address.clone(), head.dependencies.clone())).collect();
        let instances: HashMap<_, _> = surveyed.instances.iter().map(|instance| (instance.id, instance)).collect();
        for (address, body) in &surveyed.bodies {
            let dependencies = edges.entry(address.clone()).or_default();
            dependencies.extend(body.references.iter().chain(&body.depends_on).cloned());
            dependencies.extend(instances.get(&body.instance).into_iter().flat_map(|instance| instance.dependencies.clone()));
            dependencies.sort_by(|a, b| a.as_str().cmp(b.as_str()));
            dependencies.dedup();
        }
        edges
    }

    /// Plans the deletion of everything in the scope.
    pub(super) async fn destroy(&mut self, surveyed: Surveyed) -> Result<(), Failure> {
        let in_scope = |planner: &Self, address: &Address| planner.scope.as_ref().is_none_or(|scope| scope.holds(address));
        let mut prevented: Vec<&Address> = surveyed
            .bodies
            .values()
            .filter(|body| body.meta.prevent_destroy && self.heads.contains_key(&body.address) && in_scope(self, &body.address))
            .map(|body| &body.address)
            .collect();
        prevented.sort();
        if !prevented.is_empty() {
            let names: Vec<&str> = prevented.iter().map(|address| address.as_str()).collect();
            let text = format!(
                "destroy refused: $lifecycle.prevent_destroy is set on {}; remove the setting from the specification to destroy the resource",
                names.join(", ")
            );
            return Err(Failure::of(Diagnostic::error("plan.prevent_destroy", text)));
        }
        for instance in surveyed.instances {
            self.announce(instance);
        }
        let mut walked: Vec<&Body> = surveyed.bodies.values().collect();
        walked.sort_by(|a, b| a.address.as_str().cmp(b.address.as_str()));
        for body in walked {
            let read_at = self.heads.get(&body.address).filter(|head| head.kind == Kind::Resource).map(|head| head.read_at);
            let id = self.graph.enter(&body.address, body.kind);
            let node = self.graph.node_mut(id);
            node.walked = true;
            node.kind = body.kind;
            let Some(read_at) = read_at else {
                continue;
            };
            let is_due = self.is_due(body, read_at, true) && in_scope(self, &body.address);
            if !is_due && in_scope(self, &body.address) {
                self.count_aged();
            }
            if let Err(diagnostic) = self.plan_deletion(&body.address, is_due) {
                self.errors.push(diagnostic);
            }
        }
        self.plan_left().await
    }
}
