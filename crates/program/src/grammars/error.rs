//! Why a grammar cannot be used.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use minirepro_languages::{ForeignError, LanguageError, ManifestError};

/// Why there is no such language, or not now.
#[derive(Debug, thiserror::Error)]
pub enum NoLanguage {
    /// None of the program, and none that was named.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// One that was named cannot be used.
    #[error(transparent)]
    Grammar(#[from] Arc<GrammarError>),
}

impl From<GrammarError> for NoLanguage {
    fn from(error: GrammarError) -> Self {
        Self::Grammar(Arc::new(error))
    }
}

/// Why a grammar that is not part of the program cannot be used.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[non_exhaustive]
pub enum GrammarError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", .path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {error}", .path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// There is neither a parser's source nor a library.
    #[error("{}: there is no grammar: neither src/parser.c nor a library (.so, .node)", .path.display())]
    NoGrammar {
        /// What was named.
        path: PathBuf,
    },
    /// It is WebAssembly.
    #[error("{}: WebAssembly grammars cannot be used", .path.display())]
    WebAssembly {
        /// What was named.
        path: PathBuf,
    },
    /// A file beside the parser has not the form that it should have.
    #[error("{}: {message}", .path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A manifest says what cannot be.
    #[error("{}: {error}", .path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: ManifestError,
    },
    /// The compiler cannot be run.
    #[error("cannot compile {}: {program}: {error}", .path.display())]
    NoCompiler {
        /// The source.
        path: PathBuf,
        /// The compiler.
        program: String,
        /// Why not.
        error: io::Error,
    },
    /// The compiler refuses the source.
    #[error("cannot compile {}: {program} ended with {ended}", .path.display())]
    CompilerFailed {
        /// The source.
        path: PathBuf,
        /// The compiler.
        program: String,
        /// How it ended.
        ended: String,
        /// What it wrote.
        said: String,
    },
    /// The system does not load a library.
    #[error("cannot load {}: {message}", .path.display())]
    Load {
        /// The library.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// The parser, or what lies beside it, does not fit this program.
    #[error("grammar {name}: {error}")]
    Foreign {
        /// The name of the grammar.
        name: String,
        /// What is wrong.
        error: ForeignError,
    },
    /// Somebody else can change what would be loaded.
    #[error("{}: it is not the user's own, or others can write to it; nothing in it is loaded", .path.display())]
    NotOwn {
        /// The directory.
        path: PathBuf,
    },
    /// There is no place for compiled grammars.
    #[error("there is no place for compiled grammars: neither XDG_CACHE_HOME nor HOME is set")]
    NoPlace,
    /// Nothing says what the grammar is.
    #[error("{}: there is no grammar.json beside it", .path.display())]
    NoGrammarJson {
        /// The parser.
        path: PathBuf,
    },
}
