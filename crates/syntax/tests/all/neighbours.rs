//! Leaves that touch in the source touch in a candidate, even where they would read as one token.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Edits, Flags, Kinds, NodeId, Spacing, TreeBuilder, render};

/// Returns a text without some of its leaves.
fn without(text: &[u8], leaves: &[Range<usize>], gone: &[u32]) -> String {
    let mut kinds = Kinds::default();
    let root = kinds.intern("root", true);
    let chunk = kinds.intern("chunk", true);
    let mut builder = TreeBuilder::new(Arc::from(text), Arc::new(kinds));
    builder.open(root, 0..text.len(), Flags::default());
    for span in leaves {
        builder.leaf(chunk, span.clone(), Flags::default(), 1);
    }
    builder.close();
    let tree = builder.finish();
    let spacing = Spacing { between_tokens: true, keep_words_apart: true, indentation: false };
    let edits = Edits::drop_all(gone.iter().map(|&leaf| NodeId(leaf)));
    String::from_utf8_lossy(&render(&tree, &edits, spacing).text).into_owned()
}

#[test]
fn chunks_of_one_word_are_not_torn_apart_by_an_edit_elsewhere() {
    let without = |gone| without(b"abcd ef", &[0..2, 2..4, 5..7], &[gone]);
    assert_eq!([without(3), without(2)], ["abcd", "ab ef"]);
}

#[test]
fn the_sign_of_a_name_stays_beside_it() {
    let leaves = [0..1, 2..3, 3..4, 4..5, 5..6];
    assert_eq!(without(b"x $(a)", &leaves, &[3, 5]), "x $a");
    // It is the end of another name here.
    assert_eq!(without(b"x$(a)", &[0..2, 2..3, 3..4, 4..5], &[2, 4]), "x$ a");
}
