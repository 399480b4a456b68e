//! `minirepro passes`.

use std::path::Path;

use minirepro_program::languages::{self, RuleName};
use minirepro_program::{LanguageChoice, PassInfo};

use crate::args::Passes;
use crate::commands::languages::languages;
use crate::commands::launch::rules;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::table::table;
use crate::report::terminal::print_text;

/// Prints the passes in the order of a round, with what they try and an example, or all examples
/// of one, or the rules of a language.
///
/// # Errors
/// If standard output cannot be written to, or a file of rules is wrong.
pub fn passes(args: &Passes) -> Result<Exit, CliError> {
    if let Some(name) = &args.lang {
        return rules_of(name, args);
    }
    if let Some(name) = &args.pass {
        let pass = minirepro_program::passes().into_iter().find(|pass| pass.name == *name);
        let examples = pass.as_ref().map_or("", PassInfo::examples);
        return print_text(examples);
    }
    let rows = minirepro_program::passes().into_iter().map(|pass| {
        let condition = match &pass.languages {
            Some(languages) if languages.len() > FEW => format!("{} languages", languages.len()),
            Some(languages) => languages.join(", "),
            None => String::new(),
        };
        let example = pass.example().map(|[before, after]| format!("{before} → {after}"));
        [pass.name.to_owned(), condition, pass.edits.to_owned(), example.unwrap_or_default()]
    });
    print_text(&table(&rows.collect::<Vec<_>>(), 0..0))
}

/// More languages of a pass are counted, not named.
const FEW: usize = 2;

/// Prints the rules for a language with their passes, and where each stands.
fn rules_of(language: &str, args: &Passes) -> Result<Exit, CliError> {
    let rules = rules(&args.rules)?;
    let languages = languages(&args.grammar)?;
    let choice = LanguageChoice::from(language);
    let language = choice.find_with(&languages, &rules, Path::new(""), b"")?;
    let mut rows = Vec::new();
    for pass in languages::rules_of(&language) {
        let row = |rule: &RuleName| [pass.name.to_owned(), rule.origin.clone(), rule.form.clone()];
        rows.extend(pass.names().map(row));
    }
    print_text(&table(&rows, 0..0))
}
