//! Subtracts a result from its input, where another, independent failure may be left (*Why Programs
//! Fail*, exercise 5.9).

use std::collections::BTreeSet;

use minirepro_syntax::{Edits, Language, NodeId, close, droppable_children, rendered};

use crate::patch::align::align;

/// Returns `input` without the smallest parts that can go of those that hold what `result` is made
/// of, as far as its tokens tell; `None` when nothing of it can be found there. Near linear.
pub fn without(language: &Language, input: &[u8], result: &[u8]) -> Option<Vec<u8>> {
    let tree = language.parser.parse(input);
    let small = language.parser.parse(result);
    let leaves = |tree: &minirepro_syntax::Tree| -> Vec<NodeId> {
        tree.ids().filter(|&id| tree.is_leaf(id) && !tree.span(id).is_empty()).collect()
    };
    let all = leaves(&tree);
    let wanted = leaves(&small);
    let runs = align(all.iter().map(|&id| tree.hash(id)), wanted.iter().map(|&id| small.hash(id)));
    let used = runs.into_iter().filter(|run| run.common).flat_map(|run| all[run.old].to_vec());
    let mut gone = BTreeSet::new();
    for leaf in used {
        let above = std::iter::once(leaf).chain(tree.ancestors(leaf));
        let droppable = |&id: &NodeId| {
            let parent = tree.parent(id);
            parent.is_some_and(|p| droppable_children(&tree, language, p).contains(&id))
        };
        gone.extend(above.into_iter().find(droppable));
    }
    let edits = close(&tree, language, Edits::drop_all(gone))?.edits;
    let rest = rendered(&tree, language, &edits).text;
    (rest.len() < input.len()).then(|| rest.to_vec())
}
