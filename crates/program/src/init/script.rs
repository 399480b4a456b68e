//! Test scripts for a program that fails on a file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use minirepro_runner::{
    BaselineError, CancelToken, CommandError, Companion, Conditions, Limits, Output, OutputError,
    Script, baseline,
};

use crate::error::Error;
use crate::grammars::Languages;
use crate::init::template::{self, Check, Crash};
use crate::sources::companions;
use crate::test::command::{Command, ExpectedFailure, by_hand};

/// How long each of the first runs may take.
const FIRST_RUNS: Duration = Duration::from_secs(300);

/// A script for a program that fails.
#[derive(Clone, Debug)]
pub struct CrashScript {
    /// Its text.
    pub text: String,
    /// The failure that it looks for, in words.
    pub failure: String,
    /// The files that the input includes: the script needs them beside the candidate.
    pub companions: Vec<Companion>,
}

/// Runs a command on a file and returns a script that looks for its failure: the same that a
/// reduction with this command and its criteria looks for. `hangs_after` is the time after which
/// the program counts as hanging.
///
/// # Errors
/// If the command cannot be run, does not fail, or not as its criteria demand.
pub fn crash_script(
    command: &Command,
    file: &Path,
    input: &[u8],
    hangs_after: Option<Duration>,
    stop: &CancelToken,
) -> Result<CrashScript, Error> {
    let limits = Limits::new(hangs_after.unwrap_or(FIRST_RUNS));
    let mut test = command.oracle(file, limits)?.in_c_locale();
    let named = companions::named_by(&Languages::default(), file, input, None, stop);
    test.provide(&named.beside)?;
    let reproduce = by_hand(&test, Some(file));
    let not_a_test = |error| match error {
        CommandError::Stopped => Error::Interrupted { journal: None },
        error => Error::Command { error, reproduce: reproduce.clone() },
    };
    let mut checks = Vec::new();
    let failure = match &command.criteria.expected {
        ExpectedFailure::Conditions(conditions) => {
            checks = checks_of(conditions);
            test.expect(conditions.clone());
            "the conditions below hold".to_owned()
        }
        expected => {
            let pinned = match expected {
                ExpectedFailure::Signature(text) => Some(text.as_str()),
                _ => None,
            };
            let signature = test.learn_failure(input, pinned, stop).map_err(&not_a_test)?;
            let evidence = test.evidence(input, stop).map_err(&not_a_test)?;
            checks.push(Check::ExitCode(template::code(&signature.end)));
            checks.extend(evidence.message.map(Check::Says));
            checks.extend(evidence.frames.into_iter().map(Check::Frame));
            signature.to_string()
        }
    };
    test.fails_as_typed(stop).map_err(&not_a_test)?;
    test.check_guards(input, stop).map_err(not_a_test)?;
    let hangs_after = match &command.criteria.expected {
        ExpectedFailure::Conditions(conditions) if conditions.timeout => hangs_after,
        _ => None,
    };
    let (words, name) = test.words();
    let crash = Crash {
        words,
        name,
        file,
        failure: failure.clone(),
        checks,
        hangs_after,
        first_guards: &command.criteria.first_guards,
        guards: &command.criteria.guards,
    };
    Ok(CrashScript { text: template::crash(&crash), failure, companions: named.beside })
}

/// Returns what a script must look at so that `conditions` hold.
fn checks_of(conditions: &Conditions) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(conditions.exit_code.map(Check::ExitCode));
    checks.extend(conditions.signal.map(|signal| Check::ExitCode(128 + signal)));
    let streams = [
        ("stdout", &conditions.stdout, true),
        ("stderr", &conditions.stderr, true),
        ("stderr", &conditions.no_stderr, false),
    ];
    for (stream, patterns, wanted) in streams {
        for pattern in patterns {
            // Lines are what grep looks at anyway.
            let pattern = pattern.as_str().trim_start_matches("(?m)").to_owned();
            checks.push(Check::Matches { stream, pattern, wanted });
        }
    }
    checks
}

/// Returns a script that looks for a program that a compiler translates wrongly. `right` is a
/// command that translates it rightly; by default the same command without optimisation.
///
/// # Errors
/// If no command can be run here.
pub fn wrong_code_script(
    command: &Command,
    file: &Path,
    right: Option<&str>,
) -> Result<String, Error> {
    let test = command.oracle(file, Limits::new(FIRST_RUNS))?;
    let (words, name) = test.words();
    Ok(template::wrong_code(words, name, file, right))
}

/// Writes a script to a file that can be run.
///
/// # Errors
/// If it cannot be written.
pub fn write_script(path: &Path, text: &str) -> Result<(), Error> {
    // Nothing has this name, so the permissions are the default ones until they are set.
    let output = Output::new(path, Path::new("/dev/null/no/permissions"));
    let written = output.write(text.as_bytes()).and_then(|()| {
        let permissions = fs::Permissions::from_mode(0o755);
        fs::set_permissions(path, permissions)
            .map_err(|error| OutputError { path: path.to_owned(), error })
    });
    written.map_err(|error| Error::ResultNotWritten { error, rescued: None, result: None })
}

/// Tries a script as a reduction would that puts `companions` beside every candidate, and returns
/// how long it took.
///
/// # Errors
/// If it cannot be run, does not reproduce on the file, or does so on an empty one.
pub fn try_script(
    path: &Path,
    file: &Path,
    input: &[u8],
    companions: &[Companion],
    stop: &CancelToken,
) -> Result<Duration, Error> {
    let mut script =
        Script::new(path, file, None, Limits::new(FIRST_RUNS)).map_err(Error::Script)?;
    script.provide(companions)?;
    let seen = baseline(&script, input, b"", stop).map_err(|error| match error {
        BaselineError::Oracle(error) => Error::TestBroken { error, reproduce: None },
        BaselineError::Stopped => Error::Interrupted { journal: None },
        error => Error::NotReproduced {
            about: None,
            error,
            are_swapped: false,
            are_rewritten: false,
            left_behind: Vec::new(),
            reproduce: None,
        },
    })?;
    Ok(seen.slowest)
}
