//! Names that the grammar has no leaves for: in attributes, in strings, in parts of them.

use std::ops::Range;
use std::sync::Arc;

use crate::NodeId;

/// A name in a leaf, or in a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Names of one space that read alike mean the same thing.
    pub namespace: Arc<Namespace>,
    /// The document whose names it belongs to: the root, or a node that holds a document of its
    /// own. Names of different documents have nothing to do with each other.
    pub document: NodeId,
    /// The leaf.
    pub leaf: NodeId,
    /// Where in the leaf's text the name stands.
    pub part: Range<usize>,
    /// Whether it is one of a list of names, which can go without the others.
    pub in_list: bool,
    /// Whether this mention gives the name to something (the element with this id), and does not
    /// just mention it.
    pub is_definition: bool,
}

/// What names of one sort have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace {
    /// What it is called in the language's manifest.
    pub name: String,
    /// What a name may be renamed to, in order; empty: `a`, `b`, `c` …
    pub short: Vec<String>,
}
