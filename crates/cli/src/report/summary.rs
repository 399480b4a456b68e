//! The last words of a session: sizes, tests, what is certified.

use std::path::Path;
use std::time::Duration;

use minirepro_program::{
    Findings, Measured, OtherCrash, Reliability, RetryPolicy, Signature, Summary, archive,
};

use super::certificate::{certain, of_early_end};
use super::numbers::{count, counted, percent, rate, time};
use super::terminal::{self, shown};

/// Summarizes a reduction.
pub fn of_reduction(name: &str, measured: &Measured<Summary>, in_all: Duration) -> String {
    let summary = &measured.session;
    let change = |(before, after), unit| {
        format!("{} → {} ({})", count(before), counted(after, unit), percent(after, before))
    };
    let sizes = [change(summary.tokens, "token"), change(summary.bytes, "byte")].join(", ");
    let Summary { tests, consulted, infeasible, remembered, .. } = *summary;
    let answers = of_answers([tests, consulted, infeasible, remembered], measured, in_all);
    format!("{name}: {sizes}\n{answers}  {}\n", certain(summary))
}

/// Names the files that are left of a directory, the largest first.
pub fn files((before, after): (u64, u64), archive: &[u8]) -> String {
    let mut left: Vec<(usize, String)> = archive::entries(archive)
        .iter()
        .map(|entry| (entry.text.len(), terminal::name(&String::from_utf8_lossy(entry.path))))
        .collect();
    left.sort_by(|(a, _), (b, _)| b.cmp(a));
    let more = left.len().saturating_sub(MOST_FILES);
    let more = (more > 0).then(|| format!("{} more", count(more as u64)));
    let names = left.iter().take(MOST_FILES);
    let names = names.map(|(bytes, path)| format!("{path} ({})", counted(*bytes as u64, "byte")));
    let names: Vec<String> = names.chain(more).collect();
    format!("  {} → {}: {}\n", count(before), counted(after, "file"), names.join(", "))
}

/// Names of more files are not shown.
const MOST_FILES: usize = 8;

/// Summarizes an isolation, level by level.
pub fn of_isolation(measured: &Measured<Findings>, in_all: Duration) -> String {
    let findings = &measured.session;
    let Findings { tests, consulted, infeasible, remembered, .. } = *findings;
    let answers = [tests, consulted, infeasible, remembered];
    let mut text = of_answers(answers, measured, in_all);
    for level in findings.levels.iter().filter(|level| level.tests > 0) {
        let unresolved = match level.unresolved {
            0 => String::new(),
            number => format!(", {} of them unresolved", count(number)),
        };
        text += &format!(
            "  {}: {} → {} in {}{unresolved}\n",
            level.name,
            count(level.circumstances as u64),
            count(level.left as u64),
            counted(level.tests, "test"),
        );
    }
    if let Some(why) = findings.stopped {
        text += &format!("  {}\n", of_early_end(why));
    }
    text
}

/// Summarizes how many questions of a session were answered by tests, runs for messages, the
/// grammar, and memory.
fn of_answers<S>(
    [tests, consulted, infeasible, remembered]: [u64; 4],
    measured: &Measured<S>,
    in_all: Duration,
) -> String {
    let Measured { runner, reused, took, .. } = measured;
    let (around, rate) = (around(*took, in_all), rate(runner.tests, *took));
    let mut text = format!("  {} in {}{around} ({rate})", counted(tests, "test"), time(*took));
    let unused = (runner.tests + reused).saturating_sub(tests);
    for (number, what) in [
        (unused, "more run ahead in vain"),
        (runner.timeouts, "timed out"),
        (runner.exceeded, "wrote too much"),
        (*reused, "of them before it was interrupted"),
        (consulted, "runs of its command for messages"),
    ] {
        if number > 0 {
            text += &format!(", {} {what}", count(number));
        }
    }
    let [infeasible, remembered] = [infeasible, remembered].map(count);
    text + &format!(
        "\n  answered without a test: {infeasible} infeasible, {remembered} remembered\n"
    )
}

