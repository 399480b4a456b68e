//! The tree of a directory: its files below the root, each as its own language reads it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use minirepro_syntax::archive::{Entry, Kind, entries, pack};
use minirepro_syntax::{
    Copied, Encoded, Flags, InterruptionGuard, Kinds, Language, NodeId, Parse, ParseErrors, Reader,
    Rendered, Spacing, TokenHash, Tree, TreeBuilder,
};

use crate::project::language::{FileForm, PROJECT};
use crate::project::reading::{FileReading, Reading};

/// A parser of directories.
pub(crate) struct ProjectParser {
    /// What each file is, by its path.
    pub(crate) forms: HashMap<Vec<u8>, FileForm>,
    pub(crate) kinds: Arc<Kinds>,
    /// The kinds of a directory, a file, what stands before its text, and a text that nobody reads.
    pub(crate) own: [minirepro_syntax::Kind; 4],
    /// They end what takes long in a language when the whole has to end.
    #[expect(dead_code, reason = "they end when they are dropped")]
    pub(crate) guards: Vec<InterruptionGuard>,
    /// What was read last: most files of the next text are the same.
    pub(crate) last: Mutex<Option<Arc<Reading>>>,
}

impl ProjectParser {
    fn last(&self) -> Option<Arc<Reading>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what was read of a tree's text.
    pub(crate) fn reading(tree: &Tree) -> Option<&Reading> {
        tree.origin().as_ref()?.downcast_ref()
    }

    /// Returns the language of a file in which there is something to read.
    fn language(&self, file: &Entry<'_>) -> Option<&Arc<Language>> {
        match self.forms.get(file.path)? {
            FileForm::Text(language) if file.kind != Kind::Link && !file.text.is_empty() => {
                Some(language)
            }
            _ => None,
        }
    }

    fn has_language(&self, fits: impl Fn(&Language) -> bool) -> bool {
        self.forms.values().any(|form| matches!(form, FileForm::Text(language) if fits(language)))
    }

    /// Counts what makes an archive none: bytes in no file, files at the same place, files that the
    /// directory did not have, and links to other places.
    fn faults(&self, archive: &[u8], files: &[Entry<'_>]) -> u32 {
        let in_files: usize = files.iter().map(|file| file.span.len()).sum();
        let paths: HashSet<&[u8]> = files.iter().map(|file| file.path).collect();
        let is_stranger = |file: &&Entry<'_>| match self.forms.get(file.path) {
            Some(FileForm::Link(target)) => file.kind != Kind::Link || target != file.text,
            Some(FileForm::Text(_)) => file.kind == Kind::Link,
            None => true,
        };
        let faults = usize::from(in_files < archive.len()) + (files.len() - paths.len());
        u32::try_from(faults + files.iter().filter(is_stranger).count()).unwrap_or(u32::MAX)
    }

    /// Counts the errors of an archive, those of each file by `count`.
    fn count(&self, archive: &[u8], mut count: impl FnMut(&Entry<'_>, &Language) -> u32) -> u32 {
        let files = entries(archive);
        let errors: u32 =
            files.iter().filter_map(|file| Some(count(file, self.language(file)?))).sum();
        errors + self.faults(archive, &files)
    }

    /// Returns an archive with other texts of files; `None` if there is none for any.
    fn with_texts<'t>(
        &self,
        archive: &'t [u8],
        text: impl Fn(&Language, &'t [u8]) -> Option<Cow<'t, [u8]>>,
    ) -> Option<Cow<'t, [u8]>> {
        let texts = entries(archive).into_iter().map(|file| {
            let text = match self.language(&file) {
                Some(language) => text(language, file.text)?,
                None => Cow::Borrowed(file.text),
            };
            Some((file.kind, file.path, text))
        });
        let texts: Vec<_> = texts.collect::<Option<_>>()?;
        if texts.iter().all(|(.., text)| matches!(text, Cow::Borrowed(_))) {
            return Some(Cow::Borrowed(archive));
        }
        pack(texts.iter().map(|(kind, path, text)| (*kind, *path, &**text))).map(Cow::Owned)
    }
}

impl Parse for ProjectParser {
    fn parse(&self, text: &[u8]) -> Tree {
        let last = self.last();
        let reading = Arc::new(Reading::of(Arc::from(text), |file| {
            let language = self.language(file)?;
            let known = last.as_ref().and_then(|last| last.tree(file)).cloned();
            let read = || (Arc::clone(language), Arc::new(language.parser.parse(file.text)));
            Some(known.unwrap_or_else(read))
        }));
        let [directory, of_file, head, unread] = self.own;
        let mut builder = TreeBuilder::new(Arc::clone(&reading.text), Arc::clone(&self.kinds));
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
                    graft(&mut builder, tree, body.start);
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
        self.count(text, |file, language| match last.as_ref().and_then(|last| last.tree(file)) {
            Some((_, tree)) => tree.errors(),
            None => language.parser.errors(file.text),
        })
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        let Some(reading) = Self::reading(base) else { return self.errors(&candidate.text) };
        self.count(&candidate.text, |file, language| {
            if let Some((_, tree)) = reading.tree(file) {
                return tree.errors();
            }
            let Some(changed) = reading.changed(file, &candidate.copied) else {
                return language.parser.errors(file.text);
            };
            let (text, copied) = (Arc::from(file.text), changed.copied);
            let part = Rendered { text, tokens: 0, hash: TokenHash::EMPTY, copied };
            language.parser.errors_after(changed.tree, &part)
        })
    }
}

