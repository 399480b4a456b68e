//! Searches for words of a command line: one set after the other, or a difference.

use std::sync::Arc;

use minirepro_circumstances::Choice;
use minirepro_engine::{Algorithm, Answers, Findings, Goal, IsolationPlan, Outcome, StopReason};
use minirepro_runner::Fingerprint;

use crate::error::{BadRequest, Error, FlakyResult};
use crate::fingerprint;
use crate::grammars::Languages;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Measured, OptionsOutcome, Verified};
use crate::request::{OptionSearch, Settings};
use crate::run::context::RunContext;
use crate::run::endpoints::Endpoints;
use crate::run::investigation::{self, Investigation, does_not_reproduce};
use crate::run::overwriting::Places;
use crate::tester::subject::Test;

/// Returns the places of the words that are there in a candidate of an
/// [`OptionSearch`](crate::OptionSearch).
pub fn chosen(candidate: &[u8]) -> Vec<usize> {
    Choice::numbers(candidate)
}

/// Returns the candidate in which the words at these places are there.
pub fn chosen_text(places: impl IntoIterator<Item = usize>) -> Vec<u8> {
    Choice::text(places)
}

impl OptionSearch<'_> {
    /// Finds the words. The test is a command line ([`TestSpec`](crate::TestSpec)), or a closure
    /// that gets candidates for [`chosen`].
    ///
    /// # Errors
    /// If there is no result, or it is not where it should be, or it is worth nothing.
    pub fn run(self, test: &dyn Test) -> Result<OptionsOutcome, Error> {
        let (run, settings) = WordsRun::new(self)?;
        investigation::investigate(run, settings, test)
    }
}

/// A search for words under way. Words are known by their places.
struct WordsRun<'a> {
    request: OptionSearch<'a>,
    /// The candidate with all words; that with none is empty.
    all: Vec<u8>,
    needed: Vec<usize>,
    answers: Answers,
    single_tests: u64,
    searches: Vec<Measured<Findings>>,
}

impl<'a> WordsRun<'a> {
    fn new(mut request: OptionSearch<'a>) -> Result<(Self, Settings<'a>), Error> {
        let settings = std::mem::take(&mut request.settings);
        if request.words.is_empty() {
            return Err(BadRequest::NoWords.into());
        }
        let run = Self {
            all: Choice::text(0..request.words.len()),
            request,
            needed: Vec::new(),
            answers: Answers::default(),
            single_tests: 0,
            searches: Vec::new(),
        };
        Ok((run, settings))
    }

    fn plan(&self, numbers: &[usize], goal: Goal) -> IsolationPlan {
        let ends = (Choice::text([]).into(), Choice::text(numbers.iter().copied()).into());
        let choice = Arc::new(Choice::new(numbers, &self.request.pairs));
        IsolationPlan::new(choice, ends, goal)
    }

    /// Runs one search; returns the words of its passing end and those of its failing one.
    fn run_search(
        &mut self,
        context: &RunContext<'_>,
        goal: Goal,
        numbers: &[usize],
    ) -> [Vec<usize>; 2] {
        let answers = std::mem::take(&mut self.answers);
        let ran = context.isolate(self.plan(numbers, goal), answers, &mut |_| {});
        context.tell(&RunEvent::Narrowed(&ran.figures));
        let (passing, failing) = ran.session.ends();
        self.answers = ran.session.into_answers();
        self.searches.push(ran.figures);
        [&passing, &failing].map(|end| Choice::numbers(end))
    }

    /// Finds words that are enough, each needed. First the difference that a single word makes is
    /// isolated, in log₂ tests at best; mostly this word is enough.
    fn find(&mut self, context: &RunContext<'_>) -> Vec<usize> {
        let all: Vec<usize> = (0..self.request.words.len()).collect();
        let [without, with] = self.run_search(context, Goal::Isolate, &all);
        let single: Vec<usize> = with.iter().copied().filter(|n| !without.contains(n)).collect();
        if with.len() <= 1 || context.stopped().is_some() {
            return with;
        }
        let is_pair = matches!(single[..], [a, b] if self.request.pairs.contains(&(a, b)));
        if single.len() == 1 || is_pair {
            let alone = Choice::text(single.iter().copied());
            let Some(outcome) = context.probe(&alone) else { return with };
            self.single_tests += 1;
            self.answers.insert(&alone, outcome);
            if outcome == Outcome::Fail {
                return single;
            }
        }
        let [_, needed] = self.run_search(context, Goal::Minimize(Algorithm::default()), &with);
        needed
    }
}

impl Investigation for WordsRun<'_> {
    type Outcome = OptionsOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        Endpoints {
            failing: &self.all,
            failing_name: "the command with all these words".to_owned(),
            passing: b"",
            passing_name: "the command without these words".to_owned(),
            may_be_unresolved: true,
            ..Endpoints::default()
        }
    }

    fn facts(&self, _languages: &Languages) -> Fingerprint {
        fingerprint::named([("the words", format!("{:?}", self.request.words))])
    }

    fn places(&self) -> Places {
        Places { journal_beside: self.request.output.clone(), ..Places::default() }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        self.answers = context.answers.clone();
        self.needed = self.find(context);
        context.tell(&RunEvent::WordsFound { set: &self.needed, words: &self.request.words });
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        Choice::text(self.needed.iter().copied())
    }

    fn confirm_results(&mut self, context: &RunContext<'_>) -> Result<Option<FlakyResult>, Error> {
        Ok(does_not_reproduce(context, &self.result()).then(FlakyResult::default))
    }

    fn verify(&self, context: &RunContext<'_>) -> Result<Verified, Error> {
        let goal = Goal::Minimize(Algorithm::default());
        context.verify_isolation(self.plan(&self.needed, goal), self.result().len())
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> OptionsOutcome {
        OptionsOutcome {
            baseline,
            words: self.request.words,
            needed: self.needed,
            single_tests: self.single_tests,
            searches: self.searches,
            stopped,
        }
    }

    fn over(outcome: &OptionsOutcome) -> Over<'_> {
        Over::Options(outcome)
    }
}
