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
        Gone::Ended => "ended without a word",
        Gone::Silent => "took too long (--propose-timeout)",
        Gone::Unclear => "said nothing that could be understood",
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

/// Lists the facts that have changed since a run began, by the options that set them.
pub fn changed(facts: &[String]) -> String {
    facts.iter().map(|fact| option_of(fact)).collect::<Vec<_>>().join(", ")
}

/// Returns the option that sets a fact of a run, or the fact's own name.
fn option_of(fact: &str) -> &str {
    match fact {
        "stack frames" => "--stack-frames",
        "the guards" => "--require",
        "the warnings" => "--reject-warnings (or what the unchanged input prints)",
        "the limit of processor time" => "--cpu-time",
        "the limit of processes" => "--processes",
        "the limit of memory" => "--memory",
        "the retries" => "--repeat or --min-failure-rate",
        "the language" => "--lang",
        "the algorithm" => "--algorithm",
        "the leave to break the syntax" => "--allow-syntax-errors",
        "the granularity" => "--granularity",
        "the rules" => "--rules",
        "the proposers" => "--propose",
        "the skipped passes" => "--skip-pass",
        "what must stay" => "--preserve",
        "the format" => "--format",
        "the time limit" => "--timeout",
        "the trust in the cache" => "--cache or --trust-cache",
        "the changes" => "--group-by",
        "what is wanted" => "--find",
        "the context" => "--minimize",
        fact => fact,
    }
}
