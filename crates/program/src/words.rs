//! Searches for words of a command line: one set after the other, or a difference.

use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::Choice;
use minirepro_engine::{Algorithm, Answers, Findings, Goal, IsolationPlan, Outcome, StopReason};
use minirepro_runner::Fingerprint;

use crate::error::{BadRequest, Error};
use crate::fingerprint;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Measured, OptionsOutcome, Verified};
use crate::request::Settings;
use crate::request::{OptionSearch, Wanted};
use crate::run::context::RunContext;
use crate::run::endpoints::{Endpoints, Passing, PassingKind};
use crate::run::investigation::{Investigation, runs};
use crate::run::overwriting::Places;

/// Returns the places of the words that are there in a candidate of an
/// [`OptionSearch`](crate::OptionSearch).
pub fn chosen(candidate: &[u8]) -> Vec<usize> {
    Choice::numbers(candidate)
}

/// Returns the candidate in which the words at these places are there.
pub fn chosen_text(places: impl IntoIterator<Item = usize>) -> Vec<u8> {
    Choice::text(places)
}

runs!(
    OptionSearch as WordsRun: OptionsOutcome,
    "Finds the words. The test is a command line ([`TestSpec`](crate::TestSpec)), or a closure that gets candidates for [`chosen`]."
);

/// A search for words under way. Words are known by their places.
struct WordsRun<'a> {
    request: OptionSearch<'a>,
    /// The candidates with all words and with none.
    all: Vec<u8>,
    none: Vec<u8>,
    /// Words that are still in question.
    left: Vec<usize>,
    answers: Option<Answers>,
    sets: Vec<Vec<usize>>,
    /// Both ends of a difference.
    difference: Option<Ends>,
    single_tests: u64,
    searches: Vec<Measured<Findings>>,
}

/// The words with which it passes and with which it fails.
#[derive(Clone, Debug)]
struct Ends {
    passing: Vec<usize>,
    failing: Vec<usize>,
}

impl<'a> WordsRun<'a> {
    fn new(mut request: OptionSearch<'a>) -> Result<(Self, Settings<'a>), Error> {
        let settings = std::mem::take(&mut request.settings);
        if request.words.is_empty() {
            return Err(BadRequest::NoWords.into());
        }
        let run = Self {
            all: Choice::text(0..request.words.len()),
            none: Choice::text([]),
            left: (0..request.words.len()).collect(),
            request,
            answers: None,
            sets: Vec::new(),
            difference: None,
            single_tests: 0,
            searches: Vec::new(),
        };
        Ok((run, settings))
    }

    fn seeks_blockers(&self) -> bool {
        self.request.wanted == Wanted::Blockers
    }

    fn plan(&self, numbers: &[usize], goal: Goal) -> IsolationPlan {
        let ends = (Choice::text([]).into(), Choice::text(numbers.iter().copied()).into());
        let choice = Arc::new(Choice::new(numbers, &self.request.pairs));
        let inverted = self.seeks_blockers();
        IsolationPlan { inverted, ..IsolationPlan::new(choice, ends, goal) }
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
        let left = self.left.clone();
        let Ends { passing: without, failing: with } =
            self.run_search(context, Goal::Isolate, &left);
        let single: Vec<usize> =
            with.iter().copied().filter(|number| !without.contains(number)).collect();
        if with.len() <= 1 || context.stopped().is_some() {
            return with;
        }
        let is_pair = matches!(single[..], [a, b] if self.request.pairs.contains(&(a, b)));
        if single.len() == 1 || is_pair {
            let alone = Choice::text(single.iter().copied());
            let Some(outcome) = context.probe(&alone) else { return with };
            self.note(&alone, outcome);
            let wanted = if self.seeks_blockers() { Outcome::Pass } else { Outcome::Fail };
            if outcome == wanted {
                return single;
            }
        }
        self.run_search(context, Goal::Minimize(Algorithm::default()), &with).failing
    }

    fn note(&mut self, candidate: &[u8], outcome: Outcome) {
        self.single_tests += 1;
        if let Some(answers) = &mut self.answers {
            answers.insert(candidate, outcome);
        }
    }

