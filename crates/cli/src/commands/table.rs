//! Tables of text.

use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::{name, print};

/// Prints columns, each as wide as it must be.
///
/// # Errors
/// If standard output cannot be written to.
pub fn table(rows: &[[String; 3]]) -> Result<Exit, CliError> {
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
