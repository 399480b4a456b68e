//! A process that is just being started is not an orphan: hundreds of proposers are started while
//! tests end all the time, and none is killed.

#![expect(clippy::unwrap_used, reason = "without a harness, nothing tells that this is a test")]

#[expect(dead_code, reason = "only the files are needed here")]
mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use minirepro_engine::{Consultation, Said};
use minirepro_runner::{
    CancelToken, Limits, Oracle, ProgramTest, Proposer, ProposerProgram, TestSpec,
};

/// Enough for the defect that this is about: one of ten starts was lost.
const STARTS: usize = 500;

fn main() {
    // cargo-nextest asks each program for its tests.
    let asked = |word: &str| std::env::args().any(|argument| argument == word);
    if asked("--list") {
        print!("{}", if asked("--ignored") { "" } else { "starts: test\n" });
        return;
    }
    let files = common::Files::new();
    let limits = Limits::new(Duration::from_secs(600));
    let test = ProgramTest::new(TestSpec::script(files.script()), &files.input(), limits).unwrap();
    let stop = CancelToken::new().unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                test.test(common::INPUT, &stop).unwrap();
            }
        });
        let lost = lost_starts(&stop);
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(lost, Vec::<usize>::new(), "of {STARTS} proposers, these were killed");
    });
    println!("{STARTS} proposers were started while tests ended, and none was killed");
}

/// Starts one proposer after the other; returns which did not say what it should.
fn lost_starts(stop: &CancelToken) -> Vec<usize> {
    let consultation = Consultation {
        whom: minirepro_engine::Whom::Proposer(0),
        text: Arc::from(*b"x"),
        language: Arc::from("text"),
    };
    let mut proposer = ProposerProgram::new("cat");
    let mut is_lost = |_: &usize| match proposer.consult(&consultation, stop) {
        Some(Said::Candidates(texts)) => texts.len() != 1,
        _ => true,
    };
    (0..STARTS).filter(|start| is_lost(start)).collect()
}
