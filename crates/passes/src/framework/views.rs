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
    pub(crate) fn of(context: &PassContext<'_>, function: NodeId) -> Option<Self> {
        let body = context.part(function, FieldRole::Body);
        let mut name = context.name_part(function);
        let mut parameters = context.part(function, FieldRole::Parameters);
        // What a declared function returns may stand around its declarator: the innermost one
        // counts.
        let mut declarator = context.part(function, FieldRole::Declarator);
        while let Some(at) = declarator {
            if context.is_name(at) {
                name = Some(at);
            }
            parameters = context.part(at, FieldRole::Parameters).or(parameters);
            declarator = inner_declarator(context, at);
        }
        Some(Self {
            name: name?,
            parameters: parameters?,
            body: body.filter(|&body| context.is(Role::Block, body)),
        })
    }
}

/// Returns the declarator inside of another: the field of that name, or in brackets the only part
/// that is no qualifier.
fn inner_declarator(context: &PassContext<'_>, declarator: NodeId) -> Option<NodeId> {
    context.part(declarator, FieldRole::Declarator).or_else(|| {
        let mut parts = context.elements(declarator);
        parts.find(|&part| !context.is(Role::Qualifier, part))
    })
}

/// Returns the list of a call's arguments. A template that stands after a function does not count.
pub(crate) fn arguments(context: &PassContext<'_>, call: NodeId) -> Option<NodeId> {
    let arguments = context.part(call, FieldRole::Arguments);
    arguments.filter(|&arguments| context.is(Role::Arguments, arguments))
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
    pub(crate) fn of(context: &PassContext<'_>, mention: NodeId) -> Option<Self> {
        let mut name = mention;
        loop {
            // The root has no list of its own, and may have very many children.
            let parent = context.tree.parent(name).filter(|&parent| parent != NodeId::ROOT)?;
            let parameters = context.part(parent, FieldRole::Parameters);
            let list = parameters.or_else(|| arguments(context, parent));
            if let Some(list) = list.filter(|&list| list > mention) {
                let elements = context.elements(list).collect();
                return Some(Self { list, declares: parameters.is_some(), elements });
            }
            if !is_whole_name(context, parent, name) {
                return None;
            }
            name = parent;
        }
    }
}

/// Returns whether a node is a name with what says where it is looked up (`a.f`, `a::f`) or for
/// which types (`f<int>`), and `name` the part of it that is called.
fn is_whole_name(context: &PassContext<'_>, node: NodeId, name: NodeId) -> bool {
    let is_last = || context.tree.children(node).last() == Some(name);
    let is_scoped = context.is(Role::Access, node) || context.is(Role::Qualified, node);
    let is_template = || {
        let list = context.part(node, FieldRole::Arguments);
        list.is_some() && context.part(node, FieldRole::Name) == Some(name)
    };
    is_scoped && is_last() || is_template()
}

/// Returns the name of the function whose parameters or arguments a list holds.
pub(crate) fn function_name(context: &PassContext<'_>, list: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let parent = tree.parent(list)?;
    let names = tree.subtree(parent).take_while(|&name| name < list);
    let is_followed =
        |&name: &NodeId| ListBehind::of(context, name).is_some_and(|own| own.list == list);
    names.filter(|&name| context.is_name(name)).filter(is_followed).last()
}

