//! Reductions of a log to the records that a failure needs, and isolations of records.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::{Log, Reading, Records};
use minirepro_engine::{
    Answers, Event, Goal, IsolationPlan, Outcome, Search as SearchAlgorithm, StopReason,
};
use minirepro_runner::Fingerprint;

use crate::error::{BadRequest, Error};
use crate::fingerprint;
use crate::observer::{NoMoreCauses, Over, RunEvent};
use crate::outcome::{BaselineFacts, Cause, CauseSize, LogOutcome, ReducedLog, Verified};
use crate::paths;
use crate::request::log::LogReduction;
use crate::request::settings::{Causes, Settings};
use crate::run::causes::{self, CauseSearch, Found};
use crate::run::context::RunContext;
use crate::run::endpoints::{Endpoints, Passing};
use crate::run::investigation::{Investigation, runs};
use crate::run::places::Places;
use crate::run::result_file::ResultFile;

runs!(
    LogReduction as LogRun: LogOutcome,
    "Makes the log small. The test is a closure, a [`Script`](crate::Script) or a [`Command`](crate::Command)."
);

/// A reduction of a log under way.
struct LogRun {
    input: Arc<[u8]>,
    file: PathBuf,
    log: Arc<Log>,
    /// The log without all that can go.
    least: Arc<[u8]>,
    reading: Reading,
    goal: Goal,
    causes: Causes,
    output: Option<PathBuf>,
    time_limit: String,
    /// Records of the causes found, which are left out from now on.
    without: Vec<usize>,
    /// What is known of candidates.
    answers: Option<Answers>,
    done: Vec<Done>,
    error: Option<Error>,
    smallest: Option<usize>,
}

/// A search that is over.
struct Done {
    /// The records that could go and are needed.
    kept: Vec<usize>,
    /// The side that passes.
    passing: Arc<[u8]>,
    /// The side that fails.
    failing: Arc<[u8]>,
    reduced: ReducedLog,
}

impl LogRun {
    fn new(request: LogReduction<'_>) -> Result<(Self, Settings<'_>), Error> {
        let LogReduction { input, file, reading, isolate, causes, output, settings } = request;
        let log = Arc::new(Log::new(Arc::clone(&input), &reading));
        let (records, removable) = log.counts();
        if removable == 0 {
            let name = file.display().to_string();
            return Err(BadRequest::NoRemovableRecords { name, records }.into());
        }
        let goal = if isolate { Goal::Isolate } else { Goal::Minimize(SearchAlgorithm::default()) };
        let run = Self {
            least: log.with(&[]).into(),
            input,
            file,
            log,
            reading,
            goal,
            causes,
            output,
            time_limit: format!("{:?}", settings.limits.time),
            without: Vec::new(),
            answers: None,
            done: Vec::new(),
            error: None,
            smallest: None,
        };
        Ok((run, settings))
    }

    fn plan(&self, without: &[usize]) -> (IsolationPlan, Arc<[u8]>) {
        let records = Records::new(Arc::clone(&self.log), without);
        let failing: Arc<[u8]> = self.log.with(&records.all()).into();
        let ends = (Arc::clone(&self.least), Arc::clone(&failing));
        (IsolationPlan::new(Arc::new(records), ends, self.goal), failing)
    }
}

