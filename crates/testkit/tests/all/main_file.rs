//! The file after all headers of a preprocessed text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashSet;

use minirepro_passes::{Gate, PassContext, Proposal, own};
use minirepro_syntax::{Language, NodeId, Tree};

/// Returns a preprocessed text with a large header.
fn text(main_file: &str) -> String {
    let statements = "z = 1;".repeat(2_600);
    format!(
        "# 1 \"a.cc\"\n# 1 \"header.h\" 1\nint z;\nvoid padding() {{ {statements} }}\n# 2 \"a.cc\" 2\n{main_file}"
    )
}

fn proposed(language: &Language, tree: &Tree) -> Option<Proposal> {
    let nothing = HashSet::new();
    let context = PassContext::new(tree, language, Gate::Facts, &nothing);
    let pass = own().find(|pass| pass.name == "reduce-main-file").unwrap();
    pass.propose(&context)
}

#[test]
fn only_what_stands_behind_the_last_header_is_changed() {
    let language = minirepro_languages::by_name("cpp").unwrap();
    let text = text("struct s { int a; };\nint main() { s b; padding(); return b.a; }\n");
    let tree = language.parser.parse(text.as_bytes());
    let proposal = proposed(&language, &tree).unwrap();
    let nodes = || proposal.items.iter().flat_map(|item| item.edits.iter().map(|(id, _)| id));
    let own: Vec<&[u8]> = nodes().map(|id: NodeId| tree.text_of(id)).collect();
    assert!(own.iter().any(|text| text.starts_with(b"int main")), "{own:?}");
    assert!(own.iter().any(|text| text.starts_with(b"struct s")), "{own:?}");
    assert!(!own.iter().any(|text| text.starts_with(b"void padding")));
}

#[test]
fn what_is_large_beside_its_headers_is_left_to_others() {
    let language = minirepro_languages::by_name("cpp").unwrap();
    let large = format!("int main() {{ {} }}\n", "z = 2;".repeat(500));
    let tree = language.parser.parse(text(&large).as_bytes());
    assert!(proposed(&language, &tree).is_none());
    let none = text("").replace("# 1 \"header.h\" 1\n", "").replace("# 2 \"a.cc\" 2\n", "");
    assert!(proposed(&language, &language.parser.parse(none.as_bytes())).is_none());
}
