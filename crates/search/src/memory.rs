//! Answers by configuration; none is ever forgotten.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Configuration, Outcome};

/// What was told about which configuration. Forking is O(1); the first answer to a fork copies
/// some 20 bytes per remembered answer.
///
/// Keys are 128-bit fingerprints: with a million answers the chance of any confusion is below
/// 10⁻²⁶.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<HashMap<u128, Outcome>>);

impl Memory {
    /// Returns the remembered outcome of `configuration`.
    pub(crate) fn recall(&self, configuration: &Configuration) -> Option<Outcome> {
        self.0.get(&configuration.fingerprint()).copied()
    }

    /// Remembers `outcome` for `configuration`.
    pub(crate) fn learn(&mut self, configuration: &Configuration, outcome: Outcome) {
        Arc::make_mut(&mut self.0).insert(configuration.fingerprint(), outcome);
    }

    /// Returns the number of configurations with a remembered outcome.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
