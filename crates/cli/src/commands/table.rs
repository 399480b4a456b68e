//! Tables of text.

use std::io::{self, IsTerminal};

use rustix::termios::tcgetwinsize;

use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::{name, print};

/// No column gets narrower than this.
const NARROWEST: usize = 16;

/// Prints columns, each as wide as it must be; on a terminal that is narrower, cells are broken.
///
/// # Errors
/// If standard output cannot be written to.
pub fn table<const N: usize>(rows: &[[String; N]]) -> Result<Exit, CliError> {
    // A language may come from a file of somebody else's.
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| name(cell))).collect();
    let text = in_columns(&rows, screen());
    print(|to| to.write_all(text.as_bytes()))
}

/// Returns the width of the terminal to which standard output goes.
fn screen() -> Option<usize> {
    let out = io::stdout();
    let size = out.is_terminal().then(|| tcgetwinsize(&out).ok()).flatten()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

fn in_columns<const N: usize>(rows: &[[String; N]], screen: Option<usize>) -> String {
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let mut widths: [usize; N] = std::array::from_fn(width);
    let between = 2 * N.saturating_sub(1);
    if let Some(screen) = screen {
        while widths.iter().sum::<usize>() + between > screen
            && let Some(widest) = widths.iter_mut().max()
            && *widest > NARROWEST
        {
            *widest -= 1;
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells: [Vec<String>; N] = std::array::from_fn(|at| broken(&row[at], widths[at]));
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let parts = cells
                .iter()
                .zip(widths)
                .map(|(cell, width)| format!("{:width$}", cell.get(line).map_or("", |part| part)));
            text += parts.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
    }
    text
}

/// Breaks a text into lines at blanks; longer words stay whole.
fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is a first line");
        if last.is_empty() {
            *last += word;
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            *last += " ";
            *last += word;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_no_wider_than_the_terminal() {
        let row = |name: &str, files: &str| {
            [name.to_owned(), files.to_owned(), "what people write in it".to_owned()]
        };
        let rows = [
            row("c", ".c"),
            row("cpp, c++", ".cc .cpp .cxx .c++ .C .hh .hpp .hxx .h++ .H .ii .ipp"),
        ];
        let wide = in_columns(&rows, None);
        assert_eq!(wide.lines().count(), 2);
        let narrow = in_columns(&rows, Some(60));
        assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
        let words = |text: &str| {
            let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            words.sort();
            words
        };
        assert_eq!(words(&narrow), words(&wide));
    }
}
