//! Functions, classes and values of a type as their parts: views of nodes by the fields of the
//! grammar.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::declarations::{declarators, declared_name};

/// The parts of a function's definition.
pub(crate) struct FunctionParts {
    /// The function's name.
    pub(crate) name: NodeId,
    /// The list of its parameters.
    pub(crate) parameters: NodeId,
    /// Its body, where that is a list of statements.
    pub(crate) body: Option<NodeId>,
}

impl FunctionParts {
    /// Returns the parts of a function with a name and a list of parameters.
    pub(crate) fn of(cx: &PassContext<'_>, function: NodeId) -> Option<Self> {
        let body = cx.part(function, FieldRole::Body);
        let mut name = cx.name_part(function);
        let mut parameters = cx.part(function, FieldRole::Parameters);
        // What a declared function returns may stand around its declarator: the innermost one
        // counts.
        let mut declarator = cx.part(function, FieldRole::Declarator);
        while let Some(at) = declarator {
            if cx.is_name(at) {
                name = Some(at);
            }
            parameters = cx.part(at, FieldRole::Parameters).or(parameters);
            declarator = inner_declarator(cx, at);
        }
        Some(Self {
            name: name?,
            parameters: parameters?,
            body: body.filter(|&body| cx.is(Role::Block, body)),
        })
    }
}

/// Returns the declarator inside of another: the field of that name, or in brackets the only part
/// that is no qualifier.
fn inner_declarator(cx: &PassContext<'_>, declarator: NodeId) -> Option<NodeId> {
    cx.part(declarator, FieldRole::Declarator).or_else(|| {
        let mut parts = cx.elements(declarator);
        parts.find(|&part| !cx.is(Role::Qualifier, part))
    })
}

/// Returns the list of a call's arguments. A template that stands after a function does not count.
pub(crate) fn arguments(cx: &PassContext<'_>, call: NodeId) -> Option<NodeId> {
    let arguments = cx.part(call, FieldRole::Arguments);
    arguments.filter(|&arguments| cx.is(Role::Arguments, arguments))
}

/// The list after a function's name: of parameters where it is declared, of arguments where it is
/// called.
pub(crate) struct ListBehind {
    /// The list itself.
    pub(crate) list: NodeId,
    /// Whether the list declares parameters.
    pub(crate) declares: bool,
    /// The parameters or arguments.
    pub(crate) elements: Vec<NodeId>,
}

impl ListBehind {
    /// Returns the list after the name at `mention`, if there is one.
    pub(crate) fn of(cx: &PassContext<'_>, mention: NodeId) -> Option<Self> {
        let mut name = mention;
        loop {
            // The root has no list of its own, and may have very many children.
            let parent = cx.parent(name).filter(|&parent| parent != NodeId::ROOT)?;
            let parameters = cx.part(parent, FieldRole::Parameters);
            let list = parameters.or_else(|| arguments(cx, parent));
            if let Some(list) = list.filter(|&list| list > mention) {
                let elements = cx.elements(list).collect();
                return Some(Self { list, declares: parameters.is_some(), elements });
            }
            if !is_whole_name(cx, parent, name) {
                return None;
            }
            name = parent;
        }
    }
}

/// Returns whether a node is a name with what says where it is looked up (`a.f`, `a::f`) or for
/// which types (`f<int>`), and `name` the part of it that is called.
fn is_whole_name(cx: &PassContext<'_>, node: NodeId, name: NodeId) -> bool {
    let is_last = || cx.children(node).last() == Some(name);
    let is_scoped = cx.is(Role::Access, node) || cx.is(Role::Qualified, node);
    let is_template = || {
        let list = cx.part(node, FieldRole::Arguments);
        list.is_some() && cx.part(node, FieldRole::Name) == Some(name)
    };
    is_scoped && is_last() || is_template()
}

/// Returns the name of the function whose parameters or arguments a list holds.
pub(crate) fn function_name(cx: &PassContext<'_>, list: NodeId) -> Option<NodeId> {
    let parent = cx.parent(list)?;
    let names = cx.subtree(parent).take_while(|&name| name < list);
    let is_followed = |&name: &NodeId| ListBehind::of(cx, name).is_some_and(|own| own.list == list);
    names.filter(|&name| cx.is_name(name)).filter(is_followed).last()
}

