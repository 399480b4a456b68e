//! What only some compilers know, or a module exports, breaks nothing around it, and can go by
//! itself.

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
fn declarations_of_modules_are_items() {
    let tree = parsed("module;import <a>;\nexport module b.c:d;\nimport e; export int f();");
    assert_eq!(
        texts_below_root(&tree),
        ["module;", "import <a>;", "export module b.c:d;", "import e;", "export int f();"]
    );
}

#[test]
fn what_is_exported_in_braces_is_a_list() {
    let tree = parsed("export { int a; namespace b { } template <class T> void c(); }\nint d;");
    assert_eq!(texts_below_root(&tree)[1], "int d;");
    let exported = tree.children(NodeId::ROOT).next().expect("a declaration");
    let parts: Vec<_> = tree.children(exported).map(|id| tree.kind_name(id)).collect();
    assert_eq!(parts, ["export", "declaration_list"]);
}
