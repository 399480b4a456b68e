//! Parses texts in which other languages are injected: the tree of the injected text is put below
//! the node of the outer language that holds it.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{
    Flags, Kind, Kinds, NodeId, Parse, ParseErrors, Reader, Rendered, Tree, TreeBuilder,
};
use regex::bytes::Regex;

use crate::manifest::injections::InjectionTable;
use crate::nested::encoding::Decoded;
use crate::plain::word_nodes::said;

/// The outer language's parser that asks others for the texts that the outer language only holds.
pub(crate) struct Nested {
    pub(crate) outer: Arc<dyn Parse>,
    pub(crate) reader: Arc<dyn Reader>,
    pub(crate) kinds: Arc<Kinds>,
    pub(crate) places: Arc<[Place]>,
    pub(crate) injected: Vec<Injected>,
    /// What stands around the injected language's text inside of its node: quotes, signs of
    /// comments; and coded blank space inside of it.
    pub(crate) border: Kind,
}

/// Where the injected language's text stands.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    pub(crate) within: Option<Kind>,
    /// Whose text it is.
    pub(crate) injected: Option<usize>,
    pub(crate) table: Arc<InjectionTable>,
}

/// A language inside of another.
pub(crate) struct Injected {
    pub(crate) name: String,
    pub(crate) parser: Arc<dyn Parse>,
    /// The kind of a whole text.
    pub(crate) root: Kind,
}

impl Parse for Nested {
    fn parse(&self, text: &[u8]) -> Tree {
        let tree = self.outer.parse(text);
        let mut builder = TreeBuilder::new(tree.text().clone(), self.kinds.clone());
        builder.keep(tree.origin().clone());
        let mut grafted = Grafted { builder: &mut builder, open: Vec::new() };
        let mut at = NodeId::ROOT;
        while at < tree.all().end {
            grafted.leave(at);
            let (span, flags) = (tree.span(at), tree.flags(at));
            if let Some((place, inner)) = find(&self.places, &tree, at) {
                let builder = &mut *grafted.builder;
                builder.open(tree.kind(at), span.clone(), flags);
                builder.set_field(tree.field(at));
                self.border(builder, text, span.start..inner.start);
                let behind = self.graft(builder, place, text, inner);
                self.border(builder, text, behind..span.end);
                builder.close();
                at = tree.subtree_end(at);
                continue;
            }
            grafted.add(&tree, at, span, flags, tree.tokens(at));
            at = NodeId(at.0 + 1);
        }
        grafted.end();
        builder.finish()
    }

    /// Counts only the errors of the outer language: errors in an injected text are no reason to
    /// refuse a text.
    fn errors(&self, text: &[u8]) -> u32 {
        self.outer.errors(text)
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        self.outer.errors_after(base, candidate)
    }
}

impl Reader for Nested {
    fn inner(&self) -> Option<&dyn Reader> {
        Some(&*self.reader)
    }

    /// Counts the errors of texts of which readers read nothing if there are any.
    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        let of_outer = self.reader.parse_errors(text);
        if !self.places.iter().any(|place| place.table.strict) {
            return of_outer;
        }
        let mut errors = of_outer.unwrap_or_default();
        let tree = self.outer.parse(text);
        for id in tree.ids() {
            if let Some((Place { table, injected: Some(injected), .. }, inner)) =
                find(&self.places, &tree, id)
                && table.strict
            {
                let Injected { name, parser, .. } = &self.injected[*injected];
                let found = parser.errors(&Decoded::new(&text[inner], &table.encoding).text);
                if found > 0 {
                    *errors.injected.entry(name.clone()).or_default() += found;
                }
            }
        }
        Some(errors)
    }
}

/// Returns the place whose text in another language the node holds, and where this text stands.
/// Where an entry without a language fits, none of those after it does.
pub(crate) fn find<'p>(
    places: &'p [Place],
    tree: &Tree,
    id: NodeId,
) -> Option<(&'p Place, Range<usize>)> {
    let kind = tree.kind(id);
    let mut places = places.iter().filter(|place| place.kind == kind);
    let found = places.find_map(|place| Some((place, place.text(tree, id)?)));
    found.filter(|(place, _)| place.injected.is_some())
}

