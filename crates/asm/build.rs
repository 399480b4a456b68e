//! Compiles the parser, as the crates of all grammars do.

fn main() {
    let parser = "src/parser.c";
    println!("cargo:rerun-if-changed={parser}");
    cc::Build::new()
        .std("c11")
        .include("src")
        .warnings(false)
        .file(parser)
        .compile("tree-sitter-asm");
}
