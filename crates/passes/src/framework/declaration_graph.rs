//! The declarations of a whole text as a graph: which of them mention which.

use std::collections::HashMap;

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::declares;
use crate::framework::slots::Place;
use crate::{Item, PassContext};

/// The declarations that are visible from everywhere (outermost, or in a namespace), and the bodies of
/// their functions.
pub(crate) struct DeclarationGraph {
    /// Last first: uses before definitions. A body becomes the least one, a declaration goes.
    pub(crate) items: Vec<Item>,
    /// The items that each one cannot do without: a body needs its function, and both need the
    /// declarations of the names that they mention.
    pub(crate) needs: Vec<Vec<u32>>,
}

/// A declaration or a body.
struct Part {
    node: NodeId,
    edits: Edits,
    /// The declaration that a body stands in.
    outer: Option<usize>,
}

/// Of the declarations of one name only so many count: of a large family of overloads few are meant.
const OVERLOADS: usize = 6;

/// Of what says what a template is, so much counts: else a template with thousands of forms that mention it
/// would have as many edges as their square.
const DEFINITIONS: usize = 32;

impl DeclarationGraph {
    /// Returns the graph of a text. Linear in the tree, times a small constant for overloads.
    pub(crate) fn of(context: &PassContext<'_>) -> Self {
        let tree = context.tree;
        let parts = parts(context);
        let owners = owners(context, &parts);
        let mut needs = Uses::of(context, &parts, &owners).needs();
        let last = parts.len().saturating_sub(1);
        let number = |part: usize| u32::try_from(last - part).expect("trees have fewer nodes");
        let mut weights: Vec<u32> = parts.iter().map(|part| tree.tokens(part.node)).collect();
        for (part, needs) in parts.iter().zip(&mut needs) {
            if let Some(outer) = part.outer {
                needs.push(outer);
                weights[outer] = weights[outer].saturating_sub(tree.tokens(part.node));
            }
            needs.sort_unstable();
            needs.dedup();
        }
        let numbers = |needs: Vec<usize>| needs.into_iter().rev().map(number).collect();
        let needs = needs.into_iter().rev().map(numbers).collect();
        let parts = parts.into_iter().zip(weights).rev();
        let items = parts.map(|(part, weight)| Item::new(part.edits, weight)).collect();
        Self { items, needs }
    }
}

/// What the mentions in a text say about its parts.
struct Uses<'a> {
    context: &'a PassContext<'a>,
    parts: &'a [Part],
    owners: &'a [Option<usize>],
    /// The parts that declare a name.
    declared: Parts<'a>,
    /// Those that say what a type is, or what a template is for certain arguments. They can stand behind
    /// the use.
    defined: Parts<'a>,
    /// The functions that give a sign a meaning, outside of records.
    operators: Parts<'a>,
    /// The bodies of the functions of a name.
    bodies: Parts<'a>,
}

/// Parts by the name that they are about, in the order of the text.
type Parts<'a> = HashMap<&'a [u8], Vec<usize>>;

impl<'a> Uses<'a> {
    fn of(context: &'a PassContext<'a>, parts: &'a [Part], owners: &'a [Option<usize>]) -> Self {
        let tree = context.tree;
        let declared = named(context, parts, owners, declares);
        let defined = named(context, parts, owners, |context, part, name| {
            specialises(context, part, name)
                || defines_type(context, part, name)
                || completes(context, part, name)
        });
        let mut bodies = Parts::new();
        let mut operators = Parts::new();
        for (number, part) in parts.iter().enumerate() {
            let function = match part.outer {
                Some(_) => tree.parent(part.node),
                None => inner_declaration(context, part.node),
            };
            let Some(function) = function else { continue };
            let Some(name) = plain_name(context, function) else { continue };
            if part.outer.is_some() && context.is_name(name) {
                bodies.entry(tree.text_of(name)).or_default().push(number);
            } else if part.outer.is_none()
                && let Some(sign) = sign(context, name)
            {
                operators.entry(tree.text_of(sign)).or_default().push(number);
            }
        }
        Self { context, parts, owners, declared, defined, operators, bodies }
    }

