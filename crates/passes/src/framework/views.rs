//! Declarations, functions and values of a type as their parts: views of nodes by the roles of a
//! language and the fields of its grammar.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;

/// Returns the name that a parameter or a declaration declares: the one that the grammar calls so,
/// or the last one. Where nothing but one name is there, it is that, although it reads as a type (a
/// parameter of an old function).
pub(crate) fn declared_name(cx: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    let names = || cx.names_in(declaration);
    let last = || names().rev().find(|&name| !cx.is(Role::Type, name));
    let only = || names().next().filter(|&only| cx.text_of(only) == cx.text_of(declaration));
    cx.name_part(declaration).or_else(last).or_else(only)
}

/// Returns whether a name that stands in a declaration is declared by it, and visible outside of
/// it.
pub(crate) fn declares(cx: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    if cx.ancestors(name).take_while(|&id| id >= declaration).any(|id| cx.is(Role::Scope, id)) {
        return false;
    }
    if cx.is(Role::Import, declaration) {
        return imported_name(cx, declaration) == Some(name);
    }
    let mut at = name;
    while let Some(parent) = cx.parent(at).filter(|_| at != declaration) {
        if cx.plays(FieldRole::Name, at) {
            // A type that is only named may be declared elsewhere.
            let is_defined = cx.part(parent, FieldRole::Body).is_some()
                || parent == declaration
                || cx.parent(parent) == Some(declaration);
            return !cx.is(Role::Expression, parent)
                && (!cx.is(Role::Type, parent) || cx.is(Role::DeclaresType, parent) && is_defined);
        }
        // Grammars give what a pointer or a reference stands around no field.
        let is_all = || cx.children(parent).filter(|&part| cx.is_named(part)).eq([at]);
        if !cx.plays(FieldRole::Declarator, at) && !is_all() {
            // A name before `=` that the grammar gives no field: `%a = type i8`.
            let mut behind = cx.children(parent).skip_while(|&part| part != at).skip(1);
            return parent == declaration && behind.next().is_some_and(|id| cx.text_of(id) == b"=");
        }
        if cx.is_any(&[Role::Declaration, Role::Function, Role::Typedef], parent) {
            return true;
        }
        at = parent;
    }
    false
}

/// Returns the name that is made known here, although it is declared elsewhere: that which the
/// grammar calls so, or the last one.
pub(crate) fn imported_name(cx: &PassContext<'_>, import: NodeId) -> Option<NodeId> {
    cx.name_part(import).or_else(|| cx.names_in(import).next_back())
}

/// Returns the nodes that have to go for each declared name: all of the declaration, if it declares
/// only one.
pub(crate) fn declared(cx: &PassContext<'_>, declaration: NodeId) -> Vec<NodeId> {
    let parts: Vec<NodeId> = declarators(cx, declaration).collect();
    if parts.len() == 1 { vec![declaration] } else { parts }
}

/// Returns the children that declare a name each.
pub(crate) fn declarators(cx: &PassContext<'_>, id: NodeId) -> impl Iterator<Item = NodeId> {
    let names_something = |&part: &NodeId| cx.names_in(part).next().is_some();
    let others = cx.elements(id).filter(|&part| !cx.is_any(&[Role::Type, Role::Qualifier], part));
    others.filter(names_something)
}

/// Returns the children that are the least type, which says nothing.
pub(crate) fn least_types(cx: &PassContext<'_>, id: NodeId) -> impl Iterator<Item = NodeId> {
    let is_least = |&id: &NodeId| least_type(cx) == Some(cx.text_of(id));
    cx.children(id).filter(|&id| cx.is(Role::Type, id)).filter(is_least)
}

/// Returns the least type.
pub(crate) fn least_type<'a>(cx: &PassContext<'a>) -> Option<&'a [u8]> {
    let roles = &cx.language.roles;
    let mut types = roles.kinds(Role::Type).filter_map(|kind| roles.placeholders.get(&kind));
    types.find_map(|texts| texts.first()).map(|(text, _)| &**text)
}

