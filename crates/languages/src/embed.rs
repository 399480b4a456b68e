//! Which node of a language holds text in which other one, as a manifest says it (`[[embed]]`).
//!
//! Knows trees, facts and roles; must not know tree-sitter nor any language.

use std::sync::Arc;

use minirepro_syntax::{Kind, Kinds, Language, NodeId};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::ManifestError;
use crate::code::Code;
use crate::manifest::PartTable;
use crate::nested::{Form, Guest, Nested, Place};

/// Where a language stands inside of another. Of several entries that fit, the first counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Embed {
    /// The kinds of nodes whose text is in the other language.
    pub(crate) kinds: Vec<String>,
    /// The kind of its parent; any, if not given.
    pub(crate) within: Option<String>,
    /// One of these texts must stand in the node just before it.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// A regular expression, blind to case, for the whole text of the parent's first child.
    pub(crate) named: Option<String>,
    /// A regular expression for the node's text; its group `text` is in the other language.
    pub(crate) pattern: Option<String>,
    /// In which codes this text is written, the outermost first.
    #[serde(default)]
    pub(crate) code: Vec<Code>,
    /// Whether it is a document of its own, whose names are others than those outside.
    #[serde(default)]
    pub(crate) document: bool,
    /// The other language; without it, the node stays as the host sees it.
    pub(crate) language: Option<String>,
    /// The part of that language that the text is, if it is not a whole (`[[part]]` there).
    pub(crate) part: Option<String>,
}

/// A language inside of another, with the parts of it that may stand there alone.
pub(crate) type Inner = (Language, Vec<PartTable>);

/// The host with guests inside. Kinds of a guest are called `language_kind`.
///
/// # Errors
/// A kind that the host does not have, a pattern that is none, or a part that a guest does not have.
pub(crate) fn nest(
    host: Language,
    embeds: &[Embed],
    guests: Vec<Inner>,
) -> Result<Language, ManifestError> {
    let mut kinds = Kinds::clone(&host.kinds);
    let Language { name, mut facts, style, mut roles, parser, names: mentions, .. } = host;
    let names: Vec<String> = guests.iter().map(|(guest, _)| guest.name.clone()).collect();
    let mut nested = Vec::new();
    for (guest, parts) in guests {
        let map = adopt_kinds(&mut kinds, &guest);
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
        let mut forms = Vec::new();
        for PartTable { name, before, after, .. } in parts {
            let kind = guest.kinds.named(&name).ok_or_else(|| ManifestError::Kind(name.clone()))?;
            forms.push(Form {
                name,
                kind: to(kind),
                before: before.into_bytes(),
                after: after.into_bytes(),
            });
        }
        let empty = guest.parser.parse(b"");
        let root = to(empty.kind(NodeId::ROOT));
        nested.push(Guest { parser: guest.parser, kinds: map, root, forms });
    }
    let border = kinds.intern("border", true);
    roles.named.entry("divisible".to_owned()).or_default().insert(border);
    let mut places = Vec::new();
    for embed in embeds {
        let guest = names.iter().position(|name| Some(name) == embed.language.as_ref());
        places.extend(places_of(embed, guest.map(|guest| (guest, &nested[guest])), "", &kinds)?);
    }
    for place in &places {
        let root = place.guest.map(|(guest, form)| nested[guest].root_of(form));
        root.iter().for_each(|&root| facts.allow_alone(place.kind, root));
    }
    let kinds = Arc::new(kinds);
    let parser = Nested { host: parser, kinds: kinds.clone(), places, guests: nested, border };
    Ok(Language { name, kinds, facts, style, roles, parser: Box::new(parser), names: mentions })
}

/// The kind in our table for each of a guest's.
fn adopt_kinds(kinds: &mut Kinds, guest: &Language) -> Vec<Kind> {
    (0..guest.kinds.len())
        .map(|i| {
            let kind = Kind(u16::try_from(i).expect("kinds are u16"));
            let own = guest.kinds.name(kind);
            if guest.kinds.is_named(kind) {
                kinds.intern(&format!("{}_{own}", guest.name), true)
            } else {
                kinds.intern(own, false)
            }
        })
        .collect()
}

/// An entry of a manifest, for each kind of nodes; what the manifest calls a kind has this prefix.
pub(crate) fn places_of(
    embed: &Embed,
    guest: Option<(usize, &Guest)>,
    prefix: &str,
    kinds: &Kinds,
) -> Result<Vec<Place>, ManifestError> {
    let find = |name: &String| {
        let name = format!("{prefix}{name}");
        kinds.named(&name).ok_or(ManifestError::Kind(name))
    };
    let named = embed.named.as_ref().map(|name| format!("^(?:{name})$"));
    let form = match (guest, &embed.part) {
        (Some((_, guest)), Some(part)) => {
            let form = guest.forms.iter().position(|form| form.name == *part);
            Some(form.ok_or_else(|| ManifestError::Kind(part.clone()))?)
        }
        _ => None,
    };
    let of_kind = |kind: &String| {
        Ok(Place {
            kind: find(kind)?,
            within: embed.within.as_ref().map(find).transpose()?,
            named: named.as_deref().map(regex).transpose()?,
            pattern: embed.pattern.as_deref().map(regex).transpose()?,
            after: embed.after.iter().map(|text| text.to_ascii_lowercase().into_bytes()).collect(),
            code: embed.code.clone(),
            guest: guest.map(|(number, _)| (number, form)),
        })
    };
    embed.kinds.iter().map(of_kind).collect()
}

pub(crate) fn regex(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).dot_matches_new_line(true).build()
}
