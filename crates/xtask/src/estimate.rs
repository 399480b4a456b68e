//! `estimate`: what the engine expected at several moments of runs that are over, by their journals,
//! against what then came.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use minirepro_engine::{Answered, Engine, Event};
use minirepro_runner::{Past, replay};
use minirepro_testkit::plan;

/// One line for each journal, and the errors of all together.
pub fn run(journals: &[PathBuf]) -> Result<()> {
    println!("journal: expected/actual tests left after each tenth of the tests");
    let mut ratios = Vec::new();
    for journal in journals {
        let past = Past::read(journal)?;
        let language = past.header.plan.get("--lang").context("no language")?;
        let language = Arc::new(minirepro_languages::by_name(language)?);
        let mut engine = Engine::new(plan(language, &Past::input(journal)?));
        let (mut tests, mut expected) = (0_u64, Vec::new());
        let mut observe = |event: &Event, _: Duration| match event {
            Event::Told { how: Answered::Tested, .. } => tests += 1,
            Event::Expected { tests: left } => expected.push((tests, *left)),
            _ => {}
        };
        replay(&mut engine, &past, &mut observe);
        print!("{}: {tests};", journal.display());
        for tenth in 0..10 {
            let Some(&(at, left)) = expected.get(expected.len() * tenth / 10) else { continue };
            print!(" {left}/{}", tests - at);
            ratios.push((left.max(1) as f64 / (tests - at).max(1) as f64).ln().abs());
        }
        println!();
    }
    ratios.sort_by(f64::total_cmp);
    for (what, part) in [("half", 2), ("three quarters", 4)] {
        let at = ratios.len() - 1 - ratios.len() / part;
        let factor = ratios.get(at).copied().unwrap_or_default().exp();
        println!("{what} of the estimates within a factor of {factor:.1}");
    }
    Ok(())
}
