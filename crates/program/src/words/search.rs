//! Searches for the words of a command line that a failure needs.

use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::Choice;
use minirepro_engine::{Algorithm, Answers, Findings, Goal, IsolationPlan, Outcome, StopReason};
use minirepro_runner::Fingerprint;

use crate::error::{BadRequest, Error};
use crate::fingerprint;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Measured, OptionsOutcome, Verified};
use crate::request::options::OptionSearch;
use crate::request::settings::Settings;
use crate::run::context::RunContext;
use crate::run::endpoints::{Endpoints, Passing};
use crate::run::investigation::{Investigation, runs};
use crate::run::places::Places;

/// Returns the places of the words that are there in a candidate of an
/// [`OptionSearch`](crate::OptionSearch).
pub fn chosen(candidate: &[u8]) -> Vec<usize> {
    Choice::numbers(candidate)
}

runs!(
    OptionSearch as WordsRun: OptionsOutcome,
    "Finds the words. The test is a [`CommandLine`](crate::CommandLine), or a closure that gets candidates for [`chosen`]."
);

/// A search for words under way. Words are known by their places.
struct WordsRun {
    words: Vec<String>,
    pairs: Vec<(usize, usize)>,
    journal_beside: Option<std::path::PathBuf>,
    time_limit: String,
    /// The candidates with all words and with none.
    all: Vec<u8>,
    none: Vec<u8>,
    answers: Option<Answers>,
    found: Vec<usize>,
    single_tests: u64,
    searches: Vec<Measured<Findings>>,
}

/// The words with which it passes and with which it fails.
#[derive(Clone, Debug)]
struct Ends {
    passing: Vec<usize>,
    failing: Vec<usize>,
}

impl WordsRun {
    fn new(request: OptionSearch<'_>) -> Result<(Self, Settings<'_>), Error> {
        let OptionSearch { words, pairs, output, settings } = request;
        if words.is_empty() {
            return Err(BadRequest::NoWords.into());
        }
        let run = Self {
            all: Choice::text(0..words.len()),
            none: Choice::text([]),
            words,
            pairs,
            journal_beside: output,
            time_limit: format!("{:?}", settings.limits.time),
            answers: None,
            found: Vec::new(),
            single_tests: 0,
            searches: Vec::new(),
        };
        Ok((run, settings))
    }

    fn plan(&self, numbers: &[usize], goal: Goal) -> IsolationPlan {
        let ends = (Choice::text([]).into(), Choice::text(numbers.iter().copied()).into());
        let choice = Arc::new(Choice::new(numbers, &self.pairs));
        IsolationPlan::new(choice, ends, goal)
    }

    /// Runs one search; returns its two ends.
    fn run_search(&mut self, context: &RunContext<'_>, goal: Goal, numbers: &[usize]) -> Ends {
        let answers = self.answers.take().unwrap_or_default();
        let ran = context.isolate(self.plan(numbers, goal), answers, &mut |_| {});
        context.tell(&RunEvent::Narrowed(&ran.figures));
        let (passing, failing) = ran.session.ends();
        self.answers = Some(ran.session.into_answers());
        self.searches.push(ran.figures);
        Ends { passing: Choice::numbers(&passing), failing: Choice::numbers(&failing) }
    }

    /// Finds one set of words that is enough, each needed. First the difference that a single word
    /// makes is isolated, in log₂ tests at best; mostly this word is enough.
    fn one(&mut self, context: &RunContext<'_>) -> Vec<usize> {
        let all: Vec<usize> = (0..self.words.len()).collect();
        let Ends { passing: without, failing: with } =
            self.run_search(context, Goal::Isolate, &all);
        let single: Vec<usize> =
            with.iter().copied().filter(|number| !without.contains(number)).collect();
        if with.len() <= 1 || context.stopped().is_some() {
            return with;
        }
        let is_pair = matches!(single[..], [a, b] if self.pairs.contains(&(a, b)));
        if single.len() == 1 || is_pair {
            let alone = Choice::text(single.iter().copied());
            let Some(outcome) = context.probe(&alone) else { return with };
            self.single_tests += 1;
            if let Some(answers) = &mut self.answers {
                answers.insert(&alone, outcome);
            }
            if outcome == Outcome::Fail {
                return single;
            }
        }
        self.run_search(context, Goal::Minimize(Algorithm::default()), &with).failing
    }
}

impl Investigation for WordsRun {
    type Outcome = OptionsOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        Endpoints {
            failing: &self.all,
            original: None,
            failing_name: "the command with all these words".to_owned(),
            passing: Passing::Given {
                is_nothing: false,
                candidate: &self.none,
                name: "the command without these words".to_owned(),
                may_be_unresolved: true,
                are_rewritten: false,
            },
        }
    }

    fn facts(&self) -> Fingerprint {
        fingerprint::named([
            ("the words", format!("{:?}", self.words)),
            ("--timeout", self.time_limit.clone()),
        ])
    }

    fn places(&self) -> Places {
        Places { journal_beside: self.journal_beside.clone(), ..Places::default() }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        self.answers = Some(context.answers.clone());
        self.found = self.one(context);
        context.tell(&RunEvent::WordsFound { set: &self.found, words: &self.words });
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        Choice::text(self.found.iter().copied())
    }

    fn failing_results(&self) -> Vec<Arc<[u8]>> {
        vec![self.result().into()]
    }

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let start = Instant::now();
        let goal = Goal::Minimize(Algorithm::default());
        context.verify_isolation(self.plan(&self.found, goal), name)?;
        Ok(Verified::new(name, self.result().len() as u64, context.tests(), start))
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> OptionsOutcome {
        OptionsOutcome {
            baseline,
            words: self.words,
            sets: vec![self.found],
            single_tests: self.single_tests,
            searches: self.searches,
            stopped,
        }
    }

    fn over(outcome: &OptionsOutcome) -> Over<'_> {
        Over::Options(outcome)
    }
}