    /// Returns what each part cannot do without.
    fn needs(&self) -> Vec<Vec<usize>> {
        let Self { context, parts, owners, .. } = *self;
        let tree = context.tree;
        let mut needs: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
        let mut calls: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
        let mut constant = Vec::new();
        for id in context.ids().filter(|&id| tree.is_leaf(id)) {
            let Some(part) = owners[id.0 as usize] else { continue };
            let text = tree.text_of(id);
            if !context.is_name(id) {
                let parent = tree.parent(id).filter(|&parent| context.is(Role::Expression, parent));
                if parent.is_some() {
                    needs[part].extend(before(&self.operators, text, part));
                }
                continue;
            }
            needs[part].extend(self.defined.get(text).into_iter().flatten().take(DEFINITIONS));
            needs[part].extend(before(&self.declared, text, part));
            let called: Vec<usize> = before(&self.bodies, text, usize::MAX).collect();
            if self.is_constant(part, id) {
                constant.extend(called.iter().copied());
                needs[part].extend(called.iter().copied());
            }
            calls[part].extend(called);
        }
        // What is found out while compiling takes the bodies of all that is called for it.
        let mut known = vec![false; parts.len()];
        while let Some(body) = constant.pop() {
            if !std::mem::replace(&mut known[body], true) {
                needs[body].extend(&calls[body]);
                constant.extend(&calls[body]);
            }
        }
        for (part, needs) in needs.iter_mut().enumerate() {
            needs.retain(|&need| need != part);
        }
        needs
    }

    /// Returns whether the value of what a name calls may have to be known while compiling: outside of
    /// functions, and what makes a value of a type only where a variable is declared.
    fn is_constant(&self, part: usize, name: NodeId) -> bool {
        let Self { context, parts, .. } = *self;
        let tree = context.tree;
        let Part { node, outer, .. } = parts[part];
        let is_function = |id: NodeId| {
            let parameters = context.part(id, FieldRole::Parameters);
            parameters.is_some_and(|list| context.is(Role::Parameters, list))
                || context.is(Role::Function, id)
        };
        // What stands in a function's qualifier, such as a condition, counts.
        let is_inside = |&id: &NodeId| id >= node && !context.is(Role::Qualifier, id);
        let mut around = tree.ancestors(name).take_while(is_inside);
        outer.is_none()
            && !around.any(is_function)
            && (!self.defined.contains_key(tree.text_of(name)) || context.is(Role::Joinable, node))
    }
}

/// Returns for each name the parts that are about it in this way.
fn named<'a>(
    context: &PassContext<'a>,
    parts: &[Part],
    owners: &[Option<usize>],
    is_about: impl Fn(&PassContext<'_>, NodeId, NodeId) -> bool,
) -> Parts<'a> {
    let mut named = Parts::new();
    for name in context.ids().filter(|&id| context.is_name(id)) {
        let Some(number) = owners[name.0 as usize] else { continue };
        let part = &parts[number];
        let may_declare = part.outer.is_none() && !context.is(Role::Instantiation, part.node);
        if may_declare && is_about(context, part.node, name) {
            let all = named.entry(context.tree.text_of(name)).or_default();
            if all.last() != Some(&number) {
                all.push(number);
            }
        }
    }
    named
}

/// Returns the parts of a name that come last before a part: a name is declared before it is used, and
/// what declares it later means something else.
fn before<'p>(all: &'p Parts<'_>, name: &[u8], part: usize) -> impl Iterator<Item = usize> + 'p {
    let all = all.get(name).map_or(&[][..], Vec::as_slice);
    all[..all.partition_point(|&other| other < part)].iter().rev().take(OVERLOADS).copied()
}

/// Returns what is declared: inside of a template, or itself.
fn inner_declaration(context: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    if !context.is(Role::Template, declaration) {
        return Some(declaration);
    }
    context.tree.children(declaration).filter(|&id| context.is(Role::Declaration, id)).last()
}

/// Returns what stands for the name in the innermost declarator of a function.
fn plain_name(context: &PassContext<'_>, function: NodeId) -> Option<NodeId> {
    let inner = |&at: &NodeId| context.part(at, FieldRole::Declarator);
    let last = std::iter::successors(inner(&function), inner).last()?;
    // References have no field for what they refer to.
    let mut parts = context.tree.subtree(last);
    let declarator = parts.find(|&at| context.part(at, FieldRole::Parameters).is_some());
    declarator.map_or(Some(last), |declarator| inner(&declarator))
}

