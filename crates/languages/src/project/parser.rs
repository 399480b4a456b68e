//! The tree of a directory: its files below the root, each as its own language reads it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use minirepro_syntax::archive::{self, Entry, entries, pack};
use minirepro_syntax::{
    Copied, Flags, InterruptionGuard, Kind, Kinds, Language, Mention, NodeId, Parse, ParseErrors,
    Reader, Rendered, Spacing, TokenHash, Tree, TreeBuilder,
};

use crate::project::reading::{FileReading, Reading, copied_within, is_read};

/// What the language of a directory is called.
pub const PROJECT: &str = "project";

/// A parser of directories.
pub(crate) struct ProjectParser {
    /// The languages of the files.
    pub(crate) all: Vec<Arc<Language>>,
    /// By path.
    pub(crate) of: HashMap<Vec<u8>, Arc<Language>>,
    /// Where each link points to, by its path.
    pub(crate) links: HashMap<Vec<u8>, Vec<u8>>,
    pub(crate) kinds: Arc<Kinds>,
    /// The directory, a file, what stands before a file's text (all of a link), and a text that
    /// nobody reads.
    pub(crate) own: [Kind; 4],
    /// End what takes long in any language when the whole has to end.
    pub(crate) _interruptions: Vec<InterruptionGuard>,
    /// What was read last: most files of the next text are the same.
    pub(crate) last: Mutex<Option<Arc<Reading>>>,
}

/// A file of a candidate, and the one that it was made of.
struct Changed<'a> {
    language: &'a Language,
    before: &'a [u8],
    tree: &'a Tree,
    after: &'a [u8],
    /// What the text has of the one before.
    copied: Vec<Copied>,
}

impl ProjectParser {
    fn last(&self) -> Option<Arc<Reading>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts what makes an archive none: bytes in no file, files at the same place, files that the
    /// directory did not have, and links to other places.
    fn faults(&self, archive: &[u8], files: &[Entry<'_>]) -> u32 {
        let in_files: usize = files.iter().map(|file| file.span.len()).sum();
        let paths: HashSet<&[u8]> = files.iter().map(|file| file.path).collect();
        let Self { of, links, .. } = self;
        let is_known = |file: &&Entry<'_>| match file.kind {
            archive::Kind::Link => links.get(file.path).is_some_and(|target| target == file.text),
            archive::Kind::Plain | archive::Kind::Executable => of.contains_key(file.path),
        };
        let strangers = files.len() - files.iter().filter(is_known).count();
        let faults =
            usize::from(in_files < archive.len()) + (files.len() - paths.len()) + strangers;
        u32::try_from(faults).unwrap_or(u32::MAX)
    }

    /// Counts the errors of an archive, those of each file by `count`.
    fn count(&self, archive: &[u8], mut count: impl FnMut(&Entry<'_>, &Language) -> u32) -> u32 {
        let files = entries(archive);
        let read = files.iter().filter(|entry| is_read(entry));
        let errors = read.filter_map(|entry| Some(count(entry, self.of.get(entry.path)?)));
        errors.sum::<u32>() + self.faults(archive, &files)
    }

    /// Returns an archive with other texts for those of files for which there is one; `None` if
    /// there is none for any.
    fn with_texts(
        &self,
        archive: &[u8],
        mut text: impl FnMut(&Entry<'_>, &Language) -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let all = entries(archive);
        let text = |of: &Entry<'_>| text(of, self.of.get(of.path)?).filter(|_| is_read(of));
        let texts: Vec<Option<Vec<u8>>> = all.iter().map(text).collect();
        texts.iter().any(Option::is_some).then_some(())?;
        let files = all.iter().zip(&texts);
        pack(files.map(|(of, text)| (of.kind, of.path, text.as_deref().unwrap_or(of.text))))
    }
}

/// Calls `each` with every file whose text is another one than in `base`.
fn changed<'a>(
    base: &'a Reading,
    archive: &'a [u8],
    copied: &[Copied],
    mut each: impl FnMut(&Entry<'_>, Changed<'a>),
) {
    for entry in entries(archive) {
        let after = &archive[entry.body()];
        if let Some(FileReading { body, read: Some((language, tree)), .. }) = base.at(entry.path)
            && base.text[body.clone()] != *after
        {
            let before = &base.text[body.clone()];
            let copied = copied_within(copied, body, &entry.body());
            each(&entry, Changed { language, before, tree, after, copied });
        }
    }
}

impl Parse for ProjectParser {
    fn parse(&self, text: &[u8]) -> Tree {
        let last = self.last();
        let reading = Arc::new(Reading::of(Arc::from(text), |entry| {
            let known = last.as_ref().and_then(|last| last.tree(entry));
            known.cloned().or_else(|| {
                let language = self.of.get(entry.path)?;
                Some((language.clone(), Arc::new(language.parser.parse(entry.text))))
            })
        }));
        let [directory, of_file, head, unread] = self.own;
        let mut builder = TreeBuilder::new(reading.text.clone(), self.kinds.clone());
        let none = Flags::default();
        builder.open(directory, 0..text.len(), none);
        let mut errors = self.faults(text, &entries(text));
        for FileReading { span, body, read, .. } in &reading.files {
            builder.open(of_file, span.clone(), none);
            builder.begin_region(span.start, Spacing::NONE);
            builder.leaf(head, span.start..body.start, none, 1);
            match read {
                Some((language, tree)) => {
                    builder.begin_region(body.start, language.spacing);
                    builder.copy(tree, tree.all(), 0, body.start);
                    errors += tree.errors();
                }
                None if !body.is_empty() => builder.leaf(unread, body.clone(), none, 1),
                None => {}
            }
            builder.close();
        }
        // What is no archive, or goes on after one.
        let end = reading.files.last().map_or(0, |file| file.span.end);
        if end < text.len() {
            builder.begin_region(end, Spacing::NONE);
            builder.leaf(unread, end..text.len(), none, 1);
        }
        builder.close();
        builder.keep(Some(Arc::clone(&reading) as Arc<_>));
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
        let tree = builder.finish();
        let more = errors.saturating_sub(tree.errors());
        tree.with_faults(more)
    }

