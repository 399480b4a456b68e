//! One text between two others: by its tree from the root down, then by characters.

use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::Language;

use crate::level::{Candidate, Circumstances, Level, Levels};
use crate::mixture::Mixture;
use crate::trees::{Depth, between, by_character};

/// How far trees are opened, level by level. Deep trees are opened faster and faster.
const DEPTHS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 40, 100, usize::MAX];

/// The grammar's view of a text and of two limits: candidates are no more broken than the worse of
/// the two texts at the ends.
#[derive(Clone, Debug)]
struct Gate {
    language: Arc<Language>,
    errors: u32,
}

impl Gate {
    fn new(language: Arc<Language>, passing: &[u8], failing: &[u8]) -> Self {
        let errors = [passing, failing].map(|text| language.parser.errors(text));
        Self { language, errors: errors[0].max(errors[1]) }
    }

    fn takes(&self, text: &[u8]) -> bool {
        self.language.parser.errors(text) <= self.errors
    }
}

/// The differences between two texts of one language.
#[derive(Clone, Debug)]
pub struct Text(Gate);

impl Text {
    /// What lies between these two.
    pub fn new(language: Arc<Language>, passing: &[u8], failing: &[u8]) -> Self {
        Self(Gate::new(language, passing, failing))
    }
}

impl Levels for Text {
    fn open(&self, level: usize, passing: &Arc<[u8]>, failing: &Arc<[u8]>) -> Option<Level> {
        let parser = &self.0.language.parser;
        let trees = |levels| {
            let (old, new) = (parser.parse(passing), parser.parse(failing));
            between(&old, &new, Depth { levels, common: false })
        };
        let (name, mixture) = match DEPTHS.get(level) {
            Some(&usize::MAX) => ("tokens", trees(usize::MAX)),
            Some(&levels) => ("nodes", trees(levels)),
            None if level == DEPTHS.len() => {
                ("characters", by_character(&trees(usize::MAX), passing, failing))
            }
            None => return None,
        };
        let differences = Differences { mixture, gate: self.0.clone() };
        Some(Level { name, circumstances: Arc::new(differences) })
    }
}

struct Differences {
    mixture: Mixture,
    gate: Gate,
}

impl Circumstances for Differences {
    fn weights(&self) -> Vec<u32> {
        let all = self.mixture.parts().iter().filter(|part| !part.common);
        all.map(|part| weight(part.old.len().max(part.new.len()))).collect()
    }

    fn candidate(&self, there: &Configuration) -> Option<Candidate> {
        let applied = |i| i < there.universe() && there.contains(i);
        let text = self.mixture.text(applied, |_| true);
        self.gate.takes(&text).then(|| Candidate::alone(text))
    }
}

/// What two texts have in common: their difference stays, everything around it can go, as long as
/// one of them still passes and the other one still fails (Zeller & Hildebrandt 2002, §5.1).
#[derive(Clone, Debug)]
pub struct Context(Gate);

impl Context {
    /// What is common to these two.
    pub fn new(language: Arc<Language>, passing: &[u8], failing: &[u8]) -> Self {
        Self(Gate::new(language, passing, failing))
    }
}

impl Levels for Context {
    fn open(&self, level: usize, passing: &Arc<[u8]>, failing: &Arc<[u8]>) -> Option<Level> {
        let &levels = DEPTHS.get(level)?;
        let parser = &self.0.language.parser;
        let (old, new) = (parser.parse(passing), parser.parse(failing));
        let mixture = between(&old, &new, Depth { levels, common: true });
        let name = if levels == usize::MAX { "common tokens" } else { "common nodes" };
        let common = Common { mixture, gate: self.0.clone() };
        Some(Level { name, circumstances: Arc::new(common) })
    }
}

struct Common {
    mixture: Mixture,
    gate: Gate,
}

impl Circumstances for Common {
    fn weights(&self) -> Vec<u32> {
        let all = self.mixture.parts().iter().filter(|part| part.common);
        all.map(|part| weight(part.new.len())).collect()
    }

    fn candidate(&self, there: &Configuration) -> Option<Candidate> {
        let kept = |i| there.contains(i);
        let text = self.mixture.text(|_| true, kept);
        let counterpart = self.mixture.text(|_| false, kept);
        let feasible =
            text != counterpart && self.gate.takes(&text) && self.gate.takes(&counterpart);
        feasible.then_some(Candidate { text, counterpart: Some(counterpart) })
    }
}

fn weight(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX).max(1)
}
