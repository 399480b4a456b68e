//! Rendering of random trees with random drops, and the laws of edits.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{
    Change, Edits, Flags, Kinds, NodeId, Spacing, TokenHash, Tree, TreeBuilder, render,
};
use proptest::prelude::*;

const SPACING: Spacing =
    Spacing { between_tokens: true, keep_words_apart: true, indentation: false };

/// Words with blank space before each, as deep as the numbers say.
fn tree(leaves: &[(String, String, u8)]) -> Tree {
    let text: String = leaves.iter().map(|(blank, token, _)| format!("{blank}{token}")).collect();
    // Inner nodes as (first leaf, leaf after the last), each inside of the one before it.
    let mut groups: Vec<(usize, usize)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (number, (_, _, depth)) in leaves.iter().enumerate() {
        for _ in 0..depth % 3 {
            open.push(groups.len());
            groups.push((number, leaves.len()));
        }
        if depth / 3 > 0
            && let Some(group) = open.pop()
        {
            groups[group].1 = number + 1;
        }
    }
    let mut spans = Vec::new();
    for (blank, token, _) in leaves {
        let start = spans.last().map_or(0, |span: &Range<usize>| span.end) + blank.len();
        spans.push(start..start + token.len());
    }
    let mut kinds = Kinds::default();
    let inner = kinds.intern("inner", true);
    let leaf = kinds.intern("leaf", true);
    let mut builder = TreeBuilder::new(Arc::from(text.as_bytes()), Arc::new(kinds));
    builder.open(inner, 0..text.len(), Flags::default());
    for (number, span) in spans.iter().enumerate() {
        for &(from, to) in groups.iter().filter(|group| group.0 == number) {
            builder.open(inner, spans[from].start..spans[to - 1].end, Flags::default());
        }
        builder.leaf(leaf, span.clone(), Flags::default(), 1);
        groups.iter().filter(|group| group.1 == number + 1).for_each(|_| builder.close());
    }
    builder.close();
    builder.finish()
}

fn leaves() -> impl Strategy<Value = Vec<(String, String, u8)>> {
    let words = ("[ \n]{1,2}", "[a-z][a-z0-9]{0,2}", 0u8..6);
    prop::collection::vec(words, 0..12)
}

