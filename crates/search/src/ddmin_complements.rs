//! ddmin as in *Why Programs Fail*. Knows parts and outcomes.

use crate::machine::Machine;
use crate::split::Parts;
use crate::{Configuration, Outcome};

/// ddmin without tests of single parts (Zeller, *Why Programs Fail*, ch. 5, Example 5.4): each
/// part is left out in turn; after a success, what is left is cut anew and gone over from its
/// first part.
///
/// The result is 1-minimal for any oracle, provided that the empty configuration does not fail,
/// which is never asked. At most (n² + 7n) / 2 questions; some come more than once.
#[derive(Clone)]
pub struct DdminComplements {
    kept: Configuration,
    parts: Parts,
    /// The part that the question leaves out.
    index: usize,
}

impl DdminComplements {
    /// ddmin over `0..circumstances`.
    pub fn new(circumstances: usize) -> Self {
        let kept = Configuration::all(circumstances);
        let parts = Parts::equal(kept.iter().collect(), circumstances.min(2));
        Self { kept, parts, index: 0 }
    }

    /// The current granularity: into how many parts the configuration is cut.
    pub fn granularity(&self) -> usize {
        self.parts.count()
    }
}

impl Machine for DdminComplements {
    fn question(&self) -> Option<Configuration> {
        let open = self.parts.members().len() >= 2 && self.index < self.parts.count();
        open.then(|| self.parts.complement(&self.kept, self.index))
    }

    fn answer(&mut self, outcome: Outcome) {
        let count = self.parts.count();
        if outcome == Outcome::Fail {
            self.kept = self.parts.complement(&self.kept, self.index);
            let members: std::sync::Arc<[usize]> = self.kept.iter().collect();
            let most = members.len();
            self.parts = Parts::equal(members, (count - 1).max(2).min(most));
            self.index = 0;
            return;
        }
        self.index += 1;
        let members = self.parts.members();
        if self.index == count && count < members.len() {
            self.parts = Parts::equal(members.clone(), (count * 2).min(members.len()));
            self.index = 0;
        }
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}
