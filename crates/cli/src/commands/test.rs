//! The test that the words of the command line describe.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "browser")]
use minirepro_browser::PageTest;
use minirepro_program::compilers;
use minirepro_program::{
    Conditions, Exhibit, Failure, Languages, Program, Test, TestLimits, TestSpec, failure_on,
    sources,
};

use crate::args::{FailureArgs, PageArgs, RunArgs, Stack};
use crate::commands::launch::stop;
use crate::error::CliError;
use crate::exit::Exit;
use crate::misread::similar_subcommand;
use crate::report::shell::{quote, quote_all};
use crate::report::terminal::{output, say, shown};

/// The test of the command line: a script, a program that fails, or a page.
pub type GivenTest = Arc<dyn Test>;

/// Resolves the two calling forms, `TEST FILE` and `FILE -- PROGRAM`, to a test and an input.
///
/// # Errors
/// If the words have neither form, or a condition is wrong.
pub fn resolve(
    first: Option<PathBuf>,
    second: Option<PathBuf>,
    program: Vec<OsString>,
    failure: &FailureArgs,
) -> Result<(GivenTest, PathBuf), CliError> {
    match (first, second) {
        (Some(script), Some(file)) if program.is_empty() => {
            if let Some(error) = swapped(&script, &file) {
                return Err(error);
            }
            if !script.exists()
                && let Some(name) = similar_subcommand(script.as_os_str())
            {
                let script = quote(script.as_os_str());
                return Err(CliError::usage(format_args!("there is no test script {script}"))
                    .advise(format!("A subcommand comes first: minirepro {name} …\n")));
            }
            Ok((described(TestSpec::script(script), failure), file))
        }
        (Some(file), None) if !program.is_empty() => {
            Ok((described(TestSpec::command(program), failure), file))
        }
        _ => Err(CliError::usage("give a test and a file, or a file and, after `--`, a program")),
    }
}

/// Returns the test of a page, if one is described.
///
/// # Errors
/// If a file that it needs cannot be read.
pub fn of_page(
    page: &PageArgs,
    run: &RunArgs,
    failure: &FailureArgs,
    program: &[OsString],
    file: &Path,
) -> Result<Option<GivenTest>, CliError> {
    #[cfg(feature = "browser")]
    {
        let page = page.clone().timed(run.timeout, failure.hang && program.is_empty());
        if page.are_given() {
            let test = PageTest::new(&page, file.is_dir());
            let test = test.map_err(|error| CliError::new(Exit::BrokenTest, error))?;
            return Ok(Some(Arc::new(test)));
        }
    }
    let _ = (page, run, failure, program, file);
    Ok(None)
}

/// Returns the words of the command that compiles a file, and shows it unless that `is_quiet`. Of
/// several, it is the first: a file may be compiled for several programs.
///
/// # Errors
/// If the compilation database cannot be read, or does not list the file.
pub fn compile_command(
    database: &Path,
    file: &Path,
    is_quiet: bool,
) -> Result<Vec<OsString>, CliError> {
    let mut commands =
        compilers::compile_commands(database, file).map_err(|error| CliError::of(&error))?;
    let number = commands.len();
    let words = commands.swap_remove(0);
    if !is_quiet {
        if number > 1 {
            let (database, file) = (shown(database), shown(file));
            say!("{database} has {number} commands for {file}: the first is taken");
            say!("  another one can be written after `--`");
        }
        say!("the command: {}", quote_all(&words));
    }
    Ok(words)
}

