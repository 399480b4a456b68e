//! The result of the tests before a search, in words.

use std::time::Duration;

use minirepro_program::{BaselineFacts, Limits, Reliability, Signature, TestEnd};

use super::numbers::time;
use super::terminal;

/// Says that a program is run to learn its failure, and how long that may take.
pub fn learning(limit: Duration) -> String {
    format!("running the program on the unchanged input, {}", at_most(limit))
}

/// Says that the test is run on the unchanged input, and how long that may take.
pub fn testing(limit: Option<Duration>) -> String {
    let limit = limit.map(|limit| format!(", {}", at_most(limit)));
    format!("testing the unchanged input{}", limit.unwrap_or_default())
}

fn at_most(limit: Duration) -> String {
    format!("at most {} s each time", limit.as_secs_f32())
}

/// Says that any failure will do for a test.
pub fn nonsense(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut said = format!(
        "the test says 'reproduced' for nonsense as well, '{}': any failure will do for it, and the result \
         may be nonsense\n",
        terminal::name(text.trim())
    );
    said += "  it is stricter if it looks for the message of this failure, as by `2>&1 | grep -q 'text of \
             the message'`\n";
    said
}

/// Says that a script may have accepted another failure.
pub fn other_message(input: &Signature, result: Option<&Signature>) -> String {
    let now = result.map_or("nothing".to_owned(), |now| terminal::name(&now.to_string()));
    format!(
        "the script accepts a failure with another message than that of the input:\n  input:  {}\n  \
         result: {now}\n",
        terminal::name(&input.to_string())
    )
}

/// Says that what passes is no pass like that before the search.
pub fn passes_otherwise(before: (TestEnd, &str), now: (TestEnd, &str)) -> String {
    let shown = |(end, said): (TestEnd, &str)| {
        let end = match end {
            TestEnd::Exited(code) => format!("exit code {code}"),
            TestEnd::Signaled(signal) => format!("signal {signal}"),
            _ => "no end in time".to_owned(),
        };
        match said {
            "" => format!("{end} and no message"),
            said => format!("{end} and '{}'", terminal::name(said)),
        }
    };
    format!(
        "what passes here does not end as the version that passed did: with {}, instead of {}\n  \
         The mixture may be broken in a way of its own, which the test calls a pass. Let it exit with 125 \
         then (unresolved): see `minirepro guide isolate`.\n",
        shown(now),
        shown(before)
    )
}

/// Says how long the test takes and what it may use from now on, in lines.
pub fn of_baseline(facts: &BaselineFacts) -> String {
    let reliability = match facts.reliability {
        Some(Reliability { reproduced, runs }) => format!(" ({reproduced} of {runs} tests)"),
        None => String::new(),
    };
    let language = match &facts.language {
        Some(language) => format!("; language {language}"),
        None => String::new(),
    };
    let absent = match &facts.absent_language {
        Some(name) => format!(
            "; this build lacks {name}: cargo install --path crates/cli --features all-languages"
        ),
        None => String::new(),
    };
    let name = terminal::name(&facts.name);
    let slowest = time(facts.slowest);
    let limits = of_limits(&facts.limits);
    format!("{name}: the test reproduces in {slowest}{reliability}; {limits}{language}{absent}\n")
}

/// Says what a test may use.
fn of_limits(limits: &Limits) -> String {
    let time = format!("time limit {}", time(limits.time));
    limits.memory.map_or(time.clone(), |bytes| format!("{time}, memory {} MB", bytes >> 20))
}
