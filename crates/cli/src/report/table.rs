//! Tables of text.

use std::ops::Range;

use super::terminal::name;

/// Writes columns, each as wide as it must be, those of `numbers` to the right. Empty ones are left
/// out.
pub fn table<const N: usize>(rows: &[[String; N]], numbers: Range<usize>) -> String {
    // A language may come from a file of somebody else's.
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| name(cell))).collect();
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).enumerate().filter(|(_, (_, width))| *width > 0);
        let cells = cells.map(|(at, (cell, width))| match numbers.contains(&at) {
            true => format!("{cell:>width$}"),
            false => format!("{cell:width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}
