//! Names in attributes, selectors and strings, found as a manifest says (`[[mention]]`). Knows trees and
//! patterns, no language.

use std::collections::BTreeMap;
use std::sync::Arc;

use minirepro_syntax::{FindNames, Kind, Kinds, Mention, NodeId, Space, Tree};
use regex::bytes::Regex;
use serde::Deserialize;

use crate::ManifestError;
use crate::embed::regex;

/// Where names of one sort stand, as a manifest gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameTable {
    /// The sort: names of one space that read alike mean the same thing.
    space: String,
    /// The kinds of the leaves.
    kinds: Vec<String>,
    /// The kinds of their parents; any, if not given.
    #[serde(default)]
    within: Vec<String>,
    /// A regular expression, blind to case, for the whole text of the parent's first child.
    named: Option<String>,
    /// A regular expression, blind to case, for what stands before the leaf.
    before: Option<String>,
    /// A regular expression, blind to case: each match in the leaf's text is a name, or its group
    /// `name`. Without it, the whole leaf is.
    pattern: Option<String>,
    /// Texts that are no names.
    #[serde(default)]
    except: Vec<String>,
    /// Whether the leaf is a list of names.
    #[serde(default)]
    list: bool,
    /// Whether the name is given here.
    #[serde(default)]
    gives: bool,
}

/// What the names of a space may be renamed to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpaceTable {
    name: String,
    short: Vec<String>,
}

struct Rule {
    space: Arc<Space>,
    within: Vec<Kind>,
    named: Option<Regex>,
    before: Option<Regex>,
    pattern: Option<Regex>,
    except: Vec<Vec<u8>>,
    in_list: bool,
    gives: bool,
}

/// Finds names by rules.
pub(crate) struct Names {
    /// By the kind of the leaf. Of several that fit, all count.
    rules: BTreeMap<Kind, Vec<Arc<Rule>>>,
}

impl Names {
    /// # Errors
    /// A kind that there is not, or a pattern that is none.
    pub(crate) fn new(
        tables: &[NameTable],
        spaces: &[SpaceTable],
        kinds: &Kinds,
    ) -> Result<Self, ManifestError> {
        let find =
            |name: &String| kinds.named(name).ok_or_else(|| ManifestError::Kind(name.clone()));
        let compiled = |pattern: &Option<String>| pattern.as_deref().map(regex).transpose();
        let mut rules: BTreeMap<Kind, Vec<Arc<Rule>>> = BTreeMap::new();
        for table in tables {
            let short = spaces.iter().find(|space| space.name == table.space);
            let short = short.map_or_else(Vec::new, |space| space.short.clone());
            let named = table.named.as_ref().map(|name| format!("^(?:{name})$"));
            let rule = Arc::new(Rule {
                space: Arc::new(Space { name: table.space.clone(), short }),
                within: table.within.iter().map(find).collect::<Result<_, _>>()?,
                named: compiled(&named)?,
                before: compiled(&table.before)?,
                pattern: compiled(&table.pattern)?,
                except: table.except.iter().map(|text| text.clone().into_bytes()).collect(),
                in_list: table.list,
                gives: table.gives,
            });
            for kind in &table.kinds {
                rules.entry(find(kind)?).or_default().push(Arc::clone(&rule));
            }
        }
        Ok(Self { rules })
    }
}

impl FindNames for Names {
    fn mentions(&self, tree: &Tree) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for leaf in tree.ids().filter(|&id| tree.is_leaf(id)) {
            let rules = self.rules.get(&tree.kind(leaf)).into_iter().flatten();
            rules.for_each(|rule| rule.find(tree, leaf, &mut mentions));
        }
        mentions
    }
}

impl Rule {
    fn find(&self, tree: &Tree, leaf: NodeId, mentions: &mut Vec<Mention>) {
        if !self.fits(tree, leaf) {
            return;
        }
        let text = tree.text_of(leaf);
        let mut found = |part: std::ops::Range<usize>| {
            let name = &text[part.clone()];
            if !name.is_empty() && !self.except.iter().any(|e| e.eq_ignore_ascii_case(name)) {
                let (space, in_list, gives) = (Arc::clone(&self.space), self.in_list, self.gives);
                mentions.push(Mention { space, leaf, part, in_list, gives });
            }
        };
        match &self.pattern {
            None => found(0..text.len()),
            Some(pattern) => {
                for all in pattern.captures_iter(text) {
                    all.name("name")
                        .or_else(|| all.get(0))
                        .into_iter()
                        .for_each(|m| found(m.range()));
                }
            }
        }
    }

    fn fits(&self, tree: &Tree, leaf: NodeId) -> bool {
        let parent = tree.parent(leaf);
        let is_within = parent.is_some_and(|p| self.within.contains(&tree.kind(p)));
        let is_named = |named: &Regex| {
            let first = parent.and_then(|p| tree.children(p).next()).filter(|&first| first != leaf);
            first.is_some_and(|first| named.is_match(tree.text_of(first)))
        };
        let is_behind = |before: &Regex| {
            let end = tree.span(leaf).start;
            before.is_match(&tree.text()[end.saturating_sub(FAR)..end])
        };
        (is_within || self.within.is_empty())
            && self.named.as_ref().is_none_or(is_named)
            && self.before.as_ref().is_none_or(is_behind)
    }
}

/// So many bytes before a leaf are looked at.
const FAR: usize = 100;
