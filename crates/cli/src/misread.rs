//! Command lines that cannot be understood as they stand: looks at what the words name on this
//! machine, and says which command would work.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, CommandFactory};
use minirepro_program::sources;

use crate::args::{Cli, FailureArgs, PageArgs};
use crate::error::CliError;
use crate::report::shell::{quote, quote_all};

/// What a word of a command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// Nothing that is there.
    Nothing,
    /// A directory, or a file that cannot be executed.
    Input,
    /// A file that can be executed.
    Executable,
    /// A program that a shell finds in `PATH`.
    Program,
}

/// What to do about a command line: run these words, without the program's name, for the reason
/// in the note, or refuse it.
pub type Advice = Result<(Vec<OsString>, String), CliError>;

/// What is around the words.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// Says what a word names.
    pub look: &'a dyn Fn(&OsStr) -> Named,
    /// Returns the top of the project here, by its path from here.
    pub project: &'a dyn Fn() -> Option<PathBuf>,
}

/// Says what the user may have meant by words (without the program's name) that cannot be parsed;
/// `None` if nothing more can be said than the parser says.
pub fn advice(words: &[OsString], kind: ErrorKind, around: &Around<'_>) -> Option<Advice> {
    let is_incomplete = kind == ErrorKind::MissingRequiredArgument;
    let is_too_much = matches!(
        kind,
        ErrorKind::UnknownArgument | ErrorKind::TooManyValues | ErrorKind::InvalidSubcommand
    );
    // With nothing after it, `--` says nothing.
    let before = words.strip_suffix(&[OsString::from("--")]);
    let words = before.filter(|before| !before.is_empty()).unwrap_or(words);
    let Typed { is_subcommand, operands, dashes } = Typed::read(words);
    let (first, second) = match (&operands[..], dashes) {
        ([], Some(dashes)) if is_incomplete => return Some(file_in_command(words, dashes, around)),
        ([], None) if is_incomplete && !is_subcommand => return Some(Err(nothing_named())),
        ([first, rest @ ..], None) if is_incomplete || is_too_much => {
            (*first, rest.first().map(|&at| (at, (around.look)(&words[at]))))
        }
        _ => return None,
    };
    let behind = words.get(first + 1);
    let is_before_option = behind.is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"));
    let named = quote(&words[first]);
    Some(Err(match ((around.look)(&words[first]), second) {
        (Named::Executable, Some((at, Named::Input))) if words[0] == "isolate" => {
            let is_other = words.iter().any(|word| word == "--fail");
            let option = if is_other { "--pass" } else { "--fail" };
            would_work("the inputs of isolate are named by options", &[insert(words, at, option)])
        }
        (Named::Input, Some((at, Named::Program | Named::Executable))) if !is_incomplete => {
            let message = format!("`--` is missing before the program {}", quote(&words[at]));
            would_work(&message, &[insert(words, at, "--")])
        }
        (Named::Program, _) if !is_incomplete => without_file(words, first, around)?,
        // Not a test with its file and a word too many.
        (Named::Executable, _) if is_before_option => without_file(words, first, around)?,
        // A subcommand may have no test, and a look at a page none; then an option is wrong.
        (Named::Input, None) if !is_subcommand || is_incomplete && words[0] != "page" => {
            test_missing(words, first)
        }
        (Named::Executable, None) if is_incomplete => {
            let all = quote_all(words);
            CliError::usage(format_args!("{named} is a test, but the file to reduce is not named"))
                .advise(format!("Name it after the test:\n  minirepro {all} FILE\n"))
        }
        (Named::Executable, Some((_, Named::Input))) if is_incomplete => {
            beside_test(words, &named)?
        }
        (Named::Program, None) => {
            return Some(file_in_command(&insert(words, first, "--"), first, around));
        }
        (Named::Nothing, second) if !is_subcommand => {
            nothing_called(words, first, second.is_some())?
        }
        _ => return None,
    }))
}

