//! Blank space between tokens, made plain. Knows no grammar.

use crate::Tree;

/// The text with a single line end where there was one between two tokens, else a single space where
/// there was any, and none before the first. Blank space inside of tokens stays. Linear.
pub fn with_plain_blanks(tree: &Tree) -> Vec<u8> {
    let text = tree.text();
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    let leaves = tree.ids().filter(|&id| tree.is_leaf(id)).map(|id| tree.span(id));
    for leaf in
        leaves.filter(|span| !span.is_empty()).chain(std::iter::once(text.len()..text.len()))
    {
        let blank = &text[at..leaf.start];
        if blank.contains(&b'\n') && !plain.is_empty() {
            plain.push(b'\n');
        } else if !blank.is_empty() && !plain.is_empty() && !leaf.is_empty() {
            plain.push(b' ');
        }
        plain.extend_from_slice(&text[leaf.clone()]);
        at = leaf.end;
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::with_plain_blanks;
    use crate::{Flags, Kinds, TreeBuilder};

    #[test]
    fn blanks_become_one_line_end_or_one_space() {
        let text = "  a \t b\n\n   c\"x  y\" \r\n d  ";
        let mut kinds = Kinds::default();
        let kind = kinds.intern("token", true);
        let mut builder = TreeBuilder::new(Arc::from(text.as_bytes()), Arc::new(kinds));
        builder.open(kind, 0..text.len(), Flags::default());
        for token in ["a", "b", "c", "\"x  y\"", "d"] {
            let start = text.find(token).unwrap();
            builder.leaf(kind, start..start + token.len(), Flags::default(), 1);
        }
        builder.close();
        assert_eq!(with_plain_blanks(&builder.finish()), b"a b\nc\"x  y\"\nd");
    }
}
