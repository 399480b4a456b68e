//! Takes the members of a class out of it: what was `x.m` is `m`. Either one member goes, or all of
//! them at once, and then the class is no more.

use std::collections::HashMap;

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::framework::declarations::{declarators, declared_name, least_type};
use crate::framework::views::{Class, Member, Sort};
use crate::graph::parts::{holds_type, values_before};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the items of each class, last class first: it is opened, and each of its members goes,
/// last first.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let records = cx.until(cx.playing(Role::Record).into_iter().rev());
    let classes = records.filter_map(|id| Class::read(cx, id));
    let items = classes.flat_map(|class| items(cx, &class));
    cx.proposal(items, Plan::EACH)
}

fn items(cx: &PassContext<'_>, class: &Class) -> Vec<Item> {
    let is_maker = |member: &Member| matches!(member.sort, Sort::Maker { .. });
    // What makes values of the class may be needed for what it does.
    let with_makers = class.members.iter().any(is_maker).then_some(true);
    let opened = [false].into_iter().chain(with_makers);
    let opened = opened.filter_map(|makers| Opening { cx, class, makers }.item());
    let single = class.members.iter().rev().filter_map(|member| moved(cx, class, member));
    opened.chain(single).collect()
}

/// Returns the item that takes one member out of the class, which stays.
fn moved(cx: &PassContext<'_>, class: &Class, member: &Member) -> Option<Item> {
    let (Sort::Field | Sort::Function { .. }) = member.sort else { return None };
    let mut edits = Edits::drop(member.id);
    let is_freed = without_member_words(cx, member, &mut edits)
        && without_owner(cx, class, &member.names, &mut edits);
    let pieces = pieces(cx, member).filter(|_| is_freed)?.into_iter();
    // What mentions the class can only stand after it.
    let name = class.name.map(|name| cx.text_of(name));
    let is_last = cx.names_in(member.id).any(|leaf| Some(cx.text_of(leaf)) == name);
    let place = class.end.filter(|_| is_last).unwrap_or(class.outermost);
    let all = match is_last {
        true => [Piece::Node(place)].into_iter().chain(pieces).collect(),
        false => pieces.chain([Piece::Node(place)]).collect(),
    };
    edits.add(place, Change(all)).then(|| Item::new(edits, 1))
}

/// A class of which nothing but its members is left.
struct Opening<'a> {
    cx: &'a PassContext<'a>,
    class: &'a Class,
    /// Whether what makes its values is a function.
    makers: bool,
}

