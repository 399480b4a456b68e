//! The differences between two versions of several files: files, parts of programs, hunks.
//!
//! Must not depend on where the versions come from (directories, a repository).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::{Language, NodeId};

use crate::archive::{Entry, entries};
use crate::circumstances::Circumstances;
use crate::merge::Merge;
use crate::needs::Needs;
use crate::units::{by_line, nodes_as_units};

/// Returns the language of a file by its path and text, or `None` if no grammar describes it.
pub type LanguageOf = dyn Fn(&[u8], &[u8]) -> Option<Arc<Language>> + Send + Sync;

/// What is one circumstance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Grain {
    /// All changes of a file.
    File,
    /// All changes of a function or another part of a program that stands by itself.
    Function,
    /// Neighbouring changed lines.
    Hunk,
}

/// The changes between two archives, on one level.
pub struct Changes {
    merge: Merge,
    grain: Grain,
    language: Arc<LanguageOf>,
    needs: Needs,
    /// Whether a change is infeasible without those that it needs, instead of bringing them along.
    stands_alone: bool,
    /// The syntax errors that a file may have: as many as one of its versions.
    errors: HashMap<Vec<u8>, u32>,
}

impl Changes {
    /// Returns what lies between two archives, file by file at first.
    pub fn new(passing: Arc<[u8]>, failing: Arc<[u8]>, language: Arc<LanguageOf>) -> Self {
        Self::level(by_file(Merge::uncut(passing, failing)), Grain::File, language)
    }

    fn level(merge: Merge, grain: Grain, language: Arc<LanguageOf>) -> Self {
        let mut errors = HashMap::new();
        for (path, versions) in files(&merge.old, &merge.new) {
            if let [Some(old), Some(new)] = versions
                && grain > Grain::File
                && old.text != new.text
            {
                let most = errors_in(&old, &*language).max(errors_in(&new, &*language));
                errors.insert(path.to_vec(), most);
            }
        }
        let needs = Needs::of(&merge, &*language);
        Self { merge, grain, language, needs, stands_alone: false, errors }
    }

    /// Opens what differs in files whose grammar is known.
    fn by_function(&self, left: &Merge) -> Merge {
        let news = entries(&left.new);
        left.opened(false, |part| {
            let file = news.iter().find(|file| !part.common && file.body() == part.new)?;
            let language = (self.language)(file.path, file.text)?;
            let texts = left.texts(part);
            let functions = |text| {
                let tree = language.parser.parse(text);
                nodes_as_units(&tree, 0, tree.children(NodeId::ROOT))
            };
            (!part.old.is_empty()).then(|| texts.map(functions))
        })
    }
}

impl Circumstances for Changes {
    fn name(&self) -> &'static str {
        match self.grain {
            Grain::File => "files",
            Grain::Function => "functions",
            Grain::Hunk => "hunks",
        }
    }

    fn weights(&self) -> Vec<u32> {
        self.merge.weights()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        let all = self.needs.closure(there);
        if self.stands_alone && all != *there {
            return None;
        }
        let text = self.merge.text(&all);
        let may_work = |file: &Entry<'_>| {
            self.errors.get(file.path).is_none_or(|&most| errors_in(file, &*self.language) <= most)
        };
        entries(&text).iter().all(may_work).then_some(text)
    }

    fn finer(
        &self,
        passing: &Configuration,
        failing: &Configuration,
    ) -> Option<Arc<dyn Circumstances>> {
        let ends = [passing, failing].map(|end| self.needs.closure(end));
        let left = self.merge.between(&ends[0], &ends[1]);
        let level = |merge, grain| Self::level(merge, grain, Arc::clone(&self.language));
        let opened = [Grain::Function, Grain::Hunk].into_iter().find_map(|grain| {
            let merge = match grain {
                _ if grain <= self.grain => return None,
                Grain::Function => self.by_function(&left),
                _ => by_line(&left),
            };
            (merge.differences() != left.differences()).then(|| level(merge, grain))
        });
        // At the end each change by itself: what a change needs may be there on both sides.
        let alone = || {
            let is_new = !self.stands_alone && !self.needs.is_empty() && left.differences() > 1;
            is_new.then(|| Self { stands_alone: true, ..level(left.clone(), self.grain) })
        };
        opened.or_else(alone).map(|finer| Arc::new(finer) as Arc<dyn Circumstances>)
    }
}

/// Returns one part a file, or two where what kind of file it is has changed as well.
fn by_file(mut merge: Merge) -> Merge {
    let (old, new) = (Arc::clone(&merge.old), Arc::clone(&merge.new));
    for [old, new] in files(&old, &new).into_values() {
        if let (Some(old), Some(new)) = (&old, &new) {
            merge.push(old.body().start, new.body().start, old.kind == new.kind);
        }
        let end = |file: Option<Entry<'_>>| file.map_or(0, |file| file.span.end);
        merge.push(end(old), end(new), false);
    }
    merge.push(old.len(), new.len(), true);
    merge
}

fn errors_in(file: &Entry<'_>, language: &LanguageOf) -> u32 {
    let language = language(file.path, file.text);
    language.map_or(0, |language| language.parser.errors(file.text))
}

/// Returns the old and the new version of each file by its path.
fn files<'a>(old: &'a [u8], new: &'a [u8]) -> BTreeMap<&'a [u8], [Option<Entry<'a>>; 2]> {
    let mut files = BTreeMap::<_, [Option<Entry<'a>>; 2]>::new();
    for (side, archive) in [old, new].into_iter().enumerate() {
        for file in entries(archive) {
            let path = file.path;
            files.entry(path).or_default()[side] = Some(file);
        }
    }
    files
}
