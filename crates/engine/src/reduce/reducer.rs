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

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use minirepro_passes::{
    Attribute, PROPOSE, Pass, PassContext, Plan as Searched, Proposal, lessons,
};
use minirepro_search::Outcome;
use minirepro_syntax::{NodeId, Rendered, Role, Tree};

use crate::reduce::advisers::{Advisers, Asked};
use crate::reduce::config::{ReducerConfig, is_large};
use crate::reduce::current::Current;
use crate::reduce::demand::DemandSearch;
use crate::reduce::estimate::tests_left;
use crate::reduce::pace::Pace;
use crate::reduce::pass_run::{ItemSearch, PassRun};
use crate::reduce::rounds::{Next, Phase, Rounds, Situation, Turn};
use crate::reduce::sizes::{ANSWERS_PER_PROPOSAL, ANSWERS_PER_TRIAL};
use crate::reduce::sweep::Sweep;
use crate::reduce::trial::Trial;
use crate::schedule::answer_memory::{AnswerMemory, Answers, Key};
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Period, Question, Size, Traits};
use crate::schedule::scheduler::Scheduler;
use crate::{AnswerSource, EditKind, Plan, Said, StopReason, Whom};

/// A reduction under way.
#[derive(Clone)]
pub struct Reducer {
    config: Arc<ReducerConfig>,
    /// The text that edits are made of.
    current: Arc<Current>,
    best: Best,
    /// The tokens of the input.
    input_tokens: u64,
    /// The answers of the oracle or the memory so far.
    answers: u64,
    /// Whose turn it is.
    rounds: Rounds,
    /// The proposal that is being searched.
    run: Option<PassRun>,
    /// The candidate that waits for its answer.
    pending: Option<Arc<Rendered>>,
    /// The tree of the last candidate that failed.
    read: Option<Arc<Tree>>,
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
        let reducer = Reducer::new(ReducerConfig::new(&plan, false), &plan.input);
        Self::with(reducer, plan.jobs, plan.budget, AnswerMemory::default())
    }

    /// Returns a session that only tries every single edit of `result`, to which an earlier session
    /// has reduced the plan's input, with answers that are known already. It ends with a
    /// certificate, or stops at the first edit that fails.
    pub fn verify(plan: Plan, result: Arc<[u8]>, known: Answers) -> Self {
        let reducer = Reducer::verify(ReducerConfig::new(&plan, true), &plan.input, result);
        Self::with(reducer, plan.jobs, plan.budget, AnswerMemory::new(known))
    }

    /// Returns the best result so far.
    pub fn best(&self) -> Arc<[u8]> {
        Arc::clone(&self.decider.best.text)
    }
}

/// The best result so far.
#[derive(Clone, Debug)]
struct Best {
    tokens: u64,
    text: Arc<[u8]>,
}

impl Decider for Reducer {
    fn advance(&mut self, events: &mut Vec<DeciderEvent>) -> Advance {
        if let (Some(candidate), Some(run)) = (&self.pending, &self.run) {
            // They are for guesses, which nobody makes who waits for one cheap test.
            let edits = if self.config.is_guessed { run.undecided() } else { Arc::default() };
            return Advance::Asks(Question {
                pass: run.pass.name,
                candidate: Arc::clone(&candidate.text),
                key: Key::of_tokens(candidate, self.rounds.is_sweep()),
                rule: run.rule(),
                traits: self.traits(run, edits.len(), candidate),
                edits,
            });
        }
        if let Some(consultation) = self.advisers.asked() {
            return Advance::Consults(Arc::clone(consultation));
        }
        if self.trial.as_ref().is_some_and(|trial| trial.answers_left == 0) {
            self.roll_back(events);
        }
        if self.run.is_none() && self.rounds.turn.phase == Phase::Done {
            return Advance::Done((!self.sweep.is_cut).then(|| self.sweep.certificate.clone()));
        }
        self.step(events);
        Advance::Moved
    }

