//! `[[injection]]`: which nodes of a language hold text of another one.

use std::sync::Arc;

use minirepro_rules::adopt;
use minirepro_syntax::{Kinds, Language, NodeId, Role};
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer, de};

use crate::manifest::error::ManifestError;
use crate::manifest::schema::{Manifest, kind};
use crate::nested::encoding::Encoding;
use crate::nested::injection_parser::{Injected, Nested, Place};

/// Where a language stands inside of another. Of several entries that fit, the first counts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct InjectionTable {
    /// The kinds of nodes whose text is in the other language.
    pub(crate) kinds: Vec<String>,
    /// The kind of its parent; any, if not given.
    pub(crate) within: Option<String>,
    /// A regular expression, blind to case, for what stands before it in its parent.
    #[serde(deserialize_with = "regex")]
    pub(crate) before: Option<Regex>,
    /// A regular expression, blind to case, for the whole text of the parent's first child.
    #[serde(deserialize_with = "whole")]
    pub(crate) named: Option<Regex>,
    /// A regular expression for the node's text; its group `text` is in the other language.
    #[serde(deserialize_with = "regex")]
    pub(crate) pattern: Option<Regex>,
    /// In which codes this text is written, the outermost first.
    pub(crate) encoding: Vec<Encoding>,
    /// Whether it is a document of its own, whose names are others than those outside.
    pub(crate) document: bool,
    /// Whether readers read nothing of a text that is broken: then no edit may break one.
    pub(crate) strict: bool,
    /// The other language; without it, the node stays as the outer language sees it.
    pub(crate) language: Option<String>,
}

/// Reads a regular expression that is blind to case.
pub(crate) fn regex<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Regex>, D::Error> {
    compiled(&String::deserialize(from)?)
}

/// Does the same for one that has to fit a whole text.
pub(crate) fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Regex>, D::Error> {
    compiled(&format!("^(?:{})$", String::deserialize(from)?))
}

fn compiled<E: de::Error>(pattern: &str) -> Result<Option<Regex>, E> {
    let regex =
        RegexBuilder::new(pattern).case_insensitive(true).dot_matches_new_line(true).build();
    regex.map(Some).map_err(E::custom)
}

/// Injects languages into an outer one, which have their kinds in its table; and returns where.
///
/// # Errors
/// If the outer language lacks a kind.
pub(crate) fn nest(
    mut outer: Language,
    manifest: &Manifest,
    injected: Vec<Language>,
    kinds: &mut Kinds,
) -> Result<(Language, Arc<[Place]>), ManifestError> {
    let (mut facts, mut roles) =
        (std::mem::take(&mut outer.facts), std::mem::take(&mut outer.roles));
    let (parser, reader) = (outer.parser.clone(), outer.reader.clone());
    let mut nested = Vec::new();
    for injected in injected {
        facts.adopt(&injected.facts);
        roles.adopt(&injected.roles);
        adopt(&mut outer, &injected);
        let root = injected.parser.parse(b"").kind(NodeId::ROOT);
        nested.push(Injected { name: injected.name, parser: injected.parser, root });
    }
    let border = kinds.intern("border", true);
    roles.assign(Role::Divisible, border);
    let mut places = Vec::new();
    for table in &manifest.injection {
        let injected = nested.iter().position(|known| Some(&known.name) == table.language.as_ref());
        let within = table.within.as_ref().map(|within| kind(kinds, within)).transpose()?;
        let mut table = table.clone();
        table.strict |= manifest.tokens.whole_tags;
        let table = Arc::new(table);
        for name in &table.kinds {
            let kind = kind(kinds, name)?;
            if let Some(injected) = injected {
                facts.allow_alone(kind, nested[injected].root);
            }
            places.push(Place { kind, within, injected, table: Arc::clone(&table) });
        }
    }
    let (kinds, places): (_, Arc<[Place]>) = (Arc::new(kinds.clone()), places.into());
    let both = Arc::new(Nested {
        outer: parser,
        reader,
        kinds: kinds.clone(),
        places: Arc::clone(&places),
        injected: nested,
        border,
    });
    let language = Language { kinds, facts, roles, parser: both.clone(), reader: both, ..outer };
    Ok((language, places))
}
