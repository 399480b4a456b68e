//! What was found, searched again: does it hold?

use std::sync::Arc;
use std::time::Instant;

use minirepro_engine::{
    Answers, Certificate, Event, Goal, IsolationPlan, Outcome, Plan, StopReason,
};

use crate::error::{DoesNotHold, Error};
use crate::outcome::Verified;
use crate::reduce::coded::file_of;
use crate::run::context::RunContext;

impl RunContext<'_> {
    /// Tries every single edit of what a plan has found.
    ///
    /// # Errors
    /// If one reproduces, the result itself does not, or the run ends before all were tried.
    pub fn verify_reduction(&self, plan: &Plan, result: &Arc<[u8]>) -> Result<Verified, Error> {
        self.verified(result.len() as u64, || {
            match self.confirm(&file_of(&plan.language, result)) {
                Some(Outcome::Fail) => {}
                Some(_) => return Err(DoesNotHold::FailingPasses),
                None => {
                    let why = self.stopped().unwrap_or_else(|| self.stops.any.why());
                    return Err(DoesNotHold::Stopped(why));
                }
            }
            let mut failing_pass = None;
            let ran = self.verify(plan, result, &mut |event| {
                if let Event::Answered { pass, outcome: Outcome::Fail, .. } = event {
                    failing_pass = Some(*pass);
                }
            });
            let summary = ran.figures.session;
            let (tokens, bytes) = (summary.tokens, summary.bytes);
            match (summary.certificate, failing_pass) {
                (Some(certificate), _) => Ok(Some(certificate)),
                (None, Some(pass)) => {
                    Err(DoesNotHold::Reducible { pass: pass.to_owned(), tokens, bytes })
                }
                (None, None) => {
                    let why = summary.stopped.unwrap_or(StopReason::Interrupted);
                    Err(DoesNotHold::Stopped(why))
                }
            }
        })
    }

    /// Searches again between two ends that were found.
    ///
    /// # Errors
    /// If an end is no such end any more, or the search comes closer or finds less.
    pub fn verify_isolation(&self, plan: IsolationPlan, bytes: usize) -> Result<Verified, Error> {
        self.verified(bytes as u64, || {
            let is_isolation = plan.goal == Goal::Isolate;
            let outcome = |end| {
                let why = || self.stopped().unwrap_or(StopReason::Interrupted);
                self.probe(end).ok_or_else(|| DoesNotHold::Stopped(why()))
            };
            if outcome(&plan.failing)? != Outcome::Fail {
                return Err(DoesNotHold::FailingPasses);
            }
            if is_isolation && outcome(&plan.passing)? == Outcome::Fail {
                return Err(DoesNotHold::PassingFails);
            }
            self.count(1 + u64::from(is_isolation), &mut None);
            let mut answers = Answers::default();
            answers.insert(&plan.failing, Outcome::Fail);
            let ends = (Arc::clone(&plan.passing), Arc::clone(&plan.failing));
            let ran = self.isolate(plan, answers, &mut |_| {});
            match self.stopped() {
                Some(why) => Err(DoesNotHold::Stopped(why)),
                None if ran.session.ends() != ends => Err(DoesNotHold::SearchFindsLess),
                None => Ok(None),
            }
        })
    }

    fn verified(
        &self,
        bytes: u64,
        verify: impl FnOnce() -> Result<Option<Certificate>, DoesNotHold>,
    ) -> Result<Verified, Error> {
        let start = Instant::now();
        let verified = verify();
        let (name, tests, took) = (self.baseline.name.clone(), self.tests(), start.elapsed());
        match verified {
            Ok(certificate) => Ok(Verified { name, bytes, certificate, tests, took }),
            Err(why) => Err(Error::DoesNotHold { name, why, tests, took }),
        }
    }
}
