//! The names in the files of a directory: files of one language share them.

use std::sync::Arc;

use minirepro_syntax::{FindNames, Mention, NodeId, Tree};

use crate::project::members::Members;
use crate::project::reading::Reading;

/// Finds the names of each file by its own language.
pub(crate) struct ProjectNames {
    pub(crate) members: Arc<Members>,
}

impl FindNames for ProjectNames {
    fn mentions(&self, tree: &Tree) -> Vec<Mention> {
        let reading = tree.origin().as_ref().and_then(|origin| origin.downcast_ref::<Reading>());
        let files = reading.into_iter().flat_map(|reading| &reading.files);
        let mut mentions = Vec::new();
        for file in files {
            let Some((number, own)) = &file.read else { continue };
            let here = |id: NodeId| NodeId(file.root.0 + id.0);
            // Documents inside of a file share no names with others.
            let document = |id| if id == NodeId::ROOT { id } else { here(id) };
            let found = self.members.all[*number].language.names.mentions(own).into_iter();
            mentions.extend(found.map(|mention| Mention {
                leaf: here(mention.leaf),
                document: document(mention.document),
                ..mention
            }));
        }
        mentions
    }
}
