//! The one list of all passes, in the order of a round.

use crate::declarations::{
    keep_demanded, member_to_global, remove_dominated, remove_unused, specifiers, stand_ins,
    template_parameter,
};
use crate::expressions::{constants, copy_propagation, expand_macro, inline, reduce_numbers};
use crate::markup::{end_tags, style_rules, tag_soup};
use crate::names::{
    merge_names, name_numbers, normalize, remove_linked, remove_symbol, remove_with_unused,
    rename_files,
};
use crate::rules;
use crate::structure::{
    delete_and_hoist, flat, inline_files, kinds, main_file, merge_files, remove_column,
    remove_files, unwrap,
};
use crate::tokens::{encoded_text, overwrite, remove_tokens, split_leaves};
use crate::{Gate, PassContext, Proposal};
use minirepro_syntax::{Language, NodeId, RuleGate, RulePass};

/// One pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name in messages and statistics.
    pub name: &'static str,
    /// The edits that it tries, in words for the certificate.
    pub edits: &'static str,
    /// Where its proposals come from.
    source: Source,
    /// How its edits are checked before a test.
    pub gate: Gate,
    /// Whether it runs only on demand.
    pub thorough: bool,
    /// Whether a certificate names it. It need not if all its edits are among those of another
    /// pass.
    pub certifies: bool,
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

/// Where the proposals of a pass come from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// A function, for all languages.
    Function(fn(&PassContext<'_>) -> Option<Proposal>),
    /// The rules of the pass's name in the language.
    Rules,
}

impl Pass {
    /// Creates a pass of a function. The grammar checks its edits, and the certificate names it.
    const fn new(
        name: &'static str,
        edits: &'static str,
        propose: fn(&PassContext<'_>) -> Option<Proposal>,
    ) -> Self {
        let source = Source::Function(propose);
        let gate = Gate::Facts;
        Self { name, edits, source, gate, thorough: false, certifies: true, attributes: &[] }
    }

    /// Leaves it to the certificate of another pass, since all edits are among those of that one.
    const fn coarse(self) -> Self {
        Self { certifies: false, ..self }
    }

    const fn checked_by(self, gate: Gate) -> Self {
        Self { gate, ..self }
    }

    const fn with(self, attributes: &'static [Attribute]) -> Self {
        Self { attributes, ..self }
    }

    /// Returns whether it has an attribute.
    pub fn is(&self, attribute: Attribute) -> bool {
        self.attributes.contains(&attribute)
    }

    const fn thorough(self) -> Self {
        Self { thorough: true, ..self }
    }

    /// Returns what to try next; `None` when nothing new is left.
    pub fn propose(&self, context: &PassContext<'_>) -> Option<Proposal> {
        match self.source {
            Source::Function(propose) => propose(context),
            Source::Rules => rules::propose::propose(context, self.rules(context)?),
        }
    }

    /// Returns the nodes that fit a rule of the pass although its edits cannot be made there.
    pub fn unmade(&self, context: &PassContext<'_>) -> Vec<NodeId> {
        self.rules(context).map(|rules| rules::propose::unmade(context, rules)).unwrap_or_default()
    }

    /// Returns the rules of the pass's name.
    fn rules<'a>(&self, context: &PassContext<'a>) -> Option<&'a RulePass> {
        context.language.roles.rules.iter().find(|rules| rules.name == self.name)
    }

    /// Returns the pass of a file of rules.
    fn of_rules(rules: &RulePass) -> Self {
        let gate = match rules.gate {
            RuleGate::Facts => Gate::Facts,
            RuleGate::Reparse => Gate::Reparse,
        };
        let &RulePass { name, edits, coarse, .. } = rules;
        let source = Source::Rules;
        Self { name, edits, source, gate, thorough: false, certifies: !coarse, attributes: &[] }
    }
}

/// The passes after which a text may stand in another file of a directory than before.
pub const MOVING_FILES: [&str; 3] = [inline_files::NAME, merge_files::NAME, rename_files::NAME];

/// Returns our own passes for a language in the order of a round: those that are functions, and
/// each pass of rules after the one that it follows.
pub fn of(language: &Language) -> Vec<Pass> {
    let mut passes = PASSES.to_vec();
    let has_files = language.roles.files.is_some();
    passes.retain(|pass| has_files || !pass.is(Attribute::OfDirectories));
    let rules = language.roles.rules.iter().map(|rules| (Pass::of_rules(rules), rules.after));
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
        let at = position(rules[next].1).or_else(|| position(merge_names::NAME));
        let (pass, _) = rules.remove(next);
        passes.insert(at.map_or(passes.len(), |at| at + 1), pass);
    }
}

