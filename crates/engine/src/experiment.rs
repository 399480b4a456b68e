//! A session over circumstances of any kind, level by level: isolates the difference between a
//! candidate that passes and one that fails (dd), or minimises the failing one.
//!
//! Decides as one worker would; with several jobs, idle workers get questions that may come next.
//! Must not know what the circumstances are, nor how a candidate is tested.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use minirepro_circumstances::Circumstances;
use minirepro_search::{Configuration, Outcome};
use xxhash_rust::xxh3::xxh3_128;

use crate::findings::{Findings, LevelStats};
use crate::quest::{Future, Quest};
use crate::session::take_jobs;
use crate::{Answered, Budget, Event, Goal, JobId, Report, Session, Step};

/// What an experiment is asked to do.
#[derive(Clone)]
pub struct Trial {
    /// Coarse circumstances, which may know finer ones.
    pub circumstances: Arc<dyn Circumstances>,
    /// The candidate at one end; known to pass, unless it is just the least that there can be.
    pub passing: Arc<[u8]>,
    /// The candidate at the other end; known to fail.
    pub failing: Arc<[u8]>,
    /// What to look for.
    pub goal: Goal,
    /// Whether «fails» and «passes» change places: to find out what keeps a failure away.
    pub inverted: bool,
    /// How many tests may run at the same time. Never changes the result or what is told.
    pub jobs: usize,
    /// When to stop early.
    pub budget: Budget,
}

impl Trial {
    /// One job and no budget.
    pub fn new(
        circumstances: Arc<dyn Circumstances>,
        (passing, failing): (Arc<[u8]>, Arc<[u8]>),
        goal: Goal,
    ) -> Self {
        let (inverted, jobs, budget) = (false, 1, Budget::default());
        Self { circumstances, passing, failing, goal, inverted, jobs, budget }
    }
}

/// Outcomes by the hash of the candidate, as the oracle gave them.
#[derive(Clone, Debug, Default)]
pub struct Answers(HashMap<u128, Outcome>);

impl Answers {
    /// Adds what is known about a candidate.
    pub fn insert(&mut self, candidate: &[u8], outcome: Outcome) {
        self.0.insert(xxh3_128(candidate), outcome);
    }
}

/// An experiment under way. Poll it, run what it starts, report outcomes.
pub struct Experiment {
    trial: Trial,
    /// The level that comes next.
    next: Option<Arc<dyn Circumstances>>,
    open: Option<Open>,
    passing: Arc<[u8]>,
    failing: Arc<[u8]>,
    memory: Answers,
    told: HashSet<u128>,
    /// Tests under way: what they test, and how often an end had moved, or was guessed to have,
    /// when they were started.
    running: HashMap<JobId, (u128, u64)>,
    moves: u64,
    /// The tests whose answers the search waits for.
    pending: Option<u128>,
    next_job: u64,
    /// What the failing end is made of, as of the last level that ended.
    members: Vec<usize>,
    events: Vec<Event>,
    findings: Findings,
    started_at: Option<Duration>,
    over: bool,
}

/// The level that is being searched.
struct Open {
    stats: LevelStats,
    circumstances: Arc<dyn Circumstances>,
    quest: Quest,
    /// The question, made into a candidate.
    question: Option<Arc<[u8]>>,
    /// Bytes of candidates that the grammar looked at in vain.
    refused: usize,
}

/// After so many bytes of infeasible candidates a level ends: grammars are free, not infinitely so.
const ENOUGH: usize = 64 << 20;

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Experiment").field("findings", &self.findings).finish_non_exhaustive()
    }
}

impl Experiment {
    /// An experiment that knows the answers of earlier ones with the same oracle.
    pub fn new(trial: Trial, memory: Answers) -> Self {
        let told = memory.0.keys().copied().collect();
        Self {
            passing: Arc::clone(&trial.passing),
            failing: Arc::clone(&trial.failing),
            next: Some(Arc::clone(&trial.circumstances)),
            open: None,
            memory,
            told,
            running: HashMap::new(),
            moves: 0,
            pending: None,
            next_job: 0,
            members: Vec::new(),
            events: Vec::new(),
            findings: Findings::default(),
            started_at: None,
            over: false,
            trial,
        }
    }

