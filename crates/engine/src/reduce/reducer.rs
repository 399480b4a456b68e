//! Decides a reduction: a deterministic machine from answers to questions.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use minirepro_passes::{
    LAST, LAST_LARGE, Lesson, ONE_BY_ONE, PROPOSE, Pass, PassContext, Proposal, Strategy, TEACHER,
    lessons,
};
use minirepro_search::Outcome;
use minirepro_syntax::{NodeId, Rendered, Tree};

use crate::propose::consultation::parts;
use crate::propose::conversation::{Conversation, Turn};
use crate::reduce::config::ReducerConfig;
use crate::reduce::current::Current;
use crate::reduce::estimate::tests_left;
use crate::reduce::harvest::{Harvest, PassTurn, is_another, is_large_and_rich, is_rich, is_ripe};
use crate::reduce::pass_run::{Candidate, PassRun, is_read_later};
use crate::reduce::phase::{Next, Phase, Situation};
use crate::reduce::pump::Pump;
use crate::schedule::answer_memory::Key;
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Period, Question, Size, Traits};
use crate::{Certificate, Consultation, EditKind, Finding, Refused, Said, StopReason};

/// A reduction under way.
#[derive(Clone)]
pub struct Reducer {
    config: Arc<ReducerConfig>,
    current: Arc<Current>,
    best: Best,
    phase: Phase,
    /// Whole rounds so far.
    rounds: u32,
    /// The tokens at the beginning of the round.
    round_tokens: u64,
    /// Whether the round before this one has won little.
    is_patient: bool,
    /// The pass whose turn it is.
    turn: PassTurn,
    run: Option<PassRun>,
    /// The candidate that waits for its answer.
    pending: Option<Arc<Rendered>>,
    /// The tree of the last candidate that failed.
    read: Option<Arc<Tree>>,
    /// Fingerprints of the items that were refused.
    refused: Arc<HashSet<u64>>,
    /// The tokens when they were last forgotten.
    forgotten_at: u64,
    /// The sorts of definitions that the test wants to go with their last use.
    lessons: Arc<BTreeSet<Lesson>>,
    certificate: Certificate,
    /// What proposers have said about the best text.
    conversation: Conversation,
    /// The question that waits for a proposer's answer.
    consultation: Option<Arc<Consultation>>,
    /// The larger text that is being tried, if there is one.
    pump: Option<Pump>,
    /// Whether only the sweep is wanted.
    verifies: bool,
    /// Whether the sweep tries what a pass has not yet tried.
    tries_new: bool,
    /// Whether edits that a certificate would speak of were left out since its sweep began.
    is_sweep_cut: bool,
}

/// The best result so far.
#[derive(Clone, Debug)]
struct Best {
    tokens: u64,
    text: Arc<[u8]>,
}

impl Reducer {
    /// Returns a reducer of `input`, which is known to fail.
    pub(crate) fn new(config: ReducerConfig, input: &[u8]) -> Self {
        let current = Arc::new(Current::new(&config.language, input));
        Self {
            config: Arc::new(config),
            best: Best { tokens: current.tokens, text: input.into() },
            round_tokens: current.tokens,
            forgotten_at: current.tokens,
            current,
            phase: Phase::ROUND,
            rounds: 0,
            is_patient: false,
            turn: PassTurn::default(),
            run: None,
            pending: None,
            read: None,
            refused: Arc::default(),
            lessons: Arc::default(),
            certificate: Certificate::default(),
            conversation: Conversation::default(),
            consultation: None,
            pump: None,
            verifies: false,
            tries_new: false,
            is_sweep_cut: false,
        }
    }

    /// Returns a reducer that only tries every single edit of `result`, to which an earlier one has reduced
    /// `input`. It stops at the first edit that fails.
    pub(crate) fn verify(config: ReducerConfig, input: &[u8], result: Arc<[u8]>) -> Self {
        let reducer = Self::new(config, input);
        let limits = reducer.current.limits();
        let current = Arc::new(limits.apply(&reducer.config.language, &result));
        Self {
            best: Best { tokens: current.tokens, text: result },
            current,
            phase: Phase::SWEEP,
            verifies: true,
            ..reducer
        }
    }

    /// Returns the best result so far.
    pub(crate) fn best(&self) -> Arc<[u8]> {
        Arc::clone(&self.best.text)
    }

