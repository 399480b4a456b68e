//! What the mentions in a text say about its parts: which part needs which.

use std::collections::{BTreeSet, HashMap, HashSet};

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::limits::{DEFINITIONS, OVERLOADS};
use crate::framework::views::{declares, imported_name};
use crate::graph::holders::{Holders, number};
use crate::graph::parts::{
    Part, completes, defines_type, is_ordered, plain_name, scope_of, sign, specialises, words,
};

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
    /// The functions that give a sign a meaning, outside of records.
    operators: Parts<'a>,
    /// The numbers of the names of the functions of records, and of the signs of operators, after
    /// those of the parts.
    pub(crate) names: HashMap<&'a [u8], u32>,
    /// Where the first two are kept, the third is needed. The first is a name or sign.
    pub(crate) together: Vec<[u32; 3]>,
}

/// Parts by the name that they are about, in the order of the text.
type Parts<'a> = HashMap<&'a [u8], BTreeSet<u32>>;

impl<'a> Uses<'a> {
    /// Finds out what each name of a text is about. Linear in the tree.
    pub(crate) fn of(cx: &'a PassContext<'a>, parts: &'a [Part], owners: &'a Holders) -> Self {
        let [declared, defined, operators] = [(); 3].map(|()| Parts::new());
        let (names, together) = (HashMap::new(), Vec::new());
        let mut uses = Self { cx, parts, owners, declared, defined, operators, names, together };
        for name in cx.ids().filter(|&id| cx.is_name(id)) {
            if let Some(at) = owners.get(name) {
                uses.add_name(name, at);
            }
        }
        for (at, part) in parts.iter().enumerate() {
            uses.add_function(at, part);
        }
        uses
    }

    /// Adds what a name in a part is about.
    fn add_name(&mut self, name: NodeId, at: usize) {
        let Self { cx, parts, .. } = *self;
        let part = &parts[at];
        if part.outer.is_some() || cx.is(Role::Instantiation, part.node) {
            return;
        }
        let text = cx.text_of(name);
        if declares(cx, part.node, name) {
            self.declared.entry(text).or_default().insert(number(at));
        }
        // What says more about a type that is known goes with it.
        let is_head = |body| name < body && cx.part(part.node, FieldRole::Name).is_none();
        let says_more = !is_ordered(cx) && cx.part(part.node, FieldRole::Body).is_some_and(is_head);
        if says_more && self.declared.contains_key(text) {
            self.defined.entry(text).or_default().insert(number(at));
        }
        let is_type = defines_type(cx, part.node, name);
        let around = scope_of(cx, name).filter(|_| is_type);
        if let Some(&around) = around.and_then(|id| self.declared.get(cx.text_of(id))?.first()) {
            // What defines a type outside of that of which it is a member is needed where both are.
            self.add_together(text, around, at);
        } else if is_type || specialises(cx, part.node, name) || completes(cx, part.node, name) {
            self.defined.entry(text).or_default().insert(number(at));
        }
    }

    /// Adds a function of a record, or what gives a sign a meaning.
    fn add_function(&mut self, at: usize, part: &Part) {
        let cx = self.cx;
        if let Some((name, outer)) = part.member.zip(part.outer) {
            self.add_together(cx.text_of(name), number(outer), at);
            return;
        }
        let imports = |id| cx.is(Role::Import, id);
        if !is_ordered(cx) && (imports(part.node) || cx.children(part.node).any(imports)) {
            let text = cx.text_of(part.node);
            let path = text.rsplit(|byte| b"/\"'".contains(byte)).find(|word| !word.is_empty());
            for name in words(text).chain(path) {
                self.declared.entry(name).or_default().insert(number(at));
            }
        }
        let function = part.function(cx).filter(|_| !part.is_body);
        let name = function.and_then(|function| plain_name(cx, function));
        if let Some((name, sign)) = name.and_then(|name| Some((name, sign(cx, name)?))) {
            match self.parameter_type(name, at) {
                Some(of) => self.add_together(cx.text_of(sign), of, at),
                None => {
                    self.operators.entry(cx.text_of(sign)).or_default().insert(number(at));
                }
            }
        }
    }

    /// Notes that a part is needed where a name and another part are kept.
    fn add_together(&mut self, name: &'a [u8], other: u32, part: usize) {
        let next = number(self.parts.len() + self.names.len());
        let name = *self.names.entry(name).or_insert(next);
        self.together.push([name, other, number(part)]);
    }

