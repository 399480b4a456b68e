//! Why a grammar cannot be used.

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

use minirepro_languages::{ForeignError, ManifestError};
use tree_sitter_loader::{CompilerError, LibraryError, LoaderError};

/// How many lines of a compiler are shown.
const MOST_OF_COMPILER: usize = 20;

/// Why a grammar that is not part of the program cannot be used.
#[derive(Debug, thiserror::Error, strum::EnumProperty, strum::EnumMessage)]
#[non_exhaustive]
pub enum GrammarError {
    /// A file or directory cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
    /// A file or directory cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Unwritable(PathBuf, io::Error),
    /// At this path there is neither a parser's source nor a library.
    #[error("{}: there is no grammar: neither src/parser.c nor a library (.so)", .0.display())]
    #[strum(message = "Name the directory with src/parser.c; tree-sitter generate writes it.")]
    NoGrammar(PathBuf),
    /// It is WebAssembly.
    #[error("{}: WebAssembly grammars cannot be used", .0.display())]
    #[strum(message = "Give its sources, or a library that was compiled from them.")]
    WebAssembly(PathBuf),
    /// A file beside the parser has not the form that it should have.
    #[error("{}: {}", .0.display(), .1)]
    Form(PathBuf, serde_json::Error),
    /// A manifest says what cannot be.
    #[error("{}: {}", .0.display(), .1)]
    Manifest(PathBuf, ManifestError),
    /// Part of it is in C++.
    #[error("{}: its scanner is in C++; only one in C is compiled", .0.display())]
    #[strum(
        message = "Use a newer release of the grammar, or compile it and give the library (.so)."
    )]
    CppScanner(PathBuf),
    /// The compiler of this name cannot be run.
    #[error("cannot compile {}: {}: {}", .0.display(), .1, .2)]
    #[strum(message = "Install a compiler, name one with CC, or give a library (.so).")]
    NoCompiler(PathBuf, String, io::Error),
    /// The compiler refuses the source, and wrote this.
    #[error("cannot compile {}:\n{}", .0.display(), .1)]
    CompilerFailed(PathBuf, String),
    /// This lock file says for too long that another run compiles it.
    #[error("another run seems to compile this grammar, as {} says", .0.display())]
    #[strum(message = "If there is none, it was killed: remove that file.")]
    Locked(PathBuf),
    /// It is not loaded, for this reason.
    #[error("cannot load {}: {}", .0.display(), .1)]
    Load(PathBuf, String),
    /// The parser of this name, or what lies beside it, does not fit this program.
    #[error("grammar {name}: {error}")]
    Foreign {
        /// The name of the grammar.
        name: String,
        /// What is wrong.
        error: ForeignError,
    },
    /// Somebody else can change what would be loaded.
    #[error("{}: it is not the user's own, or others can write to it; nothing in it is loaded", .0.display())]
    #[strum(message = "It should be yours, and only yours to write to (chmod o-w).")]
    NotOwn(PathBuf),
    /// There is no place for compiled grammars.
    #[error("there is no place for compiled grammars: neither XDG_CACHE_HOME nor HOME is set")]
    NoPlace,
    /// Nothing says what the grammar of this parser is.
    #[error("{}: there is no grammar.json beside it", .0.display())]
    #[strum(message = "All facts come from it; tree-sitter generate writes it in src.")]
    NoGrammarJson(PathBuf),
}

impl GrammarError {
    /// Makes one of why the native code at a path is not compiled or loaded.
    pub(super) fn of_loader(path: &Path) -> impl FnOnce(LoaderError) -> Self {
        let path = path.to_owned();
        |error| match error {
            LoaderError::Compiler(CompilerError { error, command }) => {
                Self::NoCompiler(path, command.get_program().to_string_lossy().into_owned(), error)
            }
            LoaderError::Compilation(_, said) => {
                let shown: Vec<&str> = said.lines().take(MOST_OF_COMPILER).collect();
                Self::CompilerFailed(path, shown.join("\n"))
            }
            LoaderError::LockFileTimeout(lock) => Self::Locked(lock),
            LoaderError::Symbol(error) => {
                Self::Load(path, format!("it has no function {}", error.symbol_name))
            }
            // The reason stands behind.
            LoaderError::Library(LibraryError { error, .. }) => {
                Self::Load(path, error.source().map_or_else(|| error.to_string(), <_>::to_string))
            }
            error => Self::Load(path, error.to_string()),
        }
    }

    /// Makes one of what is wrong with the grammar of this name.
    pub(super) fn of(name: &str) -> impl FnOnce(ForeignError) -> Self {
        |error| Self::Foreign { name: name.to_owned(), error }
    }
}