    fn isolate(&mut self, context: &RunContext<'_>) {
        let left = self.left.clone();
        let ends = self.run_search(context, Goal::Isolate, &left);
        let open = ends.failing.iter().copied();
        let difference: Vec<usize> = open.filter(|n| !ends.passing.contains(n)).collect();
        context.tell(&RunEvent::WordDifferenceFound {
            words: &self.request.words,
            passing: &ends.passing,
            failing: &ends.failing,
            difference: &difference,
        });
        self.sets.push(difference);
        self.difference = Some(ends);
    }
}

impl Investigation for WordsRun<'_> {
    type Outcome = OptionsOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        let with = "the command with all these words";
        let without = "the command without these words";
        let (failing, failing_name, candidate, name) = if self.seeks_blockers() {
            (&self.none, without, &self.all, with)
        } else {
            (&self.all, with, &self.none, without)
        };
        Endpoints {
            failing,
            original: None,
            failing_name: failing_name.to_owned(),
            passing: Passing {
                kind: PassingKind::Other,
                candidate,
                name: name.to_owned(),
                may_be_unresolved: self.request.wanted == Wanted::Required,
                are_rewritten: false,
            },
        }
    }

    fn facts(&self) -> Fingerprint {
        fingerprint::named([
            ("the words", format!("{:?}", self.request.words)),
            ("--find", format!("{:?}", self.request.wanted)),
        ])
    }

    fn places(&self) -> Places {
        Places { journal_beside: self.request.output.clone(), ..Places::default() }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        self.answers = Some(context.answers.clone());
        if self.request.wanted == Wanted::Difference {
            self.isolate(context);
            return Ok(());
        }
        loop {
            let set = self.one(context);
            context.tell(&RunEvent::WordsFound { set: &set, words: &self.request.words });
            self.left.retain(|n| !set.contains(n));
            self.sets.push(set);
            if !self.seeks_blockers() || context.stopped().is_some() || self.left.is_empty() {
                return Ok(());
            }
            // The failure is away as long as blockers are left.
            let rest = Choice::text(self.left.iter().copied());
            let Some(outcome) = context.probe(&rest) else { return Ok(()) };
            self.note(&rest, outcome);
            if outcome != Outcome::Pass {
                let unresolved = outcome == Outcome::Unresolved;
                context.tell(&RunEvent::NoMoreBlockers { left: self.left.len(), unresolved });
                return Ok(());
            }
        }
    }

    fn result(&self) -> Vec<u8> {
        let sets = self.sets.iter().map(|set| Choice::text(set.iter().copied()));
        sets.collect::<Vec<_>>().join(&b'\n')
    }

    fn failing_results(&self) -> Vec<Arc<[u8]>> {
        match (&self.difference, self.request.wanted) {
            (Some(ends), _) => vec![Choice::text(ends.failing.iter().copied()).into()],
            (None, Wanted::Required) => {
                self.sets.iter().map(|set| Choice::text(set.iter().copied()).into()).collect()
            }
            // With blockers, it is what is found that passes.
            (None, Wanted::Blockers | Wanted::Difference) => Vec::new(),
        }
    }

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let start = Instant::now();
        if let Some(Ends { passing, failing }) = &self.difference {
            let choice = Arc::new(Choice::between(passing, failing));
            let text = |numbers: &[usize]| Choice::text(numbers.iter().copied()).into();
            let ends = (text(passing), text(failing));
            context.verify_isolation(IsolationPlan::new(choice, ends, Goal::Isolate), name)?;
        } else {
            for set in &self.sets {
                let goal = Goal::Minimize(Algorithm::default());
                context.verify_isolation(self.plan(set, goal), name)?;
            }
        }
        Ok(Verified::new(name, self.result().len() as u64, context.tests(), start))
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> OptionsOutcome {
        OptionsOutcome {
            baseline,
            words: self.request.words,
            sets: self.sets,
            single_tests: self.single_tests,
            searches: self.searches,
            stopped,
        }
    }

    fn over(outcome: &OptionsOutcome) -> Over<'_> {
        Over::Options(outcome)
    }
}
