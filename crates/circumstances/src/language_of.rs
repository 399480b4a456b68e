//! How circumstances learn which language describes a file, without knowing any by name.

use std::sync::Arc;

use minirepro_syntax::Language;

/// Returns the language of a file by its path and text, or `None` if no grammar describes it.
pub type LanguageOf = dyn Fn(&[u8], &[u8]) -> Option<Arc<Language>> + Send + Sync;
