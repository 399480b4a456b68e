//! The one list of all passes, in the order of a round.

use minirepro_rules::{Refusal, RulePass, passes as rules_of};
use minirepro_syntax::{Language, NodeId};

use crate::framework::limits::{COARSE_SHARE, ENDING_TEXT, SHORT_TEXT, SMALL_TEXT};
use crate::{Gate, PassContext, Proposal, declarations, expressions, graph};
use crate::{markup, names, rules, structure, tokens};

/// Reads a table of passes: how the edits of each are checked, the largest text that it is for, its
/// attributes, its name, its function, its edits.
macro_rules! passes {
    ($(
        $([$gate:ident])? $((largest $size:expr))? $({$($attribute:ident)+})?
        $name:literal $propose:expr => $edits:literal;
    )*) => {
        &[$(Pass {
            $(gate: Gate::$gate,)?
            $(largest: $size,)?
            $(attributes: &[$(Attribute::$attribute),+],)?
            ..Pass::new($name, $edits, Some($propose))
        }),*]
    };
}

/// A function that returns what to try next.
type Propose = fn(&PassContext<'_>) -> Option<Proposal>;

/// One pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name in messages and statistics.
    pub name: &'static str,
    /// The edits that it tries, in words for the certificate.
    pub edits: &'static str,
    /// What its proposals come from, in all languages; else from the rules of its name in each.
    propose: Option<Propose>,
    /// How its edits are checked before a test.
    pub gate: Gate,
    /// The tokens of the largest text that it is for: in others, its edits win too little.
    largest: u32,
    attributes: &'static [Attribute],
}

/// What sets a pass apart from others, for those who order them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// All its edits are among those of another pass, which a certificate names.
    Coarse,
    /// It has its turn when an informant is worth asking, not in the order of a round.
    Demanded,
    /// The last of those whose edits are large: the ones after it change how a part is written, or
    /// single names and tokens.
    EndsLarge,
    /// It tries each part of a text by itself, and most of them in vain once the others are done.
    Exhaustive,
    /// It asks about the parts of a text one by one, and wins little by each question where a text
    /// must stay valid.
    OneByOne,
    /// It only has a turn at the end of a sweep, when no edit of the others works any more: it wins
    /// no token, and what it changes might keep others from winning some.
    Last,
    /// It is about the files of a directory.
    OfDirectories,
    /// In a short text it may cause faults of syntax that neither the input had nor the text: the
    /// failure may be about one.
    BreaksSyntax,
}

impl Pass {
    /// Creates a pass whose edits the grammar checks, for texts of any size.
    const fn new(name: &'static str, edits: &'static str, propose: Option<Propose>) -> Self {
        Self { name, edits, propose, gate: Gate::Facts, largest: u32::MAX, attributes: &[] }
    }

    /// Returns whether it has an attribute.
    pub fn is(&self, attribute: Attribute) -> bool {
        self.attributes.contains(&attribute)
    }

    /// Returns whether a certificate names it.
    pub fn certifies(&self) -> bool {
        self.gate != Gate::Graph && !self.is(Attribute::Coarse)
    }

    /// Returns what to try next; `None` when nothing new is left.
    pub fn propose(&self, cx: &PassContext<'_>) -> Option<Proposal> {
        if cx.tokens(NodeId::ROOT) > self.largest {
            return None;
        }
        match self.propose {
            Some(_) if !self.certifies() && cx.is_sweep() => None,
            Some(propose) => propose(cx),
            None => rules::propose(cx, self.rules(cx.language)?),
        }
    }

    /// Returns the parts that look as a rule of the pass wants them although it does not match.
    pub fn refusals<'r>(&self, cx: &PassContext<'_>, language: &'r Language) -> Vec<Refusal<'r>> {
        self.rules(language).map(|rules| rules::refusals(cx, rules)).unwrap_or_default()
    }

    /// Returns the rules of the pass's name.
    fn rules<'a>(&self, language: &'a Language) -> Option<&'a RulePass> {
        rules_of(language).iter().find(|rules| rules.name == self.name)
    }

    /// Returns the pass of a file of rules.
    fn of_rules(rules: &RulePass) -> Self {
        let gate = if rules.file.reparse { Gate::Reparse } else { Gate::Facts };
        let largest = if rules.file.late { SMALL_TEXT } else { u32::MAX };
        Self { gate, largest, ..Self::new(rules.name, rules.file.head()[0], None) }
    }
}

/// Returns our own passes for a language in the order of a round: those that are functions, and
/// each pass of rules after the one that it follows.
pub fn of(language: &Language) -> Vec<Pass> {
    let mut passes = PASSES.to_vec();
    let has_files = language.roles.files.is_some();
    passes.retain(|pass| has_files || !pass.is(Attribute::OfDirectories));
    let rules =
        rules_of(language).iter().map(|rules| (Pass::of_rules(rules), rules.file.head()[1]));
    insert_rules(&mut passes, rules.collect(), |pass| pass.name);
    passes
}

