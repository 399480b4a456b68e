//! The last words of a run. A pure function of its figures.

use std::fmt::Write;
use std::time::Duration;

use minirepro_engine::{Certificate, EditKind, Summary};
use minirepro_runner::{Find, Patience, Recalled, Reliability, Signature, Tally};

use crate::figures::{count, counted, percent, rate, time};

/// Tells what a run gave: sizes, tests, what is certified.
pub fn text(
    name: &str,
    summary: &Summary,
    tally: &Tally,
    recalled: Recalled,
    took: Duration,
) -> String {
    let mut text = String::new();
    let (tokens, bytes) = (summary.tokens, summary.bytes);
    let mut line = |content: String| writeln!(text, "{content}").expect("strings take anything");
    line(format!(
        "{name}: {} → {} ({}), {} → {} ({})",
        count(tokens.0),
        counted(tokens.1, "token"),
        percent(tokens.1, tokens.0),
        count(bytes.0),
        counted(bytes.1, "byte"),
        percent(bytes.1, bytes.0),
    ));
    line(tests(summary, tally, recalled, took));
    line(format!(
        "  answered without a test: {} infeasible, {} remembered",
        count(summary.infeasible),
        count(summary.remembered)
    ));
    match (&summary.stopped, &summary.certificate) {
        (Some(why), _) => line(format!("  stopped early ({why}): it may not be minimal yet")),
        (None, Some(certificate)) => line(format!("  {}", certified(certificate))),
        (None, None) => line("  not certified to be minimal".into()),
    }
    text
}

/// How sure the answers of a flaky test are.
pub fn confidence(patience: Patience, input: &Reliability) -> String {
    match patience {
        Patience::Repeat(times) => format!(
            "flaky: if a candidate reproduces as often as the input ({} of {} tests), it is missed \
             with probability {:.2} % ({times} repetitions)",
            input.reproduced,
            input.runs,
            100.0 * input.all_miss(times)
        ),
        Patience::Rate(rate) => format!(
            "flaky: each answer is right with probability 99 %, whether a candidate reproduces in at \
             least {} % of its tests or in less than {} % (the input: {} of {} tests)",
            100.0 * rate,
            50.0 * rate,
            input.reproduced,
            input.runs
        ),
    }
}

/// Tells which other failures were met.
pub fn finds(finds: &[(Signature, Find)]) -> String {
    let lines = finds.iter().map(|(signature, find)| {
        format!(
            "    {} ({}): {signature}\n",
            find.path.display(),
            counted(find.bytes as u64, "byte")
        )
    });
    let heading = if finds.is_empty() { "" } else { "  other failures met on the way:\n" };
    heading.to_owned() + &lines.collect::<String>()
}

fn tests(summary: &Summary, tally: &Tally, recalled: Recalled, took: Duration) -> String {
    let mut line = format!(
        "  {} in {} ({})",
        counted(summary.tests, "test"),
        time(took),
        rate(tally.tests, took)
    );
    let Recalled { journal, cache } = recalled;
    let unused = (tally.tests + journal + cache).saturating_sub(summary.tests);
    for (number, what) in [
        (unused, "more run ahead in vain"),
        (tally.timeouts, "timed out"),
        (tally.exceeded, "wrote too much or needed too much memory"),
        (journal, "of them before it was interrupted"),
        (cache, "of them answered by the cache"),
    ] {
        if number > 0 {
            write!(line, ", {} {what}", count(number)).expect("strings take anything");
        }
    }
    line
}

/// What is certified, in a sentence; of kinds of edits only those that the result has.
pub fn certified(certificate: &Certificate) -> String {
    let Certificate { edit_kinds, refused, unresolved } = certificate;
    let kinds: Vec<&str> =
        edit_kinds.iter().filter(|kind| kind.count > 0).map(|kind| kind.name).collect();
    let unresolved = match unresolved {
        0 => String::new(),
        n => format!(", {} of them unresolved", count(*n)),
    };
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    format!(
        "1-minimal: none of {} reproduces{unresolved}{kinds}",
        counted(*refused, "single further edit")
    )
}

/// What the kinds of edits in a certificate are that the result has, one in a line.
pub fn edit_kinds(certificate: &Certificate) -> String {
    let lines = certificate.edit_kinds.iter().filter(|kind| kind.count > 0).map(
        |EditKind { name, edits, count: number }| {
            format!("    {name}: {} ({edits})\n", counted(*number as u64, "edit"))
        },
    );
    lines.collect()
}

#[cfg(test)]
mod tests {
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
            }),
            ..Summary::default()
        };
        let tally = Tally { tests: 415, timeouts: 2, ..Tally::default() };
        let shown = text("a.c", &summary, &tally, Recalled::default(), Duration::from_secs(20));
        assert_eq!(
            shown,
            "a.c: 13,402 → 29 tokens (0.2 %), 54,321 → 120 bytes (0.2 %)\n  \
             412 tests in 20.0 s (20/s), 3 more run ahead in vain, 2 timed out\n  \
             answered without a test: 1,234 infeasible, 210 remembered\n  \
             1-minimal: none of 57 single further edits reproduces, 3 of them unresolved \
             (drop, hoist)\n"
        );
    }

    #[test]
    fn a_stopped_run_says_why() {
        let summary = Summary { stopped: Some("interrupted".into()), ..Summary::default() };
        let shown = text("a.c", &summary, &Tally::default(), Recalled::default(), Duration::ZERO);
        assert!(shown.contains("stopped early (interrupted): it may not be minimal yet"));
    }
}
