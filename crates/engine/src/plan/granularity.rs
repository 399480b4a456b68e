//! The smallest unit that a reduction may remove.

use std::collections::HashMap;

use minirepro_passes::{Item, Proposal};
use minirepro_syntax::{Change, Language, NodeId, Piece, Rendered, Role, Tree};
use strum::{Display, EnumString, VariantNames};

/// The smallest unit that is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = unknown)]
pub enum Granularity {
    /// The largest parts of the file (functions and declarations, paragraphs), or those that the
    /// language's manifest calls an `item` (the elements of a page): as a whole or not at all.
    Items,
    /// Whole lines: what is left of the input are lines of it.
    Lines,
    /// Tokens: none is changed inside, or replaced by a shorter one.
    Tokens,
    /// Everything.
    #[default]
    Characters,
}

impl Granularity {
    /// Removes and returns the items of a proposal that are too fine. Where lines are wanted, items
    /// that share a line become one.
    pub(crate) fn exclude(
        self,
        proposal: &mut Proposal,
        tree: &Tree,
        language: &Language,
    ) -> Vec<Item> {
        if self == Self::Characters {
            return Vec::new();
        }
        let fits = |(id, change): (NodeId, &Change)| self.fits(tree, language, id, change);
        let mut gone = proposal.retain(|item| item.edits.iter().all(fits));
        if self == Self::Lines {
            gone.extend(whole_lines(tree, &mut proposal.items));
        }
        gone
    }

    fn fits(self, tree: &Tree, language: &Language, id: NodeId, change: &Change) -> bool {
        match self {
            Self::Characters => true,
            Self::Tokens => {
                let new = |piece: &Piece| matches!(piece, Piece::Text(..) | Piece::Part(..));
                !tree.is_leaf(id) || !change.0.iter().any(new)
            }
            Self::Lines => change.is_drop(),
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

    /// Returns whether a candidate that was made of a text is not too fine.
    pub(crate) fn allows(self, text: &[u8], candidate: &Rendered) -> bool {
        self != Self::Lines || keeps_lines(text, candidate)
    }
}

/// Lets the neighbours of a dropped node that share a line with it go as well. Returns the items
/// that were changed, as they had been. Linear in the children of the parents of all dropped nodes,
/// and in the text between them.
fn whole_lines(tree: &Tree, items: &mut [Item]) -> Vec<Item> {
    let mut changed = Vec::new();
    let mut families: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for item in items {
        let as_it_was = item.clone();
        let dropped: Vec<NodeId> = item.edits.iter().map(|(id, _)| id).collect();
        for id in dropped {
            let Some(parent) = tree.parent(id) else { continue };
            let family = families.entry(parent).or_insert_with(|| tree.children(parent).collect());
            let Ok(at) = family.binary_search(&id) else { continue };
            let share = |pair: &[NodeId]| {
                let between = tree.span(pair[0]).end..tree.span(pair[1]).start;
                !tree.text()[between].contains(&b'\n')
            };
            let before = family[..=at].windows(2).rev().take_while(|pair| share(pair)).count();
            let after = family[at..].windows(2).take_while(|pair| share(pair)).count();
            for &neighbour in &family[at - before..=at + after] {
                // Punctuation stays: it holds other lines together, or goes with what it separates.
                if tree.is_named(neighbour) && item.edits.add(neighbour, Change::drop()) {
                    item.weight = item.weight.max(tree.tokens(neighbour));
                }
            }
        }
        if *item != as_it_was {
            changed.push(as_it_was);
        }
    }
    changed
}

/// Returns whether each line of a candidate is a line of the text, apart from blank lines and blank
/// space at the ends of lines. Linear in the text and the candidate.
fn keeps_lines(text: &[u8], candidate: &Rendered) -> bool {
    let blank_to_line_end = |text: &[u8]| {
        let end = text.iter().position(|&b| b == b'\n').unwrap_or(text.len());
        text[..end].iter().all(u8::is_ascii_whitespace)
    };
    let blank_from_line_start = |text: &[u8]| {
        let start = text.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        text[start..].iter().all(u8::is_ascii_whitespace)
    };
    // Blank space alone is not part of a line.
    let copied = candidate.copied.iter().filter_map(|part| {
        let bytes = &text[part.from.clone()];
        let before = bytes.len() - bytes.trim_ascii_start().len();
        let inside = bytes.trim_ascii();
        let (from, to) = (part.from.start + before, part.to + before);
        (!inside.is_empty()).then_some((from..from + inside.len(), to..to + inside.len()))
    });
    let mut at = 0;
    for (from, to) in copied {
        let new = candidate.text.get(at..to.start).unwrap_or_default();
        let broken = at == 0 || new.contains(&b'\n');
        if !new.iter().all(u8::is_ascii_whitespace)
            || !broken
            || !blank_from_line_start(&text[..from.start])
            || !blank_to_line_end(&text[from.end..])
        {
            return false;
        }
        at = to.end;
    }
    candidate.text[at..].iter().all(u8::is_ascii_whitespace)
}

fn unknown(name: &str) -> String {
    format!("no unit is called {name:?}; there are {}", Granularity::VARIANTS.join(", "))
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::{Copied, TokenHash};

    use super::*;

    #[test]
    fn lines_are_kept_as_a_whole_or_not_at_all() {
        let check = |text: &str, parts: &[&str], joints: &[&str], expected: bool| {
            let mut made = String::new();
            let mut copied = Vec::new();
            let mut from = 0;
            for (part, joint) in parts.iter().zip(joints) {
                let start = from + text[from..].find(part).unwrap();
                copied.push(Copied { from: start..start + part.len(), to: made.len() });
                made += part;
                made += joint;
                from = start + part.len();
            }
            let text_made = made.clone().into_bytes().into();
            let rendered = Rendered { text: text_made, tokens: 0, hash: TokenHash::EMPTY, copied };
            assert_eq!(keeps_lines(text.as_bytes(), &rendered), expected, "{made:?}");
        };
        let text = "int a;\n  int b; int c;\nint d;\n";
        check(text, &["int a;\n", "int d;\n"], &["", ""], true);
        check(text, &["int a;", "int d;"], &["\n", ""], true);
        check(text, &["int a;", "int d;"], &["", ""], false);
        check(text, &["int a;\n", " int c;\n"], &["", ""], false);
        check(text, &["int a;\n  int b;", "\nint d;\n"], &["", ""], false);
        check(text, &["int a;\n", "int d;\n"], &["", "new"], false);
        check(text, &["  int b; int c;\n"], &[""], true);
        check(text, &[], &[], true);
    }

    #[test]
    fn units_have_names() {
        assert_eq!(Granularity::Lines.to_string().parse(), Ok(Granularity::Lines));
        assert!("words".parse::<Granularity>().unwrap_err().contains("lines"));
    }
}
