//! Oracles and parsers that answer equal questions only once, since tests run the same reduction
//! several times.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use minirepro_engine::Outcome;
use minirepro_syntax::{Language, Parse, ParseErrors, Reader, Rendered, Tree};

/// Returns the same oracle, asked only once about each candidate.
pub fn remember_answers(oracle: impl Fn(&[u8]) -> Outcome) -> impl Fn(&[u8]) -> Outcome {
    let answers = RefCell::new(HashMap::new());
    move |candidate| {
        *answers.borrow_mut().entry(candidate.to_vec()).or_insert_with(|| oracle(candidate))
    }
}

/// Returns the same language, whose parser looks at each text only once.
pub fn remember_parses(language: Language) -> Language {
    let Language { parser, reader, .. } = language;
    let both = Arc::new(Remembering {
        parser,
        reader,
        trees: Mutex::default(),
        errors: Mutex::default(),
        complaints: Mutex::default(),
    });
    Language { parser: both.clone(), reader: both, ..language }
}

type Memory<T> = Mutex<HashMap<Vec<u8>, T>>;

struct Remembering {
    parser: Arc<dyn Parse>,
    reader: Arc<dyn Reader>,
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

    fn errors(&self, text: &[u8]) -> u32 {
        once(&self.errors, text, || self.parser.errors(text))
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        self.parser.errors_after(base, candidate)
    }
}

impl Reader for Remembering {
    fn inner(&self) -> Option<&dyn Reader> {
        Some(&*self.reader)
    }

    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        once(&self.complaints, text, || self.reader.parse_errors(text))
    }
}