    fn tell(&mut self, outcome: Outcome, events: &mut Vec<DeciderEvent>) {
        let mut candidate = self.pending.take().expect("a question was asked");
        self.answers += 1;
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
        run.tell(&self.config.language, outcome, Some(&candidate));
        if outcome != Outcome::Fail && self.certifies() {
            self.sweep.refuse(outcome);
        }
        if is_adopted {
            self.adopt();
        }
    }

    fn hear(&mut self, said: Said) {
        let Some(Asked { consultation, candidate }) = self.advisers.take() else { return };
        if let Whom::Proposer(_) = consultation.whom {
            self.advisers.hear(consultation.whom, said);
        } else if let (Some(run), Some(candidate)) = (&mut self.run, candidate)
            && !run.demands().is_some_and(|search| search.hear(&said, &candidate))
        {
            self.advisers.lose(consultation.whom);
        }
    }

    /// Counts the items that were not tried as refused until the sweep.
    fn skip(&mut self) {
        self.pending = None;
        let was_sweep = self.rounds.is_sweep();
        self.finish_run();
        // In a sweep it is the turn of the next one already.
        if !self.rounds.is_sweep() {
            self.rounds.step();
        }
        self.sweep.is_cut |= was_sweep;
    }

    fn bytes_to_read(&self) -> usize {
        match &self.run {
            _ if self.pending.is_some() => 0,
            Some(run) if run.ask().is_some() => 0,
            Some(run) => run.accepted().map_or(0, |accepted| accepted.text.len()),
            None => self.current.text.len(),
        }
    }

    fn tests_left(&self) -> Option<u64> {
        let phase = self.rounds.turn.phase;
        let sweeps = matches!(phase, Phase::Sweep | Phase::Proposals | Phase::Done);
        Some(tests_left(self.input_tokens, self.best.tokens, self.answers, sweeps))
    }

    fn size(&self) -> Option<Size> {
        Some(Size { tokens: self.best.tokens, bytes: self.best.text.len() as u64 })
    }
}

impl Reducer {
    /// Returns a reducer of `input`, which is known to fail.
    fn new(config: ReducerConfig, input: &[u8]) -> Self {
        let current = Arc::new(Current::new(&config.language, input));
        let is_binary = config.language.roles.is_played(Role::Byte);
        Self {
            best: Best { tokens: current.tokens, text: input.into() },
            input_tokens: current.tokens,
            answers: 0,
            rounds: Rounds::new(Pace::new(current.tokens, is_binary)),
            run: None,
            pending: None,
            read: None,
            trial: None,
            advisers: Advisers::new(current.tokens, config.is_informed),
            sweep: Sweep::default(),
            current,
            config: Arc::new(config),
        }
    }

    /// Returns a reducer that only tries every single edit of `result`, to which an earlier one has
    /// reduced `input`. It stops at the first edit that fails.
    fn verify(config: ReducerConfig, input: &[u8], result: Arc<[u8]>) -> Self {
        let mut reducer = Self::new(config, input);
        let parser = &reducer.config.language.parser;
        let tree = parser.parse_after(&reducer.current.tree, &result);
        let current = reducer.current.followed_by(tree);
        reducer.best = Best { tokens: current.tokens, text: result };
        reducer.current = Arc::new(current);
        reducer.rounds.turn = Turn::of(Phase::Sweep);
        reducer.sweep.verifies = true;
        reducer
    }

    /// Returns the facts about a candidate that are known before its test.
    fn traits(&self, run: &PassRun, edits: usize, candidate: &Rendered) -> Traits {
        let period = match self.rounds.turn.phase {
            _ if self.trial.is_some() => Period::Pumps,
            Phase::Round if self.rounds.pace.rounds == 0 => Period::First,
            Phase::Round if self.rounds.pace.rounds == 1 => Period::Second,
            Phase::Round => Period::Later,
            Phase::Sweep => Period::Sweep,
            Phase::Pumps | Phase::Proposals | Phase::Done => Period::Pumps,
        };
        Traits {
            period,
            edits,
            of: run.items.len(),
            before: run.base_tokens().unwrap_or(self.current.tokens),
            after: candidate.tokens,
        }
    }

