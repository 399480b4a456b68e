//! Makes the parser of the grammar.

use std::path::Path;

use minirepro_grammar::generate;

fn main() {
    generate::parser(&generate::grammar_in(Path::new("src/grammar.json"), &[]), None);
}
