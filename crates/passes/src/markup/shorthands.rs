//! Makes one declaration of several that a shorthand stands for, and one of a shorthand with
//! several values: `margin-top: 1px; margin-left: 2px` becomes `margin: 1px`, and `flex: 2 1 0`
//! becomes `flex-grow: 2`.

use minirepro_syntax::{Change, Edits, NodeId, Role, Shorthand};

use crate::framework::limits::ENDING_TEXT;
use crate::framework::style_rules::in_one_line;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "shorthands";

/// Proposes for each list of declarations what its shorthands allow, last list first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let shorthands = &context.styles().shorthands;
    if shorthands.is_empty() || context.tree.tokens(NodeId::ROOT) > ENDING_TEXT {
        return None;
    }
    let mut items = Vec::new();
    for list in context.ids().rev() {
        let all: Vec<Declaration> = context
            .elements(list)
            .filter(|&id| context.is(Role::Declaration, id))
            .filter_map(|id| Declaration::read(context, id))
            .collect();
        for shorthand in shorthands.iter().filter(|_| !all.is_empty()) {
            let own: Vec<&Declaration> = all.iter().filter(|d| d.is_of(shorthand)).collect();
            items.extend(joined(context, shorthand, &own));
            items.extend(all.iter().flat_map(|d| d.expanded(context, shorthand)));
        }
    }
    Proposal::new(context.untried(items), Strategy::Single)
}

/// A declaration of a property.
struct Declaration {
    node: NodeId,
    property: Vec<u8>,
    value: Vec<u8>,
    /// Whether a semicolon is part of it.
    is_ended: bool,
}

impl Declaration {
    fn read(context: &PassContext<'_>, node: NodeId) -> Option<Self> {
        let text = context.tree.text_of(node);
        let line = in_one_line(text);
        let colon = line.iter().position(|&byte| byte == b':')?;
        let property = line[..colon].trim_ascii().to_ascii_lowercase();
        let value = line[colon + 1..].to_vec();
        Some(Self { node, property, value, is_ended: text.ends_with(b";") })
    }

    /// Returns whether a shorthand could say this.
    fn is_of(&self, shorthand: &Shorthand) -> bool {
        self.property == shorthand.name || shorthand.of.contains(&self.property)
    }

    /// Puts other properties and values in its place.
    fn becomes(&self, property: &[u8], value: &[u8]) -> Edits {
        let end: &[u8] = if self.is_ended { b";" } else { b"" };
        let text = [property, b":", value, end].concat();
        Edits::one(self.node, Change::replace_with(text, None))
    }

    /// Returns what each of the values says alone, if this is the shorthand and has as many as it
    /// stands for.
    fn expanded(&self, context: &PassContext<'_>, shorthand: &Shorthand) -> Vec<Item> {
        let values = parts(&self.value);
        if self.property != shorthand.name || values.len() != shorthand.of.len() {
            return Vec::new();
        }
        let one = |(property, value): (&Vec<u8>, &Vec<u8>)| {
            Item::new(self.becomes(property, value), context.tree.tokens(self.node))
        };
        shorthand.of.iter().zip(&values).map(one).collect()
    }
}

/// Returns the items that make a shorthand of several declarations: with the value that they share;
/// or with one of their values, or all.
fn joined(
    context: &PassContext<'_>,
    shorthand: &Shorthand,
    declarations: &[&Declaration],
) -> Vec<Item> {
    let [first, others @ ..] = declarations else { return Vec::new() };
    let Some(last) = others.last() else { return Vec::new() };
    let mut ordered = declarations.to_vec();
    let place = |d: &&Declaration| shorthand.of.iter().position(|of| *of == d.property);
    ordered.sort_by_key(place);
    let together: Vec<&[u8]> = ordered.iter().map(|d| &d.value[..]).collect();
    let mut values = vec![first.value.clone(), last.value.clone(), together.join(&b' ')];
    if declarations.iter().all(|d| d.value == first.value) {
        values.truncate(1);
    }
    values.dedup();
    let saved: u32 = others.iter().map(|d| context.tree.tokens(d.node)).sum();
    let item = |value: Vec<u8>| {
        let mut edits = first.becomes(&shorthand.name, &value);
        let is_whole = others.iter().all(|d| edits.add(d.node, Change::drop()));
        is_whole.then(|| Item::new(edits, saved))
    };
    values.into_iter().filter_map(item).collect()
}

/// Returns the values that blanks part, where they are in no brackets.
fn parts(value: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0_usize;
    for &byte in value {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => {
                parts.push(Vec::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("it begins with one").push(byte);
    }
    parts.retain(|part| !part.is_empty());
    parts
}
