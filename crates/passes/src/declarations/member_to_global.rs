//! Takes the members of a class out of it: what was `x.m` is `m`. Either one member goes, or all of
//! them at once, and then the class is no more.

use std::collections::HashMap;

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::framework::views::{FunctionParts, declarators, declared_name, least_type};
use crate::graph::parts::{holds_type, values_before};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the items of each class, last class first: it is opened, and each of its members goes,
/// last first.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let records = cx.until(cx.playing(Role::Record)).rev();
    let items = records.filter_map(|id| Class::read(cx, id)).flat_map(|class| class.items());
    cx.proposal(items, Plan::EACH)
}

/// A class with its members.
struct Class<'a> {
    cx: &'a PassContext<'a>,
    record: NodeId,
    /// Its name.
    name: Option<&'a [u8]>,
    /// The declaration whose type it is, or the class itself.
    holder: NodeId,
    /// The outermost declaration around it that is no namespace, or the holder.
    outermost: NodeId,
    /// The sign after it, where that is not part of the holder.
    end: Option<NodeId>,
    /// Its members. What only says something about others, or about values of the class, does not
    /// count.
    members: Vec<Member>,
}

/// A member of a class.
struct Member {
    /// The declaration.
    id: NodeId,
    /// The names that it declares; of a maker that of the class.
    names: Vec<NodeId>,
    sort: Sort,
}

#[derive(Clone, Copy)]
enum Sort {
    /// A type, or another name for one.
    Type,
    /// A variable, or several.
    Field,
    /// A function with this list of parameters.
    Function { list: NodeId, is_declared: bool },
    /// A function that makes values of the class.
    Maker { body: NodeId },
}

impl Member {
    fn read(cx: &PassContext<'_>, class: Option<&[u8]>, id: NodeId) -> Option<Self> {
        let of_type = |id, name: Option<NodeId>| {
            Some(Self { id, names: name.into_iter().collect(), sort: Sort::Type })
        };
        if cx.is(Role::Typedef, id) {
            return of_type(id, declared_name(cx, id));
        } else if cx.is(Role::DeclaresType, id) {
            return cx.part(id, FieldRole::Body).and_then(|_| of_type(id, cx.name_part(id)));
        } else if cx.is(Role::Template, id) {
            return None;
        }
        // A friend may be a function with a body.
        let own = cx.children(id).find(|&child| cx.is(Role::Function, child));
        let id = own.filter(|_| !cx.is(Role::Function, id)).unwrap_or(id);
        let of = cx.part(id, FieldRole::Type);
        let function = FunctionParts::of(cx, id);
        if cx.is(Role::Function, id) {
            let FunctionParts { name, parameters: list, body } = function?;
            let sort = match of {
                Some(_) => Sort::Function { list, is_declared: body.is_none() },
                None => Sort::Maker { body: body.filter(|_| class == Some(cx.text_of(name)))? },
            };
            return Some(Self { id, names: vec![name], sort });
        }
        let of = of.filter(|_| cx.is(Role::Joinable, id))?;
        let is_direct = |function: &FunctionParts| {
            let declarator = cx.parent(function.parameters);
            declarator.is_some_and(|at| cx.part(at, FieldRole::Declarator) == Some(function.name))
        };
        if let Some(FunctionParts { name, parameters: list, .. }) = function.filter(is_direct) {
            let sort = Sort::Function { list, is_declared: true };
            return Some(Self { id, names: vec![name], sort });
        }
        let names = declarators(cx, id).filter_map(|at| cx.names_in(at).next());
        let names: Vec<NodeId> = names.collect();
        match names.is_empty() {
            false => Some(Self { id, names, sort: Sort::Field }),
            true if cx.is(Role::DeclaresType, of) => of_type(id, cx.name_part(of)),
            true => None,
        }
    }

    /// Adds the edits after which it has no words that only members may have.
    fn without_words(&self, cx: &PassContext<'_>, edits: &mut Edits) -> bool {
        let words: Vec<NodeId> = match self.sort {
            Sort::Field | Sort::Type => Vec::new(),
            Sort::Function { list, .. } => {
                let behind = cx.parent(list).into_iter().flat_map(|id| cx.children(id));
                behind.filter(|&id| id > list && !holds_type(cx, id)).collect()
            }
            Sort::Maker { body } => values_before(cx, body).collect(),
        };
        words.into_iter().all(|id| edits.add(id, Change::drop()))
    }

