//! The closure of edits against brute force, on random grammars of one node and its children.

use std::sync::Arc;

use minirepro_syntax::{
    Automaton, Edits, Facts, Flags, Interruption, Kind, Kinds, Language, NodeId, Parse, Roles,
    Spacing, Tree, TreeBuilder, close, droppable_children,
};
use proptest::prelude::*;

/// Returns the right side of a rule over two nodes with names and three tokens without.
fn rule() -> impl Strategy<Value = String> {
    let symbol = prop::sample::select(vec!["n", "m", "\",\"", "\";\"", "\"(\""]);
    symbol.prop_map(str::to_owned).prop_recursive(4, 16, 3, |part| {
        prop_oneof![
            prop::collection::vec(part.clone(), 2..4).prop_map(|all| all.join(" ")),
            (part.clone(), part.clone()).prop_map(|(a, b)| format!("({a} | {b})")),
            part.clone().prop_map(|a| format!("({a})*")),
            (part.clone(), part).prop_map(|(a, b)| format!("({a} (\",\" {b})*)?")),
        ]
    })
}

struct NoParser;

impl Parse for NoParser {
    fn parse(&self, _text: &[u8]) -> Tree {
        tree(Arc::default(), Kind(0), &[])
    }
}

fn tree(kinds: Arc<Kinds>, list: Kind, children: &[Kind]) -> Tree {
    let text: String = children.iter().map(|_| "x").collect();
    let mut builder = TreeBuilder::new(Arc::from(text.as_bytes()), kinds);
    builder.open(list, 0..children.len(), Flags::default());
    for (at, &kind) in children.iter().enumerate() {
        builder.leaf(kind, at..at + 1, Flags::default(), 1);
    }
    builder.close();
    builder.finish()
}

/// Returns children that the automaton accepts, chosen by the numbers; `None` when it gets too
/// long.
fn walk(automaton: &Automaton, numbers: &[usize]) -> Option<Vec<Kind>> {
    let mut state = 0;
    let mut children = Vec::new();
    for &number in numbers {
        let may_follow = |kind: &Kind| !automaton.next(state, *kind).is_empty();
        let expected: Vec<Kind> = (0..1_000).map(Kind).filter(may_follow).collect();
        if expected.is_empty() || automaton.is_accepting(state) && number % 7 == 0 {
            break;
        }
        let kind = expected[number % expected.len()];
        let next = automaton.next(state, kind);
        state = next[number / 7 % next.len()];
        children.push(kind);
    }
    automaton.is_accepting(state).then_some(children)
}

/// Returns whether a separator stood between two nodes with names, one of which is gone.
fn is_idle(tree: &Tree, gone: &[NodeId], separator: NodeId) -> bool {
    let all: Vec<NodeId> = tree.children(NodeId::ROOT).collect();
    let at = all.iter().position(|&c| c == separator).expect("it is a child");
    let beside = [at.checked_sub(1), Some(at + 1)].map(|at| all.get(at?).copied());
    let is_named = |beside: &Option<NodeId>| beside.is_some_and(|c| tree.is_named(c));
    beside.iter().all(is_named) && beside.iter().flatten().any(|c| gone.contains(c))
}

/// Returns what it costs to drop `dropped` besides `gone`: as much as there is, and twice the
/// separators that stay idle.
fn cost(tree: &Tree, gone: &[NodeId], dropped: &[NodeId]) -> usize {
    let left = tree.children(NodeId::ROOT).filter(|c| !gone.contains(c) && !dropped.contains(c));
    let idle = left.filter(|&c| !tree.is_named(c) && is_idle(tree, gone, c)).count();
    dropped.len() + 2 * idle
}

/// Returns the least cost of tokens without a name whose loss, besides that of `gone`, the
/// automaton accepts; and the fewest of them.
fn fewest(automaton: &Automaton, tree: &Tree, gone: &[NodeId]) -> Option<(usize, u32)> {
    let left: Vec<NodeId> = tree.children(NodeId::ROOT).filter(|c| !gone.contains(c)).collect();
    let separators: Vec<NodeId> = left.iter().copied().filter(|&c| !tree.is_named(c)).collect();
    let sets = (0..1u32 << separators.len()).filter(|set| {
        let dropped = |c: NodeId| {
            separators.iter().position(|&s| s == c).is_some_and(|bit| set & 1 << bit != 0)
        };
        automaton.accepts(left.iter().filter(|&&c| !dropped(c)).map(|&c| tree.kind(c)))
    });
    let dropped = |set: u32| -> Vec<NodeId> {
        let is_in = |bit: &usize| set & 1 << bit != 0;
        (0..separators.len()).filter(is_in).map(|bit| separators[bit]).collect()
    };
    let costs: Vec<(usize, u32)> =
        sets.map(|set| (cost(tree, gone, &dropped(set)), set.count_ones())).collect();
    let least = costs.iter().map(|(cost, _)| *cost).min()?;
    Some((least, costs.iter().map(|(_, count)| *count).min()?))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_global_rejects: 20_000,
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn separators_go_at_the_least_cost(
        rule in rule(),
        numbers in prop::collection::vec(0usize..200, 1..12),
        gone in any::<u16>(),
    ) {
        let mut kinds = Kinds::default();
        let facts = Facts::parse(&format!("list = {rule}"), &mut kinds).unwrap();
        let list = kinds.named("list").unwrap();
        let children = facts.automaton(list).and_then(|a| walk(a, &numbers));
        prop_assume!(children.is_some());
        let kinds = Arc::new(kinds);
        let tree = tree(Arc::clone(&kinds), list, &children.unwrap());
        let language = Language {
            name: "test".to_owned(),
            kinds,
            facts,
            spacing: Spacing::NONE,
            roles: Roles::default(),
            parser: Arc::new(NoParser),
            reader: Arc::new(()),
            rules: Arc::new(()),
            interruption: Interruption::default(),
        };
        let automaton = language.facts.automaton(list).unwrap();
        let all: Vec<NodeId> = tree.children(NodeId::ROOT).collect();

        let gone: Vec<NodeId> =
            all.iter().copied().filter(|c| gone & 1 << (c.0 % 16) != 0).collect();
        prop_assume!(!gone.is_empty());
        let closed = close(&tree, &language, Edits::drop_all(gone.iter().copied()));
        let expected = fewest(automaton, &tree, &gone);
        prop_assert_eq!(closed.is_some(), expected.is_some(), "{}", rule);
        if let (Some(closed), Some((least, _))) = (closed, expected) {
            prop_assert!(closed.certain);
            let dropped = all.iter().copied().filter(|c| closed.edits.get(*c).is_some());
            let dropped: Vec<NodeId> = dropped.filter(|c| !gone.contains(c)).collect();
            prop_assert_eq!(cost(&tree, &gone, &dropped), least, "{}", rule);
            let kept = all.iter().filter(|&&c| closed.edits.get(c).is_none());
            prop_assert!(automaton.accepts(kept.map(|&c| tree.kind(c))), "{}", rule);
        }

        // What can go alone, or with the separators around it, and nothing else.
        for child in &all {
            let alone = droppable_children(&tree, &language, NodeId::ROOT).contains(child);
            let fewest = fewest(automaton, &tree, &[*child]).map(|(_, count)| count);
            prop_assert!(!alone || fewest.is_some_and(|n| n <= 2), "{}: {:?}", rule, child);
            prop_assert!(alone || fewest != Some(0), "{}: {:?}", rule, child);
        }
    }
}
