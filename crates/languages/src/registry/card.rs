//! What users are shown of a language before they choose it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::binary::parser;
use crate::coded;
use crate::manifest::error::ManifestError;
use crate::manifest::inherit::merged;
use crate::plain::levels::exceed;
use crate::plain::text::HIERARCHIES;
use crate::registry::guess::beginning;
use crate::registry::table::{Entry, Grammar, TABLE, present};
use crate::tree_sitter::broken::{Fit, fit};

/// What a user wants to know of a language before choosing it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
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

impl Info {
    /// Returns what a manifest makes of it.
    ///
    /// # Errors
    /// If the manifest is no TOML, or says it in another form.
    pub fn overridden(&self, manifest: &str) -> Result<Self, ManifestError> {
        let head = toml::Table::try_from(self).expect("texts and lists of texts are TOML");
        Ok(merged(head, toml::from_str(manifest)?).try_into()?)
    }

    /// Returns whether this is its name, or another one that means the same.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }

    /// Returns whether a file of this name is in the language: its name ends with one of the
    /// suffixes, or is one, like `Makefile`. Case does not count.
    pub fn is_of(&self, file_name: &str) -> bool {
        let ends = |name: &str, suffix: &str| {
            let is_whole = is_file_name(suffix);
            let before = name.strip_suffix(suffix);
            before.is_some_and(|rest| rest.ends_with('.') || rest.is_empty() && is_whole)
        };
        let lower = file_name.to_ascii_lowercase();
        let is = |suffix: &String| ends(file_name, suffix) || ends(&lower, suffix);
        self.suffixes.iter().any(is)
    }
}

/// Returns whether a suffix is the whole name of a file, too, like `Makefile`.
pub fn is_file_name(suffix: &str) -> bool {
    suffix.to_ascii_lowercase().ends_with("file") || suffix.contains('.')
}

/// What the beginning of a manifest says.
#[derive(Deserialize)]
pub(super) struct Head {
    #[serde(flatten)]
    pub(super) info: Info,
    /// Its grammar reads most texts, so that no text tells it.
    #[serde(default)]
    pub(super) reads_anything: bool,
    most_levels: Option<usize>,
}

impl Head {
    pub(super) fn of(manifest: &str) -> Self {
        // The keys of the whole stand before the first section.
        let end = manifest.find("\n[").unwrap_or(manifest.len());
        toml::from_str(&manifest[..end])
            .unwrap_or_else(|e| unreachable!("manifests are tested: {e}"))
    }
}

/// A language that this build has, with what its manifest says at the beginning.
pub(super) struct Card {
    pub(super) entry: &'static Entry,
    pub(super) grammar: Grammar<'static>,
    pub(super) head: Head,
}

impl Card {
    /// Returns whether a file can be in the language.
    pub(super) fn may_hold(&self, file: &[u8]) -> bool {
        file.is_empty()
            || self.grammar.codec.is_none_or(|of| !of.is_binary() || of.decode(file).is_some())
    }

    /// Returns whether only files of the language begin so.
    pub(super) fn is_marked(&self, file: &[u8]) -> bool {
        self.grammar.codec.is_some_and(|of| of.is_binary() && of.decode(file).is_some())
    }

    /// Returns what the grammar finds in a text: nothing in one whose levels its scanner cannot
    /// hold.
    pub(super) fn fit(&self, text: &[u8]) -> Fit {
        if self.head.most_levels.is_some_and(|most| exceed(text, most)) {
            return Fit { broken: text.len(), ..Fit::default() };
        }
        fit(self.grammar.parser(), text)
    }
}

/// Returns the languages that have a grammar, in the order in which they are shown. Their manifests
/// are parsed on first use.
pub(super) fn cards() -> &'static [Card] {
    static CARDS: LazyLock<Vec<Card>> = LazyLock::new(|| {
        let head = |entry: &Entry| Head::of(entry.manifest);
        present().map(|(entry, grammar)| Card { entry, grammar, head: head(entry) }).collect()
    });
    &CARDS
}

/// Returns all languages, in the order in which they are shown.
pub fn all() -> &'static [Info] {
    static INFOS: LazyLock<Vec<Info>> = LazyLock::new(|| {
        let with_grammar = cards().iter().map(|card| card.head.info.clone());
        with_grammar
            .chain(HIERARCHIES.iter().map(|h| without_suffix(h.name, h.description)))
            .chain(coded::ARCHIVES.iter().map(|(name, what, _)| without_suffix(name, what)))
            .chain(std::iter::once(without_suffix("records:FORM", parser::DESCRIPTION)))
            .collect()
    });
    &INFOS
}

fn without_suffix(name: &str, description: &str) -> Info {
    let (name, description) = (name.to_owned(), description.to_owned());
    Info { name, description, ..Info::default() }
}

/// Returns the language of a file by its name, the program that its first line names, or what only
/// XML begins with, if minirepro knows it and this build does not have it.
pub fn absent(file_name: &str, text: &[u8]) -> Option<String> {
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    let words = first.strip_prefix("#!").map(|line| line.split(['/', ' ']));
    let program = words.and_then(|mut words| words.rfind(|word| !word.starts_with('-')));
    let program = program.map(|name| name.trim_end_matches(|c: char| c.is_numeric() || c == '.'));
    let is_xml = first.starts_with("<?xml") && !beginning(text).windows(5).any(|at| at == b"<html");
    let begins = program.or(is_xml.then_some("xml"));
    let absent = TABLE.iter().filter(|entry| entry.grammar.is_none());
    let mut infos = absent.map(|entry| Head::of(entry.manifest).info);
    let is_it = |info: &Info| begins.is_some_and(|name| info.is_called(name));
    let found = infos.find(|info| info.is_of(file_name) || is_it(info)).map(|info| info.name);
    let is_packed = !cfg!(feature = "archives") && is_packed(file_name);
    found.or_else(|| is_packed.then(|| "archives".to_owned())).or_else(|| elsewhere(file_name))
}

/// Returns whether the name of a file is that of a ZIP or tar, or of one that Zstandard or Brotli
/// has compressed.
fn is_packed(file_name: &str) -> bool {
    let suffix = file_name.rsplit_once('.').map(|(_, suffix)| suffix);
    matches!(suffix, Some("br" | "docx" | "epub" | "jar" | "odt" | "tar" | "xlsx" | "zip" | "zst"))
}

/// Returns the language of a file of this name, if minirepro knows it and no build has it.
pub fn elsewhere(file_name: &str) -> Option<String> {
    static ELSEWHERE: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
        let text = include_str!("../../grammars/elsewhere.toml");
        toml::from_str(text).unwrap_or_else(|e| unreachable!("the list is tested: {e}"))
    });
    let (_, suffix) = file_name.rsplit_once('.')?;
    let suffix = suffix.to_ascii_lowercase();
    let mut languages = ELSEWHERE.iter().filter(|(_, suffixes)| suffixes.contains(&suffix));
    languages.next().map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::{Head, TABLE};

    #[test]
    fn the_name_of_a_file_tells_the_language() {
        let all = |name| {
            let mut infos = TABLE.iter().map(|entry| Head::of(entry.manifest).info);
            infos.find(|info| info.is_of(name)).map(|info| info.name)
        };
        assert_eq!(all("a.ml").as_deref(), Some("ocaml"));
        assert_eq!(all("A.b.cs").as_deref(), Some("csharp"));
        assert_eq!(all("Dockerfile").as_deref(), Some("dockerfile"));
        assert_eq!(all("a.rs").as_deref(), Some("rust"));
        assert_eq!(all("ml"), None);
    }
}
