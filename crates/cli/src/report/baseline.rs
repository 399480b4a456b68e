//! The result of the tests before a search, in words.

use std::time::Duration;

use minirepro_program::languages::elsewhere;
use minirepro_program::{BaselineFacts, Reliability, Signature, TestEnd};

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
    format!(
        "the test says 'reproduced' for nonsense as well, '{}': any failure will do for it, and the result \
         may be nonsense\n  it is stricter if it looks for the message of this failure, as by `2>&1 | grep \
         -q 'text of the message'`\n",
        terminal::name(text.trim())
    )
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

/// Says how a test ended.
pub fn ended(ending: TestEnd) -> String {
    match ending {
        TestEnd::Exited(code) => format!("exit code {code}"),
        TestEnd::Signaled(signal) => format!("signal {signal}"),
        TestEnd::TimedOut => "no end in time".to_owned(),
        TestEnd::TooMuchOutput => "more than its limits allow".to_owned(),
        TestEnd::Stopped => "interrupted".to_owned(),
    }
}

/// Says that what passes is no pass like that before the search.
pub fn passes_otherwise(before: (TestEnd, &str), now: (TestEnd, &str)) -> String {
    let shown = |(end, said): (TestEnd, &str)| match said {
        "" => format!("{} and no message", ended(end)),
        said => format!("{} and '{}'", ended(end), terminal::name(said)),
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
    let (name, slowest) = (terminal::name(&facts.name), time(facts.slowest));
    let mut text = String::new();
    if let Some(language) = &facts.absent_language {
        let now = facts.language.as_deref().unwrap_or_default();
        text += &format!("no grammar of {language} is here: {name} is read as {now}. ");
        text += match elsewhere(&facts.name) {
            Some(_) => "Name one with --grammar, if there is one (minirepro guide languages)\n",
            None => {
                "Packages of minirepro have it; from the sources: \
                 cargo install --path crates/cli --features all-languages\n"
            }
        };
    }
    text += &format!("{name}: the test reproduces in {slowest}");
    if let Some(Reliability { reproduced, runs }) = facts.reliability {
        text += &format!(" ({reproduced} of {runs} tests)");
    }
    text += &format!("; time limit {}", time(facts.limits.time));
    if let Some(bytes) = facts.limits.memory {
        text += &format!(", memory {} MB", bytes >> 20);
    }
    if let Some(language) = &facts.language {
        text += &format!("; language {language}");
    }
    text + "\n"
}
