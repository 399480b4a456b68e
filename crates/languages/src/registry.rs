//! The list of all languages: the only place of the program that names them.

use std::collections::BTreeSet;

use minirepro_syntax::Language;

use crate::ManifestError;
use crate::browser::Browser;
use crate::dom;
use crate::embed::nest;
use crate::manifest::Manifest;
use crate::names::{Names, Source};
use crate::nesting::Nesting;
use crate::records;
use crate::sitter::{Shape, Sitter};
use crate::text::HIERARCHIES;

/// What a user wants to know of a language before choosing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The name for `--lang`.
    pub name: String,
    /// Other names that mean the same.
    pub aliases: Vec<String>,
    /// Suffixes of file names, without the dot.
    pub suffixes: Vec<String>,
    /// One line.
    pub description: String,
}

/// Why there is no such language.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// Nothing of that name.
    #[error("no language `{name}`; there are: {}", .known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// It is no form of records.
    #[error("records: {0}")]
    Records(String),
    /// Its manifest is wrong.
    #[error("language `{name}`")]
    Manifest {
        /// The language.
        name: String,
        /// What is wrong.
        source: ManifestError,
    },
}

/// A language that a directory under `grammars/` describes.
struct Grammar {
    directory: &'static str,
    manifest: &'static str,
    facts: &'static str,
    parser: fn() -> tree_sitter::Language,
}

const GRAMMARS: &[Grammar] = &[
    Grammar {
        directory: "c",
        manifest: include_str!("../../../grammars/c/language.toml"),
        facts: include_str!("../../../grammars/c/facts.ebnf"),
        parser: || tree_sitter_c::LANGUAGE.into(),
    },
    Grammar {
        directory: "css",
        manifest: include_str!("../../../grammars/css/language.toml"),
        facts: include_str!("../../../grammars/css/facts.ebnf"),
        parser: || tree_sitter_css::LANGUAGE.into(),
    },
    Grammar {
        directory: "html",
        manifest: include_str!("../../../grammars/html/language.toml"),
        facts: include_str!("../../../grammars/html/facts.ebnf"),
        parser: || tree_sitter_html::LANGUAGE.into(),
    },
    Grammar {
        directory: "javascript",
        manifest: include_str!("../../../grammars/javascript/language.toml"),
        facts: include_str!("../../../grammars/javascript/facts.ebnf"),
        parser: || tree_sitter_javascript::LANGUAGE.into(),
    },
    Grammar {
        directory: "json",
        manifest: include_str!("../../../grammars/json/language.toml"),
        facts: include_str!("../../../grammars/json/facts.ebnf"),
        parser: || tree_sitter_json::LANGUAGE.into(),
    },
];

/// All languages, in the order in which they are shown.
pub fn all() -> Vec<Info> {
    let manifests = GRAMMARS.iter().map(|grammar| grammar.manifest);
    manifests
        .chain([dom::MANIFEST])
        .map(|manifest| {
            let manifest = Manifest::read(manifest)
                .unwrap_or_else(|e| unreachable!("manifests are tested: {e}"));
            Info {
                name: manifest.name,
                aliases: manifest.aliases,
                suffixes: manifest.suffixes,
                description: manifest.description,
            }
        })
        .chain(HIERARCHIES.iter().map(|h| without_suffix(h.name, h.description)))
        .chain(std::iter::once(without_suffix("records:FORM", records::DESCRIPTION)))
        .collect()
}

fn without_suffix(name: &str, description: &str) -> Info {
    Info {
        name: name.to_owned(),
        aliases: Vec::new(),
        suffixes: Vec::new(),
        description: description.to_owned(),
    }
}

/// The language of that name or alias, ready to parse.
///
/// # Errors
/// When there is none; the message lists the names that there are.
pub fn by_name(name: &str) -> Result<Language, LanguageError> {
    if let Some(form) = name.strip_prefix(records::PREFIX) {
        return records::language(form).map_err(LanguageError::Records);
    }
    let known = all();
    let Some(i) = known.iter().position(|i| i.name == name || i.aliases.iter().any(|a| a == name))
    else {
        let known = known.into_iter().map(|i| i.name).collect();
        return Err(LanguageError::Unknown { name: name.to_owned(), known });
    };
    let manifest = |name: &'static str| {
        move |source| LanguageError::Manifest { name: name.to_owned(), source }
    };
    if let Some(grammar) = GRAMMARS.get(i) {
        return load(grammar).map_err(manifest(grammar.directory));
    }
    match HIERARCHIES.iter().find(|h| h.name == known[i].name) {
        Some(hierarchy) => Ok(hierarchy.language()),
        None => nesting_of_pages().and_then(dom::language).map_err(manifest("dom")),
    }
}