    /// Returns whether a refusal is part of the certificate now.
    fn certifies(&self) -> bool {
        self.rounds.is_sweep() && !self.sweep.tries_new
    }

    /// Makes a step of the current proposal, or starts the next one.
    fn step(&mut self, events: &mut Vec<DeciderEvent>) {
        let Some(run) = &self.run else {
            self.next_run(events);
            return;
        };
        let Some(kept) = run.ask() else {
            self.finish_run();
            return;
        };
        if let Some((whom, candidate)) = run.listens(&self.current, &self.config, &kept) {
            let text = Arc::clone(&candidate.text);
            self.advisers.ask(whom, &self.config.language.name, text, Some(candidate));
            return;
        }
        match run.candidate(&self.current, &self.config, &kept) {
            Ok(candidate) => self.pending = Some(candidate),
            Err(how) => self.refuse(how, events),
        }
    }

    /// Answers the question of the run without the oracle: its candidate is too large, or
    /// infeasible.
    fn refuse(&mut self, how: AnswerSource, events: &mut Vec<DeciderEvent>) {
        let run = self.run.as_mut().expect("questions come from a run");
        let is_too_large = how == AnswerSource::NotSmaller;
        let outcome = if is_too_large { Outcome::Pass } else { Outcome::Unresolved };
        events.push(DeciderEvent::Untested { pass: run.pass.name, how });
        run.tell(&self.config.language, outcome, None);
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
            self.sweep.certify(EditKind { name: pass.name, edits: pass.edits, count });
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
        self.begin(pass, proposal, Some(ItemSearch::Demanded(Box::new(search))), events);
        true
    }

    /// Enters the phase that follows this one.
    fn next_phase(&mut self, events: &mut Vec<DeciderEvent>) {
        let tokens = self.current.tokens;
        if self.rounds.turn.phase == Phase::Round {
            self.rounds.pace.end_round(tokens);
        }
        let situation = Situation {
            is_pumped: self.trial.is_some(),
            verifies: self.sweep.verifies,
            broken_at_end: self.config.broken_at_end,
            proposes: self.config.proposers > 0,
        };
        match self.rounds.turn.next(situation) {
            Next::Enter(phase) => {
                if phase == Phase::Sweep {
                    self.sweep.begin();
                }
                self.rounds.enter(phase, tokens);
            }
            Next::RollBack => self.roll_back(events),
            Next::AllowBroken => {
                // Earlier, a broken text would keep passes that need the grammar from what they can
                // do.
                let config = Arc::make_mut(&mut self.config);
                (config.allow_broken, config.broken_at_end) = (true, false);
                self.rounds.refused = Arc::default();
                self.rounds.turn = Turn::of(Phase::Round);
            }
        }
    }

    /// Tries the next candidate of a proposer, or asks one.
    fn next_proposal(&mut self, events: &mut Vec<DeciderEvent>) {
        let ReducerConfig { language, proposers, .. } = &*self.config;
        let text = self.current.tree.text();
        match self.advisers.next_proposal(*proposers, &language.name, text) {
            Some(candidate) => {
                events.push(DeciderEvent::Pass { name: PROPOSE.name, edits: 1 });
                self.run = Some(PassRun::of_proposal(language, &candidate));
            }
            None if self.advisers.asked().is_some() => {}
            None => self.next_phase(events),
        }
    }

