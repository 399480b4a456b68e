//! The one list of all passes, in the order of a round.

use crate::declarations::{
    combine_members, join_numbers, member_to_global, merge_classes, remove_dominated,
    remove_unused, specifiers, stand_ins, template_parameter,
};
use crate::expressions::{constants, copy_propagation, expand_macro, inline, reduce_numbers};
use crate::markup::{end_tags, share_style, shorthands, style_rules, tag_soup};
use crate::names::{
    merge_names, name_numbers, normalize, remove_linked, remove_symbol, remove_with_unused,
};
use crate::published::{hdd, perses};
use crate::rules;
use crate::structure::{delete_and_hoist, flat, main_file, remove_column, unwrap};
use crate::tokens::{encoded_text, remove_tokens, split_leaves};
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
        Self {
            name: rules.name,
            edits: rules.edits,
            source: Source::Rules,
            gate,
            thorough: false,
            certifies: !rules.coarse,
        }
    }
}

/// Returns our own passes for a language in the order of a round: those that are functions, and
/// each pass of rules after the one that it follows.
pub fn of(language: &Language) -> Vec<Pass> {
    let mut passes = PASSES.to_vec();
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

/// Returns a pass whose edits are all among those of `delete-and-hoist`: it only comes earlier.
const fn coarse(
    name: &'static str,
    edits: &'static str,
    propose: fn(&PassContext<'_>) -> Option<Proposal>,
) -> Pass {
    let source = Source::Function(propose);
    Pass { name, edits, source, gate: Gate::Facts, thorough: false, certifies: false }
}

/// The only pass of HDD.
pub const HDD: Pass = classic("hdd", "prune a node", hdd::propose_levels);

/// The only pass of HDDr.
pub const HDDR: Pass = classic("hddr", "prune a node", hdd::propose_children);

/// The only pass of Perses.
pub const PERSES: Pass = classic(
    "perses",
    "drop a list element or an optional part; put a smaller node in a node's place",
    perses::propose,
);

/// Returns a pass that is a published algorithm of its own.
const fn classic(
    name: &'static str,
    edits: &'static str,
    propose: fn(&PassContext<'_>) -> Option<Proposal>,
) -> Pass {
    let source = Source::Function(propose);
    Pass { name, edits, source, gate: Gate::Facts, thorough: false, certifies: true }
}

/// Stands for candidates that come from outside. They may be larger than the current text.
pub const PROPOSE: Pass = Pass {
    name: "propose",
    edits: "what a program of the user's proposes",
    source: Source::Function(|_| None),
    gate: Gate::Reparse,
    thorough: false,
    certifies: false,
};

/// Our own passes whose edits may make the text larger.
pub const PUMPS: &[Pass] = &[
    pump("inline-pump", "put a function's body in the place of its calls", inline::propose),
    pump("rewrite-pump", "give a part a larger form", rules::propose::propose_larger),
];

/// The last of the passes whose edits are large: those behind it change how a part is written, or
/// single names and tokens.
pub const LAST_LARGE: &str = delete_and_hoist::NAME;

/// The passes that try each part of a text by itself, and most of them in vain once the others are
/// done.
pub const EXHAUSTIVE: &[&str] =
    &[delete_and_hoist::NAME, split_leaves::NAME, remove_tokens::NAME, "remove-windows"];

/// The passes that ask about the parts of a text one by one, and win little by each question where
/// a text must stay valid.
pub const ONE_BY_ONE: &[&str] = &[remove_dominated::LATE, delete_and_hoist::NAME];

/// The passes that only have a turn at the end of a sweep, when no edit of the others works any
/// more. They win no token, and what they change might keep others from winning some.
pub const LAST: &[&str] = &[reduce_numbers::NAME];

/// Returns a pass whose results are kept only if something smaller comes of them.
const fn pump(
    name: &'static str,
    edits: &'static str,
    propose: fn(&PassContext<'_>) -> Option<Proposal>,
) -> Pass {
    let source = Source::Function(propose);
    Pass { name, edits, source, gate: Gate::Pump, thorough: false, certifies: true }
}

/// Returns our own passes that are functions, then the pumps, in the order in which they run.
pub fn own() -> impl Iterator<Item = Pass> {
    PASSES.iter().chain(PUMPS).copied()
}

/// Returns every pass that there is, our own first.
pub fn known() -> impl Iterator<Item = Pass> {
    own().chain([HDD, HDDR, PERSES])
}

/// Our own passes.
pub const PASSES: &[Pass] = &[
    Pass {
        name: name_numbers::NAME,
        edits: "give a name to what only has a number",
        source: Source::Function(name_numbers::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        gate: Gate::Graph,
        ..coarse(
            remove_unused::NAME,
            "drop declarations that nothing else mentions",
            remove_unused::propose,
        )
    },
    coarse(
        main_file::NAME,
        "drop or replace parts of the file behind all headers",
        main_file::propose,
    ),
    Pass {
        gate: Gate::Graph,
        ..coarse(
            "remove-roots",
            "drop declarations that nothing else needs, with what only they need",
            remove_dominated::propose_roots,
        )
    },
    Pass {
        name: "remove-specifiers",
        edits: "drop all qualifiers of one spelling",
        source: Source::Function(specifiers::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    coarse(flat::NAME, "drop neighbouring nodes, however deep they lie", flat::propose),
    Pass {
        name: unwrap::NAME,
        edits: "drop nodes of one level of nesting",
        source: Source::Function(unwrap::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    coarse(
        "unwrap-chain",
        "put what is deep inside in the place of what is around it",
        delete_and_hoist::propose_chains,
    ),
    coarse("largest-lists", "drop elements of the largest lists", delete_and_hoist::propose_top),
    Pass {
        gate: Gate::Graph,
        ..coarse(
            stand_ins::NAME,
            "leave of a class only what it can do, without bases and bodies",
            stand_ins::propose,
        )
    },
    Pass {
        gate: Gate::Graph,
        ..coarse(
            remove_dominated::NAME,
            "drop a part with what only it needs",
            remove_dominated::propose,
        )
    },
    coarse("hollow", "empty all bodies at once", delete_and_hoist::propose_hollow),
    coarse("lists", "drop elements of all lists", delete_and_hoist::propose_lists),
    Pass {
        name: style_rules::VARIABLES,
        edits: "put the value of a property in the place of its uses",
        source: Source::Function(style_rules::propose_variables),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: style_rules::JOIN,
        edits: "move the declarations of a style rule into its neighbour",
        source: Source::Function(style_rules::propose_joins),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: style_rules::INLINE,
        edits: "move the declarations of a style rule into an element",
        source: Source::Function(style_rules::propose_inline),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: shorthands::NAME,
        edits: "make one declaration of several that a shorthand stands for, or of its values",
        source: Source::Function(shorthands::propose),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: share_style::NAME,
        edits: "move what several elements declare into one style rule",
        source: Source::Function(share_style::propose),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    coarse(
        remove_with_unused::NAME,
        "drop a part with what only it uses",
        remove_with_unused::propose,
    ),
    Pass {
        name: remove_symbol::NAME,
        edits: "take a name out with all that mentions it",
        source: Source::Function(remove_symbol::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: remove_linked::NAME,
        edits: "drop an element with the style rules and statements that speak of it",
        source: Source::Function(remove_linked::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        gate: Gate::Graph,
        ..coarse(
            remove_dominated::LATE,
            "drop a part of a smaller text with what only it needs",
            remove_dominated::propose_late,
        )
    },
    Pass {
        name: delete_and_hoist::NAME,
        edits: "drop a list element or an optional part; \
                put a smaller node or the least text in a node's place",
        source: Source::Function(delete_and_hoist::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: normalize::NAME,
        edits: "shorten a name or a literal",
        source: Source::Function(normalize::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: expand_macro::NAME,
        edits: "put what a macro stands for in its place",
        source: Source::Function(expand_macro::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: remove_column::NAME,
        edits: "drop the same place of neighbouring lists of equal length",
        source: Source::Function(remove_column::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: template_parameter::NAME,
        edits: "put the least type or value in the place of a template's parameter",
        source: Source::Function(template_parameter::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: merge_classes::NAME,
        edits: "make one class of two, such as a base and a class that is derived from it",
        source: Source::Function(merge_classes::propose),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: member_to_global::NAME,
        edits: "take a member, or all of them, out of a class",
        source: Source::Function(member_to_global::propose),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: "inline",
        edits: "put a function's body in the place of its calls",
        source: Source::Function(inline::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: merge_names::NAME,
        edits: "use one name for two and drop a declaration",
        source: Source::Function(merge_names::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: tag_soup::NAME,
        edits: "drop one tag, or both tags of an element, where the grammar demands them",
        source: Source::Function(tag_soup::propose),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: remove_tokens::NAME,
        edits: "drop one token or two neighbours",
        source: Source::Function(remove_tokens::propose),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: end_tags::NAME,
        edits: "close elements in the order in which they were opened",
        source: Source::Function(end_tags::propose),
        gate: Gate::Reparse,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: split_leaves::NAME,
        edits: "cut words and signs out of a comment, a quoted text or another leaf of several words",
        source: Source::Function(split_leaves::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: encoded_text::NAME,
        edits: "take a part out of a text that is encoded (as Base64)",
        source: Source::Function(encoded_text::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: join_numbers::NAME,
        edits: "drop one of two neighbours and add its number to the other's",
        source: Source::Function(join_numbers::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: combine_members::NAME,
        edits: "make one array of neighbours that nothing else mentions",
        source: Source::Function(combine_members::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: copy_propagation::NAME,
        edits: "put what gives a name its value in the place of its use",
        source: Source::Function(copy_propagation::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: constants::NAME,
        edits: "put the least value in the place of a name",
        source: Source::Function(constants::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
    Pass {
        name: "remove-windows",
        edits: "drop three or four neighbouring tokens",
        source: Source::Function(remove_tokens::propose_windows),
        gate: Gate::Reparse,
        thorough: true,
        certifies: true,
    },
    Pass {
        name: reduce_numbers::NAME,
        edits: "put a smaller number in the place of equal numbers",
        source: Source::Function(reduce_numbers::propose),
        gate: Gate::Facts,
        thorough: false,
        certifies: true,
    },
];
