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
    let command = with_all_texts(Cli::command());
    let Some(directory) = &args.dir else {
        let page = page(command).map_err(|error| CliError::new(Exit::NotWritten, error))?;
        return print(|to| to.write_all(&page));
    };
    let written = fs::create_dir_all(directory).and_then(|()| generate_to(command, directory));
    let directory = shown(directory);
    written.map(|()| Exit::Done).map_err(|error| {
        let message = format_args!("cannot write manual pages to {directory}: {error}");
        CliError::new(Exit::NotWritten, message)
    })
}

/// Shows the texts of options that a short help leaves out: pages would print their names alone.
fn with_all_texts(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| argument.hide_short_help(false));
    command.mut_subcommands(with_all_texts)
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
    fn every_option_of_a_page_has_its_text() {
        let page = String::from_utf8(page(with_all_texts(Cli::command())).unwrap()).unwrap();
        let lines: Vec<&str> = page.lines().collect();
        let options = lines.windows(2).filter(|pair| pair[0].starts_with("\\fB\\-"));
        let without: Vec<&str> =
            options.filter(|pair| pair[1].trim().is_empty()).map(|pair| pair[0]).collect();
        assert!(without.is_empty(), "{without:?}");
    }

    #[test]
    fn the_page_names_options_and_exit_codes() {
        let page = String::from_utf8(page(Cli::command()).unwrap()).unwrap();
        for word in ["\\-\\-granularity", "minirepro\\-isolate", "130"] {
            assert!(page.contains(word), "{word}");
        }
    }
}
