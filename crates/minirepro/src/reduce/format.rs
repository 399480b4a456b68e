//! The blank space of a result, in the form that is wanted, as long as the result still reproduces.

use std::sync::Arc;

use minirepro_syntax::{Language, with_layout, with_plain_blanks};

use crate::observer::Form;
use crate::request::reduction::Format;

/// What became of the blank space of a result.
pub enum Formatted {
    /// There was nothing to change.
    Unchanged,
    /// It has this form now.
    Changed {
        /// The form.
        form: Form,
        /// The result in it.
        text: Arc<[u8]>,
    },
    /// In no other form does it reproduce.
    Refused,
}

/// Returns the result in the best of the wanted forms that `reproduces`: laid out, then plain.
pub fn formatted(
    language: &Language,
    format: Format,
    best: &[u8],
    reproduces: impl Fn(&[u8]) -> bool,
) -> Formatted {
    // Where every byte is in a token there is no blank space to change.
    if format == Format::Keep || !language.spacing.between_tokens {
        return Formatted::Unchanged;
    }
    let tree = language.parser.parse(best);
    let mut forms = Vec::new();
    if format == Format::Layout {
        forms.push((Form::Layout, with_layout(&tree, language)));
    }
    forms.push((Form::Plain, with_plain_blanks(&tree)));
    for (form, text) in forms {
        if text == best {
            return Formatted::Unchanged;
        }
        if reproduces(&text) {
            return Formatted::Changed { form, text: text.into() };
        }
    }
    Formatted::Refused
}