    /// Begins to search a proposal, as it plans unless it is given a search.
    fn begin(
        &mut self,
        pass: Pass,
        proposal: Proposal,
        search: Option<ItemSearch>,
        events: &mut Vec<DeciderEvent>,
    ) {
        let Self { current, rounds, config, .. } = self;
        events.push(DeciderEvent::Pass { name: pass.name, edits: proposal.items.len() });
        // A pass with large edits may win little and let others win much.
        let mut small = config.passes.iter().skip_while(|pass| !pass.is(Attribute::EndsLarge));
        let is_small = small.any(|small| small.name == pass.name);
        let is_sweep = rounds.is_sweep();
        let demand = rounds.pace.demand(&pass, proposal.plan, is_small, is_sweep, current.tokens);
        let context = current.context(&config.language, pass.gate, &rounds.refused);
        let items = context.until(&proposal.items);
        let fingerprints = Arc::new(items.map(|item| context.fingerprint(item)).collect());
        let lessons =
            if is_sweep || search.is_some() { Arc::default() } else { Arc::clone(&rounds.lessons) };
        let search = search.unwrap_or_else(|| ItemSearch::of(&proposal, config.algorithm));
        let mut run = PassRun::new(pass, proposal, search);
        (run.demand, run.fingerprints, run.lessons) = (demand, fingerprints, lessons);
        self.run = Some(run);
    }

    /// Asks a pass for a proposal, without the items that are too fine or take away text that must
    /// be preserved; `anew` with those that were refused. `None` if nothing new is left.
    fn propose(&mut self, pass: Pass, anew: bool) -> Option<Proposal> {
        let certifies = self.certifies();
        loop {
            let ReducerConfig { language, granularity, preserved, .. } = &*self.config;
            let tree = &self.current.tree;
            let none = HashSet::new();
            let refused = if anew { &none } else { &*self.rounds.refused };
            let context = self.current.context(language, pass.gate, refused);
            let context = context.proposing_again(certifies);
            let mut proposal = pass.propose(&context)?;
            let mut excluded = granularity.exclude(&mut proposal, tree, language);
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
        events.push(DeciderEvent::RolledBack);
        self.current = trial.before;
        self.rounds.refused = trial.refused;
        self.rounds.turn = trial.turn;
        self.run = None;
    }

    /// Ends the current proposal: the accepted candidate becomes the current text, the other items
    /// count as refused.
    fn finish_run(&mut self) {
        let Some(run) = &self.run else { return };
        let mut learnt = BTreeSet::new();
        let context = self.context(run);
        if run.accepted().is_some() && run.pass.is(Attribute::Teaches) {
            learnt.extend(run.applied().flat_map(|item| lessons(&context, item)));
        }
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
            Arc::make_mut(&mut self.rounds.lessons).extend(learnt);
        }
        self.commit();
    }

    /// Makes the accepted candidate the current text.
    fn commit(&mut self) {
        let Some(run) = self.run.take() else { return };
        let Some(accepted) = run.accepted() else { return };
        let language = &self.config.language;
        self.trial.take_if(|trial| trial.before.is_clearly_beaten_by(language, accepted));
        let text = Arc::clone(&accepted.text);
        drop(run);
        let tree = match self.read.take().filter(|read| **read.text() == *text) {
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
        let run = self.run.as_ref().expect("questions come from a run");
        let (current, parser) = (&self.current, &self.config.language.parser);
        let tree =
            (!is_large(&candidate)).then(|| parser.parse_after(&current.tree, &candidate.text));
        if self.config.reads_later(&candidate)
            && !run.reads_well(current, &self.config, &candidate, tree.as_ref())
        {
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
        let is_worth_it = run.is_worth_it(current, &self.config, &candidate);
        self.read = Some(Arc::new(tree));
        if is_worth_it {
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
        if !run.is_best(language, candidate) {
            return;
        }
        let is_best = match &self.trial {
            Some(trial) => trial.before.is_clearly_beaten_by(language, candidate),
            None if run.is_pump() => self.current.is_clearly_beaten_by(language, candidate),
            None => self.current.is_beaten_by(language, candidate),
        };
        if !is_best {
            events.push(DeciderEvent::Adopted { pass });
            return;
        }
        self.best = Best { tokens: candidate.tokens, text: Arc::clone(&candidate.text) };
        events.push(DeciderEvent::Accepted { pass, candidate: Arc::clone(candidate) });
        if self.sweep.verifies {
            events.push(DeciderEvent::Stop(StopReason::StillReducible));
        }
    }
}
