//! What the mentions in a text say about its parts: which part needs which.

use std::collections::{HashMap, HashSet};

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::declarations::{declares, imported_name};
use crate::framework::limits::{DEFINITIONS, FAMILY, OVERLOADS};
use crate::graph::definitions::{completes, defines_type, scope_of, sign, specialises};
use crate::graph::digraph::{Holders, number};
use crate::graph::parts::{Part, inner_declaration, outermost, plain_name, words};

/// The parts that a text needs. After the numbers of all parts come those of the names.
pub(crate) struct Needs {
    /// By the number of what holds the mention: a part, or what is finer.
    pub(crate) of_holders: Vec<Vec<u32>>,
    /// The bodies of functions that it may call.
    pub(crate) calls: Vec<Vec<u32>>,
    /// Where the first two are kept, the third is needed. The first is a name or sign.
    pub(crate) together: Vec<[u32; 3]>,
    /// Of what is in no part.
    pub(crate) of_rest: Vec<u32>,
}

/// What the mentions in a text say about its parts.
pub(crate) struct Uses<'a> {
    cx: &'a PassContext<'a>,
    parts: &'a [Part],
    owners: &'a Holders,
    /// The parts that declare a name.
    declared: Parts<'a>,
    /// Those that say what a type is, or what a template is for certain arguments. They can stand
    /// after the use.
    defined: Parts<'a>,
    /// Those that say what a template is for certain arguments, by the template with them: of one
    /// name there may be more than count.
    specialised: Parts<'a>,
    /// The functions that give a sign a meaning, outside of records.
    operators: Parts<'a>,
    /// The bodies of the functions of a name.
    bodies: Parts<'a>,
    /// The names of the functions of records, and the signs of operators, by the order in which
    /// they appear.
    names: HashMap<&'a [u8], u32>,
    /// The functions of a type that give a sign a meaning: sign, type, function.
    typed: Vec<[u32; 3]>,
}

/// Parts by the name that they are about, in the order of the text.
type Parts<'a> = HashMap<&'a [u8], Vec<u32>>;

impl<'a> Uses<'a> {
    /// Finds out what each name of a text is about. Linear in the tree.
    pub(crate) fn of(cx: &'a PassContext<'a>, parts: &'a [Part], owners: &'a Holders) -> Self {
        let declared =
            named(cx, parts, owners, |at, name| declares(cx, parts[at].node, name).then_some(name));
        let mut nested = Vec::new();
        let defined = named(cx, parts, owners, |at, name| {
            let part = parts[at].node;
            let is_type = defines_type(cx, part, name);
            let around = scope_of(cx, name).filter(|_| is_type);
            let around = around.and_then(|scope| declared.get(cx.text_of(scope))?.first());
            nested.extend(around.map(|&around| (name, around, at)));
            let is_defined = specialises(cx, part, name)
                || is_type && around.is_none()
                || completes(cx, part, name);
            is_defined.then_some(name)
        });
        let specialised = named(cx, parts, owners, |at, name| {
            cx.parent(name).filter(|_| specialises(cx, parts[at].node, name))
        });
        let mut uses = Self {
            cx,
            parts,
            owners,
            declared,
            defined,
            specialised,
            operators: Parts::new(),
            bodies: Parts::new(),
            names: HashMap::new(),
            typed: Vec::new(),
        };
        // What defines a type outside of that of which it is a member is needed where both are.
        for (name, around, at) in nested {
            let name = uses.number(cx.text_of(name));
            uses.typed.push([name, around, number(at)]);
        }
        uses.add_families();
        uses.add_functions();
        uses
    }

    /// Of many functions of one name a call means one for the type of its arguments.
    fn add_families(&mut self) {
        let Self { cx, parts, .. } = *self;
        let families = self.declared.iter().filter(|(_, all)| all.len() >= FAMILY);
        // A map has its own order, which is another one in each run.
        let mut families: Vec<_> = families.map(|(&name, all)| (name, all.clone())).collect();
        families.sort_unstable();
        let of_type = |uses: &Self, at: u32| {
            let function = inner_declaration(cx, parts[at as usize].node)?;
            let declarator = plain_name(cx, function).filter(|&id| cx.is_name(id))?;
            parameter_type(cx, &uses.declared, declarator, at as usize)
        };
        let mut typed = Vec::new();
        for (name, all) in &families {
            let own = all.iter().filter_map(|&at| Some((of_type(self, at)?, at)));
            let own: Vec<(u32, u32)> = own.filter(|(of, _)| !all.contains(of)).collect();
            for (of, at) in own {
                let name = self.number(name);
                typed.push([name, of, at]);
            }
        }
        // They are no longer meant by their name alone.
        let functions: HashSet<u32> = typed.iter().map(|[_, _, function]| *function).collect();
        for (name, all) in families {
            let left = all.into_iter().filter(|at| !functions.contains(at)).collect();
            self.declared.insert(name, left);
        }
        self.typed.extend(typed);
    }

