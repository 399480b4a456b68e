//! The form of a `language.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use minirepro_rules::{Grammar, RuleFile, RuleTable};
use minirepro_syntax::{
    Kind, Kinds, Language, Placeholder, Roles, Section, Spacing, SpecialPlaceholders,
    Styles, Tokens,
};
use serde::Deserialize;

use crate::derive::DerivedKeys;
use crate::manifest::error::ManifestError;
use crate::manifest::implied::{Implied, ImpliedTable};
use crate::manifest::inherit::{Base, with_common_rules, with_inherited, with_rules};
use crate::manifest::injections::{InjectionTable, PartTable};
use crate::manifest::overriding::merged;
use crate::manifest::references::{NamespaceTable, ReferenceTable};
use crate::manifest::report::ReportTools;
use crate::manifest::retag::Retag;
use crate::manifest::roles::{
    FieldTable, RoleName, RoleTable, assign, assign_fields, kind, kinds_of,
};
use crate::manifest::rule_files::RuleFiles;
use crate::plain::nesting::Nesting;
use crate::plain::tokenizer::Lexing;

/// The contents of a `language.toml`; its fields are explained in `grammars/README.md`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    #[serde(default)]
    #[expect(dead_code, reason = "read before a language is chosen: `registry::card::Head`")]
    aliases: Vec<String>,
    #[expect(dead_code, reason = "read before a language is chosen: `registry::card::Head`")]
    suffixes: Vec<String>,
    #[expect(dead_code, reason = "read before a language is chosen: `registry::card::Head`")]
    description: String,
    /// Whether its grammar finds a meaning in texts of most other kinds.
    #[serde(default)]
    #[expect(dead_code, reason = "read before a language is chosen: `registry::card::Head`")]
    reads_anything: bool,
    /// The names, without suffixes, of files that are meant when their directory is named.
    #[serde(default)]
    pub(crate) folder_files: Vec<String>,
    #[serde(default)]
    pub(crate) lexing: Lexing,
    #[serde(default)]
    pub(crate) spacing: SpacingTable,
    /// Where the grammar's `grammar.json` stands, if not in `NAME/src`: for those who write the
    /// facts.
    #[serde(default)]
    #[expect(dead_code, reason = "`xtask facts` reads it, the program has the facts")]
    grammar: Option<String>,
    /// What is derived from the grammar holds where nothing else is said: all of it, or these keys.
    #[serde(default)]
    #[expect(dead_code, reason = "`xtask facts` reads it, the program has what was derived")]
    derived: DerivedKeys,
    /// Facts that hold instead of those of the grammar.
    #[serde(default)]
    pub(crate) facts: Vec<String>,
    #[serde(default)]
    pub(crate) atoms: Vec<String>,
    #[serde(default)]
    pub(crate) split_into_words: Vec<String>,
    pub(crate) word_kind: Option<String>,
    pub(crate) nesting: Option<Nesting>,
    /// The levels of indentation, markers and brackets that its scanner can hold.
    pub(crate) most_levels: Option<usize>,
    #[serde(default)]
    pub(crate) fields: FieldTable,
    #[serde(default)]
    pub(crate) names: RoleTable,
    #[serde(default)]
    pub(crate) declarations: RoleTable,
    #[serde(default)]
    pub(crate) expressions: RoleTable,
    #[serde(default)]
    pub(crate) markup: RoleTable,
    #[serde(default)]
    pub(crate) layout: RoleTable,
    #[serde(default)]
    pub(crate) reduce: RoleTable,
    #[serde(default, rename = "placeholder")]
    pub(crate) placeholders: Vec<PlaceholderTable>,
    /// For kinds that have no other placeholders.
    #[serde(default, rename = "derived_placeholder")]
    pub(crate) derived_placeholders: Vec<PlaceholderTable>,
    /// Whether a browser reads it: then no text is refused, and the HTML standard's parser says
    /// what it is read as.
    #[serde(default)]
    #[cfg_attr(
        not(feature = "html"),
        expect(dead_code, reason = "no browser is part of this build")
    )]
    pub(crate) browser: bool,
    /// The form of the files that hold texts of the language, if it is another one: see
    /// [`crate::coded`].
    pub(crate) codec: Option<String>,
    /// Whether all that is injected stays well-formed: no edit may break it.
    #[serde(default)]
    pub(crate) sound: bool,
    /// Whether the root is a list whose items can be read one by one, as
    /// [`crate::tree_sitter::chunked`] finds them.
    #[serde(default)]
    pub(crate) incremental_items: bool,
    /// The words with which lists begin whose items are like those of the root.
    #[serde(default)]
    pub(crate) item_lists: Vec<String>,
    #[serde(default, rename = "injection")]
    pub(crate) injections: Vec<InjectionTable>,
    #[serde(default, rename = "namespace")]
    pub(crate) namespaces: Vec<NamespaceTable>,
    #[serde(default, rename = "reference")]
    pub(crate) references: Vec<ReferenceTable>,
    #[serde(default)]
    pub(crate) part: Vec<PartTable>,
    #[serde(default)]
    pub(crate) implied: Vec<ImpliedTable>,
    #[serde(default)]
    pub(crate) retag: Vec<Retag>,
    /// Passes as rules, by their names. What stands in `rules/NAME.toml` belongs here, too.
    #[serde(default)]
    pub(crate) rules: BTreeMap<String, RuleFile>,
    /// Rules of the pass `rewrite` that were derived; those of files come after them.
    #[serde(default, rename = "derived_rule")]
    pub(crate) derived_rules: Vec<RuleTable>,
    /// Names for several kinds together, for rules.
    #[serde(default)]
    pub(crate) sets: BTreeMap<String, Vec<String>>,
    /// Texts around a pattern of a rule that make it a whole text of the language.
    #[serde(default)]
    pub(crate) pattern_contexts: Vec<String>,
    #[serde(default, rename = "forbid")]
    pub(crate) forbidden: Vec<ForbidTable>,
    #[serde(default, rename = "mention")]
    mentions: Vec<MentionTable>,
    #[serde(default)]
    pub(crate) tokens: TokenTable,
    #[serde(default)]
    pub(crate) styles: StyleTable,
    #[serde(default)]
    #[expect(dead_code, reason = "`registry::report_tools` reads it, searches do not need it")]
    report: ReportTools,
}

