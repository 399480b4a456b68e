//! The form of a file of rules; `grammars/README.md` explains its keys.

use std::collections::BTreeMap;

use minirepro_syntax::{RuleGate, RuleSearch, Strictness};
use serde::Deserialize;

use crate::manifest::rules::interned::interned;

/// One file: a pass.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleFile {
    /// The edits, in words for the certificate.
    #[serde(default)]
    pub(crate) edits: Option<String>,
    /// The search over the matches.
    #[serde(default)]
    pub(crate) search: SearchName,
    /// How the edits are checked before a test.
    #[serde(default)]
    pub(crate) gate: GateName,
    /// The pass that it follows.
    #[serde(default)]
    pub(crate) after: Option<String>,
    /// Whether all its edits are among those of other passes.
    #[serde(default)]
    pub(crate) coarse: bool,
    /// Whether it waits until the text is small.
    #[serde(default)]
    pub(crate) late: bool,
    /// Whether only the first form of each node is proposed.
    #[serde(default)]
    pub(crate) first_only: bool,
    /// Whether forms that are not smaller are tried, too.
    #[serde(default)]
    pub(crate) grows: bool,
    /// Whether its rules name kinds of nodes of the languages inside.
    #[serde(default)]
    pub(crate) across: bool,
    /// Examples of what it does.
    #[serde(default, rename = "example")]
    pub(crate) examples: Vec<RuleExample>,
    /// The rules.
    #[serde(default, rename = "rule")]
    pub(crate) rules: Vec<RuleTable>,
}

/// What is said of a pass before somebody uses it.
pub(crate) struct RuleHead {
    /// The edits, in words.
    pub(crate) edits: &'static str,
    /// The pass that it follows.
    pub(crate) after: &'static str,
}

/// The edits of a pass that does not say them.
const EDITS: &str = "give a part another form";

/// The pass that rules follow if they do not say which.
const AFTER: &str = "merge-names";

impl RuleFile {
    /// Returns what is said of the pass before somebody uses it.
    pub(crate) fn head(&self) -> RuleHead {
        RuleHead {
            edits: interned(self.edits.as_deref().unwrap_or(EDITS)),
            after: interned(self.after.as_deref().unwrap_or(AFTER)),
        }
    }
}

impl RuleHead {
    /// Reads it in the text of a file in the program.
    pub(crate) fn of(text: &str) -> Self {
        let file: RuleFile =
            toml::from_str(text).unwrap_or_else(|e| unreachable!("rules are tested: {e}"));
        file.head()
    }
}

/// An example: what single matches make of a text, and what none may.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleExample {
    /// The language; the one that was asked about without.
    #[serde(default)]
    pub language: Option<String>,
    /// What it shows, in words.
    #[serde(default)]
    pub title: String,
    /// The text before.
    pub before: String,
    /// What one match each must make of it.
    #[serde(default)]
    pub after: OneOrMore,
    /// What no match may make of it.
    #[serde(default)]
    pub never: OneOrMore,
}

/// One rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleTable {
    /// The subject: code with captures.
    #[serde(default)]
    pub(crate) pattern: Option<String>,
    /// How exactly the pattern must fit.
    #[serde(default)]
    pub(crate) strictness: StrictnessName,
    /// Instead of a pattern: kinds and roles.
    #[serde(default, rename = "match")]
    pub(crate) subject: Option<String>,
    /// What the rule does, in words; generated without.
    #[serde(default)]
    pub(crate) says: Option<String>,
    /// Matches that agree in these are one.
    #[serde(default)]
    pub(crate) once: Vec<String>,
    /// Fewer changed nodes are no match.
    #[serde(default)]
    pub(crate) least_edits: usize,
    #[serde(flatten)]
    pub(crate) scope: ScopeTable,
    #[serde(flatten)]
    pub(crate) action: ActionTable,
    /// Further edits that go together.
    #[serde(default)]
    pub(crate) edit: Vec<EditTable>,
}

impl RuleTable {
    /// Returns whether one of its texts has the token with which the language ends statements.
    pub(crate) fn needs_end(&self) -> bool {
        let others = self.edit.iter().map(|edit| &edit.action);
        let mut texts = std::iter::once(&self.action).chain(others).filter_map(|a| a.put.as_ref());
        texts.any(|text| text.contains("$END"))
    }
}

