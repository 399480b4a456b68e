//! Takes both texts of a merge apart into nodes, lines, words or characters, and cuts what differs
//! then.

use std::ops::Range;

use minirepro_syntax::{Kind, NodeId, TokenHash, Tree};

use crate::merge::{Merge, Unit};

/// Opens the differences of a merge, whose ends have these trees, from the root down: the nodes in
/// them are replaced by their children, `steps` times. Nodes with equal tokens and kinds are
/// common; others of one kind that stand side by side stand for each other, as tokens do; all else
/// was added or taken away.
///
/// Near linear in the nodes that are opened; no recursion on depth.
pub(crate) fn by_node(merge: &Merge, [old, new]: &[Tree; 2], steps: usize) -> Merge {
    let mut merge = merge.clone();
    for _ in 0..steps {
        let (mut old_at, mut new_at) = (NodeId::ROOT, NodeId::ROOT);
        let next = merge.opened(false, |part| {
            (!part.common).then_some(())?;
            let olds = uppermost(old, &part.old, &mut old_at);
            let news = uppermost(new, &part.new, &mut new_at);
            let are_alone = olds.len() < 2 && news.len() < 2;
            let units = |tree, span: &Range<usize>, nodes: Vec<NodeId>| match are_alone {
                true => {
                    let inner = nodes.into_iter().flat_map(|node| inner(tree, node));
                    nodes_as_units(tree, span.start, inner)
                }
                false => nodes_as_units(tree, span.start, nodes),
            };
            Some([units(old, &part.old, olds), units(new, &part.new, news)])
        });
        if next.parts == merge.parts {
            break;
        }
        merge = next;
    }
    merge
}

/// Returns nodes of a tree as the units of a part that begins there.
pub(crate) fn nodes_as_units(
    tree: &Tree,
    start: usize,
    nodes: impl IntoIterator<Item = NodeId>,
) -> Vec<Unit<(Kind, TokenHash)>> {
    let unit = |node| Unit {
        end: tree.span(node).end - start,
        key: (tree.kind(node), tree.hash(node)),
        class: tree.kind(node).0,
        is_token: tree.is_leaf(node),
    };
    nodes.into_iter().map(unit).collect()
}

/// Returns the uppermost nodes with text that lie in a span, from one node on.
fn uppermost(tree: &Tree, span: &Range<usize>, at: &mut NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    while *at < tree.subtree_end(NodeId::ROOT) && tree.span(*at).start < span.end {
        let own = tree.span(*at);
        let is_inside = span.start <= own.start && own.end <= span.end && !own.is_empty();
        found.extend(is_inside.then_some(*at));
        let is_passed = is_inside || own.end <= span.start;
        *at = if is_passed { tree.subtree_end(*at) } else { NodeId(at.0 + 1) };
    }
    found
}

/// Returns the children of a node that have text, of an only one its own; a leaf stays.
fn inner(tree: &Tree, mut node: NodeId) -> Vec<NodeId> {
    loop {
        let children = tree.children(node).filter(|&child| !tree.span(child).is_empty());
        match children.collect::<Vec<_>>() {
            none if none.is_empty() => return vec![node],
            only if only.len() == 1 => node = only[0],
            several => return several,
        }
    }
}

/// Cuts what differs between lines, as a whole. Whole files stay whole.
pub(crate) fn by_line(merge: &Merge) -> Merge {
    let lines =
        |text| of_lengths(text, <[u8]>::split_inclusive(text, |&b| b == b'\n').map(<[u8]>::len));
    merge.opened(true, |part| {
        let opens = !part.common && !part.old.is_empty() && !part.new.is_empty();
        opens.then(|| merge.texts(part).map(lines))
    })
}

/// Cuts every difference, and blank space that differs, character by character (of invalid UTF-8,
/// byte by byte).
pub(crate) fn by_character(merge: &Merge) -> Merge {
    let lengths = |chunk: std::str::Utf8Chunk<'_>| {
        let valid = chunk.valid().chars().map(char::len_utf8);
        valid.chain(vec![1; chunk.invalid().len()]).collect::<Vec<_>>()
    };
    let characters = |text| of_lengths(text, <[u8]>::utf8_chunks(text).flat_map(lengths));
    merge.opened(false, |part| Some(merge.texts(part).map(characters)))
}

/// Cuts every difference of a merge, whose ends have these trees, and blank space that differs,
/// word by word: tokens stay whole, comments, strings and text fall into words, signs and blank
/// space. Near linear in the trees.
pub(crate) fn by_word(merge: &Merge, trees: &[Tree; 2]) -> Merge {
    let [olds, news] = trees.each_ref().map(word_ends);
    let lengths = |ends: &[usize], part: &Range<usize>| -> Vec<usize> {
        let mut at = part.start;
        let first = ends.partition_point(|&end| end <= part.start);
        let ends = ends[first..].iter().map(|&end| end.min(part.end));
        ends.map(|end| end - std::mem::replace(&mut at, end))
            .take_while(|&bytes| bytes > 0)
            .collect()
    };
    merge.opened(false, |part| {
        let [old, new] = merge.texts(part);
        let olds = of_lengths(old, lengths(&olds, &part.old));
        Some([olds, of_lengths(new, lengths(&news, &part.new))])
    })
}

/// Returns the ends of all words of a text in order: of tokens, of words and signs in leaves that
/// hold several or blank space, and of the blank space between leaves.
fn word_ends(tree: &Tree) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut at = 0;
    for leaf in tree.ids().filter(|&id| tree.is_leaf(id) && !tree.span(id).is_empty()) {
        let (span, text) = (tree.span(leaf), tree.text_of(leaf));
        lengths.extend(words(&tree.text()[at..span.start]).map(<[u8]>::len));
        match text.iter().any(u8::is_ascii_whitespace) || tree.tokens(leaf) > 1 {
            true => lengths.extend(words(text).map(<[u8]>::len)),
            false => lengths.push(text.len()),
        }
        at = span.end;
    }
    lengths.extend(words(&tree.text()[at..]).map(<[u8]>::len));
    lengths
        .iter()
        .scan(0, |end, length| {
            *end += length;
            Some(*end)
        })
        .collect()
}

/// Returns the pieces of a text as units; blank space stands for nothing but blank space.
fn of_lengths(text: &[u8], lengths: impl IntoIterator<Item = usize>) -> Vec<Unit<&[u8]>> {
    let mut end = 0;
    let unit = |length| {
        let key = &text[end..end + length];
        end += length;
        let class = u16::from(key.first().is_some_and(u8::is_ascii_whitespace));
        Unit { end, key, class, is_token: false }
    };
    lengths.into_iter().map(unit).collect()
}

/// Returns words, blank space and single signs, in order.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let class = |b: u8| match b {
        b if b.is_ascii_whitespace() => 0,
        b if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 => 1,
        _ => 2,
    };
    text.chunk_by(move |&a, &b| class(a) == class(b) && class(a) < 2)
}