/// Children that nobody puts there, although the grammar takes them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForbidTable {
    within: Vec<String>,
    kinds: Vec<String>,
}

/// Names that a token mentions without containing them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MentionTable {
    tokens: Vec<String>,
    names: Vec<String>,
}

/// The blank space in candidates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SpacingTable {
    between_tokens: bool,
    keep_words_apart: bool,
    indentation: bool,
}

impl Default for SpacingTable {
    fn default() -> Self {
        Self { between_tokens: true, keep_words_apart: true, indentation: false }
    }
}

/// The tokens that passes write themselves.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TokenTable {
    statement_end: Option<String>,
    open_bracket: Option<String>,
    close_bracket: Option<String>,
    enter_file: Option<String>,
    leave_file: Option<String>,
    end_tag_start: Option<String>,
    joint: Option<String>,
    sigils: Option<String>,
    blank: Option<String>,
    fixed_words: bool,
    whole_tags: bool,
    implied_type: bool,
}

impl TokenTable {
    fn tokens(&self) -> Tokens {
        let token = |text: &Option<String>| text.as_ref().map(|text| Arc::from(text.as_bytes()));
        Tokens {
            statement_end: token(&self.statement_end),
            open_bracket: token(&self.open_bracket),
            close_bracket: token(&self.close_bracket),
            enter_file: token(&self.enter_file),
            leave_file: token(&self.leave_file),
            end_tag_start: token(&self.end_tag_start),
            joint: token(&self.joint),
            sigils: token(&self.sigils),
            blank: token(&self.blank),
            fixed_words: self.fixed_words,
            whole_tags: self.whole_tags,
            implied_type: self.implied_type,
        }
    }
}

/// How style rules and elements find each other.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StyleTable {
    attribute: Option<String>,
    id: Option<String>,
    class: Option<String>,
    element: Option<String>,
    unseen: Vec<String>,
    parts: Vec<String>,
}

