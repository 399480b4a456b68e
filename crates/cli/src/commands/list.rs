//! `minirepro passes`.

use std::path::Path;

use minirepro::LanguageChoice;

use crate::args::Passes;
use crate::commands::languages::languages;
use crate::commands::launch::rules;
use crate::commands::table::table;
use crate::error::CliError;
use crate::exit::Exit;

/// Prints the passes in the order of a round, with what they try, or the rules of a language.
///
/// # Errors
/// If standard output cannot be written to, or a file of rules is wrong.
pub fn passes(args: &Passes) -> Result<Exit, CliError> {
    if let Some(name) = &args.lang {
        return rules_of(name, args);
    }
    let rows: Vec<[String; 3]> = minirepro::passes()
        .map(|pass| {
            let on_demand = if pass.thorough { "--thorough" } else { "" };
            [pass.name.to_owned(), on_demand.to_owned(), pass.edits.to_owned()]
        })
        .collect();
    table(&rows)
}

/// Prints the rules that the rewriting passes go by for a language, and where each stands.
fn rules_of(language: &str, args: &Passes) -> Result<Exit, CliError> {
    let rules = rules(&args.rules)?;
    let languages = languages(&args.grammar)?;
    let choice = LanguageChoice::from(language);
    let language = choice.find_with(&languages, &rules, Path::new(""), b"")?;
    let mut rows = Vec::new();
    for rewrite in language.roles.rewrites.values().flatten() {
        let effort = match rewrite.effort {
            1 => String::new(),
            effort => format!("--effort {effort}"),
        };
        let row = [rewrite.rule.origin.clone(), effort, rewrite.rule.form.clone()];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    table(&rows)
}
