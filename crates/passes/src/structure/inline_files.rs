//! Replaces what includes or imports a file of a directory by what the file holds.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::framework::directory::{File, files};
use crate::framework::limits::SMALL_TEXT;
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes all files that others bring in by a part of their own language.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.tree.tokens(NodeId::ROOT) > SMALL_TEXT && !context.is_sweep() {
        return None;
    }
    let files = files(context);
    let items = files.iter().filter_map(|file| item(context, &files, file));
    Proposal::new(context.untried(items.collect()), Strategy::All)
}

fn item(context: &PassContext<'_>, files: &[File<'_>], file: &File<'_>) -> Option<Item> {
    let tree = context.tree;
    let content = tree.children(file.node).nth(1)?;
    let mut edits = file.gives(context);
    let mut is_brought_in = false;
    for mention in file.mentions.iter().filter(|mention| mention.is_file) {
        // Only a file of the same language takes the parts of another one.
        let takes = |id: NodeId| tree.kind(id) == tree.kind(content);
        let mut around = std::iter::once(mention.part).chain(tree.ancestors(mention.part));
        let part = around.find(|&id| tree.parent(id).is_some_and(takes))?;
        let parts = Change::splice(tree.children(content));
        edits.merge(&Edits::one(part, parts)).then_some(())?;
        let user = files.iter().find(|user| tree.contains(user.node, part))?;
        edits.merge(&user.receives(context)).then_some(())?;
        is_brought_in = true;
    }
    is_brought_in.then(|| Item::new(edits, 1))
}
