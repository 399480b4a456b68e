//! Puts what a macro stands for in place of its uses, with arguments for its parameters, and drops
//! its definition.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::views::{arguments, text_with};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes one item per definition, last first; only what is smaller at once is accepted.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let definitions = cx.until(cx.playing(Role::Macro)).rev();
    let items = definitions.filter_map(|id| item(cx, id));
    cx.proposal(items, Plan::ALL)
}

fn item(cx: &PassContext<'_>, definition: NodeId) -> Option<Item> {
    let name = cx.name_part(definition)?;
    let list = cx.part(definition, FieldRole::Parameters);
    let parameters: Option<Vec<NodeId>> = list.map(|list| cx.elements(list).collect());
    let meaning = cx.part(definition, FieldRole::Value);
    let mut edits = Edits::drop(definition);
    let mut uses = 0;
    for &mention in cx.mentions(name).iter().filter(|&&m| m != name) {
        let (place, text) = match &parameters {
            None => (mention, written(cx, meaning, &[], &[])),
            Some(parameters) => {
                let call = cx.parent(mention).filter(|&p| cx.is(Role::Call, p))?;
                let arguments = arguments(cx, call)?;
                let arguments: Vec<NodeId> = cx.elements(arguments).collect();
                let fits = arguments.len() == parameters.len();
                fits.then(|| (call, written(cx, meaning, parameters, &arguments)))?
            }
        };
        let change =
            if text.is_empty() { Change::drop() } else { Change::replace_with(text, None) };
        if cx.contains(definition, mention) || !edits.add(place, change) {
            return None;
        }
        uses += 1;
    }
    (uses > 0).then(|| Item::new(edits, cx.tokens(definition)))
}

/// Returns the text of a meaning with arguments in place of parameters.
fn written(
    cx: &PassContext<'_>,
    meaning: Option<NodeId>,
    parameters: &[NodeId],
    arguments: &[NodeId],
) -> Vec<u8> {
    let Some(meaning) = meaning else { return Vec::new() };
    if parameters.is_empty() {
        return cx.text_of(meaning).trim_ascii().to_vec();
    }
    let argument = |leaf: NodeId| {
        let at = parameters.iter().position(|&p| cx.text_of(p) == cx.text_of(leaf))?;
        Some(cx.text_of(arguments[at]))
    };
    text_with(cx, cx.leaves_in(meaning), argument)
}
