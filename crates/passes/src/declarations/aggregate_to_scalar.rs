//! Puts a record's only member in the place of the record, and the record in the place of the member.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::framework::declarations::declarators;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "aggregate-to-scalar";

/// Proposes one item per record with one member, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let records = context.ids().rev().filter(|&id| context.is(Role::Record, id));
    let items = records.filter_map(|id| item(context, id)).collect();
    Proposal::new(context.untried(items), Strategy::Single)
}

fn item(context: &PassContext<'_>, record: NodeId) -> Option<Item> {
    let tree = context.tree;
    let body = context.part(record, FieldRole::Body)?;
    let mut fields = context.elements(body);
    let field = fields.next().filter(|_| fields.next().is_none())?;
    let mut names = declarators(context, field);
    // A pointer or an array would have to go where the variable is declared.
    let member = names.next().filter(|&n| context.is_name(n) && names.next().is_none())?;
    let meaning = context.part(field, FieldRole::Type)?;
    let mut edits = Edits::one(record, Change::hoist(meaning));
    for id in by_name(context, record) {
        if !edits.add(id, Change::replace_with(tree.text_of(meaning), Some(tree.kind(meaning)))) {
            return None;
        }
    }
    for &mention in context.mentions(member) {
        let access = tree.parent(mention).filter(|&p| context.is(Role::Access, p));
        if let Some(access) = access {
            let target = context.elements(access).next().filter(|&t| t != mention)?;
            let sign = tree.children(access).find(|&c| !tree.is_named(c))?;
            let followed = (Some(tree.text_of(sign)) == context.tokens().points_to.as_deref())
                .then(|| context.tokens().dereference.as_deref())
                .flatten();
            let follow = followed.map(|text| Piece::Text(text.into(), None));
            let pieces = follow.into_iter().chain([Piece::Node(target)]).collect();
            if !edits.add(access, Change(pieces)) {
                return None;
            }
        }
    }
    Some(Item::new(edits, tree.tokens(record) - tree.tokens(meaning)))
}

/// Returns where else the record is named by its tag.
fn by_name<'a>(context: &'a PassContext<'_>, record: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    let tree = context.tree;
    let tag = context.name_part(record);
    let mentions = tag.map_or(&[][..], |tag| context.mentions(tag));
    let mentions = mentions.iter().filter_map(|&m| tree.parent(m));
    mentions.filter(move |&p| p != record && context.is(Role::Record, p))
}
