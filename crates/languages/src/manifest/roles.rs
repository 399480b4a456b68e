//! Kinds by the names that manifests give.

use std::collections::BTreeSet;

use minirepro_syntax::{Kind, Kinds};

use crate::manifest::error::ManifestError;

/// Looks up a kind by its name.
///
/// # Errors
/// If the grammar lacks it.
pub(crate) fn kind(kinds: &Kinds, name: &str) -> Result<Kind, ManifestError> {
    kinds.named(name).ok_or_else(|| ManifestError::Kind(name.to_owned()))
}

/// Looks up several kinds.
///
/// # Errors
/// If the grammar lacks one.
pub(crate) fn kinds_of(names: &[String], kinds: &Kinds) -> Result<BTreeSet<Kind>, ManifestError> {
    names.iter().map(|name| kind(kinds, name)).collect()
}