    /// Returns what is known about a candidate before its test.
    fn traits(&self, run: &PassRun, edits: usize, candidate: &Rendered) -> Traits {
        let period = match self.phase {
            _ if self.pump.is_some() => Period::Sideways,
            Phase::Round { .. } if self.rounds == 0 => Period::First,
            Phase::Round { .. } if self.rounds == 1 => Period::Second,
            Phase::Round { .. } => Period::Later,
            Phase::Sweep { .. } => Period::Sweep,
            Phase::Pumps { .. } | Phase::Proposals | Phase::Done => Period::Sideways,
        };
        Traits {
            period,
            edits,
            of: run.items.len(),
            before: run.base_tokens().unwrap_or(self.current.tokens),
            after: candidate.tokens,
        }
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
        let pass = run.pass.name;
        match run.candidate(&self.current, &self.config, &kept) {
            Candidate::NeedsTest(candidate) => self.pending = Some(candidate),
            Candidate::Infeasible => {
                events.push(DeciderEvent::Infeasible { pass });
                run.tell(&self.config.language, Outcome::Unresolved, None);
                self.judge_proposal(Finding::Infeasible);
            }
            Candidate::NotSmaller => {
                events.push(DeciderEvent::NotSmaller { pass });
                run.tell(&self.config.language, Outcome::Pass, None);
                self.judge_proposal(Finding::TooLarge);
            }
        }
    }

    /// Starts the next proposal, or moves on in the order of passes.
    fn next_run(&mut self, events: &mut Vec<DeciderEvent>) {
        if self.phase == Phase::Proposals {
            self.next_proposal(events);
            return;
        }
        let Some(pass) = self.phase.pass(&self.config).filter(|pass| !self.is_round_cut(pass))
        else {
            self.next_phase(events);
            return;
        };
        if self.turn.pass != pass.name {
            self.turn = PassTurn { pass: pass.name, tokens: self.current.tokens, harvest: None };
        }
        let is_sweep = self.phase.is_sweep();
        if LAST.contains(&pass.name) {
            let comes_again = self.phase.has_won() && !self.tries_new;
            if !is_sweep || comes_again {
                self.phase.step();
                return;
            }
            // One success leads to the next before the sweep begins again.
            self.tries_new = !self.verifies;
            let new = self.tries_new.then(|| self.propose(pass).proposal).flatten();
            if let Some(new) = new.filter(|new| !new.items.is_empty()) {
                events.push(DeciderEvent::Pass { name: pass.name, edits: new.items.len() });
                self.run = Some(self.begin(pass, new));
                return;
            }
            self.tries_new = false;
        }
        let Proposed { proposal, all_known } = self.propose(pass);
        if is_sweep {
            if pass.certifies {
                let count = proposal.as_ref().map_or(0, |proposal| proposal.items.len());
                let kind = EditKind { name: pass.name, edits: pass.edits, count };
                self.certificate.edit_kinds.push(kind);
            }
            self.phase.step();
        }
        match proposal {
            Some(mut proposal) if !proposal.items.is_empty() => {
                events.push(DeciderEvent::Pass { name: pass.name, edits: proposal.items.len() });
                if is_sweep {
                    proposal.strategy = Strategy::Single;
                }
                let run = self.begin(pass, proposal);
                self.run = Some(if is_sweep { run } else { run.with_lessons(&self.lessons) });
            }
            _ if all_known && !is_sweep => self.phase.step(),
            _ => {}
        }
    }

    /// Enters the phase that follows this one.
    fn next_phase(&mut self, events: &mut Vec<DeciderEvent>) {
        if let Phase::Round { .. } = self.phase {
            self.rounds += 1;
            self.is_patient = !is_rich(self.round_tokens, self.current.tokens);
        }
        let situation = Situation {
            is_pumped: self.pump.is_some(),
            verifies: self.verifies,
            broken_at_end: self.config.broken_at_end,
            proposes: self.config.proposers > 0,
        };
        match self.phase.next(situation) {
            Next::Enter(phase) => {
                if phase == Phase::SWEEP {
                    self.certificate = Certificate::default();
                    self.conversation.begin_sweep();
                    self.is_sweep_cut = false;
                }
                self.phase = phase;
                (self.round_tokens, self.turn) = (self.current.tokens, PassTurn::default());
                if phase == Phase::ROUND && is_another(self.forgotten_at, self.current.tokens) {
                    self.forget_refusals();
                }
            }
            Next::RollBack => self.roll_back(events),
            Next::AllowBroken => {
                self.allow_broken();
                self.phase = Phase::ROUND;
            }
        }
    }

