//! Checks manifests that somebody else has written.

use minirepro_syntax::Kinds;

use crate::manifest::error::ManifestError;
use crate::registry::error::LanguageError;
use crate::registry::load::describe;
use crate::registry::table::{present, present_named};

/// Checks the text of a manifest for the grammar in a directory of `grammars/`.
///
/// # Errors
/// If there is no such grammar, or the manifest does not fit it.
pub fn check_manifest(directory: &str, text: &str) -> Result<(), LanguageError> {
    let Some((entry, grammar)) = present_named(directory) else {
        let known = present().map(|(entry, _)| entry.name.to_owned()).collect();
        return Err(LanguageError::Unknown { name: directory.to_owned(), known });
    };
    let check = || -> Result<(), ManifestError> {
        let grammar = grammar.described(entry.name);
        describe(&grammar, entry.read_text(text)?, &mut Kinds::default()).map(drop)
    };
    check().map_err(|source| LanguageError::Manifest { name: directory.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::{check_manifest, present};

    #[test]
    fn a_manifest_of_another_grammar_is_no_panic() {
        // Manifests over all that was derived may say nothing that another grammar could lack.
        let by_hand = || present().filter(|(e, _)| !e.manifest.contains("\nderived = true\n"));
        for (entry, grammar) in present() {
            for (other, its) in by_hand().filter(|(other, _)| other.name != entry.name) {
                let checked = check_manifest(entry.name, other.manifest);
                if entry.derived.is_empty() {
                    // JavaScript has all kinds of nodes that JSON has; pages are HTML.
                    let fits = (other.name, entry.name) == ("json", "javascript")
                        || its.facts == grammar.facts;
                    assert_eq!(checked.is_ok(), fits, "{} as {}", other.name, entry.name);
                }
            }
        }
    }
}
