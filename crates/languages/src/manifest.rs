//! `language.toml`: what is said about a language in data. Knows the file's form, no language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use minirepro_syntax::{Kind, Kinds, Rewrite, RewritePart, Roles, Style};
use serde::Deserialize;

use crate::embed::Embed;
use crate::implied::{Implied, ImpliedTable};
use crate::lexing::Lexing;
use crate::names::{NameTable, SpaceTable};
use crate::nesting::Nesting;

/// The contents of a `language.toml`; its fields are explained in `grammars/README.md`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) suffixes: Vec<String>,
    pub(crate) description: String,
    pub(crate) lexing: Lexing,
    pub(crate) style: StyleTable,
    #[serde(default)]
    pub(crate) atoms: Vec<String>,
    #[serde(default)]
    pub(crate) prose: Vec<String>,
    pub(crate) word: Option<String>,
    pub(crate) nesting: Option<Nesting>,
    #[serde(default)]
    pub(crate) identifiers: Vec<String>,
    #[serde(default)]
    pub(crate) roles: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) least: Vec<Least>,
    /// Whether a browser reads it: then no text is refused, and the HTML standard's parser says
    /// what it is read as.
    #[serde(default)]
    pub(crate) browser: bool,
    /// Whether the root is a list whose items can be read one by one, as [`crate::pieces`] finds them.
    #[serde(default)]
    pub(crate) apart: bool,
    #[serde(default)]
    pub(crate) embed: Vec<Embed>,
    #[serde(default)]
    pub(crate) name_space: Vec<SpaceTable>,
    #[serde(default, rename = "mention")]
    pub(crate) mentions: Vec<NameTable>,
    #[serde(default)]
    pub(crate) part: Vec<PartTable>,
    #[serde(default)]
    pub(crate) implied: Vec<ImpliedTable>,
    #[serde(default)]
    pub(crate) retag: Vec<Retag>,
    #[serde(default)]
    pub(crate) rewrite: Vec<RewriteTable>,
    #[serde(default)]
    pub(crate) never: Vec<NeverTable>,
    #[serde(default)]
    pub(crate) signs: BTreeMap<String, String>,
}

/// Another form that nodes of some kinds can take.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RewriteTable {
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    kinds: Vec<String>,
    /// Parts with spaces between them: `$0` (a named child), `$1.0` (a child of it), `$last`, `$role`, or a token.
    to: String,
    /// The kind of the new form.
    #[serde(rename = "as")]
    kind: Option<String>,
    /// Kinds of which a child must be one.
    #[serde(default)]
    holds: Vec<String>,
}

/// Children that nobody puts there, although the grammar takes them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NeverTable {
    within: Vec<String>,
    kinds: Vec<String>,
}

/// Leaves that the grammar takes for something else than what they are.
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

/// A part of the language that stands alone in others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartTable {
    /// Its kind.
    pub(crate) name: String,
    /// Its children, in the form of the facts.
    pub(crate) is: String,
    /// What makes a whole text of it.
    pub(crate) before: String,
    pub(crate) after: String,
}

/// How tokens are kept apart.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StyleTable {
    gaps: bool,
    separate: bool,
}

/// A least text and what it is.
type Put = (Arc<[u8]>, Option<Kind>);

/// Texts that may stand for any node of some kinds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Least {
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    kinds: Vec<String>,
    texts: Vec<LeastText>,
}

/// A text and what it is in the tree.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeastText {
    text: String,
    kind: Option<String>,
}

/// What is wrong with a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Not TOML, or not of the expected form.
    #[error("not a language manifest: {0}")]
    Form(#[from] toml::de::Error),
    /// A kind that the grammar does not have.
    #[error("the grammar has no kind `{0}`")]
    Kind(String),
    /// A pattern that is no regular expression.
    #[error("{0}")]
    Pattern(#[from] regex::Error),
    /// A language to embed that there is not.
    #[error("there is no language `{0}` to embed")]
    Language(String),
    /// A role that the manifest does not define.
    #[error("there is no role `{0}`")]
    Role(String),
}

impl Manifest {
    /// Reads the text of a `language.toml`.
    pub(crate) fn read(text: &str) -> Result<Self, ManifestError> {
        Ok(toml::from_str(text)?)
    }

    /// The forms in which tokens are implied.
    pub(crate) fn implied(&self) -> Result<Implied, ManifestError> {
        Ok(Implied::new(&self.implied)?)
    }

    /// How tokens are kept apart.
    pub(crate) fn style(&self) -> Style {
        Style { gaps: self.style.gaps, separate: self.style.separate }
    }

    /// The roles, with names of kinds looked up.
    pub(crate) fn roles(&self, kinds: &Kinds) -> Result<Roles, ManifestError> {
        let set = |names: &[String]| -> Result<BTreeSet<Kind>, ManifestError> {
            names.iter().map(|name| kind(kinds, name)).collect()
        };
        let named = self
            .roles
            .iter()
            .map(|(role, names)| Ok((role.clone(), set(names)?)))
            .collect::<Result<BTreeMap<_, _>, ManifestError>>()?;
        let mut least: BTreeMap<Kind, Vec<Put>> = BTreeMap::new();
        for entry in &self.least {
            let mut places = set(&entry.kinds)?;
            for role in &entry.roles {
                places.extend(named.get(role).ok_or_else(|| ManifestError::Role(role.clone()))?);
            }
            let texts = entry
                .texts
                .iter()
                .map(|t| {
                    let kind = t.kind.as_ref().map(|name| kind(kinds, name)).transpose()?;
                    Ok((Arc::from(t.text.as_bytes()), kind))
                })
                .collect::<Result<Vec<_>, ManifestError>>()?;
            for place in places {
                least.entry(place).or_default().extend(texts.iter().cloned());
            }
        }
        for texts in least.values_mut() {
            texts.sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
            texts.dedup();
        }
        let mut rewrites: BTreeMap<Kind, Vec<Rewrite>> = BTreeMap::new();
        for table in &self.rewrite {
            let kind = table.kind.as_ref().map(|name| kind(kinds, name)).transpose()?;
            let rewrite = Rewrite {
                parts: table.to.split(' ').map(part).collect(),
                kind,
                holds: set(&table.holds)?,
            };
            let mut places = set(&table.kinds)?;
            for role in &table.roles {
                places.extend(named.get(role).ok_or_else(|| ManifestError::Role(role.clone()))?);
            }
            for place in places {
                rewrites.entry(place).or_default().push(rewrite.clone());
            }
        }
        let mut never: BTreeMap<Kind, BTreeSet<Kind>> = BTreeMap::new();
        for table in &self.never {
            for parent in set(&table.within)? {
                never.entry(parent).or_default().extend(set(&table.kinds)?);
            }
        }
        let sign = |(name, text): (&String, &String)| (name.clone(), Arc::from(text.as_bytes()));
        let signs = self.signs.iter().map(sign).collect();
        Ok(Roles { identifiers: set(&self.identifiers)?, least, rewrites, never, signs, named })
    }
}

fn part(text: &str) -> RewritePart {
    match text.strip_prefix('$') {
        None => RewritePart::Text(Arc::from(text.as_bytes())),
        Some("last") => RewritePart::Last,
        Some(name) => {
            let path: Result<Vec<usize>, _> = name.split('.').map(str::parse).collect();
            path.map_or_else(|_| RewritePart::Below(name.to_owned()), RewritePart::Child)
        }
    }
}

fn kind(kinds: &Kinds, name: &str) -> Result<Kind, ManifestError> {
    kinds.named(name).ok_or_else(|| ManifestError::Kind(name.to_owned()))
}
