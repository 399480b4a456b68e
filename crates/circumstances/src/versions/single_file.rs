//! One text between two others: by its tree from the root down, then by tokens and
//! words; without a grammar by characters.

use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::Language;

use crate::circumstances::Circumstances;
use crate::versions::merge::Merge;
use crate::versions::trees::open;
use crate::versions::units::{by_character, by_word};

/// How many nodes further down each level looks than the one before. Deep trees are opened faster
/// and faster; after the last number everything is open.
const STEPS: [usize; 10] = [1, 1, 1, 1, 2, 2, 4, 8, 16, 64];

/// The differences between two texts of one language, on one level.
#[derive(Clone, Debug)]
pub struct Text {
    language: Arc<Language>,
    /// Candidates are no more broken than the worse of the two texts.
    errors: u32,
    level: Precision,
    merge: Merge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    Nodes(usize),
    Tokens,
    /// The words of comments and strings, and blank space; all tokens stay whole.
    Words,
    /// Of texts without a grammar.
    Characters,
}

impl Text {
    /// Returns what lies between these two: the children of the roots of their trees.
    pub fn new(language: Arc<Language>, passing: Arc<[u8]>, failing: Arc<[u8]>) -> Self {
        let errors = [&passing, &failing].map(|text| language.parser.errors(text));
        let merge = opened(&language, &Merge::whole(passing, failing), STEPS[0]);
        Self { language, errors: errors[0].max(errors[1]), level: Precision::Nodes(0), merge }
    }
}

fn opened(language: &Language, merge: &Merge, steps: usize) -> Merge {
    let (old, new) = (&merge.old, &merge.new);
    open(&language.parser.parse(old), &language.parser.parse(new), merge, steps)
}

impl Circumstances for Text {
    fn name(&self) -> &'static str {
        match self.level {
            Precision::Nodes(_) => "nodes",
            Precision::Tokens => "tokens",
            Precision::Words => "words",
            Precision::Characters => "characters",
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
        let mut level = self.level;
        loop {
            let merge = match level {
                Precision::Nodes(at) if at + 1 < STEPS.len() => {
                    level = Precision::Nodes(at + 1);
                    opened(&self.language, &left, STEPS[at + 1])
                }
                Precision::Nodes(_) => {
                    level = Precision::Tokens;
                    opened(&self.language, &left, usize::MAX)
                }
                Precision::Tokens if self.language.spacing.between_tokens => {
                    level = Precision::Words;
                    let (old, new) = (&left.old, &left.new);
                    let parser = &self.language.parser;
                    by_word(&parser.parse(old), &parser.parse(new), &left)
                }
                Precision::Tokens => {
                    level = Precision::Characters;
                    by_character(&left)
                }
                Precision::Words | Precision::Characters => return None,
            };
            if merge.differences() != left.differences() {
                return Some(Arc::new(Self { level, merge, ..self.clone() }));
            }
        }
    }
}
