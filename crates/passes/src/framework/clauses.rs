//! Clauses of a statement that can take the place of what stands before them: `elif b: y` in `if a:
//! x elif b: y` leaves `if b: y`.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::framework::limits::CLAUSES;
use crate::{Item, PassContext};

/// Returns for each clause of a node the edit that leaves the node's first word and goes on after
/// that of the clause. Quadratic in the children that the grammar tells apart, so that long lists
/// are left to other edits.
pub(crate) fn in_place_of_the_first(cx: &PassContext<'_>, id: NodeId) -> Vec<Item> {
    let children: Vec<NodeId> = cx.children(id).collect();
    let Some(automaton) = cx.language.facts.automaton(cx.kind(id)) else {
        return Vec::new();
    };
    let is_word = |id: NodeId| {
        cx.is_leaf(id)
            && !cx.is_named(id)
            && cx.text_of(id).first().is_some_and(u8::is_ascii_alphabetic)
    };
    if children.len() > CLAUSES || !children.first().is_some_and(|&first| is_word(first)) {
        return Vec::new();
    }
    let clauses = (2..children.len()).filter_map(|at| {
        let clause = children[at];
        let inner: Vec<NodeId> = cx.children(clause).collect();
        let (&word, behind) = inner.split_first()?;
        if !is_word(word) || behind.is_empty() {
            return None;
        }
        let left = [&children[..1], behind, &children[at + 1..]].concat();
        let kinds = left.iter().filter(|&&c| !cx.flags(c).extra).map(|&c| cx.kind(c));
        if !automaton.accepts(kinds) {
            return None;
        }
        // Part by part, so that each stands where the one before it stood, on a line of its own or
        // not.
        let (places, places_left) = children[1..at].split_at(behind.len().min(at - 1));
        let (parts, parts_left) = behind.split_at(places.len());
        let mut edits = Edits::drop_all(places_left.iter().copied());
        let rest = Change::splice(parts_left.iter().copied());
        let mut fits = edits.add(clause, if parts_left.is_empty() { Change::drop() } else { rest });
        for (&place, &part) in places.iter().zip(parts) {
            let is_same = cx.text_of(place) == cx.text_of(part);
            fits &= is_same || edits.add(place, Change::hoist(part));
        }
        let gone = children[1..at].iter().map(|&c| cx.tokens(c)).sum::<u32>() + cx.tokens(word);
        fits.then(|| Item::new(edits, gone))
    });
    clauses.collect()
}
