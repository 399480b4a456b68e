//! Tables of text.

use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::{name, print};

/// Prints columns, each as wide as it must be.
///
/// # Errors
/// If standard output cannot be written to.
pub fn table<const N: usize>(rows: &[[String; N]]) -> Result<Exit, CliError> {
    // A language may come from a file of somebody else's.
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| name(cell))).collect();
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    print(|to| {
        rows.iter().try_for_each(|row| {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
            writeln!(to, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())
        })
    })
}
