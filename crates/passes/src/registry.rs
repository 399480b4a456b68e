//! The one list of all passes, in the order of a round.

use crate::{
    Gate, Input, Proposal, canonical, constants, couplings, encoded, formals, globals, hdd, inline,
    inside, joins, layers, levels, macros, members, merges, names, nesting, parameters, perses,
    pool, qualifiers, records, returns, rewrites, scalars, soup, structure, substitutes, tokens,
    typedefs,
};

/// One pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name in messages and statistics.
    pub name: &'static str,
    /// The edits that it tries, in words for the certificate.
    pub edits: &'static str,
    /// What to try next; `None` when nothing new is left.
    pub propose: fn(&Input<'_>) -> Option<Proposal>,
    /// How its edits are checked before a test.
    pub gate: Gate,
    /// Whether it runs only on demand.
    pub thorough: bool,
}

impl Pass {
    /// Whether all its edits are among those of another pass, so that the certificate need not
    /// name it.
    pub fn is_part_of_another(&self) -> bool {
        self.edits == PART
    }
}

const PART: &str = "part of structure";

/// A pass whose edits are all among those of `structure`: it only comes earlier.
const fn coarse(name: &'static str, propose: fn(&Input<'_>) -> Option<Proposal>) -> Pass {
    Pass { name, edits: PART, propose, gate: Gate::Facts, thorough: false }
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

/// A pass that is a published algorithm of its own.
const fn classic(
    name: &'static str,
    edits: &'static str,
    propose: fn(&Input<'_>) -> Option<Proposal>,
) -> Pass {
    Pass { name, edits, propose, gate: Gate::Facts, thorough: false }
}

/// Our own passes whose edits may make the text larger.
pub const GROWING: &[Pass] = &[
    growing("unfold", "put a function's body in the place of its calls", inline::propose),
    growing("expand", "give a part a larger form", rewrites::propose_larger),
];

/// A pass whose results are kept only if something smaller comes of them.
const fn growing(
    name: &'static str,
    edits: &'static str,
    propose: fn(&Input<'_>) -> Option<Proposal>,
) -> Pass {
    Pass { name, edits, propose, gate: Gate::Grows, thorough: false }
}

/// Our own passes, and those whose edits may make the text larger, in the order in which they run.
pub fn own() -> impl Iterator<Item = &'static Pass> {
    PASSES.iter().chain(GROWING)
}

/// Every pass that there is, our own first.
pub fn known() -> impl Iterator<Item = &'static Pass> {
    own().chain([&HDD, &HDDR, &PERSES])
}

/// Our own passes.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "qualifiers",
        edits: "drop all qualifiers of one spelling",
        propose: qualifiers::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    coarse(pool::NAME, pool::propose),
    Pass {
        name: layers::NAME,
        edits: "drop nodes of one level of nesting",
        propose: layers::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    coarse("chains", structure::propose_chains),
    coarse("top", structure::propose_top),
    coarse("hollow", structure::propose_hollow),
    coarse("lists", structure::propose_lists),
    Pass {
        name: names::NAME,
        edits: "take a name out with all that mentions it",
        propose: names::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: couplings::NAME,
        edits: "drop an element with the style rules and statements that speak of it",
        propose: couplings::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: structure::NAME,
        edits: "drop a list element or an optional part; \
                put a smaller node or the least text in a node's place",
        propose: structure::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: canonical::NAME,
        edits: "shorten a name or a literal",
        propose: canonical::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: typedefs::NAME,
        edits: "put the type in the place of its name",
        propose: typedefs::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: macros::NAME,
        edits: "put what a macro stands for in its place",
        propose: macros::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: records::NAME,
        edits: "define a record where it is used first",
        propose: records::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: members::NAME,
        edits: "drop a member with its initial values",
        propose: members::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: scalars::NAME,
        edits: "put the only member of a record in its place",
        propose: scalars::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: parameters::NAME,
        edits: "drop a parameter with its arguments",
        propose: parameters::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: returns::NAME,
        edits: "make a function return nothing",
        propose: returns::propose,
        gate: Gate::Facts,
        thorough: true,
    },
    Pass {
        name: "levels",
        edits: "take a level of pointer or array from a name",
        propose: levels::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: "inline",
        edits: "put a function's body in the place of its calls",
        propose: inline::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: "joins",
        edits: "join neighbouring declarations",
        propose: joins::propose,
        gate: Gate::Reparse,
        thorough: false,
    },
    Pass {
        name: soup::NAME,
        edits: "drop one tag, or both tags of an element, where the grammar demands them",
        propose: soup::propose,
        gate: Gate::Reparse,
        thorough: false,
    },
    Pass {
        name: tokens::NAME,
        edits: "drop one token or two neighbours",
        propose: tokens::propose,
        gate: Gate::Reparse,
        thorough: false,
    },
    Pass {
        name: nesting::NAME,
        edits: "close elements in the order in which they were opened",
        propose: nesting::propose,
        gate: Gate::Reparse,
        thorough: false,
    },
    Pass {
        name: inside::NAME,
        edits: "cut words and signs out of a comment or another leaf of several tokens",
        propose: inside::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: encoded::NAME,
        edits: "take a part out of a text that is encoded (as Base64)",
        propose: encoded::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: merges::NAME,
        edits: "use one name for two and drop a declaration",
        propose: merges::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: "rewrites",
        edits: "give a part another form (as the language's manifest says)",
        propose: rewrites::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: globals::NAME,
        edits: "declare a local name outside of its function",
        propose: globals::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: formals::NAME,
        edits: "make a variable a parameter",
        propose: formals::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: substitutes::NAME,
        edits: "put what gives a name its value in the place of its use",
        propose: substitutes::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: constants::NAME,
        edits: "put the least value in the place of a name",
        propose: constants::propose,
        gate: Gate::Facts,
        thorough: false,
    },
    Pass {
        name: "windows",
        edits: "drop three or four neighbouring tokens",
        propose: tokens::propose_windows,
        gate: Gate::Reparse,
        thorough: true,
    },
];