/// Returns the sign that a function with this name gives a meaning.
fn sign(context: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let is_name = context.is(Role::Qualified, name) || tree.is_leaf(name);
    let sign = tree.children(name).last().filter(|_| !is_name)?;
    (tree.is_leaf(sign) && !context.is_name(sign)).then_some(sign)
}

/// Returns the parts in the order of the text.
fn parts(context: &PassContext<'_>) -> Vec<Part> {
    let tree = context.tree;
    let mut declarations = Vec::new();
    let mut lists = vec![NodeId::ROOT];
    while let Some(list) = lists.pop() {
        for child in tree.children(list) {
            // What a directive brings in no graph can know.
            let roles = [Role::Declaration, Role::OuterDeclaration, Role::Type];
            let declares =
                roles.into_iter().any(|role| context.is(role, child)) || tree.flags(child).error;
            // What the parser did not get to see may mention names.
            let is_whole = declares && !tree.is_leaf(child) || tree.flags(child).extra;
            let is_item = || is_whole && context.is_droppable(child) && is_balanced(context, child);
            if let Some(inner) = inner_list(context, child) {
                lists.push(inner);
            } else if is_item() {
                declarations.push(child);
            }
        }
    }
    declarations.sort_unstable();
    let mut parts = Vec::new();
    for node in declarations {
        let outer = parts.len();
        parts.push(Part { node, edits: Edits::drop(node), outer: None });
        let mut at = NodeId(node.0 + 1);
        while at < tree.subtree_end(node) {
            if let Some(edits) = without_body(context, at) {
                parts.push(Part { node: at, edits, outer: Some(outer) });
                at = tree.subtree_end(at);
            } else {
                at = NodeId(at.0 + 1);
            }
        }
    }
    parts
}

/// Returns whether as many brackets are opened as closed.
fn is_balanced(context: &PassContext<'_>, id: NodeId) -> bool {
    let open = |leaf: NodeId| match context.tree.text_of(leaf) {
        b"(" | b"[" | b"{" => 1,
        b")" | b"]" | b"}" => -1,
        _ => 0,
    };
    let leaves = context.tree.subtree(id).filter(|&at| context.tree.is_leaf(at));
    leaves.map(open).sum::<i32>() == 0
}

/// Returns the list of declarations in a namespace, if there are any; a conditional and a broken region
/// are such lists themselves.
fn inner_list(context: &PassContext<'_>, id: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    if context.is(Role::Namespace, id) {
        let body = tree.children(id).find(|&child| context.is(Role::Hollow, child));
        return body.filter(|&body| context.elements(body).next().is_some());
    }
    let holds_some = || tree.children(id).any(|child| context.is(Role::Declaration, child));
    let is_list = context.is(Role::Conditional, id) || tree.flags(id).error;
    (is_list && holds_some()).then_some(id)
}

/// Returns the edits that take the body of a function away: the function is only declared. Where that is no
/// sentence of the language (a member's definition outside of its record), the body becomes the least one.
fn without_body(context: &PassContext<'_>, id: NodeId) -> Option<Edits> {
    let tree = context.tree;
    let function = tree.parent(id).filter(|&parent| context.is(Role::Function, parent))?;
    // What converts values is called without being named.
    let name = plain_name(context, function)?;
    let is_qualified = context.is(Role::Qualified, name);
    let is_mentioned = is_qualified || tree.children(name).all(|part| tree.is_leaf(part));
    // Of what is not understood nothing is known.
    let is_broken = tree.subtree(function).take_while(|&at| at < id).any(|at| tree.flags(at).error);
    if !context.is(Role::Block, id) || !is_mentioned || is_deduced(context, function) || is_broken {
        return None;
    }
    // A template that a record only declares for others (as a friend) may have no default arguments.
    let outer = tree.parent(function).filter(|&outer| context.is(Role::Declaration, outer));
    let is_nested = outer.is_some_and(|outer| !context.is(Role::Template, outer));
    let template = outer.filter(|_| is_nested).and_then(|outer| tree.parent(outer));
    if template.is_some_and(|id| context.is(Role::Template, id)) {
        return None;
    }
    let texts = context.language.roles.placeholders.get(&tree.kind(id))?;
    let end = context.tokens().statement_end.as_ref();
    let Some(end) = end.filter(|_| !is_qualified) else {
        let place = Place::of(context, id);
        let (least, kind) = texts.iter().find(|(_, kind)| kind.is_none_or(|k| place.takes([k])))?;
        let is_new = **least != *tree.text_of(id);
        return is_new.then(|| Edits::one(id, Change::replace_with(least, *kind)));
    };
    // With the body go the initial values of members, and attributes that the grammar does not know.
    let values = initial_values(context, id);
    let around = [Some(function), outer].into_iter().flatten();
    let unknown = around.filter_map(|at| neighbour_before(context, at));
    let unknown = unknown.filter(|&at| tree.flags(at).extra);
    let mut edits = Edits::drop_all(values.chain(unknown));
    edits.add(id, Change::replace_with(end, None)).then_some(edits)
}