    /// The two candidates: for isolation the closest pair so far of one that passes and one that
    /// fails.
    pub fn ends(&self) -> (Arc<[u8]>, Arc<[u8]>) {
        (Arc::clone(&self.passing), Arc::clone(&self.failing))
    }

    /// The numbers of the single things that the failing end is made of, once the experiment is
    /// done; see [`Circumstances::members`].
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// The figures so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The answers, for the next experiment with the same oracle.
    pub fn into_answers(mut self) -> Answers {
        // Answers to guesses would let the figures of the next one depend on the number of jobs.
        self.memory.0.retain(|key, _| self.told.contains(key));
        self.memory
    }

    fn finish(&mut self) {
        self.over = true;
        self.events.push(Event::Done);
    }

    /// Opens the next level that has anything to ask; `false` behind the last one.
    fn next_level(&mut self) -> bool {
        while let Some(circumstances) = self.next.take() {
            let weights = circumstances.weights();
            let (name, all) = (circumstances.name(), weights.len());
            let quest = Quest::new(self.trial.goal, &weights);
            if quest.ask().is_none() {
                self.members = circumstances.members(&Configuration::all(all));
                self.next =
                    circumstances.finer(&Configuration::none(all), &Configuration::all(all));
                continue;
            }
            self.events.push(Event::Pass { name, edits: all });
            let stats = LevelStats {
                name,
                circumstances: all,
                left: all,
                tests: 0,
                infeasible: 0,
                unresolved: 0,
                minimal: false,
            };
            self.open = Some(Open { stats, circumstances, quest, question: None, refused: 0 });
            return true;
        }
        false
    }

    /// Ends the level.
    fn close(&mut self, minimal: bool) {
        let Some(Open { stats, quest, circumstances, .. }) = self.open.take() else { return };
        self.findings.levels.push(LevelStats { left: quest.left(), minimal, ..stats });
        let (passing, failing) = quest.ends();
        self.members = circumstances.members(&failing);
        self.next = circumstances.finer(&passing, &failing);
    }

    /// The candidate that the search asks about; infeasible ones are answered on the way. `None`
    /// when the level ended.
    fn question(&mut self) -> Option<Arc<[u8]>> {
        loop {
            let open = self.open.as_mut()?;
            if let Some(question) = &open.question {
                return Some(Arc::clone(question));
            }
            let size = self.failing.len().max(1);
            // What a search needs at most where nearly everything is refused.
            let enough = (4 * size * open.stats.circumstances).clamp(ENOUGH, 64 * ENOUGH);
            let Some(there) = open.quest.ask().filter(|_| open.refused < enough) else {
                let minimal = open.refused < enough;
                self.close(minimal);
                return None;
            };
            if let Some(candidate) = open.circumstances.candidate(&there) {
                open.question = Some(candidate.into());
                continue;
            }
            open.refused += size;
            open.stats.infeasible += 1;
            open.quest.tell(Outcome::Unresolved);
            self.findings.infeasible += 1;
            let (pass, how) = (open.stats.name, Answered::Infeasible);
            self.events.push(Event::Told { pass, outcome: Outcome::Unresolved, how });
        }
    }

    fn known(&self, key: u128) -> Option<Outcome> {
        Some(match *self.memory.0.get(&key)? {
            Outcome::Fail if self.trial.inverted => Outcome::Pass,
            Outcome::Pass if self.trial.inverted => Outcome::Fail,
            same => same,
        })
    }

    /// Tells the search the outcome of its question.
    fn answer(&mut self, candidate: &Arc<[u8]>, key: u128, outcome: Outcome) {
        let new = u64::from(self.told.insert(key));
        let Some(open) = self.open.as_mut() else { return };
        let how = if new > 0 { Answered::Tested } else { Answered::Remembered };
        self.findings.tests += new;
        self.findings.remembered += u64::from(new == 0);
        open.stats.tests += new;
        open.stats.unresolved += u64::from(new > 0 && outcome == Outcome::Unresolved);
        open.question = None;
        open.quest.tell(outcome);
        self.pending = None;
        let (pass, left) = (open.stats.name, open.quest.left());
        self.moves += u64::from(open.quest.is_moved_by(outcome));
        self.events.push(Event::Told { pass, outcome, how });
        match (outcome, self.trial.goal) {
            (Outcome::Fail, _) => self.failing = Arc::clone(candidate),
            (Outcome::Pass, Goal::Isolate) => self.passing = Arc::clone(candidate),
            _ => return,
        }
        let (passing, failing) = self.ends();
        self.events.push(Event::Narrowed { left, passing, failing });
    }

