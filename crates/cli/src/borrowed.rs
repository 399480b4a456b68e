//! minirepro called by the name of another reducer: their common options in ours. The table is what
//! the guide's phrase book says.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What becomes of another reducer's option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ours {
    /// Ours, without a value.
    Flag(&'static str),
    /// Ours, with its value.
    Value(&'static str),
    /// Nothing is needed for it.
    Unneeded,
    /// Nothing is needed for it, and its value is skipped.
    UnneededValue,
    /// The file to reduce.
    File,
    /// The test script.
    Test,
    /// A line for the shell that ends with 0 if the file is interesting.
    Line,
}

/// Another reducer.
#[derive(Debug)]
struct Reducer {
    /// The names of its program.
    names: &'static [&'static str],
    /// Its options.
    options: &'static [(&'static str, Ours)],
    /// What is added if none of some options is given.
    unless: Option<(&'static [&'static str], &'static [&'static str])>,
    /// What its users must know.
    note: &'static str,
}

const NOT_CHANGED: &str = "minirepro does not change the file: the result is a file of its own";

const REDUCERS: &[Reducer] = &[
    Reducer {
        names: &["creduce", "cvise"],
        options: &[
            ("-c", Ours::Line),
            ("--commands", Ours::Line),
            ("--n", Ours::Value("--jobs")),
            ("-n", Ours::Value("--jobs")),
            ("--timeout", Ours::Value("--timeout")),
            ("--sllooww", Ours::Unneeded),
            ("--shaddap", Ours::Flag("--quiet")),
            ("--debug", Ours::Flag("--verbose")),
            ("--not-c", Ours::Unneeded),
            ("--tidy", Ours::Unneeded),
            ("--no-cache", Ours::Unneeded),
            ("--no-timing", Ours::Unneeded),
            ("--timing", Ours::Unneeded),
            ("--timestamp", Ours::Unneeded),
            ("--print-diff", Ours::Unneeded),
            ("--save-temps", Ours::Unneeded),
            ("--skip-initial-passes", Ours::Unneeded),
            ("--no-give-up", Ours::Unneeded),
            ("--no-kill", Ours::Unneeded),
            ("--die-on-pass-bug", Ours::Unneeded),
            ("--max-improvement", Ours::UnneededValue),
            ("--stopping-threshold", Ours::UnneededValue),
        ],
        unless: None,
        note: NOT_CHANGED,
    },
    Reducer {
        names: &["shrinkray"],
        options: &[
            ("--parallelism", Ours::Value("--jobs")),
            ("--timeout", Ours::Value("--timeout")),
            ("--seed", Ours::UnneededValue),
            ("--backup", Ours::UnneededValue),
            ("--volume", Ours::UnneededValue),
            ("--input-type", Ours::UnneededValue),
            ("--formatter", Ours::UnneededValue),
            ("--ui", Ours::UnneededValue),
            ("--no-clang-delta", Ours::Unneeded),
            ("--clang-delta", Ours::UnneededValue),
            ("--history", Ours::Flag("--history")),
            ("--no-history", Ours::Unneeded),
        ],
        unless: None,
        note: NOT_CHANGED,
    },
    Reducer {
        names: &["treereduce"],
        options: &[
            ("-s", Ours::File),
            ("--source", Ours::File),
            ("-o", Ours::Value("--output")),
            ("--output", Ours::Value("--output")),
            ("-j", Ours::Value("--jobs")),
            ("--jobs", Ours::Value("--jobs")),
            ("--timeout", Ours::Value("--timeout")),
            ("--interesting-exit-code", Ours::Value("--exit-code")),
            ("--interesting-stdout", Ours::Value("--stdout")),
            ("--interesting-stderr", Ours::Value("--stderr")),
            ("--uninteresting-stderr", Ours::Value("--no-stderr")),
            ("--fast", Ours::Unneeded),
            ("--slow", Ours::Unneeded),
            ("--stable", Ours::Unneeded),
            ("--passes", Ours::UnneededValue),
            ("--min-reduction", Ours::UnneededValue),
            ("-q", Ours::Flag("--quiet")),
            ("--quiet", Ours::Flag("--quiet")),
            ("-v", Ours::Flag("--verbose")),
            ("--verbose", Ours::Flag("--verbose")),
        ],
        // There, what exits with 0 is interesting.
        unless: Some((&["--exit-code", "--stdout", "--stderr"], &["--exit-code", "0"])),
        note: "minirepro writes FILE.min unless it gets -o",
    },
    Reducer {
        names: &["perses"],
        options: &[
            ("--test-script", Ours::Test),
            ("-t", Ours::Test),
            ("--input-file", Ours::File),
            ("-i", Ours::File),
            ("--threads", Ours::Value("--jobs")),
            ("--output-file", Ours::Value("--output")),
        ],
        unless: None,
        note: "minirepro writes FILE.min unless it gets --output-file",
    },
];

