//! Other forms that a node can take, as patterns with captures.

use std::sync::Arc;

use crate::{Field, Kind, NodeId, Role, Tree};

/// One form that a node can take instead of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// What the node must look like. Without it, any node of the kind will do.
    pub pattern: Option<Pattern>,
    /// Captures a child of the node by its field; a node without that child does not match.
    pub fields: Vec<(Capture, Field)>,
    /// Captures each node below that plays the role, unless another one around it does: each gives a
    /// form of its own.
    pub below: Vec<(Capture, Role)>,
    /// Captures each node below that plays the role, however deep.
    pub within: Vec<(Capture, Role)>,
    /// How many captures there are.
    pub captures: usize,
    /// The new form from left to right.
    pub template: Vec<TemplatePart>,
    /// The kind of the new form in the tree, where it is known.
    pub kind: Option<Kind>,
    /// The effort (1 … 9) from which on it is tried.
    pub effort: u8,
    /// Where the rule stands, and its form in words.
    pub rule: Arc<RuleName>,
}

/// What a user is shown of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleName {
    /// The file that it stands in, or the language whose manifest has it.
    pub origin: String,
    /// What it makes of what.
    pub form: String,
}

/// The number of a capture, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture(pub usize);

/// One part of a new form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// A new token.
    Token(Arc<[u8]>),
    /// The captured node.
    Node(Capture),
}

/// What a node must look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The pattern of the node itself.
    pub root: PatternNode,
    /// How much of the text counts.
    pub strictness: Strictness,
}

/// How exactly a pattern must fit. Comments never count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Every token counts.
    #[default]
    Cst,
    /// Tokens that stand for themselves (operators, punctuation) do not count.
    Ast,
}

/// The pattern of one node, or of a run of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternNode {
    /// Fits any node. All nodes of one capture must read alike.
    Capture(Capture),
    /// Fits any number of neighbours.
    Rest,
    /// Fits a leaf of this kind and text.
    Leaf(Kind, Arc<[u8]>),
    /// Fits a node of this kind with such children, of which one at most is [`Rest`](Self::Rest).
    Inner(Kind, Vec<PatternNode>),
}

/// The node of each capture; those that the pattern never reached have none.
pub type Captures = Vec<Option<NodeId>>;

impl Rewrite {
    /// Returns every way to match the node: one set of captures for each form that it can take.
    /// `plays` says whether nodes of a kind play a role. Linear in the nodes below.
    pub fn matches(
        &self,
        tree: &Tree,
        plays: impl Fn(Role, Kind) -> bool,
        id: NodeId,
    ) -> Vec<Captures> {
        let mut captures = vec![None; self.captures];
        if let Some(pattern) = &self.pattern
            && !fits(&pattern.root, pattern.strictness, tree, id, &mut captures)
        {
            return Vec::new();
        }
        for &(Capture(number), field) in &self.fields {
            let Some(child) = tree.child_by_field(id, field) else { return Vec::new() };
            captures[number] = Some(child);
        }
        let mut all = vec![captures];
        let below = self.below.iter().map(|&(capture, role)| {
            (capture, uppermost(tree, |kind| plays(role, kind), id))
        });
        let within = self.within.iter().map(|&(capture, role)| {
            let inside = tree.subtree(id).skip(1);
            (capture, inside.filter(|&node| plays(role, tree.kind(node))).collect())
        });
        for (Capture(number), found) in below.chain(within) {
            let found: Vec<NodeId> = found;
            let with = |captures: &Captures, node: NodeId| {
                let mut captures = captures.clone();
                captures[number] = Some(node);
                captures
            };
            all = all
                .iter()
                .flat_map(|captures| found.iter().map(move |&node| with(captures, node)))
                .collect();
        }
        all
    }
}

/// Returns whether a node fits; recursion is as deep as the pattern.
fn fits(
    pattern: &PatternNode,
    strictness: Strictness,
    tree: &Tree,
    id: NodeId,
    captures: &mut Captures,
) -> bool {
    match pattern {
        PatternNode::Rest => true,
        PatternNode::Capture(Capture(number)) => match captures[*number] {
            Some(before) => tree.hash(before) == tree.hash(id),
            None => {
                captures[*number] = Some(id);
                true
            }
        },
        PatternNode::Leaf(kind, text) => {
            tree.is_leaf(id) && tree.kind(id) == *kind && tree.text_of(id) == &**text
        }
        PatternNode::Inner(kind, children) => {
            tree.kind(id) == *kind && children_fit(children, strictness, tree, id, captures)
        }
    }
}

fn children_fit(
    patterns: &[PatternNode],
    strictness: Strictness,
    tree: &Tree,
    id: NodeId,
    captures: &mut Captures,
) -> bool {
    let children: Vec<NodeId> =
        tree.children(id).filter(|&child| strictness.counts(tree, child)).collect();
    let rest = patterns.iter().position(|pattern| *pattern == PatternNode::Rest);
    let before = &patterns[..rest.unwrap_or(patterns.len())];
    let behind = rest.map_or(&[][..], |rest| &patterns[rest + 1..]);
    let least = before.len() + behind.len();
    if children.len() < least || rest.is_none() && children.len() > least {
        return false;
    }
    let first = before.iter().zip(&children);
    let last = behind.iter().zip(&children[children.len() - behind.len()..]);
    first.chain(last).all(|(pattern, &child)| fits(pattern, strictness, tree, child, captures))
}

impl Strictness {
    /// Returns whether a child has to fit.
    pub fn counts(self, tree: &Tree, child: NodeId) -> bool {
        !tree.flags(child).extra && (self == Self::Cst || tree.is_named(child))
    }
}

/// Returns the nodes below `id` whose kinds fit, without those below others that do.
fn uppermost(tree: &Tree, fits: impl Fn(Kind) -> bool, id: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut at = NodeId(id.0 + 1);
    while at < tree.subtree_end(id) {
        if fits(tree.kind(at)) {
            found.push(at);
            at = tree.subtree_end(at);
        } else {
            at = NodeId(at.0 + 1);
        }
    }
    found
}
