//! Loads a parser from a shared library: the only place where native code that is not part of the
//! program gets into it.

use std::mem::ManuallyDrop;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW, Symbol};
use tree_sitter_language::LanguageFn;

use crate::grammars::error::GrammarError;

/// The function by which a library hands out its parser.
type Entry = unsafe extern "C" fn() -> *const ();

/// Loads the parser of the grammar `name` from a shared library, which stays loaded until the
/// program ends. Runs code of the library.
///
/// # Errors
/// If the system does not load it, or there is no such parser in it.
pub fn load(library: &Path, name: &str) -> Result<LanguageFn, GrammarError> {
    // Without a `/`, the system would look for it in places of its own.
    let path = std::path::absolute(library).unwrap_or_else(|_| library.to_owned());
    // An addon of Node.js has functions open that only Node.js has, and that no parser calls.
    let is_addon = path.extension().is_some_and(|suffix| suffix == "node");
    let flags = RTLD_LOCAL | if is_addon { RTLD_LAZY } else { RTLD_NOW };
    let failed = |message| GrammarError::Load { path: library.to_owned(), message };
    let symbol = format!("tree_sitter_{name}");
    #[expect(unsafe_code, reason = "a grammar that the user has named is native code")]
    // SAFETY: loading a library and calling into it is sound only if it is what it says, a grammar
    // made by tree-sitter's generator: that is what the user vouches for by naming it. Its entry
    // takes nothing and returns a pointer to constant data of the library, which is never unloaded.
    let entry = unsafe {
        let library = Library::open(Some(&path), flags);
        let library = ManuallyDrop::new(library.map_err(|error| failed(cause(&error, &path)))?);
        let entry: Result<Symbol<Entry>, _> = library.get(symbol.as_str());
        let entry = entry.map_err(|_| failed(format!("it has no function {symbol}")))?;
        if entry().is_null() { None } else { Some(LanguageFn::from_raw(*entry)) }
    };
    entry.ok_or_else(|| failed(format!("{symbol} returns no parser")))
}

/// Returns what the system says, without the path, which we say ourselves.
fn cause(error: &libloading::Error, path: &Path) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    let said = error.to_string();
    let path = format!("{}: ", path.display());
    said.strip_prefix(&path).map_or(said.clone(), str::to_owned)
}
