//! The blank space of a result, in the form that is wanted, as long as the result still reproduces.

use std::path::Path;
use std::sync::Arc;

use minirepro_languages::report_tools;
use minirepro_syntax::Language;

use crate::observer::Form;
use crate::reduce::layout::{with_layout, with_plain_blanks};
use crate::reduce::tool::{filter, first_in_path};
use crate::request::reduction::Format;

/// What became of the blank space of a result.
pub enum Formatted {
    /// There was nothing to change, or nothing to say.
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

/// Larger results are laid out only if that is asked for, in bytes.
const LARGE: usize = 1 << 20;

/// Returns the result in the best of the wanted forms that `reproduces`: by a formatter, laid out,
/// then plain. `file` is the name of the input, for formatters that go by it.
pub fn formatted(
    language: &Language,
    format: &Format,
    file: &Path,
    best: &[u8],
    reproduces: impl Fn(&[u8]) -> bool,
) -> Formatted {
    // Where every byte is in a token there is no blank space to change. What a run that ended early
    // leaves of a large text is for nobody to read, and its tree is much to hold once more.
    let is_large = *format == Format::Auto && best.len() > LARGE;
    if is_large || *format == Format::Keep || !language.spacing.between_tokens {
        return Formatted::Unchanged;
    }
    let tree = language.parser.parse(best);
    let tool = match format {
        Format::Tools => first_in_path(&report_tools(&language.name).formatters),
        Format::Command(command) => Some(command.clone()),
        _ => None,
    };
    let mut forms = Vec::new();
    if let Some(command) = tool
        && let Some(text) = filter(&command, file, best)
    {
        forms.push((Form::Tool(command), text));
    }
    if *format != Format::Plain {
        forms.push((Form::Layout, with_layout(&tree, language)));
    }
    if *format != Format::Auto {
        forms.push((Form::Plain, with_plain_blanks(&tree)));
    }
    for (form, text) in forms {
        if text == best {
            return Formatted::Unchanged;
        }
        if reproduces(&text) {
            return Formatted::Changed { form, text: text.into() };
        }
    }
    if *format == Format::Auto { Formatted::Unchanged } else { Formatted::Refused }
}