    /// Adds the functions of records, the bodies of functions, and what gives signs a meaning.
    fn add_functions(&mut self) {
        let Self { cx, parts, .. } = *self;
        for (at, part) in parts.iter().enumerate() {
            if let Some(name) = part.member {
                self.number(cx.text_of(name));
                continue;
            }
            let function = match part.is_body {
                true => cx.parent(part.node),
                false => inner_declaration(cx, part.node),
            };
            let Some(name) = function.and_then(|function| plain_name(cx, function)) else {
                continue;
            };
            if part.is_body && cx.is_name(name) {
                self.bodies.entry(cx.text_of(name)).or_default().push(number(at));
            } else if !part.is_body
                && let Some(sign) = sign(cx, name)
            {
                let sign = cx.text_of(sign);
                match parameter_type(cx, &self.declared, name, at) {
                    Some(of) => {
                        let sign = self.number(sign);
                        self.typed.push([sign, of, number(at)]);
                    }
                    None => self.operators.entry(sign).or_default().push(number(at)),
                }
            }
        }
    }

    /// Returns the number of a name, which is the next one if it has none yet.
    fn number(&mut self, name: &'a [u8]) -> u32 {
        let next = number(self.parts.len() + self.names.len());
        *self.names.entry(name).or_insert(next)
    }

    /// Returns how many names of functions of records, and signs, have a number after those of the
    /// parts.
    pub(crate) fn names(&self) -> usize {
        self.names.len()
    }

    /// Returns the number of a name of functions of records, or of a sign, after those of the
    /// parts.
    pub(crate) fn number_of(&self, name: &[u8]) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Returns which functions are needed where their record or type is kept and their name.
    fn together(&self) -> Vec<[u32; 3]> {
        let functions = self.parts.iter().enumerate().filter_map(|(at, part)| {
            let name = self.cx.text_of(part.member?);
            Some([self.number_of(name)?, number(part.outer?), number(at)])
        });
        functions.chain(self.typed.iter().copied()).collect()
    }

    /// Returns what each part cannot do without, and the rest of the text: by the number of what
    /// `holds` each node, which is its part or something finer in it, of `count` numbers in all.
    pub(crate) fn needs(&self, holds: &Holders, count: usize) -> Needs {
        let Self { cx, parts, owners, .. } = *self;
        let mut needs: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut of_rest = Vec::new();
        let mut calls: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut constant = Vec::new();
        let mut together = self.together();
        // The part that a mention outside of all parts would be.
        let mut next = 0;
        for id in cx.ids().filter(|&id| cx.is_leaf(id)) {
            while parts.get(next).is_some_and(|part| part.node <= id) {
                next += 1;
            }
            let text = cx.text_of(id);
            let Some(part) = owners.get(id) else {
                // A namespace is not what it is named like.
                let names = |id| cx.is(Role::Namespace, id);
                of_rest.extend(self.number_of(text));
                if cx.is_name(id) && !cx.parent(id).is_some_and(names) {
                    of_rest.extend(self.defined.get(text).into_iter().flatten().take(DEFINITIONS));
                    of_rest.extend(before(&self.declared, text, next));
                } else if cx.is_unread(id) {
                    of_rest.extend(words(text).flat_map(|word| before(&self.declared, word, next)));
                    of_rest.extend(words(text).filter_map(|word| self.number_of(word)));
                }
                continue;
            };
            let holder = holds.get(id).unwrap_or(part);
            if cx.is_unread(id) {
                needs[holder]
                    .extend(words(text).flat_map(|word| before(&self.declared, word, part)));
                needs[holder].extend(words(text).filter_map(|word| self.number_of(word)));
                let typed = self.names.iter().filter(|(sign, _)| names_operator(text, sign));
                let typed = typed.map(|(_, number)| *number);
                let signs = self.operators.keys().filter(|sign| names_operator(text, sign));
                let signs = signs.flat_map(|sign| before(&self.operators, sign, part));
                // A map has its own order, which is another one in each run.
                let mut operators: Vec<u32> = typed.chain(signs).collect();
                operators.sort_unstable();
                needs[holder].append(&mut operators);
            }
            if !cx.is_name(id) {
                for name in cx.language.roles.mentioned.get(text).into_iter().flatten() {
                    needs[holder].extend(before(&self.declared, name, part));
                    needs[holder].extend(self.number_of(name));
                }
                let is_known = self.operators.contains_key(text) || self.number_of(text).is_some();
                if is_known && is_used(cx, id) {
                    needs[holder].extend(before(&self.operators, text, part));
                    needs[holder].extend(self.number_of(text));
                }
                continue;
            }
            needs[holder].extend(self.defined.get(text).into_iter().flatten().take(DEFINITIONS));
            needs[holder].extend(self.specialising(id));
            needs[holder].extend(before(&self.declared, text, part));
            if parts[part].member != Some(id) {
                needs[holder].extend(self.number_of(text));
            }
            if self.is_unevaluated(part, id) {
                continue;
            }
            let called = self.called(text, part);
            if self.is_constant(part, id, &called) {
                constant.extend(called.iter().copied());
                self.call(holder, &called, &mut needs[holder], &mut together);
            }
            calls[holder].extend(called);
        }
        for (at, part) in parts.iter().enumerate() {
            // Only the function of a base can be overridden.
            if let Some(name) = part.member.filter(|&name| overrides(cx, name)) {
                needs[at].extend(self.number_of(cx.text_of(name)));
            }
        }
        of_rest.extend(self.directives());
        // What is found out while compiling takes the bodies of all that is called for it.
        let mut known = vec![false; parts.len()];
        while let Some(body) = constant.pop() {
            if !std::mem::replace(&mut known[body as usize], true) {
                let at = body as usize;
                constant.extend(&calls[at]);
                self.call(at, &calls[at], &mut needs[at], &mut together);
            }
        }
        for (part, needs) in needs.iter_mut().enumerate() {
            needs.retain(|&need| need as usize != part);
        }
        Needs { of_holders: needs, calls, of_rest, together }
    }

