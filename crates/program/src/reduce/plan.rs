//! What a reduction plans, before the run says how many jobs and tests it may take.

use std::sync::Arc;

use minirepro_engine::{Algorithm, Budget, Plan, Scope};
use minirepro_syntax::Language;

/// Returns the plan for an input. Of what must stay, only that counts which is there: earlier
/// results may already have removed some.
pub fn plan_of(
    input: &Arc<[u8]>,
    language: &Arc<Language>,
    algorithm: Algorithm,
    scope: &Scope,
) -> Plan {
    let mut scope = scope.clone();
    scope.kept.retain(|regex| regex.is_match(input));
    Plan {
        input: Arc::clone(input),
        language: Arc::clone(language),
        algorithm,
        jobs: 1,
        scope,
        budget: Budget::default(),
        tests_are_cheap: false,
        proposers: 0,
        is_informed: false,
    }
}
