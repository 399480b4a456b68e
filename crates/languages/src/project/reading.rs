//! What was read of a directory: the trees of its files.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::archive::{Entry, Kind, entries};
use minirepro_syntax::{Copied, Language, NodeId, Tree};

/// A directory's files, in their order.
pub(crate) struct Reading {
    /// The archive.
    pub(crate) text: Arc<[u8]>,
    pub(crate) files: Vec<FileReading>,
    by_path: HashMap<Vec<u8>, usize>,
}

/// A file as it was read.
pub(crate) struct FileReading {
    /// Where it stands in the archive.
    pub(crate) span: Range<usize>,
    /// Where its text does.
    pub(crate) body: Range<usize>,
    /// Its language and its own tree; links and files without a language have none.
    pub(crate) read: Option<Read>,
    /// Its root in the tree of the directory.
    pub(crate) root: NodeId,
}

/// A text that was read in its language.
pub(crate) type Read = (Arc<Language>, Arc<Tree>);

impl Reading {
    /// Returns what was read of a tree's text.
    pub(crate) fn of_tree(tree: &Tree) -> Option<&Self> {
        tree.origin().as_ref()?.downcast_ref()
    }

    /// Reads an archive; `read` gives the tree of a file's text.
    pub(crate) fn of(text: Arc<[u8]>, mut read: impl FnMut(&Entry<'_>) -> Option<Read>) -> Self {
        let (mut files, mut by_path) = (Vec::new(), HashMap::new());
        // After the root of the tree.
        let mut next = 1;
        for entry in entries(&text) {
            by_path.insert(entry.path.to_vec(), files.len());
            let read = if is_read(&entry) { read(&entry) } else { None };
            // The file, its path, and what it holds.
            let root = NodeId(next + 2);
            let nodes = match &read {
                Some((_, tree)) => tree.len(),
                None => usize::from(entry.kind != Kind::Link && !entry.text.is_empty()),
            };
            next = u32::try_from(root.0 as usize + nodes).expect("texts are below 4 GiB");
            let span = entry.span.clone();
            // A link is all head.
            let body = if entry.kind == Kind::Link { span.end..span.end } else { entry.body() };
            files.push(FileReading { span, body, read, root });
        }
        Self { text, files, by_path }
    }

    /// Returns the file at a path.
    pub(crate) fn at(&self, path: &[u8]) -> Option<&FileReading> {
        self.by_path.get(path).map(|&number| &self.files[number])
    }

    /// Returns the tree of a text that a file had already.
    pub(crate) fn tree(&self, entry: &Entry<'_>) -> Option<&Read> {
        let file = self.at(entry.path)?;
        file.read.as_ref().filter(|_| self.text[file.body.clone()] == *entry.text)
    }
}

/// Returns whether there is a text in a file that its language reads.
pub(crate) fn is_read(entry: &Entry<'_>) -> bool {
    entry.kind != Kind::Link && !entry.text.is_empty()
}

/// Returns what one part of a text has from one part of the text that it was made of.
pub(crate) fn copied_within(
    copied: &[Copied],
    from: &Range<usize>,
    to: &Range<usize>,
) -> Vec<Copied> {
    let within = copied.iter().filter_map(|Copied { from: source, to: place }| {
        let starts = [from.start.saturating_sub(source.start), to.start.saturating_sub(*place)];
        let ends = [from.end.saturating_sub(source.start), to.end.saturating_sub(*place)];
        let start = starts[0].max(starts[1]);
        let end = ends[0].min(ends[1]).min(source.len());
        let at = |at: usize| source.start + at - from.start;
        (start < end).then(|| Copied { from: at(start)..at(end), to: place + start - to.start })
    });
    within.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_another_file_is_not_copied_within_one() {
        let copied = [
            Copied { from: 0..10, to: 0 },
            Copied { from: 20..30, to: 10 },
            Copied { from: 2..4, to: 20 },
        ];
        let of_first = copied_within(&copied, &(5..25), &(5..15));
        let expected = [Copied { from: 0..5, to: 0 }, Copied { from: 15..20, to: 5 }];
        assert_eq!(of_first, expected);
        assert_eq!(copied_within(&copied, &(20..30), &(20..22)), []);
    }
}
