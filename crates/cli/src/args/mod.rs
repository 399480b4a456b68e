//! The definition of the command line, and nothing but that: what the words mean is decided where
//! they are turned into requests.

mod batch;
mod isolate;
mod lookups;
mod options;
mod page;
mod reduce;
mod resume;
mod run;
mod values;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use self::batch::Batch;
pub use self::isolate::Isolate;
pub use self::lookups::{
    Agent, CheckRules, Completions, Guide, Languages, Man, Passes, Report, RulesArgs, RulesTask,
    Tree,
};
pub use self::options::Options;
#[cfg(feature = "browser")]
pub use self::page::Page;
pub use self::page::PageArgs;
pub use self::reduce::Reduce;
pub use self::resume::Resume;
pub use self::run::{FailureArgs, JournalArgs, Progress, RunArgs, ScopeArgs};
pub use self::values::{Size, Stack};
pub use self::verify::Verify;

/// What `minirepro -h` shows; a test holds it to 25 lines of 80 columns.
const HELP_ON_ONE_SCREEN: &str = include_str!("short-help.txt");

/// Makes a file that shows a failure as small as possible.
///
/// TEST says whether a candidate still shows the failure. It runs in a fresh directory that holds
/// the candidate under FILE's own name, gets this name as its argument and the candidate as its
/// standard input, and exits with 0 if the failure is there.
///
/// Without TEST, PROGRAM is run on the candidate: `@@` in its arguments stands for the name of the
/// candidate (`@@.c` gives it this suffix), which is its standard input as well. How it fails on
/// FILE (message, stack, signal) is the failure to look for.
#[derive(Debug, Parser)]
#[command(
    name = "minirepro",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "minirepro [OPTIONS] TEST FILE\n       \
                      minirepro [OPTIONS] FILE -- PROGRAM [ARGUMENTS]...\n       \
                      minirepro [OPTIONS] -- PROGRAM [ARGUMENTS]...\n       \
                      minirepro [OPTIONS] PAGE --holds EXPRESSION\n       \
                      minirepro SUBCOMMAND",
    subcommand_value_name = "SUBCOMMAND",
    subcommand_help_heading = "Subcommands",
    after_long_help = include_str!("exit-codes.txt").trim_end(),
    max_term_width = 100
)]
pub struct Cli {
    /// The subcommand; none for a reduction, also if `reduce` was typed.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// A reduction.
    #[command(flatten)]
    pub reduce: Reduce,
}

impl Cli {
    /// Parses words, the first of which is the program's name.
    ///
    /// # Errors
    /// If they are not a command line of minirepro, or ask for help.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        let mut command = Self::command();
        let wants_all = words.iter().any(|word| word == "--help")
            || words.get(1).is_some_and(|word| word == "help");
        if !wants_all {
            command = command.override_help(HELP_ON_ONE_SCREEN);
        }
        let mut cli = Self::from_arg_matches(&command.try_get_matches_from(words)?)?;
        if let Some(Command::Reduce(args)) = cli.command {
            cli = Self { command: None, reduce: *args };
        }
        Ok(cli)
    }

    /// Returns how tests are run, if this is a search of any kind.
    pub fn run_args(&mut self) -> Option<&mut RunArgs> {
        match &mut self.command {
            None => Some(&mut self.reduce.run),
            Some(Command::Batch(args)) => Some(&mut args.run),
            Some(Command::Isolate(args)) => Some(&mut args.run),
            Some(Command::Options(args)) => Some(&mut args.run),
            Some(_) => None,
        }
    }

    /// Returns the grammars that a search reads its input by.
    pub fn grammars(&self) -> &[PathBuf] {
        match &self.command {
            None => &self.reduce.language.grammar,
            Some(Command::Batch(args)) => &args.language.grammar,
            Some(Command::Isolate(args)) => &args.language.grammar,
            Some(_) => &[],
        }
    }
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a file or directory that shows a failure as small as possible (the default)
    #[command(override_usage = "minirepro reduce [OPTIONS] TEST FILE\n       \
                                minirepro reduce [OPTIONS] FILE -- PROGRAM [ARGUMENTS]...")]
    Reduce(Box<Reduce>),
    Isolate(Box<Isolate>),
    Options(Box<Options>),
    Batch(Box<Batch>),
    /// Continue a run that was interrupted or killed, or that ended early
    Resume(Resume),
    /// Try every single edit of a result again: is it 1-minimal?
    Verify(Box<Verify>),
    Report(Report),
    Agent(Agent),
    /// Print a chapter of the guide, or the list of its topics
    Guide(Guide),
    Languages(Languages),
    #[cfg(feature = "browser")]
    Page(Box<Page>),
    Passes(Passes),
    Rules(RulesArgs),
    /// Show the syntax tree of a file
    Tree(Tree),
    Completions(Completions),
    Man(Man),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::read(line.split(' ').map(OsString::from))
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_short_help_fits_a_small_terminal() {
        let help = parse("minirepro -h").unwrap_err().to_string();
        assert_eq!(help, HELP_ON_ONE_SCREEN);
        assert!(help.lines().count() <= 25, "{}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 80));
        for all in ["minirepro --help", "minirepro help"] {
            let help = parse(all).unwrap_err().to_string();
            assert!(help.lines().count() > 100, "{all}");
        }
    }

    #[test]
    fn a_reduction_and_a_command_do_not_get_into_each_others_way() {
        let cli = parse("minirepro -j 2 test.sh file.c").unwrap();
        assert!(
            cli.command.is_none() && cli.reduce.file.is_some() && cli.reduce.run.jobs == Some(2)
        );
        assert!(parse("minirepro languages").unwrap().command.is_some());
        assert!(parse("minirepro tree a.c --lang c").unwrap().command.is_some());
        assert!(parse("minirepro ./tree a.c").unwrap().command.is_none());
        let cli = parse("minirepro --stderr x a.c -- cc -c @@ --lang").unwrap();
        assert!(cli.reduce.file.is_none() && cli.reduce.program.len() == 4);
        assert!(parse("minirepro --stderr x test.sh a.c").is_err());
        assert!(parse("minirepro --hang a.c -- cc").is_err());
        assert_eq!(parse("minirepro a b c").unwrap().reduce.more.len(), 1);
        for wrong in ["minirepro", "minirepro a", "minirepro -j 0 a b"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_script_with_the_name_of_a_subcommand_can_be_reduced_with() {
        for script in ["tree", "verify", "./tree", "reduce"] {
            let cli = parse(&format!("minirepro reduce {script} f.c -j 3")).unwrap();
            assert!(cli.command.is_none(), "{script}");
            assert_eq!(cli.reduce.test.as_deref(), Some(std::path::Path::new(script)));
            assert_eq!(cli.reduce.run.jobs, Some(3));
        }
        assert!(parse("minirepro reduce t.sh").is_err());
    }
}