/// Returns the parts that give initial values, each with its sign.
pub(crate) fn values(cx: &PassContext<'_>, id: NodeId) -> impl Iterator<Item = NodeId> {
    // As old programs declare variables outside of functions.
    let old = cx.is(Role::ExpressionStatement, id).then_some(Role::Assignment);
    let gives =
        move |&id: &NodeId| cx.is(Role::Initializer, id) || old.is_some_and(|role| cx.is(role, id));
    cx.subtree(id).filter(gives).flat_map(|id| cx.children(id).skip(1))
}

/// Returns the text of a value in brackets, where it needs them to stand anywhere.
pub(crate) fn bracketed(cx: &PassContext<'_>, value: NodeId, text: &[u8]) -> Option<Vec<u8>> {
    if cx.is(Role::Tight, value) {
        return Some(text.to_vec());
    }
    let (open, close) = cx.signs(value).brackets.as_deref()?.split_at_checked(1)?;
    Some([open, text, close].concat())
}

/// Returns the text of leaves with the blank space between them, some of them in other words.
pub(crate) fn text_with<'t>(
    cx: &'t PassContext<'_>,
    leaves: impl Iterator<Item = NodeId>,
    instead: impl Fn(NodeId) -> Option<&'t [u8]>,
) -> Vec<u8> {
    let mut text = Vec::new();
    // The last leaf, and whether other words stand in its place.
    let mut before: Option<(NodeId, bool)> = None;
    for leaf in leaves {
        let new = instead(leaf);
        if let Some((last, is_new)) = before {
            let blank = cx.text().get(cx.span(last).end..cx.span(leaf).start);
            let blank = blank.filter(|text| text.iter().all(u8::is_ascii_whitespace));
            // Lines stay lines. What takes the place of a leaf could read as one token with its
            // neighbour.
            let is_new = is_new || new.is_some();
            text.extend_from_slice(blank.filter(|b| !(is_new && b.is_empty())).unwrap_or(b" "));
        }
        text.extend_from_slice(new.unwrap_or(cx.text_of(leaf)));
        before = Some((leaf, new.is_some()));
    }
    text
}

/// Returns the declaration as it stands outside of functions, where the least type need not be
/// said; `None` without a name.
pub(crate) fn outside(cx: &PassContext<'_>, declaration: NodeId) -> Option<Vec<u8>> {
    declared_name(cx, declaration)?;
    let implied = least_types(cx, declaration).filter(|_| cx.signs(declaration).implied_type);
    let implied: Vec<NodeId> = implied.collect();
    let is_said = |leaf: &NodeId| !implied.iter().any(|&least| cx.contains(least, *leaf));
    let mut text = text_with(cx, cx.leaves_in(declaration).filter(is_said), |_| None);
    if cx.is(Role::Parameter, declaration) {
        text.extend_from_slice(cx.signs(declaration).statement_end.as_deref()?);
    }
    Some(text)
}

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
            name = Some(at).filter(|&at| cx.is_name(at)).or(name);
            parameters = cx.part(at, FieldRole::Parameters).or(parameters);
            // In brackets it is the only part that is no qualifier.
            let only = || cx.elements(at).find(|&part| !cx.is(Role::Qualifier, part));
            declarator = cx.part(at, FieldRole::Declarator).or_else(only);
        }
        let body = body.filter(|&body| cx.is(Role::Block, body));
        Some(Self { name: name?, parameters: parameters?, body })
    }
}

/// Returns the list of a call's arguments. A template that stands after a function does not count.
pub(crate) fn arguments(cx: &PassContext<'_>, call: NodeId) -> Option<NodeId> {
    let arguments = cx.part(call, FieldRole::Arguments);
    arguments.filter(|&arguments| cx.is(Role::Arguments, arguments))
}

/// Returns the list after a function's name at `mention`, if there is one: of parameters where it
/// is declared, of arguments where it is called.
pub(crate) fn list_behind(cx: &PassContext<'_>, mention: NodeId) -> Option<NodeId> {
    let mut name = mention;
    loop {
        // The root has no list of its own, and may have very many children.
        let parent = cx.parent(name).filter(|&parent| parent != NodeId::ROOT)?;
        let list = cx.part(parent, FieldRole::Parameters).or_else(|| arguments(cx, parent));
        if let Some(list) = list.filter(|&list| list > mention) {
            return Some(list);
        }
        is_whole_name(cx, parent, name).then_some(())?;
        name = parent;
    }
}

