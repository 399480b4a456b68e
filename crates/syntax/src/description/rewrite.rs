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
    /// Captures each wanted node below, unless another one is around it: each gives a form of its own.
    pub below: Vec<(Capture, Wanted)>,
    /// Captures all of these nodes together; a node without any does not match.
    pub all_below: Vec<(Capture, Wanted)>,
    /// Captures each wanted node below, however deep.
    pub within: Vec<(Capture, Wanted)>,
    /// How many captures there are.
    pub captures: usize,
    /// The new form from left to right.
    pub template: Vec<TemplatePart>,
    /// The kind of the new form in the tree, where it is known.
    pub kind: Option<Kind>,
    /// What stands between the nodes of a capture of several.
    pub separator: Option<Arc<[u8]>>,
    /// The nodes of a capture of several become one token with this text between them.
    pub joint: Option<Arc<[u8]>>,
    /// The effort (1 … 9) from which on it is tried.
    pub effort: u8,
    /// Whether it is worth trying all over the text as soon as the coarse passes are done.
    pub early: bool,
    /// Where the rule stands, and its form in words.
    pub rule: Arc<RuleName>,
}

/// Which nodes are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those that play a role.
    Role(Role),
    /// Those of a kind.
    Kind(Kind),
    /// Those that stand in a field of their parent.
    Field(Field),
}

impl Wanted {
    /// Returns whether a node is meant.
    fn fits(self, plays: impl Fn(Role, Kind) -> bool, tree: &Tree, node: NodeId) -> bool {
        match self {
            Self::Role(role) => plays(role, tree.kind(node)),
            Self::Kind(wanted) => wanted == tree.kind(node),
            Self::Field(field) => tree.field(node) == Some(field),
        }
    }
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
    /// All captured nodes, any number.
    Nodes(Capture),
    /// What the captured string says, as a name: see [`name_in`].
    NameIn(Capture),
    /// Any name of this namespace that something in the document has: one form for each.
    NameOf(Arc<str>),
    /// A property that the style rules of the captured class declare, as a name: one form for each declaration.
    DeclaredProperty(Capture),
    /// The value of that property, in quotes.
    DeclaredValue(Capture),
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
    /// Fits any number of neighbours, tokens between them too if they count.
    Rest(Capture),
    /// Fits a leaf of this kind and text.
    Leaf(Kind, Arc<[u8]>),
    /// Fits a node of this kind with such children, of which one at most is a [`Rest`](Self::Rest).
    Inner(Kind, Vec<PatternNode>),
}

impl PatternNode {
    /// Recursion is as deep as the pattern.
    fn translate(&mut self, to: &impl Fn(Kind) -> Kind) {
        match self {
            Self::Capture(_) | Self::Rest(_) => {}
            Self::Leaf(kind, _) => *kind = to(*kind),
            Self::Inner(kind, children) => {
                *kind = to(*kind);
                children.iter_mut().for_each(|child| child.translate(to));
            }
        }
    }
}

/// The nodes of each capture, one at most unless it stands for any number.
pub type Captures = Vec<Vec<NodeId>>;

/// Returns the name that a quoted text says: `margin-top` in quotes is `marginTop`, as scripts spell the
/// properties of styles, and the selector `#a` is the name `a`. `None` if it is no name.
pub fn name_in(quoted: &[u8]) -> Option<Vec<u8>> {
    let [quote @ (b'"' | b'\''), inside @ .., end] = quoted else { return None };
    let inside = inside.strip_prefix(b"#").unwrap_or(inside);
    let mut name = Vec::new();
    let mut parts = inside.split(|&byte| byte == b'-');
    name.extend_from_slice(parts.next()?);
    for part in parts {
        let (first, others) = part.split_first()?;
        name.push(first.to_ascii_uppercase());
        name.extend_from_slice(others);
    }
    let begins = name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_');
    let is_name = begins && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (quote == end && is_name).then_some(name)
}

impl Rewrite {
    /// Returns the same rewrite for trees in which kinds and fields have other numbers.
    #[must_use]
    pub fn translated(&self, kind: impl Fn(Kind) -> Kind, field: impl Fn(Field) -> Field) -> Self {
        let mut translated = self.clone();
        if let Some(pattern) = &mut translated.pattern {
            pattern.root.translate(&kind);
        }
        for (_, of_child) in &mut translated.fields {
            *of_child = field(*of_child);
        }
        let captured = [&mut translated.below, &mut translated.all_below, &mut translated.within];
        for (_, wanted) in captured.into_iter().flatten() {
            match wanted {
                Wanted::Kind(of_node) => *of_node = kind(*of_node),
                Wanted::Field(of_node) => *of_node = field(*of_node),
                Wanted::Role(_) => {}
            }
        }
        translated.kind = translated.kind.map(kind);
        translated
    }

