//! `minirepro isolate`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_program::{Ends, Error, Grain, Isolation, sources};

use crate::args::{GroupBy, Isolate};
use crate::commands::launch::{Launch, causes, conclude, style};
use crate::commands::reduce::language;
use crate::commands::source::{Source, refuse_standard_input};
use crate::commands::test::{only_signature, resolve, show_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::reporter::{Reporter, Style};
use crate::report::terminal::shown;

/// What lies at both ends, and where it comes from.
struct Inputs {
    ends: Ends,
    passing: Vec<u8>,
    failing: Vec<u8>,
    /// What the failing end is called.
    fail_name: String,
    /// The file or directory that candidates are called after.
    file: PathBuf,
    /// Files that no result may overwrite.
    sources: Vec<PathBuf>,
    /// The default place of the results.
    base: PathBuf,
}

/// Runs `minirepro isolate`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Isolate, launch: &Launch) -> Result<Exit, CliError> {
    let inputs = read(&args, launch)?;
    let (first, second) = match args.test {
        Some(script) => (script, Some(inputs.file)),
        None => (inputs.file, None),
    };
    let (test, file) = resolve(Some(first), second, args.program, &args.failure)?;
    if only_signature(&args.failure) {
        return show_signature(&test, &file, &inputs.failing, &args.run);
    }
    let are_versions = matches!(inputs.ends, Ends::Versions { .. });
    let style = style(&args.run, &file, args.color);
    let recorder = launch.recorder(&args.run, &args.failure, test.described(&file), None, &file);
    let mut reporter = Reporter::new(Style { are_versions, ..style }).recording(recorder);
    let base = inputs.base;
    let request = Isolation {
        ends: inputs.ends,
        passing: Arc::from(inputs.passing),
        failing: Arc::from(inputs.failing),
        passing_name: args.pass.as_deref().map(shown),
        failing_name: inputs.fail_name,
        sources: inputs.sources,
        file,
        causes: causes(args.all_causes),
        output: launch.output(args.output, || base),
        settings: launch.settings(&args.run, &args.journal, &mut reporter)?,
    };
    let outcome = request.run_with(test.as_test());
    conclude(launch, &args.run, reporter, outcome.map(|outcome| outcome.stopped))
}

fn read(args: &Isolate, launch: &Launch) -> Result<Inputs, CliError> {
    if let Some(pass) = &args.pass {
        refuse_standard_input(pass, "a journal keeps only what fails, so name a file with --pass")?;
    }
    match &args.git {
        Some(repository) => read_revisions(args, repository),
        None if args.fail.is_dir() => read_directories(args),
        None => read_files(args, launch),
    }
}

fn read_files(args: &Isolate, launch: &Launch) -> Result<Inputs, CliError> {
    let Isolate { fail, pass, .. } = args;
    let source = Source::named(fail.clone(), args.lang.as_deref(), &launch.languages)?;
    let failing = match source.is_standard {
        true => source.read(launch)?,
        false => sources::file(fail)?,
    };
    let fail = &source.file;
    let passing = pass.as_deref().map(sources::file).transpose()?;
    Ok(Inputs {
        ends: Ends::Texts {
            language: language(&launch.languages, fail, args.lang.clone(), None),
            minimize: args.minimize,
        },
        passing: passing.unwrap_or_default(),
        failing,
        fail_name: shown(fail),
        file: fail.clone(),
        sources: pass.iter().chain([fail]).cloned().collect(),
        base: fail.clone(),
    })
}

fn read_directories(args: &Isolate) -> Result<Inputs, CliError> {
    check(args)?;
    let Isolate { fail, pass, .. } = args;
    let passing = pass.as_deref().map(sources::directory).transpose()?;
    Ok(Inputs {
        ends: versions(args),
        passing: passing.unwrap_or_default(),
        failing: sources::directory(fail)?,
        fail_name: shown(fail),
        file: fail.clone(),
        sources: pass.iter().chain([fail]).cloned().collect(),
        base: fail.clone(),
    })
}

fn read_revisions(args: &Isolate, repository: &Path) -> Result<Inputs, CliError> {
    check(args)?;
    let Some(pass) = &args.pass else {
        return Err(CliError::usage("name a revision that passes with --pass"));
    };
    let read = |name: &Path| -> Result<Vec<u8>, Error> {
        sources::revision(repository, &name.to_string_lossy())
    };
    Ok(Inputs {
        ends: versions(args),
        passing: read(pass)?,
        failing: read(&args.fail)?,
        fail_name: shown(&args.fail),
        file: std::path::absolute(repository).unwrap_or_else(|_| repository.to_owned()),
        sources: Vec::new(),
        base: PathBuf::from("changes"),
    })
}

fn versions(args: &Isolate) -> Ends {
    let grain = match args.group_by {
        GroupBy::File => Grain::File,
        GroupBy::Function => Grain::Function,
        GroupBy::Hunk => Grain::Hunk,
        GroupBy::Line => Grain::Line,
    };
    Ends::Versions { grain }
}

/// Refuses options that make sense for single files only.
fn check(args: &Isolate) -> Result<(), CliError> {
    if args.minimize || args.lang.is_some() {
        return Err(CliError::usage("--minimize and --lang are for single files"));
    }
    Ok(())
}