/// Says which option has no place beside a test, whose name is given.
fn beside_test(words: &[OsString], test: &str) -> Option<CliError> {
    let of_program = option_of::<FailureArgs>(words).map(|option| (option, "a program after `--`"));
    let of_page = || Some((option_of::<PageArgs>(words)?, "a page in a browser"));
    let (option, about) = of_program.or_else(of_page)?;
    Some(CliError::usage(format_args!(
        "{option} is about {about}, but {test} is a test, which decides alone"
    )))
}

/// Returns the first word that is one of these options.
fn option_of<A: Args>(words: &[OsString]) -> Option<&str> {
    let command = A::augment_args(clap::Command::default());
    let is_one = |word: &&str| {
        let name = word.strip_prefix("--");
        name.is_some() && command.get_arguments().any(|argument| argument.get_long() == name)
    };
    words.iter().filter_map(|word| word.to_str()?.split('=').next()).find(is_one)
}

/// Says that the first word names nothing; of two words, the parser says as much.
fn nothing_called(words: &[OsString], first: usize, are_two: bool) -> Option<CliError> {
    let named = quote(&words[first]);
    Some(match similar_subcommand(&words[first]) {
        Some(name) => {
            let mut corrected = words.to_vec();
            corrected[first] = name.into();
            let message = format!("no file and no subcommand is called {named}");
            would_work(&message, &[corrected])
        }
        None if are_two => return None,
        None => {
            CliError::usage(format_args!("no file, no program and no subcommand is called {named}"))
                .advise("See `minirepro -h`.\n")
        }
    })
}

/// Returns the top of the project here, by its path from here.
pub fn project() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let top = sources::project_top(&here)?;
    let depth = here.strip_prefix(&top).ok()?.components().count();
    Some(if depth == 0 { PathBuf::from(".") } else { [".."].repeat(depth).iter().collect() })
}

/// Says what a word names here.
pub fn look(word: &OsStr) -> Named {
    let is_executable = |data: &Metadata| data.is_file() && data.permissions().mode() & 0o111 != 0;
    match Path::new(word).metadata() {
        Ok(data) if is_executable(&data) => Named::Executable,
        Ok(_) => Named::Input,
        Err(_) if word.as_encoded_bytes().contains(&b'/') => Named::Nothing,
        Err(_) => {
            let places = env::var_os("PATH").unwrap_or_default();
            let mut found = env::split_paths(&places).map(|place| place.join(word).metadata());
            match found.any(|data| data.is_ok_and(|data| is_executable(&data))) {
                true => Named::Program,
                false => Named::Nothing,
            }
        }
    }
}

/// Returns the subcommand that a word resembles.
pub fn similar_subcommand(word: &OsStr) -> Option<String> {
    let word = word.to_str()?;
    let command = Cli::command();
    let names = command.get_subcommands().map(|subcommand| subcommand.get_name());
    let near = names.map(|name| (strsim::damerau_levenshtein(word, name), name));
    let (distance, name) = near.min()?;
    (distance * 3 <= name.len()).then(|| name.to_owned())
}

/// The positions of the words that are not options.
#[derive(Debug, Default)]
struct Typed {
    is_subcommand: bool,
    operands: Vec<usize>,
    dashes: Option<usize>,
}

impl Typed {
    fn read(words: &[OsString]) -> Self {
        let mut command = Cli::command();
        let mut typed = Self::default();
        let mut is_value = false;
        for (at, word) in words.iter().enumerate() {
            let text = word.to_string_lossy();
            if std::mem::take(&mut is_value) {
                continue;
            } else if text == "--" {
                typed.dashes = Some(at);
                break;
            } else if text.len() > 1 && text.starts_with('-') {
                is_value = takes_next_word(&command, &text);
            } else if let (false, [], Some(subcommand)) =
                (typed.is_subcommand, &typed.operands[..], command.find_subcommand(&*text))
            {
                command = subcommand.clone();
                typed.is_subcommand = true;
            } else {
                typed.operands.push(at);
            }
        }
        typed
    }
}

