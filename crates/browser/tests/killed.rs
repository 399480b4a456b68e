//! Browsers whose processes are killed from outside. A test alone, since it looks for them among
//! its own children.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::Write;
use std::process::Command;
use std::time::Duration;

use clap::{Args, FromArgMatches};
use minirepro_browser::{PageArgs, PageTest, look};
use minirepro_program::{CancelToken, Outcome, Reduction};

fn options(words: &[&str]) -> PageArgs {
    let command = PageArgs::augment_args(clap::Command::new("page"));
    let matches = command.try_get_matches_from(["page"].iter().chain(words)).unwrap();
    PageArgs::from_arg_matches(&matches).unwrap().timeout(Some(Duration::from_secs(100)))
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
fn a_browser_that_dies_is_started_again_and_a_crash_of_what_draws_is_seen() {
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

    let place = tempfile::tempdir().unwrap();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let page = format!("<!DOCTYPE html><img src=http://{}/>", server.local_addr().unwrap());
    let crashes = place.path().join("a.html");
    fs::write(&crashes, page).unwrap();
    let args = options(&["--crash", "--online", "--looks=1"]);
    std::thread::scope(|scope| {
        let looking = scope.spawn(|| look(&crashes, &args, None));
        // The page waits for its picture, and gets it when the process is gone.
        let (mut asking, _) = server.accept().unwrap();
        let drawing = || below(own, "--type=gpu-process");
        let first = drawing().unwrap();
        kill("-SEGV", first);
        while drawing().is_none_or(|now| now == first) {}
        asking.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").unwrap();
        drop(asking);
        let answer = looking.join().unwrap();
        assert_eq!(answer.code, 0, "{}", answer.said);
    });
    let other = place.path().join("b.html");
    fs::write(&other, "<!DOCTYPE html><p>a").unwrap();
    assert_eq!(look(&other, &args, None).code, 1);
}
