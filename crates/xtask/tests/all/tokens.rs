//! The measure of size, in each language with a grammar: what the tree says, a count that knows
//! nothing of how ours is made, and another reading of each text with a part less.

use minirepro_syntax::{Edits, Language, NodeId, Tree, rendered};

use crate::grammars::{compiled, constructs};

/// Returns whether a leaf can only be one token: letters, digits and quotation marks, and no blank
/// between them.
fn is_one_word(text: &[u8]) -> bool {
    let is_of_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\'' | b'"');
    text.iter().all(is_of_word) && text.iter().any(u8::is_ascii_alphanumeric)
}

fn leaves(tree: &Tree) -> impl Iterator<Item = NodeId> {
    tree.ids().filter(|&id| tree.is_leaf(id) && !tree.span(id).is_empty())
}

#[test]
fn a_word_is_one_token_and_the_whole_has_those_of_its_leaves() {
    for (language, tree) in all() {
        let name = &language.name;
        let mut words = 0;
        for leaf in leaves(&tree).filter(|&leaf| is_one_word(tree.text_of(leaf))) {
            let shown = String::from_utf8_lossy(tree.text_of(leaf));
            let is_comment = tree.tokens(leaf) == 0 && tree.flags(leaf).extra;
            assert!(tree.tokens(leaf) == 1 || is_comment, "{name}: {shown} {}", tree.tokens(leaf));
            words += 1;
        }
        let sum: u64 = leaves(&tree).map(|leaf| u64::from(tree.tokens(leaf))).sum();
        assert_eq!(sum, u64::from(tree.tokens(NodeId::ROOT)), "{name}");
        assert!(words > 0, "{name} has no words");
    }
}

#[test]
fn a_text_without_a_part_of_it_counts_no_more() {
    for (language, tree) in all() {
        let total = u64::from(tree.tokens(NodeId::ROOT));
        let (mut read, mut alike, mut more) = (0, 0, 0);
        // Some parts of the largest texts are enough.
        let apart = 1 + tree.len() / 120;
        for id in tree.ids().skip(1).filter(|&id| tree.tokens(id) > 0).step_by(apart) {
            let candidate = rendered(&tree, &language, &Edits::drop(id));
            let show = || {
                let [part, text] = [tree.text_of(id), &candidate.text].map(String::from_utf8_lossy);
                format!("{} without {part:?}:\n{text}", language.name)
            };
            assert_eq!(candidate.tokens, total - u64::from(tree.tokens(id)), "{}", show());
            let after = language.parser.parse(&candidate.text);
            if after.errors() > tree.errors() {
                continue;
            }
            let tokens = u64::from(after.tokens(NodeId::ROOT));
            more += u64::from(tokens > total);
            read += 1;
            alike += u64::from(tokens == candidate.tokens);
        }
        // C++ has names that become less-than signs.
        assert!(more * 500 <= read, "{}: {more} of {read} count more", language.name);
        // Words without the blank between them, or a sign that begins a comment, are read
        // otherwise.
        assert!(alike * 100 >= read * 97, "{}: {alike} of {read}", language.name);
    }
}

fn all() -> impl Iterator<Item = (Language, Tree)> {
    compiled().into_iter().map(|name| {
        let language = minirepro_languages::by_name(&name).expect("a listed language");
        let tree = language.parser.parse(constructs(&name).as_bytes());
        (language, tree)
    })
}
