//! What of a whole text can go by itself: declarations that are visible from everywhere, and bodies
//! of functions.

use std::collections::{HashMap, HashSet};

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::limits::LARGE_TEXT;
use crate::framework::slots::Place;
use crate::graph::digraph::Holders;
use crate::graph::headers::{Header, headers};

/// All parts of a text.
#[derive(Debug)]
pub(crate) struct Parts {
    /// In the order of the text.
    pub(crate) all: Vec<Part>,
    /// The innermost part that each node belongs to.
    pub(crate) owners: Holders,
}

impl Parts {
    pub(crate) fn of(context: &PassContext<'_>) -> Self {
        let all = parts(context);
        let mut owners = Holders::none(context.tree.len());
        for (number, part) in all.iter().enumerate() {
            let values = values_before(context, part.node).filter(|_| part.is_body);
            for node in values.chain([part.node]) {
                owners.set(node..context.tree.subtree_end(node), number);
            }
        }
        Self { all, owners }
    }
}

/// A declaration, a function of a record, a body, or the markers of a header.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) node: NodeId,
    pub(crate) edits: Edits,
    /// The declaration that a body or a function of a record stands in.
    pub(crate) outer: Option<usize>,
    /// Whether it is a body.
    pub(crate) is_body: bool,
    /// The name of a function of a record.
    pub(crate) member: Option<NodeId>,
    /// The part with the markers of the header that it stands in.
    pub(crate) header: Option<usize>,
}

impl Part {
    pub(crate) fn new(node: NodeId, edits: Edits) -> Self {
        Self { node, edits, outer: None, is_body: false, member: None, header: None }
    }
}

/// Returns the parts in the order of the text.
fn parts(context: &PassContext<'_>) -> Vec<Part> {
    let tree = context.tree;
    let opening = opening_macros(context);
    let headers: HashMap<NodeId, Header> =
        headers(context).into_iter().map(|header| (header.first, header)).collect();
    // By the last marker it is seen where the main file begins.
    let is_large = tree.tokens(NodeId::ROOT) >= LARGE_TEXT;
    let last = headers.values().map(|header| header.end).max().filter(|_| is_large);
    let mut declarations = Vec::new();
    let mut attributes = HashMap::new();
    let mut lists = vec![NodeId::ROOT];
    while let Some(list) = lists.pop() {
        let mut before = None;
        for child in tree.children(list) {
            let attribute = before.replace(child).filter(|&id| is_attribute(context, id, &opening));
            attributes.extend(attribute.map(|attribute| (child, attribute)));
            // What a directive brings in no graph can know. Old programs declare variables by a
            // statement.
            let roles = [Role::Declaration, Role::ExpressionStatement, Role::Type];
            let declares =
                roles.into_iter().any(|role| context.is(role, child)) || tree.flags(child).error;
            // What the parser did not get to see may mention names.
            let is_apart = is_apart(context, child);
            let is_whole = declares && !tree.is_leaf(child) || is_apart;
            // A sign alone may belong to what stands before it.
            let is_whole = is_whole && (tree.tokens(child) != 1 || is_apart);
            // An empty namespace may say how the others of its name are looked into.
            let is_whole = is_whole && !is_empty_namespace(context, child);
            let is_item =
                || is_whole && context.is_droppable(child) && is_balanced(context, child, &opening);
            if let Some(inner) = inner_list(context, child) {
                lists.push(inner);
            } else if headers.contains_key(&child) || is_item() {
                declarations.push(child);
            }
        }
    }
    declarations.sort_unstable();
    let mut parts = Vec::new();
    let mut open: Vec<(usize, NodeId)> = Vec::new();
    for node in declarations {
        while open.last().is_some_and(|&(_, end)| end < node) {
            open.pop();
        }
        let header = open.last().map(|&(part, _)| part);
        let outer = parts.len();
        if let Some(Header { first, end, directives }) = headers.get(&node) {
            open.push((outer, *end));
            let markers = [first, end].into_iter().chain(directives).copied();
            // What follows is not a header.
            let markers = markers.filter(|&marker| Some(marker) != last);
            let edits = Edits::drop_all(markers.filter(|&id| context.is_droppable(id)));
            parts.push(Part { header, ..Part::new(node, edits) });
            continue;
        }
        let edits = Edits::drop_all(attributes.get(&node).copied().into_iter().chain([node]));
        parts.push(Part { header, ..Part::new(node, edits) });
        let mut around = vec![(outer, tree.subtree_end(node))];
        let mut at = NodeId(node.0 + 1);
        while at < tree.subtree_end(node) {
            while around.last().is_some_and(|&(_, end)| end <= at) {
                around.pop();
            }
            let outer = around.last().map(|&(part, _)| part);
            if let Some(edits) = without_body(context, at, &opening) {
                parts.push(Part { outer, is_body: true, ..Part::new(at, edits) });
                at = tree.subtree_end(at);
                continue;
            }
            let member = member_name(context, at);
            if member.is_some() && context.is_droppable(at) && is_balanced(context, at, &opening) {
                around.push((parts.len(), tree.subtree_end(at)));
                let attribute = neighbour_before(context, at)
                    .filter(|&attribute| is_attribute(context, attribute, &opening));
                let edits = Edits::drop_all(attribute.into_iter().chain([at]));
                parts.push(Part { outer, member, ..Part::new(at, edits) });
            }
            at = NodeId(at.0 + 1);
        }
    }
    parts
}

