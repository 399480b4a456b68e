//! Puts an expression that gives a name its value, or the value alone, in the place where the name
//! is used next; and the initial value of a variable in place of all its uses, with what is left of
//! an expression that exists for the sake of its variables (`let x = 1 in x + x`).
//!
//! In a text without a grammar, a line that says what a name is (`%3 = add %1, %2`) goes, and one
//! of the names in it stands for that.

use std::collections::BTreeMap;

use minirepro_syntax::{Change, Edits, FieldRole, Mention, NodeId, Role};

use crate::framework::limits::COPIES;
use crate::framework::views::{bracketed, declarators, declared_name};
use crate::{Item, PassContext, Plan, Proposal, Reference};

/// Proposes all forms of each expression, last first.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let forms = |id| {
        let mut items = next_use(cx, id);
        items.extend(cx.is(Role::Initializer, id).then(|| initial(cx, id)).flatten());
        items
    };
    let mut items: Vec<Item> = cx.until(cx.tree.ids().rev()).flat_map(forms).collect();
    items.extend(lines(cx));
    cx.proposal(items, Plan::EACH)
}

/// Returns the initial value of a variable for each of its uses, if it is the only one of its
/// declaration.
fn initial(cx: &PassContext<'_>, initializer: NodeId) -> Option<Item> {
    let declaration = cx.parent(initializer)?;
    let name = match cx.part(initializer, FieldRole::Declarator) {
        Some(declarator) => declared_name(cx, declarator)?,
        None => cx.name_part(initializer)?,
    };
    let value = cx.part(initializer, FieldRole::Value);
    let value = value.filter(|&value| cx.is(Role::Expression, value))?;
    let around = cx.parent_that(Role::Expression, declaration);
    let rest = around.and_then(|around| cx.part(around, FieldRole::Body));
    let mut edits = match around.zip(rest) {
        Some(_) if cx.elements(declaration).count() > 1 => Edits::drop(initializer),
        Some((around, rest)) => Edits::one(around, Change::hoist(rest)),
        None if declarators(cx, declaration).count() > 1 => return None,
        None => Edits::drop(declaration),
    };
    let mentions = cx.mentions(name).iter().copied();
    let uses: Vec<NodeId> = mentions.filter(|&m| m >= cx.subtree_end(declaration)).collect();
    let fits = (1..=COPIES).contains(&uses.len())
        && uses.iter().all(|&m| put(cx, m, value, &mut edits).is_some());
    fits.then(|| Item::new(edits, cx.tokens(declaration)))
}

/// Returns the items that put an assignment that could go, or only its value, where the name is
/// used next.
fn next_use(cx: &PassContext<'_>, expression: NodeId) -> Vec<Item> {
    let assigns = cx.is(Role::Assignment, expression);
    if !assigns && !cx.is(Role::Update, expression) {
        return Vec::new();
    }
    let mut parts = cx.elements(expression).map(|part| cx.innermost(part));
    let name = parts.find(|&part| cx.is_name(part));
    let gone = cx.statement_of(expression).unwrap_or(expression);
    let inside = cx.ancestors(expression).find(|&a| cx.is(Role::Function, a));
    let mut mentions = name.map_or(&[][..], |name| cx.mentions(name)).iter().copied();
    let next = mentions.find(|&m| m >= cx.subtree_end(gone));
    let next = next.filter(|&m| inside.is_none_or(|f| cx.contains(f, m)));
    let Some(next) = next.filter(|_| cx.is_droppable(gone)) else { return Vec::new() };
    let value = cx.part(expression, FieldRole::Value).or_else(|| parts.last());
    let value = value.filter(|_| assigns).map(|value| cx.innermost(value));
    let form = |node: NodeId| {
        let mut edits = Edits::drop(gone);
        put(cx, next, node, &mut edits)?;
        Some(Item::new(edits, cx.tokens(gone).saturating_sub(cx.tokens(node))))
    };
    [value, Some(expression)].into_iter().flatten().filter_map(form).collect()
}

/// Returns the items that drop a line or a block which says what a name is; its mentions become
/// another name of the sort in it.
fn lines(cx: &PassContext<'_>) -> Vec<Item> {
    let all = cx.references().iter();
    let given = all.filter_map(|name| defined(cx, name).map(|(at, says)| (name, at, says)));
    let given: Vec<(&Reference, NodeId, bool)> = given.collect();
    let mut mentioned: BTreeMap<(NodeId, bool), Vec<&Reference>> = BTreeMap::new();
    for &(name, _, is_value) in &given {
        for around in name.mentions.iter().flat_map(|mention| cx.around(mention.leaf)) {
            mentioned.entry((around, is_value)).or_default().push(name);
        }
    }
    let items = given.iter().flat_map(|&(name, at, is_value)| {
        let others = mentioned.get(&(at, is_value)).into_iter().flatten();
        let others = others.filter(|other| other.name != name.name).take(COPIES);
        others.filter_map(move |other| instead(cx, name, at, other))
    });
    items.collect()
}

/// Returns the leaf with the line that says what a name is, and whether that is a value, not a
/// label.
fn defined(cx: &PassContext<'_>, name: &Reference) -> Option<(NodeId, bool)> {
    let Mention { leaf, part, .. } = name.mentions.iter().find(|mention| mention.is_definition)?;
    let line = cx.text_of(*leaf).split(|&byte| byte == b'\n').next()?;
    let behind = line.get(part.end..)?;
    let is_first = !line[..part.start].iter().any(u8::is_ascii_alphanumeric);
    let is_there = is_first && name.is_used() && cx.is_droppable(*leaf);
    let says = behind.trim_ascii_start().first().is_some_and(|byte| b":=".contains(byte));
    (is_there && says).then_some((*leaf, behind.contains(&b'=')))
}

/// Returns the item that replaces a name by another one and drops the line that says what it is.
fn instead(cx: &PassContext<'_>, name: &Reference, line: NodeId, new: &Reference) -> Option<Item> {
    let left = name.mentions.iter().filter(|mention| !cx.contains(line, mention.leaf));
    let renamed = left.map(|Mention { leaf, part, .. }| {
        (*leaf, Change::replace(cx.text_of(*leaf).len(), part.clone(), &new.name))
    });
    let changes = [(line, Change::drop())].into_iter().chain(renamed);
    Item::of(changes, cx.tokens(line))
}

/// Puts the expression `node` in place of the name at `mention`, in brackets where it needs them.
fn put(cx: &PassContext<'_>, mention: NodeId, node: NodeId, edits: &mut Edits) -> Option<()> {
    let parent = cx.parent(mention)?;
    let first = cx.elements(parent).next() == Some(mention);
    let is_assigned = first && cx.is(Role::Assignment, parent);
    (cx.is(Role::Expression, mention) && !is_assigned).then_some(())?;
    let apart = cx.is(Role::Enclosing, parent) && !(first && cx.is(Role::Expression, parent));
    let text = cx.text_of(node);
    let change = match apart || cx.is(Role::Tight, node) {
        true => cx.reworded(node, text),
        false => Change::replace_with(bracketed(cx, node, text)?, None),
    };
    edits.add(mention, change).then_some(())
}
