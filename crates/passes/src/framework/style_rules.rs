//! Rules of style sheets: what they mention and what they declare.

use std::collections::BTreeSet;

use minirepro_syntax::{NodeId, Role};

use crate::PassContext;

/// A rule of a style sheet.
pub(crate) struct Rule {
    pub(crate) node: NodeId,
    /// The last part of each selector.
    pub(crate) subjects: Vec<Compound>,
    /// Its declarations in one line, without the last semicolon.
    pub(crate) declarations: Vec<u8>,
}

impl Rule {
    /// Returns all rules with declarations, in the order of the text.
    pub(crate) fn all(cx: &PassContext<'_>) -> Vec<Self> {
        let rules = cx.until(cx.playing(Role::StyleRule));
        rules.filter_map(|id| Self::read(cx, id)).collect()
    }

    fn read(cx: &PassContext<'_>, node: NodeId) -> Option<Self> {
        let mut parts = cx.elements(node);
        let (selectors, block) = (parts.next()?, parts.last()?);
        let declarations = cx.elements(block).filter(|&d| cx.is(Role::Declaration, d));
        let declarations: Vec<Vec<u8>> =
            declarations.map(|id| in_one_line(cx.text_of(id))).collect();
        let declarations = declarations.join(&b';');
        let subjects = subjects(cx.text_of(selectors), &cx.styles().parts);
        (!declarations.is_empty()).then_some(Self { node, subjects, declarations })
    }
}

/// The part of a selector that says what an element itself is like.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Compound {
    pub(crate) tag: Option<Vec<u8>>,
    pub(crate) id: Option<Vec<u8>>,
    pub(crate) classes: Vec<Vec<u8>>,
}

/// Returns the last part of each selector of a list, without those that mention a part of an
/// element (`::before`). Conditions such as `:hover` and `[href]` do not count.
pub(crate) fn subjects(selectors: &[u8], part_names: &BTreeSet<Vec<u8>>) -> Vec<Compound> {
    let last = |selector| split(selector, b" \n\t\r>+~").filter(|part| !part.is_empty()).last();
    let parts = split(selectors, b",").filter_map(last);
    parts.filter_map(|part| compound(part, part_names)).collect()
}

/// Splits a text at these signs where they stand outside of brackets.
fn split<'t>(text: &'t [u8], signs: &'static [u8]) -> impl Iterator<Item = &'t [u8]> {
    let mut depth = 0_usize;
    text.split(move |&byte| is_outside(&mut depth, byte) && signs.contains(&byte))
}

/// Returns whether a byte stands outside of brackets. A bracket never does.
fn is_outside(depth: &mut usize, byte: u8) -> bool {
    match byte {
        b'(' | b'[' => *depth += 1,
        b')' | b']' => *depth = depth.saturating_sub(1),
        _ => return *depth == 0,
    }
    false
}

/// Reads a part of a selector; `None` if it mentions a part of an element.
fn compound(text: &[u8], part_names: &BTreeSet<Vec<u8>>) -> Option<Compound> {
    let mut compound = Compound::default();
    let mut depth = 0;
    let plain = text.iter().copied().filter(|&byte| is_outside(&mut depth, byte));
    let plain: Vec<u8> = plain.collect();
    let mut rest = &plain[..];
    while let Some(&sign) = rest.first() {
        let start = usize::from(b".#:*".contains(&sign));
        let is_word =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..);
        let end = start + rest[start..].iter().take_while(is_word).count();
        let word = rest[start..end].to_vec();
        rest = &rest[end..];
        match sign {
            b'.' => compound.classes.push(word),
            b'#' => compound.id = Some(word),
            b'*' => {}
            b':' if word.is_empty() || part_names.contains(&word) => return None,
            b':' => {}
            _ if word.is_empty() => return None,
            _ => compound.tag = Some(word),
        }
    }
    Some(compound)
}

/// Returns a text without blanks that mean nothing between declarations, and without the last
/// semicolon.
pub(crate) fn in_one_line(text: &[u8]) -> Vec<u8> {
    let mut line: Vec<u8> = Vec::new();
    let text = text.trim_ascii();
    for &byte in text.strip_suffix(b";").unwrap_or(text).trim_ascii_end() {
        let is_blank = byte.is_ascii_whitespace();
        let is_joint = |byte: Option<&u8>| matches!(byte, Some(b':' | b';' | b',' | b' '));
        if is_blank && is_joint(line.last()) {
            continue;
        }
        line.push(if is_blank { b' ' } else { byte });
    }
    line
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Compound, subjects};

    fn written(selectors: &str) -> String {
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        let written = |Compound { tag, id, classes }: Compound| {
            let tag = tag.map_or("*".to_owned(), |tag| text(&tag));
            let id = id.map_or(String::new(), |id| format!("#{}", text(&id)));
            let classes = classes.iter().map(|class| format!(".{}", text(class)));
            format!("{tag}{id}{}", classes.collect::<String>())
        };
        subjects(selectors.as_bytes(), &BTreeSet::from([b"first-line".to_vec()]))
            .into_iter()
            .map(written)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn what_a_selector_speaks_of_is_its_last_part() {
        let table = [
            ("p", "p"),
            ("*", "*"),
            (".a > p.b.c", "p.b.c"),
            ("a + #b , li ~ i:not(.x, .y):hover", "*#b i"),
            ("p::before, p:first-line, b:nth-child( 2n + 1 )", "b"),
            ("a[href='x y']", "a"),
            ("[dir].x", "*.x"),
            (":root", "*"),
            ("> ", ""),
            ("%", ""),
            ("p:not(", "p"),
        ];
        for (selectors, expected) in table {
            assert_eq!(written(selectors), expected, "{selectors}");
        }
    }
}