/// Returns the outermost part around one.
pub(crate) fn outermost(parts: &[Part], part: usize) -> usize {
    let outer = |&part: &usize| parts[part].outer;
    std::iter::successors(Some(part), outer).last().unwrap_or(part)
}

/// Returns the name of a function that is a part of a record and can only be called by this name:
/// it makes and destroys no values of the record.
fn member_name(context: &PassContext<'_>, id: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    if !context.is(Role::Declaration, id) && !context.is(Role::Function, id) {
        return None;
    }
    let body = tree.parent(id)?;
    let record = tree.parent(body).filter(|&record| context.is(Role::Record, record))?;
    let function = inner_declaration(context, id)?;
    let name = plain_name(context, function).filter(|&name| context.is_name(name))?;
    let declarator = tree.parent(name)?;
    context.part(declarator, FieldRole::Parameters)?;
    let of_record = context.part(record, FieldRole::Name)?;
    let mut names = tree.subtree(of_record).filter(|&id| context.is_name(id));
    names.all(|other| tree.text_of(other) != tree.text_of(name)).then_some(name)
}

/// Returns what is declared: inside of a template, or itself.
pub(crate) fn inner_declaration(context: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    if !context.is(Role::Template, declaration) {
        return Some(declaration);
    }
    context.tree.children(declaration).filter(|&id| context.is(Role::Declaration, id)).last()
}

/// Returns what stands for the name in the innermost declarator of a function.
pub(crate) fn plain_name(context: &PassContext<'_>, function: NodeId) -> Option<NodeId> {
    let inner = |&at: &NodeId| context.part(at, FieldRole::Declarator);
    let last = std::iter::successors(inner(&function), inner).last()?;
    // References have no field for what they refer to.
    let mut parts = context.tree.subtree(last);
    let declarator = parts.find(|&at| context.part(at, FieldRole::Parameters).is_some());
    declarator.map_or(Some(last), |declarator| inner(&declarator))
}

/// Returns the edits that drop a node with the attribute before it that the grammar does not know.
pub(crate) fn drop_with_attribute(context: &PassContext<'_>, id: NodeId) -> Edits {
    let none = HashSet::new();
    let before = neighbour_before(context, id);
    let attribute = before.filter(|&before| is_attribute(context, before, &none));
    Edits::drop_all(attribute.into_iter().chain([id]))
}

/// Returns whether a node may be an attribute that the grammar does not know, such as a macro in
/// a line of its own: it goes with the declaration after it.
fn is_attribute(context: &PassContext<'_>, id: NodeId, opening: &HashSet<&[u8]>) -> bool {
    let tree = context.tree;
    let text = tree.text_of(id);
    let ends = context.tokens(id).statement_end.as_deref().is_some_and(|end| text.ends_with(end));
    is_apart(context, id) && context.is_unread(id) && !ends && is_balanced(context, id, opening)
}

/// Returns whether a node is no part of what stands around it: it may stand anywhere, or was not
/// read. One of which both hold is an end of a condition, whose other end would stay.
fn is_apart(context: &PassContext<'_>, id: NodeId) -> bool {
    context.tree.flags(id).extra != context.is(Role::Unread, id)
}

/// Returns whether as many brackets are opened as closed, and none by a macro that leaves some open
/// or closes some.
fn is_balanced(context: &PassContext<'_>, id: NodeId, opening: &HashSet<&[u8]>) -> bool {
    let tree = context.tree;
    let mentions = |leaf: NodeId| {
        let is_text = tree.flags(leaf).extra && !context.is_name(leaf) || context.is_unread(leaf);
        let mut words = words(tree.text_of(leaf)).filter(|_| is_text);
        opening.contains(tree.text_of(leaf)) || words.any(|word| opening.contains(word))
    };
    let mut leaves = tree.subtree(id).filter(|&at| tree.is_leaf(at));
    depth(context, id) == 0 && (opening.is_empty() || !leaves.any(mentions))
}

/// Returns how many more brackets are opened than closed.
fn depth(context: &PassContext<'_>, id: NodeId) -> i32 {
    // One sign may be several brackets, of which each is closed by one of its own: `[[a] ]`.
    let open = |leaf: NodeId| {
        let signs = context.tree.text_of(leaf).iter().map(|byte| match byte {
            b'(' | b'[' | b'{' => Some(1),
            b')' | b']' | b'}' => Some(-1),
            _ => None,
        });
        signs.sum::<Option<i32>>().unwrap_or(0)
    };
    let leaves = context.tree.subtree(id).filter(|&at| context.tree.is_leaf(at));
    leaves.map(open).sum()
}

