//! The part of a plan that decides which edits a reducer tries.

use std::sync::Arc;

use minirepro_passes::{Attribute, PUMPS, Pass, of as passes_of};
use minirepro_search::Algorithm;
use minirepro_syntax::{Language, Rendered};

use crate::plan::preserved::Preserved;
use crate::reduce::sizes::CHEAP_TO_READ;
use crate::{Granularity, Plan};

/// The configuration of a reducer. It changes only once: when broken candidates become allowed.
#[derive(Clone, Debug)]
pub(crate) struct ReducerConfig {
    pub language: Arc<Language>,
    /// The search over lists of edits.
    pub algorithm: Algorithm,
    /// Whether candidates may have syntax errors that the input has not.
    pub allow_broken: bool,
    /// Whether such candidates become allowed once nothing else is left to try.
    pub broken_at_end: bool,
    pub granularity: Granularity,
    pub preserved: Preserved,
    /// Whether a test costs less than reading its candidate.
    pub tests_are_cheap: bool,
    /// Whether anybody guesses the answers to questions.
    pub is_guessed: bool,
    /// How many proposers there are to ask once nothing else helps.
    pub proposers: usize,
    /// Whether a tool can be asked for its messages about a candidate.
    pub is_informed: bool,
    /// The passes of a round, in order.
    pub passes: Vec<Pass>,
    /// The passes of the sweep, in order: those with many edits come last, because each win of
    /// another one means that theirs are tried again.
    pub sweep: Vec<Pass>,
    /// The passes whose edits may make the text larger.
    pub pumps: Vec<Pass>,
}

impl ReducerConfig {
    /// Returns the configuration for a plan. `verifies` if only the sweep is wanted.
    pub(crate) fn new(plan: &Plan, verifies: bool) -> Self {
        let mut passes = passes_of(&plan.language);
        passes.retain(|pass| plan.scope.has(pass));
        let mut sweep = passes.clone();
        sweep.sort_by_key(|pass| (pass.is(Attribute::Last), pass.is(Attribute::Exhaustive)));
        Self {
            language: Arc::clone(&plan.language),
            algorithm: plan.algorithm,
            allow_broken: plan.scope.allow_broken && verifies,
            broken_at_end: plan.scope.allow_broken && !verifies,
            granularity: plan.scope.granularity,
            preserved: Preserved::new(&plan.scope.kept, &plan.input),
            tests_are_cheap: plan.tests_are_cheap,
            is_guessed: plan.jobs > 1 || !plan.tests_are_cheap,
            proposers: plan.proposers,
            is_informed: plan.is_informed && !verifies,
            passes,
            sweep,
            pumps: PUMPS.iter().copied().filter(|pass| plan.scope.has(pass)).collect(),
        }
    }

    /// Returns whether a candidate whose edits the grammar facts cover is parsed only if it fails.
    /// Hardly any reads otherwise than the facts say, and of large ones most are refused.
    pub(crate) fn reads_later(&self, candidate: &Rendered) -> bool {
        (self.tests_are_cheap || is_large(candidate)) && !self.language.reader.is_strict()
    }
}

/// Returns whether a candidate is parsed as seldom as possible.
pub(crate) fn is_large(candidate: &Rendered) -> bool {
    candidate.text.len() > CHEAP_TO_READ
}
