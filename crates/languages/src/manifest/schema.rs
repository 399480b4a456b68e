//! The form of a `language.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use minirepro_rules::{Grammar, RuleFile};
use minirepro_syntax::{
    FieldRole, Kind, Kinds, Language, Placeholder, Role, Roles, Spacing, SpecialPlaceholders,
    Styles, Tokens,
};
use serde::Deserialize;

use crate::manifest::error::ManifestError;
use crate::manifest::implied::Implied;
use crate::manifest::inherit::{merged, with_inherited};
use crate::manifest::injections::InjectionTable;
use crate::manifest::references::{NamespaceTable, ReferenceTable};
use crate::manifest::rule_files::{self, RuleFiles};
use crate::plain::nesting::Nesting;
use crate::plain::tokenizer::Lexing;
use crate::registry::Entry;

/// The contents of a `language.toml`; its fields are explained in `grammars/README.md`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    /// The names, without suffixes, of files that are meant when their directory is named.
    pub(crate) folder_files: Vec<String>,
    pub(crate) lexing: Lexing,
    pub(crate) spacing: Spacing,
    /// Facts that hold instead of those of the grammar.
    pub(crate) facts: Vec<String>,
    pub(crate) atoms: Vec<String>,
    pub(crate) split_into_words: Vec<String>,
    pub(crate) word_kind: Option<String>,
    pub(crate) nesting: Option<Nesting>,
    /// The levels of indentation, markers and brackets that its scanner can hold.
    pub(crate) most_levels: Option<usize>,
    /// The grammar's fields for each part that passes ask for.
    pub(crate) fields: BTreeMap<FieldRole, Vec<String>>,
    /// The kinds that play each role.
    pub(crate) roles: BTreeMap<Role, Vec<String>>,
    pub(crate) placeholder: Vec<PlaceholderTable>,
    /// For kinds that have no other placeholders.
    pub(crate) derived_placeholder: Vec<PlaceholderTable>,
    /// If the root is a list whose items can be read one by one, as
    /// [`crate::tree_sitter::chunked`] finds them: the words with which lists of such items begin.
    pub(crate) item_lists: Option<Vec<String>>,
    pub(crate) injection: Vec<InjectionTable>,
    pub(crate) namespace: BTreeMap<String, NamespaceTable>,
    pub(crate) reference: Vec<ReferenceTable>,
    pub(crate) implied: Implied,
    pub(crate) retag: Vec<Retag>,
    /// Passes as rules, by their names: those that were derived, and `rules/NAME.toml`.
    pub(crate) rules: BTreeMap<String, RuleFile>,
    /// Names for several kinds together, for rules.
    pub(crate) sets: BTreeMap<String, Vec<String>>,
    /// Texts around a pattern of a rule that make it a whole text of the language.
    pub(crate) pattern_contexts: Vec<String>,
    /// By their parents: children that nobody puts there, although the grammar takes them.
    forbid: BTreeMap<String, Vec<String>>,
    /// By tokens: the names that these mention without containing them.
    mention: BTreeMap<String, Vec<String>>,
    pub(crate) tokens: Tokens,
    pub(crate) styles: Styles,
}

/// Leaves that the grammar takes for something else than they are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Retag {
    /// The grammar's kind.
    pub(crate) kind: String,
    /// What they are.
    pub(crate) to: String,
    /// The texts for which the grammar is right.
    pub(crate) unless: Vec<String>,
}

/// Texts that may stand for any node of some kinds.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PlaceholderTable {
    roles: Vec<Role>,
    kinds: Vec<String>,
    /// Only for values of these properties; then no other placeholders hold for them.
    properties: Vec<String>,
    /// Only for nodes that begin so; then no other placeholders hold for them.
    begins: Vec<String>,
    texts: Vec<PlaceholderText>,
}