/// The words of another reducer's command line as ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Borrowed {
    /// Our words, without the program's name.
    pub words: Vec<OsString>,
    /// What its users must know.
    pub note: &'static str,
}

/// Translates a command line if its program, the first word, is another reducer. Words that are not
/// known stay as they are, so our own options work as well.
pub fn translated(words: &[OsString]) -> Option<Borrowed> {
    let (program, rest) = words.split_first()?;
    let name = Path::new(program).file_name().and_then(OsStr::to_str)?;
    // Each language of treereduce has a program of its own, `treereduce-c`.
    let is_called = |known: &&str| {
        name.strip_prefix(*known).is_some_and(|rest| rest.is_empty() || rest.starts_with("-"))
    };
    let reducer = REDUCERS.iter().find(|reducer| reducer.names.iter().any(is_called))?;
    let dashes = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
    let mut ours: Vec<OsString> = Vec::new();
    let (mut test, mut file, mut line) = (None, None, None);
    let mut words = rest[..dashes].iter();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        let (option, glued) = match text.split_once('=') {
            Some((option, value)) if option.starts_with("--") => {
                (option, Some(OsString::from(value)))
            }
            _ => (text, None),
        };
        let Some(&(_, meaning)) = reducer.options.iter().find(|(name, _)| *name == option) else {
            ours.push(word.clone());
            continue;
        };
        let value = || glued.clone().or_else(|| words.clone().next().cloned());
        let takes_next = glued.is_none();
        let value = match meaning {
            Ours::Flag(name) => {
                ours.push(name.into());
                continue;
            }
            Ours::Unneeded => continue,
            Ours::Value(_) | Ours::UnneededValue | Ours::File | Ours::Test | Ours::Line => value(),
        };
        if takes_next {
            words.next();
        }
        match meaning {
            Ours::Value(name) => {
                ours.push(name.into());
                ours.extend(value);
            }
            Ours::File => file = value,
            Ours::Test => test = value,
            Ours::Line => line = value,
            Ours::Flag(_) | Ours::Unneeded | Ours::UnneededValue => {}
        }
    }
    if let Some((options, added)) = reducer.unless
        && !ours.iter().any(|word| options.iter().any(|option| word == option))
    {
        ours.extend(added.iter().map(OsString::from));
    }
    ours.extend(test);
    ours.extend(file);
    if let Some(line) = line {
        let words = ["--exit-code", "0", "--", "sh", "-c"].map(OsString::from);
        ours.extend(words.into_iter().chain([line]));
    }
    ours.extend_from_slice(&rest[dashes..]);
    Some(Borrowed { words: ours, note: reducer.note })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn common_command_lines_of_others_mean_the_same_here() {
        for (theirs, ours) in [
            ("creduce ./t.sh a.c", "./t.sh a.c"),
            (
                "/usr/bin/cvise --n 4 --timeout 30 --tidy ./t.sh a.c",
                "--jobs 4 --timeout 30 ./t.sh a.c",
            ),
            ("cvise --n=4 --not-c ./t.sh a.txt", "--jobs 4 ./t.sh a.txt"),
            ("cvise -c ./t.sh a.c", "a.c --exit-code 0 -- sh -c ./t.sh"),
            ("creduce --sllooww --max-improvement 100 ./t.sh a.c", "./t.sh a.c"),
            ("shrinkray --parallelism=2 --seed 1 ./t.sh a.c", "--jobs 2 ./t.sh a.c"),
            (
                "treereduce -j 3 --source a.c -o b.c -- ./t.sh @@.c",
                "--jobs 3 --output b.c --exit-code 0 a.c -- ./t.sh @@.c",
            ),
            (
                "treereduce-c --interesting-stderr boom -s a.c -- cc @@.c",
                "--stderr boom a.c -- cc @@.c",
            ),
            ("perses --input-file a.c --test-script t.sh", "t.sh a.c"),
        ] {
            let translated = translated(&words(theirs)).expect(theirs);
            assert_eq!(translated.words, words(ours), "{theirs}");
            let all = ["minirepro".into()].into_iter().chain(translated.words);
            assert!(Cli::read(all).is_ok(), "{theirs}");
        }
        assert_eq!(translated(&words("minirepro --n 4 ./t.sh a.c")), None);
    }

    #[test]
    fn every_option_becomes_one_of_ours() {
        let command = <Cli as clap::CommandFactory>::command();
        for (name, ours) in REDUCERS.iter().flat_map(|reducer| reducer.options) {
            if let Ours::Flag(option) | Ours::Value(option) = ours {
                let long = option.trim_start_matches("--");
                let argument = command.get_arguments().find(|arg| arg.get_long() == Some(long));
                let argument = argument.unwrap_or_else(|| panic!("{name}: {option}"));
                let takes = argument.get_action().takes_values();
                assert_eq!(takes, matches!(ours, Ours::Value(_)), "{name}");
            }
        }
    }
}