/// Returns whether a regular expression fits the whole text of the first child of a node's parent.
pub(crate) fn is_named(tree: &Tree, id: NodeId, named: &Regex) -> bool {
    let first = tree.parent(id).and_then(|parent| tree.children(parent).next());
    let first = first.filter(|&first| first != id);
    first.is_some_and(|first| named.is_match(tree.text_of(first).trim_ascii()))
}

impl Place {
    /// Returns where the text in the other language stands, if the node fits.
    fn text(&self, tree: &Tree, id: NodeId) -> Option<Range<usize>> {
        let parent = tree.parent(id)?;
        if self.within.is_some_and(|within| within != tree.kind(parent)) {
            return None;
        }
        let InjectionTable { named, before, pattern, .. } = &*self.table;
        let span = tree.span(id);
        let is_behind =
            |before: &Regex| before.is_match(&tree.text()[tree.span(parent).start..span.start]);
        let fits = named.as_ref().is_none_or(|named| is_named(tree, id, named))
            && before.as_ref().is_none_or(is_behind);
        fits.then_some(())?;
        let Some(pattern) = pattern else { return Some(span) };
        let found = pattern.captures(tree.text_of(id))?.name("text")?;
        Some(span.start + found.start()..span.start + found.end())
    }
}

impl Nested {
    fn border(&self, builder: &mut TreeBuilder, text: &[u8], span: Range<usize>) {
        if let Some(span) = said(text, span) {
            let tokens = self.reader.tokens(&text[span.clone()]).unwrap_or(1);
            let extra = Flags { extra: true, ..Flags::default() };
            builder.leaf(self.border, span, extra, u32::try_from(tokens).unwrap_or(u32::MAX));
        }
    }

    /// Adds the injected language's tree of what stands at `inner`; gives the end of its last leaf.
    /// Broken parts may stand anywhere, as far as the outer language is concerned.
    fn graft(
        &self,
        builder: &mut TreeBuilder,
        place: &Place,
        text: &[u8],
        inner: Range<usize>,
    ) -> usize {
        let Some(injected) = place.injected else { return inner.start };
        let decoded = Decoded::new(&text[inner.clone()], &place.table.encoding);
        let tree = self.injected[injected].parser.parse(&decoded.text);
        let to = |at: usize| inner.start + decoded.place(at);
        let mut grafted = Grafted { builder, open: Vec::new() };
        let mut behind = inner.start;
        for id in tree.ids() {
            grafted.leave(id);
            let span = tree.span(id);
            let place = to(span.start)..to(span.end);
            if !place.is_empty() {
                self.border(grafted.builder, text, behind..place.start.max(behind));
                behind = behind.max(place.start);
            }
            let flags = tree.flags(id);
            let flags = Flags { extra: flags.extra || flags.error, error: false, missing: false };
            let mut tokens = None;
            if tree.is_leaf(id) && id != NodeId::ROOT {
                behind = behind.max(place.end);
                tokens = self.reader.tokens(&text[place.clone()]);
            }
            let tokens = tokens.and_then(|n| u32::try_from(n).ok());
            grafted.add(&tree, id, place, flags, tokens.unwrap_or(tree.tokens(id)));
        }
        grafted.end();
        behind
    }
}

/// Nodes of another tree that are added to one, those around the next of them still open.
struct Grafted<'b> {
    builder: &'b mut TreeBuilder,
    /// Where each of them ends.
    open: Vec<NodeId>,
}

impl Grafted<'_> {
    /// Closes all that does not hold the next node.
    fn leave(&mut self, next: NodeId) {
        while self.open.pop_if(|end| *end <= next).is_some() {
            self.builder.close();
        }
    }

    fn add(&mut self, tree: &Tree, id: NodeId, span: Range<usize>, flags: Flags, tokens: u32) {
        if tree.is_leaf(id) && id != NodeId::ROOT {
            self.builder.leaf(tree.kind(id), span, flags, tokens);
        } else {
            self.builder.open(tree.kind(id), span, flags);
            self.open.push(tree.subtree_end(id));
        }
        self.builder.set_field(tree.field(id));
    }

    fn end(self) {
        self.open.iter().for_each(|_| self.builder.close());
    }
}
