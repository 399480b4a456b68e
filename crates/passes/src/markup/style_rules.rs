//! Moves the declarations of a style rule into the element that it mentions:
//! `p { color: red } … <p>` becomes `<p style=color:red>`.
//!
//! Whether a selector fits an element is only guessed, by its last part: the test knows better.

use minirepro_syntax::{Change, Edits, NodeId, Piece, Role};

use crate::framework::limits::{ENDING_TEXT, STYLED_ELEMENTS};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes for each rule, last first, that one of the elements that it may mention has its
/// declarations.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let attribute = cx.language.roles.styles.attribute.as_deref()?;
    let rules = Rule::all(cx);
    let tags = if rules.is_empty() { Vec::new() } else { Tag::all(cx) };
    let mut items = Vec::new();
    for rule in rules.iter().rev() {
        let fitting = tags.iter().rev().filter(|tag| rule.speaks_of(tag)).take(STYLED_ELEMENTS);
        items.extend(fitting.filter_map(|tag| rule.moved_to(cx, tag, attribute)));
        items.extend(rule.as_element(cx, &tags, attribute));
    }
    cx.proposal(items, Plan::EACH)
}

/// A rule of a style sheet.
struct Rule {
    node: NodeId,
    /// The last part of each selector.
    subjects: Vec<Subject>,
    /// Its declarations in one line, without the last semicolon.
    declarations: Vec<u8>,
}

/// The part of a selector that says what an element itself is like: `p`, `#id` and `.class`.
type Subject = Vec<Vec<u8>>;

impl Rule {
    /// Returns all rules with declarations, in the order of the text.
    fn all(cx: &PassContext<'_>) -> Vec<Self> {
        let read = |node| {
            let mut parts = cx.elements(node);
            let (selectors, block) = (parts.next()?, parts.last()?);
            let declarations = cx.elements(block).filter(|&d| cx.is(Role::Declaration, d));
            let lines: Vec<Vec<u8>> = declarations.map(|id| in_one_line(cx.text_of(id))).collect();
            let subjects = subjects(cx.text_of(selectors));
            let declarations = lines.join(&b';');
            (!declarations.is_empty()).then_some(Self { node, subjects, declarations })
        };
        cx.until(cx.playing(Role::StyleRule)).filter_map(read).collect()
    }

    fn speaks_of(&self, tag: &Tag<'_>) -> bool {
        self.subjects.iter().any(|subject| tag.fits(subject))
    }

    /// Returns the element of the page that holds this rule and nothing else.
    fn alone_in(&self, cx: &PassContext<'_>) -> Option<NodeId> {
        let element = cx.ancestors(self.node).find(|&id| cx.is(Role::Element, id))?;
        let mut around = cx.ancestors(self.node).take_while(|&id| id != element);
        around.all(|id| cx.elements(id).count() == 1).then_some(element)
    }

    fn moved_to(&self, cx: &PassContext<'_>, tag: &Tag<'_>, attribute: &[u8]) -> Option<Item> {
        let mut edits = Edits::drop(self.alone_in(cx).unwrap_or(self.node));
        if let Some((class, _)) = tag.class.filter(|_| self.is_only_use(cx, tag)) {
            let _contradicts = edits.add(class, Change::drop());
        }
        let fits = match tag.style {
            Some((old, value)) => {
                let all = [&self.declarations[..], b";", &in_one_line(value)].concat();
                let name = cx.children(old).next().map_or(&b""[..], |name| cx.text_of(name));
                // The name may have a blank before it.
                let blank = if name.starts_with(b" ") { &b" "[..] } else { b"" };
                let text = [blank, &assigned(attribute, &all)?].concat();
                edits.add(old, Change::replace_with(text, None))
            }
            None => {
                let text = [b" ", &assigned(attribute, &self.declarations)?[..]].concat();
                let pieces = vec![Piece::Node(tag.name), Piece::Text(text.into(), None)];
                edits.add(tag.name, Change(pieces))
            }
        };
        fits.then(|| Item::new(edits, cx.tokens(self.node)))
    }

