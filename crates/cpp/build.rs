//! Makes the parsers of the grammars of tree-sitter-cpp and tree-sitter-c and of what is added to
//! them.

use std::path::Path;

use minirepro_grammar::generate;

fn main() {
    let grammars = [(cfg!(feature = "cpp"), "src"), (cfg!(feature = "c"), "src/c")];
    for (_, directory) in grammars.into_iter().filter(|&(is_wanted, _)| is_wanted) {
        let file = |name| Path::new(directory).join(name);
        let grammar = generate::grammar_in(&file("base.ebnf"), &[&file("extension.ebnf")]);
        generate::parser(&grammar, Some(&file("scanner.c")));
    }
    println!("cargo:rerun-if-changed=src/scanner.c");
}
