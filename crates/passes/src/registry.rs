//! The one list of all passes, in the order of a round.

use crate::declarations::{join_sizes, member_to_global, specifiers, template_parameter};
use crate::expressions::{constants, copy_propagation, inline, reduce_numbers};
use crate::framework::limits::{ENDING_TEXT, SHORT_TEXT, SMALL_TEXT};
use crate::graph::{demanded, dominated, unused};
use crate::markup::{end_tags, style_rules, tag_soup};
use crate::names::{
    merge_names, name_numbers, normalize, remove_linked, remove_symbol, remove_with_unused,
};
use crate::rules;
use crate::structure::{coarse, delete_and_hoist, inline_files, remove_column, remove_files};
use crate::tokens::{encoded_text, overwrite, remove_tokens, split_leaves};
use crate::{Gate, PassContext, Proposal};
use minirepro_rules::{Refusal, RuleGate, RulePass, passes as rules_of};
use minirepro_syntax::{Language, NodeId};

/// Reads a table of passes: how the edits of each are checked, the size of the largest text that it
/// is for, its attributes, its name, its function, its edits.
macro_rules! passes {
    ($(
        $([$($checked:ident)+])? $(($size:ident))? $({$($attribute:ident)+})?
        $name:literal $propose:path:
        $edits:literal;
    )*) => {
        &[$(
            Pass::new($name, $edits, $propose)
                $($(.$checked())+)?
                $(.up_to($size))?
                $(.with(&[$(Attribute::$attribute),+]))?
        ),*]
    };
}

/// One pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name in messages and statistics.
    pub name: &'static str,
    /// The edits that it tries, in words for the certificate.
    pub edits: &'static str,
    /// What its proposals come from, in all languages; else from the rules of its name in each.
    propose: Option<fn(&PassContext<'_>) -> Option<Proposal>>,
    /// How its edits are checked before a test.
    pub gate: Gate,
    /// Whether a certificate names it. It need not if all its edits are among those of another
    /// pass.
    pub certifies: bool,
    /// The tokens of the largest text that it is for: in others, its edits win too little.
    largest: u32,
    attributes: &'static [Attribute],
}

/// What sets a pass apart from others, for those who order them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
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
    /// Its successes show which definitions can go with their last use.
    Teaches,
    /// It is about the files of a directory.
    OfDirectories,
}

impl Pass {
    /// Creates a pass of a function. The grammar checks its edits, and the certificate names it.
    const fn new(
        name: &'static str,
        edits: &'static str,
        propose: fn(&PassContext<'_>) -> Option<Proposal>,
    ) -> Self {
        let (propose, gate, largest) = (Some(propose), Gate::Facts, u32::MAX);
        Self { name, edits, propose, gate, certifies: true, largest, attributes: &[] }
    }

    /// Leaves it to the certificate of another pass, since all edits are among those of that one.
    const fn coarse(self) -> Self {
        Self { certifies: false, ..self }
    }

    const fn reparse(self) -> Self {
        Self { gate: Gate::Reparse, ..self }
    }

    const fn graph(self) -> Self {
        Self { gate: Gate::Graph, ..self.coarse() }
    }

    const fn pump(self) -> Self {
        Self { gate: Gate::Pump, ..self }
    }

    const fn up_to(self, largest: u32) -> Self {
        Self { largest, ..self }
    }

    const fn with(self, attributes: &'static [Attribute]) -> Self {
        Self { attributes, ..self }
    }

    /// Returns whether it has an attribute.
    pub fn is(&self, attribute: Attribute) -> bool {
        self.attributes.contains(&attribute)
    }

    /// Returns what to try next; `None` when nothing new is left.
    pub fn propose(&self, cx: &PassContext<'_>) -> Option<Proposal> {
        if cx.tokens(NodeId::ROOT) > self.largest {
            return None;
        }
        match self.propose {
            Some(_) if !self.certifies && cx.is_sweep() => None,
            Some(propose) => propose(cx),
            None => rules::propose(cx, self.rules(cx)?),
        }
    }

    /// Returns the parts that look as a rule of the pass wants them although it does not match.
    pub fn refusals(&self, cx: &PassContext<'_>) -> Vec<Refusal> {
        self.rules(cx).map(|rules| rules::refusals(cx, rules)).unwrap_or_default()
    }

    /// Returns the rules of the pass's name.
    fn rules<'a>(&self, cx: &PassContext<'a>) -> Option<&'a RulePass> {
        rules_of(cx.language).iter().find(|rules| rules.name == self.name)
    }

    /// Returns the pass of a file of rules.
    fn of_rules(rules: &RulePass) -> Self {
        let gate = match rules.gate {
            RuleGate::Facts => Gate::Facts,
            RuleGate::Reparse => Gate::Reparse,
        };
        let &RulePass { name, edits, late, .. } = rules;
        let largest = if late { SMALL_TEXT } else { u32::MAX };
        Self { name, edits, propose: None, gate, certifies: true, largest, attributes: &[] }
    }
}

