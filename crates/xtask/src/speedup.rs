//! `speedup`: how much sooner runs would have ended with more jobs, on a virtual clock, with the
//! answers and times of their journals. Questions that the run never asked are wasted look-ahead:
//! their answers do not matter, and they take as long as the run's tests do in the mean.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use minirepro_engine::{Outcome, Plan};
use minirepro_runner::{Digest, PreviousRun};
use minirepro_testkit::{plan, reduce_on_virtual_clock};

const JOBS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Returns one line for each journal.
pub fn run(journals: &[PathBuf]) -> Result<()> {
    println!("journal: tests, reproduced; speed-up (tests run / tests) with {:?} jobs", &JOBS[1..]);
    for journal in journals {
        let past = PreviousRun::read(journal)?;
        let language = past.header.plan.get("the language").context("no language")?;
        let language = Arc::new(minirepro_languages::by_name(language)?);
        let plan = plan(language, &PreviousRun::input(journal)?);
        let all: Vec<_> = past.all().collect();
        ensure!(!all.is_empty(), "no answers in {}", journal.display());
        let mean = all.iter().map(|(_, time)| *time).sum::<Duration>() / u32::try_from(all.len())?;
        let reproduced = all.iter().filter(|(outcome, _)| *outcome == Outcome::Fail).count();
        let known = |text: &[u8]| past.answer(&Digest::of(text));
        let outcome = |text: &[u8]| known(text).map_or(Outcome::Pass, |(outcome, _)| outcome);
        let time = |text: &[u8]| known(text).map_or(mean, |(_, time)| time);
        print!("{}: {}, {reproduced};", journal.display(), all.len());
        let mut alone = Duration::ZERO;
        for jobs in JOBS {
            let told = reduce_on_virtual_clock(Plan { jobs, ..plan.clone() }, &outcome, &time);
            if jobs == 1 {
                alone = told.time;
                continue;
            }
            let more = told.summary.started as f64 / told.summary.tests as f64;
            let speedup = alone.as_secs_f64() / told.time.as_secs_f64();
            print!(" {speedup:.1} ({more:.1})");
            io::stdout().flush()?;
        }
        println!();
    }
    Ok(())
}
