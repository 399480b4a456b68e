//! `minirepro resume`, `report`, and `verify` on a journal: what goes on, or is looked at again, as
//! its journal tells.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use minirepro_program::batch::STATE;
use minirepro_program::{Invocation, Mode, PreviousRun, paths};

use crate::args::{Cli, Report, Resume, RunArgs, Verify};
use crate::commands::launch::Launch;
use crate::commands::search;
use crate::commands::source::absolute;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::document::place::ReportPlace;
use crate::report::shell::{quote, typed_again};
use crate::report::terminal::{say, shown};

/// A run that began before.
struct Past {
    journal: PathBuf,
    /// The command that began it.
    cli: Cli,
    invocation: Invocation,
    /// The failure that it looks for, in words; empty if nothing is known of it.
    failure: String,
    /// Why the journal may not be the user's own.
    doubt: Option<String>,
}

impl Past {
    fn read(journal: &Path) -> Result<Self, CliError> {
        let past = PreviousRun::read(journal).map_err(|e| CliError::unreadable_journal(&e))?;
        let header = past.header;
        let words = ["minirepro".into()].into_iter().chain(header.arguments.iter().cloned());
        let cli = Cli::read(words).map_err(|error| CliError::usage_lines(&error.to_string()))?;
        let failure = header.test.get("the failure").cloned().unwrap_or_default();
        let invocation = Invocation { directory: header.directory, arguments: header.arguments };
        let doubt = doubt(journal);
        Ok(Self { journal: absolute(journal), cli, invocation, failure, doubt })
    }

    /// Returns how its tests are run.
    fn run(&mut self) -> Result<&mut RunArgs, CliError> {
        let journal = self.journal.display();
        let none = CliError::usage(format_args!("{journal} does not contain a resumable run"));
        self.cli.run_args().ok_or(none)
    }

    /// Refuses the command of a journal that may be somebody else's.
    fn check(&self) -> Result<(), CliError> {
        let command = typed_again(&self.invocation.directory, &self.invocation.arguments);
        self.consent("its command was not run", &format!("The command is\n  {command}\n"))
    }

    fn consent(&self, so: &str, about: &str) -> Result<(), CliError> {
        let Some(doubt) = &self.doubt else { return Ok(()) };
        Err(CliError::usage(format_args!("{doubt}, so {so}"))
            .advise(about)
            .advise("If you know it, copy the journal, so that it is your own.\n"))
    }

    /// Goes back to the directory in which it was begun.
    fn return_to(&self) -> Result<(), CliError> {
        let directory = &self.invocation.directory;
        std::env::set_current_dir(directory).map_err(|error| {
            CliError::usage(format_args!("the run began in {}: {error}", directory.display()))
        })
    }

    fn search(self, mode: fn(PathBuf) -> Mode) -> Result<Exit, CliError> {
        let Self { journal, cli, invocation, .. } = self;
        search(cli, &Launch { mode: mode(journal), invocation, ..Launch::default() })
    }
}

/// Runs `minirepro resume`. Options that do not decide the run are the new ones: it does not end
/// early again for the reason for which it did before.
///
/// # Errors
/// If there is no such run, or something has changed since.
pub fn resume(args: Resume) -> Result<Exit, CliError> {
    let mut past = Past::read(&args.journal)?;
    past.check()?;
    // It is named where resume was typed, not where the run began.
    let report = args.report.map(absolute);
    past.return_to()?;
    let run = past.run()?;
    if !args.workers.is_empty() {
        run.workers = args.workers;
    }
    run.jobs = args.jobs.or(run.jobs);
    run.report = report.or_else(|| run.report.take());
    (run.progress, run.quiet, run.verbose) = (args.progress, args.quiet, args.verbose);
    (run.max_tests, run.max_time) = (args.max_tests, args.max_time);
    if args.until_size.is_some() && past.cli.command.is_some() {
        return Err(CliError::usage("--until-size is for reductions of single files"));
    }
    past.cli.reduce.until_size = args.until_size;
    if !args.quiet {
        let Invocation { directory, arguments } = &past.invocation;
        say!("continuing: {}", typed_again(directory, arguments));
    }
    past.search(Mode::Resume)
}

