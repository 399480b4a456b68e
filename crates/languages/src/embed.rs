//! A language inside of another: the guest's tree is put below the host's node that holds its text.
//!
//! Which node holds which language is said in the host's manifest (`[[embed]]`). Knows trees, facts
//! and roles; must not know tree-sitter nor any language.

use std::sync::Arc;

use minirepro_syntax::{Flags, Kind, Kinds, Language, NodeId, Parse, Rendered, Tree, TreeBuilder};
use serde::Deserialize;

/// Where a language stands inside of another. Of several entries that fit, the first counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Embed {
    /// The kind of the node whose text is in the other language.
    pub(crate) kind: String,
    /// The kind of its parent.
    pub(crate) within: String,
    /// One of these texts must stand in the node just before it.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// The other language; without it, the node stays as the host sees it.
    pub(crate) language: Option<String>,
}

/// A host's parser that asks others for the texts that the host only holds.
struct Nested {
    host: Box<dyn Parse>,
    kinds: Arc<Kinds>,
    places: Vec<Place>,
    guests: Vec<Guest>,
}

struct Place {
    kind: Kind,
    within: Kind,
    after: Vec<Vec<u8>>,
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
/// The name of a kind that the host does not have.
pub(crate) fn nest(
    host: Language,
    embeds: &[Embed],
    guests: Vec<Language>,
) -> Result<Language, String> {
    let mut kinds = Kinds::clone(&host.kinds);
    let Language { name, mut facts, style, mut roles, parser, .. } = host;
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
    let find = |name: &String| kinds.named(name).ok_or_else(|| name.clone());
    let mut places = Vec::new();
    for embed in embeds {
        places.push(Place {
            kind: find(&embed.kind)?,
            within: find(&embed.within)?,
            after: embed.after.iter().map(|text| text.to_ascii_lowercase().into_bytes()).collect(),
            guest: names.iter().position(|name| Some(name) == embed.language.as_ref()),
        });
    }
    for place in &places {
        place.guest.iter().for_each(|&guest| facts.allow_alone(place.kind, roots[guest]));
    }
    let kinds = Arc::new(kinds);
    let parser = Box::new(Nested { host: parser, kinds: kinds.clone(), places, guests: nested });
    Ok(Language { name, kinds, facts, style, roles, parser })
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
            if let Some(guest) = self.guest(&tree, at) {
                builder.open(kind, span.clone(), flags);
                self.graft(&mut builder, guest, &text[span.clone()], span.start);
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

impl Nested {
    /// Who reads the node's text.
    fn guest(&self, tree: &Tree, id: NodeId) -> Option<&Guest> {
        let kind = tree.kind(id);
        if !self.places.iter().any(|place| place.kind == kind) {
            return None;
        }
        let parent = tree.parent(id)?;
        let before = tree.children(parent).take_while(|&c| c != id).last();
        let before = before.map_or(&[][..], |b| tree.text_of(b)).to_ascii_lowercase();
        let holds = |text: &Vec<u8>| before.windows(text.len().max(1)).any(|w| w == text);
        let fits = |place: &&Place| {
            place.kind == kind
                && place.within == tree.kind(parent)
                && (place.after.is_empty() || place.after.iter().any(holds))
        };
        self.places.iter().find(fits)?.guest.map(|guest| &self.guests[guest])
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
