//! Makes the parsers of the grammars of tree-sitter-cpp and tree-sitter-c and of what is added to
//! them.

use std::env;
use std::path::Path;

use minirepro_grammar::generate;

fn main() {
    for (feature, directory) in [("CARGO_FEATURE_CPP", "src"), ("CARGO_FEATURE_C", "src/c")] {
        if env::var_os(feature).is_none() {
            continue;
        }
        let file = |name| Path::new(directory).join(name);
        let grammar = generate::grammar_in(&file("base.ebnf"), &[&file("extension.ebnf")]);
        generate::parser(&grammar, Some(&file("scanner.c")));
    }
    println!("cargo:rerun-if-changed=src/scanner.c");
}
