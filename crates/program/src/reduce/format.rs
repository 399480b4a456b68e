//! The blank space of a result, in the form that is wanted, as long as the result still reproduces:
//! by programs of others, or by our own layout.

use std::path::Path;
use std::sync::Arc;

use minirepro_syntax::Language;

use crate::reduce::layout::{with_layout, with_plain_blanks};
use crate::request::Format;
use crate::sources::shell_output;

/// What became of the blank space of a result.
pub enum Formatted {
    /// There was nothing to change, or nothing to say.
    Unchanged,
    /// It has this form now.
    Changed {
        /// The form.
        form: Format,
        /// The result in it.
        text: Arc<[u8]>,
    },
    /// In no other form does it reproduce.
    Refused,
}

/// Larger results are laid out only if that is asked for, in bytes.
const LARGE: usize = 1 << 14;

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
    let mut forms = Vec::new();
    if let Format::Command(command) = format
        && let Some(text) = filter(command, file, best)
    {
        forms.push((format.clone(), text));
    }
    if *format != Format::Plain {
        forms.push((Format::Layout, with_layout(&tree, language)));
    }
    if *format != Format::Auto {
        forms.push((Format::Plain, with_plain_blanks(&tree)));
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

/// Returns what a shell command makes of a text on its standard input; `None` if it fails or makes
/// nothing. `@@` in it stands for the name of `file`.
pub fn filter(command: &str, file: &Path, text: &[u8]) -> Option<Vec<u8>> {
    let name = file.file_name().unwrap_or_default();
    let output = shell_output(command, name, Path::new("."), text).ok()?;
    (output.status.success() && !output.stdout.is_empty()).then_some(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_gets_the_text_and_the_name() {
        let file = Path::new("d/it's.c");
        assert_eq!(filter("tr a b", file, b"aa"), Some(b"bb".to_vec()));
        assert_eq!(filter("cat; echo @@", file, b"x "), Some(b"x it's.c\n".to_vec()));
        assert_eq!(filter("exit 1", file, b"x"), None);
        assert_eq!(filter("cat > /dev/null", file, b"x"), None);
    }
}
