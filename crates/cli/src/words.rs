//! The searches for words of a command line: one set after the other, or a difference. Knows them by their
//! numbers.

use std::ffi::OsStr;
use std::time::Duration;

use minirepro_circumstances::Choice;
use minirepro_engine::{Answers, Experiment, Goal, Outcome, Search as Minimizing, Trial};
use minirepro_runner::{DriveError, Tally};
use serde::Serialize;

use crate::causes::Which;
use crate::exit::Exit;
use crate::failure::{Failure, quote};
use crate::figures::counted;
use crate::findings::{Figures, text};
use crate::options::Find;
use crate::plan::Talk;
use crate::trial::{Bench, Ran};

/// All that is known during a search.
pub struct Search<'a> {
    /// Where tests are run.
    pub bench: &'a Bench<'a>,
    /// How the words are written.
    pub names: &'a [String],
    /// Words that belong together.
    pub pairs: Vec<(usize, usize)>,
}

/// What was found.
pub struct Found {
    /// Sets of words, each by itself enough.
    pub sets: Vec<Vec<usize>>,
    runs: Vec<Run>,
    /// Tests of a single choice, outside of any search.
    probes: u64,
    /// Whether the test worked to the end.
    pub driven: Result<(), DriveError>,
}

struct Run {
    findings: minirepro_engine::Findings,
    tally: Tally,
    took: Duration,
}

