//! Moves the declarations of a style rule into the element that it mentions, or into the rule
//! before or after it: `p { color: red } … <p>` becomes `<p style=color:red>`. And the values of
//! properties of one's own to where they are used: `--a: 0; top: var(--a)` becomes `top: 0`.
//!
//! Whether a selector fits an element is only guessed, by its last part: the test knows better.

use std::collections::BTreeSet;

use minirepro_syntax::{Change, Edits, NodeId, Piece, Role};

use crate::framework::limits::{ENDING_TEXT, STYLED_ELEMENTS, VALUE_LEVELS};
use crate::framework::style_rules::{Rule, in_one_line};
use crate::framework::tags::Tag;
use crate::{Item, PassContext, Proposal, Reference, Strategy};

/// The name of the pass that moves declarations into elements.
pub(crate) const INLINE: &str = "inline-style";

/// The name of the pass that joins rules.
pub(crate) const JOIN: &str = "join-rules";

/// Proposes for each rule, last first, that one of the elements that it may mention has its
/// declarations.
pub(crate) fn propose_inline(context: &PassContext<'_>) -> Option<Proposal> {
    let attribute = context.styles().attribute.as_deref()?;
    if context.tree.tokens(NodeId::ROOT) > ENDING_TEXT {
        return None;
    }
    let rules = Rule::all(context);
    let tags = if rules.is_empty() { Vec::new() } else { Tag::all(context) };
    let mut items = Vec::new();
    for rule in rules.iter().rev() {
        let fitting = tags.iter().rev().filter(|tag| rule.speaks_of(tag));
        items.extend(
            fitting.take(STYLED_ELEMENTS).filter_map(|tag| rule.moved_to(context, tag, attribute)),
        );
        items.extend(rule.as_element(context, &tags, attribute));
    }
    Proposal::new(context.untried(items), Strategy::Single)
}

/// The name of the pass that puts values in place of properties of one's own.
pub(crate) const VARIABLES: &str = "inline-property";

/// Proposes for each property of one's own that its value stands wherever it is used, and the
/// declaration goes.
pub(crate) fn propose_variables(context: &PassContext<'_>) -> Option<Proposal> {
    let variable = context.styles().variable.as_deref()?;
    let items = context.references().iter().rev();
    let items = items.flat_map(|reference| values_put(context, reference, variable)).collect();
    Proposal::new(context.untried(items), Strategy::Gallop)
}

/// Returns the items that put each value that a property of one's own is given in place of all its
/// uses.
fn values_put(context: &PassContext<'_>, reference: &Reference, variable: &[u8]) -> Vec<Item> {
    let tree = context.tree;
    let declaration = |leaf: NodeId| {
        let is_first = |&node: &NodeId| tree.children(node).next() == Some(leaf);
        tree.parent(leaf).filter(is_first).filter(|&node| context.is(Role::Declaration, node))
    };
    let use_of = |leaf: NodeId| {
        tree.ancestors(leaf)
            .take(VALUE_LEVELS)
            .find(|&node| tree.text_of(node).starts_with(variable))
    };
    let leaves = || reference.mentions.iter().map(|mention| mention.leaf);
    let uses: BTreeSet<NodeId> = leaves().filter_map(use_of).collect();
    let declarations: Vec<NodeId> = leaves().filter_map(declaration).collect();
    if uses.is_empty() {
        return Vec::new();
    }
    let put = |&given: &NodeId| {
        let text = in_one_line(tree.text_of(given));
        let colon = text.iter().position(|&byte| byte == b':')?;
        let value = text[colon + 1..].trim_ascii();
        let mut edits = Edits::drop_all(declarations.iter().copied());
        let mut is_whole = !value.is_empty();
        for &node in &uses {
            is_whole &= edits.add(node, Change::replace_with(value, None));
        }
        let saved = tree.tokens(given) + uses.iter().map(|&node| tree.tokens(node)).sum::<u32>();
        is_whole.then(|| Item::new(edits, saved))
    };
    declarations.iter().filter_map(put).collect()
}

/// Proposes for each two neighbouring rules that one has the declarations of both, for its own
/// elements or for all.
pub(crate) fn propose_joins(context: &PassContext<'_>) -> Option<Proposal> {
    if context.tree.tokens(NodeId::ROOT) > ENDING_TEXT {
        return None;
    }
    let rules = Rule::all(context);
    let pairs = rules.windows(2).rev();
    let both = pairs.flat_map(|pair| {
        let [first, second] = [&pair[0], &pair[1]];
        let for_all = first.joined_to(context, second);
        let for_all = for_all.and_then(|item| second.for_all(context, item));
        [first.joined_to(context, second), second.joined_to(context, first), for_all]
    });
    Proposal::new(context.untried(both.flatten().collect()), Strategy::Single)
}