    /// Returns the part that declares the type of a function's parameters: the first one that is
    /// known, for the name in the function's declarator.
    fn parameter_type(&self, name: NodeId, part: usize) -> Option<u32> {
        let parameters = self.cx.part(self.cx.parent(name)?, FieldRole::Parameters)?;
        let mut names = self.cx.names_in(parameters);
        names.find_map(|name| {
            self.before(&self.declared, self.cx.text_of(name), number(part)).next()
        })
    }

    /// Returns what each part cannot do without, and at the end the rest of the text.
    pub(crate) fn needs(&self) -> Vec<Vec<u32>> {
        let Self { cx, parts, owners, .. } = *self;
        let mut needs: Vec<Vec<u32>> = vec![Vec::new(); parts.len() + 1];
        needs[parts.len()].extend(self.directives());
        // The part that a mention outside of all parts would be.
        let mut next = 0;
        for id in cx.ids().filter(|&id| cx.is_leaf(id)) {
            while parts.get(next).is_some_and(|part| part.node <= id) {
                next += 1;
            }
            let text = cx.text_of(id);
            let owner = owners.get(id);
            let part = owner.unwrap_or(next);
            let needs = &mut needs[owner.unwrap_or(parts.len())];
            let mut mention = |name: &[u8]| {
                needs.extend(self.before(&self.declared, name, number(part)));
                needs.extend(self.names.get(name));
            };
            if cx.is(Role::Unread, id) {
                words(text).for_each(mention);
            } else if cx.is_name(id) {
                // A namespace is not what it is named like.
                if owner.is_none() && cx.parent_that(Role::Namespace, id).is_some() {
                    continue;
                }
                match parts.get(part).filter(|own| own.member == Some(id)) {
                    Some(_) => needs.extend(self.before(&self.declared, text, number(part))),
                    None => mention(text),
                }
                needs.extend(self.defined.get(text).into_iter().flatten().take(DEFINITIONS));
            } else {
                let mentioned = cx.language.roles.mentioned.get(text).into_iter().flatten();
                mentioned.for_each(|name| mention(name));
                let is_known = self.operators.contains_key(text) || self.names.contains_key(text);
                if is_known && is_used(cx, id) {
                    needs.extend(self.before(&self.operators, text, number(part)));
                    needs.extend(self.names.get(text));
                }
            }
        }
        for (at, part) in parts.iter().enumerate() {
            // Only the function of a base can be overridden.
            if let Some(name) = part.member.filter(|&name| overrides(cx, name)) {
                needs[at].extend(self.names.get(cx.text_of(name)));
            }
        }
        for (at, needs) in needs.iter_mut().enumerate() {
            needs.retain(|&need| need as usize != at);
        }
        needs
    }

    /// Returns the parts that make all names of a namespace known: nothing mentions them.
    fn directives(&self) -> impl Iterator<Item = u32> + '_ {
        let Self { cx, parts, .. } = *self;
        let namespaces = cx.playing(Role::Namespace);
        let names = namespaces.iter().filter_map(|&id| Some(cx.text_of(cx.name_part(id)?)));
        let names: HashSet<&[u8]> = names.collect();
        let is_directive = move |(_, part): &(u32, &Part)| {
            let name = imported_name(cx, part.node).filter(|_| cx.is(Role::Import, part.node));
            name.is_some_and(|name| names.contains(cx.text_of(name)))
        };
        (0..).zip(parts).filter(is_directive).map(|(at, _)| at)
    }

    /// Returns the parts of a name that come last before a part: where a name is declared before it
    /// is used, what declares it later means something else. Elsewhere those after it follow.
    fn before<'p>(
        &self,
        all: &'p Parts<'_>,
        name: &[u8],
        part: u32,
    ) -> impl Iterator<Item = u32> + use<'p> {
        let (all, is_ordered) = (all.get(name), is_ordered(self.cx));
        let known = all.into_iter().flat_map(move |all| all.range(..part).rev());
        let after = all.filter(|_| !is_ordered).into_iter();
        let after = after.flat_map(move |all| all.range(part + 1..));
        known.chain(after).take(OVERLOADS).copied()
    }
}

/// Returns whether a sign is a part of an expression, or of an instantiation of its function.
fn is_used(cx: &PassContext<'_>, sign: NodeId) -> bool {
    cx.parent_that(Role::Expression, sign).is_some() || cx.is_in(Role::Instantiation, sign)
}

/// Returns whether a function of a record says that a base has it as well.
fn overrides(cx: &PassContext<'_>, name: NodeId) -> bool {
    let mut words = cx.parent(name).into_iter().flat_map(|id| cx.children(id));
    words.any(|id| cx.is(Role::Overriding, id))
}
