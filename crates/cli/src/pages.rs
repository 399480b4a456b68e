//! Pages that are tested in a browser: a command line with options of `minirepro-browser` is handed
//! to that program, which runs this one with a test of its own.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory;
use minirepro_program::Invocation;

use crate::args::Cli;
use crate::error::CliError;
use crate::exit::Exit;
use crate::misread::{is_option, takes_next_word};
use crate::page_test::is_test;

/// The program.
const PROGRAM: &str = "minirepro-browser";

/// Where it tells those that it runs of its browsers.
const SESSION: &str = "MINIREPRO_BROWSER";

/// Its options that say what the failure is; none of them is one of ours.
const FAILURES: [&str; 11] = [
    "--holds",
    "--console",
    "--counts",
    "--crash",
    "--grows",
    "--hangs",
    "--relayout-differs",
    "--browsers-differ",
    "--looks-like",
    "--differs-from",
    "--record",
];

/// Options that both programs have, and that are meant for the browser where there is one.
const FOR_PAGES: [&str; 1] = ["--timeout"];

/// Returns the words for `minirepro-browser` if words (without the program's name) say that a page
/// fails in a browser.
pub fn words(words: &[OsString]) -> Option<Vec<OsString>> {
    let text = |word: &OsString| word.to_str().unwrap_or_default().to_owned();
    let is_failure = |word: &OsString| {
        let text = text(word);
        FAILURES.contains(&text.split('=').next().unwrap_or_default())
    };
    if !words.iter().any(is_failure) || words.iter().any(|word| word == "--") {
        return None;
    }
    let command = Cli::command();
    let command = command.find_subcommand("reduce").unwrap_or(&command);
    let words =
        if words.first().is_some_and(|word| word == "reduce") { &words[1..] } else { words };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let text = text(word);
        let name = text.split('=').next().unwrap_or_default();
        let is_test = name == "--format"
            && (text.ends_with("=wpt") || rest.peek().is_some_and(|w| *w == "wpt"));
        if !is_option(command, name) || FOR_PAGES.contains(&name) || is_test {
            theirs.push(word.clone());
            continue;
        }
        ours.push(word.clone());
        if !text.contains('=') && takes_next_word(command, &text) {
            ours.extend(rest.next().cloned());
        }
    }
    let subcommand = [OsString::from("reduce")].into_iter();
    Some(subcommand.chain(theirs).chain(["--".into()]).chain(ours).collect())
}

/// Returns the test of a run that `minirepro-browser` has begun.
pub fn test_of(begun: &Invocation) -> Option<PathBuf> {
    let mut paths = begun.arguments.iter().map(|word| begun.directory.join(word));
    paths.find(|path| is_test(path))
}

/// Returns the words for `minirepro-browser` if a test is one of its own: those with which it runs
/// a subcommand of ours, with these words, in the browsers that the test needs. `None` if it does
/// that already.
pub fn words_with_test(subcommand: &str, test: &Path, words: &[OsString]) -> Option<Vec<OsString>> {
    if std::env::var_os(SESSION).is_some() || !is_test(test) {
        return None;
    }
    let own = std::env::current_exe().ok()?;
    let begin = [subcommand.into(), test.into(), "--".into(), own.into()].into_iter();
    // Who was asked already is not asked again.
    let yes = (!words.iter().any(|word| word == "--yes")).then(|| "--yes".into());
    Some(begin.chain(words.iter().cloned()).chain(yes).collect())
}

/// Becomes `minirepro-browser`; returns only if that is not possible.
pub fn become_browser(words: &[OsString]) -> CliError {
    let beside = std::env::current_exe().map(|own| own.with_file_name(PROGRAM));
    let program = beside.ok().filter(|program| program.is_file());
    let error = Command::new(program.unwrap_or_else(|| PathBuf::from(PROGRAM))).args(words).exec();
    match error.kind() {
        io::ErrorKind::NotFound => CliError::new(
            Exit::Usage,
            format_args!("pages are tested by {PROGRAM}, which is not installed"),
        )
        .advise("See `minirepro guide browser`.\n"),
        _ => CliError::new(Exit::Usage, format_args!("cannot start {PROGRAM}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use minirepro_program::Invocation;

    use super::{test_of, words, words_with_test};
    use crate::args::Cli;

    #[test]
    fn a_run_goes_on_in_the_browsers_that_it_needs() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().to_owned();
        let arguments = ["-j", "2", "./p.test.sh", "p.html"].map(OsString::from).to_vec();
        let begun = Invocation { directory, arguments };
        let test = place.path().join("p.test.sh");
        std::fs::write(&test, "#!/bin/sh\n").unwrap();
        let typed = ["resume", "p.min.html.minirepro"].map(OsString::from);
        assert_eq!(test_of(&begun), None);
        assert_eq!(words_with_test("resume", &test, &typed), None);
        std::fs::write(&test, "#!/bin/sh\n# Written by minirepro-browser.\nexec\n").unwrap();
        let all = words_with_test("resume", &test_of(&begun).unwrap(), &typed).unwrap();
        assert!(all[0] == "resume" && all[1].as_encoded_bytes().ends_with(b"p.test.sh"));
        let own = std::env::current_exe().unwrap().into_os_string();
        let rest = ["resume", "p.min.html.minirepro", "--yes"].map(OsString::from);
        assert_eq!(all[2..], [["--".into(), own].to_vec(), rest.to_vec()].concat());
    }

    #[test]
    fn options_go_to_the_program_that_has_them() {
        for (line, expected) in [
            ("page.html --holds a", Some("reduce page.html --holds a --")),
            ("-j 2 -q page.html --crash -o x", Some("reduce page.html --crash -- -j 2 -q -o x")),
            ("reduce -j2 --holds=-1 p.html", Some("reduce --holds=-1 p.html -- -j2")),
            ("p.html --record --timeout 3", Some("reduce p.html --record --timeout 3 --")),
            ("p.html --crash --format wpt", Some("reduce p.html --crash --format wpt --")),
            ("p.html --crash --format keep", Some("reduce p.html --crash -- --format keep")),
            ("p.html --counts Nodes=9 -q", Some("reduce p.html --counts Nodes=9 -- -q")),
            ("p.html --actions a.json --crash", Some("reduce p.html --actions a.json --crash --")),
            ("p.html -- cc --crash", None),
            ("t.sh p.html", None),
        ] {
            let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let found = words(&typed);
            let found = found.map(|words| words.join(&OsString::from(" ")).into_string().unwrap());
            assert_eq!(found.as_deref(), expected, "{line}");
            if expected.is_some() {
                let all = ["minirepro".into()].into_iter().chain(typed);
                assert!(Cli::read(all).is_err(), "{line} has a meaning of its own");
            }
        }
    }
}
