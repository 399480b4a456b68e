//! Recorded user actions as circumstances: the Mozilla case of Zeller & Hildebrandt (2002, §4.2),
//! simulated.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_circumstances::{Log, Reading, Records};
use minirepro_engine::{Goal, IsolationPlan, Search};
use minirepro_testkit::{Experimented, experiment, mozilla, recording};
use regex::bytes::Regex;

fn log(only: &str) -> Arc<Log> {
    let only = vec![Regex::new(only).unwrap()];
    Arc::new(Log::new(recording().into_bytes().into(), &Reading { only, ..Reading::default() }))
}

fn search(log: &Arc<Log>, goal: Goal, jobs: usize) -> Experimented {
    let records = Records::new(Arc::clone(log), &[]);
    let ends = (log.with(&[]).into(), log.with(&records.all()).into());
    let trial = IsolationPlan { jobs, ..IsolationPlan::new(Arc::new(records), ends, goal) };
    experiment(trial, &mozilla, &|text| Duration::from_millis(10 + text.len() as u64 % 11))
}

fn actions(text: &[u8]) -> Vec<String> {
    let log = String::from_utf8_lossy(text).into_owned();
    let events = log.lines().map(|line| line[7..].to_owned());
    events.filter(|event| !event.starts_with("Expose")).collect()
}

#[test]
fn of_95_user_actions_three_are_left_in_fewer_tests_than_in_the_paper() {
    let log = log("Key|Button|Motion");
    assert_eq!(log.counts(), (711, 95));
    for jobs in [1, 2, 8] {
        let told = search(&log, Goal::Minimize(Search::default()), jobs);
        assert_eq!(
            actions(&told.failing),
            ["KeyPress P Alt", "ButtonPress 1 Print", "ButtonRelease 1 Print"]
        );
        // 82 in the paper.
        assert!(told.findings.tests < 60, "{:?}", told.findings);
        let exposed = String::from_utf8_lossy(&told.failing).matches("Expose").count();
        assert_eq!(exposed, 711 - 95, "what the server did stays");
    }
}

#[test]
fn isolation_finds_one_of_them_in_a_few_tests() {
    let told = search(&log("Key|Button|Motion"), Goal::Isolate, 1);
    let (with, without) = (actions(&told.failing), actions(&told.passing));
    assert_eq!(with.len(), without.len() + 1);
    assert!(told.findings.tests <= 8, "{:?}", told.findings);
}
