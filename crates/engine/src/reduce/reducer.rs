//! Decides a reduction: rounds of passes, then the sweep.
//!
//! In a *round* each pass has its turn: it proposes edits, a search asks about subsets of them, and
//! the smallest candidate that fails becomes the current text. Rounds follow each other until one
//! wins nothing. Then *pumps* make the text larger, each on trial: unless something smaller comes
//! of it, the state before is restored. The *sweep* tries every single edit once more on the final
//! text. If one works, the rounds begin again; if none does, the refusals are the certificate.
//! Proposers, if there are any, are asked after the sweep.
//!
//! A deterministic machine from answers to questions: it must not know jobs, time, or who runs
//! tests.

use std::collections::HashSet;
use std::sync::Arc;

use minirepro_passes::{Attribute, PROPOSE, Pass, PassContext, Plan as Searched, Proposal};
use minirepro_search::{Outcome, Search};
use minirepro_syntax::{NodeId, Rendered, Role};

use crate::reduce::advisers::{Advisers, Asked};
use crate::reduce::config::{ReducerConfig, is_large};
use crate::reduce::current::Current;
use crate::reduce::demand::DemandSearch;
use crate::reduce::pace::Pace;
use crate::reduce::pass_run::{PassRun, search_of};
use crate::reduce::rounds::{Phase, Rounds, Turn};
use crate::reduce::sizes::{ANSWERS_PER_PROPOSAL, ANSWERS_PER_TRIAL};
use crate::schedule::answer_memory::{Answers, Key};
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Question};
use crate::schedule::scheduler::Scheduler;
use crate::{AnswerSource, Certificate, EditKind, Event, Plan, Said, StopReason, Summary, Whom};

/// A reduction under way.
#[derive(Clone)]
pub struct Reducer {
    config: Arc<ReducerConfig>,
    /// The text that edits are made of.
    current: Arc<Current>,
    /// The best result so far.
    best: Arc<[u8]>,
    /// Whose turn it is.
    rounds: Rounds,
    /// The proposal that is being searched.
    run: Option<PassRun>,
    /// The state to restore, if a larger text is being tried.
    trial: Option<Trial>,
    /// Who is asked something else.
    advisers: Advisers,
    sweep: Sweep,
}

/// A session that reduces an input. [Poll](crate::Session::poll) it, run the tests that it starts,
/// report their outcomes.
pub type ReductionSession = Scheduler<Reducer>;

impl Scheduler<Reducer> {
    /// Returns a session that reduces the plan's input, which is known to fail. Parses the input.
    pub fn new(plan: Plan) -> Self {
        Self::of(Reducer::new(plan), Answers::default())
    }

    /// Returns a session that only tries every single edit of `result`, to which an earlier session
    /// has reduced the plan's input, with answers that are known already. It ends with a
    /// certificate, or stops at the first edit that fails.
    pub fn verify(plan: Plan, result: Arc<[u8]>, known: Answers) -> Self {
        Self::of(Reducer::verify(plan, result), known)
    }

    fn of(reducer: Reducer, answers: Answers) -> Self {
        let (tokens, bytes) = (reducer.current.tokens, reducer.best.len() as u64);
        let (tokens, bytes) = ((tokens, tokens), (bytes, bytes));
        let summary = Summary { tokens, bytes, ..Summary::default() };
        let Plan { jobs, budget, .. } = reducer.config.plan.clone();
        Self::with(reducer, summary, jobs, budget, answers)
    }

    /// Returns the best result so far.
    pub fn best(&self) -> Arc<[u8]> {
        Arc::clone(&self.decider().best)
    }
}

/// A larger text that is tried out, and the state to restore if nothing smaller comes of it.
#[derive(Clone)]
struct Trial {
    /// The best result, which must be beaten.
    before: Arc<Current>,
    /// The items that had been refused.
    refused: Arc<HashSet<u64>>,
    /// Where in the order of passes the reducer was.
    turn: Turn,
    /// The number of answers within which something smaller must be found.
    answers_left: u32,
}

/// What the sweep over all single edits has shown.
#[derive(Clone, Default)]
struct Sweep {
    certificate: Certificate,
    /// Whether only the sweep is wanted.
    verifies: bool,
    /// Whether it tries what a pass has not yet tried: the certificate does not hold that.
    tries_new: bool,
}

