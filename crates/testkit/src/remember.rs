//! Oracles and parsers that answer equal questions only once, since tests run the same reduction
//! several times.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use minirepro_engine::Outcome;
use minirepro_syntax::{
    Copied, Encoded, Language, NodeId, Parse, ParseErrors, Rendered, TokenHash, Tree,
};

/// Returns the same oracle, asked only once about each candidate.
pub fn remember_answers(oracle: impl Fn(&[u8]) -> Outcome) -> impl Fn(&[u8]) -> Outcome {
    let answers = RefCell::new(HashMap::new());
    move |candidate| {
        *answers.borrow_mut().entry(candidate.to_vec()).or_insert_with(|| oracle(candidate))
    }
}

/// Returns the same language, whose parser looks at each text only once.
pub fn remember_parses(language: Language) -> Language {
    let parser = language.parser;
    Language {
        parser: Box::new(Remembering {
            parser,
            trees: Mutex::default(),
            errors: Mutex::default(),
            complaints: Mutex::default(),
        }),
        ..language
    }
}

type Memory<T> = Mutex<HashMap<Vec<u8>, T>>;

struct Remembering {
    parser: Box<dyn Parse>,
    trees: Memory<Tree>,
    errors: Memory<u32>,
    complaints: Memory<Option<ParseErrors>>,
}

fn once<T: Clone>(memory: &Memory<T>, text: &[u8], find: impl FnOnce() -> T) -> T {
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    memory.entry(text.to_vec()).or_insert_with(find).clone()
}

impl Parse for Remembering {
    fn parse(&self, text: &[u8]) -> Tree {
        once(&self.trees, text, || self.parser.parse(text))
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        self.parser.tokens(text)
    }

    fn errors(&self, text: &[u8]) -> u32 {
        once(&self.errors, text, || self.parser.errors(text))
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        self.parser.errors_after(base, candidate)
    }

    fn encoded(&self, tree: &Tree, leaf: NodeId) -> Option<Encoded> {
        self.parser.encoded(tree, leaf)
    }

    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        once(&self.complaints, text, || self.parser.parse_errors(text))
    }

    fn corrected(
        &self,
        base: &Tree,
        candidate: &[u8],
        copied: &[Copied],
    ) -> Option<(Vec<u8>, TokenHash)> {
        self.parser.corrected(base, candidate, copied)
    }

    fn edit_is_faithful(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        self.parser.edit_is_faithful(before, after, copied)
    }

    fn reading(&self, text: &[u8]) -> Option<String> {
        self.parser.reading(text)
    }

    fn is_too_much(&self, text: &[u8]) -> bool {
        self.parser.is_too_much(text)
    }

    fn canonical_form(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.parser.canonical_form(text)
    }

    fn file_of<'t>(&self, text: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        self.parser.file_of(text)
    }

    fn is_strict(&self) -> bool {
        self.parser.is_strict()
    }

    fn sound_form(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.parser.sound_form(text)
    }
}