/// Returns the other places that go with a parameter: those at the same position wherever the
/// function's name has a list. No other node has any.
pub(crate) fn arguments_for(cx: &PassContext<'_>, parameter: NodeId) -> Vec<NodeId> {
    let list = cx.parent(parameter).filter(|&list| cx.is(Role::Parameters, list));
    let function = list.and_then(|list| function_name(cx, list));
    let position = list.and_then(|list| cx.elements(list).position(|p| p == parameter));
    let (Some(function), Some(position)) = (function, position) else { return Vec::new() };
    let lists = cx.mentions(function).iter().filter_map(|&m| ListBehind::of(cx, m));
    let places = lists.filter_map(|list| list.elements.get(position).copied());
    places.filter(|&place| place != parameter).collect()
}

/// A class with its members.
pub(crate) struct Class {
    /// The class itself.
    pub(crate) record: NodeId,
    /// Its name.
    pub(crate) name: Option<NodeId>,
    /// The declaration whose type it is, or the class itself.
    pub(crate) holder: NodeId,
    /// The outermost declaration around it that is no namespace, or the holder.
    pub(crate) outermost: NodeId,
    /// The sign after it, where that is not part of the holder.
    pub(crate) end: Option<NodeId>,
    /// Its members. What only says something about others, or about values of the class, does not
    /// count.
    pub(crate) members: Vec<Member>,
}

/// A member of a class.
pub(crate) struct Member {
    /// The declaration.
    pub(crate) id: NodeId,
    /// What it declares; of a maker the name of the class.
    pub(crate) names: Vec<NodeId>,
    pub(crate) sort: Sort,
}

