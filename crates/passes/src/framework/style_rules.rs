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
        let mut declarations = Vec::new();
        for declaration in cx.elements(block).filter(|&d| cx.is(Role::Declaration, d)) {
            if !declarations.is_empty() {
                declarations.push(b';');
            }
            declarations.extend(in_one_line(cx.text_of(declaration)));
        }
        let subjects = subjects(cx.text_of(selectors), &cx.styles().parts);
        (!declarations.is_empty()).then_some(Self { node, subjects, declarations })
    }
}

/// One declaration of a rule, for the classes of elements that the rule mentions.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) classes: Vec<Vec<u8>>,
    pub(crate) property: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

impl Declared {
    /// Returns all declarations of all rules, in the order of the text.
    pub(crate) fn all(cx: &PassContext<'_>) -> Vec<Self> {
        let mut all = Vec::new();
        for rule in Rule::all(cx) {
            let classes: Vec<Vec<u8>> = rule.subjects.into_iter().flat_map(|s| s.classes).collect();
            for declaration in rule.declarations.split(|&byte| byte == b';') {
                let Some(colon) = declaration.iter().position(|&byte| byte == b':') else {
                    continue;
                };
                let (property, value) = declaration.split_at(colon);
                let (property, value) = (property.to_vec(), value[1..].to_vec());
                all.push(Self { classes: classes.clone(), property, value });
            }
        }
        all
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
    let mut all = Vec::new();
    let mut last = Vec::new();
    let mut depth = 0_usize;
    let mut is_over = false;
    for &byte in selectors {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                all.extend(compound(&last, part_names));
                last.clear();
                is_over = false;
                continue;
            }
            b' ' | b'\n' | b'\t' | b'\r' | b'>' | b'+' | b'~' if depth == 0 => {
                is_over = !last.is_empty();
                continue;
            }
            _ => {}
        }
        if is_over {
            last.clear();
            is_over = false;
        }
        last.push(byte);
    }
    all.extend(compound(&last, part_names));
    all
}

/// Reads a part of a selector; `None` if it mentions a part of an element, or is empty.
fn compound(text: &[u8], part_names: &BTreeSet<Vec<u8>>) -> Option<Compound> {
    let mut compound = Compound::default();
    let mut at = 0;
    while at < text.len() {
        let sign = text[at];
        let start = at + usize::from(matches!(sign, b'.' | b'#' | b':' | b'*'));
        let is_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..);
        let length = text[start..].iter().take_while(|byte| is_word(byte)).count();
        let word = text[start..start + length].to_vec();
        at = start + length;
        match sign {
            b'.' => compound.classes.push(word),
            b'#' => compound.id = Some(word),
            b'*' => {}
            b':' if word.is_empty() || part_names.contains(&word) => return None,
            b':' | b'[' => at = behind_brackets(text, at),
            _ if length > 0 => compound.tag = Some(word),
            _ => return None,
        }
    }
    (!text.is_empty()).then_some(compound)
}

/// Returns the place after the brackets that open at `at`, if any do.
fn behind_brackets(text: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, byte) in text.iter().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let is_bracket = matches!(byte, b')' | b']');
            return place + usize::from(is_bracket);
        }
    }
    text.len()
}

/// Returns a text without blanks that mean nothing between declarations, and without the last
/// semicolon.
pub(crate) fn in_one_line(text: &[u8]) -> Vec<u8> {
    let mut line: Vec<u8> = Vec::new();
    for &byte in text.trim_ascii().trim_suffix_semicolon() {
        let is_blank = byte.is_ascii_whitespace();
        let is_joint = |byte: Option<&u8>| matches!(byte, Some(b':' | b';' | b',' | b' '));
        if is_blank && is_joint(line.last()) {
            continue;
        }
        line.push(if is_blank { b' ' } else { byte });
    }
    line
}

/// What is cut off at the end of declarations.
trait TrimSuffix {
    fn trim_suffix_semicolon(&self) -> &Self;
}

impl TrimSuffix for [u8] {
    fn trim_suffix_semicolon(&self) -> &Self {
        self.strip_suffix(b";").unwrap_or(self).trim_ascii_end()
    }
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
