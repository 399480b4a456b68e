//! Drops files of a directory, each with what mentions it in the others.

use minirepro_syntax::Edits;

use crate::framework::directory::files;
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes all files.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let items = files(context).into_iter().map(|file| {
        let parts = file.mentions.iter().map(|mention| mention.part);
        let edits = Edits::drop_all(parts.chain([file.node]));
        Item::new(edits, context.tree.tokens(file.node))
    });
    Proposal::new(context.untried(items.collect()), Strategy::All)
}