/// Returns the other places that go with a parameter: those at the same position wherever the
/// function's name has a list. No other node has any.
pub(crate) fn arguments_for(context: &PassContext<'_>, parameter: NodeId) -> Vec<NodeId> {
    let list = context.tree.parent(parameter).filter(|&list| context.is(Role::Parameters, list));
    let function = list.and_then(|list| function_name(context, list));
    let position = list.and_then(|list| context.elements(list).position(|p| p == parameter));
    let (Some(function), Some(position)) = (function, position) else { return Vec::new() };
    let lists = context.mentions(function).iter().filter_map(|&m| ListBehind::of(context, m));
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
    fn read(context: &PassContext<'_>, class: Option<NodeId>, id: NodeId) -> Option<Self> {
        let tree = context.tree;
        if context.is(Role::Typedef, id) {
            let names = declared_name(context, id).into_iter().collect();
            return Some(Self { id, names, sort: Sort::Type });
        }
        let is_type = |id| context.is(Role::DeclaresType, id);
        if is_type(id) {
            let names = context.name_part(id).into_iter().collect();
            let sort = Sort::Type;
            return context.part(id, FieldRole::Body).map(|_| Self { id, names, sort });
        }
        if context.is(Role::Template, id) {
            return None;
        }
        // A friend may be a function with a body.
        let own = tree.children(id).find(|&child| context.is(Role::Function, child));
        let id = own.filter(|_| !context.is(Role::Function, id)).unwrap_or(id);
        let has_type = context.part(id, FieldRole::Type).is_some();
        if context.is(Role::Function, id) {
            let FunctionParts { name, parameters, body } = FunctionParts::of(context, id)?;
            let names = vec![name];
            let is_maker = || class.is_some_and(|class| tree.text_of(class) == tree.text_of(name));
            let sort = match has_type {
                true => Sort::Function { list: parameters, is_declared: body.is_none() },
                false => Sort::Maker { body: body.filter(|_| is_maker())? },
            };
            return Some(Self { id, names, sort });
        }
        if !context.is(Role::Joinable, id) || !has_type {
            return None;
        }
        if let Some(FunctionParts { name, parameters, .. }) = FunctionParts::of(context, id)
            && tree
                .parent(parameters)
                .is_some_and(|at| context.part(at, FieldRole::Declarator) == Some(name))
        {
            let sort = Sort::Function { list: parameters, is_declared: true };
            return Some(Self { id, names: vec![name], sort });
        }
        let declared = declarators(context, id);
        let mut names: Vec<NodeId> = declared.filter_map(|at| name_in(context, at)).collect();
        let defined = context.part(id, FieldRole::Type).filter(|&of| is_type(of));
        if names.is_empty() {
            names.extend(defined.and_then(|of| context.name_part(of)));
            return defined.map(|_| Self { id, names, sort: Sort::Type });
        }
        Some(Self { id, names, sort: Sort::Field })
    }
}

impl Class {
    /// Returns the parts of a class; `None` if it has no body, or if it is a template or inside of
    /// one.
    pub(crate) fn read(context: &PassContext<'_>, record: NodeId) -> Option<Self> {
        let tree = context.tree;
        let body = context.part(record, FieldRole::Body)?;
        let name = context.name_part(record);
        if name.is_none() && context.part(record, FieldRole::Name).is_some() {
            return None;
        }
        let is_holder = |&id: &NodeId| {
            let roles = [Role::Declaration, Role::Typedef];
            roles.into_iter().any(|role| context.is(role, id))
                && context.part(id, FieldRole::Type) == Some(record)
        };
        let holder = tree.parent(record).filter(is_holder).unwrap_or(record);
        let mut outermost = holder;
        for id in tree.ancestors(holder) {
            if context.is(Role::Template, id) {
                return None;
            }
            let roles = [Role::Declaration, Role::Function, Role::Record, Role::Statement];
            if !context.is(Role::Namespace, id)
                && roles.into_iter().any(|role| context.is(role, id))
            {
                outermost = id;
            }
        }
        let end = tree.parent(holder).and_then(|parent| {
            let next = tree.children(parent).find(|&child| child >= tree.subtree_end(holder))?;
            let is_end =
                Some(tree.text_of(next)) == context.tokens(holder).statement_end.as_deref();
            Some(next).filter(|_| is_end && holder == record)
        });
        let members = context.elements(body).filter_map(|id| Member::read(context, name, id));
        let members = members.collect();
        Some(Self { record, name, holder, outermost, end, members })
    }

    /// Returns whether a member has this name.
    pub(crate) fn declares(&self, context: &PassContext<'_>, name: NodeId) -> bool {
        let text = context.tree.text_of(name);
        let mut names = self.members.iter().flat_map(|member| &member.names);
        names.any(|&own| context.tree.text_of(own) == text)
    }

    /// Returns whether a member of this class may be meant, as far as names say their types.
    pub(crate) fn may_own(&self, context: &PassContext<'_>, access: NodeId) -> bool {
        let tree = context.tree;
        let Some(target) = context.elements(access).next() else { return false };
        if !context.is_name(target) {
            return true;
        }
        let own = self.name.map(|name| tree.text_of(name));
        let mut is_known = false;
        for &mention in context.mentions(target) {
            let mut around =
                tree.ancestors(mention).take_while(|&id| !context.is(Role::Expression, id));
            let declares =
                |&id: &NodeId| context.is(Role::Declaration, id) || context.is(Role::Parameter, id);
            let Some(declaration) = around.find(declares) else { continue };
            let Some(of) = context.part(declaration, FieldRole::Type) else { continue };
            if tree.contains(of, mention) {
                continue;
            }
            let named = context.name_part(of).unwrap_or(of);
            let is_own = of == self.record || Some(tree.text_of(named)) == own;
            if is_own || !is_plain_class(context, of) {
                return true;
            }
            is_known = true;
        }
        !is_known
    }
}