/// Returns the names of the macros that open brackets and do not close them, or close what they
/// have not opened.
fn opening_macros<'a>(context: &PassContext<'a>) -> HashSet<&'a [u8]> {
    let definitions = context.until(context.playing(Role::Macro));
    let opening = definitions.filter(|&id| {
        context.part(id, FieldRole::Value).is_some_and(|value| depth(context, value) != 0)
    });
    opening.filter_map(|id| Some(context.tree.text_of(context.name_part(id)?))).collect()
}

/// Returns the words of a text that may be names: not those in quotes, such as the name of a file.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let unquoted = text.split(|&byte| byte == b'"').step_by(2);
    let is_sign = |&byte: &u8| !(byte.is_ascii_alphanumeric() || byte == b'_');
    let parts = unquoted.flat_map(move |text| text.split(is_sign));
    parts.filter(|word| word.first().is_some_and(|first| !first.is_ascii_digit()))
}

/// Returns the list of declarations in a namespace, if there are any; a conditional and a broken
/// region are such lists themselves.
fn inner_list(context: &PassContext<'_>, id: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    if context.is(Role::Namespace, id) {
        let body = tree.children(id).find(|&child| context.is(Role::Hollow, child));
        return body.filter(|&body| context.elements(body).next().is_some());
    }
    let roles = [Role::Declaration, Role::Namespace, Role::Conditional];
    let is_item = |child: NodeId| roles.into_iter().any(|role| context.is(role, child));
    let holds_some = || tree.children(id).any(is_item);
    let is_list = context.is(Role::Conditional, id) || tree.flags(id).error;
    (is_list && holds_some()).then_some(id)
}

/// Returns whether the node opens a namespace with a name and puts nothing into it, and others of
/// this name do.
fn is_empty_namespace(context: &PassContext<'_>, id: NodeId) -> bool {
    let name = context.name_part(id).filter(|_| context.is(Role::Namespace, id));
    name.is_some_and(|name| context.mentions(name).len() > 1)
}

/// Returns the edits that take the body of a function away: the function is only declared. Where
/// that is not a sentence of the language (a member's definition outside of its record), the body
/// becomes the least one.
fn without_body(context: &PassContext<'_>, id: NodeId, opening: &HashSet<&[u8]>) -> Option<Edits> {
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
    // What a record only declares for others (as a friend) may have no default arguments, and no
    // conditions.
    let outer = tree.parent(function).filter(|&outer| context.is(Role::Declaration, outer));
    let is_open = |id| context.is(Role::Template, id) || context.is(Role::Namespace, id);
    if outer.is_some_and(|outer| !is_open(outer)) {
        return None;
    }
    let texts = context.language.roles.placeholders.get(&tree.kind(id))?;
    let end = context.tokens(id).statement_end.as_ref();
    let Some(end) = end.filter(|_| !is_qualified) else {
        let place = Place::of(context, id);
        let (least, kind) = texts.iter().find(|(_, kind)| kind.is_none_or(|k| place.takes([k])))?;
        let is_new = **least != *tree.text_of(id);
        return is_new.then(|| Edits::one(id, Change::replace_with(least, *kind)));
    };
    // With the body go the initial values of members, and attributes that the grammar does not
    // know.
    let values = values_before(context, id);
    let around = [Some(function), outer].into_iter().flatten();
    let unknown = around.filter_map(|at| neighbour_before(context, at));
    let unknown = unknown.filter(|&at| is_attribute(context, at, opening));
    let mut edits = Edits::drop_all(values.chain(unknown));
    edits.add(id, Change::replace_with(end, None)).then_some(edits)
}

/// Returns what stands before the body of a function and gives members their values.
pub(crate) fn values_before<'a>(
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
    context.part(function, FieldRole::Type).is_some_and(is_deduced)
        && !context.part(function, FieldRole::Declarator).is_some_and(|id| says_result(context, id))
}

/// Returns whether a declarator says after the parameters what the function returns. Qualifiers may
/// mention types, too.
fn says_result(context: &PassContext<'_>, declarator: NodeId) -> bool {
    let tree = context.tree;
    let parameters = context.part(declarator, FieldRole::Parameters);
    let mut words = tree.children(declarator).filter(|&child| Some(child) > parameters);
    words.any(|child| !context.is(Role::Qualifier, child) && holds_type(context, child))
}

/// Returns whether a type stands in a node.
pub(crate) fn holds_type(context: &PassContext<'_>, id: NodeId) -> bool {
    context.tree.subtree(id).any(|part| context.is(Role::Type, part))
}