/// Returns whether a node is a name with what says where it is looked up (`a.f`, `a::f`) or for
/// which types (`f<int>`), and `name` the part of it that is called.
fn is_whole_name(cx: &PassContext<'_>, node: NodeId, name: NodeId) -> bool {
    let is_template = cx.part(node, FieldRole::Name) == Some(name);
    cx.is_any(&[Role::Access, Role::Qualified], node) && cx.children(node).last() == Some(name)
        || is_template && cx.part(node, FieldRole::Arguments).is_some()
}

/// Returns the name of the function whose parameters or arguments a list holds.
pub(crate) fn function_name(cx: &PassContext<'_>, list: NodeId) -> Option<NodeId> {
    let parent = cx.parent(list)?;
    let names = cx.names_in(parent).take_while(|&name| name < list);
    names.filter(|&name| list_behind(cx, name) == Some(list)).last()
}

/// Returns the other places that go with a parameter: those at the same position wherever the
/// function's name has a list. No other node has any.
pub(crate) fn arguments_for(cx: &PassContext<'_>, parameter: NodeId) -> Vec<NodeId> {
    let list = cx.parent_that(Role::Parameters, parameter);
    let function = list.and_then(|list| function_name(cx, list));
    let position = list.and_then(|list| cx.elements(list).position(|p| p == parameter));
    let (Some(function), Some(position)) = (function, position) else { return Vec::new() };
    let lists = cx.mentions(function).iter().filter_map(|&m| list_behind(cx, m));
    let places = lists.filter_map(|list| cx.elements(list).nth(position));
    places.filter(|&place| place != parameter).collect()
}

/// Returns the lists of values for what is declared or made with the type whose name stands at
/// `mention`: of each variable, of each element of an array, and of what says its type (`new a(1)`,
/// `a{1}`, `a(1)`).
pub(crate) fn lists_of_values(cx: &PassContext<'_>, mention: NodeId) -> Vec<NodeId> {
    let at = whole_type(cx, mention);
    let roles = [Role::Hollow, Role::Arguments];
    // A name in a list is not a type, and lists may be long.
    let is_long = |&id: &NodeId| id == NodeId::ROOT || cx.is_any(&roles, id);
    let Some(parent) = cx.parent(at).filter(|id| !is_long(id)) else { return Vec::new() };
    let body = cx.part(parent, FieldRole::Body);
    let is_list = |&list: &NodeId| body != Some(list) && cx.is_any(&roles, list);
    let behind = cx.children(parent).find(|&child| child > at).filter(is_list);
    let mut lists: Vec<NodeId> = behind.into_iter().collect();
    for variable in cx.children(parent).filter(|&child| cx.is(Role::Initializer, child)) {
        let value = cx.part(variable, FieldRole::Value);
        let Some(value) = value.filter(is_list) else { continue };
        // Something stands after the name of an array.
        let declarator = cx.part(variable, FieldRole::Declarator);
        match declarator.and_then(|id| cx.subtree(id).next_back()) {
            Some(last) if !cx.is_name(last) => lists.extend(cx.elements(value).filter(is_list)),
            _ => lists.push(value),
        }
    }
    lists
}

/// Returns the other name that is given to the type whose definition or name stands at `mention`;
/// what only stands in a part of that type, such as an argument of a template, has none. Of one
/// definition that is at most one name.
pub(crate) fn other_name(cx: &PassContext<'_>, mention: NodeId) -> Option<NodeId> {
    let at = whole_type(cx, mention);
    let parent = cx.parent(at)?;
    // Some grammars have a node around the type.
    let outside = if cx.is(Role::Typedef, parent) { parent } else { cx.parent(parent)? };
    let declarator = cx.part(outside, FieldRole::Declarator).filter(|&name| cx.is_name(name));
    let declared = declarator.or_else(|| cx.name_part(outside));
    declared.filter(|&name| cx.is(Role::Typedef, outside) && name != mention)
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
