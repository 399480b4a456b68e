//! What a reduction plans, before the run says how many jobs and tests it may take; and results,
//! looked at again.

use std::sync::Arc;
use std::time::Instant;

use minirepro_engine::{Algorithm, Budget, Event, Outcome, Plan, Scope, StopReason};
use minirepro_syntax::Language;

use crate::error::{DoesNotHold, Error};
use crate::outcome::Verified;
use crate::reduce::coded::{CodedTest, file_of};
use crate::run::context::{RunContext, Wrap};

/// Tries every single edit of what a plan has found.
///
/// # Errors
/// If one reproduces, the result itself does not, or the run ends before all were tried.
pub fn verify_one(
    context: &RunContext<'_>,
    name: &str,
    plan: Plan,
    result: Arc<[u8]>,
) -> Result<Verified, Error> {
    let start = Instant::now();
    let fail = |why, tests| {
        let name = name.to_owned();
        Err(Error::DoesNotHold { name, why, tests, took: start.elapsed() })
    };
    let language = Arc::clone(&plan.language);
    match context.confirm(&file_of(&language, &result)) {
        Some(Outcome::Fail) => {}
        Some(_) => return fail(DoesNotHold::FailingPasses, 1),
        None => {
            let why = context.stopped().unwrap_or_else(|| context.stop().why());
            return fail(DoesNotHold::Stopped(why), 0);
        }
    }
    let mut failing_pass = None;
    let wrap: Wrap<'_> = &|whole, lend| lend(&CodedTest { whole, language: &language });
    let ran = context.verify(name, plan, Arc::clone(&result), wrap, &mut |event| {
        if let Event::Answered { pass, outcome: Outcome::Fail, .. } = event {
            failing_pass = Some(*pass);
        }
    });
    let summary = ran.figures.session;
    if let Some(certificate) = summary.certificate {
        let verified = Verified::new(name, result.len() as u64, summary.tests, start);
        return Ok(Verified { certificate: Some(certificate), ..verified });
    }
    match failing_pass {
        Some(pass) => {
            let pass = pass.to_owned();
            let why = DoesNotHold::Reducible { pass, tokens: summary.tokens, bytes: summary.bytes };
            fail(why, summary.tests)
        }
        None => {
            let why = summary.stopped.unwrap_or(StopReason::Interrupted);
            fail(DoesNotHold::Stopped(why), summary.tests)
        }
    }
}

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