    /// Tries what a proposer has said, or asks one.
    fn next_proposal(&mut self, events: &mut Vec<DeciderEvent>) {
        let Self { conversation, config, current, .. } = self;
        conversation.about(&current.text, || parts(&current.tree));
        match conversation.next(config.proposers) {
            Turn::Try(candidate) => {
                events.push(DeciderEvent::Pass { name: PROPOSE.name, edits: 1 });
                self.run = Some(PassRun::of_proposal(&config.language, &candidate));
            }
            Turn::Ask => {
                self.consultation = Some(Arc::new(Consultation {
                    proposer: conversation.proposer,
                    text: Arc::clone(&current.text),
                    language: config.language.name.as_str().into(),
                    tokens: current.tokens,
                    nodes: Arc::clone(&conversation.nodes),
                    refused: Arc::clone(&conversation.refused),
                    verdicts: Arc::clone(&conversation.verdicts),
                    earlier: Arc::clone(&conversation.earlier),
                }));
            }
            Turn::Over => self.next_phase(events),
        }
    }

    /// Notes what became of a proposer's candidate, if it is one that is tried.
    fn judge_proposal(&mut self, finding: Finding) {
        if let Some(candidate) = self.run.as_ref().and_then(PassRun::ready) {
            self.conversation.judge(Arc::clone(&candidate.text), finding);
        }
    }

    /// Returns whether the passes with large edits come again before this one: where much has gone, or before those with
    /// small ones.
    fn is_round_cut(&self, pass: &Pass) -> bool {
        let Phase::Round { pass: number, won: true } = self.phase else { return false };
        let before = number.checked_sub(1).and_then(|before| self.config.passes.get(before));
        let left = self.current.tokens;
        let is_behind_large = before.is_some_and(|pass| pass.name == LAST_LARGE);
        is_behind_large && is_large_and_rich(self.round_tokens, left)
            || [pass.name, self.turn.pass] == [LAST_LARGE; 2] && is_ripe(self.turn.tokens, left)
    }

    /// Begins to search a proposal.
    fn begin(&self, pass: Pass, proposal: Proposal) -> PassRun {
        let context =
            PassContext::new(&self.current.tree, &self.config.language, pass.gate, &self.refused);
        let fingerprints = context.fingerprints(&proposal.items);
        let algorithm = self.config.algorithm;
        // What large edits win may be what other passes can do because of them.
        let mut small = self.config.passes.iter().skip_while(|pass| pass.name != LAST_LARGE);
        let is_small = small.any(|small| small.name == pass.name);
        let is_patient = self.is_patient || self.phase.is_sweep();
        let tokens = self.current.tokens;
        let has_to_win = ONE_BY_ONE.contains(&pass.name) && !is_patient;
        let harvest = has_to_win.then(|| Harvest::one_by_one(tokens)).flatten().or_else(|| {
            Harvest::new(pass.gate, proposal.strategy, tokens, is_patient || !is_small)
        });
        let harvest = harvest.map(|new| self.turn.harvest.map_or(new, |old| old.gone_on(tokens)));
        PassRun::new(pass, proposal, fingerprints, algorithm, harvest)
    }

    /// Asks a pass for a proposal, without the items that are too fine or take away text that must be
    /// preserved.
    fn propose(&mut self, pass: Pass) -> Proposed {
        let ReducerConfig { language, granularity, preserved, .. } = &*self.config;
        let tree = &self.current.tree;
        let is_sweep = self.phase.is_sweep() && !self.tries_new;
        let context = if is_sweep {
            PassContext::sweep(tree, language, pass.gate, &self.refused)
        } else {
            PassContext::new(tree, language, pass.gate, &self.refused)
        };
        let mut proposal = pass.propose(&context);
        let mut excluded = Vec::new();
        if let Some(proposal) = &mut proposal {
            excluded = granularity.exclude(proposal, tree, language);
            excluded.extend(preserved.exclude(proposal, tree));
        }
        let keys = context.fingerprints(&excluded);
        let mut all_known = true;
        if !is_sweep && !keys.is_empty() {
            // They count as refused, so that the pass goes on to something else.
            let refused = Arc::make_mut(&mut self.refused);
            for key in keys {
                all_known &= !refused.insert(key);
            }
        }
        Proposed { proposal, all_known }
    }