impl Opening<'_> {
    fn item(&self) -> Option<Item> {
        let Self { cx, class, .. } = *self;
        let mut edits = Edits::none();
        let mut members: Vec<&Member> = class.members.iter().collect();
        members.retain(|member| self.makers || !matches!(member.sort, Sort::Maker { .. }));
        let names: Vec<NodeId> = members.iter().flat_map(|member| &member.names).copied().collect();
        let is_freed = members.iter().all(|member| without_member_words(cx, member, &mut edits))
            && without_owner(cx, class, &names, &mut edits)
            && self.without_type(&mut edits);
        is_freed.then_some(())?;
        let mut all = Vec::new();
        for member in in_order(cx, &members) {
            all.extend(pieces(cx, member)?);
        }
        let is_outermost = class.outermost == class.holder;
        let is_kept = edits.get(class.holder).is_none_or(|change| !change.is_drop());
        if class.holder != class.record && is_kept {
            let least = Change::replace_with(least_type(cx)?, None);
            edits.add(class.record, least).then_some(())?;
            all.push(Piece::Node(class.outermost));
        } else if is_outermost {
            // A drop would win over what stands in its place.
            let others = edits.iter().filter(|&(id, _)| id != class.holder);
            let others = others.map(|(id, change)| (id, change.clone()));
            let ends = class.end.map(|end| (end, Change::drop()));
            let mut left = Edits::none();
            others.chain(ends).all(|(id, change)| left.add(id, change)).then_some(())?;
            edits = left;
        } else {
            edits.add(class.holder, Change::drop()).then_some(())?;
            all.push(Piece::Node(class.outermost));
        }
        let weight = cx.tokens(class.record);
        edits.add(class.outermost, Change(all)).then(|| Item::new(edits, weight))
    }

    /// Adds the edits after which nobody mentions the class; `false` if there is no way.
    fn without_type(&self, edits: &mut Edits) -> bool {
        let Self { cx, class, .. } = *self;
        if class.holder != class.record && self.is_idle(class.holder, edits) {
            let _drops = edits.add(class.holder, Change::drop());
        }
        let Some(name) = class.name else { return true };
        let inside_members = |mention: NodeId| {
            let mut members = class.members.iter();
            members.any(|member| cx.contains(member.id, mention))
        };
        cx.mentions(name).iter().all(|&mention| {
            let is_outside = !cx.contains(class.record, mention) || inside_members(mention);
            !is_outside || self.without_mention(mention, edits)
        })
    }

    /// Adds the edits after which the class is not mentioned at this place; `false` if there is no
    /// way.
    fn without_mention(&self, mention: NodeId, edits: &mut Edits) -> bool {
        let Self { cx, class, .. } = *self;
        let Some(parent) = cx.parent(mention) else { return false };
        if cx.is(Role::Qualified, parent) && cx.elements(parent).next() == Some(mention) {
            return self.without_scope(parent, edits);
        }
        if cx.is(Role::Bases, parent) {
            let types = cx.elements(parent).filter(|&base| cx.is(Role::Type, base));
            let goes = if types.count() == 1 { parent } else { mention };
            return edits.add(goes, Change::drop());
        }
        // It may only be said that there is such a class.
        if cx.is(Role::Record, parent) && cx.is_droppable(parent) {
            return edits.add(parent, Change::drop());
        }
        let is_called = cx.is(Role::Call, parent) && cx.elements(parent).next() == Some(mention);
        let is_own = || class.members.iter().any(|member| member.names.contains(&mention));
        if self.makers && (is_called || is_own()) {
            return true;
        }
        let declaration = cx.ancestors(mention).find(|&id| cx.is(Role::Declaration, id));
        let is_idle = |&id: &NodeId| {
            let of = cx.part(id, FieldRole::Type);
            of.is_some_and(|of| cx.contains(of, mention))
                && !cx.contains(class.record, mention)
                && cx.is_droppable(id)
                && self.is_idle(id, edits)
        };
        if let Some(declaration) = declaration.filter(is_idle) {
            return edits.add(declaration, Change::drop());
        }
        let at = if cx.is(Role::Record, parent) { parent } else { mention };
        let Some(least) = least_type(cx) else { return false };
        edits.get(at).is_some() || edits.add(at, Change::replace_with(least, None))
    }

    /// Adds the edits after which a name is not qualified with the class; what makes values of the
    /// class outside of it goes.
    fn without_scope(&self, qualified: NodeId, edits: &mut Edits) -> bool {
        let Self { cx, class, .. } = *self;
        let Some(inner) = cx.elements(qualified).last() else { return false };
        let own = class.name.map(|name| cx.text_of(name));
        let is_maker = Some(cx.text_of(inner)) == own
            || !cx.is_leaf(inner) && {
                let mut names = cx.names_in(inner);
                !cx.is(Role::Qualified, inner) && names.all(|id| Some(cx.text_of(id)) == own)
            };
        if is_maker {
            let mut around = cx.ancestors(qualified);
            let definition = around.find(|&id| cx.is_droppable(id));
            return definition.is_some_and(|id| edits.add(id, Change::drop()));
        }
        match cx.is_name(inner) {
            true => edits.add(qualified, Change::replace_with(cx.text_of(inner), None)),
            false => edits.add(qualified, Change::hoist(inner)),
        }
    }

    /// Returns whether nothing but members of what is declared is ever mentioned.
    fn is_idle(&self, declaration: NodeId, edits: &Edits) -> bool {
        let Self { cx, class, .. } = *self;
        if !cx.is(Role::Joinable, declaration) {
            return false;
        }
        let mut declared = declarators(cx, declaration).peekable();
        let is_own = cx.contains(class.record, declaration);
        declared.peek().is_some()
            && declared.all(|declarator| {
                let Some(name) = declared_name(cx, declarator) else { return false };
                let of_class = !is_own && class.declares(cx, name);
                cx.mentions(name).iter().all(|&mention| {
                    let access = cx.parent(mention).filter(|&id| cx.is(Role::Access, id));
                    let is_rewritten = access.is_some_and(|access| {
                        edits.get(access).is_some() && cx.elements(access).next() == Some(mention)
                    });
                    cx.contains(declaration, mention)
                        || of_class && cx.contains(class.record, mention)
                        || is_rewritten
                })
            })
    }
}

/// Adds the edits after which a member has no words that only members may have.
fn without_member_words(cx: &PassContext<'_>, member: &Member, edits: &mut Edits) -> bool {
    match member.sort {
        Sort::Field | Sort::Type => true,
        Sort::Function { list, .. } => {
            let declarator = cx.parent(list);
            let behind = declarator.into_iter().flat_map(|id| cx.children(id));
            let mut words = behind.filter(|&id| id > list && !holds_type(cx, id));
            words.all(|id| edits.add(id, Change::drop()))
        }
        Sort::Maker { body } => {
            let mut values = values_before(cx, body);
            values.all(|id| edits.add(id, Change::drop()))
        }
    }
}

