//! Drops files of a directory, each with what mentions it in the others.

use minirepro_syntax::Edits;

use crate::framework::directory::files;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes all files.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let items = files(cx).into_iter().map(|file| {
        let parts = file.mentions.iter().map(|mention| mention.part);
        let edits = Edits::drop_all(parts.chain([file.node]));
        Item::new(edits, cx.tokens(file.node))
    });
    cx.proposal(items, Plan::ALL)
}