/// Captures and conditions.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ScopeTable {
    /// Captures of at least one node.
    #[serde(default, rename = "let")]
    pub(crate) some: BTreeMap<String, OneOrMore>,
    /// Captures of any number of nodes.
    #[serde(default)]
    pub(crate) maybe: BTreeMap<String, OneOrMore>,
    /// Captures of one node each.
    #[serde(default)]
    pub(crate) any: BTreeMap<String, OneOrMore>,
    /// Paths that must lead somewhere.
    #[serde(default, rename = "where")]
    pub(crate) present: OneOrMore,
    /// Paths that must lead nowhere.
    #[serde(default, rename = "unless")]
    pub(crate) absent: OneOrMore,
}

/// What becomes of a node.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ActionTable {
    /// These go.
    #[serde(default)]
    pub(crate) drop: OneOrMore,
    /// These mentions go, with as much around each as the grammar demands.
    #[serde(default)]
    pub(crate) remove: OneOrMore,
    /// Whether what is assigned stays then.
    #[serde(default)]
    pub(crate) narrow: bool,
    /// These become the least text.
    #[serde(default)]
    pub(crate) least: OneOrMore,
    /// A new text.
    #[serde(default)]
    pub(crate) put: Option<String>,
    /// Nodes that move.
    #[serde(default, rename = "move")]
    pub(crate) moved: OneOrMore,
    /// The new text's kind.
    #[serde(default, rename = "as")]
    pub(crate) kind: Option<String>,
    /// Where the text comes: instead of these, before, after or into them.
    #[serde(default)]
    pub(crate) at: OneOrMore,
    #[serde(default)]
    pub(crate) before: OneOrMore,
    #[serde(default)]
    pub(crate) after: OneOrMore,
    #[serde(default)]
    pub(crate) into: OneOrMore,
    /// What stands between the nodes of `$$$NAME`, and before what is added to a list.
    #[serde(default)]
    pub(crate) separator: Option<String>,
    /// The nodes of `$$$NAME` become one token with this text between them.
    #[serde(default)]
    pub(crate) joint: Option<String>,
    /// What captured strings say, as names.
    #[serde(default)]
    pub(crate) name_in: BTreeMap<String, String>,
    /// Names of a namespace that something in the document has.
    #[serde(default)]
    pub(crate) name_of: BTreeMap<String, String>,
    /// `$PROPERTY` and `$VALUE` are what style rules declare for the class that this capture says.
    #[serde(default)]
    pub(crate) declared_for: Option<String>,
    /// Whether captured nodes from elsewhere come with the edits that are made in them.
    #[serde(default)]
    pub(crate) with_edits: bool,
    /// Names that the first capture declares stand for what the second one has at the same place.
    #[serde(default)]
    pub(crate) substitute: Option<[String; 2]>,
    /// `$NAME` of this is a name that nothing has.
    #[serde(default)]
    pub(crate) fresh: Option<String>,
}

/// One of several edits that go together.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditTable {
    /// The nodes that it is made for: `$IT` in the edit.
    #[serde(default)]
    pub(crate) each: OneOrMore,
    /// Whether the rule does not match where the edit cannot be made.
    #[serde(default)]
    pub(crate) must: bool,
    #[serde(flatten)]
    pub(crate) scope: ScopeTable,
    #[serde(flatten)]
    pub(crate) action: ActionTable,
}

/// A text, or a list of texts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Texts")]
pub struct OneOrMore(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    More(Vec<String>),
}

impl From<Texts> for OneOrMore {
    fn from(texts: Texts) -> Self {
        Self(match texts {
            Texts::One(text) => vec![text],
            Texts::More(texts) => texts,
        })
    }
}

/// A search as a file spells it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SearchName {
    #[default]
    All,
    Halves,
    Gallop,
    Single,
}

impl From<SearchName> for RuleSearch {
    fn from(name: SearchName) -> Self {
        match name {
            SearchName::All => Self::All,
            SearchName::Halves => Self::Halves,
            SearchName::Gallop => Self::Gallop,
            SearchName::Single => Self::Single,
        }
    }
}

/// A gate as a file spells it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GateName {
    #[default]
    Facts,
    Reparse,
}

impl From<GateName> for RuleGate {
    fn from(name: GateName) -> Self {
        match name {
            GateName::Facts => Self::Facts,
            GateName::Reparse => Self::Reparse,
        }
    }
}

/// A strictness as a file spells it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StrictnessName {
    #[default]
    Cst,
    Ast,
}

impl From<StrictnessName> for Strictness {
    fn from(name: StrictnessName) -> Self {
        match name {
            StrictnessName::Cst => Self::Cst,
            StrictnessName::Ast => Self::Ast,
        }
    }
}
