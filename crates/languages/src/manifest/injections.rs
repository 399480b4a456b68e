//! `[[injection]]`: which nodes of a language hold text of another one.

use std::sync::Arc;

use minirepro_rules::adopt;
use minirepro_syntax::{Kinds, Language, NodeId, Role};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::manifest::error::ManifestError;
use crate::manifest::roles::kind;
use crate::nested::encoding::Encoding;
use crate::nested::injection_parser::{Form, Injected, Nested, Place};

/// Where a language stands inside of another. Of several entries that fit, the first counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InjectionTable {
    /// The kinds of nodes whose text is in the other language.
    pub(crate) kinds: Vec<String>,
    /// The kind of its parent; any, if not given.
    pub(crate) within: Option<String>,
    /// One of these texts must stand before it in its parent.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// A regular expression, blind to case, for the whole text of the parent's first child.
    pub(crate) named: Option<String>,
    /// A regular expression for the node's text; its group `text` is in the other language.
    pub(crate) pattern: Option<String>,
    /// In which codes this text is written, the outermost first.
    #[serde(default)]
    pub(crate) encoding: Vec<Encoding>,
    /// Whether it is a document of its own, whose names are others than those outside.
    #[serde(default)]
    pub(crate) document: bool,
    /// Whether readers read nothing of a text that is broken: then no edit may break one.
    #[serde(default)]
    pub(crate) strict: bool,
    /// The other language; without it, the node stays as the outer language sees it.
    pub(crate) language: Option<String>,
    /// The part of that language that the text is, if it is not a whole (`[[part]]` there).
    pub(crate) part: Option<String>,
}

/// A part of the language that stands alone in others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartTable {
    /// Its kind.
    pub(crate) name: String,
    /// Its children, in the form of the facts.
    pub(crate) is: String,
    /// What makes a whole text of it.
    pub(crate) before: String,
    pub(crate) after: String,
}

/// A language inside of another, with the parts of it that may stand there alone.
pub(crate) type Inner = (Language, Vec<PartTable>);

/// Injects languages into an outer one, which have their kinds in its table.
/// `sound` if none of their texts may get another syntax error.
///
/// # Errors
/// If the outer language lacks a kind, a pattern is invalid, or an injected language lacks a part.
pub(crate) fn nest(
    mut outer: Language,
    injections: &[InjectionTable],
    injected: Vec<Inner>,
    sound: bool,
    kinds: &mut Kinds,
) -> Result<Language, ManifestError> {
    let (mut facts, mut roles) = (std::mem::take(&mut outer.facts), std::mem::take(&mut outer.roles));
    let (parser, reader) = (outer.parser.clone(), outer.reader.clone());
    let names: Vec<String> = injected.iter().map(|(injected, _)| injected.name.clone()).collect();
    let mut nested = Vec::new();
    for (injected, parts) in injected {
        facts.adopt(&injected.facts);
        roles.adopt(&injected.roles);
        adopt(&mut outer, &injected);
        let mut forms = Vec::new();
        for PartTable { name, before, after, .. } in parts {
            let kind = kind(&injected.kinds, &name)?;
            let (before, after) = (before.into_bytes(), after.into_bytes());
            forms.push(Form { name, kind, before, after });
        }
        let root = injected.parser.parse(b"").kind(NodeId::ROOT);
        nested.push(Injected { name: injected.name, parser: injected.parser, root, forms });
    }
    let border = kinds.intern("border", true);
    roles.assign(Role::Divisible, border);
    let mut places = Vec::new();
    for injection in injections {
        let injected = names.iter().position(|name| Some(name) == injection.language.as_ref());
        places.extend(places_of(
            injection,
            injected.map(|injected| (injected, &nested[injected])),
            "",
            kinds,
        )?);
    }
    for place in &mut places {
        place.strict |= sound;
        if let Some((injected, form)) = place.injected {
            facts.allow_alone(place.kind, nested[injected].root_of(form));
        }
    }
    let kinds = Arc::new(kinds.clone());
    let both = Arc::new(Nested {
        outer: parser,
        reader,
        kinds: kinds.clone(),
        places,
        injected: nested,
        border,
    });
    Ok(Language { kinds, facts, roles, parser: both.clone(), reader: both, ..outer })
}

/// Compiles an entry of a manifest for each kind of nodes; the manifest's kinds have this prefix in
/// `kinds`.
pub(crate) fn places_of(
    injection: &InjectionTable,
    injected: Option<(usize, &Injected)>,
    prefix: &str,
    kinds: &Kinds,
) -> Result<Vec<Place>, ManifestError> {
    let find = |name: &String| {
        let name = format!("{prefix}{name}");
        kinds.named(&name).ok_or(ManifestError::Kind(name))
    };
    let named = injection.named.as_ref().map(|name| format!("^(?:{name})$"));
    let form = match (injected, &injection.part) {
        (Some((_, injected)), Some(part)) => {
            let form = injected.forms.iter().position(|form| form.name == *part);
            Some(form.ok_or_else(|| ManifestError::Kind(part.clone()))?)
        }
        _ => None,
    };
    let of_kind = |kind: &String| {
        Ok(Place {
            kind: find(kind)?,
            within: injection.within.as_ref().map(find).transpose()?,
            named: named.as_deref().map(regex).transpose()?,
            pattern: injection.pattern.as_deref().map(regex).transpose()?,
            after: injection
                .after
                .iter()
                .map(|text| text.to_ascii_lowercase().into_bytes())
                .collect(),
            encoding: injection.encoding.clone(),
            strict: injection.strict,
            injected: injected.map(|(number, _)| (number, form)),
        })
    };
    injection.kinds.iter().map(of_kind).collect()
}

pub(crate) fn regex(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).dot_matches_new_line(true).build()
}