impl Decider for Reducer {
    fn advance(&mut self, events: &mut Vec<DeciderEvent>) -> Advance {
        if let Some(run) = &self.run
            && let Some(candidate) = &run.pending
        {
            return Advance::Asks(Question {
                pass: run.pass.name,
                candidate: Arc::clone(&candidate.text),
                key: Key::of_tokens(candidate, self.rounds.is_sweep()),
            });
        }
        if let Some(asked) = &self.advisers.asked {
            return Advance::Consults(Arc::clone(&asked.consultation));
        }
        if self.trial.as_ref().is_some_and(|trial| trial.answers_left == 0) {
            self.roll_back(events);
        }
        if self.run.is_none() && self.rounds.turn.phase == Phase::Done {
            return Advance::Done(Some(self.sweep.certificate.clone()));
        }
        self.step(events);
        Advance::Moved
    }

    fn tell(&mut self, outcome: Outcome, events: &mut Vec<DeciderEvent>) {
        let run = self.run.as_mut().expect("questions come from a run");
        let mut candidate = run.pending.take().expect("a question was asked");
        if outcome == Outcome::Fail {
            match self.read_again(candidate, events) {
                Some(read) => candidate = read,
                None => return,
            }
            self.accept(&candidate, events);
        }
        let run = self.run.as_mut().expect("questions come from a run");
        if let Some(trial) = &mut self.trial {
            trial.answers_left = trial.answers_left.saturating_sub(1);
        }
        self.advisers.stall.count(run.accepted().map_or(self.current.tokens, |text| text.tokens));
        let is_adopted = run.is_pump() && outcome == Outcome::Fail;
        run.tell(outcome, Some(&candidate));
        if outcome != Outcome::Fail && self.certifies() {
            self.sweep.certificate.refused += 1;
            self.sweep.certificate.unresolved += u64::from(outcome == Outcome::Unresolved);
        }
        if is_adopted {
            self.adopt();
        }
    }

    fn hear(&mut self, said: Said) {
        let Some(Asked { consultation, candidate }) = self.advisers.asked.take() else { return };
        if let Whom::Proposer(_) = consultation.whom {
            self.advisers.hear(consultation.whom, said);
        } else if let (Some(run), Some(candidate)) = (&mut self.run, candidate)
            && !run.demands().is_some_and(|search| search.hear(&said, &candidate))
        {
            self.advisers.lost.push(consultation.whom);
        }
    }

    fn bytes_to_read(&self) -> usize {
        match &self.run {
            Some(run) if run.pending.is_some() || run.ask().is_some() => 0,
            Some(run) => run.accepted().map_or(0, |accepted| accepted.text.len()),
            None => self.current.text.len(),
        }
    }

    fn sweeps(&self) -> Option<bool> {
        Some(matches!(self.rounds.turn.phase, Phase::Sweep | Phase::Proposals | Phase::Done))
    }
}

impl Reducer {
    /// Returns a reducer of the plan's input, which is known to fail.
    fn new(plan: Plan) -> Self {
        let current =
            Arc::new(Current::new(&plan.language, plan.language.parser.parse(&plan.input)));
        let is_binary = plan.language.roles.is_played(Role::Byte);
        Self {
            best: Arc::clone(&plan.input),
            rounds: Rounds::new(Pace::new(current.tokens, is_binary)),
            run: None,
            trial: None,
            advisers: Advisers::new(current.tokens, plan.is_informed),
            sweep: Sweep::default(),
            current,
            config: Arc::new(ReducerConfig::new(plan)),
        }
    }

    /// Returns a reducer that only tries every single edit of `result`, to which an earlier one has
    /// reduced the plan's input. It stops at the first edit that fails.
    fn verify(plan: Plan, result: Arc<[u8]>) -> Self {
        let mut reducer = Self::new(plan);
        let parser = &reducer.config.language.parser;
        let tree = parser.parse_after(&reducer.current.tree, &result);
        let current = reducer.current.followed_by(tree);
        reducer.best = result;
        reducer.current = Arc::new(current);
        reducer.rounds.turn = Turn::of(Phase::Sweep);
        reducer.sweep.verifies = true;
        reducer
    }