/// Says how to call the program if TEST and FILE have changed places: the test cannot be run, but
/// the file could be.
fn swapped(script: &Path, file: &Path) -> Option<CliError> {
    let is_program = |path: &Path| {
        let data = path.metadata().ok().filter(Metadata::is_file)?;
        Some(data.permissions().mode() & 0o111 != 0)
    };
    if is_program(script)? || !is_program(file)? {
        return None;
    }
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let place = |wanted: &Path| words.iter().rposition(|word| word == wanted.as_os_str());
    let mut right_order = String::new();
    if let (Some(first), Some(second)) = (place(script), place(file)) {
        words.swap(first, second);
        right_order = format!("This would work:\n  minirepro {}\n", quote_all(&words));
    }
    let (script, file) = (quote(script.as_os_str()), quote(file.as_os_str()));
    let error = CliError::usage(format_args!(
        "the test {script} is not executable, but {file} is: they seem to have changed places"
    ));
    let kept = format!("If {script} is the test after all: chmod +x {script}\n");
    Some(error.advise(right_order).advise(kept))
}

/// Says which line of a test script names the file itself, by its absolute path: the test would
/// look at the unchanged file instead of the candidate.
pub fn about_absolute_path(test: &dyn Test, file: &Path) -> Option<String> {
    let script = test.spec()?.file()?;
    let text = sources::file(script).ok()?;
    let paths = [std::path::absolute(file).ok()?, file.canonicalize().ok()?];
    let names = |line: &[u8]| paths.iter().any(|path| names_it(line, path.as_os_str().as_bytes()));
    let line = 1 + text.split(|&byte| byte == b'\n').position(names)?;
    let (script, path) = (shown(script), shown(&paths[0]));
    Some(format!(
        "{script}, line {line}, names {path}: this is the unchanged file, not the candidate, which is \
         \"$1\" in a test"
    ))
}

/// Returns whether a line contains a name that does not go on after it.
fn names_it(line: &[u8], name: &[u8]) -> bool {
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    let mut windows = line.windows(name.len()).enumerate();
    windows.any(|(at, part)| part == name && !line.get(at + name.len()).is_some_and(goes_on))
}

/// The exit code of a script for candidates that do not show the failure but something else.
const WORTH_A_LOOK: i32 = 101;

/// Returns a test that looks for the failure which the options describe. A script knows it.
pub fn described(mut spec: TestSpec, args: &FailureArgs) -> GivenTest {
    if let Program::Script { also_interesting, .. } = &mut spec.program {
        *also_interesting = Some(WORTH_A_LOOK);
    } else {
        spec = specified(spec, args);
    }
    Arc::new(spec)
}

/// Returns the same of a command.
pub fn specified(spec: TestSpec, args: &FailureArgs) -> TestSpec {
    let conditions = Conditions {
        ending: args.exit_code,
        stdout: args.stdout.clone(),
        stderr: args.stderr.clone(),
        timeout: args.hang,
    };
    let failure = match &args.signature {
        _ if !conditions.is_empty() => Failure::Conditions(conditions),
        Some(text) if !text.is_empty() => Failure::Written(text.clone()),
        _ => Failure::Learn,
    };
    let (Stack { frames, place }, guards) = (args.stack_frames, args.require.clone());
    TestSpec { failure, frames, place, guards, ..spec }
}

/// Returns the failure that a test looks for, in words; empty if it says none.
pub fn failure_of(test: &dyn Test) -> String {
    test.spec().map_or(String::new(), |spec| spec.failure.to_string())
}

/// Returns whether only the signature of the failure is wanted.
pub fn only_signature(args: &FailureArgs) -> bool {
    args.signature.as_deref() == Some("")
}

/// Shows the signature of the failure.
///
/// # Errors
/// If the program cannot be run, or does not fail.
pub fn show_signature(
    test: &dyn Test,
    file: &Path,
    input: &[u8],
    run: &RunArgs,
) -> Result<Exit, CliError> {
    if let Some(spec) = test.spec().filter(|spec| spec.file().is_none()) {
        let exhibit = Exhibit {
            file,
            text: input,
            companions: &run.with,
            languages: &Languages::default(),
            limits: TestLimits::from(run).of_first_tests(),
            stop: &stop()?,
        };
        output(format_args!("{}\n", failure_on(spec, &exhibit)?));
    }
    Ok(Exit::Done)
}
