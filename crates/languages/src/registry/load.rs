//! Makes languages of their manifests, grammars and the languages that they contain.

use std::collections::BTreeSet;
use std::sync::Arc;

use minirepro_rules::RuleFile;
use minirepro_syntax::{Interruption, Kinds, Language};

use crate::binary::parser;
use crate::coded::{self, parser::coded};
use crate::derive::Derived;
#[cfg(feature = "html")]
use crate::html::browser::Browser;
use crate::manifest::error::ManifestError;
use crate::manifest::injections::nest;
use crate::manifest::references::Names;
use crate::manifest::rule_files;
use crate::manifest::schema::Manifest;
use crate::plain::text::HIERARCHIES;
#[cfg(feature = "html")]
use crate::plain::tokenizer::Lexing;
use crate::project::language::project;
use crate::registry::card::all;
use crate::registry::error::LanguageError;
use crate::registry::table::{Entry, Grammar, present_named};
use crate::tree_sitter::parser::Sitter;

impl Entry {
    /// Reads the manifest, with what it takes over from another one and with what was derived.
    pub(super) fn read(&self) -> Result<Manifest, ManifestError> {
        let derived = toml::from_str(self.derived)?;
        Manifest::read_over(derived, self.manifest, rule_files::of(self.name))
    }
}

/// Returns the language of that name or alias, ready to parse.
///
/// # Errors
/// If there is no such language; the message lists the names that there are.
pub fn by_name(name: &str) -> Result<Language, LanguageError> {
    by_name_in(name, &mut Kinds::default())
}

/// Does the same for a language of a [directory](project): its kinds are in the table of that.
///
/// # Errors
/// If there is no such language.
pub fn by_name_in(name: &str, kinds: &mut Kinds) -> Result<Language, LanguageError> {
    if let Some(form) = name.strip_prefix(parser::PREFIX) {
        return parser::language(form, kinds).map_err(LanguageError::Records);
    }
    let of = |text: &str| coded::FILES.iter().find(|(prefix, _)| text.starts_with(prefix));
    if let Some(&(prefix, codec)) = of(name)
        && of(&name[prefix.len()..]).is_none()
    {
        let inner = by_name_in(&name[prefix.len()..], kinds)?;
        return Ok(coded(Language { name: name.to_owned(), ..inner }, codec));
    }
    if coded::archive_named(name).is_some() {
        return Ok(archive(name, project(Kinds::default(), [])));
    }
    let name = canonical(name)?;
    if let Some((entry, grammar)) = present_named(name) {
        let manifest = |source| LanguageError::Manifest { name: name.to_owned(), source };
        let made = entry.read().and_then(|read| describe(&grammar, read, kinds));
        return made.map_err(manifest);
    }
    let hierarchy = HIERARCHIES.iter().find(|hierarchy| hierarchy.name == name);
    Ok(hierarchy.expect("what is listed has a grammar or is a hierarchy").language(kinds))
}

/// Returns the members of an archive as the files of a directory; `None` if the name is not that of
/// a language of archives, or the file is none.
pub fn members(name: &str, file: &[u8]) -> Option<Vec<u8>> {
    coded::archive_named(name)?.decode(file)
}

/// Returns the language of archives whose members make up a directory of this language.
pub fn archive(name: &str, members: Language) -> Language {
    let Some(codec) = coded::archive_named(name) else { return members };
    coded(Language { name: name.to_owned(), ..members }, codec)
}

/// Returns the name of the language that is called so.
fn canonical(name: &str) -> Result<&'static str, LanguageError> {
    let found = all().iter().find(|info| info.is_called(name));
    found.map(|info| info.name.as_str()).ok_or_else(|| {
        let known = all().iter().map(|info| info.name.clone()).collect();
        LanguageError::Unknown { name: name.to_owned(), known }
    })
}

/// Returns what was derived from the grammar of a language that is part of the program.
///
/// # Errors
/// If there is no such language, it has no grammar, or its manifest says all by hand.
pub fn derived(name: &str) -> Result<Derived, LanguageError> {
    let why = |why| LanguageError::NotDerived { name: name.to_owned(), why };
    match present_named(canonical(name)?) {
        None => Err(why("it has no grammar")),
        Some((entry, _)) if entry.derived.is_empty() => Err(why("its manifest says all by hand")),
        Some((entry, grammar)) => {
            Ok(Derived { facts: grammar.facts.to_owned(), manifest: entry.derived.to_owned() })
        }
    }
}

/// Reads a file of rules; `origin` says where it stands.
///
/// # Errors
/// If the text does not have the form of rules.
pub fn rule_file(origin: &str, text: &str) -> Result<RuleFile, LanguageError> {
    let wrong = |source| LanguageError::Rules { origin: origin.to_owned(), source };
    RuleFile::read(text).map_err(ManifestError::from).map_err(wrong)
}