    /// Makes the bodies necessary that a holder calls: those of functions of records where these
    /// functions are kept.
    pub(crate) fn call(
        &self,
        holder: usize,
        called: &[u32],
        needs: &mut Vec<u32>,
        together: &mut Vec<[u32; 3]>,
    ) {
        for &body in called {
            let function = self.parts[body as usize].outer;
            match function.filter(|&function| self.parts[function].member.is_some()) {
                Some(function) => together.push([number(holder), number(function), body]),
                None => needs.push(body),
            }
        }
    }

    /// Returns the parts that say what a template is for the arguments after its name.
    fn specialising(&self, name: NodeId) -> impl Iterator<Item = u32> + '_ {
        let Self { cx, .. } = *self;
        let whole = cx.parent(name).filter(|_| !self.specialised.is_empty());
        let whole = whole.filter(|&id| cx.part(id, FieldRole::Arguments).is_some());
        let parts = whole.and_then(|id| self.specialised.get(cx.text_of(id)));
        parts.into_iter().flatten().take(DEFINITIONS).copied()
    }

    /// Returns the parts that make all names of a namespace known: nothing mentions them.
    fn directives(&self) -> impl Iterator<Item = u32> + '_ {
        let Self { cx, parts, .. } = *self;
        let namespaces = cx.playing(Role::Namespace);
        let names = namespaces.iter().filter_map(|&id| Some(cx.text_of(cx.name_part(id)?)));
        let names: HashSet<&[u8]> = names.collect();
        let is_directive = move |part: &Part| {
            cx.is(Role::Import, part.node)
                && imported_name(cx, part.node).is_some_and(|name| names.contains(cx.text_of(name)))
        };
        let directives = parts.iter().enumerate().filter(move |(_, part)| is_directive(part));
        directives.map(|(at, _)| number(at))
    }

    /// Returns the bodies of the functions that a name in a part may call: those of the same
    /// record, and some others.
    fn called(&self, name: &[u8], part: usize) -> Vec<u32> {
        let own = self.bodies.get(name).into_iter().flatten().copied();
        let is_own =
            |body: &u32| outermost(self.parts, *body as usize) == outermost(self.parts, part);
        let own = own.filter(is_own).take(DEFINITIONS);
        own.chain(before(&self.bodies, name, usize::MAX)).collect()
    }

    /// Returns whether a name in a part is only looked at.
    fn is_unevaluated(&self, part: usize, name: NodeId) -> bool {
        let Self { cx, parts, .. } = *self;
        let mut around = cx.ancestors(name).take_while(|&id| id > parts[part].node);
        around.any(|id| cx.is(Role::Unevaluated, id))
    }

    /// Returns whether the value of what a name calls may have to be known while compiling: outside
    /// of functions, and among the arguments of types. What makes a value of a type counts only
    /// where a variable is declared.
    fn is_constant(&self, part: usize, name: NodeId, called: &[u32]) -> bool {
        let Self { cx, parts, .. } = *self;
        let Part { node, is_body, .. } = parts[part];
        let is_of_function = |id: NodeId| {
            let parameters = cx.part(id, FieldRole::Parameters);
            parameters.is_some_and(|list| cx.is(Role::Parameters, list))
                || cx.is(Role::Function, id)
        };
        let is_of_type = |id: NodeId| {
            let around = cx.parent(id).filter(|&around| cx.is(Role::Type, around));
            around.is_some_and(|around| cx.part(around, FieldRole::Arguments) == Some(id))
        };
        // What stands in a function's qualifier, such as a condition, counts.
        let is_inside = |&id: &NodeId| id >= node && !cx.is(Role::Qualifier, id);
        let around = || cx.ancestors(name).take_while(is_inside);
        let is_free = |&body: &u32| {
            let function = inner_declaration(cx, parts[outermost(parts, body as usize)].node);
            function.is_some_and(|function| cx.is(Role::Function, function))
        };
        let is_known = around().any(is_of_type) || !is_body && !around().any(is_of_function);
        let is_function =
            || !self.defined.contains_key(cx.text_of(name)) || called.iter().any(is_free);
        is_known && (cx.is(Role::Joinable, node) || is_function() && is_called(cx, name))
    }
}

