//! A manifest that somebody is writing is refused with a reason, whatever it says.

use minirepro_languages::{ForeignGrammar, Info};
use minirepro_parsers::smtlib::{GRAMMAR, LANGUAGE};
use minirepro_syntax::Kinds;

/// Loads the grammar of SMT-LIB with the text as its manifest.
pub fn manifest(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let grammar = ForeignGrammar {
        parser: LANGUAGE.into(),
        grammar_json: GRAMMAR.to_owned(),
        head: Info { name: "smtlib".to_owned(), ..Info::default() },
        manifest: text.to_owned(),
        rules: Vec::new(),
    };
    let _ = grammar.language(&mut Kinds::default());
}
