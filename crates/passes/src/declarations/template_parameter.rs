//! Takes a parameter from a template: the least type or value stands in its place, or the argument
//! that all uses give it, and the arguments for it go. A template without parameters becomes an
//! ordinary declaration.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::limits::TYPE_STEPS;
use crate::framework::mention_removal::least;
use crate::framework::views::{FunctionParts, ListBehind, declares, least_type};
use crate::graph::parts::specialises;
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
        let first = *self.inner.first()?;
        let mut names = self.cx.names_in(self.id).filter(|&name| name >= first);
        names.find(|&name| plays(self.cx, self.id, name))
    }

    /// Returns the mentions of its name.
    fn mentions(&self) -> &'a [NodeId] {
        self.name.map_or(&[], |name| self.cx.mentions(name))
    }

    /// Returns where the parameter at this position is used in the template.
    fn meant(&self, position: usize) -> Vec<NodeId> {
        let (cx, parameter) = (self.cx, self.parameters[position]);
        let named = cx.name_part(parameter).or_else(|| {
            let default = cx.children(parameter).find(|&child| cx.text_of(child) == b"=");
            let end = default.unwrap_or(cx.subtree_end(parameter));
            cx.names_in(parameter).rev().find(|&name| name < end)
        });
        let all = named.map_or(&[][..], |name| cx.mentions(name)).iter().copied();
        all.filter(|&m| cx.contains(self.id, m) && !cx.contains(parameter, m)).collect()
    }

    fn items(&self) -> Vec<Item> {
        let is_empty = self.parameters.is_empty();
        let forms = if is_empty { &[true][..] } else { &[false, true] };
        // The name of the template that this is a specialisation of.
        let specialised = self.name_that(specialises).into_iter();
        let of = |name| forms.iter().filter_map(move |&plain| self.instead_of_primary(name, plain));
        let alone = is_empty.then(|| self.without_list(Edits::none(), None)).flatten();
        let both = |position| {
            let argument = self.only_argument(position).or_else(|| self.only_deduced(position));
            let with = argument.and_then(|argument| {
                let end = self.end_behind(argument);
                self.without(position, end, |template, own| template.instead(own, argument))
            });
            [self.without(position, None, Self::least_instead), with].into_iter().flatten()
        };
        let all = (0..self.parameters.len()).rev().flat_map(both);
        all.chain(specialised.flat_map(of)).chain(alone).collect()
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
                let is_about = || declares(cx, at, mention) || specialises(cx, at, mention);
                let is_template = cx.is(Role::Template, at) && at != id;
                is_template && is_about() || at != id && cx.is(Role::Instantiation, at)
            };
            if let Some(other) = cx.ancestors(mention).find(is_other) {
                weight += cx.tokens(other);
                (cx.is_droppable(other) && edits.add(other, Change::drop())).then_some(())?;
            } else if let Some(whole) = cx.parent(mention)
                && arguments_of(cx, whole).is_some()
                && (mention == name || plain)
            {
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
        Some(Item { weight: item.weight + weight, ..item })
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
        let Self { cx, ref parameters, .. } = *self;
        let parameter = parameters[position];
        let is_only = parameters.len() == 1;
        let count = if is_pack(cx, parameter) { usize::MAX } else { 1 };
        for &mention in self.mentions() {
            let Some(parent) = cx.parent(mention) else { continue };
            let Some(list) = arguments_of(cx, parent) else { continue };
            let uses = if !is_only {
                Edits::drop_all(cx.elements(list).skip(position).take(count))
            } else if let Some(whole) =
                cx.ancestors(mention).find(|&at| cx.is(Role::Instantiation, at))
            {
                // Nobody demands what is no template.
                Edits::drop(whole)
            } else {
                // The name of a scope is of another kind than that of a type.
                let scope = cx.parent_that(Role::Qualified, parent);
                let is_scope = scope.is_some_and(|at| cx.elements(at).next() == Some(parent));
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

    /// Returns the templates that define a member of this one outside of it, each with the position
    /// of its parameter that stands for the one at this position; those that do it for certain
    /// arguments have none.
    fn members(&self, position: usize) -> Vec<(Self, Option<usize>)> {
        let Self { cx, id, .. } = *self;
        let member = |&mention: &NodeId| {
            let scope = cx.parent(mention).filter(|_| !cx.contains(id, mention))?;
            let mut around = cx.ancestors(scope).take_while(|&at| !cx.is(Role::Block, at));
            let template = around.find(|&at| cx.is(Role::Template, at))?;
            cx.parent_that(Role::Qualified, scope).filter(|&at| cx.contains(template, at))?;
            let list = cx.part(scope, FieldRole::Arguments)?;
            let member = Self::read(cx, template)?;
            if member.parameters.is_empty() {
                return Some((member, None));
            }
            let argument = cx.innermost(cx.elements(list).nth(position)?);
            let own =
                (0..member.parameters.len()).find(|&own| member.meant(own).contains(&argument))?;
            Some((member, Some(own)))
        };
        self.mentions().iter().filter_map(member).collect()
    }

    /// Returns the edits that put the least type or value in place of the parameter at this
    /// position.
    fn least_instead(&self, position: usize) -> Option<Edits> {
        let cx = self.cx;
        self.put(position, least_type(cx).unwrap_or_default(), |mention| {
            let is_part = |&at: &NodeId| {
                cx.is(Role::Qualified, at) || cx.is(Role::Type, at) && cx.tokens(at) > 1
            };
            // A type that is a member of the parameter goes as a whole.
            let qualified = cx.parent_that(Role::Qualified, mention);
            let outer = qualified.and_then(|at| cx.around(at).take_while(is_part).last());
            let at = outer.unwrap_or(mention);
            Some((at, least(cx, at)?))
        })
    }

    /// Returns the edits that put an argument in place of the parameter at this position.
    fn instead(&self, position: usize, argument: NodeId) -> Option<Edits> {
        let cx = self.cx;
        let argument = cx.innermost(argument);
        let text = cx.text_of(argument);
        self.put(position, text, |mention| {
            let name = cx.is_name(argument).then(|| cx.reworded(mention, text));
            Some((mention, name.unwrap_or_else(|| Change::hoist(argument))))
        })
    }

    /// Returns the edits that change all mentions of a parameter, and make one type or value of
    /// many if it stands for many.
    fn put(
        &self,
        position: usize,
        text: &[u8],
        change: impl Fn(NodeId) -> Option<(NodeId, Change)>,
    ) -> Option<Edits> {
        let Self { cx, id, ref parameters, .. } = *self;
        let mut edits = Edits::none();
        let meant = self.meant(position);
        for &mention in &meant {
            let (at, change) = change(mention)?;
            edits.add(at, change).then_some(())?;
        }
        let pack = parameters[position];
        if !is_pack(cx, pack) {
            return Some(edits);
        }
        let is_sign =
            |&at: &NodeId| cx.is_leaf(at) && cx.text_of(at) == MANY && !cx.contains(pack, at);
        for sign in cx.subtree(id).filter(is_sign) {
            let mut around = cx.ancestors(sign).take_while(|&at| at > id);
            let parameter = around.find(|&at| cx.is(Role::Parameter, at));
            let (at, change) = if let Some(parameter) = parameter {
                let leaves = cx.leaves_in(parameter).filter(|&at| at != sign);
                let word = |leaf| if meant.contains(&leaf) { text } else { cx.text_of(leaf) };
                let words: Vec<&[u8]> = leaves.map(word).collect();
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
            cx.part(record, FieldRole::Body)?;
            let is_named = cx.name_part(record) == Some(mention);
            (is_named && cx.is(Role::DeclaresType, record)).then_some(record)
        });
        let record = records.max()?;
        let parent = cx.parent(record)?;
        let is_whole = cx.part(parent, FieldRole::Type) == Some(record);
        let next = || cx.children(parent).find(|&at| at > record).filter(|&at| cx.is_leaf(at));
        is_whole.then_some(parent).or_else(next)
    }

    /// Returns the argument that all uses give a parameter, if it is more than the least one: the
    /// default one if none gives any.
    fn only_argument(&self, position: usize) -> Option<NodeId> {
        let Self { cx, id, ref parameters, .. } = *self;
        self.name?;
        let outside = self.mentions().iter().filter(|&&mention| !cx.contains(id, mention));
        let lists = outside.filter_map(|&mention| arguments_of(cx, cx.parent(mention)?));
        let mut given = lists.map(|list| cx.elements(list).nth(position)).peekable();
        if let Some(Some(_)) = given.peek() {
            return all_alike(cx, given);
        }
        let parts = cx.children(parameters[position]);
        let default = parts.skip_while(|&at| cx.text_of(at) != b"=").nth(1);
        default.filter(|_| given.all(|argument| argument.is_none()))
    }

    /// Returns the type of all that a function is called with where its parameter has the type at
    /// this position, as far as names say their types.
    fn only_deduced(&self, position: usize) -> Option<NodeId> {
        let cx = self.cx;
        let list = FunctionParts::of(cx, *self.inner.first()?)?.parameters;
        let meant = self.meant(position);
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
        let lists = self.mentions().iter().filter_map(|&m| ListBehind::of(cx, m));
        let lists = lists.filter(|list| !list.declares);
        let of = |list: ListBehind| type_of(cx, *list.elements.get(place)?).and_then(counterpart);
        all_alike(cx, lists.map(of))
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

/// Returns the first of some types or values, if all are like it and it is not the least one.
fn all_alike(
    cx: &PassContext<'_>,
    mut all: impl Iterator<Item = Option<NodeId>>,
) -> Option<NodeId> {
    let first = all.next()??;
    let part = cx.innermost(first);
    let mut least = cx.language.roles.placeholders.get(&cx.kind(part)).into_iter().flatten();
    let is_same = |other: Option<NodeId>| other.is_some_and(|id| cx.hash(id) == cx.hash(first));
    let is_more = least.all(|(text, _)| **text != *cx.text_of(part));
    (all.all(is_same) && is_more).then_some(first)
}