    fn is_running(&self, key: u128) -> bool {
        self.running.values().any(|&(other, _)| other == key)
    }

    fn start(&mut self, key: u128, candidate: Arc<[u8]>, moves: u64) -> Step {
        let id = JobId(self.next_job);
        self.next_job += 1;
        self.findings.started += 1;
        self.running.insert(id, (key, moves));
        Step::Start { id, candidate }
    }

    /// Starts the most probable question of this level that has no answer and no test yet.
    fn look_ahead(&mut self) -> Step {
        if self.running.len() >= self.trial.jobs.max(1) {
            return Step::Wait;
        }
        match self.likely_question() {
            Some((text, moves)) => self.start(xxh3_128(&text), text.into(), moves),
            None => Step::Wait,
        }
    }

    /// Looks at a few futures of the search, those with few guesses first; with the number of moves
    /// of the ends by then.
    fn likely_question(&self) -> Option<(Vec<u8>, u64)> {
        let open = self.open.as_ref()?;
        let now = Future { guesses: 0, moves: self.moves, order: 0, quest: open.quest.clone() };
        let mut futures = BinaryHeap::from([now]);
        let mut order = 0;
        for _ in 0..4 * self.trial.jobs {
            let Future { guesses, moves, quest, .. } = futures.pop()?;
            let Some(there) = quest.ask() else { continue };
            let known = self.foreseen(&*open.circumstances, &there);
            let outcomes = match &known {
                Ok(outcome) => vec![*outcome],
                Err(text) if self.is_running(xxh3_128(text)) => {
                    vec![Outcome::Pass, Outcome::Fail]
                }
                Err(_) => return known.err().map(|text| (text, moves)),
            };
            for &outcome in &outcomes {
                order += 1;
                let mut quest = quest.clone();
                let moves = moves + u64::from(quest.is_moved_by(outcome));
                quest.tell(outcome);
                let guesses = guesses + outcomes.len() - 1;
                futures.push(Future { guesses, moves, order, quest });
            }
        }
        None
    }

    /// What the search will be told about a question, or the text that must be tested first.
    fn foreseen(
        &self,
        circumstances: &dyn Circumstances,
        there: &Configuration,
    ) -> Result<Outcome, Vec<u8>> {
        let Some(text) = circumstances.candidate(there) else { return Ok(Outcome::Unresolved) };
        self.known(xxh3_128(&text)).ok_or(text)
    }
}

impl Session for Experiment {
    fn poll(&mut self, now: Duration) -> Step {
        let begin = *self.started_at.get_or_insert(now);
        loop {
            if self.over {
                return Step::Done;
            }
            if self.open.is_none() && !self.next_level() {
                self.finish();
                return Step::Done;
            }
            let Some(candidate) = self.question() else { continue };
            let key = xxh3_128(&candidate);
            if let Some(outcome) = self.known(key) {
                self.answer(&candidate, key, outcome);
                continue;
            }
            self.pending = Some(key);
            if self.is_running(key) {
                return self.look_ahead();
            }
            let time = now.saturating_sub(begin);
            if let Some(why) = self.trial.budget.is_spent(self.findings.tests, time) {
                self.stop(why);
                continue;
            }
            if self.running.len() >= self.trial.jobs.max(1) {
                return Step::Wait;
            }
            return self.start(key, candidate, self.moves);
        }
    }

    fn report(&mut self, id: JobId, report: Report) {
        if let Some((key, _)) = self.running.remove(&id) {
            self.memory.0.insert(key, report.outcome);
        }
    }

    fn take_stale(&mut self) -> Vec<JobId> {
        take_jobs(&mut self.running, |&(key, moves)| {
            self.over || moves < self.moves && Some(key) != self.pending
        })
    }

    fn stop(&mut self, why: &str) {
        if !self.over {
            self.findings.stopped = Some(why.to_owned());
            self.close(false);
            self.finish();
        }
    }

    fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}
