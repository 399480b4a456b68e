//! `minirepro completions`.

use clap::CommandFactory;
use clap_complete::generate;

use crate::args::{Cli, Completions};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::print;

/// Prints the completions of a shell.
///
/// # Errors
/// If standard output cannot be written to.
pub fn run(args: &Completions) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "minirepro", &mut script);
    print(|to| to.write_all(&script)).map_err(|error| CliError::new(Exit::NotWritten, error))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use clap_complete::Shell;

    use super::*;

    #[test]
    fn every_shell_completes_subcommands_and_options() {
        for shell in Shell::value_variants() {
            let mut script = Vec::new();
            generate(*shell, &mut Cli::command(), "minirepro", &mut script);
            let script = String::from_utf8(script).unwrap();
            for word in ["isolate", "granularity", "completions"] {
                assert!(script.contains(word), "{shell}: {word}");
            }
        }
    }
}
