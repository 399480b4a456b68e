//! Tags that open elements: what they say about which element it is, and which of them a selector
//! may be about.

use minirepro_syntax::{NodeId, Role};

use crate::PassContext;
use crate::framework::limits::{ENDING_TEXT, STYLED_ELEMENTS};
use crate::framework::style_rules::{Compound, subjects};

/// A tag that opens an element.
pub(crate) struct Tag<'a> {
    /// The leaf that says which element, after which attributes stand.
    pub(crate) name: NodeId,
    pub(crate) text: &'a [u8],
    pub(crate) id: &'a [u8],
    pub(crate) class: &'a [u8],
    pub(crate) class_attribute: Option<NodeId>,
    /// The attribute with declarations, and what it says.
    pub(crate) style: Option<(NodeId, &'a [u8])>,
}

impl<'a> Tag<'a> {
    /// Returns all tags of elements that can be seen, in the order of the text.
    pub(crate) fn all(cx: &PassContext<'a>) -> Vec<Self> {
        // In trees without tags, what they say stands in the elements themselves.
        let mut holders = cx.playing(Role::Bracket);
        if holders.is_empty() {
            holders = cx.playing(Role::Element);
        }
        cx.until(holders).filter_map(|id| Self::read(cx, id)).collect()
    }

    fn read(cx: &PassContext<'a>, bracket: NodeId) -> Option<Self> {
        let styles = cx.styles();
        let closing = cx.signs(bracket).end_tag_start.as_deref();
        if cx.children(bracket).next().is_some_and(|sign| Some(cx.text_of(sign)) == closing) {
            return None;
        }
        let name = cx.elements(bracket).next()?;
        let text = cx.text_of(name);
        let text = text.strip_prefix(b"<").unwrap_or(text);
        if styles.unseen.contains(text) {
            return None;
        }
        let mut tag = Self { name, text, id: b"", class: b"", class_attribute: None, style: None };
        for attribute in cx.elements(bracket).filter(|&a| cx.is(Role::Attribute, a)) {
            let mut parts = cx.elements(attribute);
            let (Some(of), Some(value)) = (parts.next(), parts.next()) else { continue };
            let value = unquoted(cx.text_of(value));
            let of = Some(cx.text_of(of).trim_ascii());
            if of == styles.id.as_deref() {
                tag.id = value;
            } else if of == styles.class.as_deref() {
                (tag.class, tag.class_attribute) = (value, Some(attribute));
            } else if of == styles.attribute.as_deref() {
                tag.style = Some((attribute, value));
            }
        }
        Some(tag)
    }

    /// Returns whether a selector that ends so may mention the element.
    pub(crate) fn fits(&self, subject: &Compound) -> bool {
        let has_class =
            |class: &Vec<u8>| self.class.split(u8::is_ascii_whitespace).any(|c| c == class);
        subject.tag.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(self.text))
            && subject.id.as_ref().is_none_or(|id| id == self.id)
            && subject.classes.iter().all(has_class)
    }
    /// Returns the names of the last elements that a quoted text may be about: a selector, a class
    /// or a name that a script looks up.
    pub(crate) fn looked_up(cx: &PassContext<'a>, quoted: NodeId) -> Vec<NodeId> {
        let text = cx.text_of(quoted);
        if cx.tokens(NodeId::ROOT) > ENDING_TEXT
            || !text.starts_with(b"\"") && !text.starts_with(b"'")
        {
            return Vec::new();
        }
        let text = unquoted(text);
        let subjects = subjects(text, &cx.styles().parts);
        let class = Compound { classes: vec![text.to_vec()], ..Compound::default() };
        let fits = |tag: &Self| subjects.iter().chain([&class]).any(|subject| tag.fits(subject));
        let fitting = Self::all(cx).into_iter().rev().filter(fits);
        fitting.take(STYLED_ELEMENTS).map(|tag| tag.name).collect()
    }
}

/// Returns what a value says, without a sign of equality before it.
pub(crate) fn unquoted(text: &[u8]) -> &[u8] {
    match text.strip_prefix(b"=").unwrap_or(text) {
        [b'"' | b'\'', inside @ .., b'"' | b'\''] => inside,
        text => text,
    }
}
