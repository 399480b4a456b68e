//! The blank space of a result, as the user wants it to look, as long as the result still reproduces.

use std::sync::Arc;

use minirepro_syntax::{Language, with_layout, with_plain_blanks};

use crate::args::Format;

/// The result in the best of the wanted forms that `reproduces`, and what to say about it. The forms
/// are asked for in turn: laid out, then plain, then as it is.
pub fn formatted(
    language: &Language,
    format: Format,
    best: Arc<[u8]>,
    reproduces: impl Fn(&[u8]) -> bool,
) -> (Arc<[u8]>, Option<String>) {
    // Where every byte is in a token there is no blank space to change.
    if format == Format::Keep || !language.style.gaps {
        return (best, None);
    }
    let tree = language.parser.parse(&best);
    let layout = (format == Format::Layout).then(|| ("laid out", with_layout(&tree, language)));
    let forms = layout.into_iter().chain([("plain blank space", with_plain_blanks(&tree))]);
    for (what, text) in forms {
        if text == *best {
            return (best, None);
        }
        if reproduces(&text) {
            let note = format!("  {what}: {} → {} bytes", best.len(), text.len());
            return (Arc::from(text), Some(note));
        }
    }
    let note = "  the blank space stays: without it the test does not reproduce";
    (best, Some(note.to_owned()))
}