impl PlaceholderTable {
    /// Returns the condition under which the texts hold, if there is one.
    fn special(&self, mut texts: Vec<Placeholder>) -> Option<SpecialPlaceholders> {
        if self.properties.is_empty() && self.begins.is_empty() {
            return None;
        }
        texts.sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
        let properties = self.properties.iter().map(|name| name.clone().into_bytes()).collect();
        let begins = self.begins.iter().map(|text| Arc::from(text.as_bytes())).collect();
        Some(SpecialPlaceholders { properties, begins, texts })
    }
}

/// A text and what it is in the tree.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceholderText {
    text: String,
    kind: Option<String>,
}

/// What is read before a language is chosen (`registry::card`), and by `xtask facts`.
const READ_ELSEWHERE: [&str; 6] =
    ["aliases", "suffixes", "description", "reads_anything", "grammar", "derived"];

/// Returns the name of the pass in a file.
fn pass_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".toml").unwrap_or(name)
}

impl Manifest {
    /// Reads a text that says what differs from what was derived, with files of rules beside it.
    pub(crate) fn read_over(
        derived: toml::Table,
        text: &str,
        rules: RuleFiles<'_>,
    ) -> Result<Self, ManifestError> {
        let (own, files) = with_inherited(toml::from_str(text)?, rules, &Entry::named)?;
        let mut all = merged(derived, own);
        all.retain(|key, _| !READ_ELSEWHERE.contains(&key));
        let mut manifest: Self = all.try_into()?;
        for &(name, text) in rule_files::of("").iter().chain(&files) {
            manifest.rules.entry(name.to_owned()).or_default().join(RuleFile::read(text)?);
        }
        Ok(manifest)
    }

    /// Adds the passes that are rules to a language: those for itself, or those `across` languages
    /// inside, once these are in it.
    ///
    /// # Errors
    /// If a rule contradicts itself or the grammar.
    pub(crate) fn add_rules(
        &self,
        language: &mut Language,
        across: bool,
    ) -> Result<(), ManifestError> {
        let mut files = self.rules.clone();
        files.retain(|_, file| file.across == across);
        self.add_passes(language, &self.name, files)
    }

    /// Adds the pass that a file describes to a language of this manifest. It is called like the
    /// file, without the suffix.
    ///
    /// # Errors
    /// If the text does not have the form of rules, or one of them contradicts itself or the
    /// grammar.
    pub(crate) fn add_file(
        &self,
        language: &mut Language,
        origin: &str,
        text: &str,
    ) -> Result<(), ManifestError> {
        let files = BTreeMap::from([(pass_name(origin).to_owned(), RuleFile::read(text)?)]);
        self.add_passes(language, origin, files)
    }

    fn add_passes(
        &self,
        language: &mut Language,
        origin: &str,
        files: BTreeMap<String, RuleFile>,
    ) -> Result<(), ManifestError> {
        let tokens = &|text: &[u8]| self.lexing.tokens(text).collect();
        let (contexts, sets) = (&self.pattern_contexts, &self.sets);
        Ok(Grammar { tokens, contexts, sets, origin }.add(language, files)?)
    }

