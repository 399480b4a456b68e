//! What happens in a batch, for whoever shows it.

use crate::batch::inputs::Ignored;
use crate::batch::plan::JobPlan;

/// Something that happened in a batch.
#[derive(Clone, Copy, Debug)]
pub enum BatchEvent<'a> {
    /// The files were read.
    Read {
        /// Different inputs.
        inputs: usize,
        /// Files that are none.
        ignored: &'a [Ignored],
    },
    /// A run of an input ended.
    Ran {
        /// All runs so far.
        runs: usize,
        /// Those that there will be at least.
        of: usize,
    },
    /// Failures were sorted.
    Sorted {
        /// Inputs that fail.
        failing: usize,
        /// Their signatures.
        variants: usize,
        /// Messages in different functions.
        families: usize,
    },
    /// A reduction ended.
    Reduced {
        /// What it did.
        plan: &'a JobPlan,
        /// The size of its result in bytes.
        bytes: u64,
        /// Its tests.
        tests: u64,
        /// Why there is no result.
        error: Option<&'a str>,
    },
}
