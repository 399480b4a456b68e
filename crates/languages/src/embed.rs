//! A language inside of another: the guest's tree is put below the host's node that holds its text.
//!
//! Which node holds which language is said in the host's manifest (`[[embed]]`). Knows trees, facts
//! and roles; must not know tree-sitter nor any language.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Flags, Kind, Kinds, Language, NodeId, Parse, Rendered, Tree, TreeBuilder};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::ManifestError;
use crate::prose::trim;

/// Where a language stands inside of another. Of several entries that fit, the first counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Embed {
    /// The kind of the node whose text is in the other language.
    pub(crate) kind: String,
    /// The kind of its parent; any, if not given.
    pub(crate) within: Option<String>,
    /// One of these texts must stand in the node just before it.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// A regular expression, blind to case, for the whole text of the parent's first child.
    pub(crate) named: Option<String>,
    /// A regular expression for the node's text; its group `text` is in the other language.
    pub(crate) pattern: Option<String>,
    /// The other language; without it, the node stays as the host sees it.
    pub(crate) language: Option<String>,
}

/// A host's parser that asks others for the texts that the host only holds.
struct Nested {
    host: Box<dyn Parse>,
    kinds: Arc<Kinds>,
    places: Vec<Place>,
    guests: Vec<Guest>,
    /// What stands around a guest's text inside of its node: quotes, signs of comments.
    border: Kind,
}

struct Place {
    kind: Kind,
    within: Option<Kind>,
    after: Vec<Vec<u8>>,
    named: Option<Regex>,
    pattern: Option<Regex>,
    guest: Option<usize>,
}

struct Guest {
    parser: Box<dyn Parse>,
    /// The kind in our table for each of its own.
    kinds: Vec<Kind>,
}

/// The host with guests inside. Kinds of a guest are called `language_kind`.
///
/// # Errors
/// A kind that the host does not have, or a pattern that is none.
pub(crate) fn nest(
    host: Language,
    embeds: &[Embed],
    guests: Vec<Language>,
) -> Result<Language, ManifestError> {
    let mut kinds = Kinds::clone(&host.kinds);
    let Language { name, mut facts, style, mut roles, parser, names: host_names, .. } = host;
    let names: Vec<String> = guests.iter().map(|guest| guest.name.clone()).collect();
    let mut nested = Vec::new();
    let mut roots = Vec::new();
    for guest in guests {
        let map: Vec<Kind> = (0..guest.kinds.len())
            .map(|i| {
                let kind = Kind(u16::try_from(i).expect("kinds are u16"));
                let own = guest.kinds.name(kind);
                if guest.kinds.is_named(kind) {
                    kinds.intern(&format!("{}_{own}", guest.name), true)
                } else {
                    kinds.intern(own, false)
                }
            })
            .collect();
        let to = |kind: Kind| map[usize::from(kind.0)];
        facts.adopt(&guest.facts, to);
        roles.identifiers.extend(guest.roles.identifiers.iter().map(|&k| to(k)));
        for (role, all) in &guest.roles.named {
            roles.named.entry(role.clone()).or_default().extend(all.iter().map(|&k| to(k)));
        }
        for (&kind, texts) in &guest.roles.least {
            let texts = texts.iter().map(|(text, kind)| (text.clone(), kind.map(to)));
            roles.least.entry(to(kind)).or_default().extend(texts);
        }
        let empty = guest.parser.parse(b"");
        roots.push(to(empty.kind(NodeId::ROOT)));
        nested.push(Guest { parser: guest.parser, kinds: map });
    }
    let border = kinds.intern("border", true);
    let find = |name: &String| kinds.named(name).ok_or_else(|| ManifestError::Kind(name.clone()));
    let mut places = Vec::new();
    for embed in embeds {
        let name = embed.named.as_ref().map(|name| format!("^(?:{name})$"));
        places.push(Place {
            kind: find(&embed.kind)?,
            within: embed.within.as_ref().map(find).transpose()?,
            named: name.map(|name| regex(&name)).transpose()?,
            pattern: embed.pattern.as_ref().map(|pattern| regex(pattern)).transpose()?,
            after: embed.after.iter().map(|text| text.to_ascii_lowercase().into_bytes()).collect(),
            guest: names.iter().position(|name| Some(name) == embed.language.as_ref()),
        });
    }
    for place in &places {
        place.guest.iter().for_each(|&guest| facts.allow_alone(place.kind, roots[guest]));
    }
    let kinds = Arc::new(kinds);
    let (host, guests) = (parser, nested);
    let parser = Box::new(Nested { host, kinds: kinds.clone(), places, guests, border });
    Ok(Language { name, kinds, facts, style, roles, parser, names: host_names })
}

pub(crate) fn regex(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).dot_matches_new_line(true).build()
}

