//! Leaves that touch in the source touch in a candidate, even where they would read as one token.

use std::sync::Arc;

use minirepro_syntax::{Edits, Flags, Kinds, NodeId, Spacing, TreeBuilder, render};

#[test]
fn chunks_of_one_word_are_not_torn_apart_by_an_edit_elsewhere() {
    let mut kinds = Kinds::default();
    let root = kinds.intern("root", true);
    let chunk = kinds.intern("chunk", true);
    let mut builder = TreeBuilder::new(Arc::from(&b"abcd ef"[..]), Arc::new(kinds));
    builder.open(root, 0..7, Flags::default());
    for span in [0..2, 2..4, 5..7] {
        builder.leaf(chunk, span, Flags::default(), 1);
    }
    builder.close();
    let tree = builder.finish();
    let spacing = Spacing { between_tokens: true, keep_words_apart: true, indentation: false };
    assert_eq!(*render(&tree, &Edits::drop(NodeId(3)), spacing).text, *b"abcd");
    assert_eq!(*render(&tree, &Edits::drop(NodeId(2)), spacing).text, *b"ab ef");
}