/// Returns what stands before the body of a function and gives members their values.
fn initial_values<'a>(
    context: &'a PassContext<'_>,
    body: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    let siblings = context.tree.parent(body).into_iter().flat_map(|id| context.tree.children(id));
    siblings.filter(move |&c| c < body && context.is(Role::Hollow, c))
}

/// Returns the sibling just before a node.
fn neighbour_before(context: &PassContext<'_>, id: NodeId) -> Option<NodeId> {
    let siblings = context.tree.children(context.tree.parent(id)?);
    siblings.take_while(|&sibling| sibling < id).last()
}

/// Returns whether only the body says what the function returns.
fn is_deduced(context: &PassContext<'_>, function: NodeId) -> bool {
    let is_deduced = |id: NodeId| context.is(Role::Deduced, id);
    let says = |id: NodeId| context.tree.children(id).any(|child| context.is(Role::Result, child));
    context.part(function, FieldRole::Type).is_some_and(is_deduced)
        && !context.part(function, FieldRole::Declarator).is_some_and(says)
}

/// Returns for each node the innermost part that it belongs to.
fn owners(context: &PassContext<'_>, parts: &[Part]) -> Vec<Option<usize>> {
    let mut owners = vec![None; context.tree.len()];
    for (number, part) in parts.iter().enumerate() {
        let values = part.outer.into_iter().flat_map(|_| initial_values(context, part.node));
        for node in values.chain([part.node]) {
            let end = context.tree.subtree_end(node);
            owners[node.0 as usize..end.0 as usize].fill(Some(number));
        }
    }
    owners
}

/// Returns whether a declaration defines the type of this name.
fn defines_type(context: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let parent = context.tree.parent(name);
    let is_defined = parent.is_some_and(|id| context.part(id, FieldRole::Body).is_some());
    is_defined && declares(context, declaration, name)
}

/// Returns whether a declaration gives a member of the type of this name its value.
fn completes(context: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let tree = context.tree;
    let Some(qualified) = tree.parent(name).filter(|&id| context.is(Role::Qualified, id)) else {
        return false;
    };
    let ends = |id: NodeId| tree.children(id).last().is_some_and(|last| context.is_name(last));
    let is_scope = tree.children(qualified).next() == Some(name) && ends(qualified);
    let variable = inner_declaration(context, declaration);
    let variable = variable.filter(|&id| is_scope && context.is(Role::Joinable, id));
    let declared = variable.and_then(|variable| plain_name(context, variable));
    declared.is_some_and(|declared| {
        context.is(Role::Qualified, declared) && tree.contains(declared, name)
    })
}

/// Returns whether a declaration says what a template is for certain arguments: whoever uses the template
/// may use this. It can stand behind the use.
fn specialises(context: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let tree = context.tree;
    let is_name = |id: NodeId| {
        tree.field(id).is_some_and(|f| context.language.roles.fields(FieldRole::Name).contains(&f))
    };
    let Some(special) = tree.parent(name).filter(|_| is_name(name)) else { return false };
    let has_arguments = context.part(special, FieldRole::Arguments).is_some();
    let declares = |id: NodeId| context.is(Role::DeclaresType, id);
    has_arguments
        && is_name(special)
        && tree
            .parent(special)
            .is_some_and(|id| declares(id) && tree.parent(id) == Some(declaration))
}