impl StyleTable {
    fn styles(&self) -> Styles {
        let text = |text: &Option<String>| text.as_ref().map(|text| Arc::from(text.as_bytes()));
        let words = |words: &[String]| words.iter().map(|word| word.clone().into_bytes()).collect();
        Styles {
            attribute: text(&self.attribute),
            id: text(&self.id),
            class: text(&self.class),
            element: text(&self.element),
            unseen: words(&self.unseen),
            parts: words(&self.parts),
        }
    }
}

/// Texts that may stand for any node of some kinds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceholderTable {
    #[serde(default)]
    roles: Vec<RoleName>,
    #[serde(default)]
    kinds: Vec<String>,
    /// Only for values of these properties; then no other placeholders hold for them.
    #[serde(default)]
    properties: Vec<String>,
    /// Only for nodes that begin so; then no other placeholders hold for them.
    #[serde(default)]
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

/// The pass of the rules that give a part another form, whose larger forms are a pass of their own.
pub(crate) const REWRITE: &str = "rewrite";

/// Returns the name of the pass in a file.
fn pass_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".toml").unwrap_or(name)
}

impl Manifest {
    /// Reads a text that says what differs from what was derived, with files of rules beside it;
    /// `others` finds the one that it takes over from.
    pub(crate) fn read_over(
        derived: &str,
        text: &str,
        rules: RuleFiles<'_>,
        others: &dyn Fn(&str) -> Option<Base>,
    ) -> Result<Self, ManifestError> {
        Self::read_over_table(toml::from_str(derived)?, text, rules, others)
    }

    /// Does the same, where what was derived is read already.
    pub(crate) fn read_over_table(
        derived: toml::Table,
        text: &str,
        rules: RuleFiles<'_>,
        others: &dyn Fn(&str) -> Option<Base>,
    ) -> Result<Self, ManifestError> {
        let own = with_inherited(with_rules(toml::from_str(text)?, rules)?, others)?;
        let own = with_common_rules(own)?;
        Ok(merged(derived, own).try_into()?)
    }

    /// Returns the forms in which tokens are implied.
    pub(crate) fn implied(&self) -> Result<Implied, ManifestError> {
        Ok(Implied::new(&self.implied)?)
    }

    /// Returns the blank space in candidates.
    pub(crate) fn spacing(&self) -> Spacing {
        let SpacingTable { between_tokens, keep_words_apart, indentation } = self.spacing;
        Spacing { between_tokens, keep_words_apart, indentation }
    }

    /// Adds the passes that are rules to a language of this manifest: those for languages inside once
    /// these are in it, and the others before.
    ///
    /// # Errors
    /// If a rule contradicts itself or the grammars.
    pub(crate) fn add_own_rules(
        &self,
        language: &mut Language,
        across: bool,
    ) -> Result<(), ManifestError> {
        let mut files = self.rules.clone();
        if !self.derived_rules.is_empty() {
            let rules = &mut files.entry(REWRITE.to_owned()).or_default().rules;
            rules.splice(0..0, self.derived_rules.iter().cloned());
        }
        let files = files.iter().filter(|(_, file)| file.across == across);
        self.add_files(language, &self.name, files.map(|(name, file)| (&name[..], file)))
    }

    /// Adds the pass that a file describes to a language of this manifest. It is called like the
    /// file, without the suffix.
    ///
    /// # Errors
    /// If the text does not have the form of rules, or one of them contradicts itself or the
    /// grammar.
    pub(crate) fn add_rules(
        &self,
        language: &mut Language,
        origin: &str,
        text: &str,
    ) -> Result<(), ManifestError> {
        self.add_files(language, origin, [(pass_name(origin), &RuleFile::read(text)?)])
    }

