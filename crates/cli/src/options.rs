//! `minirepro options`: which words of a command line, and which environment variables, a failure
//! needs, or is kept away by.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use minirepro_circumstances::Choice;
use minirepro_runner::{CommandTest, Limits, Observation, Oracle, OracleError, Stop, Template};

use crate::args::{self, Common};
use crate::causes::Which;
use crate::ends::Ends;
use crate::exit::Exit;
use crate::facts;
use crate::failure::{Failure, quote};
use crate::findings::write_stats;
use crate::keep::{Identity, Keep, Kept, Typed, Way};
use crate::plan::{Talk, conditions, first_limits};
use crate::trial::{Bench, Tester, stop};
use crate::words::Search;

/// Which options make a command fail, or keep it from failing.
///
/// The words between `@{` and `}` can be there or not. How PROGRAM fails with all of them (with
/// none of them for `--find preventing`) is the failure to look for. It runs in an empty directory;
/// words that name existing files become absolute. The words found go to standard output, one set a
/// line.
#[derive(Clone, Debug, Args)]
#[command(override_usage = "minirepro options [OPTIONS] -- PROGRAM [ARGUMENT | @{WORDS...}]...")]
pub struct Options {
    /// A command line with `@{WORDS}` in it, like: gcc -O '@{-ffast-math -fgcse}' bug.c
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM", required = true)]
    pub program: Vec<OsString>,
    /// What to look for
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub find: Find,
    /// Instead: the difference between a choice of words that fails and one that does not
    #[arg(long, conflicts_with_all = ["find", "all"])]
    pub isolate: bool,
    /// Having found required words, look for others that make it fail without them: show each set, or
    /// only the `smallest`
    #[arg(long, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "each", hide_possible_values = true)]
    pub all: Option<Which>,
    /// More words, for `@{}`: the file's, apart from lines that begin with `#`
    #[arg(long, value_name = "FILE")]
    pub words: Option<PathBuf>,
    /// An environment variable that can be set or not, with its value if that is not today's (also
    /// several times); '*' is all that are set
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub env: Vec<OsString>,
    /// PROGRAM is a test script: its exit code says whether the failure is there (0)
    #[arg(long, conflicts_with_all = ["signature", "exit_code", "signal", "stdout", "stderr", "no_stderr", "timeout_is_failure"])]
    pub script: bool,
    /// What is kept on disk.
    #[command(flatten)]
    pub keep: Keep,
    /// How tests are run.
    #[command(flatten)]
    pub common: Common,
    /// What counts as the failure of PROGRAM.
    #[command(flatten, next_help_heading = "What counts as the failure")]
    pub failure: args::Failure,
}

/// What words to look for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Find {
    /// The least with which it still fails
    #[default]
    Required,
    /// Those that make the failure go away, one after the other until there are no more
    Preventing,
}

/// Finds as the user says.
///
/// # Errors
/// When there is nothing to find, or no test can be run.
pub fn run(args: Options, typed: &Typed, way: Way<'_>) -> Result<Exit, Failure> {
    let usage = |message: &dyn std::fmt::Display| Failure::new(Exit::Usage, message);
    let template =
        Template::new(&args.program, &words(args.words.as_deref())?, variables(&args.env)?)
            .map_err(|error| usage(&error))?;
    let (names, pairs) = (template.names(), template.pairs());
    if names.is_empty() {
        return Err(usage(&"no word can be left out").advise(
            "Put the words in question between `@{` and `}`, like\n  \
             minirepro options -- gcc -O '@{-ffast-math -fgcse}' bug.c\n\
             or name environment variables with --env.\n",
        ));
    }
    if !args.failure.guard.is_empty() {
        return Err(usage(&"--guard needs a candidate that is a file"));
    }
    let stop = stop()?;
    let (all, none) = (Choice::text(0..names.len()), Choice::text([]));
    let preventing = args.find == Find::Preventing;
    let (failing, passing) = if preventing { (&none, &all) } else { (&all, &none) };
    let limits = first_limits(&args.common);
    let words = format!("{template:?}");
    let test = CommandTest::of_options(template, args.failure.frames, limits);
    let mut test = test.map_err(|error| Failure::program(&error, ""))?;
    let by_hand = by_hand(&test);
    let known = match way {
        Way::Replay(_) => Some(String::new()),
        _ => know_failure(&mut test, &args, failing, &by_hand, &stop)?,
    };
    let Some(known) = known else { return Ok(Exit::Reduced) };
    let identity = identity(&args, &words, &test, known);
    let mut tester = Command { test, by_hand };
    let (with, without) = ("the command with all these words", "the command without these words");
    let ends = if preventing {
        Ends { failing: without, passing: with, lenient: false }
    } else {
        Ends { failing: with, passing: without, lenient: !args.isolate }
    };
    let kept = Kept::new(identity, typed, way)?;
    let bench = Bench::new(&mut tester, &args.common, &stop, ends, (passing, failing), kept)
        .map_err(|failure| advise(failure, args.find))?;
    let search = Search { bench: &bench, names: &names, pairs };
    let outcome = if args.isolate { search.isolate() } else { search.all(args.find, args.all)? };
    write_stats(args.common.stats.as_deref(), &search.stats(&outcome))?;
    if bench.verifies() {
        return search.verify(&outcome.sets, args.find, args.isolate);
    }
    let sets = outcome.sets.iter().map(|set| Choice::text(set.iter().copied()));
    let (result, exit) = (sets.collect::<Vec<_>>().join(&b'\n'), bench.exit(&outcome.driven));
    bench.finish(&result)?;
    Ok(exit)
}

