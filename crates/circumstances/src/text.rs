//! One text between two others: by its tree from the root down, then by tokens and
//! words; without a grammar by characters.

use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::Language;

use crate::circumstances::Circumstances;
use crate::merge::Merge;
use crate::units::{by_character, by_node, by_word};

/// How many nodes further down each level looks than the one before. Deep trees are opened faster
/// and faster; after the last number all tokens are open. A last level opens these.
const STEPS: [usize; 11] = [1, 1, 1, 1, 2, 2, 4, 8, 16, 64, usize::MAX];

/// The differences between two texts of one language, on one level.
#[derive(Clone, Debug)]
pub struct Text {
    language: Arc<Language>,
    /// Candidates are no more broken than the worse of the two texts.
    errors: u32,
    level: usize,
    merge: Merge,
}

impl Text {
    /// Returns what lies between these two: the children of the roots of their trees.
    pub fn new(language: Arc<Language>, passing: Arc<[u8]>, failing: Arc<[u8]>) -> Self {
        let trees = [&passing, &failing].map(|text| language.parser.parse(text));
        let errors = trees[0].errors().max(trees[1].errors());
        let merge = by_node(&Merge::whole(passing, failing), &trees, STEPS[0]);
        Self { language, errors, level: 0, merge }
    }
}

impl Circumstances for Text {
    fn name(&self) -> &'static str {
        match self.level {
            level if level + 1 < STEPS.len() => "nodes",
            level if level < STEPS.len() => "tokens",
            _ if self.language.spacing.between_tokens => "words",
            _ => "characters",
        }
    }

    fn weights(&self) -> Vec<u32> {
        self.merge.weights()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        if self.language.spacing.keep_words_apart && self.merge.joins_tokens(there) {
            return None;
        }
        let text = self.merge.text(there);
        (self.language.parser.errors(&text) <= self.errors).then_some(text)
    }

    fn finer(
        &self,
        passing: &Configuration,
        failing: &Configuration,
    ) -> Option<Arc<dyn Circumstances>> {
        let left = self.merge.between(passing, failing);
        let trees = [&left.old, &left.new].map(|text| self.language.parser.parse(text));
        (self.level + 1..=STEPS.len()).find_map(|level| {
            let merge = match STEPS.get(level) {
                Some(&steps) => by_node(&left, &trees, steps),
                None if self.language.spacing.between_tokens => by_word(&left, &trees),
                None => by_character(&left),
            };
            if merge.differences() == left.differences() {
                return None;
            }
            Some(Arc::new(Self { level, merge, ..self.clone() }) as Arc<dyn Circumstances>)
        })
    }
}
