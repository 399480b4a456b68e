//! The parts of a function's definition, by the fields of the grammar.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;

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