/// Inserts passes of rules into a list of passes, each after the one whose name stands beside it,
/// or where rules stand that do not say which. Of several that follow one pass, the first by name
/// comes first.
pub fn insert_rules<P>(passes: &mut Vec<P>, mut rules: Vec<(P, &str)>, name: impl Fn(&P) -> &str) {
    rules.sort_by(|(a, _), (b, _)| name(b).cmp(name(a)));
    while !rules.is_empty() {
        let position = |after: &str| passes.iter().position(|pass| name(pass) == after);
        let next = rules.iter().position(|(_, after)| position(after).is_some()).unwrap_or(0);
        let at = position(rules[next].1).or_else(|| position("merge-names"));
        let (pass, _) = rules.remove(next);
        passes.insert(at.map_or(passes.len(), |at| at + 1), pass);
    }
}

/// Stands for candidates that come from outside. They may be larger than the current text.
pub const PROPOSE: Pass = passes! {
    [Reparse] {Coarse} "propose" |_| None => "what a program of the user's proposes";
}[0];

/// Our own passes whose edits may make the text larger.
pub const PUMPS: &[Pass] = passes! {
    [Pump] "inline-pump" expressions::inline::propose =>
        "put a function's body in the place of its calls";
    [Pump] "rewrite-pump" rules::propose_larger => "give a part a larger form";
};

/// What all rules that may grow make larger.
pub const LARGER_FORMS: Pass = PUMPS[1];

/// Returns our own passes that are functions, then the pumps, in the order in which they run.
pub fn own() -> impl Iterator<Item = Pass> {
    PASSES.iter().chain(PUMPS).copied()
}

/// Our own passes.
pub const PASSES: &[Pass] = passes! {
    {OfDirectories} "remove-files" structure::files::remove =>
        "drop a file of a directory, with what mentions it in the others";
    [Graph] {Demanded} "keep-demanded" graph::demanded::propose =>
        "drop declarations that no message of a tool demands";
    [Graph] "remove-unused" graph::unused::propose =>
        "drop declarations that nothing else mentions";
    "name-numbers" names::normalize::name_numbers => "give a name to what only has a number";
    "remove-specifiers" declarations::specifiers::propose => "drop all qualifiers of one spelling";
    {Coarse} "flat" structure::coarse::pool => "drop neighbouring nodes, however deep they lie";
    "unwrap" structure::coarse::levels => "drop nodes of one level of nesting";
    [Graph] "kinds" structure::coarse::sort => "drop everything of one sort, wherever it stands";
    {Coarse} "unwrap-chain" structure::coarse::chains =>
        "put what is deep inside in the place of what is around it";
    "remove-counted" structure::remove_counted::propose =>
        "drop a record with what counts it and what refers to it";
    [Reparse] {Coarse} "overwrite" tokens::overwrite::propose =>
        "overwrite pieces of a binary file with a filler";
    {Coarse} "fill-room" tokens::fill_room::propose =>
        "replace paragraphs and lines by empty room";
    {Coarse} "largest-lists" |cx| structure::coarse::lists(cx, 2) =>
        "drop elements of the largest lists";
    {Coarse} "hollow" structure::coarse::hollow => "empty all bodies at once";
    {Coarse} "lists" |cx| structure::coarse::lists(cx, COARSE_SHARE) =>
        "drop elements of all lists";
    [Reparse] {Coarse} "overwrite-late" tokens::overwrite::propose_late =>
        "overwrite pieces of a file of known form with a filler";
    {OfDirectories} "inline-files" structure::files::inline =>
        "put what a file of a directory holds in the place of what includes it";
    [Reparse] (largest ENDING_TEXT) "inline-style" markup::style_rules::propose =>
        "move the declarations of a style rule into an element";
    "remove-symbol" names::removal::symbols => "take a name out with all that mentions it";
    "remove-linked" names::removal::linked =>
        "drop an element with the style rules and statements that speak of it";
    {EndsLarge Exhaustive OneByOne} "delete-and-hoist" structure::delete_and_hoist::propose =>
        "drop a list element or an optional part; put a smaller node or the least text in a node's place";
    [Reparse] "overwrite-bytes" tokens::overwrite::propose_bytes =>
        "overwrite a byte of a binary file with a filler";
    "normalize" names::normalize::propose => "shorten a name or a literal";
    "remove-column" structure::remove_column::propose =>
        "drop the same place of neighbouring lists of equal length";
    "inline" expressions::inline::propose => "put a function's body in the place of its calls";
    "merge-names" names::merge_names::propose => "use one name for two and drop a declaration";
    [Reparse] (largest SHORT_TEXT) {BreaksSyntax} "tag-soup" markup::tag_soup::propose =>
        "drop one tag, or both tags of an element, where the grammar demands them";
    [Reparse] {Exhaustive} "remove-tokens" tokens::remove_tokens::propose =>
        "drop one token, two neighbours, or two brackets";
    (largest SHORT_TEXT) {Coarse} "keep-width" tokens::keep_width::propose =>
        "put a long name in the place of tokens that are as wide";
    [Reparse] (largest ENDING_TEXT) "reorder-end-tags" markup::end_tags::propose =>
        "close elements in the order in which they were opened";
    {Exhaustive} "split-leaves" tokens::split_leaves::propose =>
        "cut words and signs out of a comment, a quoted text or another leaf of several words";
    (largest ENDING_TEXT) "join-sizes" declarations::join_sizes::propose =>
        "add the number of one neighbour to that of the other; make one array of several names";
    "copy-propagation" expressions::copy_propagation::propose =>
        "put what gives a name its value in the place of its use";
    (largest ENDING_TEXT) {Last} "reduce-numbers" expressions::reduce_numbers::propose =>
        "put a smaller number in the place of equal numbers";
};
