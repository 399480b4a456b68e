//! What went wrong, in words that say what to do, and the exit code.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_program::{
    BadRequest, BaselineError, CommandError, DoesNotHold, Error, FlakyResult, JournalError,
    OracleError, Outcome, Reliability, ReproduceCommand, StopReason, TestEnd,
};
use strum::{EnumMessage, EnumProperty};

use crate::exit::Exit;
use crate::report::numbers::counted;
use crate::report::shell::{by_hand, quote, quote_all, typed_again};
use crate::report::terminal;

/// An end without the wanted result.
#[derive(Debug)]
pub struct CliError {
    /// How to exit; never [`Exit::Done`].
    pub exit: Exit,
    /// What is wrong, in a line, and what to do about it; whole lines.
    pub text: String,
    /// A result that could not be written anywhere.
    pub lost: Option<Arc<[u8]>>,
}

impl CliError {
    /// Makes an error that needs no advice.
    pub fn new(exit: Exit, message: impl fmt::Display) -> Self {
        debug_assert_ne!(exit, Exit::Done, "an error is no success");
        // Rust puts a number after what the system says.
        let number = regex::Regex::new(r" \(os error \d+\)").expect("it is valid");
        let message = terminal::name(&number.replace(&message.to_string(), ""));
        Self { exit, text: format!("minirepro: {message}\n"), lost: None }
    }

    /// Makes an error in the command line.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Makes an error in the command line of a text with several lines.
    pub fn usage_lines(text: &str) -> Self {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let end = if rest.is_empty() { "" } else { "\n" };
        Self::usage(first).advise(rest.trim_end()).advise(end)
    }

    /// Makes an error of one that says all at its definition.
    pub fn of<E: EnumMessage + EnumProperty + fmt::Display>(error: &E) -> Self {
        Self::new(usual_exit(error), error).advise(usual_advice(error))
    }

    /// Adds lines that say what to do.
    pub fn advise(mut self, advice: impl AsRef<str>) -> Self {
        self.text += advice.as_ref();
        self
    }

    /// Adds what to do where a limit of the system is the reason.
    pub fn advise_about_system(self) -> Self {
        let advice = match &self.text {
            text if text.contains("Too many open files in system") => {
                "All programs together have too many files open: end some of them.\n"
            }
            text if text.contains("Too many open files") => {
                "Too many files are open: raise the limit with `ulimit -n`.\n"
            }
            text if text.contains("failed to map segment") => {
                "It has too little memory to start: allow it more with --memory.\n"
            }
            text if text.contains("Resource temporarily unavailable") => {
                "There are too many processes or threads: raise the limit with `ulimit -u`.\n"
            }
            _ => return self,
        };
        self.advise(advice)
    }

    /// Makes an error of a journal that should be read.
    pub fn unreadable_journal(error: &JournalError) -> Self {
        match error {
            JournalError::Read { path, error }
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                let directory = path.parent().unwrap_or(Path::new("."));
                Self::usage(format_args!("{} holds no journal of a run", directory.display()))
            }
            JournalError::Version { began, .. } => {
                let command = began.as_ref().map_or(String::new(), |header| {
                    format!(":\n  {}", typed_again(&header.directory, &header.arguments))
                });
                Self::usage(error).advise(format!(
                    "Only a version that writes this form can go on with it. To begin anew, remove it and give \
                     the command of the run again{command}\n"
                ))
            }
            error => Self::usage(error),
        }
    }
}

impl From<BadRequest> for CliError {
    fn from(error: BadRequest) -> Self {
        Error::from(error).into()
    }
}

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        let said = match &error {
            // What a command wrote is below.
            Error::PreprocessingFailed { .. } | Error::BadRequest(BadRequest::Grammar(_)) => {
                Self::usage_lines(&error.to_string())
            }
            error => Self::new(exit_after(error), error),
        };
        let said = said.advise(advice(&error)).advise_about_system();
        let lost = match error {
            Error::ResultNotWritten { result, rescued: None, .. } => result,
            _ => None,
        };
        Self { lost, ..said }
    }
}

/// Returns what is said to help at the definition of an error.
fn usual_advice(error: &impl EnumMessage) -> String {
    error.get_message().map_or(String::new(), |help| format!("{help}\n"))
}

