//! The text that a reducer goes on from, and the rules by which another one may take its place.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use minirepro_passes::{Attribute, Gate, Pass, PassContext, TextFacts};
use minirepro_syntax::{Language, NodeId, ParseErrors, Rendered, TextWithSize, Tree};

use crate::reduce::sizes::SHORT;

/// The current text and its tree.
#[derive(Debug)]
pub(crate) struct Current {
    pub tree: Tree,
    pub tokens: u64,
    pub text: Arc<[u8]>,
    /// How many syntax errors a candidate may have: as many as the input, or fewer.
    pub errors: u32,
    /// The faults that readers found in the input, where they refuse no text.
    pub parse_errors: Option<ParseErrors>,
    /// Those that they find in this text.
    own_errors: OnceLock<Option<ParseErrors>>,
    /// What passes have found out about the tree.
    facts: Arc<TextFacts>,
}

/// Returns what decides whether a candidate is smaller than another one.
pub(crate) fn with_size(candidate: &Rendered) -> TextWithSize<'_> {
    TextWithSize { tokens: candidate.tokens, text: &candidate.text }
}

impl Current {
    /// Begins with the tree of an input.
    pub(crate) fn new(language: &Language, tree: Tree) -> Self {
        let parse_errors = language.reader.parse_errors(tree.text());
        Self { parse_errors, ..Self::of(tree) }
    }

    fn of(tree: Tree) -> Self {
        Self {
            tokens: tree.tokens(NodeId::ROOT).into(),
            errors: tree.errors(),
            parse_errors: None,
            text: Arc::clone(tree.text()),
            tree,
            own_errors: OnceLock::new(),
            facts: Arc::default(),
        }
    }

    /// Returns what passes that are checked by this gate may depend on.
    pub(crate) fn context<'a>(
        &'a self,
        language: &'a Language,
        gate: Gate,
        refused: &'a HashSet<u64>,
    ) -> PassContext<'a> {
        PassContext::new(&self.tree, language, gate, refused).sharing(&self.facts)
    }

    /// Returns the text of a tree that takes the place of this one, and is held to its limits.
    pub(crate) fn followed_by(&self, tree: Tree) -> Self {
        let next = Self::of(tree);
        // Where a text may be broken, passes that keep to the grammar go on from what there is.
        let errors = match &self.parse_errors {
            Some(_) => next.errors,
            None => next.errors.min(self.errors),
        };
        Self { errors, parse_errors: self.parse_errors.clone(), ..next }
    }

    /// Returns whether the candidate comes before this text in the order of acceptance.
    pub(crate) fn is_beaten_by(&self, language: &Language, candidate: &Rendered) -> bool {
        let current = TextWithSize { tokens: self.tokens, text: &self.text };
        language.is_smaller(with_size(candidate), current)
    }

    /// Returns whether the candidate also has fewer tokens or fewer bytes: to reach a text that is
    /// merely another one of the same size, no way through larger ones is worth while, and it reads
    /// no better.
    pub(crate) fn is_clearly_beaten_by(&self, language: &Language, candidate: &Rendered) -> bool {
        let is_as_large =
            self.tokens == candidate.tokens && self.text.len() == candidate.text.len();
        !is_as_large && self.is_beaten_by(language, candidate)
    }

    /// Returns whether a candidate is no more broken than the input, and read as its edits meant
    /// it; `tree` if it is read already.
    ///
    /// Where readers refuse no text, passes that leave the grammar must not cause faults that
    /// neither the input had nor the current text, which passes that keep to the grammar have made
    /// of it. They must not break an injected text either, even if the input has a broken one:
    /// nothing of it could be read any more.
    pub(crate) fn reads_well(
        &self,
        language: &Language,
        pass: &Pass,
        candidate: &Rendered,
        tree: Option<&Tree>,
    ) -> bool {
        if pass.is(Attribute::BreaksSyntax) && self.text.len() <= SHORT {
            return true;
        }
        let gate = pass.gate;
        let reader = &language.reader;
        let is_faithful =
            || reader.edit_is_faithful(&self.text, &candidate.text, &candidate.copied);
        match &self.parse_errors {
            Some(of_input) if gate == Gate::Reparse => {
                let own = || reader.parse_errors(&self.text);
                let own = self.own_errors.get_or_init(own).as_ref();
                reader.parse_errors(&candidate.text).is_some_and(|found| {
                    own.is_some_and(|own| found.breaks_at_most_as(own))
                        && own
                            .into_iter()
                            .chain([of_input])
                            .any(|of| found.complains_at_most_as(of))
                })
            }
            _ => {
                let read = || language.parser.errors_after(&self.tree, candidate);
                tree.map_or_else(read, Tree::errors) <= self.errors
                    && (gate == Gate::Reparse || is_faithful())
            }
        }
    }
}
