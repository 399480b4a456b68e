//! Takes a parameter from a template: the least type or value stands in its place, or the argument
//! that all uses give it, and the arguments for it go. A template without parameters becomes an
//! ordinary declaration.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::{declares, least_type, only_part};
use crate::framework::limits::TYPE_STEPS;
use crate::framework::mention_removal::least;
use crate::framework::views::{FunctionParts, ListBehind};
use crate::graph::definitions::specialises;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes one item for each parameter of each template, and one for each template without
/// parameters, last first.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let templates = cx.until(cx.playing(Role::Template).into_iter().rev());
    let items = templates.filter_map(|id| Template::read(cx, id)).flat_map(|t| t.items());
    cx.proposal(items, Plan::ALL)
}

struct Template<'a> {
    cx: &'a PassContext<'a>,
    id: NodeId,
    parameters: Vec<NodeId>,
    /// What is a template, with the sign that ends it.
    inner: Vec<NodeId>,
    /// The name of the template, where it declares one.
    name: Option<NodeId>,
}

impl<'a> Template<'a> {
    fn read(cx: &'a PassContext<'a>, id: NodeId) -> Option<Self> {
        let list = cx.part(id, FieldRole::Parameters)?;
        let holds = |child: &NodeId| *child > list && !cx.is(Role::Qualifier, *child);
        let inner: Vec<NodeId> = cx.children(id).filter(holds).collect();
        inner.first()?;
        let parameters = cx.elements(list).collect();
        let template = Self { cx, id, parameters, inner, name: None };
        Some(Self { name: template.name_that(declares), ..template })
    }