impl Reader for ProjectParser {
    /// Counts the errors of each file, if the readers of any refuse none.
    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        self.has_language(|language| language.reader.parse_errors(b"").is_some()).then_some(())?;
        let ParseErrors { mut messages, mut injected } = ParseErrors::default();
        let others = self.count(text, |file, language| {
            let errors = language.reader.parse_errors(file.text).unwrap_or_else(|| {
                let count = language.parser.errors(file.text);
                let own = (count > 0).then(|| (language.name.clone(), count));
                ParseErrors { injected: own.into_iter().collect(), ..ParseErrors::default() }
            });
            for (all, own) in [(&mut messages, errors.messages), (&mut injected, errors.injected)] {
                own.into_iter().for_each(|(what, count)| *all.entry(what).or_default() += count);
            }
            0
        });
        injected.extend((others > 0).then(|| (PROJECT.to_owned(), others)));
        Some(ParseErrors { messages, injected })
    }

    fn encoded(&self, tree: &Tree, leaf: NodeId) -> Option<Encoded> {
        let files = &Self::reading(tree)?.files;
        let after = files.partition_point(|file| file.root <= leaf);
        let file = files.get(after.checked_sub(1)?)?;
        let (language, own) = file.read.as_ref()?;
        let own_leaf = NodeId(leaf.0 - file.root.0);
        // After it comes the next file.
        ((own_leaf.0 as usize) < own.len()).then_some(())?;
        let Encoded { tree: inner, encode } = language.reader.encoded(own, own_leaf)?;
        let mut builder = TreeBuilder::new(Arc::clone(inner.text()), Arc::clone(&self.kinds));
        builder.begin_region(0, language.spacing);
        graft(&mut builder, &inner, 0);
        Some(Encoded { tree: builder.finish(), encode })
    }

    fn edit_is_faithful(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        let Some(base) = self.last().filter(|last| *last.text == *before) else { return true };
        entries(after).iter().all(|file| {
            base.changed(file, copied).is_none_or(|changed| {
                let reader = &changed.language.reader;
                reader.edit_is_faithful(changed.before, file.text, &changed.copied)
            })
        })
    }

    fn corrected(
        &self,
        base: &Tree,
        candidate: &[u8],
        copied: &[Copied],
    ) -> Option<(Vec<u8>, TokenHash)> {
        let reading = Self::reading(base)?;
        let corrected = entries(candidate).into_iter().filter_map(|file| {
            let changed = reading.changed(&file, copied)?;
            let reader = &changed.language.reader;
            let (text, _) = reader.corrected(changed.tree, file.text, &changed.copied)?;
            Some((file.body(), text))
        });
        let texts: Vec<(Range<usize>, Vec<u8>)> = corrected.collect();
        (!texts.is_empty()).then_some(())?;
        let mut candidate = candidate.to_vec();
        for (body, text) in texts.into_iter().rev() {
            candidate.splice(body, text);
        }
        let hash = TokenHash::token(&candidate);
        Some((candidate, hash))
    }

    fn canonical_form(&self, archive: &[u8]) -> Option<Vec<u8>> {
        let form = |language: &Language, text| {
            let form = language.reader.canonical_form(text);
            Some(form.map_or(Cow::Borrowed(text), Cow::Owned))
        };
        match self.with_texts(archive, form)? {
            Cow::Owned(archive) => Some(archive),
            Cow::Borrowed(_) => None,
        }
    }

    fn file_of<'t>(&self, archive: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        self.with_texts(archive, |language, text| language.reader.file_of(text))
    }

    fn is_strict(&self) -> bool {
        self.has_language(|language| language.reader.is_strict())
    }
}

/// Adds the tree of a file's text, which stands at this place.
fn graft(builder: &mut TreeBuilder, tree: &Tree, at: usize) {
    let span = tree.span(NodeId::ROOT);
    builder.open(tree.kind(NodeId::ROOT), at + span.start..at + span.end, tree.flags(NodeId::ROOT));
    builder.copy(tree, NodeId(1)..tree.subtree_end(NodeId::ROOT), 0, at);
    builder.close();
}
