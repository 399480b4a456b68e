//! The list of all languages: the only place of the program that names them.

use std::collections::BTreeSet;

use minirepro_syntax::{Interruption, Language};

use crate::binary::parser;
use crate::html::dom;
use crate::html::feasibility::Browser;
use crate::manifest::error::ManifestError;
use crate::manifest::injections::nest;
use crate::manifest::references::{Names, Source};
use crate::manifest::schema::Manifest;
use crate::plain::nesting::Nesting;
use crate::plain::text::{HIERARCHIES, is_mostly_text};
use crate::tree_sitter::parser::{Shape, Sitter};
use crate::tree_sitter::symbols::KindNames;

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
    /// It has no grammar, so that no rules can be about it.
    #[error("there are no rules for `{name}`: it has no grammar")]
    NoRules {
        /// The language.
        name: String,
    },
    /// A file of rules is wrong.
    #[error("{origin}: {source}")]
    Rules {
        /// The file.
        origin: String,
        /// What is wrong.
        source: ManifestError,
    },
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
        manifest: include_str!("../grammars/c/language.toml"),
        facts: include_str!("../grammars/c/facts.ebnf"),
        parser: || tree_sitter_c::LANGUAGE.into(),
    },
    Grammar {
        directory: "cpp",
        manifest: include_str!("../grammars/cpp/language.toml"),
        facts: include_str!("../grammars/cpp/facts.ebnf"),
        parser: || tree_sitter_cpp::LANGUAGE.into(),
    },
    Grammar {
        directory: "css",
        manifest: include_str!("../grammars/css/language.toml"),
        facts: include_str!("../grammars/css/facts.ebnf"),
        parser: || tree_sitter_css::LANGUAGE.into(),
    },
    Grammar {
        directory: "html",
        manifest: include_str!("../grammars/html/language.toml"),
        facts: include_str!("../grammars/html/facts.ebnf"),
        parser: || tree_sitter_html::LANGUAGE.into(),
    },
    Grammar {
        directory: "javascript",
        manifest: include_str!("../grammars/javascript/language.toml"),
        facts: include_str!("../grammars/javascript/facts.ebnf"),
        parser: || tree_sitter_javascript::LANGUAGE.into(),
    },
    Grammar {
        directory: "json",
        manifest: include_str!("../grammars/json/language.toml"),
        facts: include_str!("../grammars/json/facts.ebnf"),
        parser: || tree_sitter_json::LANGUAGE.into(),
    },
];

/// Returns the text of the manifest in a directory of `grammars/`.
fn manifest_in(directory: &str) -> Option<&'static str> {
    let grammar = GRAMMARS.iter().find(|grammar| grammar.directory == directory);
    grammar.map(|grammar| grammar.manifest)
}

/// Reads the text of a manifest, with what it takes over from another one.
fn read(manifest: &str) -> Result<Manifest, ManifestError> {
    Manifest::read(manifest, &manifest_in)
}