    /// Returns whether nothing but this rule mentions any class of an element.
    fn is_only_use(&self, cx: &PassContext<'_>, tag: &Tag<'_>) -> bool {
        let used = cx.references().iter().filter(|name| tag.has_class(&name.name));
        let mut mentions = used.flat_map(|name| &name.mentions).filter(|m| !m.is_definition);
        mentions.all(|mention| cx.contains(self.node, mention.leaf))
    }

    /// Puts an element with the declarations in place of the rule, where the page has no element
    /// that the rule could mention.
    fn as_element(&self, cx: &PassContext<'_>, tags: &[Tag<'_>], attribute: &[u8]) -> Option<Item> {
        if tags.iter().any(|tag| self.speaks_of(tag)) {
            return None;
        }
        let sheet = self.alone_in(cx)?;
        let plain: &[u8] = cx.language.roles.styles.element.as_deref()?;
        let mut words = self.subjects.first()?.iter();
        let tag = words.find(|word| !b".#".contains(&word[0])).map_or(plain, Vec::as_slice);
        let attribute = assigned(attribute, &self.declarations)?;
        let text = [b"<", tag, b" ", &attribute[..], b">"].concat();
        Some(Item::one(sheet, Change::replace_with(text, None), 1))
    }
}

/// Returns the last part of each selector of a list, without those that mention a part of an
/// element (`::before`). Conditions such as `:hover` and `[href]` do not count.
fn subjects(selectors: &[u8]) -> Vec<Subject> {
    let last = |selector| split(selector, b" \n\t\r>+~").filter(|part| !part.is_empty()).last();
    split(selectors, b",").filter_map(last).filter_map(subject).collect()
}

/// Splits a text at these signs where they stand outside of brackets.
fn split<'t>(text: &'t [u8], signs: &'static [u8]) -> impl Iterator<Item = &'t [u8]> {
    let mut depth = 0;
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
fn subject(text: &[u8]) -> Option<Subject> {
    let mut depth = 0;
    let plain = text.iter().copied().filter(|&byte| is_outside(&mut depth, byte));
    let plain: Vec<u8> = plain.collect();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..);
    let words = plain.chunk_by(|_, next| is_word(next));
    let mut subject = Vec::new();
    for word in words {
        match word {
            [b':'] => return None,
            [b':' | b'*', ..] => {}
            [b'.' | b'#', ..] => subject.push(word.to_vec()),
            [first, ..] if is_word(first) => subject.push(word.to_vec()),
            _ => return None,
        }
    }
    Some(subject)
}

/// Returns a text without blanks that mean nothing between declarations, and without the last
/// semicolon.
fn in_one_line(text: &[u8]) -> Vec<u8> {
    let mut line: Vec<u8> = Vec::new();
    let text = text.trim_ascii();
    for &byte in text.strip_suffix(b";").unwrap_or(text).trim_ascii_end() {
        let is_blank = byte.is_ascii_whitespace();
        if !is_blank || !line.last().is_some_and(|last| b":;, ".contains(last)) {
            line.push(if is_blank { b' ' } else { byte });
        }
    }
    line
}

/// Returns an attribute with its value, in quotes where they are needed; `None` if it has both
/// kinds of quotes in it.
fn assigned(attribute: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    let needs_quotes = |byte: &u8| byte.is_ascii_whitespace() || b"\"'=<>`/".contains(byte);
    let quote: &[u8] = match (value.contains(&b'"'), value.contains(&b'\'')) {
        _ if !value.iter().any(needs_quotes) => b"",
        (false, _) => b"\"",
        (true, false) => b"'",
        (true, true) => return None,
    };
    Some([attribute, b"=", quote, value, quote].concat())
}

