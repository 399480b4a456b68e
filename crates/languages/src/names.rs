//! Names in attributes, selectors and strings, found as manifests say (`[[mention]]`), also where one
//! language stands inside of another. Knows trees, patterns and codes, no language.

use std::collections::BTreeMap;
use std::sync::Arc;

use minirepro_syntax::{FindNames, Kind, Kinds, Mention, NodeId, Space, Tree};
use regex::bytes::Regex;
use serde::Deserialize;

use crate::ManifestError;
use crate::code::{Code, Decoded};
use crate::embed::{Embed, places_of, regex};
use crate::nested::Place;

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

/// What is true of the names of a space.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpaceTable {
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
    mentions: Vec<NameTable>,
    spaces: Vec<SpaceTable>,
    embeds: Vec<Embed>,
}

struct Rule {
    space: Arc<Space>,
    everywhere: bool,
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
    rules: BTreeMap<Kind, Vec<Rule>>,
    /// Where other languages stand, by the kind of the node. Of several that fit, the first counts.
    guests: BTreeMap<Kind, Vec<Region>>,
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
    code: Vec<Code>,
}

impl Names {
    /// Those of a language, the first source, with all that stand inside of it.
    ///
    /// # Errors
    /// A kind that there is not, or a pattern that is none.
    pub(crate) fn new(sources: &[Source], kinds: &Kinds) -> Result<Self, ManifestError> {
        let mut names = Self { rules: BTreeMap::new(), guests: BTreeMap::new() };
        let spaces: Vec<&SpaceTable> = sources.iter().flat_map(|source| &source.spaces).collect();
        for source in sources {
            for table in &source.mentions {
                for kind in &table.kinds {
                    let rule = Rule::new(table, &spaces, &source.prefix, kinds)?;
                    names.rules.entry(source.kind(kind, kinds)?).or_default().push(rule);
                }
            }
            for embed in &source.embeds {
                for place in places_of(embed, None, &source.prefix, kinds)? {
                    let (holds, is_document) = (embed.language.is_some(), embed.document);
                    let region = Region { place, holds, is_document };
                    names.guests.entry(region.place.kind).or_default().push(region);
                }
            }
        }
        Ok(names)
    }

    fn region(&self, tree: &Tree, id: NodeId) -> Option<&Region> {
        let mut regions = self.guests.get(&tree.kind(id))?.iter();
        regions.find(|region| region.place.text(tree, id).is_some()).filter(|region| region.holds)
    }
}

impl Source {
    /// What a manifest says of its own language.
    pub(crate) fn new(
        mentions: Vec<NameTable>,
        spaces: Vec<SpaceTable>,
        embeds: Vec<Embed>,
    ) -> Self {
        Self { prefix: String::new(), mentions, spaces, embeds }
    }

    /// The same where that language stands inside of one that calls it `name`.
    pub(crate) fn inside(self, name: &str) -> Self {
        Self { prefix: format!("{name}_{}", self.prefix), ..self }
    }

    fn kind(&self, name: &str, kinds: &Kinds) -> Result<Kind, ManifestError> {
        kind(&self.prefix, name, kinds)
    }
}

/// The kind of a language that may stand inside of another.
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
            code: Vec::new(),
        };
        let mut around = vec![page];
        for id in tree.ids() {
            while around.len() > 1 && around.last().is_some_and(|inner| inner.end <= id) {
                around.pop();
            }
            let here = around.last().expect("the page is never left");
            if tree.is_leaf(id) {
                let rules = self.rules.get(&tree.kind(id)).into_iter().flatten();
                rules.for_each(|rule| rule.find(tree, id, here, &mut mentions));
            } else if let Some(region) = self.region(tree, id) {
                let document = if region.is_document { id } else { here.document };
                let code = here.code.iter().chain(&region.place.code).copied().collect();
                around.push(Around { end: tree.subtree_end(id), document, code });
            }
        }
        mentions
    }
}

impl Rule {
    fn new(
        table: &NameTable,
        spaces: &[&SpaceTable],
        prefix: &str,
        kinds: &Kinds,
    ) -> Result<Self, ManifestError> {
        let compiled = |pattern: &Option<String>| pattern.as_deref().map(regex).transpose();
        let named = table.named.as_ref().map(|name| format!("^(?:{name})$"));
        let known = spaces.iter().find(|space| space.name == table.space);
        let short = known.map_or_else(Vec::new, |space| space.short.clone());
        Ok(Self {
            space: Arc::new(Space { name: table.space.clone(), short }),
            everywhere: known.is_some_and(|space| space.everywhere),
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
            gives: table.gives,
        })
    }

    fn find(&self, tree: &Tree, leaf: NodeId, around: &Around, mentions: &mut Vec<Mention>) {
        if !self.fits(tree, leaf, &around.code) {
            return;
        }
        let decoded = Decoded::new(tree.text_of(leaf), &around.code);
        let text = &decoded.text[..];
        let document = if self.everywhere { NodeId::ROOT } else { around.document };
        let mut found = |part: std::ops::Range<usize>| {
            let name = &text[part.clone()];
            if !name.is_empty() && !self.except.iter().any(|e| e.eq_ignore_ascii_case(name)) {
                let (space, in_list, gives) = (Arc::clone(&self.space), self.in_list, self.gives);
                let part = decoded.place(part.start)..decoded.place(part.end);
                mentions.push(Mention { space, document, leaf, part, in_list, gives });
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

    fn fits(&self, tree: &Tree, leaf: NodeId, code: &[Code]) -> bool {
        let parent = tree.parent(leaf);
        let is_within = parent.is_some_and(|p| self.within.contains(&tree.kind(p)));
        let is_named = |named: &Regex| {
            let first = parent.and_then(|p| tree.children(p).next()).filter(|&first| first != leaf);
            first.is_some_and(|first| named.is_match(tree.text_of(first).trim_ascii()))
        };
        let is_behind = |before: &Regex| {
            let end = tree.span(leaf).start;
            before.is_match(&Decoded::new(&tree.text()[end.saturating_sub(FAR)..end], code).text)
        };
        (is_within || self.within.is_empty())
            && self.named.as_ref().is_none_or(is_named)
            && self.before.as_ref().is_none_or(is_behind)
    }
}

/// So many bytes before a leaf are looked at.
const FAR: usize = 100;
