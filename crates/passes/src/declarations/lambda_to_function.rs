//! Turns a named lambda into a function outside of the one in which it stands. Its captures are lost.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "lambda-to-function";

/// Proposes one item for each lambda that is the initial value of a variable, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let lambdas = context.ids().rev().filter(|&id| context.is(Role::Lambda, id));
    let items = lambdas.filter_map(|lambda| function(context, lambda)).collect();
    Proposal::new(context.untried(items), Strategy::Single)
}

/// Returns a function in the place of a lambda with a name.
fn function(context: &PassContext<'_>, lambda: NodeId) -> Option<Item> {
    let tree = context.tree;
    let variable = tree.parent(lambda).filter(|&id| context.is(Role::Initializer, id))?;
    let declaration = tree.parent(variable).filter(|&id| context.is(Role::Declaration, id))?;
    let name = context.part(variable, FieldRole::Declarator).filter(|&id| context.is_name(id))?;
    let result = context.part(declaration, FieldRole::Type)?;
    let body = context.part(lambda, FieldRole::Body)?;
    let head = context.part(lambda, FieldRole::Declarator);
    let head = head.map_or(&b"()"[..], |head| tree.text_of(head));
    let is_template = |id: &NodeId| *id < body && context.is(Role::Scope, *id);
    let template = tree.children(lambda).find(is_template);
    let template = template.map(|list| [b"template ", tree.text_of(list), b" "].concat());
    let mut new = template.unwrap_or_default();
    for part in [tree.text_of(result), b" ", tree.text_of(name), head, b" ", tree.text_of(body)] {
        new.extend_from_slice(part);
    }
    let functions = tree.ancestors(declaration).filter(|&id| context.is(Role::Function, id));
    let edits = match functions.last() {
        Some(function) => {
            let mut edits = Edits::drop(declaration);
            let both = Change(vec![Piece::Text(new.into(), None), Piece::Node(function)]);
            edits.add(function, both).then_some(edits)?
        }
        None => Edits::one(declaration, Change::replace_with(new, None)),
    };
    Some(Item::new(edits, SIGNS))
}

/// An equals sign, the two brackets of what is captured, and the end are not needed any more.
const SIGNS: u32 = 4;
