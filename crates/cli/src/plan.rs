//! What the command line means: files read, names resolved, defaults chosen. Runs nothing.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Budget, Plan};
use minirepro_languages as languages;
use minirepro_runner::{Conditions, ConditionsError, Limits, Patience};
use minirepro_syntax::Language;

use crate::args::{self, Format, Reduce, Size};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::keep::Keep;
use crate::preprocess::preprocess;

/// The time that a test of the unchanged input may take if the user does not say.
const PATIENCE: Duration = Duration::from_secs(300);

/// How much to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Talk {
    /// Errors only.
    Quiet,
    /// Where we are now, and a summary.
    Normal,
    /// Every step.
    Verbose,
}

impl Talk {
    /// What was asked for.
    pub fn of(common: &args::Common) -> Self {
        match (common.quiet, common.verbose) {
            (true, _) => Self::Quiet,
            (_, true) => Self::Verbose,
            _ => Self::Normal,
        }
    }
}

/// What the first tests may use, before it is known how long they take.
pub fn first_limits(common: &args::Common) -> Limits {
    let time = common.timeout.unwrap_or(PATIENCE);
    let limits = Limits::new(time);
    Limits {
        cpu: common.cpu,
        memory: common.memory,
        file: common.file_size,
        output: common.output_size.unwrap_or(limits.output),
        processes: common.processes,
        ..limits
    }
}

/// Where the result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To standard output, at the end.
    Stdout,
    /// To this file, again and again.
    File(PathBuf),
}

impl Target {
    /// The file, if it is or can be one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) if path.is_file() || !path.exists() => Some(path),
            _ => None,
        }
    }
}

/// How to find out whether a candidate shows the failure.
#[derive(Debug)]
pub enum Test {
    /// By a script.
    Script(PathBuf),
    /// By a program that fails.
    Program {
        /// The program and its arguments, as typed.
        words: Vec<OsString>,
        /// Stack frames in a signature.
        frames: usize,
        /// What to do with the signature.
        signature: Wanted,
        /// Shell commands that must succeed.
        guards: Vec<String>,
    },
}

/// Which failure to look for.
#[derive(Debug)]
pub enum Wanted {
    /// That of the input.
    Learn,
    /// That of the input, which must be written like this.
    Pin(String),
    /// None: only say what that of the input is.
    Show,
    /// Whatever satisfies these conditions.
    Conditions(Conditions),
}

/// What a test is about.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The test.
    pub test: &'a Test,
    /// The file whose name candidates get.
    pub file: &'a Path,
    /// What shows the failure.
    pub input: &'a [u8],
    /// What the first tests may use.
    pub limits: Limits,
    /// Where inputs go that show another failure.
    pub finds: PathBuf,
    /// How much to show.
    pub talk: Talk,
}

/// A reduction, ready to begin.
#[derive(Debug)]
pub struct Reduction {
    /// The test.
    pub test: Test,
    /// The input's name.
    pub file: PathBuf,
    /// What the engine needs.
    pub plan: Plan,
    /// Where the result goes.
    pub target: Target,
    /// The time limit that the user wants.
    pub timeout: Option<Duration>,
    /// What a test may use; the time is only that of the first tests.
    pub limits: Limits,
    /// How often a candidate is tested.
    pub patience: Patience,
    /// What is kept on disk besides the result.
    pub keep: Keep,
    /// What becomes of the result's blank space.
    pub format: Format,
    /// Where the figures go.
    pub stats: Option<PathBuf>,
    /// How much to show.
    pub talk: Talk,
}

impl Reduction {
    /// Makes sense of what was typed.
    ///
    /// # Errors
    /// When it makes none, or the input cannot be read.
    pub fn new(args: Reduce) -> Result<Self, Failure> {
        let command = args.preprocess.clone();
        Self::with_input(args, |file| match command {
            Some(command) => read(file).and_then(|_| preprocess(&command, file)),
            None => read(file),
        })
    }

