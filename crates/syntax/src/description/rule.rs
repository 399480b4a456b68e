//! Rules: passes that files of a language describe, compiled to plain data.
//!
//! A rule has a subject, captures that lead from it to other nodes, conditions, and edits that only
//! make sense together. Each match is one item of the pass's proposal. Nothing here knows how texts
//! of rules are written, nor how their items are searched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Capture, Field, FieldRole, Kind, Pattern, Role};

/// A pass whose items are the matches of rules.
#[derive(Clone, Debug)]
pub struct RulePass {
    /// Its name: that of the file.
    pub name: &'static str,
    /// The edits that it tries, in words for the certificate.
    pub edits: &'static str,
    /// The search over the matches.
    pub search: RuleSearch,
    /// How the edits are checked before a test.
    pub gate: RuleGate,
    /// The pass that it follows in the order of a round.
    pub after: &'static str,
    /// Whether all its edits are among those of other passes: it only comes earlier.
    pub coarse: bool,
    /// Whether it waits until the text is small, since other passes win more before.
    pub late: bool,
    /// Whether only the first form of each node is proposed, except in the sweep.
    pub first_only: bool,
    /// Whether forms that are not smaller are tried, too, as long as something smaller comes of
    /// them.
    pub grows: bool,
    /// The rules.
    pub rules: Rules,
}

/// The rules of a pass.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    all: Vec<Rule>,
    by_kind: BTreeMap<Kind, Vec<usize>>,
}

/// How the matches of a pass are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleSearch {
    /// All at once first: most will work.
    #[default]
    All,
    /// All at once first, then halves.
    Halves,
    /// Single matches first, in groups that grow with success; largest first.
    Gallop,
    /// One after the other.
    Single,
}

/// How the edits of a rule are checked before a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleGate {
    /// By what the grammar allows.
    #[default]
    Facts,
    /// Only by reading the new text.
    Reparse,
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The kinds of nodes that it is about.
    pub subjects: BTreeSet<Kind>,
    /// What such a node must look like; any node will do without.
    pub pattern: Option<Pattern>,
    /// The number of captures, of which the first is the subject.
    pub captures: usize,
    /// What the other captures stand for, each after those that it starts from.
    pub bindings: Vec<Binding>,
    /// Paths that must lead somewhere.
    pub present: Vec<NodePath>,
    /// Paths that must lead nowhere.
    pub absent: Vec<NodePath>,
    /// Matches that agree in these are one: names by what they mean, others by their number among
    /// those that were found with them.
    pub once: Vec<Capture>,
    /// The edits that go together.
    pub edits: Vec<RuleEdit>,
    /// Fewer changed nodes are not a match.
    pub least_edits: usize,
    /// Where the rule stands, and its form in words.
    pub rule: Arc<RuleName>,
}

/// How a rule is displayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleName {
    /// The file, or the language whose directory has the rule.
    pub origin: String,
    /// What it makes of what.
    pub form: String,
}

/// What a capture stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The capture.
    pub capture: Capture,
    /// The nodes that these lead to, in this order.
    pub paths: Vec<NodePath>,
    /// How many there may be.
    pub quantity: Quantity,
}

/// How many nodes a capture stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// At least one: without, the rule does not match.
    Some,
    /// Any number.
    Any,
    /// One: the rule matches once for each node.
    Each,
}

/// A way from captured nodes to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePath {
    /// Where it starts.
    pub from: Capture,
    /// What leads on.
    pub steps: Vec<PathStep>,
}

/// One step of a path. Most lead from each node to others; some choose among the nodes reached so
/// far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// To the child in one of these fields of the grammar.
    Field(Vec<Field>),
    /// To the child that is this part of a node.
    Part(FieldRole),
    /// To the named children.
    Children,
    /// To the children that are signs and keywords.
    Tokens,
    /// To all children.
    All,
    /// To the children between brackets.
    Inner,
    /// To the children up to the last one of these.
    Until(Selector),
    /// To the uppermost nodes below of these.
    Below(Selector),
    /// To all nodes below of these.
    Within(Selector),
    /// To the leaves.
    Leaves,
    /// To the parent, if it is one of these.
    Parent(Selector),
    /// To the innermost node around that is one of these.
    Around(Selector),
    /// To the outermost node around that is one of these.
    Outermost(Selector),
    /// To the outermost node around of these whose end this one is.
    Climb(Selector),
    /// To the next sibling that is no comment.
    Next,
    /// To the innermost node that is all of this one.
    Whole,

    /// To all mentions of a name, itself included.
    Mentions,
    /// To the other mentions of a name.
    Uses,
    /// To the name that a declaration declares.
    Declared,
    /// To the nodes that declare a name each.
    Declarators,
    /// To what has to go for each declared name: all of a declaration that declares one only.
    Members,
    /// To the declaration that a name, or a qualified one, is the name of.
    Definition,
    /// To another name that a type has.
    OtherName,
    /// To the name of the function that a list of parameters belongs to.
    FunctionName,
    /// From a mention of a function to its list of parameters or arguments.
    List,
    /// From a mention of a type to the lists of values of what is made with it.
    Values,
    /// From a text that a script looks elements up by to the names of the last elements that it may
    /// be about.
    LookedUp,
    /// To the initial values, each with its sign.
    Initials,
    /// To the children that say the least type, where the language lets it be left out.
    Implied,
    /// From a list to the element at the place that the captured node has among those found with
    /// it.
    Column(Capture),

    /// Those that are one of these.
    Is(Selector),
    /// Those that are none of these.
    Not(Selector),
    /// Those whose parent is one of these.
    Under(Selector),
    /// Those whose parent is not one of these.
    NotUnder(Selector),
    /// Those of more tokens than this.
    Longer(u32),
    /// Those that read like the first captured node.
    Same(Capture),
    /// Those that read like this.
    Reads(Arc<[u8]>),
    /// Those that do not read like this.
    Unlike(Arc<[u8]>),
    /// All of them, if together they read like the captured nodes.
    Like(Capture),
    /// Those that are below a captured node, or are one.
    In(Capture),
    /// Those that are neither below a captured node nor one.
    Outside(Capture),
    /// Those that are around no captured node.
    Without(Capture),
    /// Those before the first captured node.
    Before(Capture),
    /// Those after the last captured node.
    After(Capture),
    /// The first captured node and those after it.
    From(Capture),
    /// Those that the grammar can do without.
    Droppable,
    /// Those that it cannot do without.
    Fixed,
    /// Those that are the first named child of their parent.
    Leading,
    /// Those that are the last named child of their parent.
    Trailing,
    /// Those whose name nothing else mentions.
    Alone,

    /// The first one.
    First,
    /// The last one.
    Last,
    /// All but the first.
    Rest,
    /// All but the last.
    Most,
    /// The only one; none if there are several.
    Only,
    /// At most this many, the last ones.
    Lasts(usize),
}