/// Returns the exit code that is said at the definition of an error.
fn usual_exit(error: &impl EnumProperty) -> Exit {
    error.get_str("exit").and_then(|exit| exit.parse().ok()).unwrap_or(Exit::Usage)
}

/// Says how to exit after an error.
fn exit_after(error: &Error) -> Exit {
    match error {
        Error::Journal(JournalError::Write { .. }) => Exit::NotWritten,
        Error::Command { error: CommandError::Stopped, .. }
        | Error::NotReproduced { error: BaselineError::Stopped, .. }
        | Error::DoesNotHold { why: DoesNotHold::Stopped(StopReason::Interrupted), .. } => {
            Exit::Interrupted
        }
        Error::Command { error: CommandError::Oracle(_), .. }
        | Error::NotReproduced { error: BaselineError::Oracle(_), .. } => Exit::BrokenTest,
        error => usual_exit(error),
    }
}

/// Says what to do about an error, in whole lines: what stands at its definition, unless commands
/// or what the test wrote belong to it.
fn advice(error: &Error) -> String {
    match error {
        Error::BadRequest(BadRequest::Grammar(error)) => usual_advice(&**error),
        Error::BadRequest(error) => usual_advice(error),
        Error::DoesNotHold { why, .. } => usual_advice(why),
        Error::Command { error, reproduce } => about_command(error, reproduce.as_deref()),
        Error::TestBroken { error, reproduce } => about_test(error, reproduce.as_deref()),
        Error::ResultIsFlaky(flaky) => about_flaky(flaky),
        Error::NotReproduced {
            error, are_swapped, are_rewritten, left_behind, reproduce, ..
        } => {
            let advice = match are_swapped {
                true => {
                    "It does reproduce on what should pass: did the two change places?\n".into()
                }
                false => about_baseline(error, reproduce.as_deref()),
            };
            advice + rewritten(*are_rewritten) + &about_files_left_behind(left_behind)
        }
        Error::PassingDoesNotPass { outcome, output, are_rewritten, .. } => {
            let advice = match outcome {
                Outcome::Fail => BOTH_FAIL.to_owned(),
                _ => wrote(output) + NOT_A_PASS,
            };
            advice + rewritten(*are_rewritten)
        }
        Error::CannotResume { is_replay: false, journal, began_as, .. } => format!(
            "The run began with {}/input. Put things back as they were, or begin anew with the same \
             command:\n  {}\n",
            terminal::shown(journal),
            typed_again(&began_as.directory, &began_as.arguments)
        ),
        error => usual_advice(error),
    }
}

/// Says what may be the reason if an input was tested in another form than its own.
fn rewritten(is_it: bool) -> &'static str {
    match is_it {
        true => {
            "The files were tested in the form in which their language has a tree for them \
             (`minirepro tree` shows it). If the failure depends on the text as it \
             stands, use another --lang, or none.\n"
        }
        false => "",
    }
}

const BOTH_FAIL: &str = "Both inputs fail, so the difference between them cannot be the cause. The passing one must be \
                         something on which the test says 'not reproduced'.\n";

const NOT_A_PASS: &str = "The test must say 'not reproduced' there: a script by an exit code other than 0, 124 and 125, a \
                          program by ending with 0.\n";

/// Says what a run fell back to when its result did not reproduce.
fn about_flaky(flaky: &FlakyResult) -> String {
    const REPEAT: &str = "Test each candidate until it reproduces, up to N times, with --repeat N, or keep the \
                          failure frequent with --repeat 0.5.\n";
    let Some(bytes) = flaky.fallback else {
        return format!(
            "Nothing that was accepted on the way reproduces reliably either.\n{REPEAT}"
        );
    };
    let bytes = counted(bytes as u64, "byte");
    let kept = flaky.unreliable.as_ref().map_or(String::new(), |path| {
        format!(" The smaller one that did not reproduce is in {}.", path.display())
    });
    format!(
        "The result is now the last candidate that reproduced several times in a row ({bytes}).{kept}\n{REPEAT}"
    )
}

