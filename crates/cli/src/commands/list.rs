//! `minirepro languages` and `minirepro passes`.

use minirepro::languages as known;

use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::{name, print};

/// Prints the table of languages.
///
/// # Errors
/// If standard output cannot be written to.
pub fn languages() -> Result<Exit, CliError> {
    let rows: Vec<[String; 3]> = known::all()
        .into_iter()
        .map(|info| {
            let names = [vec![info.name], info.aliases].concat().join(", ");
            let suffixes: Vec<_> = info.suffixes.iter().map(|s| format!(".{s}")).collect();
            [names, suffixes.join(" "), info.description]
        })
        .collect();
    table(&rows)
}

/// Prints the passes in the order of a round, with what they try.
///
/// # Errors
/// If standard output cannot be written to.
pub fn passes() -> Result<Exit, CliError> {
    let rows: Vec<[String; 3]> = minirepro::passes()
        .map(|pass| {
            let on_demand = if pass.thorough { "--thorough" } else { "" };
            [pass.name, on_demand, pass.edits].map(str::to_owned)
        })
        .collect();
    table(&rows)
}

/// Prints columns, each as wide as it must be.
fn table(rows: &[[String; 3]]) -> Result<Exit, CliError> {
    // A language may come from a file of somebody else's.
    let rows: Vec<[String; 3]> =
        rows.iter().map(|row| row.each_ref().map(|cell| name(cell))).collect();
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let printed = print(|to| {
        rows.iter().try_for_each(|[a, b, c]| writeln!(to, "{a:first$}  {b:second$}  {c}"))
    });
    printed.map_err(|error| CliError::new(Exit::NotWritten, error))?;
    Ok(Exit::Done)
}