impl Rule {
    fn speaks_of(&self, tag: &Tag<'_>) -> bool {
        self.subjects.iter().any(|subject| tag.fits(subject))
    }

    /// Returns the edits that take the rule away, with its element if nothing else is in it.
    fn removal(&self, context: &PassContext<'_>) -> Edits {
        Edits::drop(self.alone_in(context).unwrap_or(self.node))
    }

    /// Returns the element of the page that holds this rule and nothing else.
    fn alone_in(&self, context: &PassContext<'_>) -> Option<NodeId> {
        let tree = context.tree;
        let element = tree.ancestors(self.node).find(|&id| context.is(Role::Element, id))?;
        let mut around = tree.ancestors(self.node).take_while(|&id| id != element);
        around.all(|id| context.elements(id).count() == 1).then_some(element)
    }

    fn moved_to(&self, context: &PassContext<'_>, tag: &Tag<'_>, attribute: &[u8]) -> Option<Item> {
        let tree = context.tree;
        let mut edits = self.removal(context);
        if let Some(class) = tag.class_attribute.filter(|_| self.is_only_use(context, tag)) {
            let _contradicts = edits.add(class, Change::drop());
        }
        let fits = match tag.style {
            Some((old, value)) => {
                let mut all = self.declarations.clone();
                all.push(b';');
                all.extend(in_one_line(value));
                let text = assigned(context, attribute, &all)?;
                let change = match tree.children(old).next() {
                    // The name has a blank before it.
                    Some(name) if tree.text_of(name).starts_with(b" ") => {
                        Change::replace_with([b" ", &text[..]].concat(), None)
                    }
                    _ => Change::replace_with(text, None),
                };
                edits.add(old, change)
            }
            None => {
                let mut text = vec![b' '];
                text.extend(assigned(context, attribute, &self.declarations)?);
                let pieces = vec![Piece::Node(tag.name), Piece::Text(text.into(), None)];
                edits.add(tag.name, Change(pieces))
            }
        };
        fits.then(|| Item::new(edits, tree.tokens(self.node)))
    }

    /// Returns whether nothing but this rule mentions any class of an element.
    fn is_only_use(&self, context: &PassContext<'_>, tag: &Tag<'_>) -> bool {
        let references = context.references();
        let is_used_elsewhere = |class: &[u8]| {
            let same = references.iter().filter(|r| r.name == class);
            let mut mentions = same.flat_map(|r| &r.mentions).filter(|m| !m.is_definition);
            mentions.any(|m| !context.tree.contains(self.node, m.leaf))
        };
        !tag.class.split(u8::is_ascii_whitespace).any(is_used_elsewhere)
    }

    /// Puts an element with the declarations in place of the rule, where the page has no element
    /// that the rule could mention.
    fn as_element(
        &self,
        context: &PassContext<'_>,
        tags: &[Tag<'_>],
        attribute: &[u8],
    ) -> Option<Item> {
        if tags.iter().any(|tag| self.speaks_of(tag)) {
            return None;
        }
        let sheet = self.alone_in(context)?;
        let plain = context.styles().element.as_deref()?;
        let tag = self.subjects.first()?.tag.as_deref().unwrap_or(plain);
        let attribute = assigned(context, attribute, &self.declarations)?;
        let text = [b"<", tag, b" ", &attribute[..], b">"].concat();
        let edits = Edits::one(sheet, Change::replace_with(text, None));
        Some(Item::new(edits, 1))
    }

    /// Lets an item that gives this rule more declarations make it mention all elements, too.
    fn for_all(&self, context: &PassContext<'_>, mut item: Item) -> Option<Item> {
        let all = Change::replace_with(&*context.styles().all.clone()?, None);
        item.edits.add(self.selectors, all).then_some(item)
    }

    /// Gives another rule the declarations of this one, too.
    fn joined_to(&self, context: &PassContext<'_>, other: &Self) -> Option<Item> {
        let tree = context.tree;
        let brace = tree.children(other.block).next()?;
        let mut text = vec![b' '];
        text.extend_from_slice(&self.declarations);
        text.push(b';');
        let mut edits = self.removal(context);
        let pieces = vec![Piece::Node(brace), Piece::Text(text.into(), None)];
        let saved = tree.tokens(self.node);
        edits.add(brace, Change(pieces)).then(|| Item::new(edits, saved))
    }
}

/// Returns an attribute with its value, in quotes where they are needed or where all are; `None` if
/// it has both kinds of quotes in it.
fn assigned(context: &PassContext<'_>, attribute: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    if let Some(quote) = context.styles().quote.as_deref() {
        let is_free = !value.windows(quote.len()).any(|part| part == quote);
        return is_free.then(|| [attribute, b"=", quote, value, quote].concat());
    }
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