    /// Lets everything be tried again, now including what the grammar cannot form. Earlier, a broken text
    /// would keep passes that need the grammar from what they can do.
    fn allow_broken(&mut self) {
        let config = (*self.config).clone();
        self.config =
            Arc::new(ReducerConfig { allow_broken: true, broken_at_end: false, ..config });
        self.refused = Arc::default();
    }

    /// Goes on from the larger candidate that was just accepted: something must come of it that is smaller
    /// than the current text.
    fn adopt(&mut self) {
        let Some(run) = &self.run else { return };
        // Its items are asked about one after the other.
        let told = run.fingerprints.iter().take(run.told());
        Arc::make_mut(&mut self.refused).extend(told);
        self.pump = Some(Pump {
            before: Arc::clone(&self.current),
            refused: Arc::clone(&self.refused),
            phase: self.phase,
            answers_left: match self.phase {
                Phase::Proposals => PATIENCE_WITH_PROPOSALS,
                _ => PATIENCE,
            },
        });
        self.phase = Phase::ROUND;
        self.commit();
    }

    /// Restores the state before the trial began.
    fn roll_back(&mut self, events: &mut Vec<DeciderEvent>) {
        let Some(pump) = self.pump.take() else { return };
        events.push(DeciderEvent::RolledBack);
        self.current = pump.before;
        self.refused = pump.refused;
        self.phase = pump.phase;
        self.run = None;
    }

    /// Lets passes propose again what was refused.
    fn forget_refusals(&mut self) {
        self.refused = Arc::default();
        self.forgotten_at = self.current.tokens;
    }

    /// Ends the current proposal: the accepted candidate becomes the current text, the other items count
    /// as refused.
    fn finish_run(&mut self) {
        let Some(run) = &self.run else { return };
        let is_won = run.accepted().is_some();
        let mut learnt = BTreeSet::new();
        if is_won && run.pass.name == TEACHER {
            let Current { tree, .. } = &*self.current;
            let context =
                PassContext::new(tree, &self.config.language, run.pass.gate, &self.refused);
            learnt.extend(run.applied().flat_map(|item| lessons(&context, item)));
        }
        Arc::make_mut(&mut self.refused).extend(run.refused());
        self.turn.harvest = run.harvest.filter(|harvest| !harvest.is_poor());
        if run.has_given_up() {
            self.phase.step();
        }
        if is_won {
            self.phase.win();
            Arc::make_mut(&mut self.lessons).extend(learnt);
        }
        self.commit();
    }

    /// Makes the accepted candidate the current text.
    fn commit(&mut self) {
        let Some(run) = self.run.take() else { return };
        let Some(accepted) = run.accepted() else { return };
        let language = &self.config.language;
        self.pump.take_if(|pump| pump.before.is_clearly_beaten_by(language, accepted));
        let text = Arc::clone(&accepted.text);
        drop(run);
        // The old tree goes before there is a new one: they may be most of our memory.
        let limits = self.current.limits();
        self.current = Arc::new(Current::parsed(language, b""));
        let read = self.read.take().filter(|read| **read.text() == *text);
        self.current = Arc::new(match read {
            Some(tree) => limits.hold(Arc::unwrap_or_clone(tree)),
            None => limits.apply(language, &text),
        });
    }

    /// Notes that the oracle has refused an edit of the sweep.
    fn certify(&mut self, outcome: Outcome, pass: &'static str, candidate: &Rendered) {
        if self.config.proposers > 0 {
            let refused = Refused::new(pass, &self.current.text, &candidate.text);
            self.conversation.refuse(refused);
        }
        self.certificate.refused += 1;
        self.certificate.unresolved += u64::from(outcome == Outcome::Unresolved);
    }
}

/// The number of answers within which a larger text must lead to something smaller than the best.
const PATIENCE: u32 = 60;

/// The same for the text of a proposer, who may have meant more than one edit.
const PATIENCE_WITH_PROPOSALS: u32 = 200;

/// The proposal of a pass.
struct Proposed {
    proposal: Option<Proposal>,
    /// Whether all items that were taken out had been refused before: then nothing new is left.
    all_known: bool,
}

