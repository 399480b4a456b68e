//! Reads a `grammar.json`, the form in which tree-sitter's tools keep a grammar beside its parser.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::derive::DeriveError;

/// The largest grammars have some 2,000 rules; what is derived takes up to the square of their
/// number.
const MOST_RULES: usize = 10_000;

/// The parts of a `grammar.json` that knowledge is derived from.
#[derive(Deserialize)]
pub(super) struct Grammar {
    pub(super) name: String,
    /// The kind that keywords are told apart from.
    pub(super) word: Option<String>,
    /// In the order of the file: the first rule is the root.
    pub(super) rules: IndexMap<String, Rule>,
    /// Tokens that a scanner finds.
    #[serde(default)]
    externals: Vec<Rule>,
    /// What may stand between any two tokens.
    #[serde(default)]
    pub(super) extras: Vec<Rule>,
    #[serde(default)]
    supertypes: Vec<String>,
    #[serde(default)]
    inline: Vec<String>,
}

/// The body of a rule, or a part of it.
#[derive(Deserialize, PartialEq, Eq, Hash)]
pub(super) struct Rule {
    #[serde(rename = "type")]
    pub(super) form: Form,
    #[serde(default)]
    members: Vec<Self>,
    content: Option<Box<Self>>,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    value: serde_json::Value,
    #[serde(default)]
    flags: String,
    /// Whether an alias is the name of a kind.
    #[serde(default)]
    pub(super) named: bool,
}

/// The form of a rule.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Form {
    Blank,
    String,
    Pattern,
    #[serde(alias = "IMMEDIATE_TOKEN")]
    Token,
    Symbol,
    Alias,
    Seq,
    Choice,
    Repeat,
    Repeat1,
    Field,
    #[serde(alias = "PREC_LEFT", alias = "PREC_RIGHT", alias = "PREC_DYNAMIC", alias = "RESERVED")]
    Prec,
}

impl Rule {
    /// Returns the rules that it is made of.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Self> {
        self.members.iter().chain(self.content.as_deref())
    }

    /// Returns it and all rules in it, but not those that it names, in their order.
    pub(super) fn all(&self) -> Vec<&Self> {
        let inner = self.parts().flat_map(Self::all);
        std::iter::once(self).chain(inner).collect()
    }

    /// Returns the rule without the wrappers that do not show in trees.
    pub(super) fn unwrapped(&self) -> &Self {
        match &self.content {
            Some(content) if matches!(self.form, Form::Field | Form::Prec) => content.unwrapped(),
            _ => self,
        }
    }

    /// Returns the text of a string, a pattern or an alias.
    pub(super) fn text(&self) -> &str {
        self.value.as_str().unwrap_or_default()
    }

    /// Returns the regular expression of a token; `None` if it refers to other rules.
    pub(super) fn pattern(&self) -> Option<String> {
        let inner: Vec<String> = self.parts().map(Self::pattern).collect::<Option<_>>()?;
        Some(match self.form {
            Form::Symbol => return None,
            Form::String => regex::escape(self.text()),
            Form::Pattern if self.flags.contains('i') => format!("(?i:{})", self.text()),
            Form::Pattern => format!("(?:{})", self.text()),
            Form::Choice => format!("(?:{})", inner.join("|")),
            Form::Repeat => format!("(?:{})*", inner.concat()),
            Form::Repeat1 => format!("(?:{})+", inner.concat()),
            _ => format!("(?:{})", inner.concat()),
        })
    }

    /// Returns whether it is a token, whatever it holds.
    pub(super) fn is_token(&self) -> bool {
        matches!(self.form, Form::String | Form::Pattern | Form::Token)
    }

    /// Returns whether it can only be blank space: then it shows nowhere in our trees.
    pub(super) fn is_blank(&self) -> bool {
        match self.form {
            Form::String => self.text().trim().is_empty(),
            Form::Pattern => {
                let signs = ["\\r", "\\n", "\\t", "\\s"].iter();
                let rest = signs.fold(self.text().to_owned(), |rest, sign| rest.replace(sign, ""));
                rest.chars().all(|c| " \t\r\n?*+()[]|".contains(c))
            }
            _ => self.parts().all(Self::is_blank),
        }
    }
}

impl Grammar {
    /// Reads the text of a `grammar.json`.
    ///
    /// # Errors
    /// If it is not JSON, or not of that form.
    pub(super) fn read(text: &str) -> Result<Self, DeriveError> {
        let grammar: Self = serde_json::from_str(text)?;
        if grammar.rules.len() > MOST_RULES {
            return Err(DeriveError::TooLarge(grammar.rules.len()));
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let is_name = |name: &str| !name.is_empty() && name.chars().all(is_part);
        match grammar.rules.keys().find(|name| !is_name(name)) {
            Some(name) => Err(DeriveError::Name(name.clone())),
            None => Ok(grammar),
        }
    }

    /// Returns the names of the rules.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.rules.keys().map(String::as_str)
    }

    /// Returns the names of the tokens that a scanner finds.
    pub(super) fn externals(&self) -> impl Iterator<Item = &str> {
        let symbols = self.externals.iter().filter(|token| token.form == Form::Symbol);
        symbols.map(|token| token.name.as_str())
    }

    /// Returns the body of a rule without the wrappers that do not show in trees; tokens of a
    /// scanner have none.
    pub(super) fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.get(name).map(Rule::unwrapped)
    }

    /// Returns the kinds that may stand between any two tokens.
    pub(super) fn extra_kinds(&self) -> impl Iterator<Item = &str> {
        self.extras.iter().filter_map(|extra| match extra.form {
            Form::Symbol => Some(extra.name.as_str()),
            Form::Alias => Some(extra.text()),
            _ => None,
        })
    }

    /// Returns whether nodes of the kind may end with a semicolon.
    pub(super) fn mentions_semicolon(&self, kind: &str) -> bool {
        let is_semicolon = |rule: &&Rule| rule.text() == ";" || rule.name.contains("semicolon");
        self.rule(kind).is_some_and(|rule| rule.all().iter().any(is_semicolon))
    }

    /// Returns whether `//` begins no comment.
    pub(super) fn comments_are_unlike_those_of_c(&self) -> bool {
        let is_comment = |name: &str| name.to_lowercase().contains("comment");
        let comments = self.rules.iter().filter(|(name, _)| is_comment(name));
        let mut parts = comments.flat_map(|(_, rule)| rule.all());
        !parts.any(|rule| rule.text().replace('\\', "").starts_with("//"))
    }

    /// Returns whether a rule shows no node of its own.
    pub(super) fn is_hidden(&self, name: &str) -> bool {
        name.starts_with('_') || self.supertypes.iter().chain(&self.inline).any(|s| s == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Grammar;

    #[test]
    fn only_where_a_comment_begins_with_two_slashes_they_begin_one() {
        for (comment, expected) in [
            (r##"{ "type": "PATTERN", "value": "#.*" }"##, true),
            (
                r#"{ "type": "TOKEN", "content": { "type": "SEQ", "members": [
                { "type": "STRING", "value": "//" }, { "type": "PATTERN", "value": ".*" }] } }"#,
                false,
            ),
            (r#"{ "type": "PATTERN", "value": "\\/\\/.*" }"#, false),
        ] {
            let rules = format!(r#"{{ "name": "x", "rules": {{ "line_comment": {comment} }} }}"#);
            let grammar = Grammar::read(&rules).expect("a grammar");
            assert_eq!(grammar.comments_are_unlike_those_of_c(), expected, "{comment}");
        }
    }
}
