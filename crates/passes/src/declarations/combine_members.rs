//! Makes one array of neighbours of one type that nothing else mentions: `int a, b, c;` becomes `int a[3];`.
//!
//! Where only the room that they take matters, no member can go alone.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::numbers::whole;
use crate::framework::slots::Place;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "combine-members";

/// Proposes for each run of such neighbours: all of them, then each half.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tokens = context.tokens();
    let (open, close) = (tokens.open_index.as_deref()?, tokens.close_index.as_deref()?);
    let mut items = Vec::new();
    for declaration in context.until(context.playing(Role::Joinable)) {
        let members: Vec<Option<Member>> =
            context.elements(declaration).map(|id| Member::read(context, id)).collect();
        for run in members.split(Option::is_none) {
            let run: Vec<&Member> = run.iter().flatten().collect();
            let (first, second) = run.split_at(run.len() / 2);
            for part in [&run[..], first, second] {
                items.extend(array(context, part, (open, close)));
            }
        }
    }
    Proposal::new(context.untried(items), Strategy::Single)
}

/// A name, or an array, that is declared and never mentioned.
struct Member {
    /// All that declares it.
    node: NodeId,
    name: NodeId,
    /// How many elements it has.
    count: u64,
}

impl Member {
    fn read(context: &PassContext<'_>, node: NodeId) -> Option<Self> {
        let is_array = context.is(Role::Array, node);
        let name = if is_array { context.part(node, FieldRole::Declarator)? } else { node };
        if !context.is_name(name) || context.is(Role::Type, node) {
            return None;
        }
        let count = if is_array {
            let mut others = context.elements(node).filter(|&id| id != name);
            let size = others.next().filter(|_| others.next().is_none())?;
            whole(context.tree, size)?
        } else {
            1
        };
        let is_alone = context.mentions(name).len() == 1;
        is_alone.then_some(Self { node, name, count })
    }
}

/// Returns the item that makes an array of these members, if that is shorter.
fn array(
    context: &PassContext<'_>,
    members: &[&Member],
    (open, close): (&[u8], &[u8]),
) -> Option<Item> {
    let tree = context.tree;
    let (first, others) = members.split_first().filter(|(_, others)| !others.is_empty())?;
    let count = members.iter().try_fold(0u64, |sum, member| sum.checked_add(member.count))?;
    let signs = u32::try_from(others.len()).ok()?;
    let tokens = signs + members.iter().map(|member| tree.tokens(member.node)).sum::<u32>();
    let weight = tokens.checked_sub(ARRAY).filter(|&won| won > 0)?;
    let place = Place::of(context, first.node);
    let kind = context.language.roles.kinds(Role::Array).find(|&kind| place.takes([kind]))?;
    let mut edits = Edits::drop_all(others.iter().map(|member| member.node));
    let text = [tree.text_of(first.name), open, count.to_string().as_bytes(), close].concat();
    edits.add(first.node, Change::replace_with(text, Some(kind))).then(|| Item::new(edits, weight))
}

/// The tokens of a name with a size.
const ARRAY: u32 = 4;