    /// Returns every way to match the node: one set of captures for each form that it can take.
    /// `plays` says whether nodes of a kind play a role. Linear in the nodes below.
    pub fn matches(
        &self,
        tree: &Tree,
        plays: impl Fn(Role, Kind) -> bool,
        id: NodeId,
    ) -> Vec<Captures> {
        let mut captures = vec![Vec::new(); self.captures];
        if let Some(pattern) = &self.pattern
            && !fits(&pattern.root, pattern.strictness, tree, id, &mut captures)
        {
            return Vec::new();
        }
        for &(Capture(number), field) in &self.fields {
            let Some(child) = tree.child_by_field(id, field) else { return Vec::new() };
            captures[number] = vec![child];
        }
        for &(Capture(number), wanted) in &self.all_below {
            captures[number] = uppermost(tree, |node| wanted.fits(&plays, tree, node), id);
            if captures[number].is_empty() {
                return Vec::new();
            }
        }
        let mut all = vec![captures];
        let below = self.below.iter().map(|&(capture, wanted)| {
            (capture, uppermost(tree, |node| wanted.fits(&plays, tree, node), id))
        });
        let within = self.within.iter().map(|&(capture, wanted)| {
            let inside = tree.subtree(id).skip(1);
            (capture, inside.filter(|&node| wanted.fits(&plays, tree, node)).collect())
        });
        for (Capture(number), found) in below.chain(within) {
            let found: Vec<NodeId> = found;
            let with = |captures: &Captures, node: NodeId| {
                let mut captures = captures.clone();
                captures[number] = vec![node];
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
        PatternNode::Rest(Capture(number)) => {
            captures[*number].push(id);
            true
        }
        PatternNode::Capture(Capture(number)) => match captures[*number][..] {
            [before, ..] => tree.hash(before) == tree.hash(id),
            [] => {
                captures[*number].push(id);
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
    let rest = patterns.iter().position(|pattern| matches!(pattern, PatternNode::Rest(_)));
    let before = &patterns[..rest.unwrap_or(patterns.len())];
    let behind = rest.map_or(&[][..], |rest| &patterns[rest + 1..]);
    let least = before.len() + behind.len();
    if children.len() < least || rest.is_none() && children.len() > least {
        return false;
    }
    let end = children.len() - behind.len();
    let between =
        rest.map(|rest| children[before.len()..end].iter().map(move |child| (rest, child)));
    let between = between.into_iter().flatten().map(|(rest, child)| (&patterns[rest], child));
    let outer = before.iter().zip(&children).chain(behind.iter().zip(&children[end..]));
    outer.chain(between).all(|(pattern, &child)| fits(pattern, strictness, tree, child, captures))
}

impl Strictness {
    /// Returns whether a child has to fit.
    pub fn counts(self, tree: &Tree, child: NodeId) -> bool {
        !tree.flags(child).extra && (self == Self::Cst || tree.is_named(child))
    }
}

/// Returns the nodes below `id` that fit, without those below others that do.
fn uppermost(tree: &Tree, fits: impl Fn(NodeId) -> bool, id: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut at = NodeId(id.0 + 1);
    while at < tree.subtree_end(id) {
        if fits(at) {
            found.push(at);
            at = tree.subtree_end(at);
        } else {
            at = NodeId(at.0 + 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::name_in;

    #[test]
    fn a_string_says_a_name_or_none() {
        let table: [(&str, Option<&str>); 9] = [
            ("'#a'", Some("a")),
            ("'color'", Some("color")),
            ("\"margin-top\"", Some("marginTop")),
            ("'-webkit-box-flex'", Some("WebkitBoxFlex")),
            ("'--a'", None),
            ("'1a'", None),
            ("'a b'", None),
            ("''", None),
            ("'a\"", None),
        ];
        for (quoted, name) in table {
            assert_eq!(name_in(quoted.as_bytes()), name.map(Vec::from), "{quoted}");
        }
    }
}