/// Returns whether the word after an option is its value: `-j4` holds its value, `-j 4` does not.
fn takes_next_word(command: &clap::Command, option: &str) -> bool {
    let (long, short) = (option.strip_prefix("--"), option.chars().nth(1));
    let is_it = |argument: &&clap::Arg| match long {
        Some(long) => argument.get_long() == Some(long),
        None => option.chars().count() == 2 && argument.get_short() == short,
    };
    let takes = |argument: &clap::Arg| {
        argument.get_action().takes_values() && !argument.is_require_equals_set()
    };
    command.get_arguments().filter(is_it).any(takes)
}

/// Looks for FILE among the words of a command after the word at `dashes`; a command that names
/// none, or whose program works on projects, is that of the project here.
fn file_in_command(words: &[OsString], dashes: usize, around: &Around<'_>) -> Advice {
    let program = &words[dashes + 1..];
    let Some(first) = program.first() else { return Err(nothing_named()) };
    let files = files_in(program, around);
    let with = |file: &OsStr| insert(words, dashes, file);
    let name = quote(first);
    let is_of_project = files.is_empty() || sources::is_of_projects(first);
    if is_of_project && let Some(top) = (around.project)() {
        let top = top.as_os_str();
        return Ok((with(top), format!("the project in {} is reduced", quote(top))));
    }
    match &files[..] {
        [file] => Ok((
            with(file),
            format!(
                "the file to reduce is {}, the only argument of {name} that names a file",
                quote(file)
            ),
        )),
        [] => Err(CliError::usage(format_args!("no argument of {name} names a file that is here"))
            .advise(format!(
                "Name the file to reduce:\n  minirepro FILE {}\n",
                quote_all(&words[dashes..])
            ))),
        files => Err(would_work(
            &format!("several arguments of {name} name a file: which one is to be reduced?"),
            &files.iter().map(|file| with(file)).collect::<Vec<_>>(),
        )),
    }
}

/// Says how to call a program whose words stand there without `--` and FILE.
fn without_file(words: &[OsString], first: usize, around: &Around<'_>) -> Option<CliError> {
    let files = files_in(&words[first..], around);
    let with_dashes = insert(words, first, "--");
    let commands: Vec<_> = files.iter().map(|file| insert(&with_dashes, first, file)).collect();
    let program = quote(&words[first]);
    let message = format!("the file to reduce and `--` are missing before the program {program}");
    (!files.is_empty()).then(|| would_work(&message, &commands))
}

/// Returns the arguments of a program that name files which it may read.
fn files_in<'a>(program: &'a [OsString], around: &Around<'_>) -> Vec<&'a OsStr> {
    let pairs = program.windows(2);
    let files = pairs.filter(|pair| pair[0] != "-o" && (around.look)(&pair[1]) == Named::Input);
    let mut files: Vec<&OsStr> = files.map(|pair| pair[1].as_os_str()).collect();
    files.dedup();
    // Directories are given for other reasons, like `-I include`.
    if files.len() > 1 {
        files.retain(|file| !Path::new(file).is_dir());
    }
    files
}

/// Says that the input is there, but nothing that fails on it.
fn test_missing(words: &[OsString], first: usize) -> CliError {
    let (all, file) = (quote_all(words), quote(&words[first]));
    let scripted = quote_all(&insert(words, first, "./test.sh"));
    CliError::usage(format_args!(
        "{file} is the file, but the program that fails on it is not named"
    ))
    .advise(format!(
        "Name it after `--`, with `@@` for the file, or name a test script before the file:\n  \
         minirepro {all} -- PROGRAM @@\n  minirepro {scripted}\n"
    ))
}

/// Says what minirepro needs to be told.
fn nothing_named() -> CliError {
    CliError::usage("name a file, and the program that fails on it").advise(
        "For example:\n  minirepro crash.c -- gcc -O2 -c crash.c\n  minirepro ./test.sh page.html\n\
         More: minirepro -h\n",
    )
}

/// The most commands of which one is to be chosen.
const MOST_CHOICES: usize = 5;

fn would_work(message: &str, commands: &[Vec<OsString>]) -> CliError {
    let lines = match commands.len() {
        ..=MOST_CHOICES => {
            commands.iter().map(|words| format!("  minirepro {}\n", quote_all(words))).collect()
        }
        _ => "  minirepro batch FILE... -- PROGRAM @@\n".to_owned(),
    };
    let which = if commands.len() == 1 { "This would work" } else { "Choose one of these" };
    CliError::usage(message).advise(format!("{which}:\n{lines}"))
}

