//! Parts that stretch over several files of an archive and are removed together: a file with the
//! lines that include it, a name with everything that mentions it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::{
    Change, Edits, Language, NodeId, Tree, close, droppable_children, rendered,
};

use crate::archive::{Entry, Kind, entries, pack};
use crate::circumstances::Circumstances;
use crate::language_of::LanguageOf;

/// An archive, and what of it can go together.
pub struct CoupledParts {
    archive: Arc<[u8]>,
    name: &'static str,
    parsed: Vec<Option<ParsedFile>>,
    items: Vec<Item>,
}

/// A file that a grammar describes.
pub(crate) struct ParsedFile {
    pub(crate) language: Arc<Language>,
    pub(crate) tree: Tree,
}

/// What goes together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    /// Whole files.
    pub(crate) files: BTreeSet<usize>,
    /// Parts of files that a grammar describes.
    pub(crate) nodes: BTreeSet<(usize, NodeId)>,
    /// Parts of leaves of such files.
    pub(crate) parts: BTreeSet<(usize, NodeId, usize, usize)>,
    /// Parts of others.
    pub(crate) lines: BTreeSet<(usize, usize, usize)>,
}

impl CoupledParts {
    /// Returns the parts that `find` finds between the files of an archive.
    pub(crate) fn new(
        archive: Arc<[u8]>,
        name: &'static str,
        language: &LanguageOf,
        find: impl FnOnce(&[Entry<'_>], &[Option<ParsedFile>]) -> Vec<Item>,
    ) -> Self {
        let all = entries(&archive);
        let parse = |entry: &Entry<'_>| {
            let language = language(entry.path, entry.text).filter(|_| entry.kind != Kind::Link)?;
            Some(ParsedFile { tree: language.parser.parse(entry.text), language })
        };
        let parsed: Vec<Option<ParsedFile>> = all.iter().map(parse).collect();
        let items = find(&all, &parsed);
        Self { archive, name, parsed, items }
    }

    /// Returns what is left of a file without some of its parts; `None` when the grammar cannot
    /// form it.
    fn text(&self, file: usize, text: &[u8], gone: &Gone) -> Option<Vec<u8>> {
        let nodes = gone.nodes.get(&file);
        let parts = gone.parts.get(&file);
        if let Some(ParsedFile { language, tree }) = &self.parsed[file]
            && (nodes.is_some() || parts.is_some())
        {
            let mut edits = Edits::none();
            // Of parts in parts, only the outermost.
            let mut end = NodeId::ROOT;
            for &id in nodes.into_iter().flatten() {
                if id >= end {
                    end = tree.subtree_end(id);
                    edits.merge(&Edits::drop(id)).then_some(())?;
                }
            }
            for (leaf, part) in parts.into_iter().flatten() {
                // What is gone with something around it needs no cut.
                let is_gone = |&id: &NodeId| tree.contains(id, *leaf);
                if !nodes.into_iter().flatten().any(is_gone) {
                    let cut = Change::cut(tree.span(*leaf).len(), part.clone());
                    edits.merge(&Edits::one(*leaf, cut)).then_some(())?;
                }
            }
            let edits = close(tree, language, &edits)?.edits;
            let text = rendered(tree, language, &edits).text;
            return (language.parser.errors(&text) <= tree.errors()).then(|| text.to_vec());
        }
        let mut left = Vec::with_capacity(text.len());
        let mut at = 0;
        for Range { start, end } in gone.lines.get(&file).into_iter().flatten().cloned() {
            left.extend_from_slice(&text[at..start.max(at)]);
            at = at.max(end);
        }
        left.extend_from_slice(&text[at..]);
        Some(left)
    }
}

/// All that goes, by file.
#[derive(Default)]
struct Gone {
    files: BTreeSet<usize>,
    nodes: BTreeMap<usize, BTreeSet<NodeId>>,
    parts: BTreeMap<usize, Vec<(NodeId, Range<usize>)>>,
    lines: BTreeMap<usize, Vec<Range<usize>>>,
}

impl Gone {
    fn of<'a>(items: impl Iterator<Item = &'a Item>) -> Self {
        let mut gone = Self::default();
        for Item { files, nodes, parts, lines } in items {
            gone.files.extend(files);
            for &(file, node) in nodes {
                gone.nodes.entry(file).or_default().insert(node);
            }
            for &(file, leaf, start, end) in parts {
                gone.parts.entry(file).or_default().push((leaf, start..end));
            }
            for &(file, start, end) in lines {
                gone.lines.entry(file).or_default().push(start..end);
            }
        }
        gone.lines.values_mut().for_each(|spans| spans.sort_by_key(|span| span.start));
        gone
    }
}

impl Circumstances for CoupledParts {
    fn name(&self) -> &'static str {
        self.name
    }

    fn weights(&self) -> Vec<u32> {
        let all = entries(&self.archive);
        let of_node = |&(file, id): &(usize, NodeId)| {
            self.parsed[file].as_ref().map_or(0, |parsed| parsed.tree.span(id).len())
        };
        let bytes = |item: &Item| -> usize {
            let files = item.files.iter().map(|&file| all[file].text.len());
            let lines = item.lines.iter().map(|(_, start, end)| end - start);
            let parts = item.parts.iter().map(|(_, _, start, end)| end - start);
            files.chain(lines).chain(parts).chain(item.nodes.iter().map(of_node)).sum()
        };
        self.items
            .iter()
            .map(|item| u32::try_from(bytes(item)).unwrap_or(u32::MAX).max(1))
            .collect()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        let absent = (0..self.items.len()).filter(|&item| !there.contains(item));
        let gone = Gone::of(absent.map(|item| &self.items[item]));
        let all = entries(&self.archive);
        let left = (0..all.len()).filter(|file| !gone.files.contains(file));
        let texts: Vec<(Kind, &[u8], Vec<u8>)> = left
            .map(|file| {
                Some((all[file].kind, all[file].path, self.text(file, all[file].text, &gone)?))
            })
            .collect::<Option<_>>()?;
        pack(texts.iter().map(|(kind, path, text)| (*kind, *path, &text[..])))
    }

    fn finer(&self, _: &Configuration, _: &Configuration) -> Option<Arc<dyn Circumstances>> {
        None
    }
}

/// Returns the smallest part around `leaf` that the grammar lets go, if it is not everything.
pub(crate) fn smallest_droppable(file: &ParsedFile, leaf: NodeId) -> Option<NodeId> {
    let ParsedFile { language, tree } = file;
    std::iter::once(leaf).chain(tree.ancestors(leaf)).find(|&id| {
        tree.parent(id).is_some_and(|p| droppable_children(tree, language, p).contains(&id))
    })
}