/// Returns what stands for the member outside.
fn pieces(cx: &PassContext<'_>, member: &Member) -> Option<Vec<Piece>> {
    let text = |text: &[u8]| Piece::Text(text.into(), None);
    let is_kept = |&id: &NodeId| !cx.is(Role::Storage, id);
    // The kind of the parts is that of members: a text of unknown kind says that they are read
    // anew.
    let nodes = |id: NodeId| cx.children(id).filter(is_kept).map(Piece::Node);
    let id = member.id;
    Some(match member.sort {
        Sort::Type if cx.is(Role::DeclaresType, id) && !cx.is(Role::Typedef, id) => {
            let end = cx.signs(id).statement_end.as_deref()?;
            vec![Piece::Node(id), text(end)]
        }
        Sort::Type => nodes(id).collect(),
        Sort::Field => {
            let is_plain = |&id: &NodeId| {
                let is_known = cx.field(id).is_some() || cx.is(Role::Qualifier, id);
                !cx.is_named(id) || is_known
            };
            cx.children(id).filter(is_kept).filter(is_plain).map(Piece::Node).collect()
        }
        Sort::Function { list, is_declared } => {
            let start = cx.children(id).find(|&child| cx.contains(child, list))?;
            // `virtual` stands before, `= 0` after.
            let is_own = |&id: &NodeId| {
                id >= start && (!is_declared || id == start) || id < start && cx.is_named(id)
            };
            let own = cx.children(id).filter(is_kept).filter(is_own).map(Piece::Node);
            let end = cx.signs(id).statement_end.as_deref().filter(|_| is_declared);
            own.chain(end.map(|end| text(end))).collect()
        }
        Sort::Maker { .. } => {
            let least = text(least_type(cx)?);
            let is_own = |&id: &NodeId| !cx.is(Role::Qualifier, id);
            [least].into_iter().chain(cx.children(id).filter(is_own).map(Piece::Node)).collect()
        }
    })
}

/// Returns the members in an order in which each is declared before it is used: types, fields,
/// functions.
fn in_order<'a>(cx: &PassContext<'_>, members: &[&'a Member]) -> Vec<&'a Member> {
    let of = |is: fn(&Member) -> bool| members.iter().copied().filter(move |member| is(member));
    let types = of(|member| matches!(member.sort, Sort::Type));
    let fields = of(|member| matches!(member.sort, Sort::Field));
    let functions = of(|member| !matches!(member.sort, Sort::Type | Sort::Field));
    let mut left: Vec<&Member> = functions.collect();
    let mut ordered: Vec<&Member> = types.chain(fields).collect();
    while !left.is_empty() {
        let names = left.iter().flat_map(|other| other.names.iter().map(|&name| (name, other.id)));
        let owners: HashMap<&[u8], NodeId> =
            names.map(|(name, owner)| (cx.text_of(name), owner)).collect();
        let is_free = |member: &&Member| {
            let mut used = cx.names_in(member.id).filter_map(|name| owners.get(cx.text_of(name)));
            used.all(|&owner| owner == member.id)
        };
        // Of those that mention each other the first one comes first.
        let next = left.iter().position(is_free).unwrap_or(0);
        ordered.push(left.remove(next));
    }
    ordered
}

/// Adds the edits after which these members are mentioned by their names alone; `false` if there is
/// no way.
fn without_owner(cx: &PassContext<'_>, class: &Class, names: &[NodeId], edits: &mut Edits) -> bool {
    for &name in names {
        for &mention in cx.mentions(name) {
            let Some(parent) = cx.parent(mention) else { continue };
            // `x.m<int>` holds `m<int>`.
            let is_whole = cx.is(Role::Access, parent) || cx.is(Role::Qualified, parent);
            let at = if is_whole { mention } else { parent };
            let Some(access) = cx.parent(at) else { continue };
            let is_last = cx.children(access).last() == Some(at);
            let is_member = cx.is(Role::Access, access) && class.may_own(cx, access);
            let is_scoped = || {
                let scope = cx.elements(access).next();
                let own = class.name.map(|name| cx.text_of(name));
                cx.is(Role::Qualified, access) && scope.map(|scope| cx.text_of(scope)) == own
            };
            if !is_last || !(is_member || is_scoped()) {
                continue;
            }
            let change = match cx.is_leaf(at) {
                true => Change::replace_with(cx.text_of(at), None),
                false => Change::hoist(at),
            };
            if !edits.add(access, change) {
                return false;
            }
        }
    }
    true
}
