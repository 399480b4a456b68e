//! Patterns: code with captures that nodes are held against.

use std::sync::Arc;

use crate::{Kind, NodeId, Tree};

/// The number of a capture, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capture(pub usize);

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

/// The nodes of each capture, one at most unless it stands for any number.
pub type Captures = Vec<Vec<NodeId>>;

/// Returns the name that a quoted text says: `margin-top` in quotes is `marginTop`, as scripts
/// spell the properties of styles, and the selector `#a` is the name `a`. `None` if it is not a
/// name.
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

impl Pattern {
    /// Returns whether a node fits, and adds what it captures. Linear in the nodes below.
    pub fn fits(&self, tree: &Tree, id: NodeId, captures: &mut Captures) -> bool {
        fits(&self.root, self.strictness, tree, id, captures)
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