    /// Returns whether a refusal is part of the certificate now.
    fn certifies(&self) -> bool {
        self.rounds.is_sweep() && !self.sweep.tries_new
    }

    /// Makes a step of the current proposal, or starts the next one.
    fn step(&mut self, events: &mut Vec<DeciderEvent>) {
        let Some(run) = &mut self.run else {
            self.next_run(events);
            return;
        };
        let Some(kept) = run.ask() else {
            self.finish_run();
            return;
        };
        if let Some((whom, candidate)) = run.listens(&kept) {
            let text = Arc::clone(&candidate.text);
            self.advisers.ask(whom, &self.config.language.name, text, Some(candidate));
            return;
        }
        match run.candidate(&kept) {
            Ok(candidate) => run.pending = Some(candidate),
            Err(how) => self.refuse(how, events),
        }
    }

    /// Answers the question of the run without the oracle: its candidate is too large, or
    /// infeasible.
    fn refuse(&mut self, how: AnswerSource, events: &mut Vec<DeciderEvent>) {
        let run = self.run.as_mut().expect("questions come from a run");
        let is_too_large = how == AnswerSource::NotSmaller;
        let outcome = if is_too_large { Outcome::Pass } else { Outcome::Unresolved };
        events.push(DeciderEvent::Untested { pass: run.pass.name, outcome, how });
        run.tell(outcome, None);
    }

    /// Starts the next proposal, or moves on in the order of passes.
    fn next_run(&mut self, events: &mut Vec<DeciderEvent>) {
        if self.rounds.turn.phase == Phase::Proposals {
            self.next_proposal(events);
            return;
        }
        let Some(pass) = self.rounds.pass(&self.config, self.current.tokens) else {
            self.next_phase(events);
            return;
        };
        // It has its turn where the others win little.
        if pass.is(Attribute::Demanded) {
            self.rounds.step();
            return;
        }
        if self.begin_demand(events) {
            return;
        }
        self.rounds.pace.begin_turn(pass.name, self.current.tokens);
        let is_sweep = self.rounds.is_sweep();
        if pass.is(Attribute::Last) {
            let comes_again = self.rounds.turn.won && !self.sweep.tries_new;
            if !is_sweep || comes_again {
                self.rounds.step();
                return;
            }
            // One success leads to the next before the sweep begins again.
            self.sweep.tries_new = !self.sweep.verifies;
            let new = self.sweep.tries_new.then(|| self.propose(pass, false)).flatten();
            if let Some(new) = new {
                self.begin(pass, new, None, events);
                return;
            }
            self.sweep.tries_new = false;
        }
        let proposal = self.propose(pass, false);
        if is_sweep && pass.certifies() {
            let count = proposal.as_ref().map_or(0, |proposal| proposal.items.len());
            let kind = EditKind { name: pass.name, edits: pass.edits, count };
            self.sweep.certificate.edit_kinds.push(kind);
        }
        if is_sweep || proposal.is_none() {
            self.rounds.step();
        }
        if let Some(mut proposal) = proposal {
            if is_sweep {
                proposal.plan = Searched::EACH;
            }
            self.begin(pass, proposal, None, events);
        }
    }

    /// Begins to keep only what an informant demands, if the last tests of a round have won little.
    fn begin_demand(&mut self, events: &mut Vec<DeciderEvent>) -> bool {
        if self.rounds.turn.phase != Phase::Round || self.trial.is_some() {
            return false;
        }
        let Some(surveys) = self.advisers.are_due(self.current.tokens) else { return false };
        let pass = self.config.passes.iter().copied().find(|pass| pass.is(Attribute::Demanded));
        // A compiler may say more of what was kept before.
        let proposal = pass.and_then(|pass| Some((pass, self.propose(pass, surveys)?)));
        let Some((pass, proposal)) = proposal else { return false };
        let search = DemandSearch::new(&proposal, &self.current.tree, surveys);
        self.begin(pass, proposal, Some(Box::new(search)), events);
        true
    }