    /// Returns the roles, with names of kinds looked up.
    pub(crate) fn roles(&self, kinds: &Kinds) -> Result<Roles, ManifestError> {
        let mut roles = Roles::default();
        for (&role, names) in &self.fields {
            for name in names {
                let field = kinds.field(name).ok_or_else(|| ManifestError::Field(name.clone()))?;
                roles.assign_field(role, field);
            }
        }
        for (&role, names) in &self.roles {
            kinds_of(names, kinds)?.into_iter().for_each(|kind| roles.assign(role, kind));
        }
        let own = self.placeholder.iter().map(|entry| (entry, true));
        let derived = self.derived_placeholder.iter().map(|entry| (entry, false));
        for (entry, is_own) in own.chain(derived) {
            let mut places = kinds_of(&entry.kinds, kinds)?;
            for &role in &entry.roles {
                places.extend(roles.kinds(role));
                roles.is_played(role).then_some(()).ok_or(ManifestError::Role(role))?;
            }
            let mut texts: Vec<Placeholder> = Vec::new();
            for PlaceholderText { text, kind: name } in &entry.texts {
                let kind = name.as_ref().map(|name| kind(kinds, name)).transpose()?;
                texts.push((Arc::from(text.as_bytes()), kind));
            }
            if let Some(special) = entry.special(texts.clone()) {
                for place in places {
                    roles.special_placeholders.entry(place).or_default().push(special.clone());
                }
                continue;
            }
            // Each kind stands in one derived entry.
            places.retain(|place| is_own || !roles.placeholders.contains_key(place));
            for place in places {
                roles.placeholders.entry(place).or_default().extend(texts.iter().cloned());
            }
        }
        for texts in roles.placeholders.values_mut() {
            texts.sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
            texts.dedup();
        }
        for (tokens, names) in &self.mention {
            for token in tokens.split(' ') {
                let names = names.iter().map(|name| name.clone().into_bytes()).collect();
                roles.mentioned.insert(token.into(), names);
            }
        }
        for (parent, children) in &self.forbid {
            roles.forbidden.insert(kind(kinds, parent)?, kinds_of(children, kinds)?);
        }
        roles.folder_files =
            self.folder_files.iter().map(|name| name.clone().into_bytes()).collect();
        roles.tokens = self.tokens.clone();
        roles.styles = self.styles.clone();
        Ok(roles)
    }
}

/// Looks up a kind by its name.
///
/// # Errors
/// If the grammar lacks it.
pub(crate) fn kind(kinds: &Kinds, name: &str) -> Result<Kind, ManifestError> {
    kinds.named(name).ok_or_else(|| ManifestError::Kind(name.to_owned()))
}

/// Looks up several kinds.
///
/// A name that ends with `*` stands for all that begin so.
///
/// # Errors
/// If the grammar lacks one.
pub(crate) fn kinds_of(names: &[String], kinds: &Kinds) -> Result<BTreeSet<Kind>, ManifestError> {
    let found = names.iter().map(|name| match name.strip_suffix('*') {
        Some(beginning) => Ok(kinds.all_beginning(beginning).collect()),
        None => kind(kinds, name).map(|kind| vec![kind]),
    });
    Ok(found.collect::<Result<Vec<_>, ManifestError>>()?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::Kinds;

    use super::Manifest;

    /// Returns why a manifest with these sections cannot be loaded.
    fn error(sections: &str) -> String {
        let head = "name = \"x\"\nsuffixes = []\ndescription = \"\"\nlexing = \"program\"\n\
                    spacing = { between_tokens = true, keep_words_apart = true }\n";
        let mut kinds = Kinds::default();
        kinds.intern("function_definition", true);
        match Manifest::read_over(toml::Table::new(), &format!("{head}{sections}"), &[]) {
            Err(error) => error.to_string(),
            Ok(manifest) => manifest.roles(&kinds).expect_err("something is wrong").to_string(),
        }
    }

    #[test]
    fn what_the_grammar_or_nobody_knows_is_refused() {
        let asked = error("[roles]\nfunctions = [\"function_definition\"]\n");
        assert!(asked.contains("unknown variant `functions`, expected one of "), "{asked}");
        let lacking = error("[roles]\nfunction = [\"function_item\"]\n");
        assert_eq!(lacking, "the grammar has no kind `function_item`");
        let asked = error("[fields]\nbodi = [\"body\"]\n");
        assert!(asked.contains("unknown variant `bodi`, expected one of `arguments`, "), "{asked}");
        let lacking = error("[fields]\nbody = [\"block\"]\n");
        assert_eq!(lacking, "the grammar has no field `block`");
    }

    #[test]
    fn an_entry_for_a_role_that_no_kind_plays_is_refused() {
        let error = error("[[placeholder]]\nroles = [\"statement\"]\ntexts = [{ text = \";\" }]\n");
        assert_eq!(error, "no kind has the role `statement`");
    }
}
