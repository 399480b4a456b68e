//! `minirepro licenses`.

use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::{plain, print};

/// Written by `.ci/licenses`.
const LICENSES: &str = include_str!("../../licenses.txt");

/// Prints which libraries and grammars of others the program contains, and their licences.
///
/// # Errors
/// If standard output cannot be written to.
pub fn run() -> Result<Exit, CliError> {
    let text = plain(LICENSES);
    print(|to| to.write_all(text.as_bytes()))
}