    /// Returns what stands for it outside.
    fn pieces(&self, cx: &PassContext<'_>) -> Option<Vec<Piece>> {
        let text = |text: &[u8]| Piece::Text(text.into(), None);
        let Self { id, sort, .. } = *self;
        let end = cx.signs(id).statement_end.as_deref();
        let is_kept = |&id: &NodeId| !cx.is(Role::Storage, id);
        // The kind of the parts is that of members: a text of unknown kind says that they are read
        // anew.
        let kept = cx.children(id).filter(is_kept);
        Some(match sort {
            Sort::Type if cx.is(Role::DeclaresType, id) && !cx.is(Role::Typedef, id) => {
                vec![Piece::Node(id), text(end?)]
            }
            Sort::Type => kept.map(Piece::Node).collect(),
            Sort::Field => {
                let is_known = |id: NodeId| cx.field(id).is_some() || cx.is(Role::Qualifier, id);
                kept.filter(|&id| !cx.is_named(id) || is_known(id)).map(Piece::Node).collect()
            }
            Sort::Function { list, is_declared } => {
                let start = cx.children(id).find(|&child| cx.contains(child, list))?;
                // `virtual` stands before, `= 0` after.
                let is_own = |&id: &NodeId| {
                    id >= start && (!is_declared || id == start) || id < start && cx.is_named(id)
                };
                let end = end.filter(|_| is_declared).map(text);
                kept.filter(is_own).map(Piece::Node).chain(end).collect()
            }
            Sort::Maker { .. } => {
                let own = cx.children(id).filter(|&id| !cx.is(Role::Qualifier, id));
                [text(least_type(cx)?)].into_iter().chain(own.map(Piece::Node)).collect()
            }
        })
    }
}

impl<'a> Class<'a> {
    /// Returns the parts of a class; `None` if it has no body, or if it is a template or inside of
    /// one.
    fn read(cx: &'a PassContext<'a>, record: NodeId) -> Option<Self> {
        let body = cx.part(record, FieldRole::Body)?;
        let name = cx.name_part(record).map(|name| cx.text_of(name));
        if name.is_none() && cx.part(record, FieldRole::Name).is_some() {
            return None;
        }
        let is_holder = |&id: &NodeId| {
            cx.is_any(&[Role::Declaration, Role::Typedef], id)
                && cx.part(id, FieldRole::Type) == Some(record)
        };
        let holder = cx.parent(record).filter(is_holder).unwrap_or(record);
        if cx.is_in(Role::Template, holder) {
            return None;
        }
        let roles = [Role::Declaration, Role::Function, Role::Record, Role::Statement];
        let is_outer = |&id: &NodeId| !cx.is(Role::Namespace, id) && cx.is_any(&roles, id);
        let outermost = cx.ancestors(holder).filter(is_outer).last().unwrap_or(holder);
        let end = cx.parent(holder).and_then(|parent| {
            let next = cx.children(parent).find(|&child| child >= cx.subtree_end(holder))?;
            let is_end = Some(cx.text_of(next)) == cx.signs(holder).statement_end.as_deref();
            (is_end && holder == record).then_some(next)
        });
        let members = cx.elements(body).filter_map(|id| Member::read(cx, name, id)).collect();
        Some(Self { cx, record, name, holder, outermost, end, members })
    }

    fn items(&self) -> Vec<Item> {
        let is_maker = |member: &Member| matches!(member.sort, Sort::Maker { .. });
        // What makes values of the class may be needed for what it does.
        let with_makers = self.members.iter().any(is_maker).then_some(true);
        let opened = [false].into_iter().chain(with_makers);
        let opened = opened.filter_map(|makers| self.opened(makers));
        opened.chain(self.members.iter().rev().filter_map(|member| self.moved(member))).collect()
    }

    /// Returns whether the text of a node is the name of the class.
    fn is_named(&self, id: NodeId) -> bool {
        Some(self.cx.text_of(id)) == self.name
    }

    /// Returns the item that takes one member out of the class, which stays.
    fn moved(&self, member: &Member) -> Option<Item> {
        let cx = self.cx;
        let (Sort::Field | Sort::Function { .. }) = member.sort else { return None };
        let mut edits = Edits::drop(member.id);
        let is_freed =
            member.without_words(cx, &mut edits) && self.without_owner(&member.names, &mut edits);
        let mut all = member.pieces(cx).filter(|_| is_freed)?;
        // What mentions the class can only stand after it.
        let is_last = cx.names_in(member.id).any(|leaf| self.is_named(leaf));
        let place = self.end.filter(|_| is_last).unwrap_or(self.outermost);
        all.insert(if is_last { 0 } else { all.len() }, Piece::Node(place));
        edits.add(place, Change(all)).then(|| Item::new(edits, 1))
    }

