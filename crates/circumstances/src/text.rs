//! One text between two others: by its tree from the root down, then by characters.

use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::Language;

use crate::level::Circumstances;
use crate::mixture::Mixture;
use crate::trees::{by_character, open};

/// How many nodes further down each level looks than the one before. Deep trees are opened faster
/// and faster; behind the last number everything is open.
const STEPS: [usize; 10] = [1, 1, 1, 1, 2, 2, 4, 8, 16, 64];

/// The differences between two texts of one language, on one level.
#[derive(Clone, Debug)]
pub struct Text {
    language: Arc<Language>,
    /// Candidates are no more broken than the worse of the two texts.
    errors: u32,
    level: Level,
    mixture: Mixture,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Nodes(usize),
    Tokens,
    Characters,
}

impl Text {
    /// What lies between these two: the children of the roots of their trees.
    pub fn new(language: Arc<Language>, passing: Arc<[u8]>, failing: Arc<[u8]>) -> Self {
        let errors = [&passing, &failing].map(|text| language.parser.errors(text));
        let mixture = opened(&language, &Mixture::whole(passing, failing), STEPS[0]);
        Self { language, errors: errors[0].max(errors[1]), level: Level::Nodes(0), mixture }
    }
}

fn opened(language: &Language, mixture: &Mixture, steps: usize) -> Mixture {
    let (old, new) = mixture.ends();
    open(&language.parser.parse(old), &language.parser.parse(new), mixture, steps)
}

impl Circumstances for Text {
    fn name(&self) -> &'static str {
        match self.level {
            Level::Nodes(_) => "nodes",
            Level::Tokens => "tokens",
            Level::Characters => "characters",
        }
    }

    fn weights(&self) -> Vec<u32> {
        self.mixture.weights()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        let text = self.mixture.text(there);
        (self.language.parser.errors(&text) <= self.errors).then_some(text)
    }

    fn finer(
        &self,
        passing: &Configuration,
        failing: &Configuration,
    ) -> Option<Arc<dyn Circumstances>> {
        let left = self.mixture.between(passing, failing);
        let mut level = self.level;
        loop {
            let mixture = match level {
                Level::Nodes(at) if at + 1 < STEPS.len() => {
                    level = Level::Nodes(at + 1);
                    opened(&self.language, &left, STEPS[at + 1])
                }
                Level::Nodes(_) => {
                    level = Level::Tokens;
                    opened(&self.language, &left, usize::MAX)
                }
                Level::Tokens => {
                    level = Level::Characters;
                    by_character(&left)
                }
                Level::Characters => return None,
            };
            if mixture.differences() != left.differences() {
                return Some(Arc::new(Self { level, mixture, ..self.clone() }));
            }
        }
    }
}
