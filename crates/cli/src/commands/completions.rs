//! `minirepro completions`.

use clap::{CommandFactory, ValueEnum};
use clap_complete::{Shell, generate};

use crate::args::{Cli, Completions};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::print;

/// Prints the completions of a shell.
///
/// # Errors
/// If no shell is known, or standard output cannot be written to.
pub fn run(args: &Completions) -> Result<Exit, CliError> {
    let Some(shell) = args.shell.or_else(Shell::from_env) else {
        let names: Vec<String> = Shell::value_variants().iter().map(ToString::to_string).collect();
        return Err(CliError::usage("for which shell?")
            .advise(format!("Name one of {}: minirepro completions SHELL\n", names.join(", "))));
    };
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "minirepro", &mut script);
    print(|to| to.write_all(&script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_completes_subcommands_and_options() {
        for shell in Shell::value_variants() {
            let mut script = Vec::new();
            generate(*shell, &mut Cli::command(), "minirepro", &mut script);
            let script = String::from_utf8(script).unwrap();
            // Not every shell completes values, and fish none of words without an option.
            let values: &[&str] = match shell {
                Shell::Bash | Shell::Zsh => &["javascript", "test-scripts", "delete-and-hoist"],
                Shell::Fish => &["javascript", "delete-and-hoist"],
                _ => &[],
            };
            for word in ["isolate", "granularity", "completions"].iter().chain(values) {
                assert!(script.contains(word), "{shell}: {word}");
            }
        }
    }
}