impl Decider for Reducer {
    fn advance(&mut self, events: &mut Vec<DeciderEvent>) -> Advance {
        if let (Some(candidate), Some(run)) = (&self.pending, &self.run) {
            let edits = run.undecided();
            return Advance::Asks(Question {
                pass: run.pass.name,
                candidate: Arc::clone(&candidate.text),
                key: Key::of_tokens(candidate, self.phase.is_sweep()),
                rule: run.rule(),
                traits: self.traits(run, edits.len(), candidate),
                edits,
            });
        }
        if let Some(consultation) = &self.consultation {
            return Advance::Consults(Arc::clone(consultation));
        }
        if self.pump.as_ref().is_some_and(Pump::is_exhausted) {
            self.roll_back(events);
        }
        if self.run.is_none() && self.phase == Phase::Done {
            return Advance::Done((!self.is_sweep_cut).then(|| self.certificate.clone()));
        }
        self.step(events);
        Advance::Moved
    }

    fn tell(&mut self, outcome: Outcome, events: &mut Vec<DeciderEvent>) {
        let candidate = self.pending.take().expect("a question was asked");
        let run = self.run.as_mut().expect("questions come from a run");
        let pass = run.pass.name;
        let mut candidate = candidate;
        if outcome == Outcome::Fail {
            if is_read_later(&candidate) && !run.reads_well(&self.current, &self.config, &candidate)
            {
                events.push(DeciderEvent::Infeasible { pass });
                run.tell(&self.config.language, Outcome::Unresolved, None);
                self.judge_proposal(Finding::Infeasible);
                return;
            }
            // Only its own tree says what a text has in it; of large ones the leaves that were left alone do.
            if !is_read_later(&candidate) {
                let tree = self.config.language.parser.parse(&candidate.text);
                let tokens = tree.tokens(NodeId::ROOT).into();
                self.read = Some(Arc::new(tree));
                if tokens != candidate.tokens {
                    candidate = Arc::new(Rendered { tokens, ..(*candidate).clone() });
                }
                if !run.is_worth_it(&self.current, &self.config, &candidate) {
                    events.push(DeciderEvent::NotSmaller { pass });
                    run.tell(&self.config.language, Outcome::Pass, None);
                    self.judge_proposal(Finding::TooLarge);
                    self.certificate.larger += u64::from(self.phase.is_sweep() && !self.tries_new);
                    return;
                }
            }
            let language = &self.config.language;
            let is_best = match &self.pump {
                Some(pump) => pump.before.is_clearly_beaten_by(language, &candidate),
                None if run.is_pump() => self.current.is_clearly_beaten_by(language, &candidate),
                None => self.current.is_beaten_by(language, &candidate),
            };
            let is_best_of_run = run.is_best(language, &candidate);
            if is_best && is_best_of_run {
                self.best = Best { tokens: candidate.tokens, text: Arc::clone(&candidate.text) };
                events.push(DeciderEvent::Accepted { pass, candidate: Arc::clone(&candidate) });
                if self.verifies {
                    events.push(DeciderEvent::Stop(StopReason::StillReducible));
                }
            } else if is_best_of_run {
                events.push(DeciderEvent::Adopted { pass });
            }
        }
        if let Some(pump) = &mut self.pump {
            pump.count();
        }
        let is_adopted = run.is_pump() && outcome == Outcome::Fail;
        run.tell(&self.config.language, outcome, Some(&candidate));
        self.judge_proposal(outcome.into());
        if outcome != Outcome::Fail && self.phase.is_sweep() && !self.tries_new {
            self.certify(outcome, pass, &candidate);
        }
        if is_adopted {
            self.adopt();
        }
    }

    fn hear(&mut self, said: Said) {
        self.consultation = None;
        self.conversation.hear(said);
    }

    /// The items that were not tried count as refused until the sweep.
    fn skip(&mut self) {
        self.pending = None;
        let phase = self.phase;
        self.finish_run();
        match self.phase {
            // In a sweep it is the turn of the next one already.
            Phase::Sweep { .. } => {}
            Phase::Round { .. } | Phase::Pumps { .. } | Phase::Proposals | Phase::Done => {
                self.phase.step()
            }
        }
        self.is_sweep_cut |= phase.is_sweep();
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
        let stage = self.phase.stage(self.rounds, self.config.passes.len());
        Some(tests_left(stage, self.best.tokens))
    }

    fn size(&self) -> Option<Size> {
        Some(Size { tokens: self.best.tokens, bytes: self.best.text.len() as u64 })
    }
}