impl Parse for Nested {
    fn parse(&self, text: &[u8]) -> Tree {
        let tree = self.host.parse(text);
        let mut builder = TreeBuilder::new(tree.text().clone(), self.kinds.clone());
        builder.keep(tree.origin().clone());
        let mut open: Vec<NodeId> = Vec::new();
        let mut at = NodeId::ROOT;
        let end = tree.subtree_end(at);
        while at < end {
            while open.last().is_some_and(|&behind| behind <= at) {
                open.pop();
                builder.close();
            }
            let (kind, span, flags) = (tree.kind(at), tree.span(at), tree.flags(at));
            if let Some((guest, inner)) = self.guest(&tree, at) {
                builder.open(kind, span.clone(), flags);
                self.border(&mut builder, text, span.start..inner.start);
                self.graft(&mut builder, guest, &text[inner.clone()], inner.start);
                self.border(&mut builder, text, inner.end..span.end);
                builder.close();
                at = tree.subtree_end(at);
                continue;
            }
            if tree.is_leaf(at) && at != NodeId::ROOT {
                builder.leaf(kind, span, flags, tree.tokens(at));
            } else {
                builder.open(kind, span, flags);
                open.push(tree.subtree_end(at));
            }
            at = NodeId(at.0 + 1);
        }
        open.iter().for_each(|_| builder.close());
        builder.finish()
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        self.host.tokens(text)
    }

    /// Those of the host: what is wrong inside of a guest is no reason to refuse a text.
    fn errors(&self, text: &[u8]) -> u32 {
        self.host.errors(text)
    }

    fn tokens_after(&self, base: &Tree, candidate: &Rendered) -> Option<u64> {
        self.host.tokens_after(base, candidate)
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        self.host.errors_after(base, candidate)
    }
}

impl Place {
    /// Where the text in the other language stands, if the node fits.
    fn text(&self, tree: &Tree, id: NodeId) -> Option<Range<usize>> {
        let parent = tree.parent(id)?;
        if self.within.is_some_and(|within| within != tree.kind(parent)) {
            return None;
        }
        if let Some(named) = &self.named {
            let first = tree.children(parent).next().filter(|&first| first != id)?;
            named.is_match(tree.text_of(first)).then_some(())?;
        }
        if !self.after.is_empty() {
            let before = tree.children(parent).take_while(|&c| c != id).last();
            let before = before.map_or(&[][..], |b| tree.text_of(b)).to_ascii_lowercase();
            let holds = |text: &Vec<u8>| before.windows(text.len().max(1)).any(|w| w == text);
            self.after.iter().any(holds).then_some(())?;
        }
        let span = tree.span(id);
        let Some(pattern) = &self.pattern else { return Some(span) };
        let found = pattern.captures(tree.text_of(id))?.name("text")?;
        Some(span.start + found.start()..span.start + found.end())
    }
}

impl Nested {
    /// Who reads the node's text, and where this text stands.
    fn guest(&self, tree: &Tree, id: NodeId) -> Option<(&Guest, Range<usize>)> {
        let kind = tree.kind(id);
        let mut places = self.places.iter().filter(|place| place.kind == kind);
        places.find_map(|place| {
            let inner = place.text(tree, id)?;
            // Where an entry without a language fits, none of those behind it does.
            Some(place.guest.map(|guest| (&self.guests[guest], inner)))
        })?
    }

    fn border(&self, builder: &mut TreeBuilder, text: &[u8], span: Range<usize>) {
        let span = trim(text, span);
        if !span.is_empty() {
            let tokens = self.host.tokens(&text[span.clone()]).unwrap_or(1);
            let extra = Flags { extra: true, ..Flags::default() };
            builder.leaf(self.border, span, extra, u32::try_from(tokens).unwrap_or(u32::MAX));
        }
    }

    /// Adds the guest's tree of `text`, which stands at `offset`. Broken parts may stand anywhere,
    /// as far as the host is concerned.
    fn graft(&self, builder: &mut TreeBuilder, guest: &Guest, text: &[u8], offset: usize) {
        let tree = guest.parser.parse(text);
        let mut open: Vec<NodeId> = Vec::new();
        for id in tree.ids() {
            while open.last().is_some_and(|&behind| behind <= id) {
                open.pop();
                builder.close();
            }
            let span = tree.span(id);
            let flags = tree.flags(id);
            let flags = Flags { extra: flags.extra || flags.error, error: false, missing: false };
            let kind = guest.kinds[usize::from(tree.kind(id).0)];
            let place = span.start + offset..span.end + offset;
            if tree.is_leaf(id) && id != NodeId::ROOT {
                let own = &text[span];
                let tokens = self.host.tokens(own).and_then(|n| u32::try_from(n).ok());
                builder.leaf(kind, place, flags, tokens.unwrap_or(tree.tokens(id)));
            } else {
                builder.open(kind, place, flags);
                open.push(tree.subtree_end(id));
            }
        }
        open.iter().for_each(|_| builder.close());
    }
}