fn insert(words: &[OsString], at: usize, word: impl AsRef<OsStr>) -> Vec<OsString> {
    let mut words = words.to_vec();
    words.insert(at, word.as_ref().to_owned());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is said about a command line, where `a.c`, `b.c` and `in` are inputs, `./t.sh`
    /// is executable, and `gcc` is in `PATH`.
    fn check(line: &str, expected: &str) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let program = ["minirepro".into()].into_iter().chain(words.clone());
        let kind = Cli::read(program).expect_err(line).kind();
        let look = |word: &OsStr| match word.to_str().unwrap() {
            "a.c" | "b.c" | "in" => Named::Input,
            "./t.sh" => Named::Executable,
            "gcc" => Named::Program,
            _ => Named::Nothing,
        };
        let project = || Some(PathBuf::from("..")).filter(|_| words.last().unwrap() == "x.py::f");
        let around = Around { look: &look, project: &project };
        let said = match advice(&words, kind, &around) {
            None => "nothing".to_owned(),
            Some(Ok((words, _))) => format!("run: {}", quote_all(&words)),
            Some(Err(error)) => error.text,
        };
        assert!(said.contains(expected), "{line}\n{said}\n-- not\n{expected}");
    }

    #[test]
    fn the_command_that_would_work_is_found() {
        for (line, expected) in [
            ("", "minirepro: name a file, and the program"),
            ("-j 2", "minirepro: name a file, and the program"),
            ("-- gcc -O2 -c a.c", "run: a.c -- gcc -O2 -c a.c"),
            ("-q -o b.c -- gcc -c a.c", "run: -q -o b.c a.c -- gcc -c a.c"),
            ("-- gcc -c a.c -o b.c", "run: a.c -- gcc -c a.c -o b.c"),
            ("-- gcc a.c b.c", "  minirepro a.c -- gcc a.c b.c\n  minirepro b.c -- gcc a.c b.c\n"),
            ("-- gcc -c x.c", "no argument of gcc names a file"),
            ("-q -- prove x.py::f", "run: -q .. -- prove x.py::f"),
            ("-- pytest a.c x.py::f", "run: .. -- pytest a.c x.py::f"),
            ("-- gcc a.c x.py::f", "run: a.c -- gcc a.c x.py::f"),
            ("a.c gcc -c a.c", "This would work:\n  minirepro a.c -- gcc -c a.c\n"),
            ("gcc -O2 -c a.c", "This would work:\n  minirepro a.c -- gcc -O2 -c a.c\n"),
            ("./t.sh -x a.c", "This would work:\n  minirepro a.c -- ./t.sh -x a.c\n"),
            ("a.c --", "  minirepro a.c -- PROGRAM @@\n"),
            (
                "--stderr x ./t.sh a.c",
                "--stderr is about a program after `--`, but ./t.sh is a test",
            ),
            ("isolate ./t.sh a.c", "  minirepro isolate ./t.sh --fail a.c\n"),
            ("isolate ./t.sh --fail b.c a.c", "  minirepro isolate ./t.sh --fail b.c --pass a.c\n"),
            #[cfg(feature = "browser")]
            ("--seed=1 ./t.sh a.c", "--seed is about a page in a browser, but ./t.sh is a test"),
            ("a.c", "a.c is the file, but the program that fails on it is not named"),
            ("reduce a.c", "  minirepro reduce ./test.sh a.c\n"),
            ("./t.sh", "  minirepro ./t.sh FILE\n"),
            ("gcc", "no argument of gcc names a file"),
            (
                "isolte --fail b.c ./t.sh",
                "This would work:\n  minirepro isolate --fail b.c ./t.sh\n",
            ),
            ("gide", "This would work:\n  minirepro guide\n"),
            ("nothing", "no file, no program and no subcommand is called nothing"),
            ("--lnag c ./t.sh a.c", "nothing"),
            ("resume in --lnag", "nothing"),
        ] {
            check(line, expected);
        }
    }
}