/// Names files that the input includes and that tests do not find.
fn about_files_left_behind(files: &[PathBuf]) -> String {
    let Some(first) = files.first().map(|path| quote(path.as_os_str())) else {
        return String::new();
    };
    let names: Vec<String> = files.iter().take(5).map(|path| terminal::shown(path)).collect();
    let more = if files.len() > 5 { ", …" } else { "" };
    format!(
        "FILE names {}{more}, which the directory of a test does not hold. To put it there: --with {first}\n",
        names.join(", ")
    )
}

/// Names a word of the command that is a file here and, without a slash, none in the directory of a
/// test.
fn about_words_without_slash(reproduce: Option<&ReproduceCommand>) -> String {
    let Some(ReproduceCommand { words, candidate, .. }) = reproduce else { return String::new() };
    let candidate = candidate.as_ref().map(|(_, name)| name);
    let names_file = |word: &&OsString| {
        Some(*word) != candidate && !word.as_bytes().contains(&b'/') && Path::new(word).is_file()
    };
    let Some(word) = words.iter().skip(1).find(names_file) else { return String::new() };
    let name = terminal::shown(Path::new(word));
    let word = quote(word);
    format!(
        "The command names {name}, which the directory of a test does not hold. Write ./{word} in the \
         command, or add --with {word}.\n"
    )
}

fn about_missing_file(reproduce: Option<&ReproduceCommand>) -> String {
    match about_words_without_slash(reproduce) {
        none if none.is_empty() => {
            "Tests run in a directory of their own, which holds the candidate and the \
             files below its own directory that it includes. Add others with --with \
             PATH. If the missing file is the failure you want, say so with --stderr.\n"
                .to_owned()
        }
        words => words,
    }
}

const MORE_TIME: &str = "Give it more time with --timeout TIME.\n";

/// Says what to do if the program shows no failure to look for.
fn about_command(error: &CommandError, reproduce: Option<&ReproduceCommand>) -> String {
    match error {
        CommandError::Oracle(error) => about_test(error, reproduce),
        CommandError::TooSlow(_) => {
            MORE_TIME.to_owned()
                + "If that is the failure, a time after which it counts says so: --hang --timeout 10s.\n"
        }
        CommandError::Exceeds => "Allow it more with --memory, or let it write less.\n".to_owned(),
        CommandError::Refused { ending: TestEnd::TimedOut, .. } => MORE_TIME.to_owned(),
        CommandError::Refused { output, .. } => {
            wrote(output)
                + "It is a command of --require; it runs where the program runs, beside the candidate.\n"
        }
        CommandError::FailsOnlyInTests { output, .. } => {
            wrote(output) + &about_missing_file(reproduce)
        }
        CommandError::FileMissing(_) => about_missing_file(reproduce),
        CommandError::Succeeds { output } => {
            let example = told_apart_by(output)
                .map_or(" --stdout or --stderr.".to_owned(), |words| {
                    format!(":\n  --stderr {}", quote(OsStr::new(&words)))
                });
            wrote(output)
                + &about_words_without_slash(reproduce)
                + if output.is_empty() { SCRIPT } else { "" }
                + "If that is the failure, say how to know it, for instance with"
                + &example
                + "\n"
                + &reproduce.map_or_else(String::new, by_hand)
        }
        CommandError::Stopped | CommandError::Other(_) => String::new(),
    }
}

/// What else a program may be that succeeds and says nothing.
const SCRIPT: &str = "If it is a test script, name it before FILE, without `--`.\n";

const LOOK_FOR_FAILURE: &str = "The test must look for the failure itself, for instance with \
                                `grep -q 'text of the message'`.\n";

/// Returns words of a diagnostic that tell it from others, for a regular expression: the name of
/// the last warning, or what it says.
fn told_apart_by(output: &str) -> Option<String> {
    let mut diagnostics = output.lines().filter_map(|line| {
        let (_, said) = line.split_once("warning: ").or_else(|| line.split_once("error: "))?;
        Some(said.trim_end())
    });
    let said = diagnostics.next_back()?;
    let name = said.rsplit_once("[-W").and_then(|(_, name)| name.strip_suffix(']'));
    let words = name.map_or_else(|| said.chars().take(60).collect(), str::to_owned);
    Some(regex::escape(&words).replace(r"\-", "-"))
}