/// What decides a search: the words with all that they mean, and the failure that is known.
fn identity<'a>(
    args: &'a Options,
    words: &'a str,
    test: &CommandTest,
    failure: String,
) -> Identity<'a> {
    let mut facts = facts::of_limits(&test.limits(), args.common.patience());
    facts.insert("the words".into(), words.to_owned());
    facts.insert("the failure".into(), failure);
    let files = facts::files(test.words().0.iter().map(|word| word.as_os_str()));
    facts.insert("a file or program of the command".into(), files);
    let (keep, common) = (Keep::default(), args.common.deciding());
    let deciding = Options { keep, common, ..args.clone() };
    Identity {
        input: words.as_bytes(),
        test: facts,
        plan: facts::of_options(&deciding, None),
        keep: &args.keep,
        // There is no result but what is printed: the directory stands where the search was begun.
        result: args
            .program
            .first()
            .and_then(|program| Path::new(program).file_name())
            .map(Path::new),
        talk: Talk::of(&args.common),
    }
}

/// Says or finds out what the failure is; `None` when all that was wanted is to see it.
fn know_failure(
    test: &mut CommandTest,
    args: &Options,
    failing: &[u8],
    by_hand: &str,
    stop: &Stop,
) -> Result<Option<String>, Failure> {
    let conditions = conditions(&args.failure).map_err(|error| Failure::new(Exit::Usage, error))?;
    if args.script {
        test.believe();
        return Ok(Some("what the script says".into()));
    }
    if !conditions.is_empty() {
        let told = format!("{conditions:?}");
        test.look_for(conditions);
        return Ok(Some(told));
    }
    let pinned = args.failure.signature.as_deref();
    let learnt = test.learn(failing, pinned.filter(|text| !text.is_empty()), stop);
    let learnt = learnt.map_err(|error| Failure::program(&error, by_hand))?;
    if pinned == Some("") {
        println!("{learnt}");
        return Ok(None);
    }
    if Talk::of(&args.common) > Talk::Quiet {
        eprintln!("the failure is «{learnt}»");
    }
    Ok(Some(learnt.to_string()))
}

fn advise(failure: Failure, find: Find) -> Failure {
    match find {
        Find::Required if failure.exit == Exit::NotReproduced => failure
            .advise_more("To find the words that keep a failure away, use --find preventing.\n"),
        _ => failure,
    }
}

/// The command as a test.
struct Command {
    test: CommandTest,
    by_hand: String,
}

impl Oracle for Command {
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError> {
        self.test.test(candidate, stop)
    }

    fn explain(&self, candidate: &[u8], stop: &Stop) -> String {
        self.test.explain(candidate, stop)
    }
}

impl Tester for Command {
    fn limits(&self) -> Limits {
        self.test.limits()
    }

    fn set_limits(&mut self, limits: Limits) {
        self.test.set_limits(limits);
    }

    fn by_hand(&self) -> &str {
        &self.by_hand
    }
}

fn by_hand(test: &CommandTest) -> String {
    let words: Vec<String> = test.words().0.iter().map(|word| quote(word)).collect();
    format!("To try it by hand, with all words:\n  {}; echo $?\n", words.join(" "))
}

fn words(file: Option<&Path>) -> Result<Vec<OsString>, Failure> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let text = fs::read_to_string(file).map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot read {}: {error}", file.display()))
    })?;
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    Ok(lines.flat_map(str::split_whitespace).map(OsString::from).collect())
}

fn variables(typed: &[OsString]) -> Result<Vec<(OsString, OsString)>, Failure> {
    let read = |word: &OsString| {
        let text = word.to_string_lossy();
        if text == "*" {
            return Ok(std::env::vars_os().collect());
        }
        if let Some((name, value)) = text.split_once('=') {
            return Ok(vec![(name.into(), value.into())]);
        }
        let value = std::env::var_os(word);
        value.map(|value| vec![(word.clone(), value)]).ok_or_else(|| {
            let message = format!("the environment variable {text} is not set");
            Failure::new(Exit::Usage, message)
                .advise(format!("Give it a value: --env {text}=VALUE\n"))
        })
    };
    Ok(typed.iter().map(read).collect::<Result<Vec<_>, _>>()?.concat())
}
