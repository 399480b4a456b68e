//! Loads a parser from a shared library: the only place where native code that is not part of the
//! program gets into it.

use std::collections::BTreeSet;
use std::fs;
use std::mem::ManuallyDrop;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW, Symbol};
use tree_sitter_language::LanguageFn;

use crate::grammars::error::GrammarError;

/// A parser that was loaded.
pub struct LoadedParser {
    /// The name of its grammar.
    pub name: String,
    /// Its entry.
    pub entry: LanguageFn,
}

/// The function by which a library hands out its parser.
type Entry = unsafe extern "C" fn() -> *const ();

/// Loads the parser of the grammar `name`, or of the only one, from a shared library, which stays
/// loaded until the program ends. Runs code of the library.
///
/// # Errors
/// If the system does not load it, or there is no such parser in it.
pub fn load(library: &Path, name: Option<&str>) -> Result<LoadedParser, GrammarError> {
    // Without a `/`, the system would look for it in places of its own.
    let path = std::path::absolute(library).unwrap_or_else(|_| library.to_owned());
    let unreadable = |error| GrammarError::Unreadable { path: library.to_owned(), error };
    let bytes = fs::read(&path).map_err(unreadable)?;
    let name = entry_name(&bytes, name, library)?;
    // An addon of Node.js has functions open that only Node.js has, and that no parser calls.
    let is_addon = path.extension().is_some_and(|suffix| suffix == "node");
    let flags = RTLD_LOCAL | if is_addon { RTLD_LAZY } else { RTLD_NOW };
    let failed = |error: libloading::Error| GrammarError::Load {
        path: library.to_owned(),
        message: first_cause(&error, &path),
    };
    let symbol = format!("tree_sitter_{name}");
    #[expect(unsafe_code, reason = "a grammar that the user has named is native code")]
    // SAFETY: loading a library and calling into it is sound only if it is what it says, a grammar
    // made by tree-sitter's generator: that is what the user vouches for by naming it. Its entry
    // takes nothing and returns a pointer to constant data of the library, which is never unloaded.
    let entry = unsafe {
        let library = ManuallyDrop::new(Library::open(Some(&path), flags).map_err(failed)?);
        let entry: Symbol<Entry> = library.get(symbol.as_str()).map_err(failed)?;
        if entry().is_null() { None } else { Some(LanguageFn::from_raw(*entry)) }
    };
    let entry = entry.ok_or_else(|| GrammarError::Load {
        path: library.to_owned(),
        message: format!("{symbol} returns no parser"),
    })?;
    Ok(LoadedParser { name, entry })
}

/// Returns what the system says, without the path, which we say ourselves.
fn first_cause(error: &libloading::Error, path: &Path) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    let said = error.to_string();
    let path = format!("{}: ", path.display());
    said.strip_prefix(&path).map_or(said.clone(), str::to_owned)
}

/// Returns the name of the grammar whose entry a library has.
fn entry_name(bytes: &[u8], wanted: Option<&str>, library: &Path) -> Result<String, GrammarError> {
    let mut found = entries(bytes);
    let is_wanted = |name: &String| wanted.is_some_and(|wanted| wanted == name);
    if let Some(name) = found.iter().find(|name| is_wanted(name)) {
        return Ok(name.clone());
    }
    match (found.pop_first(), found.is_empty()) {
        (Some(only), true) if wanted.is_none() => Ok(only),
        (first, _) => {
            found.extend(first);
            let (path, wanted) = (library.to_owned(), wanted.map(str::to_owned));
            Err(GrammarError::NoEntry { path, wanted, found: found.into_iter().collect() })
        }
    }
}

/// Returns the names of all grammars that the table of names of a library mentions.
fn entries(bytes: &[u8]) -> BTreeSet<String> {
    const PREFIX: &[u8] = b"tree_sitter_";
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
    let names = bytes.split(|&b| b == 0).filter_map(|name| name.strip_prefix(PREFIX));
    let whole = names
        .filter(|name| !name.is_empty() && name.iter().take_while(is_part).count() == name.len());
    let names = whole.map(|name| String::from_utf8_lossy(name).into_owned());
    names.filter(|name| !name.contains("external_scanner")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_of_a_library_are_found_by_their_names() {
        let table = b"\x7fELF\0tree_sitter_json\0tree_sitter_json_external_scanner_scan\0\
                      tree_sitter_\0xtree_sitter_c\0tree_sitter_a b\0";
        assert_eq!(entries(table).into_iter().collect::<Vec<_>>(), ["json"]);
        let path = Path::new("x.so");
        let name = |bytes: &[u8], wanted| {
            entry_name(bytes, wanted, path).map_err(|error| error.to_string())
        };
        assert_eq!(name(table, None), Ok("json".to_owned()));
        let two = b"\0tree_sitter_a\0tree_sitter_b\0";
        assert_eq!(name(two, Some("b")), Ok("b".to_owned()));
        let error = name(two, None).unwrap_err();
        assert_eq!(error, "x.so: it has several grammars: tree_sitter_a, tree_sitter_b");
        let error = name(two, Some("c")).unwrap_err();
        let expected = "x.so: it has no function tree_sitter_c, but tree_sitter_a, tree_sitter_b";
        assert_eq!(error, expected);
        let error = name(b"", None).unwrap_err();
        assert_eq!(error, "x.so: it is no grammar: it has no function tree_sitter_NAME");
    }
}