    /// Returns the item after which nothing but its members is left of a class; what makes its
    /// values is a function, or goes.
    fn opened(&self, makers: bool) -> Option<Item> {
        let Self { cx, record, holder, outermost, .. } = *self;
        let mut edits = Edits::none();
        let mut members: Vec<&Member> = self.members.iter().collect();
        members.retain(|member| makers || !matches!(member.sort, Sort::Maker { .. }));
        let names: Vec<NodeId> = members.iter().flat_map(|member| &member.names).copied().collect();
        let is_freed = members.iter().all(|member| member.without_words(cx, &mut edits))
            && self.without_owner(&names, &mut edits)
            && self.without_type(makers, &mut edits);
        is_freed.then_some(())?;
        let mut all = Vec::new();
        for member in in_order(cx, members) {
            all.extend(member.pieces(cx)?);
        }
        let is_kept = edits.get(holder).is_none_or(|change| !change.is_drop());
        if holder != record && is_kept {
            let least = Change::replace_with(least_type(cx)?, None);
            edits.add(record, least).then_some(())?;
            all.push(Piece::Node(outermost));
        } else if outermost == holder {
            // A drop would win over what stands in its place.
            let others = edits.iter().filter(|&(id, _)| id != holder);
            let others = others.map(|(id, change)| (id, change.clone()));
            let end = self.end.map(|end| (end, Change::drop()));
            edits = Item::of(others.chain(end), 0)?.edits;
        } else {
            edits.add(holder, Change::drop()).then_some(())?;
            all.push(Piece::Node(outermost));
        }
        edits.add(outermost, Change(all)).then(|| Item::new(edits, cx.tokens(record)))
    }

    /// Adds the edits after which nobody mentions the class; `false` if there is no way.
    fn without_type(&self, makers: bool, edits: &mut Edits) -> bool {
        let Self { cx, record, holder, .. } = *self;
        if holder != record && self.is_idle(holder, edits) {
            let _drops = edits.add(holder, Change::drop());
        }
        let name = cx.name_part(record).map_or(&[][..], |name| cx.mentions(name));
        name.iter().all(|&mention| {
            let is_inside = |member: &Member| cx.contains(member.id, mention);
            let is_own = cx.contains(record, mention) && !self.members.iter().any(is_inside);
            is_own || self.without_mention(mention, makers, edits)
        })
    }

    /// Adds the edits after which the class is not mentioned at this place; `false` if there is no
    /// way.
    fn without_mention(&self, mention: NodeId, makers: bool, edits: &mut Edits) -> bool {
        let Self { cx, record, .. } = *self;
        let Some(parent) = cx.parent(mention) else { return false };
        let is_first = cx.elements(parent).next() == Some(mention);
        if cx.is(Role::Qualified, parent) && is_first {
            return self.without_scope(parent, edits);
        }
        if cx.is(Role::Bases, parent) {
            let types = cx.elements(parent).filter(|&base| cx.is(Role::Type, base));
            let goes = if types.count() == 1 { parent } else { mention };
            return edits.add(goes, Change::drop());
        }
        // It may only be said that there is such a class.
        let is_record = cx.is(Role::Record, parent);
        if is_record && cx.is_droppable(parent) {
            return edits.add(parent, Change::drop());
        }
        let is_own = || self.members.iter().any(|member| member.names.contains(&mention));
        if makers && (cx.is(Role::Call, parent) && is_first || is_own()) {
            return true;
        }
        let declaration = cx.ancestors(mention).find(|&id| cx.is(Role::Declaration, id));
        let is_idle = |&id: &NodeId| {
            let of = cx.part(id, FieldRole::Type);
            of.is_some_and(|of| cx.contains(of, mention))
                && !cx.contains(record, mention)
                && cx.is_droppable(id)
                && self.is_idle(id, edits)
        };
        if let Some(declaration) = declaration.filter(is_idle) {
            return edits.add(declaration, Change::drop());
        }
        let at = if is_record { parent } else { mention };
        let Some(least) = least_type(cx) else { return false };
        edits.get(at).is_some() || edits.add(at, Change::replace_with(least, None))
    }

    /// Adds the edits after which a name is not qualified with the class; what makes values of the
    /// class outside of it goes.
    fn without_scope(&self, qualified: NodeId, edits: &mut Edits) -> bool {
        let cx = self.cx;
        let Some(inner) = cx.elements(qualified).last() else { return false };
        let mut names = cx.names_in(inner);
        let is_plain = !cx.is_leaf(inner) && !cx.is(Role::Qualified, inner);
        if self.is_named(inner) || is_plain && names.all(|id| self.is_named(id)) {
            let definition = cx.ancestors(qualified).find(|&id| cx.is_droppable(id));
            return definition.is_some_and(|id| edits.add(id, Change::drop()));
        }
        match cx.is_name(inner) {
            true => edits.add(qualified, Change::replace_with(cx.text_of(inner), None)),
            false => edits.add(qualified, Change::hoist(inner)),
        }
    }

