//! Browsers whose processes are killed from outside. A test alone, since it looks for them among
//! its own children.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::process::Command;
use std::time::Duration;

use clap::{Args, FromArgMatches};
use minirepro_browser::{PageArgs, PageTest};
use minirepro_program::{CancelToken, Outcome, Reduction};

fn options(words: &[&str]) -> PageArgs {
    let command = PageArgs::augment_args(clap::Command::new("page"));
    let matches = command.try_get_matches_from(["page"].iter().chain(words)).unwrap();
    PageArgs::from_arg_matches(&matches).unwrap().timed(Some(Duration::from_secs(100)), false)
}

/// Returns the process below `parent` that has this word among its arguments.
fn below(parent: u32, word: &str) -> Option<u32> {
    let is_child = |process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    };
    let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    let all = all.filter_map(|name| name.to_str()?.parse().ok());
    all.filter(is_child).find_map(|child| {
        let command = fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        // Chromium writes blanks between the arguments of processes that it has forked.
        let is_it = command.windows(word.len()).any(|part| part == word.as_bytes());
        if is_it { Some(child) } else { below(child, word) }
    })
}

fn kill(signal: &str, process: u32) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

#[test]
fn a_browser_that_dies_is_started_again() {
    let own = std::process::id();
    let test = PageTest::new(&options(&["--holds=document.title != 'no'"]), false).unwrap();
    let stop = CancelToken::new().unwrap();
    let request = Reduction { file: "a.html".into(), ..Reduction::new("<p>a") };
    let tester = request.tester(&test, &stop).unwrap();
    kill("-KILL", below(own, "--user-data-dir").unwrap());
    assert_eq!(tester.oracle().test(b"<p>b", &stop).unwrap().outcome, Outcome::Fail);
    assert_eq!(tester.oracle().test(b"<title>no</title>", &stop).unwrap().outcome, Outcome::Pass);
    drop(tester);
    drop(test);
    assert_eq!(below(own, "--user-data-dir"), None);
}
