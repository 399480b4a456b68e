//! From a grammar to a parser: runs while the crate is built.

mod notation;
mod pinned;

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;
use tree_sitter_generate::{OptLevel, PARSER_HEADER, generate_parser_for_grammar};

/// Makes the parsers of all features.
///
/// # Panics
/// If a grammar is ambiguous or not found, or there is no compiler: a build script can do nothing
/// about that.
pub(crate) fn parsers() {
    let own = Path::new("src");
    for (is_wanted, name, package) in [
        (cfg!(feature = "c"), "c", Some("tree-sitter-c")),
        (cfg!(feature = "cpp"), "cpp", Some("tree-sitter-cpp")),
        (cfg!(feature = "smtlib"), "smtlib", None),
        (cfg!(feature = "wat"), "wat", None),
    ] {
        if !is_wanted {
            continue;
        }
        let mut grammar = package.map_or_else(notation::empty, pinned_grammar);
        let file = own.join(name).join(package.map_or("grammar.ebnf", |_| "extension.ebnf"));
        notation::extend(&mut grammar, &read(&file))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        parser(name, &grammar, package.is_some());
    }
}

/// Returns the grammar of a pinned package.
fn pinned_grammar(package: &str) -> Value {
    let file = pinned::directory(package).join("src/grammar.json");
    println!("cargo:rerun-if-changed={}", file.display());
    serde_json::from_str(&read(&file)).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Generates a parser and compiles it into the crate that is being built, with the scanner for what
/// no grammar can say, if it has one. The crate then has a function `tree_sitter_NAME` in C.
fn parser(directory: &str, grammar: &Value, has_scanner: bool) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("a build script has a directory"));
    // Each has its own: all have a `parser.c`.
    let out = out.join(directory);
    let grammar = serde_json::to_string(grammar).expect("a grammar is plain data");
    let generated = generate_parser_for_grammar(&grammar, None, OptLevel::all(), &mut Vec::new());
    let (name, code) = generated.unwrap_or_else(|error| panic!("{directory}: {error}"));
    let write = |file: PathBuf, text: &str| {
        fs::create_dir_all(file.parent().unwrap_or(&out))
            .and_then(|()| fs::write(&file, text))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    };
    write(out.join("grammar.json"), &grammar);
    write(out.join("parser.c"), &code);
    write(out.join("tree_sitter/parser.h"), PARSER_HEADER);
    let mut compiler = cc::Build::new();
    // The tables are read all the time, by tests too, and nobody looks for a fault in them.
    compiler.std("c11").opt_level(2).debug(false).warnings(false).include(&out);
    compiler.file(out.join("parser.c"));
    if has_scanner {
        compiler.file(format!("src/{directory}/scanner.c"));
    }
    compiler.compile(&format!("tree-sitter-{name}"));
}