impl Search<'_> {
    /// The difference between words with which it fails, and does not.
    pub fn isolate(&self) -> Found {
        let mut found = Found { sets: Vec::new(), runs: Vec::new(), probes: 0, driven: Ok(()) };
        let numbers: Vec<usize> = (0..self.names.len()).collect();
        let mut answers = self.bench.answers.clone();
        let (passing, failing) = self.run(Goal::Isolate, &numbers, false, &mut answers, &mut found);
        let difference: Vec<usize> =
            failing.iter().copied().filter(|n| !passing.contains(n)).collect();
        self.tell(&format!("  passes with: {}\n", self.shown(&passing)));
        self.tell(&format!("  fails with:  {}\n", self.shown(&failing)));
        self.bench.print(&format!("{}\n", self.shown(&difference)));
        found.sets.push(difference);
        found
    }

    /// One set after the other: what is found is left out from then on.
    ///
    /// # Errors
    /// When the test does not work.
    pub fn all(&self, find: Find, all: Option<Which>) -> Result<Found, Failure> {
        let preventing = find == Find::Preventing;
        let wanted = if preventing { Outcome::Pass } else { Outcome::Fail };
        let mut found = Found { sets: Vec::new(), runs: Vec::new(), probes: 0, driven: Ok(()) };
        let mut left: Vec<usize> = (0..self.names.len()).collect();
        let mut answers = self.bench.answers.clone();
        loop {
            let set = self.one(&left, preventing, &mut answers, &mut found)?;
            if all != Some(Which::Smallest) {
                self.bench.print(&format!("{}\n", self.shown(&set)));
            }
            left.retain(|n| !set.contains(n));
            found.sets.push(set);
            let ended = found.runs.last().is_some_and(|run| run.findings.stopped.is_some());
            if ended || left.is_empty() || !(preventing || all.is_some()) {
                break;
            }
            let rest = Choice::text(left.iter().copied());
            let outcome = self.bench.probe(&rest)?;
            found.probes += 1;
            answers.insert(&rest, outcome);
            if outcome != wanted {
                let how = match (outcome, preventing) {
                    (Outcome::Unresolved, _) => "the test is unresolved",
                    (_, true) => "the failure does not go away",
                    (_, false) => "the failure is not there",
                };
                let others = counted(left.len() as u64, "other word");
                self.tell(&format!("  with the {others} {how}\n"));
                break;
            }
        }
        let smallest = found.sets.iter().min_by_key(|set| set.len());
        if let (Some(Which::Smallest), Some(smallest)) = (all, smallest) {
            self.bench.print(&format!("{}\n", self.shown(smallest)));
        }
        Ok(found)
    }

    /// Searches again what was found.
    ///
    /// # Errors
    /// When it does not hold.
    pub fn verify(&self, sets: &[Vec<usize>], find: Find, isolate: bool) -> Result<Exit, Failure> {
        if isolate {
            let message = "verify is for words that are required or prevent, not for differences";
            return Err(Failure::new(Exit::Usage, message));
        }
        let (mut holds, inverted) = (true, find == Find::Preventing);
        for set in sets {
            let ends = (Choice::text([]).into(), Choice::text(set.iter().copied()).into());
            let goal = Goal::Minimize(Minimizing::default());
            let trial = self.bench.trial(Choice::new(set, &self.pairs), ends, goal);
            holds = holds && self.bench.holds(Trial { inverted, ..trial })?;
        }
        self.bench.verdict(holds)
    }

    /// One set of words that is enough, each needed. First the difference that a single word makes
    /// is isolated, in log₂ tests at best; mostly this word is enough.
    fn one(
        &self,
        left: &[usize],
        inverted: bool,
        answers: &mut Answers,
        found: &mut Found,
    ) -> Result<Vec<usize>, Failure> {
        let wanted = if inverted { Outcome::Pass } else { Outcome::Fail };
        let isolated = self.run(Goal::Isolate, left, inverted, answers, found);
        let (without, with) = isolated;
        let single: Vec<usize> =
            with.iter().copied().filter(|number| !without.contains(number)).collect();
        let stopped = found.runs.last().is_some_and(|run| run.findings.stopped.is_some());
        if with.len() <= 1 || stopped || found.driven.is_err() {
            return Ok(with);
        }
        let is_pair = matches!(single[..], [a, b] if self.pairs.contains(&(a, b)));
        if single.len() == 1 || is_pair {
            let alone = Choice::text(single.iter().copied());
            let outcome = self.bench.probe(&alone)?;
            found.probes += 1;
            answers.insert(&alone, outcome);
            if outcome == wanted {
                return Ok(single);
            }
        }
        let goal = Goal::Minimize(Minimizing::default());
        Ok(self.run(goal, &with, inverted, answers, found).1)
    }

    /// Runs one experiment; its two ends.
    fn run(
        &self,
        goal: Goal,
        numbers: &[usize],
        inverted: bool,
        answers: &mut Answers,
        found: &mut Found,
    ) -> (Vec<usize>, Vec<usize>) {
        let ends = (Choice::text([]).into(), Choice::text(numbers.iter().copied()).into());
        let trial = self.bench.trial(Choice::new(numbers, &self.pairs), ends, goal);
        let trial = Trial { inverted, ..trial };
        let ran: Ran<Experiment> = self.bench.run(trial, std::mem::take(answers), &mut |_| {});
        self.tell(&text(ran.session.findings(), &ran.tally, ran.took));
        let (passing, failing) = ran.session.ends();
        let findings = ran.session.findings().clone();
        found.runs.push(Run { findings, tally: ran.tally, took: ran.took });
        found.driven = ran.driven;
        *answers = ran.session.into_answers();
        (Choice::numbers(&passing), Choice::numbers(&failing))
    }

    fn shown(&self, numbers: &[usize]) -> String {
        if numbers.is_empty() {
            return "(none)".into();
        }
        let names = numbers.iter().map(|&n| quote(OsStr::new(&self.names[n])));
        names.collect::<Vec<_>>().join(" ")
    }

    fn tell(&self, text: &str) {
        if Talk::of(self.bench.common) > Talk::Quiet {
            eprint!("{text}");
        }
    }

    /// For `--stats`.
    pub fn stats<'f>(&'f self, found: &'f Found) -> Stats<'f> {
        let name = |&n: &usize| self.names[n].as_str();
        Stats {
            version: 1,
            minirepro: env!("CARGO_PKG_VERSION"),
            words: self.names,
            found: found.sets.iter().map(|set| set.iter().map(name).collect()).collect(),
            baseline_tests: self.bench.baseline_tests,
            single_tests: found.probes,
            searches: found
                .runs
                .iter()
                .map(|run| Figures::new(&run.findings, &run.tally, run.took))
                .collect(),
        }
    }
}

/// `--stats`, version 1.
#[derive(Debug, Serialize)]
pub struct Stats<'a> {
    version: u32,
    minirepro: &'static str,
    words: &'a [String],
    found: Vec<Vec<&'a str>>,
    baseline_tests: u64,
    /// Of one choice each: a word alone, or all that were not found.
    single_tests: u64,
    searches: Vec<Figures>,
}