/// Adds a pass of rules to a language: a text in the form of `grammars/LANG/rules/NAME.toml`;
/// `origin` says where it stands.
///
/// # Errors
/// If the language has no grammar that patterns could be read by, or a rule does not fit it.
pub fn add_rules(language: &mut Language, origin: &str, text: &str) -> Result<(), LanguageError> {
    let Some((entry, _)) = present_named(&language.name) else {
        return Err(LanguageError::NoRules(language.name.clone()));
    };
    let of_language = |source| LanguageError::Manifest { name: entry.name.to_owned(), source };
    let manifest = entry.read().map_err(of_language)?;
    let wrong = |source| LanguageError::Rules { origin: origin.to_owned(), source };
    manifest.add_file(language, origin, text).map_err(wrong)
}

/// Makes a language of a grammar and its manifest.
pub(crate) fn describe(
    grammar: &Grammar<'_>,
    manifest: Manifest,
    kinds: &mut Kinds,
) -> Result<Language, ManifestError> {
    let interruption = &Interruption::default();
    #[cfg(feature = "html")]
    let is_page = manifest.lexing == Lexing::Markup;
    let (mut language, mut names) = with_injections(grammar, manifest, &[], interruption, kinds)?;
    names.reader = Some(language.reader);
    language.reader = Arc::new(names);
    if let Some(codec) = grammar.codec {
        language = coded(language, codec);
    }
    #[cfg(feature = "html")]
    if is_page {
        language.reader = Arc::new(Browser::new(language.reader));
    }
    Ok(language)
}

/// Loads the language without injected ones.
pub(super) fn plain(
    grammar: &Grammar<'_>,
    manifest: &Manifest,
    interruption: &Interruption,
    kinds: &mut Kinds,
) -> Result<Language, ManifestError> {
    let facts = with_own_facts(grammar.facts, &manifest.facts);
    let (parser, facts) =
        Sitter::new(grammar.parsers.clone(), manifest, &facts, interruption.clone(), kinds)?;
    let kinds = Arc::clone(&parser.symbols.kinds);
    let roles = manifest.roles(&kinds)?;
    let mut language = Language::plain(&manifest.name, kinds, facts, roles, Arc::new(parser));
    language.spacing = manifest.spacing;
    language.interruption = interruption.clone();
    manifest.add_rules(&mut language, false)?;
    Ok(language)
}

/// Returns the facts with those of a manifest in place of those about the same kinds.
fn with_own_facts(facts: &str, own: &[String]) -> String {
    let name = |line: &str| line.split(' ').next().map(str::to_owned);
    let replaced: BTreeSet<_> = own.iter().map(|line| name(line)).collect();
    let kept = facts.lines().filter(|line| !replaced.contains(&name(line)));
    kept.chain(own.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// Loads the language with injected ones, and what finds the names in all of them. On the way down
/// from the outermost, `outside`, a language stands twice at most: pages in pages would have no
/// end.
fn with_injections(
    grammar: &Grammar<'_>,
    mut manifest: Manifest,
    outside: &[&str],
    interruption: &Interruption,
    kinds: &mut Kinds,
) -> Result<(Language, Names), ManifestError> {
    let mut language = plain(grammar, &manifest, interruption, kinds)?;
    let path = &[outside, &[&*manifest.name]].concat();
    let mut has_all = true;
    let mut names = BTreeSet::new();
    for injection in &mut manifest.injection {
        let Some(name) = &injection.language else { continue };
        // What a build lacks is text in it.
        let is_absent = Entry::named(name).is_some_and(|e| e.grammar.is_none());
        if is_absent || path.iter().filter(|outside| *outside == name).count() >= 2 {
            has_all = false;
            injection.language = None;
        } else {
            names.insert(name.clone());
        }
    }
    let (mut injected, mut inner) = (Vec::new(), Vec::new());
    for name in names {
        let (entry, grammar) = present_named(&name).ok_or(ManifestError::Language(name))?;
        let manifest = entry.read()?;
        let (inner_language, names) = kinds.within(entry.name, |kinds| {
            with_injections(&grammar, manifest, path, interruption, kinds)
        })?;
        inner.push(names);
        injected.push(inner_language);
    }
    let mut places: Arc<[_]> = Arc::default();
    if !injected.is_empty() {
        (language, places) = nest(language, &manifest, injected, kinds)?;
    }
    // What a build lacks has no kinds.
    if has_all {
        manifest.add_rules(&mut language, true)?;
    }
    let names = Names::new(&manifest, &places, inner, kinds)?;
    Ok((language, names))
}

#[cfg(test)]
mod rules {
    use super::{add_rules, by_name};

    #[test]
    fn an_expression_of_two_operands_is_a_pattern() {
        for (language, pattern) in [("c", "$A + $B"), ("c", "$A == $B"), ("cpp", "$A < $B")] {
            let rules = format!("[[rule]]\nmatch = '{pattern}'\nput = '$A'\n");
            let mut known = by_name(language).expect("a language");
            let added = add_rules(&mut known, "rules.toml", &rules);
            assert!(added.is_ok(), "{language}, {pattern}: {}", added.unwrap_err());
        }
    }
}
