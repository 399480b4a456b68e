//! `estimate`: compares how many tests the engine expected at several moments of finished runs with
//! how many came, by their journals.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use minirepro_engine::{AnswerSource, Event, ReductionSession, Session, Step, StopReason};
use minirepro_runner::{Digest, PreviousRun};
use minirepro_testkit::plan;

/// Returns one line for each journal, and the errors of all together.
pub fn run(journals: &[PathBuf]) -> Result<()> {
    println!("journal: expected/actual tests left after each tenth of the tests");
    let mut ratios = Vec::new();
    for journal in journals {
        let past = PreviousRun::read(journal)?;
        let language = past.header.plan.get("the language").context("no language")?;
        let language = Arc::new(minirepro_languages::by_name(language)?);
        let mut engine = ReductionSession::new(plan(language, &PreviousRun::input(journal)?));
        let mut tests = 0_u64;
        let mut expected = Vec::new();
        decide_again(&mut engine, &past, &mut |event| match event {
            Event::Answered { how: AnswerSource::Tested, .. } => tests += 1,
            Event::Expected { tests: left } => expected.push((tests, *left)),
            _ => {}
        });
        print!("{}: {tests};", journal.display());
        for tenth in 0..10 {
            let Some(&(at, left)) = expected.get(expected.len() * tenth / 10) else { continue };
            print!(" {left}/{}", tests - at);
            ratios.push((left.max(1) as f64 / (tests - at).max(1) as f64).ln().abs());
        }
        println!();
    }
    ratios.sort_by(f64::total_cmp);
    if ratios.is_empty() {
        return Ok(());
    }
    for (what, part) in [("half", 2), ("three quarters", 4)] {
        let at = ratios.len() - 1 - ratios.len() / part;
        let factor = ratios.get(at).copied().unwrap_or_default().exp();
        println!("{what} of the estimates within a factor of {factor:.1}");
    }
    Ok(())
}

/// Decides a run again by its journal alone. The time is what the tests had taken until then.
pub(crate) fn decide_again(
    session: &mut dyn Session,
    previous: &PreviousRun,
    observe: &mut dyn FnMut(&Event),
) {
    let mut now = Duration::ZERO;
    loop {
        let step = session.poll(now);
        session.take_events().for_each(|event| observe(&event));
        match step {
            Step::Start { id, candidate } => match previous.answer(&Digest::of(&candidate)) {
                Some((outcome, time)) => {
                    now += time;
                    session.report(id, outcome.into());
                }
                None => session.stop(StopReason::JournalExhausted),
            },
            Step::Wait => unreachable!("every test is reported at once"),
            Step::Consult(_) => unreachable!("the plan has no proposers"),
            Step::Done => return,
        }
    }
}