impl Investigation for LogRun {
    type Outcome = LogOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        Endpoints {
            failing: &self.input,
            original: None,
            failing_name: self.file.display().to_string(),
            passing: Passing::Given {
                is_nothing: false,
                candidate: &self.least,
                name: "the log without what can go".to_owned(),
                may_be_unresolved: self.goal != Goal::Isolate,
                are_rewritten: false,
            },
        }
    }

    fn facts(&self) -> Fingerprint {
        fingerprint::named([
            ("the records", format!("{:?}", self.reading)),
            ("what is wanted", format!("{:?}", self.goal)),
            ("the time limit", self.time_limit.clone()),
            ("the causes", format!("{:?}", self.causes)),
        ])
    }

    fn places(&self) -> Places {
        let passing = self.output.as_deref().filter(|_| self.goal == Goal::Isolate);
        let passing = passing.map(|output| paths::with_word(output, "pass"));
        Places {
            file: self.file.clone(),
            sources: vec![self.file.clone()],
            results: self.output.iter().cloned().chain(passing).collect(),
            are_directories: false,
            journal_beside: self.output.clone(),
            finds: self.output.as_deref().map(paths::finds_beside),
            of_further_causes: (self.causes != Causes::First).then_some(paths::numbered),
        }
    }

    fn announce(&self, context: &RunContext<'_>) {
        let (records, removable) = self.log.counts();
        context.tell(&RunEvent::LogRead { records, removable, pairs: self.log.pairs() });
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        self.answers = Some(context.answers.clone());
        let causes = self.causes;
        let found = causes::find(context, causes != Causes::First, self)?;
        self.smallest = causes::settle(context, &found, causes)?;
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        self.done.iter().flat_map(|done| done.failing.iter().copied()).collect()
    }

    fn failing_results(&self) -> Vec<Arc<[u8]>> {
        self.done.iter().map(|done| Arc::clone(&done.failing)).collect()
    }

    fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let start = Instant::now();
        let mut bytes = 0;
        for done in &self.done {
            let plan = if self.goal == Goal::Isolate {
                let ends = (Arc::clone(&done.passing), Arc::clone(&done.failing));
                let log = Arc::clone(&self.log);
                let records = Records::between(log, &done.passing, &done.kept);
                let records = records.expect("searches only leave records out");
                IsolationPlan::new(Arc::new(records), ends, self.goal)
            } else {
                let all = Records::new(Arc::clone(&self.log), &[]).all();
                let others: Vec<usize> =
                    all.into_iter().filter(|at| !done.kept.contains(at)).collect();
                self.plan(&others).0
            };
            context.verify_isolation(plan, name)?;
            bytes += done.failing.len() as u64;
        }
        Ok(Verified::new(name, bytes, context.tests(), start))
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> LogOutcome {
        let mut results: Vec<ReducedLog> = self.done.into_iter().map(|done| done.reduced).collect();
        if let Some(at) = self.smallest {
            causes::keep_only(&mut results, at, |result| &mut result.path);
        }
        LogOutcome { baseline, results, stopped }
    }

    fn over(outcome: &LogOutcome) -> Over<'_> {
        Over::Log(outcome)
    }
}

impl CauseSearch for LogRun {
    fn find(&mut self, context: &RunContext<'_>, nth: usize) -> Result<Found, Error> {
        let (plan, start) = self.plan(&self.without);
        let path = self.output.as_ref().filter(|_| context.writes_results());
        let path = path.map(|output| paths::numbered(output, nth));
        let file = match &path {
            Some(path) => Some(ResultFile::new(path, &self.file, &start, context.continues)?),
            None => None,
        };
        let answers = self.answers.take().unwrap_or_default();
        let ran = context.isolate(plan, answers, &mut |event| {
            if let (Event::Narrowed { failing, .. }, Some(file)) = (event, &file) {
                file.offer(failing);
            }
        });
        let kept = ran.session.members().to_vec();
        let (passing, failing) = ran.session.ends();
        self.answers = Some(ran.session.into_answers());
        let mut passing_path = None;
        let mut passing_file = None;
        if let (Some(path), Goal::Isolate) = (&path, self.goal) {
            let other = paths::with_word(path, "pass");
            passing_file = Some(ResultFile::new(&other, &self.file, &passing, false)?);
            passing_path = Some(other);
        }
        for (file, text) in [(file, &failing), (passing_file, &passing)] {
            if let Some(Err(error)) = file.map(|file| file.finish(text, context)) {
                self.error = Some(error);
            }
        }
        let reduced = ReducedLog {
            text: Arc::clone(&failing),
            passing: (self.goal == Goal::Isolate).then(|| Arc::clone(&passing)),
            kept: kept.len(),
            path: path.clone(),
            passing_path,
            figures: ran.figures,
        };
        context.tell(&RunEvent::LogReduced(&reduced));
        let cause = Cause {
            paths: path.into_iter().collect(),
            size: CauseSize::Records(kept.len() as u64),
        };
        let text = failing.to_vec();
        self.without.extend(&kept);
        self.done.push(Done { kept, passing, failing, reduced });
        Ok(Found { cause, text })
    }

    fn rest(&mut self) -> Result<Vec<u8>, NoMoreCauses> {
        if self.done.last().is_none_or(|done| done.kept.is_empty()) {
            return Err(NoMoreCauses::FailureGone { found: self.without.len() });
        }
        let rest = Records::new(Arc::clone(&self.log), &self.without).all();
        Ok(self.log.with(&rest))
    }

    fn refused(&mut self, _outcome: Outcome) -> NoMoreCauses {
        NoMoreCauses::FailureGone { found: self.without.len() }
    }
}
