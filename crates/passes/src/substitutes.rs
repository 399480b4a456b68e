//! Puts an expression that gives a name its value, or the value alone, in the place where the name is
//! used next; and the initial value of a variable in the place of all its uses.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::declared::{declarators, declared_name};
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "substitutes";

/// More uses than this would seldom get smaller.
const FEW_USES: usize = 4;

/// All forms of each, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let forms = |id| {
        let mut items = next_use(input, id);
        items.extend(input.is("initializer", id).then(|| initial(input, id)).flatten());
        items
    };
    let items = input.tree.ids().rev().flat_map(forms).collect();
    Proposal::new(input.fresh(items), Strategy::Single)
}

/// The initial value of a variable for each of its uses, if it is the only one of its declaration.
fn initial(input: &Input<'_>, initializer: NodeId) -> Option<Item> {
    let tree = input.tree;
    let declaration = tree.parent(initializer)?;
    let mut parts = input.elements(initializer);
    let name = declared_name(input, parts.next()?)?;
    let value = parts.last().filter(|&v| input.is("expression", v))?;
    if declarators(input, declaration).count() > 1 {
        return None;
    }
    let mentions = input.index().names[tree.text_of(name)].iter().copied();
    let uses: Vec<NodeId> = mentions.filter(|&m| m >= tree.subtree_end(declaration)).collect();
    let mut edits = Edits::drop(declaration);
    let fits = (1..=FEW_USES).contains(&uses.len())
        && uses.iter().all(|&m| put(input, m, value, &mut edits).is_some());
    fits.then(|| Item::new(edits, tree.tokens(declaration)))
}

/// What gives a name its value and could go: itself, or its value, where the name is used next.
fn next_use(input: &Input<'_>, expression: NodeId) -> Vec<Item> {
    let tree = input.tree;
    let assigns = input.is("assignment", expression);
    if !assigns && !input.is("update", expression) {
        return Vec::new();
    }
    let Some(name) = input.elements(expression).find(|&n| input.is_name(n)) else {
        return Vec::new();
    };
    let statement = tree.parent(expression).filter(|&p| input.is("expression_statement", p));
    let gone = statement.unwrap_or(expression);
    let inside = tree.ancestors(expression).find(|&a| input.is("function", a));
    let mentions = &input.index().names[tree.text_of(name)];
    let next = mentions.iter().copied().find(|&m| m >= tree.subtree_end(gone));
    let next = next.filter(|&m| inside.is_some_and(|f| tree.contains(f, m)));
    let Some(next) = next.filter(|_| input.is_droppable(gone)) else { return Vec::new() };
    let value = assigns.then(|| input.elements(expression).last()).flatten();
    let form = |node: NodeId| {
        let mut edits = Edits::drop(gone);
        put(input, next, node, &mut edits)?;
        Some(Item::new(edits, tree.tokens(gone).saturating_sub(tree.tokens(node))))
    };
    [value, Some(expression)].into_iter().flatten().filter_map(form).collect()
}

/// Puts the expression `node` in the place of the name at `mention`, in brackets where it needs them.
fn put(input: &Input<'_>, mention: NodeId, node: NodeId, edits: &mut Edits) -> Option<()> {
    let tree = input.tree;
    let parent = tree.parent(mention)?;
    let first = input.elements(parent).next() == Some(mention);
    let is_assigned = first && input.is("assignment", parent);
    if is_assigned || !input.is("expression", mention) {
        return None;
    }
    let apart = input.is("enclosing", parent) && !(first && input.is("expression", parent));
    let text = tree.text_of(node);
    let change = if apart || input.is("tight", node) {
        Change::put(text, Some(tree.kind(node)))
    } else {
        Change::put([input.sign("open")?, text, input.sign("close")?].concat(), None)
    };
    edits.add(mention, change).then_some(())
}