    /// Returns whether nothing but members of what is declared is ever mentioned.
    fn is_idle(&self, declaration: NodeId, edits: &Edits) -> bool {
        let Self { cx, record, .. } = *self;
        let is_own = cx.contains(record, declaration);
        let is_idle = |declarator| {
            let Some(name) = declared_name(cx, declarator) else { return false };
            let mut names = self.members.iter().flat_map(|member| &member.names);
            let is_member = !is_own && names.any(|&own| cx.text_of(own) == cx.text_of(name));
            cx.mentions(name).iter().all(|&mention| {
                let access = cx.parent_that(Role::Access, mention);
                let is_rewritten = access.is_some_and(|access| {
                    edits.get(access).is_some() && cx.elements(access).next() == Some(mention)
                });
                cx.contains(declaration, mention)
                    || is_member && cx.contains(record, mention)
                    || is_rewritten
            })
        };
        let mut declared = declarators(cx, declaration).peekable();
        cx.is(Role::Joinable, declaration) && declared.peek().is_some() && declared.all(is_idle)
    }

    /// Adds the edits after which these members are mentioned by their names alone; `false` if
    /// there is no way.
    fn without_owner(&self, names: &[NodeId], edits: &mut Edits) -> bool {
        let cx = self.cx;
        names.iter().flat_map(|&name| cx.mentions(name)).all(|&mention| {
            let Some(parent) = cx.parent(mention) else { return true };
            // `x.m<int>` holds `m<int>`.
            let is_whole = cx.is_any(&[Role::Access, Role::Qualified], parent);
            let at = if is_whole { mention } else { parent };
            let Some(access) = cx.parent(at) else { return true };
            let is_member = || cx.is(Role::Access, access) && self.may_own(access);
            let is_scoped = || {
                let scope = cx.elements(access).next().map(|scope| cx.text_of(scope));
                cx.is(Role::Qualified, access) && scope == self.name
            };
            if cx.children(access).last() != Some(at) || !(is_member() || is_scoped()) {
                return true;
            }
            let leaf = cx.is_leaf(at).then(|| Change::replace_with(cx.text_of(at), None));
            edits.add(access, leaf.unwrap_or_else(|| Change::hoist(at)))
        })
    }

    /// Returns whether a member of this class may be meant, as far as names say their types.
    fn may_own(&self, access: NodeId) -> bool {
        let cx = self.cx;
        let Some(target) = cx.elements(access).next() else { return false };
        if !cx.is_name(target) {
            return true;
        }
        let types = cx.mentions(target).iter().filter_map(|&mention| {
            let mut around = cx.ancestors(mention).take_while(|&id| !cx.is(Role::Expression, id));
            let declaration =
                around.find(|&id| cx.is_any(&[Role::Declaration, Role::Parameter], id))?;
            cx.part(declaration, FieldRole::Type).filter(|&of| !cx.contains(of, mention))
        });
        let mut types = types.peekable();
        types.peek().is_none()
            || types.any(|of| {
                let named = cx.name_part(of).unwrap_or(of);
                of == self.record || self.is_named(named) || !is_plain_class(cx, of)
            })
    }
}

/// Returns whether a type is a class that is derived from no other.
fn is_plain_class(cx: &PassContext<'_>, of: NodeId) -> bool {
    let is_plain = |record: NodeId| {
        let has_bases = cx.children(record).any(|child| cx.is(Role::Bases, child));
        let has_body = cx.part(record, FieldRole::Body).is_some();
        cx.is(Role::Record, record) && has_body && !has_bases
    };
    let name = if cx.is_name(of) { Some(of) } else { cx.name_part(of) };
    let mentions = name.map_or(&[][..], |name| cx.mentions(name));
    is_plain(of) || mentions.iter().filter_map(|&mention| cx.parent(mention)).any(is_plain)
}

/// Returns the members in an order in which each is declared before it is used: types, fields,
/// functions.
fn in_order<'a>(cx: &PassContext<'_>, mut members: Vec<&'a Member>) -> Vec<&'a Member> {
    members.sort_by_key(|member| match member.sort {
        Sort::Type => 0,
        Sort::Field => 1,
        Sort::Function { .. } | Sort::Maker { .. } => 2,
    });
    let first = members.partition_point(|member| matches!(member.sort, Sort::Type | Sort::Field));
    let mut left = members.split_off(first);
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
        members.push(left.remove(next));
    }
    members
}
