//! How edits fared on other texts.
//!
//! After a success all that was tested ahead was tested on a text that is no longer the current
//! one. It still tells how the same edits will probably fare on the new one. Must not decide
//! anything.

use std::hash::BuildHasher as _;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// How the same edits fared on another text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Elsewhere {
    /// They were not tested.
    #[default]
    Unknown,
    /// The candidate failed.
    Failed,
    /// The candidate did not fail.
    Refused,
    /// One of several edits was refused by itself.
    PartRefused,
}

/// The answers to edits on any text, the last one if there are several.
#[derive(Clone, Debug, Default)]
pub(crate) struct EditMemory {
    fails: FxHashMap<u64, bool>,
    /// Edits that were refused by themselves.
    refused: FxHashSet<u64>,
}

/// More edits than this at a time are not looked at one by one.
const FEW: usize = 64;

impl EditMemory {
    /// Takes the answer to a candidate of these edits, given by their fingerprints in order. Linear
    /// in them.
    pub(crate) fn learn(&mut self, edits: &[u64], fails: bool) {
        if let [edit] = *edits {
            if fails {
                self.refused.remove(&edit);
            } else {
                self.refused.insert(edit);
            }
        }
        if !edits.is_empty() {
            self.fails.insert(hash(edits), fails);
        }
    }

    /// Returns how these edits fared. Linear in them.
    pub(crate) fn of(&self, edits: &[u64]) -> Elsewhere {
        match self.fails.get(&hash(edits)) {
            Some(true) => Elsewhere::Failed,
            Some(false) => Elsewhere::Refused,
            None if edits.iter().take(FEW).any(|edit| self.refused.contains(edit)) => {
                Elsewhere::PartRefused
            }
            None => Elsewhere::Unknown,
        }
    }
}

fn hash(edits: &[u64]) -> u64 {
    FxBuildHasher.hash_one(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_to_the_same_edits_counts() {
        let mut memory = EditMemory::default();
        memory.learn(&[1], false);
        memory.learn(&[2, 3], true);
        for (edits, known) in [
            (&[1][..], Elsewhere::Refused),
            (&[2, 3], Elsewhere::Failed),
            (&[4, 1], Elsewhere::PartRefused),
            (&[2], Elsewhere::Unknown),
            (&[], Elsewhere::Unknown),
        ] {
            assert_eq!(memory.of(edits), known, "{edits:?}");
        }
        memory.learn(&[1], true);
        assert_eq!((memory.of(&[1]), memory.of(&[4, 1])), (Elsewhere::Failed, Elsewhere::Unknown));
    }
}
