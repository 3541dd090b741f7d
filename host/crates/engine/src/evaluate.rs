//! Evaluating a specification without a plan: for `output`, `validate` and whatever only looks.

use pravo_diag::Diagnostic;
use pravo_model::specification::{Body, Specification};

use crate::check::check_config;
use crate::failure::Failure;
use crate::pool::Pool;
use crate::request::{EvaluateRequest, Wanted};
use crate::subject::Subject;
use crate::survey::{Found, Survey};

/// Evaluates a specification with answers from the records, or with nothing known; its fields can be read afterwards.
/// Bodies are checked against the schemas; no provider is started but for function calls.
///
/// # Errors
/// Whatever is wrong with the specification.
pub async fn evaluate<'a>(request: EvaluateRequest<'a>) -> Result<Box<dyn Specification + 'a>, Failure> {
    let pool = Pool::new(request.providers);
    let conversations = request.conversations;
    let mut specification = conversations.begin()?;
    let wanted = match &request.wanted {
        Wanted::Nothing => Ok(()),
        Wanted::Path(path) => specification.want_output(Some(path)),
        Wanted::All => specification.want_output(None),
    };
    if let Err(diagnostics) = wanted {
        return Err(Failure::new(diagnostics, specification.sources().clone()));
    }
    let mut instances = std::collections::HashMap::new();
    let mut problems: Vec<Diagnostic> = Vec::new();
    let survey = Survey::new(request.state, &pool, request.known);
    survey
        .run(specification.as_mut(), |found| match found {
            Found::Instance(instance) => {
                let binding = std::sync::Arc::new(instance.binding.clone());
                instances.insert(instance.id, binding);
            }
            Found::Body(body) => problems.extend(instances.get(&body.instance).into_iter().flat_map(|binding| check(&pool, binding, &body))),
        })
        .await?;
    if problems.is_empty() { Ok(specification) } else { Err(Failure::new(problems, specification.sources().clone())) }
}

fn check(pool: &Pool, binding: &std::sync::Arc<pravo_model::provider::ProviderBinding>, body: &Body) -> Vec<Diagnostic> {
    match Subject::new(pool, binding, body.kind, &body.type_name, &body.address, Some(body.span)) {
        Ok(subject) => check_config(subject.shape(), &body.config).iter().map(|problem| subject.place.misconfigured(problem)).collect(),
        Err(diagnostic) => vec![diagnostic],
    }
}
