//! `[[reference]]`: names in attributes, selectors and strings, also in injected languages.

use std::collections::BTreeMap;
use std::sync::Arc;

use minirepro_syntax::{FindNames, Kind, Kinds, Mention, Namespace, NodeId, Tree};
use regex::bytes::Regex;
use serde::Deserialize;

use crate::manifest::error::ManifestError;
use crate::manifest::injections::{InjectionTable, places_of, regex};
use crate::nested::encoding::{Decoded, Encoding};
use crate::nested::injection_parser::Place;

/// Where names of one sort stand, as a manifest gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReferenceTable {
    /// The sort: names of one space that read alike mean the same thing.
    namespace: String,
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
    definition: bool,
}

/// What is true of the names of a space.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamespaceTable {
    name: String,
    /// What they may be renamed to.
    #[serde(default)]
    short: Vec<String>,
    /// Whether they mean the same in documents that stand inside of others.
    #[serde(default)]
    everywhere: bool,
}

/// What a manifest says of names, for the language itself or where it stands inside of another.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// What its kinds are called there: this and their own name.
    prefix: String,
    references: Vec<ReferenceTable>,
    namespaces: Vec<NamespaceTable>,
    injections: Vec<InjectionTable>,
}

struct Rule {
    namespace: Arc<Namespace>,
    everywhere: bool,
    within: Vec<Kind>,
    named: Option<Regex>,
    before: Option<Regex>,
    pattern: Option<Regex>,
    except: Vec<Vec<u8>>,
    in_list: bool,
    is_definition: bool,
}

/// Finds names by rules.
pub(crate) struct Names {
    /// By the kind of the leaf. Of several that fit, all count.
    rules: BTreeMap<Kind, Vec<Rule>>,
    /// Where other languages stand, by the kind of the node. Of several that fit, the first counts.
    injected: BTreeMap<Kind, Vec<Region>>,
}

/// A place where another language stands.
struct Region {
    place: Place,
    /// Whether one does.
    holds: bool,
    /// Whether its names are others than those outside.
    is_document: bool,
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
    /// Compiles the references of a language, the first source, with those of all injected
    /// languages.
    ///
    /// # Errors
    /// If a kind does not exist, or a pattern is invalid.
    pub(crate) fn new(sources: &[Source], kinds: &Kinds) -> Result<Self, ManifestError> {
        let mut names = Self { rules: BTreeMap::new(), injected: BTreeMap::new() };
        let namespaces: Vec<&NamespaceTable> =
            sources.iter().flat_map(|source| &source.namespaces).collect();
        for source in sources {
            for table in &source.references {
                for kind in &table.kinds {
                    let rule = Rule::new(table, &namespaces, &source.prefix, kinds)?;
                    names.rules.entry(source.kind(kind, kinds)?).or_default().push(rule);
                }
            }
            for injection in &source.injections {
                for place in places_of(injection, None, &source.prefix, kinds)? {
                    let holds = injection.language.is_some();
                    let is_document = injection.document;
                    let region = Region { place, holds, is_document };
                    names.injected.entry(region.place.kind).or_default().push(region);
                }
            }
        }
        Ok(names)
    }

    fn region(&self, tree: &Tree, id: NodeId) -> Option<&Region> {
        let mut regions = self.injected.get(&tree.kind(id))?.iter();
        regions.find(|region| region.place.text(tree, id).is_some()).filter(|region| region.holds)
    }
}

impl Source {
    /// Returns the references of a manifest's own language.
    pub(crate) fn new(
        references: Vec<ReferenceTable>,
        namespaces: Vec<NamespaceTable>,
        injections: Vec<InjectionTable>,
    ) -> Self {
        Self { prefix: String::new(), references, namespaces, injections }
    }

    /// Returns the same references where that language is injected under `name`.
    pub(crate) fn inside(self, name: &str) -> Self {
        Self { prefix: format!("{name}_{}", self.prefix), ..self }
    }

    fn kind(&self, name: &str, kinds: &Kinds) -> Result<Kind, ManifestError> {
        kind(&self.prefix, name, kinds)
    }
}

/// Returns the kind of a language that may be injected.
fn kind(prefix: &str, name: &str, kinds: &Kinds) -> Result<Kind, ManifestError> {
    let name = format!("{prefix}{name}");
    kinds.named(&name).ok_or(ManifestError::Kind(name))
}

impl FindNames for Names {
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
            } else if let Some(region) = self.region(tree, id) {
                let document = if region.is_document { id } else { here.document };
                let encoding =
                    here.encoding.iter().chain(&region.place.encoding).copied().collect();
                around.push(Around { end: tree.subtree_end(id), document, encoding });
            }
        }
        mentions
    }
}

impl Rule {
    fn new(
        table: &ReferenceTable,
        namespaces: &[&NamespaceTable],
        prefix: &str,
        kinds: &Kinds,
    ) -> Result<Self, ManifestError> {
        let compiled = |pattern: &Option<String>| pattern.as_deref().map(regex).transpose();
        let named = table.named.as_ref().map(|name| format!("^(?:{name})$"));
        let known = namespaces.iter().find(|namespace| namespace.name == table.namespace);
        let short = known.map_or_else(Vec::new, |namespace| namespace.short.clone());
        Ok(Self {
            namespace: Arc::new(Namespace { name: table.namespace.clone(), short }),
            everywhere: known.is_some_and(|namespace| namespace.everywhere),
            within: table
                .within
                .iter()
                .map(|k| kind(prefix, k, kinds))
                .collect::<Result<_, _>>()?,
            named: compiled(&named)?,
            before: compiled(&table.before)?,
            pattern: compiled(&table.pattern)?,
            except: table.except.iter().map(|text| text.clone().into_bytes()).collect(),
            in_list: table.list,
            is_definition: table.definition,
        })
    }

    fn find(&self, tree: &Tree, leaf: NodeId, around: &Around, mentions: &mut Vec<Mention>) {
        if !self.fits(tree, leaf, &around.encoding) {
            return;
        }
        let decoded = Decoded::new(tree.text_of(leaf), &around.encoding);
        let text = &decoded.text[..];
        let document = if self.everywhere { NodeId::ROOT } else { around.document };
        let mut found = |part: std::ops::Range<usize>| {
            let name = &text[part.clone()];
            if !name.is_empty() && !self.except.iter().any(|e| e.eq_ignore_ascii_case(name)) {
                let (namespace, in_list, is_definition) =
                    (Arc::clone(&self.namespace), self.in_list, self.is_definition);
                let part = decoded.place(part.start)..decoded.place(part.end);
                mentions.push(Mention { namespace, document, leaf, part, in_list, is_definition });
            }
        };
        match &self.pattern {
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
        let parent = tree.parent(leaf);
        let is_within = parent.is_some_and(|p| self.within.contains(&tree.kind(p)));
        let is_named = |named: &Regex| {
            let first = parent.and_then(|p| tree.children(p).next()).filter(|&first| first != leaf);
            first.is_some_and(|first| named.is_match(tree.text_of(first).trim_ascii()))
        };
        let is_behind = |before: &Regex| {
            let end = tree.span(leaf).start;
            before
                .is_match(&Decoded::new(&tree.text()[end.saturating_sub(FAR)..end], encoding).text)
        };
        (is_within || self.within.is_empty())
            && self.named.as_ref().is_none_or(is_named)
            && self.before.as_ref().is_none_or(is_behind)
    }
}

/// The number of bytes before a leaf that are looked at.
const FAR: usize = 100;
