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
    pub search: Option<RuleSearch>,
    /// Whether only the reading of the new text tells if an edit is possible, not the grammar.
    /// Captured nodes from elsewhere come with the edits in them.
    pub reparse: bool,
    /// The pass that it follows.
    pub after: Option<String>,
    /// Whether it waits until the text is small.
    pub late: bool,
    /// Whether forms that are not smaller are tried, too.
    pub grows: bool,
    /// Whether its rules name kinds of nodes of the languages inside.
    pub across: bool,
    /// Captures for all rules.
    pub r#let: BTreeMap<String, OneOrMore>,
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
        for rule in &mut file.rules {
            let own = std::mem::replace(&mut rule.r#let, file.r#let.clone());
            rule.r#let.extend(own);
        }
        Ok(file)
    }

    /// Adds the rules of another file of the pass, and what it says of the pass: the later one
    /// counts where both say something.
    pub fn join(&mut self, other: Self) {
        self.rules.extend(other.rules);
        self.edits = other.edits.or(self.edits.take());
        self.search = other.search.or(self.search);
        self.after = other.after.or(self.after.take());
        self.reparse |= other.reparse;
        self.late |= other.late;
        self.grows |= other.grows;
        self.across |= other.across;
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

/// A rule, or one of the further edits of a rule.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleTable {
    /// What a part must look like: code with captures, or a query; each is a rule of its own.
    pub r#match: OneOrMore,
    /// Instead, in further edits: the nodes that each is made for.
    pub each: OneOrMore,
    /// Captures: where paths lead.
    pub r#let: BTreeMap<String, OneOrMore>,
    /// Paths that must lead somewhere, or with `!` nowhere.
    pub r#where: OneOrMore,
    /// These go.
    pub drop: OneOrMore,
    /// These mentions go, with as much around each as the grammar demands.
    pub remove: OneOrMore,
    /// A new text; of a rule each is one of its own.
    pub put: OneOrMore,
    /// The text comes instead of these.
    pub at: OneOrMore,
    /// What stands between the nodes of `$$$NAME`; tokens that are all of the text become one.
    pub separator: Option<String>,
    /// Names that the first capture declares stand for what the second one has at the same place.
    pub substitute: Option<[String; 2]>,
    /// Further edits that go together.
    pub edit: Vec<RuleTable>,
}

/// A text, or a list of texts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// No text.
    #[default]
    None,
    /// A text.
    One(String),
    /// A list.
    More(Vec<String>),
}

impl OneOrMore {
    /// Returns all texts.
    pub fn all(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(text) => std::slice::from_ref(text),
            Self::More(texts) => texts,
        }
    }

    /// Returns the text of that number, the last one if there are not as many.
    pub(crate) fn get(&self, number: usize) -> &str {
        self.all().get(number).or(self.all().last()).map_or("", String::as_str)
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
