//! Reasons in words, with the names of options.

use minirepro_program::{Gone, StopReason};

/// Says why a run ended early.
pub fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::TestBudget => "test budget exhausted (--max-tests)",
        StopReason::InVain => "no test made it smaller",
        StopReason::TimeBudget => "the time is up (--max-time)",
        StopReason::SmallEnough => "the result is small enough (--until-size)",
        StopReason::GoodEnough => "good enough for you",
        StopReason::Interrupted => "interrupted",
        StopReason::JournalExhausted => "the journal ends here",
        StopReason::StillReducible => "a single further edit reproduces",
        StopReason::OracleFailed => "the test cannot be run",
        StopReason::WorkersLost => "no worker can go on",
    }
}

/// Says why a proposer is not asked again, with the last that it wrote.
pub fn proposer_gone(name: &str, why: Gone, last_words: &str) -> String {
    let why = match why {
        Gone::NotStarted => "cannot be started",
        Gone::Silent => "took too long",
        Gone::Unclear => "failed, or said nothing that could be understood",
    };
    let mut text = format!("{name} {why}, so it is not asked again\n");
    for line in last_words.lines().rev().take(LAST_LINES).collect::<Vec<_>>().into_iter().rev() {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        text += &format!("  {line}\n");
    }
    text
}

/// The most lines of a program's last words that are shown.
const LAST_LINES: usize = 5;