/// Stands for candidates that come from outside. They may be larger than the current text.
pub const PROPOSE: Pass = Pass::new("propose", "what a program of the user's proposes", |_| None)
    .coarse()
    .checked_by(Gate::Reparse);

/// Our own passes whose edits may make the text larger.
pub const PUMPS: &[Pass] = &[
    Pass::new("inline-pump", "put a function's body in the place of its calls", inline::propose)
        .checked_by(Gate::Pump),
    LARGER_FORMS,
];

/// What all rules that may grow make larger.
pub const LARGER_FORMS: Pass =
    Pass::new("rewrite-pump", "give a part a larger form", rules::propose::propose_larger)
        .checked_by(Gate::Pump);

/// Returns our own passes that are functions, then the pumps, in the order in which they run.
pub fn own() -> impl Iterator<Item = Pass> {
    PASSES.iter().chain(PUMPS).copied()
}

/// Our own passes.
pub const PASSES: &[Pass] = &[
    Pass::new(
        remove_files::NAME,
        "drop a file of a directory, with what mentions it in the others",
        remove_files::propose,
    )
    .with(&[Attribute::OfDirectories]),
    Pass::new(
        keep_demanded::NAME,
        "drop declarations that no message of a tool demands",
        keep_demanded::propose,
    )
    .coarse()
    .checked_by(Gate::Graph)
    .with(&[Attribute::Demanded]),
    Pass::new(name_numbers::NAME, "give a name to what only has a number", name_numbers::propose),
    Pass::new(
        remove_unused::NAME,
        "drop declarations that nothing else mentions",
        remove_unused::propose,
    )
    .coarse()
    .checked_by(Gate::Graph),
    Pass::new(
        main_file::NAME,
        "drop or replace parts of the file behind all headers",
        main_file::propose,
    )
    .coarse(),
    Pass::new(
        "remove-roots",
        "drop declarations that nothing else needs, with what only they need",
        remove_dominated::propose_roots,
    )
    .coarse()
    .checked_by(Gate::Graph),
    Pass::new("remove-specifiers", "drop all qualifiers of one spelling", specifiers::propose),
    Pass::new(flat::NAME, "drop neighbouring nodes, however deep they lie", flat::propose).coarse(),
    Pass::new(unwrap::NAME, "drop nodes of one level of nesting", unwrap::propose),
    Pass::new(kinds::NAME, "drop everything of one sort, wherever it stands", kinds::propose)
        .coarse()
        .checked_by(Gate::Graph),
    Pass::new(
        "unwrap-chain",
        "put what is deep inside in the place of what is around it",
        delete_and_hoist::propose_chains,
    )
    .coarse(),
    Pass::new(
        overwrite::NAME,
        "overwrite pieces of a binary file with a filler",
        overwrite::propose,
    )
    .coarse()
    .checked_by(Gate::Reparse),
    Pass::new("largest-lists", "drop elements of the largest lists", delete_and_hoist::propose_top)
        .coarse(),
    Pass::new(
        stand_ins::NAME,
        "leave of a class only what it can do, without bases and bodies",
        stand_ins::propose,
    )
    .coarse()
    .checked_by(Gate::Graph),
    Pass::new(
        remove_dominated::NAME,
        "drop a part with what only it needs",
        remove_dominated::propose,
    )
    .coarse()
    .checked_by(Gate::Graph),
    Pass::new("hollow", "empty all bodies at once", delete_and_hoist::propose_hollow).coarse(),
    Pass::new("lists", "drop elements of all lists", delete_and_hoist::propose_lists).coarse(),
    Pass::new(
        overwrite::LATE,
        "overwrite pieces of a file of known form with a filler",
        overwrite::propose_late,
    )
    .coarse()
    .checked_by(Gate::Reparse),
    Pass::new(
        inline_files::NAME,
        "put what a file of a directory holds in the place of what includes it",
        inline_files::propose,
    )
    .with(&[Attribute::OfDirectories]),
    Pass::new(merge_files::NAME, "make two files of a directory one", merge_files::propose)
        .with(&[Attribute::OfDirectories]),
    Pass::new(
        rename_files::NAME,
        "give a file of a directory a short name; put the files of a directory where it lies",
        rename_files::propose,
    )
    .checked_by(Gate::Reparse)
    .with(&[Attribute::OfDirectories]),
    Pass::new(
        style_rules::VARIABLES,
        "put the value of a property in the place of its uses",
        style_rules::propose_variables,
    )
    .checked_by(Gate::Reparse),
    Pass::new(
        style_rules::JOIN,
        "move the declarations of a style rule into its neighbour",
        style_rules::propose_joins,
    )
    .checked_by(Gate::Reparse),
    Pass::new(
        style_rules::INLINE,
        "move the declarations of a style rule into an element",
        style_rules::propose_inline,
    )
    .checked_by(Gate::Reparse),
    Pass::new(
        remove_with_unused::NAME,
        "drop a part with what only it uses",
        remove_with_unused::propose,
    )
    .coarse()
    .with(&[Attribute::Teaches]),
    Pass::new(
        remove_symbol::NAME,
        "take a name out with all that mentions it",
        remove_symbol::propose,
    ),
    Pass::new(
        remove_linked::NAME,
        "drop an element with the style rules and statements that speak of it",
        remove_linked::propose,
    ),
    Pass::new(
        remove_dominated::LATE,
        "drop a part of a smaller text with what only it needs",
        remove_dominated::propose_late,
    )
    .coarse()
    .checked_by(Gate::Graph)
    .with(&[Attribute::OneByOne]),
    Pass::new(
        delete_and_hoist::NAME,
        "drop a list element or an optional part; \
                put a smaller node or the least text in a node's place",
        delete_and_hoist::propose,
    )
    .with(&[Attribute::EndsLarge, Attribute::Exhaustive, Attribute::OneByOne]),
    Pass::new(
        overwrite::BYTES,
        "overwrite a byte of a binary file with a filler",
        overwrite::propose_bytes,
    )
    .checked_by(Gate::Reparse),
    Pass::new(normalize::NAME, "shorten a name or a literal", normalize::propose),
    Pass::new(
        expand_macro::NAME,
        "put what a macro stands for in its place",
        expand_macro::propose,
    ),
    Pass::new(
        remove_column::NAME,
        "drop the same place of neighbouring lists of equal length",
        remove_column::propose,
    ),
    Pass::new(
        template_parameter::NAME,
        "put the least type or value in the place of a template's parameter",
        template_parameter::propose,
    ),
    Pass::new(
        member_to_global::NAME,
        "take a member, or all of them, out of a class",
        member_to_global::propose,
    )
    .checked_by(Gate::Reparse),
    Pass::new("inline", "put a function's body in the place of its calls", inline::propose),
    Pass::new(
        merge_names::NAME,
        "use one name for two and drop a declaration",
        merge_names::propose,
    ),
    Pass::new(
        tag_soup::NAME,
        "drop one tag, or both tags of an element, where the grammar demands them",
        tag_soup::propose,
    )
    .checked_by(Gate::Reparse),
    Pass::new(
        remove_tokens::NAME,
        "drop one token, two neighbours, or two brackets",
        remove_tokens::propose,
    )
    .checked_by(Gate::Reparse)
    .with(&[Attribute::Exhaustive]),
    Pass::new(
        end_tags::NAME,
        "close elements in the order in which they were opened",
        end_tags::propose,
    )
    .checked_by(Gate::Reparse),
    Pass::new(
        split_leaves::NAME,
        "cut words and signs out of a comment, a quoted text or another leaf of several words",
        split_leaves::propose,
    )
    .with(&[Attribute::Exhaustive]),
    Pass::new(
        encoded_text::NAME,
        "take a part out of a text that is encoded (as Base64)",
        encoded_text::propose,
    ),
    Pass::new(
        copy_propagation::NAME,
        "put what gives a name its value in the place of its use",
        copy_propagation::propose,
    ),
    Pass::new(constants::NAME, "put the least value in the place of a name", constants::propose),
    Pass::new(
        "remove-windows",
        "drop three or four neighbouring tokens",
        remove_tokens::propose_windows,
    )
    .checked_by(Gate::Reparse)
    .thorough()
    .with(&[Attribute::Exhaustive]),
    Pass::new(
        reduce_numbers::NAME,
        "put a smaller number in the place of equal numbers",
        reduce_numbers::propose,
    )
    .with(&[Attribute::Last]),
];
