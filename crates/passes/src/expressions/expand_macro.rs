//! Puts what a macro stands for in place of its uses, with arguments for its parameters, and drops
//! its definition.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::views::arguments;
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes one item per definition, last first; only what is smaller at once is accepted.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let definitions = context.until(context.playing(Role::Macro)).rev();
    let items = definitions.filter_map(|id| item(context, id)).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

fn item(context: &PassContext<'_>, definition: NodeId) -> Option<Item> {
    let tree = context.tree;
    let name = context.name_part(definition)?;
    let list = context.part(definition, FieldRole::Parameters);
    let parameters: Option<Vec<NodeId>> = list.map(|list| context.elements(list).collect());
    let meaning = context.part(definition, FieldRole::Value);
    let mut edits = Edits::drop(definition);
    let mut uses = 0;
    for &mention in context.mentions(name).iter().filter(|&&m| m != name) {
        let (place, text) = match &parameters {
            None => (mention, written(context, meaning, &[], &[])),
            Some(parameters) => {
                let call = tree.parent(mention).filter(|&p| context.is(Role::Call, p))?;
                let arguments = arguments(context, call)?;
                let arguments: Vec<NodeId> = context.elements(arguments).collect();
                let fits = arguments.len() == parameters.len();
                fits.then(|| (call, written(context, meaning, parameters, &arguments)))?
            }
        };
        let change =
            if text.is_empty() { Change::drop() } else { Change::replace_with(text, None) };
        if tree.contains(definition, mention) || !edits.add(place, change) {
            return None;
        }
        uses += 1;
    }
    (uses > 0).then(|| Item::new(edits, tree.tokens(definition)))
}

/// Returns the text of a meaning with arguments in place of parameters.
fn written(
    context: &PassContext<'_>,
    meaning: Option<NodeId>,
    parameters: &[NodeId],
    arguments: &[NodeId],
) -> Vec<u8> {
    let tree = context.tree;
    let Some(meaning) = meaning else { return Vec::new() };
    if parameters.is_empty() {
        return tree.text_of(meaning).trim_ascii().to_vec();
    }
    let own = |leaf: NodeId| {
        let at = parameters.iter().position(|&p| tree.text_of(p) == tree.text_of(leaf));
        tree.text_of(at.map_or(leaf, |at| arguments[at]))
    };
    let leaves = tree.subtree(meaning).filter(|&id| tree.is_leaf(id));
    leaves.map(own).collect::<Vec<_>>().join(&b' ')
}
