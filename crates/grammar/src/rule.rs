//! The right side of a rule, as a `grammar.json` gives it.

use serde::{Deserialize, Serialize};

/// What a rule matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Rule {
    /// Nothing.
    Blank,
    /// A text.
    String {
        /// The text.
        value: String,
    },
    /// A regular expression.
    Pattern {
        /// The expression.
        value: String,
        /// Its flags, such as `i`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flags: Option<String>,
    },
    /// Another rule.
    Symbol {
        /// Its name.
        name: String,
    },
    /// One after the other.
    Seq {
        /// The parts.
        members: Vec<Self>,
    },
    /// One of several.
    Choice {
        /// The alternatives.
        members: Vec<Self>,
    },
    /// Any number of times.
    Repeat {
        /// What is repeated.
        content: Box<Self>,
    },
    /// At least once.
    #[serde(rename = "REPEAT1")]
    Repeat1 {
        /// What is repeated.
        content: Box<Self>,
    },
    /// A part with a name.
    Field {
        /// The name.
        name: String,
        /// The part.
        content: Box<Self>,
    },
    /// A part whose node has another kind.
    Alias {
        /// The part.
        content: Box<Self>,
        /// Whether the kind is that of a rule, not of a text.
        named: bool,
        /// The kind.
        value: String,
    },
    /// A part that is preferred.
    Prec {
        /// How much.
        value: Precedence,
        /// The part.
        content: Box<Self>,
    },
    /// A part that groups to the left.
    PrecLeft {
        /// How much it is preferred.
        value: Precedence,
        /// The part.
        content: Box<Self>,
    },
    /// A part that groups to the right.
    PrecRight {
        /// How much it is preferred.
        value: Precedence,
        /// The part.
        content: Box<Self>,
    },
    /// A part that is preferred while parsing, among readings that are all possible.
    PrecDynamic {
        /// How much.
        value: Precedence,
        /// The part.
        content: Box<Self>,
    },
    /// A part that is one token.
    Token {
        /// The part.
        content: Box<Self>,
    },
    /// A part that is one token, without blank space before it.
    ImmediateToken {
        /// The part.
        content: Box<Self>,
    },
}

/// How much something is preferred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Precedence {
    /// By this much.
    Number(i32),
    /// As a list of the grammar says.
    Name(String),
}

impl Rule {
    /// Returns one rule after the other, without a list around a single one.
    pub(crate) fn seq(mut members: Vec<Self>) -> Self {
        match members.len() {
            0 => Self::Blank,
            1 => members.remove(0),
            _ => Self::Seq { members },
        }
    }

    /// Returns one of several rules, without a list around a single one.
    pub(crate) fn choice(mut members: Vec<Self>) -> Self {
        if members.len() == 1 { members.remove(0) } else { Self::Choice { members } }
    }

    /// Returns the same rule in the form in which the notation gives it: lists of one are that one,
    /// and a slash in a pattern needs no backslash.
    pub(crate) fn normal(self) -> Self {
        let inside = |content: Box<Self>| Box::new(content.normal());
        let all = |members: Vec<Self>| members.into_iter().map(Self::normal).collect();
        match self {
            Self::Seq { members } => Self::seq(all(members)),
            Self::Choice { members } => Self::choice(all(members)),
            Self::Pattern { value, flags } => {
                Self::Pattern { value: value.replace("\\/", "/"), flags }
            }
            Self::Repeat { content } => Self::Repeat { content: inside(content) },
            Self::Repeat1 { content } => Self::Repeat1 { content: inside(content) },
            Self::Field { name, content } => Self::Field { name, content: inside(content) },
            Self::Alias { content, named, value } => {
                Self::Alias { content: inside(content), named, value }
            }
            Self::Prec { value, content } => Self::Prec { value, content: inside(content) },
            Self::PrecLeft { value, content } => Self::PrecLeft { value, content: inside(content) },
            Self::PrecRight { value, content } => {
                Self::PrecRight { value, content: inside(content) }
            }
            Self::PrecDynamic { value, content } => {
                Self::PrecDynamic { value, content: inside(content) }
            }
            Self::Token { content } => Self::Token { content: inside(content) },
            Self::ImmediateToken { content } => Self::ImmediateToken { content: inside(content) },
            simple @ (Self::Blank | Self::String { .. } | Self::Symbol { .. }) => simple,
        }
    }

    /// Puts `old` wherever the rule stands for what it replaces; returns whether it does.
    pub(crate) fn fill(&mut self, old: Option<&Self>) -> bool {
        match self {
            Self::Symbol { name } if name == OLD => {
                if let Some(old) = old {
                    *self = old.clone();
                }
                true
            }
            Self::Blank | Self::String { .. } | Self::Pattern { .. } | Self::Symbol { .. } => false,
            Self::Seq { members } | Self::Choice { members } => {
                members.iter_mut().map(|member| usize::from(member.fill(old))).sum::<usize>() > 0
            }
            Self::Repeat { content }
            | Self::Repeat1 { content }
            | Self::Field { content, .. }
            | Self::Alias { content, .. }
            | Self::Prec { content, .. }
            | Self::PrecLeft { content, .. }
            | Self::PrecRight { content, .. }
            | Self::PrecDynamic { content, .. }
            | Self::Token { content }
            | Self::ImmediateToken { content } => content.fill(old),
        }
    }
}

/// Stands in an extension for the rule that it replaces.
pub(crate) const OLD: &str = "...";
