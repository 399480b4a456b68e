//! The part of a plan that decides which edits a reducer tries.

use std::sync::Arc;

use minirepro_passes::{Attribute, PUMPS, Pass, of as passes_of};
use minirepro_syntax::{Language, Rendered};

use crate::Plan;
use crate::plan::preserved::Preserved;
use crate::reduce::sizes::CHEAP_TO_READ;

/// The configuration of a reducer.
#[derive(Clone, Debug)]
pub(crate) struct ReducerConfig {
    pub language: Arc<Language>,
    pub plan: Plan,
    pub preserved: Preserved,
    /// The passes of a round, in order.
    pub passes: Vec<Pass>,
    /// The passes of the sweep, in order: those with many edits come last, because each win of
    /// another one means that theirs are tried again.
    pub sweep: Vec<Pass>,
    /// The passes whose edits may make the text larger.
    pub pumps: Vec<Pass>,
}

impl ReducerConfig {
    pub(crate) fn new(plan: Plan) -> Self {
        let mut passes = passes_of(&plan.language);
        passes.retain(|pass| plan.scope.has(pass));
        let mut sweep = passes.clone();
        sweep.sort_by_key(|pass| (pass.is(Attribute::Last), pass.is(Attribute::Exhaustive)));
        Self {
            language: Arc::clone(&plan.language),
            preserved: Preserved::new(&plan.scope.kept, &plan.input),
            passes,
            sweep,
            pumps: PUMPS.iter().copied().filter(|pass| plan.scope.has(pass)).collect(),
            plan,
        }
    }

    /// Returns whether a candidate whose edits the grammar facts cover is parsed only if it fails.
    /// Hardly any reads otherwise than the facts say, and of large ones most are refused.
    pub(crate) fn reads_later(&self, candidate: &Rendered) -> bool {
        (self.plan.tests_are_cheap || is_large(candidate)) && !self.language.reader.is_strict()
    }
}

/// Returns whether a candidate is parsed as seldom as possible.
pub(crate) fn is_large(candidate: &Rendered) -> bool {
    candidate.text.len() > CHEAP_TO_READ
}
