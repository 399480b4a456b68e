//! `minirepro man`.

use std::fs;
use std::io;

use clap::CommandFactory;
use clap_mangen::{Man as Page, generate_to};

use crate::args::{Cli, Man};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::{print, shown};

/// Prints the manual page, or writes all pages into a directory.
///
/// # Errors
/// If they cannot be written.
pub fn run(args: &Man) -> Result<Exit, CliError> {
    let command = Cli::command();
    match &args.dir {
        None => {
            let page = page(command).map_err(|error| CliError::new(Exit::NotWritten, error))?;
            print(|to| to.write_all(&page))
                .map_err(|error| CliError::new(Exit::NotWritten, error))?;
        }
        Some(directory) => {
            fs::create_dir_all(directory).and_then(|()| generate_to(command, directory)).map_err(
                |error| {
                    let directory = shown(directory);
                    CliError::new(
                        Exit::NotWritten,
                        format_args!("cannot write manual pages to {directory}: {error}"),
                    )
                },
            )?;
        }
    }
    Ok(Exit::Done)
}

fn page(command: clap::Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Page::new(command).render(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_options_and_exit_codes() {
        let page = String::from_utf8(page(Cli::command()).unwrap()).unwrap();
        for word in ["\\-\\-granularity", "minirepro\\-isolate", "130"] {
            assert!(page.contains(word), "{word}");
        }
    }
}