    /// Enters the phase that follows this one.
    fn next_phase(&mut self, events: &mut Vec<DeciderEvent>) {
        let tokens = self.current.tokens;
        let Turn { phase, won, .. } = self.rounds.turn;
        if phase == Phase::Round {
            self.rounds.pace.end_round(tokens);
        }
        let next = match phase {
            Phase::Round if won => Phase::Round,
            // The larger text led to nothing smaller: back to where it was made.
            Phase::Round if self.trial.is_some() => return self.roll_back(events),
            Phase::Round => Phase::Pumps,
            Phase::Pumps => Phase::Sweep,
            Phase::Sweep if self.sweep.verifies => Phase::Done,
            // The certificate is for the final result only: reduce again, then sweep again.
            Phase::Sweep if won => Phase::Round,
            Phase::Sweep if self.config.plan.proposers > 0 => Phase::Proposals,
            Phase::Sweep | Phase::Proposals | Phase::Done => Phase::Done,
        };
        if next == Phase::Sweep {
            self.sweep.certificate = Certificate::default();
        }
        self.rounds.enter(next, tokens);
    }

    /// Tries the next candidate of a proposer, or asks one.
    fn next_proposal(&mut self, events: &mut Vec<DeciderEvent>) {
        let ReducerConfig { language, plan, .. } = &*self.config;
        let text = self.current.tree.text();
        match self.advisers.next_proposal(plan.proposers, &language.name, text) {
            Some(candidate) => {
                let begins = Event::Pass { name: PROPOSE.name, edits: 1 };
                events.push(DeciderEvent::Other(begins));
                self.run = Some(PassRun::of_proposal(&self.config, &self.current, &candidate));
            }
            None if self.advisers.asked.is_some() => {}
            None => self.next_phase(events),
        }
    }

    /// Begins to search a proposal, as it plans unless it is given a search.
    fn begin(
        &mut self,
        pass: Pass,
        proposal: Proposal,
        search: Option<Box<dyn Search>>,
        events: &mut Vec<DeciderEvent>,
    ) {
        let Self { current, rounds, config, .. } = self;
        let begins = Event::Pass { name: pass.name, edits: proposal.items.len() };
        events.push(DeciderEvent::Other(begins));
        // A pass with large edits may win little and let others win much.
        let mut small = config.passes.iter().skip_while(|pass| !pass.is(Attribute::EndsLarge));
        let is_small = small.any(|small| small.name == pass.name);
        let is_sweep = rounds.is_sweep();
        let demand = rounds.pace.demand(&pass, proposal.plan, is_small, is_sweep, current.tokens);
        let search = search.unwrap_or_else(|| search_of(&proposal, config.plan.algorithm));
        let mut run = PassRun::new(config, current, pass, proposal, search);
        run.demand = demand;
        self.run = Some(run);
    }

    /// Asks a pass for a proposal, without the items that are too fine or take away text that must
    /// be preserved; `anew` with those that were refused. `None` if nothing new is left.
    fn propose(&mut self, pass: Pass, anew: bool) -> Option<Proposal> {
        let certifies = self.certifies();
        loop {
            let ReducerConfig { language, plan, preserved, .. } = &*self.config;
            let tree = &self.current.tree;
            let none = HashSet::new();
            let refused = if anew { &none } else { &*self.rounds.refused };
            let context = self.current.context(language, pass.gate, refused);
            let context = context.proposing_again(certifies);
            let mut proposal = pass.propose(&context)?;
            let mut excluded = plan.scope.granularity.exclude(&mut proposal, tree, language);
            excluded.extend(preserved.exclude(&mut proposal, tree));
            let keys = context.fingerprints(&excluded);
            // They count as refused, so that the pass goes on to something else.
            let all_known = certifies || self.rounds.refuse(keys);
            if all_known || !proposal.items.is_empty() {
                return Some(proposal).filter(|proposal| !proposal.items.is_empty());
            }
        }
    }