    /// The same with the input from somewhere else.
    ///
    /// # Errors
    /// When it makes no sense, or `read` has an error.
    pub fn with_input(
        args: Reduce,
        read: impl FnOnce(&Path) -> Result<Vec<u8>, Failure>,
    ) -> Result<Self, Failure> {
        let (test, file) = test(args.test, args.file, args.program, args.failure)?;
        let input = read(&file)?;
        if input.is_empty() {
            let message = format!("{} is empty: there is nothing to reduce", file.display());
            return Err(Failure::new(Exit::Usage, message));
        }
        let target = target(args.output, &file, &test)?;
        let lang = args.lang.or(args.records.map(|form| match &*form {
            "lines" => form,
            form => format!("records:{form}"),
        }));
        let language = language(lang.as_deref(), &file, &input)?;
        let input = normal(&language, input);
        args.scope.check(&file.display().to_string(), &[&input])?;
        let common = args.common;
        let plan = Plan {
            input: input.into(),
            language: Arc::new(language),
            algorithm: args.algorithm,
            jobs: common.jobs,
            scope: args.scope.edits(),
            budget: budget(common.max_tests, common.max_time, args.stop_at),
        };
        let (talk, limits) = (Talk::of(&common), first_limits(&common));
        let (patience, timeout) = (common.patience(), common.timeout);
        let (stats, keep, format) = (common.stats, args.keep, args.format);
        Ok(Self { test, file, plan, target, timeout, limits, patience, keep, format, stats, talk })
    }

    /// What is to be tested.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            test: &self.test,
            file: &self.file,
            input: &self.plan.input,
            limits: self.limits,
            finds: self.finds(),
            talk: self.talk,
        }
    }

    /// Where inputs go that show another failure.
    fn finds(&self) -> PathBuf {
        let mut name = self.file.file_stem().unwrap_or_default().to_owned();
        name.push(".finds");
        match &self.target {
            Target::Stdout => self.file.with_file_name(name),
            Target::File(path) => path.with_file_name(name),
        }
    }
}

/// When to stop early.
pub fn budget(max_tests: Option<u64>, max_time: Option<Duration>, stop_at: Option<Size>) -> Budget {
    let (stop_at_tokens, stop_at_bytes) = match stop_at {
        Some(Size::Tokens(tokens)) => (Some(tokens), None),
        Some(Size::Bytes(bytes)) => (None, Some(bytes)),
        None => (None, None),
    };
    Budget { max_tests, max_time, stop_at_tokens, stop_at_bytes }
}

/// Reads a whole file.
///
/// # Errors
/// When there is none, it is a directory, or it is too large for a tree.
pub fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let wrong =
        |what: &str| Failure::new(Exit::Usage, format!("cannot read {}: {what}", file.display()));
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(wrong("there is no such file"));
        }
        Err(e) if e.kind() == io::ErrorKind::IsADirectory => {
            return Err(wrong("it is a directory; name one file in it"));
        }
        Err(e) => return Err(wrong(&e.to_string())),
    };
    if u32::try_from(text.len()).is_err() {
        return Err(wrong("files of 4 GiB and more are too large"));
    }
    Ok(text)
}

/// The text in the form that the language has a tree for.
pub fn normal(language: &Language, text: Vec<u8>) -> Vec<u8> {
    language.parser.normal(&text).filter(|normal| !normal.is_empty()).unwrap_or(text)
}

/// The language that was asked for, or else the one that the file's name tells.
///
/// # Errors
/// When there is no such language; says which there are.
pub fn language(name: Option<&str>, file: &Path, text: &[u8]) -> Result<Language, Failure> {
    let base = file.file_name().unwrap_or_default().to_string_lossy();
    let guessed = match name {
        Some("records:guess") => Some(guessed_records(file, text)?),
        _ => None,
    };
    let name = guessed.as_deref().or(name).unwrap_or_else(|| languages::guess(&base, text));
    languages::by_name(name).map_err(|error| Failure::new(Exit::Usage, error))
}