/// Returns whether a type is a class that is derived from no other.
fn is_plain_class(context: &PassContext<'_>, of: NodeId) -> bool {
    let tree = context.tree;
    let is_plain = |record: NodeId| {
        let has_bases = tree.children(record).any(|child| context.is(Role::Bases, child));
        let has_body = context.part(record, FieldRole::Body).is_some();
        context.is(Role::Record, record) && has_body && !has_bases
    };
    let name = if context.is_name(of) { Some(of) } else { context.name_part(of) };
    let mentions = name.map_or(&[][..], |name| context.mentions(name));
    is_plain(of) || mentions.iter().filter_map(|&mention| tree.parent(mention)).any(is_plain)
}

/// Returns the name in a declarator.
fn name_in(context: &PassContext<'_>, declarator: NodeId) -> Option<NodeId> {
    let mut names = context.tree.subtree(declarator).filter(|&id| context.is_name(id));
    names.next()
}

/// Returns the lists of values for what is declared or made with the type whose name stands at
/// `mention`: of each variable, of each element of an array, and of what says its type (`new a(1)`,
/// `a{1}`, `a(1)`).
pub(crate) fn lists_of_values(context: &PassContext<'_>, mention: NodeId) -> Vec<NodeId> {
    let tree = context.tree;
    let at = whole_type(context, mention);
    // A name in a list is not a type, and lists may be long.
    let is_long = |&id: &NodeId| {
        id == NodeId::ROOT || context.is(Role::Hollow, id) || context.is(Role::Arguments, id)
    };
    let Some(parent) = tree.parent(at).filter(|id| !is_long(id)) else { return Vec::new() };
    let body = context.part(parent, FieldRole::Body);
    let is_list = |&list: &NodeId| {
        body != Some(list) && (context.is(Role::Hollow, list) || context.is(Role::Arguments, list))
    };
    let behind = tree.children(parent).find(|&child| child > at).filter(is_list);
    let mut lists: Vec<NodeId> = behind.into_iter().collect();
    for variable in tree.children(parent).filter(|&child| context.is(Role::Initializer, child)) {
        let value = context.part(variable, FieldRole::Value);
        let Some(value) = value.filter(is_list) else { continue };
        if is_of_many(context, variable) {
            lists.extend(context.elements(value).filter(is_list));
        } else {
            lists.push(value);
        }
    }
    lists
}

/// Returns whether something stands after the declared name, as the length of an array does.
fn is_of_many(context: &PassContext<'_>, variable: NodeId) -> bool {
    let declarator = context.part(variable, FieldRole::Declarator);
    let last = declarator.and_then(|id| context.tree.subtree(id).next_back());
    last.is_some_and(|last| !context.is_name(last))
}

/// Returns the other name that is given to the type whose definition or name stands at `mention`;
/// what only stands in a part of that type, such as an argument of a template, has none. Of one
/// definition that is at most one name.
pub(crate) fn other_name(context: &PassContext<'_>, mention: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let at = whole_type(context, mention);
    let parent = tree.parent(at)?;
    // Some grammars have a node around the type.
    let outside = if context.is(Role::Typedef, parent) { parent } else { tree.parent(parent)? };
    let definition = Some(outside).filter(|&around| context.is(Role::Typedef, around))?;
    let declarator = context.part(definition, FieldRole::Declarator);
    let declared = declarator.filter(|&name| context.is_name(name));
    declared.or_else(|| context.name_part(definition)).filter(|&name| name != mention)
}

/// Returns the type that a name is the last part of: `struct a`, `a<b>`, `n::a`.
fn whole_type(context: &PassContext<'_>, mention: NodeId) -> NodeId {
    let mut at = mention;
    // Whatever has no field is no part, and its parent may have very many.
    while context.tree.field(at).is_some()
        && let Some(parent) = context.tree.parent(at)
        && context.part(parent, FieldRole::Name) == Some(at)
        && context.part(parent, FieldRole::Body).is_none()
    {
        at = parent;
    }
    at
}