/// A tag that opens an element.
struct Tag<'a> {
    /// The leaf that says which element, after which attributes stand.
    name: NodeId,
    text: &'a [u8],
    id: &'a [u8],
    /// The attribute with its classes, and that with declarations.
    class: Option<(NodeId, &'a [u8])>,
    style: Option<(NodeId, &'a [u8])>,
}

impl<'a> Tag<'a> {
    /// Returns all tags of elements that can be seen, in the order of the text.
    fn all(cx: &PassContext<'a>) -> Vec<Self> {
        // In trees without tags, what they say stands in the elements themselves.
        let mut holders = cx.playing(Role::Bracket);
        if holders.is_empty() {
            holders = cx.playing(Role::Element);
        }
        cx.until(holders).filter_map(|id| Self::read(cx, id)).collect()
    }

    fn read(cx: &PassContext<'a>, bracket: NodeId) -> Option<Self> {
        let styles = &cx.language.roles.styles;
        let closing = cx.signs(bracket).end_tag_start.as_deref().map(Vec::as_slice);
        if cx.children(bracket).next().is_some_and(|sign| Some(cx.text_of(sign)) == closing) {
            return None;
        }
        let name = cx.elements(bracket).next()?;
        let text = cx.text_of(name);
        let text = text.strip_prefix(b"<").unwrap_or(text);
        let attributes = cx.elements(bracket).filter(|&a| cx.is(Role::Attribute, a));
        let said = attributes.filter_map(|attribute| {
            let mut parts = cx.elements(attribute);
            let (name, value) = (parts.next()?, parts.next()?);
            Some((cx.text_of(name).trim_ascii(), (attribute, unquoted(cx.text_of(value)))))
        });
        let said: Vec<_> = said.collect();
        let get = |name: Option<&Vec<u8>>| {
            let name = name?;
            said.iter().rev().find(|(own, _)| *own == name).map(|&(_, said)| said)
        };
        let id = get(styles.id.as_deref()).map_or(&b""[..], |(_, id)| id);
        let (class, style) = (get(styles.class.as_deref()), get(styles.attribute.as_deref()));
        (!styles.unseen.iter().any(|unseen| unseen.as_bytes() == text)).then_some(Self {
            name,
            text,
            id,
            class,
            style,
        })
    }

    fn has_class(&self, class: &[u8]) -> bool {
        let classes = self.class.map_or(&b""[..], |(_, classes)| classes);
        classes.split(u8::is_ascii_whitespace).any(|own| own == class)
    }

    /// Returns whether a selector that ends so may mention the element.
    fn fits(&self, subject: &Subject) -> bool {
        subject.iter().all(|word| match &word[..] {
            [b'.', class @ ..] => self.has_class(class),
            [b'#', id @ ..] => id == self.id,
            name => name.eq_ignore_ascii_case(self.text),
        })
    }
}

/// Returns the names of the last elements that a quoted text may be about: a selector, a class or a
/// name that a script looks up.
pub(crate) fn looked_up(cx: &PassContext<'_>, quoted: NodeId) -> Vec<NodeId> {
    let text = cx.text_of(quoted);
    if cx.tokens(NodeId::ROOT) > ENDING_TEXT || !matches!(text, [b'"' | b'\'', ..]) {
        return Vec::new();
    }
    let text = unquoted(text);
    let subjects = subjects(text);
    let class = vec![[b".", text].concat()];
    let fits = |tag: &Tag<'_>| subjects.iter().chain([&class]).any(|subject| tag.fits(subject));
    let fitting = Tag::all(cx).into_iter().rev().filter(fits);
    fitting.take(STYLED_ELEMENTS).map(|tag| tag.name).collect()
}

/// Returns what a value says, without a sign of equality before it.
fn unquoted(text: &[u8]) -> &[u8] {
    match text.strip_prefix(b"=").unwrap_or(text) {
        [b'"' | b'\'', inside @ .., b'"' | b'\''] => inside,
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use super::subjects;

    #[test]
    fn what_a_selector_speaks_of_is_its_last_part() {
        let table = [
            ("p", "p"),
            ("*", ""),
            (".a > p.b.c", "p.b.c"),
            ("a + #b , li ~ i:not(.x, .y):hover", "#b i"),
            ("p::before, b:nth-child( 2n + 1 )", "b"),
            ("a[href='x y']", "a"),
            ("[dir].x", ".x"),
            (":root", ""),
            ("> ", ""),
            ("%", ""),
            ("p:not(", "p"),
        ];
        for (selectors, expected) in table {
            let subjects = subjects(selectors.as_bytes());
            let written: Vec<Vec<u8>> = subjects.iter().map(|words| words.concat()).collect();
            assert_eq!(written.join(&b' '), expected.as_bytes(), "{selectors}");
        }
    }
}