/// The language of the records that a file seems to have.
fn guessed_records(file: &Path, text: &[u8]) -> Result<String, Failure> {
    languages::guess_records(text).ok_or_else(|| {
        let message = format!("no known form of records fits {} to its end", file.display());
        Failure::new(Exit::Usage, message).advise(
            "Say what a record is made of, like --records 'skip:6 bytes:1 length:u16be data' (see \
             grammars/records/README.md), or reduce the file by bytes: --lang bytes.\n",
        )
    })
}

/// Tells the two ways to say what a test is from each other; with the file.
///
/// # Errors
/// When it is neither.
pub fn test(
    first: Option<PathBuf>,
    second: Option<PathBuf>,
    words: Vec<OsString>,
    failure: args::Failure,
) -> Result<(Test, PathBuf), Failure> {
    match (first, second) {
        (Some(test), Some(file)) if words.is_empty() => Ok((Test::Script(test), file)),
        (Some(file), None) if !words.is_empty() => {
            let conditions = conditions(&failure).map_err(|e| Failure::new(Exit::Usage, e))?;
            let signature = match failure.signature {
                _ if !conditions.is_empty() => Wanted::Conditions(conditions),
                None => Wanted::Learn,
                Some(text) if text.is_empty() => Wanted::Show,
                Some(text) => Wanted::Pin(text),
            };
            let (frames, guards) = (failure.frames, failure.guard);
            Ok((Test::Program { words, frames, signature, guards }, file))
        }
        _ => {
            let message = "give either a test and a file, or a file and, behind `--`, a program";
            Err(Failure::new(Exit::Usage, message))
        }
    }
}

/// What the failure is, as far as it was said.
///
/// # Errors
/// When a pattern or a signal is none.
pub fn conditions(typed: &args::Failure) -> Result<Conditions, ConditionsError> {
    let patterns = |list: &[String]| {
        list.iter().map(|text| Conditions::pattern(text)).collect::<Result<Vec<_>, _>>()
    };
    Ok(Conditions {
        exit_code: typed.exit_code,
        signal: typed.signal.as_deref().map(Conditions::signal_number).transpose()?,
        stdout: patterns(&typed.stdout)?,
        stderr: patterns(&typed.stderr)?,
        no_stderr: patterns(&typed.no_stderr)?,
        timeout: typed.timeout_is_failure,
    })
}

fn target(wanted: Option<PathBuf>, file: &Path, test: &Test) -> Result<Target, Failure> {
    let path = match wanted {
        Some(path) if path == Path::new("-") => return Ok(Target::Stdout),
        Some(path) => path,
        None => default_target(file),
    };
    let script = match test {
        Test::Script(script) => Some((script.as_path(), "the test")),
        Test::Program { .. } => None,
    };
    for (other, what) in [(file, "the input")].into_iter().chain(script) {
        if is_same(&path, other) {
            let message = format!("the result would overwrite {what}, {}", other.display());
            return Err(Failure::new(Exit::Usage, message).advise("Name another file with -o.\n"));
        }
    }
    Ok(Target::File(path))
}

/// `dir/a.c` → `dir/a.min.c`.
pub fn default_target(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(".min");
    if let Some(suffix) = file.extension() {
        name.push(".");
        name.push(suffix);
    }
    file.with_file_name(name)
}

fn is_same(a: &Path, b: &Path) -> bool {
    let id = |path| fs::metadata(path).map(|data| (data.dev(), data.ino())).ok();
    a == b || id(a).is_some_and(|a| Some(a) == id(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_goes_beside_the_input() {
        for (input, output) in [
            ("a.c", "a.min.c"),
            ("/x/a.tar.gz", "/x/a.tar.min.gz"),
            ("Makefile", "Makefile.min"),
            (".profile", ".profile.min"),
        ] {
            assert_eq!(default_target(Path::new(input)), Path::new(output));
        }
    }
}
