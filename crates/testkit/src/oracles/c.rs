//! Shapes of C programs that stand for bugs of a compiler.

use minirepro_syntax::{NodeId, Tree};

/// One step of a [`Path`].
#[derive(Debug)]
struct Step {
    kind: String,
    is_child: bool,
    holding: Vec<String>,
}

/// Nodes inside of each other.
#[derive(Debug)]
pub(super) struct Path(Vec<Step>);

impl Path {
    /// Reads the steps; see [`StandIn::Nested`](super::StandIn::Nested).
    pub(super) fn new(steps: &[String]) -> Self {
        Self(
            steps
                .iter()
                .map(|step| {
                    let (is_child, step) = match step.strip_prefix("> ") {
                        Some(rest) => (true, rest),
                        None => (false, step.as_str()),
                    };
                    let mut words = step.split(' ').map(str::to_owned);
                    Step {
                        kind: words.next().unwrap_or_default(),
                        is_child,
                        holding: words.collect(),
                    }
                })
                .collect(),
        )
    }

    pub(super) fn holds(&self, tree: &Tree) -> bool {
        holds(tree, NodeId::ROOT, &self.0)
    }
}

fn holds(tree: &Tree, scope: NodeId, path: &[Step]) -> bool {
    let Some((step, rest)) = path.split_first() else { return true };
    let fits = |&node: &NodeId| {
        tree.kind_name(node) == step.kind
            && step.holding.iter().all(|t| tree.children(node).any(|c| is(tree, c, t)))
    };
    if step.is_child {
        tree.children(scope).filter(fits).any(|node| holds(tree, node, rest))
    } else {
        tree.subtree(scope).skip(1).filter(fits).any(|node| holds(tree, node, rest))
    }
}

fn is(tree: &Tree, node: NodeId, text: &str) -> bool {
    tree.text_of(node) == text.as_bytes()
}

fn of_kind<'a>(
    tree: &'a Tree,
    scope: NodeId,
    kinds: &'a [&str],
) -> impl Iterator<Item = NodeId> + 'a {
    tree.subtree(scope).filter(move |&node| kinds.contains(&tree.kind_name(node)))
}

/// See [`StandIn::SubscriptProduct`](super::StandIn::SubscriptProduct).
pub(super) fn has_subscript_product(tree: &Tree) -> bool {
    let loops = ["for_statement", "while_statement", "do_statement"];
    of_kind(tree, NodeId::ROOT, &["function_definition"]).any(|function| {
        of_kind(tree, function, &loops).any(|body| {
            product(tree, body).is_some_and(|array| returns_element(tree, function, array))
        })
    })
}

/// Returns the array of `i = …; z[i] = z[i] * …` in a loop.
fn product(tree: &Tree, body: NodeId) -> Option<&[u8]> {
    let mut changed: Vec<&[u8]> = Vec::new();
    for assignment in of_kind(tree, body, &["assignment_expression"]) {
        let parts: Vec<NodeId> = tree.children(assignment).collect();
        let &[left, sign, right] = parts.as_slice() else { continue };
        if !is(tree, sign, "=") {
            continue;
        }
        if tree.kind_name(left) == "identifier" {
            changed.push(tree.text_of(left));
        }
        let Some((array, index)) = element(tree, left) else { continue };
        let factors: Vec<NodeId> = tree.children(right).collect();
        if let &[first, times, _] = factors.as_slice()
            && is(tree, times, "*")
            && element(tree, first) == Some((array, index))
            && changed.contains(&index)
        {
            return Some(array);
        }
    }
    None
}

/// Returns array and index of `array[index]`.
fn element(tree: &Tree, node: NodeId) -> Option<(&[u8], &[u8])> {
    if tree.kind_name(node) != "subscript_expression" {
        return None;
    }
    let mut parts = tree.children(node);
    let array = parts.next()?;
    let _bracket = parts.next()?;
    let index = parts.next()?;
    Some((tree.text_of(array), tree.text_of(index)))
}

fn returns_element(tree: &Tree, function: NodeId, array: &[u8]) -> bool {
    of_kind(tree, function, &["return_statement"])
        .any(|node| tree.children(node).any(|c| element(tree, c).is_some_and(|e| e.0 == array)))
}

/// See [`StandIn::JumpTable`](super::StandIn::JumpTable).
pub(super) fn has_jump_table(tree: &Tree, least: usize) -> bool {
    of_kind(tree, NodeId::ROOT, &["switch_statement"]).any(|switch| {
        let mut parts = tree.children(switch).skip(1);
        let Some(value) = parts.next() else { return false };
        let Some(body) = parts.next() else { return false };
        let cases = tree.children(body).filter(|&c| {
            tree.kind_name(c) == "case_statement" && tree.children(c).any(|t| is(tree, t, "case"))
        });
        let count = cases.count();
        count >= least
            && count.is_multiple_of(2)
            && of_kind(tree, value, &["field_expression"]).next().is_some()
    })
}
