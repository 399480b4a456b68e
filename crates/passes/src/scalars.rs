//! Puts a record's only member in the place of the record, and the record in the place of the member.

use minirepro_syntax::{Change, Edits, NodeId, Piece};

use crate::declared::declarators;
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "scalars";

/// One item per record with one member, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let records = input.tree.ids().rev().filter(|&id| input.is("record", id));
    let items = records.filter_map(|id| item(input, id)).collect();
    Proposal::new(input.fresh(items), Strategy::Single)
}

fn item(input: &Input<'_>, record: NodeId) -> Option<Item> {
    let tree = input.tree;
    let body = tree.children(record).find(|&c| input.is("block", c))?;
    let mut fields = input.elements(body);
    let field = fields.next().filter(|_| fields.next().is_none())?;
    let mut names = declarators(input, field);
    // A pointer or an array would have to go where the variable is declared.
    let member = names.next().filter(|&n| input.is_name(n) && names.next().is_none())?;
    let meaning = tree.children(field).find(|&c| input.is("type", c))?;
    let mut edits = Edits::one(record, Change::hoist(meaning));
    for id in by_name(input, record) {
        if !edits.add(id, Change::put(tree.text_of(meaning), Some(tree.kind(meaning)))) {
            return None;
        }
    }
    for &mention in &input.index().names[tree.text_of(member)] {
        let access = tree.parent(mention).filter(|&p| input.is("access", p));
        if let Some(access) = access {
            let target = input.elements(access).next().filter(|&t| t != mention)?;
            let sign = tree.children(access).find(|&c| !tree.is_named(c))?;
            let followed = (Some(tree.text_of(sign)) == input.sign("points"))
                .then(|| input.sign("follow"))
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

/// Where else the record is named by its tag.
fn by_name<'a>(input: &'a Input<'_>, record: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    let tree = input.tree;
    let tag = tree.children(record).find(|&c| input.is_name(c));
    let mentions = tag.map_or(&[][..], |tag| &input.index().names[tree.text_of(tag)]);
    let mentions = mentions.iter().filter_map(|&m| tree.parent(m));
    mentions.filter(move |&p| p != record && input.is("record", p))
}