/// What a member is.
#[derive(Clone, Copy)]
pub(crate) enum Sort {
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
    fn read(cx: &PassContext<'_>, class: Option<NodeId>, id: NodeId) -> Option<Self> {
        let is_type = |id| cx.is(Role::DeclaresType, id);
        if cx.is(Role::Typedef, id) || is_type(id) {
            let is_other_name = cx.is(Role::Typedef, id);
            let name = if is_other_name { declared_name(cx, id) } else { cx.name_part(id) };
            let is_whole = is_other_name || cx.part(id, FieldRole::Body).is_some();
            let names = name.into_iter().collect();
            return is_whole.then_some(Self { id, names, sort: Sort::Type });
        }
        if cx.is(Role::Template, id) {
            return None;
        }
        // A friend may be a function with a body.
        let own = cx.children(id).find(|&child| cx.is(Role::Function, child));
        let id = own.filter(|_| !cx.is(Role::Function, id)).unwrap_or(id);
        let of = cx.part(id, FieldRole::Type);
        let function = FunctionParts::of(cx, id);
        if cx.is(Role::Function, id) {
            let FunctionParts { name, parameters: list, body } = function?;
            let is_maker = || class.is_some_and(|class| cx.text_of(class) == cx.text_of(name));
            let sort = match of {
                Some(_) => Sort::Function { list, is_declared: body.is_none() },
                None => Sort::Maker { body: body.filter(|_| is_maker())? },
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
        let declared = declarators(cx, id);
        let names: Vec<NodeId> = declared.filter_map(|at| cx.names_in(at).next()).collect();
        if !names.is_empty() {
            return Some(Self { id, names, sort: Sort::Field });
        }
        let names = cx.name_part(of).into_iter().collect();
        is_type(of).then_some(Self { id, names, sort: Sort::Type })
    }
}

impl Class {
    /// Returns the parts of a class; `None` if it has no body, or if it is a template or inside of
    /// one.
    pub(crate) fn read(cx: &PassContext<'_>, record: NodeId) -> Option<Self> {
        let body = cx.part(record, FieldRole::Body)?;
        let name = cx.name_part(record);
        if name.is_none() && cx.part(record, FieldRole::Name).is_some() {
            return None;
        }
        let is_holder = |&id: &NodeId| {
            let roles = [Role::Declaration, Role::Typedef];
            roles.into_iter().any(|role| cx.is(role, id))
                && cx.part(id, FieldRole::Type) == Some(record)
        };
        let holder = cx.parent(record).filter(is_holder).unwrap_or(record);
        let mut outermost = holder;
        for id in cx.ancestors(holder) {
            if cx.is(Role::Template, id) {
                return None;
            }
            let roles = [Role::Declaration, Role::Function, Role::Record, Role::Statement];
            if !cx.is(Role::Namespace, id) && roles.into_iter().any(|role| cx.is(role, id)) {
                outermost = id;
            }
        }
        let end = cx.parent(holder).and_then(|parent| {
            let next = cx.children(parent).find(|&child| child >= cx.subtree_end(holder))?;
            let end = cx.signs(holder).statement_end.as_ref();
            let is_end = end.is_some_and(|end| end == cx.text_of(next));
            Some(next).filter(|_| is_end && holder == record)
        });
        let members = cx.elements(body).filter_map(|id| Member::read(cx, name, id));
        let members = members.collect();
        Some(Self { record, name, holder, outermost, end, members })
    }

    /// Returns whether a member has this name.
    pub(crate) fn declares(&self, cx: &PassContext<'_>, name: NodeId) -> bool {
        let text = cx.text_of(name);
        let mut names = self.members.iter().flat_map(|member| &member.names);
        names.any(|&own| cx.text_of(own) == text)
    }

    /// Returns whether a member of this class may be meant, as far as names say their types.
    pub(crate) fn may_own(&self, cx: &PassContext<'_>, access: NodeId) -> bool {
        let Some(target) = cx.elements(access).next() else { return false };
        if !cx.is_name(target) {
            return true;
        }
        let own = self.name.map(|name| cx.text_of(name));
        let mut is_known = false;
        for &mention in cx.mentions(target) {
            let mut around = cx.ancestors(mention).take_while(|&id| !cx.is(Role::Expression, id));
            let declares =
                |&id: &NodeId| cx.is(Role::Declaration, id) || cx.is(Role::Parameter, id);
            let Some(declaration) = around.find(declares) else { continue };
            let Some(of) = cx.part(declaration, FieldRole::Type) else { continue };
            if cx.contains(of, mention) {
                continue;
            }
            let named = cx.name_part(of).unwrap_or(of);
            let is_own = of == self.record || Some(cx.text_of(named)) == own;
            if is_own || !is_plain_class(cx, of) {
                return true;
            }
            is_known = true;
        }
        !is_known
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

/// Returns the lists of values for what is declared or made with the type whose name stands at
/// `mention`: of each variable, of each element of an array, and of what says its type (`new a(1)`,
/// `a{1}`, `a(1)`).
pub(crate) fn lists_of_values(cx: &PassContext<'_>, mention: NodeId) -> Vec<NodeId> {
    let at = whole_type(cx, mention);
    // A name in a list is not a type, and lists may be long.
    let is_long =
        |&id: &NodeId| id == NodeId::ROOT || cx.is(Role::Hollow, id) || cx.is(Role::Arguments, id);
    let Some(parent) = cx.parent(at).filter(|id| !is_long(id)) else { return Vec::new() };
    let body = cx.part(parent, FieldRole::Body);
    let is_list = |&list: &NodeId| {
        body != Some(list) && (cx.is(Role::Hollow, list) || cx.is(Role::Arguments, list))
    };
    let behind = cx.children(parent).find(|&child| child > at).filter(is_list);
    let mut lists: Vec<NodeId> = behind.into_iter().collect();
    for variable in cx.children(parent).filter(|&child| cx.is(Role::Initializer, child)) {
        let value = cx.part(variable, FieldRole::Value);
        let Some(value) = value.filter(is_list) else { continue };
        if is_of_many(cx, variable) {
            lists.extend(cx.elements(value).filter(is_list));
        } else {
            lists.push(value);
        }
    }
    lists
}

/// Returns whether something stands after the declared name, as the length of an array does.
fn is_of_many(cx: &PassContext<'_>, variable: NodeId) -> bool {
    let declarator = cx.part(variable, FieldRole::Declarator);
    let last = declarator.and_then(|id| cx.subtree(id).next_back());
    last.is_some_and(|last| !cx.is_name(last))
}

/// Returns the other name that is given to the type whose definition or name stands at `mention`;
/// what only stands in a part of that type, such as an argument of a template, has none. Of one
/// definition that is at most one name.
pub(crate) fn other_name(cx: &PassContext<'_>, mention: NodeId) -> Option<NodeId> {
    let at = whole_type(cx, mention);
    let parent = cx.parent(at)?;
    // Some grammars have a node around the type.
    let outside = if cx.is(Role::Typedef, parent) { parent } else { cx.parent(parent)? };
    let definition = Some(outside).filter(|&around| cx.is(Role::Typedef, around))?;
    let declarator = cx.part(definition, FieldRole::Declarator);
    let declared = declarator.filter(|&name| cx.is_name(name));
    declared.or_else(|| cx.name_part(definition)).filter(|&name| name != mention)
}

/// Returns the type that a name is the last part of: `struct a`, `a<b>`, `n::a`.
fn whole_type(cx: &PassContext<'_>, mention: NodeId) -> NodeId {
    let mut at = mention;
    // Whatever has no field is no part, and its parent may have very many.
    while cx.field(at).is_some()
        && let Some(parent) = cx.parent(at)
        && cx.part(parent, FieldRole::Name) == Some(at)
        && cx.part(parent, FieldRole::Body).is_none()
    {
        at = parent;
    }
    at
}
