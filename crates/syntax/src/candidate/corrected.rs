//! Candidates in which lengths and checksums follow what was edited.

use crate::edit::render::render_counting;
use crate::{Edits, Language, Rendered, Tree};

/// Renders the edits in a language, in which other parts may have to follow
/// ([`Reader::corrected`]).
///
/// [`Reader::corrected`]: crate::Reader::corrected
pub fn rendered(tree: &Tree, language: &Language, edits: &Edits) -> Rendered {
    let count = |text: &[u8]| language.reader.tokens(text);
    let candidate = render_counting(tree, edits, language.spacing, &count);
    match language.reader.corrected(tree, &candidate.text, &candidate.copied) {
        Some((text, hash)) => Rendered { text: text.into(), hash, copied: Vec::new(), ..candidate },
        None => candidate,
    }
}