/// Returns whether a name is followed by what a call has after its name.
fn is_called(cx: &PassContext<'_>, name: NodeId) -> bool {
    let after = cx.subtree_end(name).0..cx.subtree_end(NodeId::ROOT).0;
    let next = after.map(NodeId).find(|&id| cx.is_leaf(id));
    next.is_some_and(|id| [&b"("[..], b"<", b"{"].contains(&cx.text_of(id)))
}

/// Returns the parts by what they are about, as it is spelt, if a name in them says so.
fn named<'a>(
    cx: &PassContext<'a>,
    parts: &[Part],
    owners: &Holders,
    mut about: impl FnMut(usize, NodeId) -> Option<NodeId>,
) -> Parts<'a> {
    let mut named = Parts::new();
    for name in cx.ids().filter(|&id| cx.is_name(id)) {
        let Some(at) = owners.get(name) else { continue };
        let part = &parts[at];
        let may_declare = part.outer.is_none() && !cx.is(Role::Instantiation, part.node);
        if may_declare && let Some(about) = about(at, name) {
            let all = named.entry(cx.text_of(about)).or_default();
            if all.last() != Some(&number(at)) {
                all.push(number(at));
            }
        }
    }
    named
}

/// Returns the parts of a name that come last before a part: a name is declared before it is used,
/// and what declares it later means something else.
fn before<'p>(all: &'p Parts<'_>, name: &[u8], part: usize) -> impl Iterator<Item = u32> + 'p {
    let all = all.get(name).map_or(&[][..], Vec::as_slice);
    all[..all.partition_point(|&other| (other as usize) < part)]
        .iter()
        .rev()
        .take(OVERLOADS)
        .copied()
}

/// Returns the part that declares the type of a function's parameters: the first one that is known,
/// for the name in the function's declarator.
fn parameter_type(
    cx: &PassContext<'_>,
    declared: &Parts<'_>,
    name: NodeId,
    part: usize,
) -> Option<u32> {
    let parameters = cx.part(cx.parent(name)?, FieldRole::Parameters)?;
    let mut names = cx.subtree(parameters).filter(|&id| cx.is_name(id));
    names.find_map(|name| before(declared, cx.text_of(name), part).next())
}

/// Returns whether a sign is a part of an expression, or of an instantiation of its function.
fn is_used(cx: &PassContext<'_>, sign: NodeId) -> bool {
    let parent = cx.parent(sign);
    let mut above = std::iter::successors(parent, |&id| cx.parent(id));
    parent.is_some_and(|parent| cx.is(Role::Expression, parent))
        || above.any(|id| cx.is(Role::Instantiation, id))
}

/// Returns whether a text that the parser did not get to see names the function of a sign: a word
/// and the sign, and after them parameters.
fn names_operator(text: &[u8], sign: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphabetic();
    let whole = [sign, b"("].concat();
    let mut places = text.windows(whole.len()).enumerate().filter(|(_, part)| *part == whole);
    places.any(|(at, _)| text[..at].trim_ascii_end().last().is_some_and(is_word))
}

/// Returns whether a function of a record says that a base has it as well.
fn overrides(cx: &PassContext<'_>, name: NodeId) -> bool {
    let declarator = cx.parent(name).into_iter();
    let mut words = declarator.flat_map(|id| cx.children(id));
    words.any(|id| cx.is(Role::Overriding, id))
}
