//! Parses texts in which other languages are injected: the tree of the injected text is put below
//! the node of the outer language that holds it.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{
    Flags, Kind, Kinds, NodeId, Parse, ParseErrors, Reader, Rendered, Tree, TreeBuilder,
};

use crate::manifest::injections::InjectionTable;
use crate::nested::encoding::{Decoded, Encoding};
use crate::plain::word_nodes::trim;

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
    /// Whose text it is, and the number of its form if it is not a whole.
    pub(crate) injected: Option<(usize, Option<usize>)>,
    pub(crate) table: Arc<InjectionTable>,
}

/// A language inside of another.
pub(crate) struct Injected {
    pub(crate) name: String,
    pub(crate) parser: Arc<dyn Parse>,
    /// The kind of a whole text.
    pub(crate) root: Kind,
    pub(crate) forms: Vec<Form>,
}

/// A part of a language that stands alone, and what makes a whole of it.
pub(crate) struct Form {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
}

impl Injected {
    /// Returns the kind of a text of this form.
    pub(crate) fn root_of(&self, form: Option<usize>) -> Kind {
        form.map_or(self.root, |form| self.forms[form].kind)
    }
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
                let behind = self.graft(builder, (place, &place.table.encoding), text, inner);
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
            // A part of a language is no whole text.
            if let Some((Place { table, injected: Some((injected, None)), .. }, inner)) =
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

impl Place {
    /// Returns where the text in the other language stands, if the node fits.
    fn text(&self, tree: &Tree, id: NodeId) -> Option<Range<usize>> {
        let parent = tree.parent(id)?;
        if self.within.is_some_and(|within| within != tree.kind(parent)) {
            return None;
        }
        let InjectionTable { named, after, pattern, .. } = &*self.table;
        if let Some(named) = named {
            let first = tree.children(parent).next().filter(|&first| first != id)?;
            named.is_match(tree.text_of(first).trim_ascii()).then_some(())?;
        }
        if !after.is_empty() {
            let before = &tree.text()[tree.span(parent).start..tree.span(id).start];
            let before = String::from_utf8_lossy(before).to_ascii_lowercase();
            after.iter().any(|text| before.contains(text)).then_some(())?;
        }
        let span = tree.span(id);
        let Some(pattern) = pattern else { return Some(span) };
        let found = pattern.captures(tree.text_of(id))?.name("text")?;
        Some(span.start + found.start()..span.start + found.end())
    }
}

impl Nested {
    fn border(&self, builder: &mut TreeBuilder, text: &[u8], span: Range<usize>) {
        let span = trim(text, span);
        if !span.is_empty() {
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
        (place, encoding): (&Place, &[Encoding]),
        text: &[u8],
        inner: Range<usize>,
    ) -> usize {
        let Some((injected, form)) = place.injected else { return inner.start };
        let injected = &self.injected[injected];
        let decoded = Decoded::new(&text[inner.clone()], encoding);
        let form = form.map(|form| &injected.forms[form]);
        let whole = form.map(|form| [&form.before[..], &decoded.text, &form.after].concat());
        let tree = injected.parser.parse(whole.as_deref().unwrap_or(&decoded.text));
        // What was put around a form is not there.
        let shift = form.map_or(0, |form| form.before.len());
        let here = shift..shift + decoded.text.len();
        let to = |at: usize| inner.start + decoded.place(at - shift);
        if let Some(form) = form {
            builder.open(form.kind, trim(text, inner.clone()), Flags::default());
        }
        let mut grafted = Grafted { builder, open: Vec::new() };
        let mut behind = inner.start;
        for id in tree.ids() {
            grafted.leave(id);
            let span = tree.span(id);
            if form.is_some() && (span.start < here.start || span.end > here.end || span.is_empty())
            {
                continue;
            }
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
        if form.is_some() {
            builder.close();
        }
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
