//! From a grammar to a parser: what the build script of a crate with a grammar does.

use std::path::{Path, PathBuf};
use std::{env, fs};

use tree_sitter_generate::{OptLevel, PARSER_HEADER, generate_parser_for_grammar};

use crate::Grammar;

/// Generates the parser of a grammar and compiles it into the crate that is being built, with the
/// scanner for what no grammar can say, if there is one. The crate then has a function
/// `tree_sitter_NAME` in C.
///
/// # Panics
/// If the grammar is ambiguous or there is no compiler: a build script can do nothing about that.
pub fn parser(grammar: &Grammar, scanner: Option<&Path>) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("a build script has a directory"));
    let mut diagnostics = Vec::new();
    let generated =
        generate_parser_for_grammar(&grammar.to_json(), None, OptLevel::all(), &mut diagnostics);
    let (name, code) = generated.unwrap_or_else(|error| panic!("{}: {error}", grammar.name));
    // A crate may have several.
    let out = out.join(&name);
    let header = out.join("tree_sitter");
    fs::create_dir_all(&header).expect("the directory is ours");
    let parser = out.join("parser.c");
    fs::write(&parser, code).expect("the directory is ours");
    fs::write(header.join("parser.h"), PARSER_HEADER).expect("the directory is ours");
    let mut compiler = cc::Build::new();
    // The tables are read all the time, by tests too, and nobody looks for a fault in them.
    compiler.std("c11").opt_level(2).debug(false).warnings(false).include(&out).file(&parser);
    if let Some(scanner) = scanner {
        println!("cargo:rerun-if-changed={}", scanner.display());
        compiler.file(scanner);
    }
    compiler.compile(&format!("tree-sitter-{name}"));
}

/// Reads the grammar in a file, a `.json` or a text in the notation, and extends it by those in
/// others. The build script runs again when one of them changes.
///
/// # Panics
/// If a file is not there or malformed.
#[must_use]
pub fn grammar_in(file: &Path, extensions: &[&Path]) -> Grammar {
    let read = |file: &Path| {
        println!("cargo:rerun-if-changed={}", file.display());
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    let text = read(file);
    let mut grammar = if file.extension().is_some_and(|extension| extension == "json") {
        Grammar::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    } else {
        Grammar::read(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    for extension in extensions {
        if let Err(error) = grammar.extend(&read(extension)) {
            panic!("{}: {error}", extension.display());
        }
    }
    grammar
}
