//! `[[reference]]`: names in attributes, selectors and strings, also in injected languages.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Kind, Kinds, Mention, Namespace, NodeId, Reader, Tree};
use regex::bytes::Regex;
use serde::Deserialize;

use crate::manifest::error::ManifestError;
use crate::manifest::injections::{regex, whole};
use crate::manifest::schema::{Manifest, kind, kinds_of};
use crate::nested::encoding::{Decoded, Encoding};
use crate::nested::injection_parser::{Place, find, is_named};

/// Where names of one sort stand, as a manifest gives it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReferenceTable {
    /// The sort: names of one space that read alike mean the same thing.
    namespace: String,
    /// The kinds of the leaves.
    kinds: Vec<String>,
    /// The kinds of their parents; any, if not given.
    within: Vec<String>,
    /// A regular expression, blind to case, for the whole text of the parent's first child.
    #[serde(deserialize_with = "whole")]
    named: Option<Regex>,
    /// A regular expression, blind to case, for what stands before the leaf.
    #[serde(deserialize_with = "regex")]
    before: Option<Regex>,
    /// A regular expression, blind to case: each match in the leaf's text is a name, or its group
    /// `name`. Without it, the whole leaf is.
    #[serde(deserialize_with = "regex")]
    pattern: Option<Regex>,
    /// Texts that are no names.
    except: Vec<String>,
    /// Whether the leaf is a list of names.
    list: bool,
    /// Whether the name is given here.
    definition: bool,
}

/// What is true of the names of a space.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NamespaceTable {
    /// What they may be renamed to.
    short: Vec<String>,
    /// Whether they mean the same in documents that stand inside of others.
    everywhere: bool,
}

struct Rule {
    namespace: Arc<Namespace>,
    everywhere: bool,
    within: Vec<Kind>,
    table: Arc<ReferenceTable>,
}

/// Finds names by rules.
#[derive(Default)]
pub(crate) struct Names {
    /// By the kind of the leaf. Of several that fit, all count.
    rules: BTreeMap<Kind, Vec<Rule>>,
    /// Where other languages stand.
    places: Vec<Place>,
    namespaces: BTreeMap<String, NamespaceTable>,
    /// Knows all else.
    pub(crate) reader: Option<Arc<dyn Reader>>,
}

/// Where a walk over a tree is.
struct Around {
    end: NodeId,
    /// The innermost document.
    document: NodeId,
    /// How its text is written, the outermost code first.
    encoding: Vec<Encoding>,
}

impl Names {
    /// Compiles the references of a language, with those of all languages inside, which stand at
    /// these places.
    ///
    /// # Errors
    /// If a kind does not exist.
    pub(crate) fn new(
        manifest: &Manifest,
        places: &[Place],
        inside: Vec<Self>,
        kinds: &Kinds,
    ) -> Result<Self, ManifestError> {
        let (places, namespaces) = (places.to_vec(), manifest.namespace.clone());
        let mut names = Self { rules: BTreeMap::new(), places, namespaces, reader: None };
        for table in &manifest.reference {
            let within: Vec<Kind> = kinds_of(&table.within, kinds)?.into_iter().collect();
            let table = Arc::new(table.clone());
            for name in &table.kinds {
                let (within, table) = (within.clone(), Arc::clone(&table));
                let rule = Rule { namespace: Arc::default(), everywhere: false, within, table };
                names.rules.entry(kind(kinds, name)?).or_default().push(rule);
            }
        }
        for inner in inside {
            names.rules.extend(inner.rules);
            names.places.extend(inner.places);
            names.namespaces.extend(inner.namespaces);
        }
        for rule in names.rules.values_mut().flatten() {
            let name = &rule.table.namespace;
            let known = names.namespaces.get(name).cloned().unwrap_or_default();
            rule.namespace = Arc::new(Namespace { name: name.clone(), short: known.short });
            rule.everywhere = known.everywhere;
        }
        Ok(names)
    }
}

impl Reader for Names {
    fn inner(&self) -> Option<&dyn Reader> {
        self.reader.as_deref()
    }

    fn mentions(&self, tree: &Tree) -> Vec<Mention> {
        let mut mentions = Vec::new();
        let page = Around {
            end: tree.subtree_end(NodeId::ROOT),
            document: NodeId::ROOT,
            encoding: Vec::new(),
        };
        let mut around = vec![page];
        for id in tree.ids() {
            while around.len() > 1 && around.last().is_some_and(|inner| inner.end <= id) {
                around.pop();
            }
            let here = around.last().expect("the page is never left");
            if tree.is_leaf(id) {
                let rules = self.rules.get(&tree.kind(id)).into_iter().flatten();
                for rule in rules {
                    rule.find(tree, id, here, &mut mentions);
                }
            } else if let Some((Place { table, .. }, _)) = find(&self.places, tree, id) {
                let document = if table.document { id } else { here.document };
                let encoding = here.encoding.iter().chain(&table.encoding).copied().collect();
                around.push(Around { end: tree.subtree_end(id), document, encoding });
            }
        }
        mentions
    }
}

impl Rule {
    fn find(&self, tree: &Tree, leaf: NodeId, around: &Around, mentions: &mut Vec<Mention>) {
        if !self.fits(tree, leaf, &around.encoding) {
            return;
        }
        let decoded = Decoded::new(tree.text_of(leaf), &around.encoding);
        let text = &decoded.text[..];
        let document = if self.everywhere { NodeId::ROOT } else { around.document };
        let mut found = |part: Range<usize>| {
            let name = &text[part.clone()];
            let is_name = |except: &String| !except.as_bytes().eq_ignore_ascii_case(name);
            if !name.is_empty() && self.table.except.iter().all(is_name) {
                mentions.push(Mention {
                    namespace: Arc::clone(&self.namespace),
                    document,
                    leaf,
                    part: decoded.place(part.start)..decoded.place(part.end),
                    in_list: self.table.list,
                    is_definition: self.table.definition,
                });
            }
        };
        match &self.table.pattern {
            None => found(0..text.len()),
            Some(pattern) => {
                for all in pattern.captures_iter(text) {
                    if let Some(name) = all.name("name").or_else(|| all.get(0)) {
                        found(name.range());
                    }
                }
            }
        }
    }

    fn fits(&self, tree: &Tree, leaf: NodeId, encoding: &[Encoding]) -> bool {
        let is_within = tree.parent(leaf).is_some_and(|p| self.within.contains(&tree.kind(p)));
        let is_behind = |before: &Regex| {
            let end = tree.span(leaf).start;
            let text = &tree.text()[end.saturating_sub(FAR)..end];
            before.is_match(&Decoded::new(text, encoding).text)
        };
        (is_within || self.within.is_empty())
            && self.table.named.as_ref().is_none_or(|named| is_named(tree, leaf, named))
            && self.table.before.as_ref().is_none_or(is_behind)
    }
}

/// The number of bytes before a leaf that are looked at.
const FAR: usize = 100;
