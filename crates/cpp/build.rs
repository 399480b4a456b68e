//! Makes the parser of the grammar of tree-sitter-cpp and of what is added to it.

use std::path::Path;

use minirepro_grammar::generate;

fn main() {
    let grammar =
        generate::grammar_in(Path::new("src/base.ebnf"), &[Path::new("src/extension.ebnf")]);
    generate::parser(&grammar, Some(Path::new("src/scanner.c")));
}