/// Verifies the results of the run of a journal.
///
/// # Errors
/// If there is no such run, or its results do not hold.
pub fn verify(args: Verify) -> Result<Exit, CliError> {
    let mut past = Past::read(&args.first)?;
    past.check()?;
    past.return_to()?;
    let run = past.run()?;
    run.jobs = args.run.jobs.or(run.jobs);
    (run.workers, run.stats) = (Vec::new(), None);
    (run.max_tests, run.max_time) = (args.run.max_tests, args.run.max_time);
    (run.quiet, run.verbose) = (args.run.quiet, args.run.verbose);
    past.search(Mode::Verify)
}

/// Runs `minirepro report`.
///
/// # Errors
/// If there is no journal of the run, or the report cannot be written.
pub fn report(args: Report) -> Result<Exit, CliError> {
    let journal = journal_of(&args.run)?;
    let path = match args.output {
        Some(path) if path.as_os_str() == "-" => path,
        Some(path) => absolute(path),
        None => absolute(default_place(&args.run)),
    };
    look(&journal, ReportPlace::of(path))
}

/// Writes the report of the run with this journal, whose result is now here, and says nothing.
///
/// # Errors
/// If it cannot be written.
pub fn write_report(journal: &Path, path: &Path, result: &Path) -> Result<Exit, CliError> {
    let result = Some(result.to_owned());
    look(journal, ReportPlace { is_told: false, result, ..ReportPlace::of(absolute(path)) })
}

/// Decides a run again for a report. Its test is asked what it prints only if it is certainly the
/// user's own.
fn look(journal: &Path, place: ReportPlace) -> Result<Exit, CliError> {
    let mut past = Past::read(journal)?;
    let grammars: Vec<String> =
        past.cli.grammars().iter().map(|path| quote(path.as_os_str())).collect();
    if !grammars.is_empty() {
        let about = format!("A grammar is native code, here {}. ", grammars.join(", "));
        past.consent("its grammar was not loaded", &about)?;
    }
    // The input of a reduction is in the journal.
    if past.cli.command.is_some() {
        past.return_to()?;
    } else {
        let _ = past.return_to();
    }
    let run = past.run()?;
    (run.jobs, run.max_time, run.stats, run.report) = (Some(1), None, None, None);
    (run.quiet, run.verbose) = (true, false);
    let wanted = Some(ReportPlace { runs_programs: past.doubt.is_none(), ..place });
    let Past { journal, cli, invocation, failure, .. } = past;
    let mode = Mode::Replay(journal);
    search(cli, &Launch { mode, invocation, wanted, failure, ..Launch::default() })
}

/// Returns the journal of a run, by its own directory or by the result.
fn journal_of(run: &Path) -> Result<PathBuf, CliError> {
    let places = [run.to_owned(), paths::journal_beside(run), run.join(STATE)];
    if let Some(place) = places.iter().find(|place| place.join("journal").is_file()) {
        return Ok(place.clone());
    }
    let [run, beside, _] = places.each_ref().map(|place| place.display());
    Err(CliError::usage(format_args!("{run} has no journal: there is no run in {beside}"))
        .advise("The journal of a complete run is removed, unless the run has --journal DIR.\n"))
}

/// Returns where a report goes by default.
fn default_place(run: &Path) -> PathBuf {
    let mut name = run.with_extension("").file_name().unwrap_or_default().to_owned();
    if name.is_empty() {
        name = "minirepro".into();
    }
    name.push(".report.html");
    run.with_file_name(name)
}

/// Returns why a journal may not be the user's own. What cannot be looked at cannot be read either.
fn doubt(journal: &Path) -> Option<String> {
    [journal.to_owned(), journal.join("journal")].iter().find_map(|path| {
        let why = doubt_about(&path.metadata().ok()?)?;
        Some(format!("{} {why}", shown(path)))
    })
}

fn doubt_about(data: &Metadata) -> Option<String> {
    // In a directory like `/tmp`, nobody can replace what belongs to another.
    let is_sticky = data.is_dir() && data.mode() & 0o1000 != 0;
    if data.uid() != rustix::process::geteuid().as_raw() {
        return Some(format!("belongs to another user ({})", data.uid()));
    }
    (data.mode() & 0o002 != 0 && !is_sticky).then(|| "can be changed by every user".to_owned())
}