    /// Returns what the pass of a run may depend on.
    fn context(&self, run: &PassRun) -> PassContext<'_> {
        let Self { current, rounds, config, .. } = self;
        current.context(&config.language, run.pass.gate, &rounds.refused)
    }

    /// Goes on from the larger candidate that was just accepted: something must come of it that is
    /// smaller than the current text.
    fn adopt(&mut self) {
        let Some(run) = &self.run else { return };
        // Its items are asked about one after the other.
        let told = self.context(run).fingerprints(run.told());
        self.rounds.refuse(told);
        self.trial = Some(Trial {
            before: Arc::clone(&self.current),
            refused: Arc::clone(&self.rounds.refused),
            turn: self.rounds.turn,
            answers_left: match self.rounds.turn.phase {
                Phase::Proposals => ANSWERS_PER_PROPOSAL,
                _ => ANSWERS_PER_TRIAL,
            },
        });
        self.rounds.turn = Turn::of(Phase::Round);
        self.commit();
    }

    /// Restores the state before the trial began.
    fn roll_back(&mut self, events: &mut Vec<DeciderEvent>) {
        let Some(trial) = self.trial.take() else { return };
        events.push(DeciderEvent::Other(Event::RolledBack));
        self.current = trial.before;
        self.rounds.refused = trial.refused;
        self.rounds.turn = trial.turn;
        self.run = None;
    }

    /// Ends the current proposal: the accepted candidate becomes the current text, the other items
    /// count as refused.
    fn finish_run(&mut self) {
        let Some(run) = &self.run else { return };
        let context = self.context(run);
        let refused = context.fingerprints(run.refused());
        self.rounds.refuse(refused);
        self.rounds.pace.end_proposal(run.demand);
        if run.has_given_up() {
            self.rounds.step();
        }
        if let Some(accepted) = run.accepted() {
            if run.is_survey() {
                self.advisers.stall.win_by_survey(accepted.tokens);
            }
            self.rounds.turn.won = true;
        }
        self.commit();
    }

    /// Makes the accepted candidate the current text.
    fn commit(&mut self) {
        let Some(mut run) = self.run.take() else { return };
        let Some(accepted) = run.accepted() else { return };
        let language = &self.config.language;
        self.trial.take_if(|trial| trial.before.is_clearly_beaten_by(language, accepted));
        let text = Arc::clone(&accepted.text);
        let read = run.read.take();
        drop(run);
        let tree = match read.filter(|read| **read.text() == *text) {
            Some(tree) => Arc::unwrap_or_clone(tree),
            None => language.parser.parse_after(&self.current.tree, &text),
        };
        self.current = Arc::new(self.current.followed_by(tree));
    }

    /// Reads a candidate that fails, with its tokens as its own tree has them. `None` if it is
    /// refused after all.
    fn read_again(
        &mut self,
        candidate: Arc<Rendered>,
        events: &mut Vec<DeciderEvent>,
    ) -> Option<Arc<Rendered>> {
        let run = self.run.as_mut().expect("questions come from a run");
        let (current, language) = (&self.current, &self.config.language);
        let read = || language.parser.parse_after(&current.tree, &candidate.text);
        let tree = (!is_large(&candidate)).then(read);
        if self.config.reads_later(&candidate) && !run.reads_well(&candidate, tree.as_ref()) {
            self.refuse(AnswerSource::Infeasible, events);
            return None;
        }
        // The tokens of large candidates are those of the leaves that stay.
        let Some(tree) = tree else { return Some(candidate) };
        let tokens = tree.tokens(NodeId::ROOT).into();
        let candidate = match tokens == candidate.tokens {
            true => candidate,
            false => Arc::new(Rendered { tokens, ..(*candidate).clone() }),
        };
        run.read = Some(Arc::new(tree));
        if run.is_worth_it(&candidate) {
            return Some(candidate);
        }
        self.refuse(AnswerSource::NotSmaller, events);
        self.sweep.certificate.larger += u64::from(self.certifies());
        None
    }

    /// Notes a candidate that fails: as the best result, or as one to go on from.
    fn accept(&mut self, candidate: &Arc<Rendered>, events: &mut Vec<DeciderEvent>) {
        let run = self.run.as_ref().expect("questions come from a run");
        let (pass, language) = (run.pass.name, &self.config.language);
        if !run.is_best(candidate) {
            return;
        }
        let is_best = match &self.trial {
            Some(trial) => trial.before.is_clearly_beaten_by(language, candidate),
            None if run.is_pump() => self.current.is_clearly_beaten_by(language, candidate),
            None => self.current.is_beaten_by(language, candidate),
        };
        if !is_best {
            events.push(DeciderEvent::Other(Event::Adopted { pass }));
            return;
        }
        self.best = Arc::clone(&candidate.text);
        events.push(DeciderEvent::Accepted { pass, candidate: Arc::clone(candidate) });
        if self.sweep.verifies {
            events.push(DeciderEvent::Stop(StopReason::StillReducible));
        }
    }
}
