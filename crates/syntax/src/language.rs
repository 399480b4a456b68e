//! A language as plain data, and the door to its parser. Knows no particular language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Copied, Facts, FindNames, Kind, Kinds, NodeId, Rendered, TokenHash, Tree};

/// Text to tree.
pub trait Parse: Send + Sync {
    /// The tree of any bytes: never fails, what does not fit the grammar becomes error nodes.
    fn parse(&self, text: &[u8]) -> Tree;

    /// How many tokens a whole text has, if the language counts them otherwise than by the leaves of
    /// the tree that were left alone and the words and signs of those that were changed.
    fn tokens(&self, text: &[u8]) -> Option<u64> {
        let _estimates_will_do = text;
        None
    }

    /// The same for a candidate made of `base`, a tree of this parser's. May be cheaper.
    fn tokens_after(&self, base: &Tree, candidate: &Rendered) -> Option<u64> {
        let _count_it_all = base;
        self.tokens(&candidate.text)
    }

    /// What the programs that read the language find wrong with a text, where they refuse none
    /// (HTML: the parse errors of the standard). The last passes may then leave the grammar, as long
    /// as there is nothing to complain about that the input did not have.
    fn complaints(&self, text: &[u8]) -> Option<Complaints> {
        let _every_error_is_in_the_tree = text;
        None
    }

    /// Whether those programs read `after` as what they read in `before` once nothing but the parts
    /// that were `copied` from there is left of that. If not, an edit of the tree means something
    /// else to them than it does to us.
    fn reads_as_edited(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        let _the_tree_is_what_is_read = (before, after, copied);
        true
    }

    /// The text of a candidate made of these parts of `base`, and its hash, where something in it
    /// must say what is left of the rest: lengths and checksums in binary files.
    fn corrected(&self, base: &Tree, copied: &[Copied]) -> Option<(Vec<u8>, TokenHash)> {
        let _nothing_depends_on_it = (base, copied);
        None
    }

    /// What those programs make of a text, for people to read.
    fn reading(&self, text: &[u8]) -> Option<String> {
        let _as_the_tree_shows = text;
        None
    }

    /// The text in the form in which the language has a tree for it, where it has one for that form
    /// only: what is reduced then.
    fn normal(&self, text: &[u8]) -> Option<Vec<u8>> {
        let _any_form_will_do = text;
        None
    }

    /// What a leaf holds in a code that hides it from the tree.
    fn encoded(&self, tree: &Tree, leaf: NodeId) -> Option<Encoded> {
        let _every_text_is_as_it_reads = (tree, leaf);
        None
    }

    /// How many nodes of [`parse`](Self::parse) would be errors or missing. May be cheaper.
    fn errors(&self, text: &[u8]) -> u32 {
        self.parse(text).errors()
    }

    /// The same for a candidate made of `base`, a tree of this parser's. May be cheaper still: what
    /// was copied need not be read again.
    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        let _read_it_all = base;
        self.errors(&candidate.text)
    }
}

/// A text inside of a leaf, in a code.
pub struct Encoded {
    /// Its tree, with the kinds of the language around it.
    pub tree: Tree,
    /// The text of the leaf that holds another text instead.
    pub encode: Encode,
}

/// From a text to a coded one.
pub type Encode = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// How often each kind of thing is wrong with a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaints(pub BTreeMap<String, u32>);

impl Complaints {
    /// How much is wrong in all.
    pub fn count(&self) -> u32 {
        self.0.values().sum()
    }

    /// Whether nothing is wrong that is not just as often wrong with the other text.
    pub fn are_within(&self, other: &Self) -> bool {
        self.0.iter().all(|(kind, count)| other.0.get(kind).is_some_and(|most| count <= most))
    }
}

impl Language {
    /// The order of acceptance (DESIGN.md §4.6): whether `new`, with so many tokens, comes before
    /// `old`. Fewer tokens; then fewer faults, where readers refuse no text; then fewer bytes; then the
    /// order of the bytes. Faults are only looked for where there are equally many tokens.
    pub fn is_smaller(&self, new: (u64, &[u8]), old: (u64, &[u8])) -> bool {
        if new.0 != old.0 || new.1 == old.1 {
            return new.0 < old.0;
        }
        let faults =
            |text: &[u8]| self.parser.complaints(text).map(|complaints| complaints.count());
        let key = |text| (faults(text).unwrap_or(0), <[u8]>::len(text));
        (key(new.1), new.1) < (key(old.1), old.1)
    }
}

/// How tokens are kept apart in candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Blank space stands between the leaves; without it, every byte is in a leaf and leaves are
    /// simply joined.
    pub gaps: bool,
    /// Where two tokens become neighbours that would read as one, a space is put between them:
    /// two words, two operator signs.
    pub separate: bool,
}

/// A text that may stand for a whole node, and the kind that it is.
pub type LeastText = (Arc<[u8]>, Option<Kind>);

/// Which kinds play which role: read from `grammars/<lang>/language.toml`.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// Leaves that are names: equal text means the same thing.
    pub identifiers: BTreeSet<Kind>,
    /// Texts that may stand for a whole node of a kind, smallest first, with the kind they are.
    pub least: BTreeMap<Kind, Vec<LeastText>>,
    /// Other forms that a node of a kind can take, with parts of it in new places.
    pub rewrites: BTreeMap<Kind, Vec<Rewrite>>,
    /// Where the grammar takes more than the language: parent → children that nobody puts there.
    pub never: BTreeMap<Kind, BTreeSet<Kind>>,
    /// Tokens that passes put into texts of their own, by what they are there for.
    pub signs: BTreeMap<String, Arc<[u8]>>,
    /// Everything else that a pass asks for by name: role → kinds.
    pub named: BTreeMap<String, BTreeSet<Kind>>,
}

/// One form that a node can take instead of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The new form from left to right.
    pub parts: Vec<RewritePart>,
    /// What it is in the tree.
    pub kind: Option<Kind>,
    /// Only nodes with a child of one of these kinds take the form; empty for all.
    pub holds: BTreeSet<Kind>,
}

/// One part of a [`Rewrite`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewritePart {
    /// A new token.
    Text(Arc<[u8]>),
    /// The named child with this number, from 0, or below it the one with the next number, and so on.
    Child(Vec<usize>),
    /// The last named child.
    Last,
    /// A node below that plays this role, none of its kind above it: each in turn.
    Below(String),
}

impl Roles {
    /// Whether `kind` plays the role `role` of the manifest.
    pub fn is(&self, role: &str, kind: Kind) -> bool {
        self.named.get(role).is_some_and(|kinds| kinds.contains(&kind))
    }
}

/// Everything that passes and the engine know of a language.
pub struct Language {
    /// The name for `--lang`.
    pub name: String,
    /// The table of kinds.
    pub kinds: Arc<Kinds>,
    /// What the grammar allows; empty when nothing is known.
    pub facts: Facts,
    /// How tokens are kept apart.
    pub style: Style,
    /// Which kinds play which role.
    pub roles: Roles,
    /// The parser.
    pub parser: Box<dyn Parse>,
    /// Names that stand in parts of leaves.
    pub names: Box<dyn FindNames>,
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Language").field("name", &self.name).finish_non_exhaustive()
    }
}