fn is_gone(tree: &Tree, edits: &Edits, id: NodeId) -> bool {
    std::iter::once(id).chain(tree.ancestors(id)).any(|a| edits.get(a).is_some())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn drops_leave_the_other_words_apart_and_in_order(leaves in leaves(), gone in any::<u64>()) {
        let tree = tree(&leaves);
        prop_assert_eq!(&render(&tree, &Edits::none(), SPACING).text[..], &tree.text()[..]);

        let edits = Edits::drop_all(tree.ids().filter(|id| gone & 1 << (id.0 % 64) != 0));
        let rendered = render(&tree, &edits, SPACING);
        let kept: Vec<&[u8]> = tree
            .ids()
            .filter(|&id| tree.is_leaf(id) && !is_gone(&tree, &edits, id))
            .map(|id| tree.text_of(id))
            .filter(|text| !text.is_empty())
            .collect();
        let words: Vec<&[u8]> = rendered
            .text
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .collect();
        prop_assert_eq!(&words, &kept);
        prop_assert_eq!(rendered.tokens, kept.len() as u64);
        let hash = kept.iter().fold(TokenHash::EMPTY, |h, t| h.then(TokenHash::token(t)));
        prop_assert_eq!(rendered.hash, hash);
        prop_assert!(rendered.text.len() <= tree.text().len() + 1);
    }

    #[test]
    fn edits_that_can_be_merged_can_be_merged_in_any_order(
        a in prop::collection::vec((0u32..6, 0usize..7), 0..5),
        b in prop::collection::vec((0u32..6, 0usize..7), 0..5),
    ) {
        let edits = |all: &[(u32, usize)]| {
            let mut edits = Edits::none();
            let fits = all.iter().all(|&(id, what)| {
                let changes = [
                    Change::drop(),
                    Change::replace_with("x", None),
                    Change::cut(9, 1..3),
                    Change::cut(9, 2..5),
                    Change::cut(9, 4..9),
                    Change::replace(9, 6..9, b"x"),
                    Change::replace(9, 0..1, b"x"),
                ];
                edits.add(NodeId(id), changes[what].clone())
            });
            fits.then_some(edits)
        };
        if let (Some(a), Some(b)) = (edits(&a), edits(&b)) {
            let (mut ab, mut ba) = (a.clone(), b.clone());
            let fits = ab.merge(&b);
            prop_assert_eq!(fits, ba.merge(&a));
            if fits {
                prop_assert_eq!(ab, ba);
            }
        }
    }

    #[test]
    fn cuts_of_one_leaf_leave_what_no_cut_takes(
        length in 1usize..20,
        cuts in prop::collection::vec((0usize..20, 0usize..20), 1..5),
    ) {
        let text: Vec<u8> = (b'a'..).take(length).collect();
        let leaf = [(String::new(), String::from_utf8(text.clone()).unwrap(), 0)];
        let tree = tree(&leaf);
        let mut edits = Edits::none();
        let mut left = text;
        for (from, to) in cuts {
            let (from, to) = (from.min(to).min(length), from.max(to).min(length));
            prop_assert!(edits.add(NodeId(1), Change::cut(length, from..to)));
            left.retain(|&b| !(from..to).contains(&usize::from(b - b'a')));
        }
        prop_assert_eq!(&*render(&tree, &edits, SPACING).text, &*left);
    }
    #[test]
    fn texts_in_the_place_of_parts_of_a_leaf_stand_beside_cuts_of_it(
        words in prop::collection::vec(("[a-z]{1,5}", prop::option::of("[A-Z]{0,3}")), 2..6),
    ) {
        let text: String = words.iter().map(|(old, _)| format!("{old}-")).collect();
        let tree = tree(&[(String::new(), text.clone(), 0)]);
        let mut edits = Edits::none();
        let mut at = 0;
        for (old, new) in &words {
            if let Some(new) = new {
                let change = Change::replace(text.len(), at..at + old.len(), new.as_bytes());
                prop_assert!(edits.add(NodeId(1), change));
            }
            at += old.len() + 1;
        }
        let expected: String =
            words.iter().map(|(old, new)| format!("{}-", new.as_ref().unwrap_or(old))).collect();
        prop_assert_eq!(&*render(&tree, &edits, SPACING).text, expected.as_bytes());
    }
}

#[test]
fn what_is_put_in_another_place_is_indented_anew() {
    let text = "a\n  b\n    c\n      'x\n  y'\n    d\ne";
    let at = |part: &str| {
        let start = text.find(part).unwrap_or_else(|| panic!("{part}"));
        start..start + part.len()
    };
    let mut kinds = Kinds::default();
    let inner = kinds.intern("inner", true);
    let leaf = kinds.intern("leaf", true);
    let mut builder = TreeBuilder::new(Arc::from(text.as_bytes()), Arc::new(kinds));
    let flags = Flags::default();
    builder.open(inner, 0..text.len(), flags);
    builder.leaf(leaf, at("a"), flags, 1);
    builder.open(inner, at("b").start..at("d").end, flags);
    builder.leaf(leaf, at("b"), flags, 1);
    builder.open(inner, at("c").start..at("d").end, flags);
    ["c", "'x\n  y'", "d"].into_iter().for_each(|part| builder.leaf(leaf, at(part), flags, 1));
    builder.close();
    builder.close();
    builder.leaf(leaf, at("e"), flags, 1);
    builder.close();
    let tree = builder.finish();
    let hoisted = Edits::one(NodeId(2), Change::hoist(NodeId(4)));
    let dropped = Edits::drop(NodeId(5));
    let check = |edits: &Edits, indentation: bool, expected: &str| {
        let rendered = render(&tree, edits, Spacing { indentation, ..SPACING });
        assert_eq!(String::from_utf8_lossy(&rendered.text), expected);
    };
    // Inside of the quoted text nothing changes.
    check(&hoisted, true, "a\n  c\n    'x\n  y'\n  d\ne");
    check(&hoisted, false, "a\nc\n      'x\n  y'\n    d\ne");
    check(&dropped, true, "a\n  b\n      'x\n  y'\n    d\ne");
}