    fn errors(&self, text: &[u8]) -> u32 {
        let last = self.last();
        self.count(text, |entry, language| match last.as_ref().and_then(|last| last.tree(entry)) {
            Some((_, tree)) => tree.errors(),
            None => language.parser.errors(entry.text),
        })
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        let Some(known) = Reading::of_tree(base) else { return self.errors(&candidate.text) };
        self.count(&candidate.text, |entry, language| match known.at(entry.path) {
            Some(FileReading { body, read: Some((_, tree)), .. }) => {
                if known.text[body.clone()] == *entry.text {
                    return tree.errors();
                }
                let copied = copied_within(&candidate.copied, body, &entry.body());
                let (text, hash) = (Arc::from(entry.text), TokenHash::EMPTY);
                language.parser.errors_after(tree, &Rendered { text, tokens: 0, hash, copied })
            }
            _ => language.parser.errors(entry.text),
        })
    }
}

impl Reader for ProjectParser {
    /// Counts the errors of each file, if the readers of any refuse none.
    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        let mut members = self.all.iter();
        members.any(|member| member.reader.parse_errors(b"").is_some()).then_some(())?;
        let mut all = ParseErrors::default();
        let injected = |name: &str, found: u32| {
            let injected = (found > 0).then(|| (name.to_owned(), found)).into_iter().collect();
            ParseErrors { injected, ..ParseErrors::default() }
        };
        let others = self.count(text, |entry, language| {
            let own = || injected(&language.name, language.parser.errors(entry.text));
            all.add(language.reader.parse_errors(entry.text).unwrap_or_else(own));
            0
        });
        all.add(injected(PROJECT, others));
        Some(all)
    }

    fn edit_is_faithful(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        let last = self.last().filter(|last| *last.text == *before);
        let Some(base) = last else { return true };
        let mut is_faithful = true;
        changed(&base, after, copied, |_, Changed { language, before, after, copied, .. }| {
            is_faithful &= language.reader.edit_is_faithful(before, after, &copied);
        });
        is_faithful
    }

    fn corrected(&self, base: &Tree, candidate: &[u8], copied: &[Copied]) -> Option<Vec<u8>> {
        let mut texts: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        changed(Reading::of_tree(base)?, candidate, copied, |entry, changed| {
            let Changed { language, tree, after, copied, .. } = changed;
            let corrected = language.reader.corrected(tree, after, &copied);
            texts.extend(corrected.map(|text| (entry.body(), text)));
        });
        (!texts.is_empty()).then_some(())?;
        let mut candidate = candidate.to_vec();
        for (body, text) in texts.into_iter().rev() {
            candidate.splice(body, text);
        }
        Some(candidate)
    }

    fn canonical_form(&self, archive: &[u8]) -> Option<Vec<u8>> {
        self.with_texts(archive, |entry, language| language.reader.canonical_form(entry.text))
    }

    fn file_of<'t>(&self, archive: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        let mut is_file = true;
        let files = self.with_texts(archive, |entry, language| {
            let file = language.reader.file_of(entry.text);
            is_file &= file.is_some();
            file.filter(|file| matches!(file, Cow::Owned(_))).map(Cow::into_owned)
        });
        is_file.then(|| files.map_or(Cow::Borrowed(archive), Cow::Owned))
    }

    /// Finds the names of each file by its own language. Files of one language share them.
    fn mentions(&self, tree: &Tree) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for file in Reading::of_tree(tree).into_iter().flat_map(|reading| &reading.files) {
            let Some((language, own)) = &file.read else { continue };
            let here = |id: NodeId| NodeId(file.root.0 + id.0);
            // Documents inside of a file share no names with others.
            let document = |id| if id == NodeId::ROOT { id } else { here(id) };
            mentions.extend(language.reader.mentions(own).into_iter().map(|mention| Mention {
                leaf: here(mention.leaf),
                document: document(mention.document),
                ..mention
            }));
        }
        mentions
    }

    fn is_strict(&self) -> bool {
        self.all.iter().any(|member| member.reader.is_strict())
    }
}