/// Returns our own passes for a language in the order of a round: those that are functions, and
/// each pass of rules after the one that it follows.
pub fn of(language: &Language) -> Vec<Pass> {
    let mut passes = PASSES.to_vec();
    let has_files = language.roles.files.is_some();
    passes.retain(|pass| has_files || !pass.is(Attribute::OfDirectories));
    let rules = rules_of(language).iter().map(|rules| (Pass::of_rules(rules), rules.after));
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
pub const PROPOSE: Pass =
    Pass::new("propose", "what a program of the user's proposes", |_| None).coarse().reparse();

/// Our own passes whose edits may make the text larger.
pub const PUMPS: &[Pass] = passes! {
    [pump] "inline-pump" inline::propose: "put a function's body in the place of its calls";
    [pump] "rewrite-pump" rules::propose_larger: "give a part a larger form";
};

/// What all rules that may grow make larger.
pub const LARGER_FORMS: Pass = PUMPS[1];

/// Returns our own passes that are functions, then the pumps, in the order in which they run.
pub fn own() -> impl Iterator<Item = Pass> {
    PASSES.iter().chain(PUMPS).copied()
}

/// Our own passes.
pub const PASSES: &[Pass] = passes! {
    {OfDirectories} "remove-files" remove_files::propose:
        "drop a file of a directory, with what mentions it in the others";
    [graph] {Demanded} "keep-demanded" demanded::propose:
        "drop declarations that no message of a tool demands";
    "name-numbers" name_numbers::propose: "give a name to what only has a number";
    [graph] "remove-unused" unused::propose: "drop declarations that nothing else mentions";
    [graph] "remove-roots" dominated::propose_roots:
        "drop declarations that nothing else needs, with what only they need";
    "remove-specifiers" specifiers::propose: "drop all qualifiers of one spelling";
    [coarse] "flat" coarse::propose_pool: "drop neighbouring nodes, however deep they lie";
    "unwrap" coarse::propose_levels: "drop nodes of one level of nesting";
    [graph] "kinds" coarse::propose_sort: "drop everything of one sort, wherever it stands";
    [coarse] "unwrap-chain" coarse::propose_chains:
        "put what is deep inside in the place of what is around it";
    [coarse reparse] "overwrite" overwrite::propose:
        "overwrite pieces of a binary file with a filler";
    [coarse] "largest-lists" coarse::propose_top: "drop elements of the largest lists";
    [graph] "remove-dominated" dominated::propose: "drop a part with what only it needs";
    [coarse] "hollow" coarse::propose_hollow: "empty all bodies at once";
    [coarse] "lists" coarse::propose_lists: "drop elements of all lists";
    [coarse reparse] "overwrite-late" overwrite::propose_late:
        "overwrite pieces of a file of known form with a filler";
    {OfDirectories} "inline-files" inline_files::propose:
        "put what a file of a directory holds in the place of what includes it";
    [reparse] (ENDING_TEXT) "inline-style" style_rules::propose_inline:
        "move the declarations of a style rule into an element";
    [coarse] {Teaches} "remove-with-unused" remove_with_unused::propose:
        "drop a part with what only it uses";
    "remove-symbol" remove_symbol::propose: "take a name out with all that mentions it";
    "remove-linked" remove_linked::propose:
        "drop an element with the style rules and statements that speak of it";
    [graph] {OneByOne} "remove-dominated-late" dominated::propose_late:
        "drop a part of a smaller text with what only it needs";
    {EndsLarge Exhaustive OneByOne} "delete-and-hoist" delete_and_hoist::propose:
        "drop a list element or an optional part; put a smaller node or the least text in a node's place";
    [reparse] "overwrite-bytes" overwrite::propose_bytes:
        "overwrite a byte of a binary file with a filler";
    "normalize" normalize::propose: "shorten a name or a literal";
    "remove-column" remove_column::propose:
        "drop the same place of neighbouring lists of equal length";
    "instantiate-template-param" template_parameter::propose:
        "put the least type or value in the place of a template's parameter";
    [reparse] (SMALL_TEXT) "member-to-global" member_to_global::propose:
        "take a member, or all of them, out of a class";
    "inline" inline::propose: "put a function's body in the place of its calls";
    "merge-names" merge_names::propose: "use one name for two and drop a declaration";
    [reparse] (SHORT_TEXT) "tag-soup" tag_soup::propose:
        "drop one tag, or both tags of an element, where the grammar demands them";
    [reparse] {Exhaustive} "remove-tokens" remove_tokens::propose:
        "drop one token, two neighbours, or two brackets";
    [reparse] (ENDING_TEXT) "reorder-end-tags" end_tags::propose:
        "close elements in the order in which they were opened";
    {Exhaustive} "split-leaves" split_leaves::propose:
        "cut words and signs out of a comment, a quoted text or another leaf of several words";
    "encoded-text" encoded_text::propose: "take a part out of a text that is encoded (as Base64)";
    (ENDING_TEXT) "join-sizes" join_sizes::propose:
        "add the number of one neighbour to that of the other; make one array of several names";
    "copy-propagation" copy_propagation::propose:
        "put what gives a name its value in the place of its use";
    "name-to-constant" constants::propose: "put the least value in the place of a name";
    (ENDING_TEXT) {Last} "reduce-numbers" reduce_numbers::propose:
        "put a smaller number in the place of equal numbers";
};
