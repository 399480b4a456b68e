//! Patterns: code with captures, read by the language's own parser.

use std::collections::BTreeMap;
use std::sync::Arc;

use minirepro_syntax::{Kind, NodeId, PatternNode, Strictness, Tree};
use regex::Regex;

use crate::manifest::error::ManifestError;
use crate::manifest::rules::compiler::{Compiler, Names};

impl Compiler<'_> {
    /// Reads a pattern with the language's parser; the kind is that of the nodes that can fit.
    pub(super) fn pattern(
        &self,
        code: &str,
        strictness: Strictness,
        names: &mut Names,
    ) -> Result<(Kind, PatternNode), ManifestError> {
        // Captures become words for the parser.
        let mut holes: BTreeMap<Vec<u8>, PatternNode> = BTreeMap::new();
        let mut text = String::new();
        let mut at = 0;
        for found in captures().captures_iter(code) {
            let all = found.get(0).expect("the whole match is a group");
            let name = &found["name"];
            names.check(name)?;
            let is_rest = all.as_str().starts_with("$$$");
            let word = format!("{}_{name}", if is_rest { "rest" } else { "capture" });
            text.push_str(&code[at..all.start()]);
            text.push_str(&word);
            at = all.end();
            let hole = match is_rest {
                true => PatternNode::Rest(names.capture(name)),
                false => PatternNode::Capture(names.capture(name)),
            };
            holes.insert(word.into_bytes(), hole);
        }
        text.push_str(&code[at..]);
        let unreadable = || ManifestError::Unreadable(code.to_owned());
        let (tree, root) = self.read(&text).ok_or_else(unreadable)?;
        match node(&tree, root, strictness, &holes) {
            PatternNode::Inner(kind, children) => Ok((kind, PatternNode::Inner(kind, children))),
            _ => Err(unreadable()),
        }
    }

    /// Returns the tree of the first context in which the text is free of errors, and in it the
    /// innermost node with children that is the text and nothing else.
    fn read(&self, text: &str) -> Option<(Tree, NodeId)> {
        self.contexts.iter().find_map(|context| {
            let start = context.find(HOLE)?;
            let tree = self.parser.parse(context.replacen(HOLE, text, 1).as_bytes());
            let span = start..start + text.len();
            let is_whole = |&id: &NodeId| tree.span(id) == span && !tree.is_leaf(id);
            let root = tree.ids().rev().find(is_whole).filter(|_| tree.errors() == 0)?;
            let depth = |id| std::iter::successors(Some(id), |&id| tree.parent(id)).take(DEEPEST);
            // Nobody writes code of such depth, and it is read with recursion.
            if tree.ids().any(|id| depth(id).count() == DEEPEST) {
                return None;
            }
            Some((tree, root))
        })
    }
}

/// Patterns are not as deep.
const DEEPEST: usize = 200;

/// Stands for the pattern in a context.
const HOLE: &str = "$PATTERN";

/// Finds captures in code.
pub(super) fn captures() -> Regex {
    Regex::new(r"\$(\$\$)?(?<name>[A-Z][A-Z0-9_]*)").expect("the pattern above is one")
}

/// Returns the pattern of a node; recursion is as deep as the code of a manifest.
fn node(
    tree: &Tree,
    id: NodeId,
    strictness: Strictness,
    holes: &BTreeMap<Vec<u8>, PatternNode>,
) -> PatternNode {
    // Where names begin with a sign, so do captures: `%$A`.
    let text = tree.text_of(id);
    let is_one_leaf = tree.subtree(id).filter(|&below| tree.is_leaf(below)).count() == 1;
    let behind_sign = || {
        let parts = text.split_first().filter(|_| is_one_leaf);
        parts.filter(|(sign, _)| sign.is_ascii_punctuation())
    };
    // Among statements, a capture of neighbours is one: `$$$A;`.
    let as_statement = || {
        let hole = holes.get(text.strip_suffix(b";")?);
        hole.filter(|hole| matches!(hole, PatternNode::Rest(_)))
    };
    let hole = holes.get(text).or_else(as_statement).or_else(|| holes.get(behind_sign()?.1));
    if let Some(hole) = hole {
        return hole.clone();
    }
    if tree.is_leaf(id) {
        return PatternNode::Leaf(tree.kind(id), Arc::from(tree.text_of(id)));
    }
    let children = tree.children(id).filter(|&child| strictness.counts(tree, child));
    let children = children.map(|child| node(tree, child, strictness, holes)).collect();
    PatternNode::Inner(tree.kind(id), children)
}
