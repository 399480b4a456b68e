//! Makes a variable a parameter of the one function that uses it: a parameter needs no end of its
//! own, no initial value, and alone among parameters no least type. If the initial value is what matters,
//! it stays as a statement.

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::declarations::{
    declarators, declared_name, declares_variables, is_least_type, least_type, least_types,
    leaves_without, text_of, values,
};
use crate::framework::function_parts::FunctionParts;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "global-to-param";

/// Proposes one item per variable that only one function mentions, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let declarations = context.ids().rev().filter(|&id| declares_variables(context, id));
    let items = declarations.flat_map(|id| items(context, id)).collect();
    Proposal::new(context.untried(items), Strategy::Single)
}

fn items(context: &PassContext<'_>, declaration: NodeId) -> Vec<Item> {
    let names: Vec<NodeId> = declarators(context, declaration).collect();
    let whole =
        names.iter().rev().filter_map(|&name| item(context, declaration, name, &names, None));
    let value = || initial_value(context, declaration).filter(|_| names.len() == 1);
    let kept = value().and_then(|value| item(context, declaration, names[0], &names, Some(value)));
    whole.chain(kept).collect()
}

fn item(
    context: &PassContext<'_>,
    declaration: NodeId,
    declarator: NodeId,
    all: &[NodeId],
    kept: Option<NodeId>,
) -> Option<Item> {
    let tree = context.tree;
    let name = declared_name(context, declarator)?;
    let function = user(context, declaration, name)?;
    let list = FunctionParts::of(context, function)?.parameters;
    let others: Vec<NodeId> = context.elements(list).collect();
    let mut without: Vec<NodeId> = all.iter().copied().filter(|&d| d != declarator).collect();
    without.extend(values(context, declaration));
    without.extend(
        tree.children(declaration).filter(|&c| {
            context.is(Role::Qualifier, c) || !tree.is_named(c) || tree.flags(c).extra
        }),
    );
    without.extend(least_types(context, declaration));
    let leaves = leaves_without(context, declaration, &without);
    let mut text = text_of(context, &leaves);
    // Names alone need no type in some languages, unless another parameter has one.
    let bare = context.tokens().implied_type
        && leaves.len() == 1
        && others.iter().all(|&p| tree.tokens(p) == 1);
    let typed = tree.children(declaration).any(|c| is_other_type(context, c));
    if !bare && !typed {
        text = [least_type(context)?, &text].join(&b' ');
    }
    let gone = if all.len() == 1 { declaration } else { declarator };
    let more = u32::try_from(leaves.len()).ok()?
        + u32::from(!bare && !typed)
        + u32::from(!others.is_empty())
        + kept.map_or(0, |value| tree.tokens(value) + 1);
    let won = tree.tokens(gone).checked_sub(more).filter(|&won| won > 0)?;
    let mut edits = match kept {
        Some(value) => {
            let end = context.tokens().statement_end.as_deref()?;
            let statement = [tree.text_of(value), end].concat();
            Edits::one(declaration, Change::replace_with(statement, None))
        }
        None => Edits::drop(gone),
    };
    edits.add(list, with(context, list, &text)).then(|| Item::new(edits, won))
}

/// Returns the initial value of a declaration inside of a function.
fn initial_value(context: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    let is_inside = context.tree.ancestors(declaration).any(|a| context.is(Role::Function, a));
    let value = values(context, declaration).last().filter(|_| is_inside)?;
    context.is(Role::Expression, value).then_some(value)
}

fn is_other_type(context: &PassContext<'_>, id: NodeId) -> bool {
    context.is(Role::Type, id) && !is_least_type(context, id)
}

/// Returns the function that holds every mention of the name but its declaration.
fn user(context: &PassContext<'_>, declaration: NodeId, name: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let outer = |id| tree.ancestors(id).find(|&a| context.is(Role::Function, a));
    let mentions = context.mentions(name).iter().copied();
    if let Some(own) = outer(declaration) {
        return Some(own);
    }
    let mut users = mentions.filter(|&m| !tree.contains(declaration, m)).map(outer);
    let first = users.next()??;
    users.all(|user| user == Some(first)).then_some(first)
}

/// Returns the list of parameters with one more at its end.
fn with(context: &PassContext<'_>, list: NodeId, parameter: &[u8]) -> Change {
    let tree = context.tree;
    let last = context.elements(list).last();
    let end = last.map_or(tree.span(list).start + 1, |last| tree.span(last).end);
    let start = tree.span(list).start;
    let separator: &[u8] = if last.is_some() { b", " } else { b"" };
    let before = &tree.text()[start..end];
    let after = &tree.text()[end..tree.span(list).end];
    Change::replace_with([before, separator, parameter, after].concat(), Some(tree.kind(list)))
}
