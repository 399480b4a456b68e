//! Texts that fail, are hardly larger than the best one, and may lead to something smaller.
//!
//! They come from sideways steps that led to nothing so far. The smallest is gone on from first (best-first
//! search); a text that differs from an earlier one in its names only is no new one.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use minirepro_passes::{Gate, Item, PassContext};
use minirepro_syntax::{Change, Edits, Language, NodeId};

use crate::reduce::current::Current;

/// A text's tokens, then how many sideways steps led there, then its bytes.
type Rank = (u64, u32, Arc<[u8]>);

/// The texts to go on from, the most promising first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    open: Arc<BTreeSet<Rank>>,
    /// What texts read like that were there at any time, names apart.
    seen: Arc<HashSet<u64>>,
}

/// A text to go on from.
pub(crate) struct Start {
    pub text: Arc<[u8]>,
    /// How many sideways steps led there.
    pub steps: u32,
}

/// The most texts that are kept at a time.
const MOST: usize = 200;

/// Texts of more tokens are too large to be searched around.
const LARGE: u64 = 400;

impl Frontier {
    /// Adds a text, to which `steps` sideways steps have led from a best one of `best` tokens.
    pub(crate) fn add(&mut self, language: &Language, text: &Current, best: u64, steps: u32) {
        if text.tokens > best + best / 4 + 2 || text.tokens > LARGE {
            return;
        }
        if !Arc::make_mut(&mut self.seen).insert(shape(language, text)) {
            return;
        }
        let open = Arc::make_mut(&mut self.open);
        open.insert((text.tokens, steps, Arc::clone(&text.text)));
        if open.len() > MOST {
            open.pop_last();
        }
    }

    /// Takes the most promising text.
    pub(crate) fn pop(&mut self) -> Option<Start> {
        if self.open.is_empty() {
            return None;
        }
        let (_, steps, text) = Arc::make_mut(&mut self.open).pop_first()?;
        Some(Start { text, steps })
    }

    /// Forgets the texts that lead nowhere now that there is a better one; they are not taken up again.
    pub(crate) fn clear(&mut self) {
        self.open = Arc::default();
    }
}

/// Returns a hash of the tokens, with names as numbers in order of appearance.
fn shape(language: &Language, text: &Current) -> u64 {
    let refused = HashSet::new();
    let context = PassContext::new(&text.tree, language, Gate::Facts, &refused);
    let all = Edits::one(NodeId::ROOT, Change::hoist(NodeId::ROOT));
    context.fingerprint(&Item::new(all, 0))
}
