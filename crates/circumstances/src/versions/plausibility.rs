//! Rules out merges of two versions that cannot work: those with more syntax errors than both.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use minirepro_syntax::Language;

use crate::archive::{Entry, entries};
use crate::language_of::LanguageOf;
use crate::versions::visible_names::mentioned;

/// The path of a file, and its text.
type File = (Vec<u8>, Vec<u8>);

/// What is known about two versions.
pub(crate) struct Plausibility {
    language: Box<LanguageOf>,
    /// The files that are not the same in both, with the errors that they may have.
    changed: HashMap<Vec<u8>, u32>,
    /// The languages and names that files declare which are the same in both.
    pub(crate) same_names: HashSet<(String, Arc<[u8]>)>,
    /// How many errors changed files have, by their texts.
    errors: Mutex<HashMap<File, u32>>,
}

impl Plausibility {
    /// Reads all files of both versions. Near linear.
    pub(crate) fn new(passing: &[u8], failing: &[u8], language: Box<LanguageOf>) -> Self {
        let (changed, same_names) = (HashMap::new(), HashSet::new());
        let mut all = Self { language, changed, same_names, errors: Mutex::default() };
        let sides = [entries(passing), entries(failing)];
        for (entries, others) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
            let others: HashMap<&[u8], &Entry<'_>> =
                others.iter().map(|entry| (entry.path, entry)).collect();
            for entry in entries {
                let twin = others.get(entry.path);
                if !twin.is_some_and(|twin| twin.kind == entry.kind && twin.text == entry.text) {
                    let errors = all.errors(entry);
                    let most = all.changed.entry(entry.path.to_vec()).or_default();
                    *most = errors.max(*most);
                } else if let Some(language) = all.language(entry.path, entry.text) {
                    let tree = language.parser.parse(entry.text);
                    let names = mentioned(&tree, &language).into_iter();
                    let visible = names.filter(|mentioned| mentioned.is_visible);
                    let name = |mentioned| (language.name.clone(), mentioned);
                    all.same_names.extend(visible.map(|mentioned| name(mentioned.name)));
                }
            }
        }
        all
    }

    /// Returns the language of a file.
    pub(crate) fn language(&self, path: &[u8], text: &[u8]) -> Option<Arc<Language>> {
        (self.language)(path, text)
    }

    fn errors(&self, entry: &Entry<'_>) -> u32 {
        let mut known = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (entry.path.to_vec(), entry.text.to_vec());
        *known.entry(key).or_insert_with(|| {
            let language = self.language(entry.path, entry.text);
            language.map_or(0, |language| language.parser.errors(entry.text))
        })
    }

    /// Returns whether a merge may work. Linear in the files that are not the same in both
    /// versions.
    pub(crate) fn takes(&self, archive: &[u8]) -> bool {
        let is_fine = |entry: &Entry<'_>| {
            self.changed.get(entry.path).is_none_or(|most| self.errors(entry) <= *most)
        };
        entries(archive).iter().all(is_fine)
    }
}