    /// Returns the first name in what is a template that plays a part for it.
    fn name_that(&self, plays: fn(&PassContext<'_>, NodeId, NodeId) -> bool) -> Option<NodeId> {
        let names = self.inner.first()?.0..self.cx.subtree_end(self.id).0;
        let mut names = names.map(NodeId).filter(|&name| self.cx.is_name(name));
        names.find(|&name| plays(self.cx, self.id, name))
    }

    fn items(&self) -> Vec<Item> {
        let forms = if self.parameters.is_empty() { &[true][..] } else { &[false, true] };
        // The name of the template that this is a specialisation of.
        let specialised = self.name_that(specialises).into_iter();
        let of = |name| forms.iter().filter_map(move |&plain| self.instead_of_primary(name, plain));
        let instead = specialised.flat_map(of);
        if self.parameters.is_empty() {
            return instead.chain(self.without_list(Edits::none(), None)).collect();
        }
        let both = |position| {
            let argument = self.only_argument(position).or_else(|| self.only_deduced(position));
            let with = argument.and_then(|argument| {
                let end = self.end_behind(argument);
                self.without(position, end, |template, own| template.instead(own, argument))
            });
            [self.without(position, None, Self::least_instead), with].into_iter().flatten()
        };
        (0..self.parameters.len()).rev().flat_map(both).chain(instead).collect()
    }

    /// Returns the item that leaves this specialisation of the template `name` in its place: what
    /// else says what the template is goes. In its `plain` form it becomes an ordinary declaration:
    /// the least types and values stand for its parameters, and its uses have no arguments.
    fn instead_of_primary(&self, name: NodeId, plain: bool) -> Option<Item> {
        let Self { cx, id, ref parameters, .. } = *self;
        let mut edits = Edits::none();
        let mut weight = 0;
        for &mention in cx.mentions(name) {
            let is_other = |&at: &NodeId| {
                let is_about = cx.is(Role::Template, at)
                    && (declares(cx, at, mention) || specialises(cx, at, mention));
                at != id && (is_about || cx.is(Role::Instantiation, at))
            };
            if let Some(other) = cx.ancestors(mention).find(is_other) {
                weight += cx.tokens(other);
                if !cx.is_droppable(other) || !edits.add(other, Change::drop()) {
                    return None;
                }
                continue;
            }
            let Some(whole) = cx.parent(mention) else { continue };
            if arguments_of(cx, whole).is_some() && (mention == name || plain) {
                weight += cx.tokens(whole) - 1;
                edits.add(whole, Change::hoist(mention)).then_some(())?;
            }
        }
        if !plain {
            return Some(Item::new(edits, weight));
        }
        for position in 0..parameters.len() {
            edits.merge(&self.least_instead(position)?).then_some(())?;
        }
        let item = self.without_list(edits, None)?;
        Some(Item::new(item.edits, item.weight + weight))
    }

    /// Returns the item that takes away the parameter at this position: `instead` of it something
    /// stands here and in the templates of members that are defined outside, which lose theirs.
    /// What is not a template now goes after `end`.
    fn without(
        &self,
        position: usize,
        end: Option<NodeId>,
        instead: impl Fn(&Self, usize) -> Option<Edits>,
    ) -> Option<Item> {
        let mut edits = instead(self, position)?;
        for (member, own) in self.members(position) {
            let inside = own.map_or_else(|| Some(Edits::none()), |own| instead(&member, own))?;
            // The parameter goes, and the list if nothing else is in it.
            let own = own.filter(|_| member.parameters.len() > 1);
            let goes = match own {
                Some(own) => Edits::drop(member.parameters[own]),
                None => member.without_list(Edits::none(), None)?.edits,
            };
            (edits.merge(&inside) && edits.merge(&goes)).then_some(())?;
        }
        self.without_arguments(position, edits, end)
    }

    /// Returns the templates that define a member of this one outside of it, each with the position
    /// of its parameter that stands for the one at this position; those that do it for certain
    /// arguments have none.
    fn members(&self, position: usize) -> Vec<(Self, Option<usize>)> {
        let Self { cx, id, name, .. } = *self;
        let outside = name.into_iter().flat_map(|name| cx.mentions(name));
        let member = |&mention: &NodeId| {
            let scope = cx.parent(mention).filter(|_| !cx.contains(id, mention))?;
            let mut around = cx.ancestors(scope).take_while(|&at| !cx.is(Role::Block, at));
            let template = around.find(|&at| cx.is(Role::Template, at))?;
            let is_scope = |at| cx.is(Role::Qualified, at) && cx.contains(template, at);
            cx.parent(scope).filter(|&at| is_scope(at))?;
            let list = cx.part(scope, FieldRole::Arguments)?;
            let member = Self::read(cx, template)?;
            if member.parameters.is_empty() {
                return Some((member, None));
            }
            let argument = only_part(cx, cx.elements(list).nth(position)?);
            let is_own = |&own: &NodeId| parameter_mentions(cx, template, own).contains(&argument);
            let own = member.parameters.iter().position(is_own)?;
            Some((member, Some(own)))
        };
        outside.filter_map(member).collect()
    }

    /// Returns the edits that put the least type or value in place of the parameter at this
    /// position.
    fn least_instead(&self, position: usize) -> Option<Edits> {
        let Self { cx, ref parameters, .. } = *self;
        let mut edits = self.without_expansions(position, least_type(cx).unwrap_or_default())?;
        for mention in parameter_mentions(cx, self.id, parameters[position]) {
            let is_part = |&at: &NodeId| {
                cx.is(Role::Qualified, at) || cx.is(Role::Type, at) && cx.tokens(at) > 1
            };
            // A type that is a member of the parameter goes as a whole.
            let qualified = cx.parent(mention).filter(|&p| cx.is(Role::Qualified, p));
            let outer = qualified.map(|q| cx.ancestors(q).take_while(is_part).last().unwrap_or(q));
            let at = outer.unwrap_or(mention);
            edits.add(at, least(cx, at)?).then_some(())?;
        }
        Some(edits)
    }

    /// Returns the edits that put an argument in place of the parameter at this position.
    fn instead(&self, position: usize, argument: NodeId) -> Option<Edits> {
        let Self { cx, ref parameters, .. } = *self;
        let text = cx.text_of(only_part(cx, argument));
        let mut edits = self.without_expansions(position, text)?;
        for mention in parameter_mentions(cx, self.id, parameters[position]) {
            edits.add(mention, instead_of(cx, mention, argument)).then_some(())?;
        }
        Some(edits)
    }

    /// Returns the edits that make one type or value of many, if the parameter stands for many.
    fn without_expansions(&self, position: usize, instead: &[u8]) -> Option<Edits> {
        let Self { cx, id, ref parameters, .. } = *self;
        let mut edits = Edits::none();
        let pack = parameters[position];
        if !is_pack(cx, pack) {
            return Some(edits);
        }
        let meant = parameter_mentions(cx, id, pack);
        let is_sign =
            |&at: &NodeId| cx.is_leaf(at) && cx.text_of(at) == MANY && !cx.contains(pack, at);
        for sign in cx.subtree(id).filter(is_sign) {
            let is_parameter = |&at: &NodeId| cx.is(Role::Parameter, at);
            let mut around = cx.ancestors(sign).take_while(|&at| at > id);
            let (at, change) = if let Some(parameter) = around.find(is_parameter) {
                let leaves = cx.subtree(parameter).filter(|&at| cx.is_leaf(at) && at != sign);
                let text = |leaf| if meant.contains(&leaf) { instead } else { cx.text_of(leaf) };
                let words: Vec<&[u8]> = leaves.map(text).collect();
                (parameter, Change::replace_with(words.join(&b' '), None))
            } else {
                let parent = cx.parent(sign).filter(|&at| !cx.is(Role::Parameters, at))?;
                (parent, cx.elements(parent).next().map_or_else(Change::drop, Change::hoist))
            };
            edits.add(at, change).then_some(())?;
        }
        Some(edits)
    }

    /// Returns the end of the definition of a type in the argument that stands after the template,
    /// which can only be used in place of the parameter there.
    fn end_behind(&self, argument: NodeId) -> Option<NodeId> {
        let Self { cx, id, .. } = *self;
        let names = cx.names_in(argument);
        let mentions = names.flat_map(|name| cx.mentions(name));
        let records = mentions.filter_map(|&mention| {
            let record = cx.parent(mention).filter(|&at| at > id && !cx.contains(id, at))?;
            let is_defined = cx.name_part(record) == Some(mention)
                && cx.is(Role::DeclaresType, record)
                && cx.part(record, FieldRole::Body).is_some();
            is_defined.then_some(record)
        });
        let record = records.max()?;
        let parent = cx.parent(record)?;
        if cx.part(parent, FieldRole::Type) == Some(record) {
            return Some(parent);
        }
        cx.children(parent).find(|&at| at > record).filter(|&at| cx.is_leaf(at))
    }

    /// Returns the argument that all uses give a parameter, if it is more than the least one: the
    /// default one if none gives any.
    fn only_argument(&self, position: usize) -> Option<NodeId> {
        let Self { cx, id, name, ref parameters, .. } = *self;
        let outside = cx.mentions(name?).iter().filter(|&&mention| !cx.contains(id, mention));
        let mut lists = outside.filter_map(|&mention| arguments_of(cx, cx.parent(mention)?));
        let argument = |list: NodeId| cx.elements(list).nth(position);
        let Some(first) = lists.next().and_then(argument) else {
            let parts = cx.children(parameters[position]);
            let default = parts.skip_while(|&at| cx.text_of(at) != b"=").nth(1);
            return default.filter(|_| lists.all(|list| argument(list).is_none()));
        };
        let is_same = |list| argument(list).is_some_and(|other| cx.hash(other) == cx.hash(first));
        (lists.all(is_same) && is_more_than_least(cx, first)).then_some(first)
    }

    /// Returns the type of all that a function is called with where its parameter has the type at
    /// this position, as far as names say their types.
    fn only_deduced(&self, position: usize) -> Option<NodeId> {
        let Self { cx, ref parameters, ref inner, name, .. } = *self;
        let function = *inner.first()?;
        let list = FunctionParts::of(cx, function)?.parameters;
        let meant = parameter_mentions(cx, self.id, parameters[position]);
        let meaning = |id: NodeId| {
            let of = cx.part(id, FieldRole::Type)?;
            Some((of, *meant.iter().find(|&&mention| cx.contains(of, mention))?))
        };
        let mut found = cx.elements(list).enumerate();
        let (place, (of, mention)) = found.find_map(|(place, id)| Some((place, meaning(id)?)))?;
        // What stands in the type of an argument where the parameter stands in the type of the
        // function's.
        let leaves = |id| cx.leaves_in(id);
        let number = leaves(of).position(|leaf| leaf == mention)?;
        let counterpart = |given: NodeId| match of == mention {
            true => Some(given),
            false if leaves(given).count() != leaves(of).count() => None,
            false => leaves(given).nth(number),
        };
        let lists = cx.mentions(name?).iter().filter_map(|&m| ListBehind::of(cx, m));
        let mut types = lists
            .filter(|list| !list.declares)
            .map(|list| type_of(cx, *list.elements.get(place)?).and_then(counterpart));
        let first = types.next()??;
        let is_same = |of: Option<NodeId>| of.is_some_and(|other| cx.hash(other) == cx.hash(first));
        (types.all(is_same) && is_more_than_least(cx, first)).then_some(first)
    }

    /// Adds to the edits that the parameter goes, with its arguments. What is not a template now
    /// goes after `end`.
    fn without_arguments(
        &self,
        position: usize,
        mut edits: Edits,
        end: Option<NodeId>,
    ) -> Option<Item> {
        let Self { cx, ref parameters, name, .. } = *self;
        let parameter = parameters[position];
        let is_only = parameters.len() == 1;
        for &mention in name.into_iter().flat_map(|name| cx.mentions(name)) {
            let Some(parent) = cx.parent(mention) else { continue };
            let Some(list) = arguments_of(cx, parent) else { continue };
            let instantiation = cx.ancestors(mention).find(|&at| cx.is(Role::Instantiation, at));
            let uses = if !is_only {
                let count = if is_pack(cx, parameter) { usize::MAX } else { 1 };
                Edits::drop_all(cx.elements(list).skip(position).take(count))
            } else if let Some(whole) = instantiation {
                // Nobody demands what is no template.
                Edits::drop(whole)
            } else {
                // The name of a scope is of another kind than that of a type.
                let is_scope = cx.parent(parent).is_some_and(|at| {
                    cx.is(Role::Qualified, at) && cx.elements(at).next() == Some(parent)
                });
                let plain = Change::replace_with(cx.text_of(mention), None);
                Edits::one(parent, if is_scope { plain } else { Change::hoist(mention) })
            };
            edits.merge(&uses).then_some(())?;
        }
        if is_only {
            return self.without_list(edits, end);
        }
        let fits = edits.add(parameter, Change::drop());
        fits.then(|| Item::new(edits, cx.tokens(parameter) + 1))
    }

    /// Returns the item that leaves what was a template, after `end` if it must stand there.
    fn without_list(&self, mut edits: Edits, end: Option<NodeId>) -> Option<Item> {
        let left: u32 = self.inner.iter().map(|&child| self.cx.tokens(child)).sum();
        let inner = self.inner.iter().copied();
        let fits = match end {
            Some(end) => {
                edits.add(end, Change::splice([end].into_iter().chain(inner)))
                    && edits.add(self.id, Change::drop())
            }
            None => edits.add(self.id, Change::splice(inner)),
        };
        fits.then(|| Item::new(edits, self.cx.tokens(self.id) - left))
    }
}

/// Returns the list of the arguments for a template.
fn arguments_of(cx: &PassContext<'_>, whole: NodeId) -> Option<NodeId> {
    cx.part(whole, FieldRole::Arguments).filter(|&list| !cx.is(Role::Arguments, list))
}

/// Stands beside what is many.
const MANY: &[u8] = b"...";

/// Returns whether a parameter stands for many types or values.
fn is_pack(cx: &PassContext<'_>, parameter: NodeId) -> bool {
    cx.tree.children(parameter).any(|at| cx.subtree(at).any(|at| cx.text_of(at) == MANY))
}

/// Returns where a parameter is used in its template.
pub(crate) fn parameter_mentions(
    cx: &PassContext<'_>,
    template: NodeId,
    parameter: NodeId,
) -> Vec<NodeId> {
    let named = cx.name_part(parameter).or_else(|| {
        let default = cx.children(parameter).find(|&child| cx.text_of(child) == b"=");
        let end = default.unwrap_or(cx.subtree_end(parameter));
        (parameter.0..end.0).map(NodeId).rev().find(|&name| cx.is_name(name))
    });
    let Some(name) = named else { return Vec::new() };
    let all = cx.mentions(name).iter().copied();
    all.filter(|&m| cx.contains(template, m) && !cx.contains(parameter, m)).collect()
}

/// Returns the change that puts an argument in place of a parameter's mention.
pub(crate) fn instead_of(cx: &PassContext<'_>, mention: NodeId, argument: NodeId) -> Change {
    let argument = only_part(cx, argument);
    match cx.is_name(argument) {
        true => cx.reworded(mention, cx.text_of(argument)),
        false => Change::hoist(argument),
    }
}

/// Returns the type of a value, as far as names say their types: the one with which a name is
/// declared last before it, the one that is named where a value is made.
fn type_of(cx: &PassContext<'_>, value: NodeId) -> Option<NodeId> {
    let mut value = value;
    // Names whose types are found out from each other could stand in a circle.
    for _ in 0..TYPE_STEPS {
        if !cx.is_name(value) {
            let is_class = |&name: &NodeId| {
                let mut around = cx.mentions(name).iter().filter_map(|&at| cx.parent(at));
                around.any(|at| cx.is(Role::Record, at))
            };
            let called = cx.elements(value).next().filter(|_| cx.is(Role::Call, value));
            return cx.part(value, FieldRole::Type).or_else(|| called.filter(is_class));
        }
        let mentions = cx.mentions(value);
        let (before, behind) = mentions.split_at(mentions.partition_point(|&at| at < value));
        let (of, holder) = before.iter().rev().chain(behind).find_map(|&mention| {
            let holder = cx.parent(mention)?;
            let is_declared = cx.part(holder, FieldRole::Declarator) == Some(mention);
            let outer = cx.parent(holder).filter(|_| cx.is(Role::Initializer, holder));
            let of = cx.part(outer.unwrap_or(holder), FieldRole::Type);
            Some((of.filter(|_| is_declared)?, holder))
        })?;
        if !cx.is(Role::Deduced, of) {
            return Some(of);
        }
        value = cx.part(holder, FieldRole::Value)?;
    }
    None
}

/// Returns whether a type or value is not the least one already.
fn is_more_than_least(cx: &PassContext<'_>, id: NodeId) -> bool {
    let part = only_part(cx, id);
    let texts = cx.language.roles.placeholders.get(&cx.kind(part));
    texts.is_none_or(|texts| texts.iter().all(|(text, _)| **text != *cx.text_of(part)))
}
