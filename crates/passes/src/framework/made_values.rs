//! The values with which something of a type is made: those of its members, or the arguments of its
//! constructor.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;

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
