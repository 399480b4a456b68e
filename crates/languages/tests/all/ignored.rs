//! Text that a grammar does not know breaks nothing around it, and its parts can go one by one.

use minirepro_languages::by_name;
use minirepro_syntax::{NodeId, Tree};

fn parsed(text: &str) -> Tree {
    let language = by_name("cpp").expect("a language");
    let tree = language.parser.parse(text.as_bytes());
    assert_eq!(tree.errors(), 0, "{text}");
    tree
}

fn texts_below_root(tree: &Tree) -> Vec<String> {
    let text = |id| String::from_utf8_lossy(tree.text_of(id)).into_owned();
    tree.children(NodeId::ROOT).map(text).collect()
}

#[test]
fn declarations_that_the_grammar_does_not_know_are_leaves_of_their_own() {
    let tree = parsed("module;import <a>;\nexport module b.c:d;\nimport e; export int f();");
    assert_eq!(
        texts_below_root(&tree),
        ["module;", "import <a>;", "export module b.c:d;", "import e;", "export", "int f();"]
    );
}

#[test]
fn what_is_exported_in_braces_is_a_block() {
    let tree = parsed("export { int a; namespace b { } template <class T> void c(); }\nint d;");
    let below = texts_below_root(&tree);
    assert_eq!(below[0], "export");
    assert_eq!(below[2], "int d;");
}
