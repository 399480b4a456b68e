//! The languages of files of a directory.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use minirepro_circumstances::LanguageOf;
use minirepro_syntax::Language;

use crate::grammars::Languages;

/// Returns a function that finds the language of a file by its name and text. Each language is
/// loaded when it is first needed.
pub fn grammars(languages: &Languages) -> Arc<LanguageOf> {
    let languages = languages.clone();
    let all = languages.all().into_iter().filter(|info| !info.suffixes.is_empty());
    let known: HashSet<String> = all.map(|info| info.name).collect();
    let loaded: Mutex<HashMap<String, Option<Arc<Language>>>> = Mutex::default();
    Arc::new(move |path, text| {
        let name = path.rsplit(|&b| b == b'/').next().unwrap_or_default();
        let language = languages.guess(&String::from_utf8_lossy(name), text);
        if !known.contains(&language) {
            return None;
        }
        let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = loaded.entry(language.clone());
        entry.or_insert_with(|| languages.by_name(&language).ok().map(Arc::new)).clone()
    })
}