/// Says what to do if the tests before the search show that there is nothing to search for.
fn about_baseline(error: &BaselineError, reproduce: Option<&ReproduceCommand>) -> String {
    match error {
        BaselineError::Oracle(error) => about_test(error, reproduce),
        BaselineError::Stopped => String::new(),
        BaselineError::NotReproduced { ending, output } => {
            let more = match ending {
                TestEnd::TooMuchOutput => "Let it write less, for instance to /dev/null.\n",
                _ => "",
            };
            // The script of a page goes if the run does not begin, and its words say why already.
            let own = reproduce.filter(|command| !is_of_browser(command));
            // Both of the first runs may have missed a failure that shows only at times.
            wrote(output)
                + more
                + &own.map_or_else(String::new, by_hand)
                + "If it shows only at times, test each candidate several times with --repeat N.\n"
        }
        BaselineError::TooSlow(_) => MORE_TIME.to_owned(),
        BaselineError::Flaky(seen) => about_flakiness(seen),
        BaselineError::AcceptsEmpty { .. } => match reproduce {
            Some(command) if is_of_browser(command) => ABOUT_EMPTY_PAGE.to_owned(),
            Some(command) if !command.is_test => about_command_that_accepts_empty(command),
            _ => LOOK_FOR_FAILURE.to_owned(),
        },
    }
}

/// What to do if an empty page shows the failure as well.
const ABOUT_EMPTY_PAGE: &str = "The condition holds for a page without any element. Name the elements that matter with a \
     selector, or let the page begin with <!doctype html>: without it, browsers differ in how they \
     show any page.\n";

/// Returns whether a test looks at a page in a browser.
fn is_of_browser(command: &ReproduceCommand) -> bool {
    matches!(&command.words[..], [program, page, ..] if program == "minirepro" && page == "page")
}

/// Says what to do if a command fails on nothing as it fails on the file: it may never read the
/// file.
fn about_command_that_accepts_empty(command: &ReproduceCommand) -> String {
    let ReproduceCommand { words, candidate, .. } = command;
    let names = |name: &OsStr| {
        words.iter().any(|word| word.to_string_lossy().contains(&*name.to_string_lossy()))
    };
    if candidate.as_ref().is_some_and(|(_, name)| !names(name)) {
        return format!(
            "The command does not name the file, so it gets it as its standard input only. If it should \
             read it by its name, write @@ where the name belongs:\n  {} @@\n",
            quote_all(words)
        );
    }
    "Say how to know the failure, for instance with --stderr or --stdout.\n".to_owned()
}

/// Says what to do if the test cannot be run.
fn about_test(error: &OracleError, reproduce: Option<&ReproduceCommand>) -> String {
    match error {
        OracleError::Broken { output, .. } => {
            wrote(output)
                + "If a program may be missing on purpose, let the script exit with 1 then.\n"
                + &reproduce.map_or_else(String::new, by_hand)
        }
        OracleError::NoInterpreterLine { .. } => "Let its first line be `#!/bin/sh`.\n".to_owned(),
        OracleError::NoInterpreter { interpreter, .. } if interpreter.ends_with("\\r") => {
            "The line ends like on Windows; use Unix line ends.\n".to_owned()
        }
        OracleError::Scratch { .. } => "Set TMPDIR to a directory with enough space.\n".to_owned(),
        _ => String::new(),
    }
}

/// Says what to do about a failure that shows only at times.
fn about_flakiness(seen: &Reliability) -> String {
    let enough = (2..=1000).find(|&tests| seen.all_miss(tests) <= 0.01).unwrap_or(1000);
    format!(
        "Test each candidate until it reproduces, up to N times, with --repeat N; with N = {enough} \
         fewer than 1 in 100 is missed.\nOr keep the failure frequent: with --repeat 0.5 \
         a candidate must reproduce in half of its tests.\nIf it depends on where things are in \
         memory, `setarch -R` in front of the program may make it steady.\n"
    )
}

fn wrote(output: &str) -> String {
    if output.is_empty() {
        return "It wrote nothing.\n".to_owned();
    }
    let lines = output.lines().map(|line| format!("  | {line}\n"));
    "It wrote:\n".to_owned() + &lines.collect::<String>()
}
