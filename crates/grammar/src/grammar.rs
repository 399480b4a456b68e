//! A whole grammar, and its form as a `grammar.json`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rule::Rule;

/// A grammar of tree-sitter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grammar {
    /// What it is called.
    pub name: String,
    /// The rule that keywords look like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// The rules by their names; the first one is the root.
    #[serde(with = "in_order")]
    pub rules: Vec<(String, Rule)>,
    /// What may stand between any two tokens.
    #[serde(default)]
    pub extras: Vec<Rule>,
    /// Rules that may be in doubt at the same place, until more was read.
    #[serde(default)]
    pub conflicts: Vec<Vec<String>>,
    /// Of rules of one list, the former ones are preferred.
    #[serde(default)]
    pub precedences: Vec<Vec<Rule>>,
    /// Tokens that a scanner in C finds.
    #[serde(default)]
    pub externals: Vec<Rule>,
    /// Rules that are put in wherever they are mentioned.
    #[serde(default)]
    pub inline: Vec<String>,
    /// Rules that are one of several others and show no node.
    #[serde(default)]
    pub supertypes: Vec<String>,
    /// Of an extension: rules of the grammar that go.
    #[serde(skip)]
    pub(crate) without: Vec<String>,
}

/// A text is not a `grammar.json`.
#[derive(Debug, thiserror::Error)]
#[error("not a grammar: {0}")]
pub struct JsonError(#[from] serde_json::Error);

impl Grammar {
    /// Reads the text of a `grammar.json`.
    ///
    /// # Errors
    /// If it has another form.
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        let mut grammar: Self = serde_json::from_str(text)?;
        let rules = grammar.rules.into_iter();
        grammar.rules = rules.map(|(name, rule)| (name, rule.normal())).collect();
        grammar.extras = grammar.extras.into_iter().map(Rule::normal).collect();
        Ok(grammar)
    }

    /// Returns the text of a `grammar.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a grammar is plain data")
    }

    /// Returns a rule.
    pub(crate) fn rule_mut(&mut self, name: &str) -> Option<&mut Rule> {
        self.rules.iter_mut().find(|(other, _)| other == name).map(|(_, rule)| rule)
    }
}

/// Reads and writes rules as an object whose members keep their order.
mod in_order {
    use serde::de::{MapAccess, Visitor};

    use super::{Deserializer, Rule, Serializer};

    pub(super) fn serialize<S: Serializer>(
        rules: &[(String, Rule)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_map(rules.iter().map(|(name, rule)| (name, rule)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(String, Rule)>, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, Rule)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        from.deserialize_map(Members)
    }
}
