//! `minirepro languages`, and the languages that a command may use.

use std::path::{Path, PathBuf};

use minirepro_program::grammars::{Places, keep, remove};
use minirepro_program::{BadRequest, GrammarError, Languages, languages as builtin};

use crate::args::{self, LanguagesCommand};
use crate::commands::table::table;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::{self, plain, print, say, shown};

/// Returns the languages of the program, those that the user has added, and those of the grammars
/// that were named.
///
/// # Errors
/// If one of the grammars cannot be used.
pub fn languages(grammars: &[PathBuf]) -> Result<Languages, CliError> {
    let places = Places::of_user();
    let mut languages = Languages::of_user(&places);
    for path in grammars {
        languages.add(path, &places, &mut tell_compiling).map_err(bad_grammar)?;
    }
    Ok(languages)
}

/// Says that it may take a while.
fn tell_compiling(source: &Path) {
    say!("compiling the grammar in {}, once", shown(source));
}

fn bad_grammar(error: GrammarError) -> CliError {
    BadRequest::from(error).into()
}

/// Runs `minirepro languages`.
///
/// # Errors
/// If a grammar cannot be used, or standard output cannot be written to.
pub fn run(args: &args::Languages) -> Result<Exit, CliError> {
    match &args.command {
        None | Some(LanguagesCommand::List) => list(),
        Some(LanguagesCommand::Add { path }) => add(path),
        Some(LanguagesCommand::Remove { name }) => {
            let removed = remove(name, &Places::of_user()).map_err(bad_grammar)?;
            say!("removed {}", removed.info.name);
            Ok(Exit::Done)
        }
        Some(LanguagesCommand::Show { name, grammar }) => show(name, grammar),
    }
}

/// Prints the table of languages.
fn list() -> Result<Exit, CliError> {
    let rows: Vec<[String; 3]> = languages(&[])?
        .all()
        .into_iter()
        .map(|info| {
            let names = [vec![info.name], info.aliases].concat().join(", ");
            let suffixes: Vec<_> = info.suffixes.iter().map(|s| file_names(s)).collect();
            [names, suffixes.join(" "), info.description]
        })
        .collect();
    table(&rows)
}

/// Returns how file names end, or a whole file name.
fn file_names(suffix: &str) -> String {
    if builtin::is_file_name(suffix) { suffix.to_owned() } else { format!(".{suffix}") }
}

fn add(path: &Path) -> Result<Exit, CliError> {
    let added = keep(path, &Places::of_user(), &mut tell_compiling).map_err(bad_grammar)?;
    for kept in added {
        let info = &kept.info;
        let suffixes: Vec<_> = info.suffixes.iter().map(|s| file_names(s)).collect();
        let files = match suffixes.is_empty() {
            true => "no suffix is known, so it is chosen by --lang".to_owned(),
            false => suffixes.join(" "),
        };
        say!("added {}: {files}", terminal::name(&info.name));
        say!("  in {}", shown(&kept.directory));
        let own = builtin::all();
        for own in own.iter().filter(|own| own.is_called(&info.name)) {
            say!("  it counts instead of {} of this program", own.name);
        }
    }
    Ok(Exit::Done)
}

/// Returns a text that was derived without the comment at its beginning, which is for those who
/// edit files.
fn without_comment(text: &str) -> &str {
    let rest = text.split_once('\n').filter(|(first, _)| first.starts_with('#'));
    rest.map_or(text, |(_, rest)| rest).trim_end()
}

fn show(name: &str, grammars: &[PathBuf]) -> Result<Exit, CliError> {
    let derived = languages(grammars)?.derived(name).map_err(BadRequest::from)?;
    print(|to| {
        // A grammar may be somebody else's.
        writeln!(to, "# Roles, fields and least texts of {}", terminal::name(name))?;
        writeln!(to, "{}", plain(without_comment(&derived.manifest)))?;
        match derived.facts.is_empty() {
            true => writeln!(to, "\n# No facts: without a grammar.json nobody knows them."),
            false => writeln!(to, "\n# Facts\n{}", plain(without_comment(&derived.facts))),
        }
    })
    .map_err(|error| CliError::new(Exit::NotWritten, error))?;
    Ok(Exit::Done)
}
