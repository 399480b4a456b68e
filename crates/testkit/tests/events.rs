//! Recorded user actions as circumstances: the Mozilla case of Zeller & Hildebrandt (2002, §4.2),
//! simulated.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use minirepro_circumstances::{Log, Reading, Records};
use minirepro_engine::{Budget, Goal, Outcome, Search, Trial};
use minirepro_testkit::{Experimented, experiment};
use regex::bytes::Regex;

/// As in the paper: 711 X events, 95 of them by the user, who prints twice with other margins.
fn recording() -> String {
    let key = |name: &str, modifier: &str| {
        [format!("KeyPress {name}{modifier}"), format!("KeyRelease {name}{modifier}")]
    };
    let button =
        |place: &str| [format!("ButtonPress 1 {place}"), format!("ButtonRelease 1 {place}")];
    let mut actions: Vec<String> = Vec::new();
    let moves = |actions: &mut Vec<String>, to: &str, steps: usize| {
        actions.extend((0..steps).map(|i| format!("MotionNotify {to} {}", i * 17)));
    };
    moves(&mut actions, "menu", 9);
    actions.extend(button("Location"));
    for letter in "bugzilla.mozilla.org".chars().take(12) {
        actions.extend(key(&letter.to_string(), ""));
    }
    actions.extend(key("Return", ""));
    for _ in 0..2 {
        actions.extend(key("P", " Alt"));
        moves(&mut actions, "dialog", 6);
        actions.extend(button("File"));
        moves(&mut actions, "margins", 5);
        actions.extend(key("5", ""));
        actions.extend(key("0", ""));
        moves(&mut actions, "print", 6);
        actions.extend(button("Print"));
    }
    let rest = 95 - actions.len();
    moves(&mut actions, "away", rest);
    let mut log = String::new();
    for (i, action) in actions.iter().enumerate() {
        writeln!(log, "{i:05}0 {action}").unwrap();
        // What the server adds is the rest of the 711.
        for window in i * 616 / 95..(i + 1) * 616 / 95 {
            writeln!(log, "{i:05}5 Expose window={}", window % 9).unwrap();
        }
    }
    log
}

/// Mozilla crashes when the print dialog was opened and the mouse button went down and up on Print.
fn mozilla(candidate: &[u8]) -> Outcome {
    let log = String::from_utf8_lossy(candidate);
    let (mut dialog, mut armed) = (false, false);
    for line in log.lines() {
        match line.split_once(' ').map_or("", |(_, event)| event) {
            "KeyPress P Alt" => dialog = true,
            "ButtonPress 1 Print" => armed = dialog,
            "ButtonRelease 1 Print" if armed => return Outcome::Fail,
            "ButtonPress 1 File" | "KeyPress Return" => armed = false,
            _ => {}
        }
    }
    Outcome::Pass
}

fn log(only: &str) -> Arc<Log> {
    let only = vec![Regex::new(only).unwrap()];
    Arc::new(Log::new(recording().into_bytes().into(), &Reading { only, ..Reading::default() }))
}

fn search(log: &Arc<Log>, goal: Goal, jobs: usize) -> Experimented {
    let records = Records::new(Arc::clone(log), &[]);
    let trial = Trial {
        passing: log.with(&[]).into(),
        failing: log.with(&records.all()).into(),
        circumstances: Arc::new(records),
        goal,
        inverted: false,
        jobs,
        budget: Budget::default(),
    };
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
