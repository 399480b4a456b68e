//! ddmin as in *Why Programs Fail*.

use std::sync::Arc;

use crate::machine::Machine;
use crate::published::parts::Parts;
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
    /// Which circumstances stay in one part with their predecessor while parts are larger than
    /// one.
    glued: Arc<[bool]>,
}

impl DdminComplements {
    /// Searches `0..circumstances`.
    pub fn new(circumstances: usize) -> Self {
        Self::keeping_together(&vec![false; circumstances])
    }

    /// Returns ddmin whose parts are not cut right before a circumstance that is `glued` to its
    /// predecessor, such as a value to its attribute (§5.8.3), as long as it has parts of two or
    /// more. There are as many circumstances as elements of `glued`.
    pub fn keeping_together(glued: &[bool]) -> Self {
        let kept = Configuration::all(glued.len());
        let parts = Parts::whole(kept.iter().collect());
        let mut ddmin = Self { kept, parts, index: 0, glued: glued.into() };
        ddmin.cut(2);
        ddmin
    }

    /// Splits the kept circumstances into `count` parts, or as many as possible.
    fn cut(&mut self, count: usize) {
        let members: Arc<[usize]> = self.kept.iter().collect();
        let count = count.min(members.len());
        self.parts = Parts::equal(members, count).respecting(&self.glued);
        self.index = 0;
    }

    /// Returns the current granularity: into how many parts the configuration is cut.
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
            self.cut((count - 1).max(2));
            return;
        }
        self.index += 1;
        if self.index == count && count < self.parts.members().len() {
            self.cut(count * 2);
        }
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}