/// Says how long the run has taken, if the tests before the search and after it took long as well.
pub fn around(took: Duration, in_all: Duration) -> String {
    match in_all.saturating_sub(took) {
        more if more < Duration::from_secs(1) || more < took / 20 => String::new(),
        _ => format!(" of {}", time(in_all)),
    }
}

/// Says how sure the answers of a flaky test are.
pub fn confidence(retry: RetryPolicy, input: &Reliability) -> String {
    match retry {
        RetryPolicy::Repeat(times) => format!(
            "flaky: if a candidate reproduces as often as the input ({} of {} tests), it is missed \
             with probability {:.2} % ({times} repetitions)",
            input.reproduced,
            input.runs,
            100.0 * input.all_miss(times)
        ),
        RetryPolicy::Rate(rate) => format!(
            "flaky: each answer is right with probability 99 %, whether a candidate reproduces in at \
             least {} % of its tests or in less than {} % (the input: {} of {} tests)",
            100.0 * rate,
            50.0 * rate,
            input.reproduced,
            input.runs
        ),
    }
}

/// Says how many other failures were met on the way, and which has the smallest input.
pub fn finds(finds: &[(Signature, OtherCrash)]) -> String {
    let Some((signature, find)) = finds.iter().min_by_key(|(_, find)| find.bytes) else {
        return String::new();
    };
    let number = count(finds.len() as u64);
    let directory = find.path.parent().map(shown).unwrap_or_default();
    let name = find.path.file_name().map(|name| shown(Path::new(name))).unwrap_or_default();
    let size = counted(find.bytes as u64, "byte");
    let which = if finds.len() > 1 { ", the smallest" } else { ":" };
    format!(
        "  other failures met on the way: {number}, in {directory}{which} {name} ({size}): {signature}\n"
    )
}

#[cfg(test)]
mod tests {
    use minirepro_program::{Certificate, EditKind, RunnerStats, StopReason};

    use super::*;

    fn kind(name: &'static str, count: usize) -> EditKind {
        EditKind { name, edits: "try it", count }
    }

    #[test]
    fn a_finished_run_says_what_is_certified() {
        let summary = Summary {
            tokens: (13_402, 29),
            bytes: (54_321, 120),
            tests: 412,
            infeasible: 1234,
            remembered: 210,
            certificate: Some(Certificate {
                edit_kinds: vec![kind("drop", 50), kind("inline", 0), kind("hoist", 7)],
                refused: 57,
                unresolved: 3,
                larger: 0,
            }),
            ..Summary::default()
        };
        let measured = Measured {
            session: summary,
            runner: RunnerStats { tests: 415, timeouts: 2, ..RunnerStats::default() },
            reused: 0,
            took: Duration::from_secs(20),
        };
        let longer = of_reduction("a.c", &measured, Duration::from_secs(26));
        assert!(longer.contains("412 tests in 20.0 s of 26.0 s (20/s)"));
        assert_eq!(
            of_reduction("a.c", &measured, Duration::from_millis(20_900)),
            "a.c: 13,402 → 29 tokens (0.2 %), 54,321 → 120 bytes (0.2 %)\n  \
             412 tests in 20.0 s (20/s), 3 more run ahead in vain, 2 timed out\n  \
             answered without a test: 1,234 infeasible, 210 remembered\n  \
             1-minimal down to words: none of 57 single further edits reproduces, 3 of them unresolved \
             (drop, hoist)\n"
        );
    }

    #[test]
    fn a_stopped_run_says_why() {
        let summary = Summary { stopped: Some(StopReason::Interrupted), ..Summary::default() };
        let shown = of_reduction(
            "a.c",
            &Measured { session: summary, ..Measured::default() },
            Duration::ZERO,
        );
        assert!(shown.contains("stopped early, interrupted: it may not be minimal yet"));
    }
}
