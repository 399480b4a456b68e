//! Moves the declarations of a style rule into the element that it mentions:
//! `p { color: red } … <p>` becomes `<p style=color:red>`.
//!
//! Whether a selector fits an element is only guessed, by its last part: the test knows better.

use minirepro_syntax::{Change, Edits, NodeId, Piece, Role};

use crate::framework::limits::STYLED_ELEMENTS;
use crate::framework::style_rules::{Rule, in_one_line};
use crate::framework::tags::Tag;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes for each rule, last first, that one of the elements that it may mention has its
/// declarations.
pub(crate) fn propose_inline(cx: &PassContext<'_>) -> Option<Proposal> {
    let attribute = cx.styles().attribute.as_deref()?;
    let rules = Rule::all(cx);
    let tags = if rules.is_empty() { Vec::new() } else { Tag::all(cx) };
    let mut items = Vec::new();
    for rule in rules.iter().rev() {
        let fitting = tags.iter().rev().filter(|tag| rule.speaks_of(tag));
        items.extend(
            fitting.take(STYLED_ELEMENTS).filter_map(|tag| rule.moved_to(cx, tag, attribute)),
        );
        items.extend(rule.as_element(cx, &tags, attribute));
    }
    cx.proposal(items, Plan::EACH)
}

impl Rule {
    fn speaks_of(&self, tag: &Tag<'_>) -> bool {
        self.subjects.iter().any(|subject| tag.fits(subject))
    }

    /// Returns the edits that take the rule away, with its element if nothing else is in it.
    fn removal(&self, cx: &PassContext<'_>) -> Edits {
        Edits::drop(self.alone_in(cx).unwrap_or(self.node))
    }

    /// Returns the element of the page that holds this rule and nothing else.
    fn alone_in(&self, cx: &PassContext<'_>) -> Option<NodeId> {
        let element = cx.ancestors(self.node).find(|&id| cx.is(Role::Element, id))?;
        let mut around = cx.ancestors(self.node).take_while(|&id| id != element);
        around.all(|id| cx.elements(id).count() == 1).then_some(element)
    }

    fn moved_to(&self, cx: &PassContext<'_>, tag: &Tag<'_>, attribute: &[u8]) -> Option<Item> {
        let mut edits = self.removal(cx);
        if let Some(class) = tag.class_attribute.filter(|_| self.is_only_use(cx, tag)) {
            let _contradicts = edits.add(class, Change::drop());
        }
        let fits = match tag.style {
            Some((old, value)) => {
                let mut all = self.declarations.clone();
                all.push(b';');
                all.extend(in_one_line(value));
                let text = assigned(attribute, &all)?;
                let change = match cx.children(old).next() {
                    // The name has a blank before it.
                    Some(name) if cx.text_of(name).starts_with(b" ") => {
                        Change::replace_with([b" ", &text[..]].concat(), None)
                    }
                    _ => Change::replace_with(text, None),
                };
                edits.add(old, change)
            }
            None => {
                let mut text = vec![b' '];
                text.extend(assigned(attribute, &self.declarations)?);
                let pieces = vec![Piece::Node(tag.name), Piece::Text(text.into(), None)];
                edits.add(tag.name, Change(pieces))
            }
        };
        fits.then(|| Item::new(edits, cx.tokens(self.node)))
    }

    /// Returns whether nothing but this rule mentions any class of an element.
    fn is_only_use(&self, cx: &PassContext<'_>, tag: &Tag<'_>) -> bool {
        let references = cx.references();
        let is_used_elsewhere = |class: &[u8]| {
            let same = references.iter().filter(|r| r.name == class);
            let mut mentions = same.flat_map(|r| &r.mentions).filter(|m| !m.is_definition);
            mentions.any(|m| !cx.contains(self.node, m.leaf))
        };
        !tag.class.split(u8::is_ascii_whitespace).any(is_used_elsewhere)
    }

    /// Puts an element with the declarations in place of the rule, where the page has no element
    /// that the rule could mention.
    fn as_element(&self, cx: &PassContext<'_>, tags: &[Tag<'_>], attribute: &[u8]) -> Option<Item> {
        if tags.iter().any(|tag| self.speaks_of(tag)) {
            return None;
        }
        let sheet = self.alone_in(cx)?;
        let plain = cx.styles().element.as_deref()?;
        let tag = self.subjects.first()?.tag.as_deref().unwrap_or(plain);
        let attribute = assigned(attribute, &self.declarations)?;
        let text = [b"<", tag, b" ", &attribute[..], b">"].concat();
        let edits = Edits::one(sheet, Change::replace_with(text, None));
        Some(Item::new(edits, 1))
    }
}

/// Returns an attribute with its value, in quotes where they are needed; `None` if it has both
/// kinds of quotes in it.
fn assigned(attribute: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    let needs_quotes = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'=' | b'<' | b'>' | b'`' | b'/')
    };
    let quote: &[u8] = match (value.contains(&b'"'), value.iter().any(needs_quotes)) {
        (_, false) => b"",
        (false, true) => b"\"",
        (true, true) if !value.contains(&b'\'') => b"'",
        (true, true) => return None,
    };
    Some([attribute, b"=", quote, value, quote].concat())
}
