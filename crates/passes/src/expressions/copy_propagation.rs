//! Puts an expression that gives a name its value, or the value alone, in the place where the name
//! is used next; and the initial value of a variable in place of all its uses, with what is left of
//! an expression that exists for the sake of its variables (`let x = 1 in x + x`).
//!
//! In a text without a grammar, a line that says what a name is (`%3 = add %1, %2`) goes, and one
//! of the names in it stands for that.

use std::collections::BTreeMap;

use minirepro_syntax::{Change, Edits, FieldRole, Mention, NodeId, Role};

use crate::framework::declarations::{declarators, declared_name};
use crate::framework::limits::COPIES;
use crate::{Item, PassContext, Proposal, Reference, Strategy};

/// Proposes all forms of each expression, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let forms = |id| {
        let mut items = next_use(context, id);
        items.extend(context.is(Role::Initializer, id).then(|| initial(context, id)).flatten());
        items
    };
    let mut items: Vec<Item> = context.ids().rev().flat_map(forms).collect();
    items.extend(lines(context));
    Proposal::new(context.untried(items), Strategy::Single)
}

/// Returns the initial value of a variable for each of its uses, if it is the only one of its
/// declaration.
fn initial(context: &PassContext<'_>, initializer: NodeId) -> Option<Item> {
    let tree = context.tree;
    let declaration = tree.parent(initializer)?;
    let name = match context.part(initializer, FieldRole::Declarator) {
        Some(declarator) => declared_name(context, declarator)?,
        None => context.name_part(initializer)?,
    };
    let value = context.part(initializer, FieldRole::Value);
    let value = value.filter(|&value| context.is(Role::Expression, value))?;
    let around = tree.parent(declaration).filter(|&around| context.is(Role::Expression, around));
    let rest = around.and_then(|around| context.part(around, FieldRole::Body));
    let mut edits = match around.zip(rest) {
        Some(_) if context.elements(declaration).count() > 1 => Edits::drop(initializer),
        Some((around, rest)) => Edits::one(around, Change::hoist(rest)),
        None if declarators(context, declaration).count() > 1 => return None,
        None => Edits::drop(declaration),
    };
    let mentions = context.mentions(name).iter().copied();
    let uses: Vec<NodeId> = mentions.filter(|&m| m >= tree.subtree_end(declaration)).collect();
    let fits = (1..=COPIES).contains(&uses.len())
        && uses.iter().all(|&m| put(context, m, value, &mut edits).is_some());
    fits.then(|| Item::new(edits, tree.tokens(declaration)))
}

/// Returns the items that put an assignment that could go, or only its value, where the name is
/// used next.
fn next_use(context: &PassContext<'_>, expression: NodeId) -> Vec<Item> {
    let tree = context.tree;
    let assigns = context.is(Role::Assignment, expression);
    if !assigns && !context.is(Role::Update, expression) {
        return Vec::new();
    }
    let mut parts = context.elements(expression).map(|part| context.innermost(part));
    let Some(name) = parts.find(|&part| context.is_name(part)) else { return Vec::new() };
    let gone = context.statement_of(expression).unwrap_or(expression);
    let inside = tree.ancestors(expression).find(|&a| context.is(Role::Function, a));
    let mentions = context.mentions(name);
    let next = mentions.iter().copied().find(|&m| m >= tree.subtree_end(gone));
    let next = next.filter(|&m| inside.is_none_or(|f| tree.contains(f, m)));
    let Some(next) = next.filter(|_| context.is_droppable(gone)) else { return Vec::new() };
    let value = context.part(expression, FieldRole::Value).or_else(|| parts.last());
    let value = value.filter(|_| assigns).map(|value| context.innermost(value));
    let form = |node: NodeId| {
        let mut edits = Edits::drop(gone);
        put(context, next, node, &mut edits)?;
        Some(Item::new(edits, tree.tokens(gone).saturating_sub(tree.tokens(node))))
    };
    [value, Some(expression)].into_iter().flatten().filter_map(form).collect()
}

/// What a line says of the name with which it begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Value,
    Label,
}

/// Returns the items that drop a line or a block which says what a name is; its mentions become
/// another name of the sort in it.
fn lines(context: &PassContext<'_>) -> Vec<Item> {
    let all = context.references().iter();
    let given = all.filter_map(|name| defined(context, name).map(|(at, sort)| (name, at, sort)));
    let given: Vec<(&Reference, &Mention, Sort)> = given.collect();
    let mut mentioned: BTreeMap<(NodeId, Sort), Vec<&Reference>> = BTreeMap::new();
    for (name, _, sort) in &given {
        for mention in &name.mentions {
            for around in std::iter::once(mention.leaf).chain(context.tree.ancestors(mention.leaf))
            {
                mentioned.entry((around, *sort)).or_default().push(name);
            }
        }
    }
    let items = given.iter().flat_map(|(name, at, sort)| {
        let others = mentioned.get(&(at.leaf, *sort)).into_iter().flatten();
        let others = others.filter(|other| other.name != name.name).take(COPIES);
        others.filter_map(|other| instead(context, name, at, other))
    });
    items.collect()
}

/// Returns the mention with which the line begins that says what a name is.
fn defined<'a>(context: &PassContext<'_>, name: &'a Reference) -> Option<(&'a Mention, Sort)> {
    let definition = name.mentions.iter().find(|mention| mention.is_definition)?;
    let text = context.tree.text_of(definition.leaf);
    let line = text.split(|&byte| byte == b'\n').next()?;
    let behind = line.get(definition.part.end..)?;
    let is_first = !line[..definition.part.start].iter().any(u8::is_ascii_alphanumeric);
    let sort = if behind.contains(&b'=') { Sort::Value } else { Sort::Label };
    let is_there = is_first && name.is_used() && context.is_droppable(definition.leaf);
    let says = behind.trim_ascii_start().first().is_some_and(|byte| b":=".contains(byte));
    (is_there && says).then_some((definition, sort))
}

/// Returns the item that replaces a name by another one and drops the line that says what it is.
fn instead(
    context: &PassContext<'_>,
    name: &Reference,
    defined: &Mention,
    other: &Reference,
) -> Option<Item> {
    let tree = context.tree;
    let mut edits = Edits::drop(defined.leaf);
    let is_left = |mention: &&Mention| !tree.contains(defined.leaf, mention.leaf);
    let fits = name.mentions.iter().filter(is_left).all(|mention| {
        let length = tree.text_of(mention.leaf).len();
        edits.add(mention.leaf, Change::replace(length, mention.part.clone(), &other.name))
    });
    fits.then(|| Item::new(edits, tree.tokens(defined.leaf)))
}

/// Puts the expression `node` in place of the name at `mention`, in brackets where it needs them.
fn put(context: &PassContext<'_>, mention: NodeId, node: NodeId, edits: &mut Edits) -> Option<()> {
    let tree = context.tree;
    let parent = tree.parent(mention)?;
    let first = context.elements(parent).next() == Some(mention);
    let is_assigned = first && context.is(Role::Assignment, parent);
    if is_assigned || !context.is(Role::Expression, mention) {
        return None;
    }
    let apart =
        context.is(Role::Enclosing, parent) && !(first && context.is(Role::Expression, parent));
    let text = tree.text_of(node);
    let change = if apart || context.is(Role::Tight, node) {
        Change::replace_with(text, Some(tree.kind(node)))
    } else {
        Change::replace_with(
            [
                context.tokens(node).open_bracket.as_deref()?,
                text,
                context.tokens(node).close_bracket.as_deref()?,
            ]
            .concat(),
            None,
        )
    };
    edits.add(mention, change).then_some(())
}
