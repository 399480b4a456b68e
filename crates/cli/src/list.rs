//! `minirepro languages` and `minirepro passes`: what there is to choose from.

use minirepro_engine::passes as own_passes;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::tree::print;

/// Prints the table of languages.
///
/// # Errors
/// When standard output is closed.
pub fn languages() -> Result<Exit, Failure> {
    let all = minirepro_languages::all();
    let rows: Vec<[String; 3]> = all
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
/// When standard output is closed.
pub fn passes() -> Result<Exit, Failure> {
    let rows: Vec<[String; 3]> = own_passes()
        .map(|pass| {
            let on_demand = if pass.thorough { "--thorough" } else { "" };
            [pass.name, on_demand, pass.edits].map(str::to_owned)
        })
        .collect();
    table(&rows)
}

/// Prints columns, each as wide as it must be.
fn table(rows: &[[String; 3]]) -> Result<Exit, Failure> {
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    print(|to| rows.iter().try_for_each(|[a, b, c]| writeln!(to, "{a:first$}  {b:second$}  {c}")))
}