/// Which nodes are meant: those that fit one of these, any if there are none.
pub type Selector = Vec<Wanted>;

/// Which nodes are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those that play a role.
    Role(Role),
    /// Those of a kind.
    Kind(Kind),
    /// Those that stand in a field of their parent.
    Field(Field),
    /// Names.
    Name,
}

/// One of the edits that go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleEdit {
    /// The nodes that the edit is made for, one after the other.
    pub each: Vec<NodePath>,
    /// The capture that stands for that node.
    pub this: Capture,
    /// What further captures stand for, for that node.
    pub bindings: Vec<Binding>,
    /// Paths that must lead somewhere.
    pub present: Vec<NodePath>,
    /// Paths that must lead nowhere.
    pub absent: Vec<NodePath>,
    /// Whether the whole rule does not match where this edit cannot be made for one of the nodes.
    pub must: bool,
    /// The nodes that change: the node itself, if empty.
    pub at: Vec<NodePath>,
    /// The change.
    pub action: RuleAction,
}

/// What becomes of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// It goes.
    Drop,
    /// A mention of a name goes, with as much around it as the grammar demands: the outermost
    /// expression, or if `narrow` the innermost that has a value without the name.
    Remove {
        /// Whether what is assigned stays.
        narrow: bool,
    },
    /// It becomes the least text that its place takes.
    Least,
    /// A new text comes.
    Put(Put),
}

/// A text that is put somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// The text from left to right.
    pub template: Vec<TemplatePart>,
    /// Its kind in the tree, where it is known.
    pub kind: Option<Kind>,
    /// What stands between the nodes of a capture of several, and before what is added to a list.
    pub separator: Option<Arc<[u8]>>,
    /// The nodes of a capture of several become one token with this text between them.
    pub joint: Option<Arc<[u8]>>,
    /// Where it comes.
    pub place: Placement,
    /// Whether captured nodes from elsewhere come with the edits that are made in them, not as they
    /// read now.
    pub with_edits: bool,
    /// Names that the first capture declares stand for what the second one has at the same place.
    pub substitute: Option<(Capture, Capture)>,
}

/// Where a text comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Instead of the node.
    #[default]
    Instead,
    /// Before it.
    Before,
    /// After it.
    After,
    /// Into it, as its last element.
    Into,
}

/// One part of a new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// A new token.
    Token(Arc<[u8]>),
    /// The captured node.
    Node(Capture),
    /// All captured nodes, any number.
    Nodes(Capture),
    /// What the captured string says, as a name: see [`name_in`](crate::name_in).
    NameIn(Capture),
    /// Any name of this namespace that something in the document has: one form for each.
    NameOf(Arc<str>),
    /// A property that the style rules of the captured class declare, as a name: one form for each
    /// declaration.
    DeclaredProperty(Capture),
    /// The value of that property, in quotes.
    DeclaredValue(Capture),
    /// A name that nothing has.
    Fresh,
}

impl Rules {
    /// Returns all of them.
    pub fn all(&self) -> &[Rule] {
        &self.all
    }

    /// Returns the kinds of nodes that any rule is about.
    pub fn subjects(&self) -> impl Iterator<Item = Kind> + '_ {
        self.by_kind.keys().copied()
    }

    /// Returns the numbers of the rules that are about a kind of nodes.
    pub fn about(&self, kind: Kind) -> &[usize] {
        self.by_kind.get(&kind).map_or(&[], Vec::as_slice)
    }
}

impl Extend<Rule> for Rules {
    fn extend<T: IntoIterator<Item = Rule>>(&mut self, rules: T) {
        for rule in rules {
            for &kind in &rule.subjects {
                self.by_kind.entry(kind).or_default().push(self.all.len());
            }
            self.all.push(rule);
        }
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<T: IntoIterator<Item = Rule>>(rules: T) -> Self {
        let mut all = Self::default();
        all.extend(rules);
        all
    }
}
