//! Replaces what includes or imports a file of a directory by what the file holds.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::framework::directory::{File, files};
use crate::framework::limits::SMALL_TEXT;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes all files that others bring in by a part of their own language.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    if cx.tokens(NodeId::ROOT) > SMALL_TEXT && !cx.is_sweep() {
        return None;
    }
    let files = files(cx);
    let items = files.iter().filter_map(|file| item(cx, &files, file));
    cx.proposal(items, Plan::ALL)
}

fn item(cx: &PassContext<'_>, files: &[File<'_>], file: &File<'_>) -> Option<Item> {
    let content = cx.children(file.node).nth(1)?;
    let mut edits = file.gives(cx);
    let mut is_brought_in = false;
    for mention in file.mentions.iter().filter(|mention| mention.is_file) {
        // Only a file of the same language takes the parts of another one.
        let takes = |id: NodeId| cx.kind(id) == cx.kind(content);
        let mut around = cx.around(mention.part);
        let part = around.find(|&id| cx.parent(id).is_some_and(takes))?;
        let parts = Change::splice(cx.children(content));
        edits.merge(&Edits::one(part, parts)).then_some(())?;
        let user = files.iter().find(|user| cx.contains(user.node, part))?;
        edits.merge(&user.receives(cx)).then_some(())?;
        is_brought_in = true;
    }
    is_brought_in.then(|| Item::new(edits, 1))
}
