//! Rules out merges of two versions that cannot work: those with more syntax errors than both, or
//! with a name that nothing declares. Such changes depend on others.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use minirepro_syntax::Language;

use crate::archive::{Entry, entries};
use crate::language_of::LanguageOf;
use crate::versions::visible_names::Names;

/// The path of a file, and its text.
type File = (Vec<u8>, Vec<u8>);

/// What is known about two versions.
pub(crate) struct Plausibility {
    language: Box<LanguageOf>,
    /// The files that are not the same in both, with the errors that they may have.
    changed: HashMap<Vec<u8>, u32>,
    /// By language.
    names: BTreeMap<String, Known>,
    /// By the path of a changed file and its text.
    seen: Mutex<HashMap<File, Option<Seen>>>,
}

/// The names of one language.
#[derive(Default)]
struct Known {
    /// Of both versions.
    ends: [Names; 2],
    /// Of the files that are the same in both.
    same: Names,
    /// Those of them that only changed files can declare.
    open: Vec<Arc<[u8]>>,
}

/// A file in one version.
#[derive(Clone)]
struct Seen {
    language: String,
    errors: u32,
    names: Arc<Names>,
}

impl Plausibility {
    /// Reads all files of both versions. Near linear.
    pub(crate) fn new(passing: &[u8], failing: &[u8], language: Box<LanguageOf>) -> Self {
        let mut plausibility = Self {
            language,
            changed: HashMap::new(),
            names: BTreeMap::new(),
            seen: Mutex::default(),
        };
        let sides = [entries(passing), entries(failing)];
        for side in 0..2 {
            let other: HashMap<&[u8], &Entry<'_>> =
                sides[1 - side].iter().map(|entry| (entry.path, entry)).collect();
            for entry in &sides[side] {
                let twin = other.get(entry.path);
                let is_same = twin.is_some_and(|t| t.kind == entry.kind && t.text == entry.text);
                if is_same && side == 1 {
                    // Seen on the other side.
                    continue;
                }
                let seen = if is_same { plausibility.look(entry) } else { plausibility.see(entry) };
                if !is_same {
                    let most = plausibility.changed.entry(entry.path.to_vec()).or_default();
                    *most = seen.as_ref().map_or(0, |seen| seen.errors).max(*most);
                }
                let Some(Seen { language, names, .. }) = seen else { continue };
                let known = plausibility.names.entry(language).or_default();
                if is_same {
                    known.same.add(&names);
                    known.ends.iter_mut().for_each(|end| end.add(&names));
                } else {
                    known.ends[side].add(&names);
                }
            }
        }
        for known in plausibility.names.values_mut() {
            known.open = known.same.hidden().cloned().collect();
        }
        plausibility
    }

    /// Returns the language of a file.
    pub(crate) fn language(&self, path: &[u8], text: &[u8]) -> Option<Arc<Language>> {
        (self.language)(path, text)
    }

    /// Returns the names that files declare which are the same in both versions, with their
    /// languages.
    pub(crate) fn same_names(&self) -> impl Iterator<Item = (String, Arc<[u8]>)> {
        self.names.iter().flat_map(|(language, known)| {
            known.same.visible().map(|name| (language.clone(), Arc::clone(name)))
        })
    }

    fn look(&self, entry: &Entry<'_>) -> Option<Seen> {
        let language = (self.language)(entry.path, entry.text)?;
        let tree = language.parser.parse(entry.text);
        let names = Arc::new(Names::of(&tree, &language));
        Some(Seen { language: language.name.clone(), errors: tree.errors(), names })
    }

    fn see(&self, entry: &Entry<'_>) -> Option<Seen> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (entry.path.to_vec(), entry.text.to_vec());
        seen.entry(key).or_insert_with(|| self.look(entry)).clone()
    }

    /// Returns whether a merge may work. Linear in the files that are not the same in both
    /// versions.
    pub(crate) fn takes(&self, archive: &[u8]) -> bool {
        let mut names: BTreeMap<String, Names> = BTreeMap::new();
        for entry in entries(archive) {
            let Some(&most) = self.changed.get(entry.path) else { continue };
            let Some(seen) = self.see(&entry) else { continue };
            if seen.errors > most {
                return false;
            }
            names.entry(seen.language).or_default().add(&seen.names);
        }
        self.names.iter().all(|(language, known)| {
            let nothing = Names::default();
            let changed = names.get(language).unwrap_or(&nothing);
            let inside = changed.hidden().filter(|name| !known.same.is_visible(name));
            let open = known.open.iter().filter(|name| !changed.is_visible(name));
            inside.chain(open).all(|name| !known.is_missing(name))
        })
    }
}

impl Known {
    /// Returns whether a name that is only mentioned inside of something must be visible somewhere:
    /// in both versions it is, as far as it is mentioned at all, and in one it is.
    fn is_missing(&self, name: &[u8]) -> bool {
        self.ends.iter().any(|names| names.is_visible(name))
            && !self.ends.iter().any(|names| names.is_hidden(name))
    }
}
