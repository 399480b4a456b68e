//! The smallest unit that a reduction may remove.

use minirepro_passes::{Item, Proposal};
use minirepro_syntax::{Change, Language, NodeId, Piece, Role, Tree};
use strum::{Display, EnumString, VariantNames};

/// The smallest unit that is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = unknown)]
pub enum Granularity {
    /// The largest parts of the file (functions and declarations, paragraphs), or those that the
    /// language's manifest calls an `item` (the elements of a page): as a whole or not at all.
    Items,
    /// Tokens: none is changed inside, or replaced by a shorter one.
    Tokens,
    /// Everything.
    #[default]
    Characters,
}

impl Granularity {
    /// Removes and returns the items of a proposal that are too fine.
    pub(crate) fn exclude(
        self,
        proposal: &mut Proposal,
        tree: &Tree,
        language: &Language,
    ) -> Vec<Item> {
        let fits = |(id, change): (NodeId, &Change)| self.fits(tree, language, id, change);
        proposal.retain(|item| item.edits.iter().all(fits))
    }

    fn fits(self, tree: &Tree, language: &Language, id: NodeId, change: &Change) -> bool {
        match self {
            Self::Characters => true,
            Self::Tokens => {
                let new = |piece: &Piece| matches!(piece, Piece::Text(..) | Piece::Part(..));
                !tree.is_leaf(id) || !change.0.iter().any(new)
            }
            Self::Items => {
                let is_item = if language.roles.is_played(Role::Item) {
                    language.roles.is(Role::Item, tree.kind(id))
                } else {
                    tree.parent(id) == Some(NodeId::ROOT)
                };
                change.is_drop() && is_item
            }
        }
    }
}

fn unknown(name: &str) -> String {
    format!("no unit is called {name:?}; there are {}", Granularity::VARIANTS.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_names() {
        assert_eq!(Granularity::Items.to_string().parse(), Ok(Granularity::Items));
        assert!("words".parse::<Granularity>().unwrap_err().contains("items"));
    }
}
