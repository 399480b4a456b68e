//! The files that a text names: what a test needs beside the candidate is found by them.

use minirepro_circumstances::named_files;
use minirepro_languages::by_name;

#[track_caller]
fn check(language: &str, text: &str, expected: &[&str]) {
    let language = by_name(language).expect("the language is known");
    let named = named_files(&language, text.as_bytes());
    let named: Vec<_> = named.iter().map(|path| String::from_utf8_lossy(path)).collect();
    assert_eq!(named, expected, "{text}");
}

#[test]
fn files_are_named_where_the_language_names_them() {
    check(
        "c",
        "#include \"a/b.h\"\n#include <stdio.h>\n#include \"a/b.h\"\n",
        &["a/b.h", "stdio.h"],
    );
    check(
        "javascript",
        "import { x } from './util.js'; require(\"../y\");",
        &["./util.js", "../y"],
    );
    check("html", "<link href=style.css?v=2><img src='i.png#x'>", &["style.css", "i.png"]);
    check("css", "@import \"theme.css\";", &["theme.css"]);
}

#[test]
fn without_a_grammar_lines_that_include_name_them() {
    check("text", "#include \"a.h\"\nx = \"b.h\"\nimport util\n", &["a.h", "import", "util"]);
}
