//! `minirepro tree`.

use crate::args::Tree;
use crate::commands::languages::languages;
use crate::commands::launch::Launch;
use crate::commands::reduce::language;
use crate::commands::source::Source;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::print;
use crate::report::tree::draw;

/// Prints the syntax tree of a file.
///
/// # Errors
/// If it cannot be read.
pub fn run(args: &Tree) -> Result<Exit, CliError> {
    let languages = languages(&args.language.grammar)?;
    let source = Source::named(args.file.clone(), args.language.lang.as_deref(), &languages)?;
    let text = source.read(&Launch::default())?;
    let choice = language(&languages, &source.file, args.language.lang.clone(), None);
    let language = choice.find(&languages, &[], &source.file, &text)?;
    let text =
        language.reader.canonical_form(&text).filter(|text| !text.is_empty()).unwrap_or(text);
    print(|to| draw(&language.parser.parse(&text), to))
}
