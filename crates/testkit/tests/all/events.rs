//! Recorded user actions line by line: the Mozilla case of Zeller & Hildebrandt (2002, §4.2),
//! simulated.

use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Plan, Scope};
use minirepro_testkit::{mozilla, plan, recording, reduce_on_virtual_clock};
use regex::bytes::Regex;

#[test]
fn of_95_user_actions_three_are_left_in_fewer_tests_than_in_the_paper() {
    let lines = Arc::new(minirepro_languages::by_name("lines").unwrap());
    // What the server did stays.
    let kept = vec![Regex::new(".*Expose.*").unwrap()];
    for jobs in [1, 2, 8] {
        let scope = Scope { kept: kept.clone(), ..Scope::default() };
        let plan = Plan { jobs, scope, ..plan(Arc::clone(&lines), recording().as_bytes()) };
        let duration = |text: &[u8]| Duration::from_millis(10 + text.len() as u64 % 11);
        let told = reduce_on_virtual_clock(plan, &mozilla, &duration);
        let left = String::from_utf8_lossy(&told.result).into_owned();
        let (exposed, actions): (Vec<&str>, Vec<&str>) =
            left.lines().map(|line| &line[7..]).partition(|event| event.starts_with("Expose"));
        assert_eq!(actions, ["KeyPress P Alt", "ButtonPress 1 Print", "ButtonRelease 1 Print"]);
        assert_eq!(exposed.len(), 711 - 95);
        // 82 in the paper.
        assert!(told.summary.tests < 82, "{}", told.summary.tests);
    }
}