/// How deep a page may be nested: as its grammar says.
fn nesting_of_pages() -> Result<Option<Nesting>, ManifestError> {
    for grammar in GRAMMARS {
        let manifest = Manifest::read(grammar.manifest)?;
        if manifest.browser {
            return Ok(manifest.nesting);
        }
    }
    Ok(None)
}

fn load(grammar: &Grammar) -> Result<Language, ManifestError> {
    let manifest = Manifest::read(grammar.manifest)?;
    let (browser, nesting) = (manifest.browser, manifest.nesting.clone());
    let (mut language, sources) = with_guests(grammar, manifest, &[])?;
    language.names = Box::new(Names::new(&sources, &language.kinds)?);
    if browser {
        language.parser = Box::new(Browser::new(language.parser, nesting));
    }
    Ok(language)
}

/// The language without those that stand inside of it.
fn plain(grammar: &Grammar, manifest: &Manifest) -> Result<Language, ManifestError> {
    let shape = Shape {
        atoms: &manifest.atoms,
        split: &manifest.prose,
        lexing: manifest.lexing,
        name: manifest.word.as_deref(),
        nesting: manifest.nesting.clone(),
        implied: manifest.implied()?,
        retag: &manifest.retag,
        apart: manifest.apart,
        parts: &manifest.part,
    };
    let (parser, facts, kinds) = Sitter::new((grammar.parser)(), shape, grammar.facts);
    Ok(Language {
        roles: manifest.roles(&kinds)?,
        style: manifest.style(),
        name: manifest.name.clone(),
        kinds,
        facts,
        parser: Box::new(parser),
        names: Box::new(()),
    })
}

/// The language with those that stand inside of it, and what is said of names in all of them. On the
/// way down from the outermost, `outside`, a language stands twice at most: pages in pages would have
/// no end.
fn with_guests(
    grammar: &Grammar,
    mut manifest: Manifest,
    outside: &[&str],
) -> Result<(Language, Vec<Source>), ManifestError> {
    let host = plain(grammar, &manifest)?;
    let path = [outside, &[grammar.directory]].concat();
    for embed in &mut manifest.embed {
        let times = |name: &String| path.iter().filter(|outside| *outside == name).count();
        embed.language = embed.language.take().filter(|name| times(name) < 2);
    }
    let names: BTreeSet<&String> =
        manifest.embed.iter().filter_map(|e| e.language.as_ref()).collect();
    let (mut guests, mut inner) = (Vec::new(), Vec::new());
    for name in names {
        let grammar = GRAMMARS.iter().find(|g| g.directory == name);
        let grammar = grammar.ok_or_else(|| ManifestError::Language(name.clone()))?;
        let manifest = Manifest::read(grammar.manifest)?;
        let parts = manifest.part.clone();
        let (guest, sources) = with_guests(grammar, manifest, &path)?;
        inner.extend(sources.into_iter().map(|source| source.inside(name)));
        guests.push((guest, parts));
    }
    let language = match guests.is_empty() {
        true => host,
        false => nest(host, &manifest.embed, guests)?,
    };
    let own = Source::new(manifest.mentions, manifest.name_space, manifest.embed);
    Ok((language, std::iter::once(own).chain(inner).collect()))
}

/// The name of the language for a file: by its suffix, else `text`, or `bytes` when it is mostly
/// no text.
pub fn guess(file_name: &str, text: &[u8]) -> &'static str {
    let suffix = file_name.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_ascii_lowercase();
    for (grammar, info) in GRAMMARS.iter().zip(all()) {
        if info.suffixes.contains(&suffix) {
            return grammar.directory;
        }
    }
    if is_mostly_text(text) { "text" } else { "bytes" }
}

/// At most one byte in 32 of the first 64 KiB is a control character or invalid UTF-8.
pub(crate) fn is_mostly_text(text: &[u8]) -> bool {
    let head = &text[..text.len().min(1 << 16)];
    let strange: usize = head
        .utf8_chunks()
        .map(|chunk| {
            let controls = chunk.valid().bytes().filter(|b| b.is_ascii_control());
            chunk.invalid().len() + controls.filter(|b| !b.is_ascii_whitespace()).count()
        })
        .sum();
    strange * 32 <= head.len()
}

#[cfg(test)]
#[path = "apart_tests.rs"]
mod apart_tests;