/// Returns all languages, in the order in which they are shown.
pub fn all() -> Vec<Info> {
    let manifests = GRAMMARS.iter().map(|grammar| grammar.manifest);
    manifests
        .chain([dom::MANIFEST])
        .map(|manifest| {
            let manifest =
                read(manifest).unwrap_or_else(|e| unreachable!("manifests are tested: {e}"));
            Info {
                name: manifest.name,
                aliases: manifest.aliases,
                suffixes: manifest.suffixes,
                description: manifest.description,
            }
        })
        .chain(HIERARCHIES.iter().map(|h| without_suffix(h.name, h.description)))
        .chain(std::iter::once(without_suffix("records:FORM", parser::DESCRIPTION)))
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

/// Returns the language of that name or alias, ready to parse.
///
/// # Errors
/// If there is no such language; the message lists the names that there are.
pub fn by_name(name: &str) -> Result<Language, LanguageError> {
    if let Some(form) = name.strip_prefix(parser::PREFIX) {
        return parser::language(form).map_err(LanguageError::Records);
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

/// Adds rewrites to a language: a text with `[[rewrite]]` tables as manifests have them; `origin` says where it
/// stands.
///
/// # Errors
/// If the language has no grammar that patterns could be read by, or a rule does not fit it.
pub fn add_rules(language: &mut Language, origin: &str, text: &str) -> Result<(), LanguageError> {
    let name = || language.name.clone();
    let manifest = GRAMMARS
        .iter()
        .map(|grammar| Manifest::read(grammar.manifest, &manifest_in))
        .find(|read| read.as_ref().is_ok_and(|manifest| manifest.name == language.name));
    let Some(Ok(manifest)) = manifest else {
        return Err(LanguageError::NoRules { name: name() });
    };
    let wrong = |source| LanguageError::Rules { origin: origin.to_owned(), source };
    manifest.add_rules(language, origin, text).map_err(wrong)
}

/// Checks the text of a manifest for the grammar in a directory of `grammars/`.
///
/// # Errors
/// If there is no such grammar, or the manifest does not fit it.
pub fn check_manifest(directory: &str, text: &str) -> Result<(), LanguageError> {
    let Some(grammar) = GRAMMARS.iter().find(|grammar| grammar.directory == directory) else {
        let known = GRAMMARS.iter().map(|grammar| grammar.directory.to_owned()).collect();
        return Err(LanguageError::Unknown { name: directory.to_owned(), known });
    };
    let check = || -> Result<(), ManifestError> {
        let interruption = Interruption::default();
        let manifest = read(text)?;
        let (language, sources) = with_injections(grammar, manifest, &[], &interruption)?;
        Names::new(&sources, &language.kinds)?;
        Ok(())
    };
    check().map_err(|source| LanguageError::Manifest { name: directory.to_owned(), source })
}

/// Returns how deep a page may be nested: as its grammar says.
fn nesting_of_pages() -> Result<Option<Nesting>, ManifestError> {
    for grammar in GRAMMARS {
        let manifest = read(grammar.manifest)?;
        if manifest.browser {
            return Ok(manifest.nesting);
        }
    }
    Ok(None)
}

fn load(grammar: &Grammar) -> Result<Language, ManifestError> {
    let manifest = read(grammar.manifest)?;
    let browser = manifest.browser;
    let nesting = manifest.nesting.clone();
    let interruption = Interruption::default();
    let (mut language, sources) = with_injections(grammar, manifest, &[], &interruption)?;
    language.names = Box::new(Names::new(&sources, &language.kinds)?);
    if browser {
        language.parser = Box::new(Browser::new(language.parser, nesting));
    }
    Ok(language)
}

/// Loads the language without injected ones.
fn plain(
    grammar: &Grammar,
    manifest: &Manifest,
    interruption: &Interruption,
) -> Result<Language, ManifestError> {
    let names = KindNames {
        atoms: &manifest.atoms,
        split: &manifest.split_into_words,
        lexing: manifest.lexing,
        word: manifest.word_kind.as_deref(),
        retag: &manifest.retag,
        parts: &manifest.part,
    };
    let shape = Shape {
        names,
        nesting: manifest.nesting.clone(),
        ignored: manifest.ignored()?,
        implied: manifest.implied()?,
        incremental_items: manifest.incremental_items,
        interruption: interruption.clone(),
    };
    let (parser, facts, kinds) = Sitter::new((grammar.parser)(), shape, grammar.facts);
    let mut roles = manifest.roles(&kinds)?;
    roles.rewrites = manifest.rewrites(&kinds, &roles, &parser)?;
    Ok(Language {
        roles,
        spacing: manifest.spacing(),
        name: manifest.name.clone(),
        kinds,
        facts,
        parser: Box::new(parser),
        names: Box::new(()),
        interruption: interruption.clone(),
    })
}

/// Loads the language with injected ones, and the references of all of them. On the way down from the
/// outermost, `outside`, a language stands twice at most: pages in pages would have no end.
fn with_injections(
    grammar: &Grammar,
    mut manifest: Manifest,
    outside: &[&str],
    interruption: &Interruption,
) -> Result<(Language, Vec<Source>), ManifestError> {
    let outer = plain(grammar, &manifest, interruption)?;
    let path = [outside, &[grammar.directory]].concat();
    for injection in &mut manifest.injections {
        let times = |name: &String| path.iter().filter(|outside| *outside == name).count();
        injection.language = injection.language.take().filter(|name| times(name) < 2);
    }
    let names: BTreeSet<&String> =
        manifest.injections.iter().filter_map(|e| e.language.as_ref()).collect();
    let mut injected = Vec::new();
    let mut inner = Vec::new();
    for name in names {
        let grammar = GRAMMARS.iter().find(|g| g.directory == name);
        let grammar = grammar.ok_or_else(|| ManifestError::Language(name.clone()))?;
        let manifest = read(grammar.manifest)?;
        let parts = manifest.part.clone();
        let (inner_language, sources) = with_injections(grammar, manifest, &path, interruption)?;
        inner.extend(sources.into_iter().map(|source| source.inside(name)));
        injected.push((inner_language, parts));
    }
    let language = match injected.is_empty() {
        true => outer,
        false => nest(outer, &manifest.injections, injected)?,
    };
    let own = Source::new(manifest.references, manifest.namespaces, manifest.injections);
    Ok((language, std::iter::once(own).chain(inner).collect()))
}

/// Returns the name of the language for a file: by its suffix, else `text`, or `bytes` when it is
/// mostly no text.
pub fn guess(file_name: &str, text: &[u8]) -> &'static str {
    let suffix = file_name.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    let known = all();
    // Only where nobody knows it as it is spelt (`.C` is C++, `.c` is C), case does not count.
    for suffix in [suffix.to_owned(), suffix.to_ascii_lowercase()] {
        let of_suffix = GRAMMARS.iter().zip(&known).find(|(_, i)| i.suffixes.contains(&suffix));
        if let Some((grammar, _)) = of_suffix {
            return grammar.directory;
        }
    }
    if is_mostly_text(text) { "text" } else { "bytes" }
}

#[cfg(test)]
mod foreign_manifests {
    use super::{GRAMMARS, check_manifest};

    #[test]
    fn a_manifest_of_another_grammar_is_no_panic() {
        for grammar in GRAMMARS {
            for other in GRAMMARS.iter().filter(|other| other.directory != grammar.directory) {
                let checked = check_manifest(grammar.directory, other.manifest);
                // JavaScript has all kinds of nodes that JSON has.
                let fits = (other.directory, grammar.directory) == ("json", "javascript");
                assert_eq!(checked.is_ok(), fits, "{} as {}", other.directory, grammar.directory);
            }
        }
    }
}

#[cfg(test)]
mod chunked_reading;
