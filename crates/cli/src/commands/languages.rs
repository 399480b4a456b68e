//! `minirepro languages`, and the languages that a command may use.

use std::path::{Path, PathBuf};

use minirepro_program::{BadRequest, FieldRole, Languages, Role, languages as builtin};

use crate::args;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::table::table;
use crate::report::terminal::{self, plain, print_text, say, shown};

/// Returns the languages of the program, and those of the grammars that were named.
///
/// # Errors
/// If one of the grammars cannot be used.
pub fn languages(grammars: &[PathBuf]) -> Result<Languages, CliError> {
    let mut languages = Languages::default();
    for path in grammars {
        languages.add(path, &mut tell_compiling).map_err(BadRequest::from)?;
    }
    Ok(languages)
}

/// Says that it may take a while.
fn tell_compiling(source: &Path) {
    say!("compiling the grammar in {}, once", shown(source));
}

/// Runs `minirepro languages`.
///
/// # Errors
/// If a grammar cannot be used, or standard output cannot be written to.
pub fn run(args: &args::Languages) -> Result<Exit, CliError> {
    let languages = languages(&args.grammar)?;
    match &args.name {
        Some(name) => show(name, &languages),
        None => list(&languages),
    }
}

/// Prints the table of languages.
fn list(languages: &Languages) -> Result<Exit, CliError> {
    let rows: Vec<[String; 3]> = languages
        .all()
        .into_iter()
        .map(|info| {
            let names = [vec![info.name], info.aliases].concat().join(", ");
            let suffixes: Vec<_> = info.suffixes.iter().map(|s| file_names(s)).collect();
            [names, suffixes.join(" "), info.description]
        })
        .collect();
    print_text(&table(&rows, 0..0))
}

/// Returns how file names end, or a whole file name.
fn file_names(suffix: &str) -> String {
    if builtin::is_file_name(suffix) { suffix.to_owned() } else { format!(".{suffix}") }
}

/// Returns a text that was derived without the comment at its beginning, which is for those who
/// edit files.
fn without_comment(text: &str) -> &str {
    let rest = text.split_once('\n').filter(|(first, _)| first.starts_with('#'));
    rest.map_or(text, |(_, rest)| rest).trim_end()
}

fn show(name: &str, languages: &Languages) -> Result<Exit, CliError> {
    let derived = languages.derived(name)?;
    // A grammar may be somebody else's.
    let shown = |text: &str| plain(without_comment(text));
    let facts = match derived.facts.is_empty() {
        true => "# No facts: without a grammar.json nobody knows them.".to_owned(),
        false => format!("# Facts\n{}", shown(&derived.facts)),
    };
    let name = terminal::name(name);
    let manifest = shown(&derived.manifest);
    let roles = Role::ALL.iter().map(|role| [role.name(), role.meaning()]);
    let fields = FieldRole::ALL.iter().map(|field| [field.name(), field.meaning()]);
    let meanings = roles.chain(fields).map(|[name, meaning]| format!("# {name}: {meaning}\n"));
    let head = format!("# Roles, fields and least texts of {name}\n{manifest}\n\n{facts}\n\n");
    print_text(&(head + "# All roles, and then fields\n" + &meanings.collect::<String>()))
}
