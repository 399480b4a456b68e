//! Makes two files of a directory one.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::framework::directory::{File, files};
use crate::framework::limits::SMALL_TEXT;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "merge-files";

/// Where there are more files of one language, only neighbours are merged.
const FEW_FILES: usize = 5;

/// Proposes for each file that what it holds follows what another one of its language holds, and
/// that what brings it in goes.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.tree.tokens(NodeId::ROOT) > SMALL_TEXT {
        return None;
    }
    let tree = context.tree;
    let files = files(context);
    let mut items = Vec::new();
    for file in &files {
        let Some(content) = tree.children(file.node).nth(1) else { continue };
        let is_alike = |other: &File<'_>| {
            let into = tree.children(other.node).nth(1);
            into.is_some_and(|into| into != content && tree.kind(into) == tree.kind(content))
        };
        let others: Vec<&File<'_>> = files.iter().filter(|other| is_alike(other)).collect();
        let most = if others.len() < FEW_FILES { others.len() } else { 1 };
        // The next ones first: a file is often brought in by what follows it.
        let next = others.iter().position(|other| other.node > content).unwrap_or(0);
        let next = others.iter().cycle().skip(next).take(most);
        items.extend(next.filter_map(|into| item(context, file, content, into)));
    }
    Proposal::new(context.untried(items), Strategy::Single)
}

fn item(
    context: &PassContext<'_>,
    file: &File<'_>,
    content: NodeId,
    into: &File<'_>,
) -> Option<Item> {
    let tree = context.tree;
    let first = tree.children(tree.children(into.node).nth(1)?).next()?;
    // Before what is there, which may use it.
    let parts = tree.children(content).chain([first]);
    let mut edits = file.gives(context);
    edits.merge(&into.receives(context)).then_some(())?;
    for mention in &file.mentions {
        if mention.part != first {
            edits.merge(&Edits::drop(mention.part)).then_some(())?;
        }
    }
    let brings_in = file.mentions.iter().any(|mention| mention.part == first);
    let change = match brings_in {
        true => Change::splice(tree.children(content)),
        false => Change::splice(parts),
    };
    edits.merge(&Edits::one(first, change)).then(|| Item::new(edits, 1))
}