    fn add_files<'f>(
        &self,
        language: &mut Language,
        origin: &str,
        files: impl IntoIterator<Item = (&'f str, &'f RuleFile)>,
    ) -> Result<(), ManifestError> {
        let tokens = &|text: &[u8]| self.lexing.tokens(text).collect();
        let (contexts, sets) = (&self.pattern_contexts, &self.sets);
        Ok(Grammar { tokens, contexts, sets, origin }.add(language, files)?)
    }

    /// Returns the roles, with names of kinds looked up.
    pub(crate) fn roles(&self, kinds: &Kinds) -> Result<Roles, ManifestError> {
        let mut roles = Roles::default();
        assign_fields(&mut roles, &self.fields, kinds)?;
        let set = |names: &[String]| -> Result<BTreeSet<Kind>, ManifestError> {
            names.iter().map(|name| kind(kinds, name)).collect()
        };
        for (section, table) in [
            (Section::Names, &self.names),
            (Section::Declarations, &self.declarations),
            (Section::Expressions, &self.expressions),
            (Section::Markup, &self.markup),
            (Section::Layout, &self.layout),
            (Section::Reduce, &self.reduce),
        ] {
            assign(&mut roles, section, table, kinds)?;
        }
        let own = self.placeholders.iter().map(|entry| (entry, true));
        let derived = self.derived_placeholders.iter().map(|entry| (entry, false));
        let mut has_own = BTreeSet::new();
        for (entry, is_own) in own.chain(derived) {
            let mut places = kinds_of(&roles, kinds, &entry.roles, &entry.kinds)?;
            let texts = entry
                .texts
                .iter()
                .map(|t| {
                    let kind = t.kind.as_ref().map(|name| kind(kinds, name)).transpose()?;
                    Ok((Arc::from(t.text.as_bytes()), kind))
                })
                .collect::<Result<Vec<_>, ManifestError>>()?;
            if let Some(special) = entry.special(texts.clone()) {
                for place in places {
                    roles.special_placeholders.entry(place).or_default().push(special.clone());
                }
                continue;
            }
            if is_own {
                has_own.extend(places.iter().copied());
            } else {
                places.retain(|place| !has_own.contains(place));
            }
            for place in places {
                roles.placeholders.entry(place).or_default().extend(texts.iter().cloned());
            }
        }
        for texts in roles.placeholders.values_mut() {
            texts.sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
            texts.dedup();
        }
        for table in &self.mentions {
            let names = || table.names.iter().map(|name| name.clone().into_bytes());
            for token in &table.tokens {
                roles.mentioned.entry(token.clone().into_bytes()).or_default().extend(names());
            }
        }
        for table in &self.forbidden {
            for parent in set(&table.within)? {
                roles.forbidden.entry(parent).or_default().extend(set(&table.kinds)?);
            }
        }
        roles.folder_files =
            self.folder_files.iter().map(|name| name.clone().into_bytes()).collect();
        roles.tokens = self.tokens.tokens();
        roles.styles = self.styles.styles();
        Ok(roles)
    }
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
        match Manifest::read_over("", &format!("{head}{sections}"), &[], &|_| None) {
            Err(error) => error.to_string(),
            Ok(manifest) => manifest.roles(&kinds).expect_err("something is wrong").to_string(),
        }
    }

    #[test]
    fn a_misspelt_role_is_refused_with_the_list_of_all_roles() {
        let error = error("[declarations]\nfunctions = [\"function_definition\"]\n");
        assert!(error.contains("unknown role `functions`; the roles are: identifier, "), "{error}");
        assert!(error.contains(" function, "), "{error}");
    }

    #[test]
    fn a_role_in_the_wrong_section_is_refused() {
        let error = error("[expressions]\nfunction = [\"function_definition\"]\n");
        assert_eq!(error, "the role `function` belongs in [declarations], not in [expressions]");
    }

    #[test]
    fn a_role_of_a_kind_that_the_grammar_lacks_is_refused() {
        let error = error("[declarations]\nfunction = [\"function_item\"]\n");
        assert_eq!(error, "the grammar has no kind `function_item`");
    }

    #[test]
    fn a_field_that_nobody_asks_for_or_that_the_grammar_lacks_is_refused() {
        let asked = error("[fields]\nbodi = [\"body\"]\n");
        assert!(asked.contains("unknown role `bodi`; the roles are: arguments, body, "), "{asked}");
        let lacking = error("[fields]\nbody = [\"block\"]\n");
        assert_eq!(lacking, "the grammar has no field `block`");
    }

    #[test]
    fn an_entry_for_a_role_that_no_kind_plays_is_refused() {
        let error = error("[[placeholder]]\nroles = [\"statement\"]\ntexts = [{ text = \";\" }]\n");
        assert_eq!(error, "no kind has the role `statement`");
    }
}
