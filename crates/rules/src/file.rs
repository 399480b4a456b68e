//! The form of a file of rules: the guide's chapter *rules* explains its keys.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::interned::interned;

/// One file: a pass.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleFile {
    /// The edits, in words for the certificate.
    pub edits: Option<String>,
    /// The search over the matches.
    pub search: RuleSearch,
    /// How the edits are checked before a test.
    pub gate: RuleGate,
    /// The pass that it follows.
    pub after: Option<String>,
    /// Whether it waits until the text is small.
    pub late: bool,
    /// Whether forms that are not smaller are tried, too.
    pub grows: bool,
    /// Whether its rules name kinds of nodes of the languages inside.
    pub across: bool,
    /// Captures for those rules that mention them.
    #[serde(flatten)]
    pub shared: CaptureTable,
    /// Examples of what it does.
    #[serde(rename = "example")]
    pub examples: Vec<RuleExample>,
    /// The rules.
    #[serde(rename = "rule")]
    pub rules: Vec<RuleTable>,
}

impl RuleFile {
    /// Reads a text.
    ///
    /// # Errors
    /// If it does not have the form of rules.
    pub fn read(text: &str) -> Result<Self, toml::de::Error> {
        let mut file: Self = toml::from_str(text)?;
        file.rules.iter_mut().for_each(|rule| rule.shared = file.shared.clone());
        Ok(file)
    }

    /// Returns the edits of the pass in words, and the pass that it follows.
    pub fn head(&self) -> [&'static str; 2] {
        let edits = self.edits.as_deref().unwrap_or("give a part another form");
        [edits, self.after.as_deref().unwrap_or("merge-names")].map(interned)
    }
}

/// An example: what single matches make of a text, and what none may.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleExample {
    /// The language; the one that was asked about without.
    pub language: Option<String>,
    /// What it shows, in words.
    pub title: String,
    /// The text before.
    pub before: String,
    /// What one match each must make of it.
    pub after: OneOrMore,
    /// What no match may make of it.
    pub never: OneOrMore,
}

/// Captures: where paths lead.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CaptureTable {
    /// Captures of at least one node.
    #[serde(rename = "let")]
    pub some: BTreeMap<String, OneOrMore>,
    /// Captures of any number of nodes.
    pub maybe: BTreeMap<String, OneOrMore>,
    /// Captures of one node each.
    pub any: BTreeMap<String, OneOrMore>,
}

/// A rule, or one of the further edits of a rule.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleTable {
    /// What a part must look like: code with captures, or a query; each is a rule of its own.
    #[serde(rename = "match")]
    pub subject: OneOrMore,
    /// Instead of a subject, in further edits: the nodes that it is made for.
    pub each: OneOrMore,
    #[serde(flatten)]
    pub(crate) captures: CaptureTable,
    /// Those of the file.
    pub(crate) shared: CaptureTable,
    /// Paths that must lead somewhere.
    #[serde(rename = "where")]
    pub present: OneOrMore,
    /// Paths that must lead nowhere.
    #[serde(rename = "unless")]
    pub absent: OneOrMore,
    /// Whether the rule does not match where the edit cannot be made.
    pub must: bool,
    /// These go.
    pub drop: OneOrMore,
    /// These mentions go, with as much around each as the grammar demands.
    pub remove: OneOrMore,
    /// A new text; of a rule each is one of its own.
    pub put: OneOrMore,
    /// The new text's kind, of each or of all.
    #[serde(rename = "as")]
    pub kind: OneOrMore,
    /// The text comes instead of these.
    pub at: OneOrMore,
    /// The text comes into these, as the last element.
    pub into: OneOrMore,
    /// What stands between the nodes of `$$$NAME`, which with `as` become one token, and before what
    /// is added to a list.
    pub separator: Option<String>,
    /// `$PROPERTY` and `$VALUE` are what style rules declare for the class that this capture says.
    pub declared_for: Option<String>,
    /// Whether captured nodes from elsewhere come with the edits that are made in them.
    pub with_edits: bool,
    /// Names that the first capture declares stand for what the second one has at the same place.
    pub substitute: Option<[String; 2]>,
    /// Further edits that go together.
    pub edit: Vec<RuleTable>,
}

/// A text, or a list of texts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Texts")]
pub struct OneOrMore(pub Vec<String>);

impl OneOrMore {
    pub(crate) fn first(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }
}

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

/// How the matches of a pass are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleSearch {
    /// All at once first: most will work.
    #[default]
    All,
    /// The same, but only the first form of each node, except in the sweep.
    First,
    /// All at once first, then halves.
    Halves,
    /// Single matches first, in groups that grow with success; largest first.
    Gallop,
    /// One after the other.
    Single,
}

/// How the edits of a pass are checked before a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleGate {
    /// By what the grammar allows.
    #[default]
    Facts,
    /// Only by reading the new text.
    Reparse,
}
