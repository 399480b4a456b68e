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
    DEMANDED, LAST, LAST_LARGE, Lesson, PROPOSE, Pass, Proposal, Strategy, TEACHER, lessons,
    supplied,
};
use minirepro_search::Outcome;
use minirepro_syntax::{NodeId, Rendered, Role, Tree};

use crate::propose::consultation::parts;
use crate::propose::conversation::{Conversation, Turn};
use crate::reduce::config::{ReducerConfig, is_large};
use crate::reduce::current::Current;
use crate::reduce::estimate::{Course, tests_left};
use crate::reduce::pace::Pace;
use crate::reduce::pass_run::{Candidate, PassRun};
use crate::reduce::phase::{Next, Phase, Situation};
use crate::reduce::sizes::{
    ANSWERS_PER_PROPOSAL, ANSWERS_PER_TRIAL, LONG_LIST, ORDER_MATTERS, SHARE_OF_LIST,
};
use crate::reduce::stall::Stall;
use crate::reduce::trial::Trial;
use crate::schedule::answer_memory::Key;
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Period, Question, Size, Traits};
use crate::{Certificate, Consultation, EditKind, Finding, Refused, Said, StopReason, Whom};

/// A reduction under way.
#[derive(Clone)]
pub struct Reducer {
    config: Arc<ReducerConfig>,
    current: Arc<Current>,
    /// The tokens of the input.
    input_tokens: u64,
    /// The answers of the oracle or the memory so far.
    answers: u64,
    best: Best,
    phase: Phase,
    pace: Pace,
    /// The proposal that is being searched.
    run: Option<PassRun>,
    /// The candidate that waits for its answer.
    pending: Option<Arc<Rendered>>,
    /// The tree of the last candidate that failed.
    read: Option<Arc<Tree>>,
    /// Fingerprints of the items that were refused.
    refused: Arc<HashSet<u64>>,
    /// The sorts of definitions that the test wants to go with their last use.
    lessons: Arc<BTreeSet<Lesson>>,
    certificate: Certificate,
    /// The candidates of proposers for the best text.
    conversation: Conversation,
    /// The question that waits for a proposer's answer.
    consultation: Option<Arc<Consultation>>,
    /// The candidate about which an informant is asked.
    listening: Option<Arc<Rendered>>,
    /// Whether there is no informant, or none any more.
    is_uninformed: bool,
    /// The same of an analyser.
    is_unanalysed: bool,
    /// Whether an informant is worth asking.
    stall: Stall,
    /// The state to restore, if a larger text is being tried.
    trial: Option<Trial>,
    /// Whether only the sweep is wanted.
    verifies: bool,
    /// Whether the sweep tries what a pass has not yet tried.
    tries_new: bool,
    /// Whether edits that the certificate would name were skipped since its sweep began.
    is_sweep_cut: bool,
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
                key: Key::of_tokens(candidate, self.phase.is_sweep()),
                rule: run.rule(),
                traits: self.traits(run, edits.len(), candidate),
                edits,
            });
        }
        if let Some(consultation) = &self.consultation {
            return Advance::Consults(Arc::clone(consultation));
        }
        if self.trial.as_ref().is_some_and(Trial::is_exhausted) {
            self.roll_back(events);
        }
        if self.run.is_none() && self.phase == Phase::Done {
            return Advance::Done((!self.is_sweep_cut).then(|| self.certificate.clone()));
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
        let pass = run.pass.name;
        if let Some(trial) = &mut self.trial {
            trial.count();
        }
        self.stall.count(run.accepted().map_or(self.current.tokens, |text| text.tokens));
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
        let asked = self.consultation.take();
        let is_analysis = asked.as_ref().is_some_and(|asked| asked.whom == Whom::Analyser);
        match (said, &mut self.run, &self.listening) {
            // Who has no analyser may still have an informant.
            (Said::Unreferenced(found), Some(run), Some(candidate)) if is_analysis => {
                run.hear_unreferenced(&found, &candidate.text);
            }
            (_, Some(run), Some(_)) if is_analysis => {
                self.is_unanalysed = true;
                run.give_up();
            }
            (Said::Messages(messages), Some(run), Some(candidate)) => {
                run.hear(&messages, &candidate.text, &candidate.copied);
            }
            (_, Some(run), Some(_)) => {
                self.is_uninformed = true;
                run.give_up();
            }
            (said, ..) if asked.is_some() => self.conversation.hear(said),
            _ => {}
        }
        self.listening = None;
    }

    /// Counts the items that were not tried as refused until the sweep.
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
        Some(tests_left(Course {
            input: self.input_tokens,
            left: self.best.tokens,
            answers: self.answers,
            sweeps: matches!(self.phase, Phase::Sweep { .. } | Phase::Proposals | Phase::Done),
        }))
    }

    fn size(&self) -> Option<Size> {
        Some(Size { tokens: self.best.tokens, bytes: self.best.text.len() as u64 })
    }
}

impl Reducer {
    /// Returns a reducer of `input`, which is known to fail.
    pub(crate) fn new(config: ReducerConfig, input: &[u8]) -> Self {
        let current = Arc::new(Current::new(&config.language, input));
        let is_binary = config.language.roles.is_played(Role::Byte);
        Self {
            is_uninformed: !config.is_informed,
            is_unanalysed: false,
            config: Arc::new(config),
            input_tokens: current.tokens,
            answers: 0,
            best: Best { tokens: current.tokens, text: input.into() },
            pace: Pace::new(current.tokens, is_binary),
            listening: None,
            stall: Stall::new(current.tokens),
            current,
            phase: Phase::ROUND,
            run: None,
            pending: None,
            read: None,
            refused: Arc::default(),
            lessons: Arc::default(),
            certificate: Certificate::default(),
            conversation: Conversation::default(),
            consultation: None,
            trial: None,
            verifies: false,
            tries_new: false,
            is_sweep_cut: false,
        }
    }

    /// Returns a reducer that only tries every single edit of `result`, to which an earlier one has
    /// reduced `input`. It stops at the first edit that fails.
    pub(crate) fn verify(config: ReducerConfig, input: &[u8], result: Arc<[u8]>) -> Self {
        let reducer = Self::new(config, input);
        let limits = reducer.current.limits();
        let current =
            Arc::new(limits.apply(&reducer.config.language, &reducer.current.tree, &result));
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

    /// Returns the facts about a candidate that are known before its test.
    fn traits(&self, run: &PassRun, edits: usize, candidate: &Rendered) -> Traits {
        let period = match self.phase {
            _ if self.trial.is_some() => Period::Pumps,
            Phase::Round { .. } if self.pace.rounds == 0 => Period::First,
            Phase::Round { .. } if self.pace.rounds == 1 => Period::Second,
            Phase::Round { .. } => Period::Later,
            Phase::Sweep { .. } => Period::Sweep,
            Phase::Pumps { .. } | Phase::Proposals | Phase::Done => Period::Pumps,
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
        if let Some(whom) = run.listens_to()
            && let Some(candidate) = run.heard(&self.current, &self.config, &kept)
        {
            self.consultation = Some(Arc::new(Consultation {
                whom,
                text: Arc::clone(&candidate.text),
                language: self.config.language.name.as_str().into(),
                tokens: candidate.tokens,
                nodes: Arc::default(),
                refused: Arc::default(),
                verdicts: Arc::default(),
                earlier: Arc::default(),
            }));
            self.listening = Some(candidate);
            return;
        }
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
        // It has its turn where the others win little.
        if pass.name == DEMANDED {
            self.phase.step();
            return;
        }
        if self.begin_demand(events) {
            return;
        }
        self.pace.begin_turn(pass.name, self.current.tokens);
        let is_sweep = self.phase.is_sweep();
        if LAST.contains(&pass.name) {
            let comes_again = self.phase.has_won() && !self.tries_new;
            if !is_sweep || comes_again {
                self.phase.step();
                return;
            }
            // One success leads to the next before the sweep begins again.
            self.tries_new = !self.verifies;
            let new = self.tries_new.then(|| self.propose(pass, false).proposal).flatten();
            if let Some(new) = new.filter(|new| !new.items.is_empty()) {
                events.push(DeciderEvent::Pass { name: pass.name, edits: new.items.len() });
                self.run = Some(self.begin(pass, new));
                return;
            }
            self.tries_new = false;
        }
        let Proposed { proposal, all_known } = self.propose(pass, false);
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
                if self.is_repair_due(&proposal) {
                    let context =
                        self.current.context(&self.config.language, pass.gate, &self.refused);
                    proposal.supplied = supplied(&context, &proposal.items);
                    // A graph of names knows less.
                    (proposal.needs, proposal.strategy) = (Vec::new(), Strategy::Repaired);
                }
                let run = self.begin(pass, proposal);
                self.run = Some(if is_sweep { run } else { run.with_lessons(&self.lessons) });
            }
            _ if all_known && !is_sweep => self.phase.step(),
            _ => {}
        }
    }

    /// Begins to keep only what an informant demands, if the last tests of a round have won little.
    fn begin_demand(&mut self, events: &mut Vec<DeciderEvent>) -> bool {
        let tokens = self.current.tokens;
        if !self.may_ask() {
            return false;
        }
        let surveys = !self.is_unanalysed && self.stall.is_survey_due(tokens);
        match surveys {
            true => self.stall.survey(tokens),
            false if self.stall.is_due(tokens) => self.stall.ask(tokens),
            false => return false,
        }
        let pass = self.config.passes.iter().copied().find(|pass| pass.name == DEMANDED);
        // A compiler may say more of what was kept before.
        let proposal = pass.and_then(|pass| Some((pass, self.propose(pass, surveys).proposal?)));
        let Some((pass, mut proposal)) = proposal else { return false };
        if surveys {
            proposal.strategy = Strategy::Surveyed;
        }
        events.push(DeciderEvent::Pass { name: pass.name, edits: proposal.items.len() });
        self.run = Some(self.begin(pass, proposal));
        true
    }

    /// Returns whether an informant is asked what of a list has to come back.
    fn is_repair_due(&self, proposal: &Proposal) -> bool {
        let is_list = matches!(proposal.strategy, Strategy::All | Strategy::Halves);
        let weight: u64 = proposal.items.iter().map(|item| u64::from(item.weight)).sum();
        let tokens = self.current.tokens;
        is_list
            && self.may_ask()
            && proposal.items.len() >= LONG_LIST
            && weight * SHARE_OF_LIST >= tokens
            && self.stall.is_repair_due(tokens)
    }

    /// Returns whether an informant can be asked now.
    fn may_ask(&self) -> bool {
        let is_round = matches!(self.phase, Phase::Round { .. }) && self.trial.is_none();
        let has_functions = self.config.language.roles.is_played(Role::Function);
        !self.is_uninformed && is_round && has_functions && self.current.tokens > ORDER_MATTERS
    }

    /// Enters the phase that follows this one.
    fn next_phase(&mut self, events: &mut Vec<DeciderEvent>) {
        if let Phase::Round { .. } = self.phase {
            self.pace.end_round(self.current.tokens);
        }
        let situation = Situation {
            is_pumped: self.trial.is_some(),
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
                self.pace.begin_phase(self.current.tokens);
                if phase == Phase::ROUND && self.pace.forgets(self.current.tokens) {
                    self.refused = Arc::default();
                }
            }
            Next::RollBack => self.roll_back(events),
            Next::AllowBroken => {
                self.allow_broken();
                self.phase = Phase::ROUND;
            }
        }
    }

    /// Tries the next candidate of a proposer, or asks one.
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
                    whom: Whom::Proposer(conversation.proposer),
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

    /// Records the verdict on the candidate, if a proposer has made it.
    fn judge_proposal(&mut self, finding: Finding) {
        if let Some(candidate) = self.run.as_ref().and_then(PassRun::ready) {
            self.conversation.judge(Arc::clone(&candidate.text), finding);
        }
    }

    /// Returns whether the passes with large edits run again before this one, although the round is
    /// not over.
    fn is_round_cut(&self, pass: &Pass) -> bool {
        let Phase::Round { pass: number, won: true } = self.phase else { return false };
        let before = number.checked_sub(1).and_then(|before| self.config.passes.get(before));
        self.pace.cuts_round(pass, before, self.current.tokens)
    }

    /// Begins to search a proposal.
    fn begin(&self, pass: Pass, proposal: Proposal) -> PassRun {
        let context = self.current.context(&self.config.language, pass.gate, &self.refused);
        let fingerprints = context.fingerprints(&proposal.items);
        let algorithm = self.config.algorithm;
        // A pass with large edits may win little and let others win much.
        let mut small = self.config.passes.iter().skip_while(|pass| pass.name != LAST_LARGE);
        let is_small = small.any(|small| small.name == pass.name);
        let (in_sweep, tokens) = (self.phase.is_sweep(), self.current.tokens);
        let demand = self.pace.demand(&pass, proposal.strategy, is_small, in_sweep, tokens);
        PassRun::new(pass, proposal, &self.current.tree, fingerprints, algorithm, demand)
    }

    /// Asks a pass for a proposal, without the items that are too fine or take away text that must
    /// be preserved; `anew` with those that were refused.
    fn propose(&mut self, pass: Pass, anew: bool) -> Proposed {
        let ReducerConfig { language, granularity, preserved, .. } = &*self.config;
        let tree = &self.current.tree;
        let is_sweep = self.phase.is_sweep() && !self.tries_new;
        let none = HashSet::new();
        let refused = if anew { &none } else { &*self.refused };
        let context = self.current.context(language, pass.gate, refused).proposing_again(is_sweep);
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

    /// Lets everything be tried again, now including what the grammar cannot form. Earlier, a
    /// broken text would keep passes that need the grammar from what they can do.
    fn allow_broken(&mut self) {
        let config = (*self.config).clone();
        self.config =
            Arc::new(ReducerConfig { allow_broken: true, broken_at_end: false, ..config });
        self.refused = Arc::default();
    }

    /// Goes on from the larger candidate that was just accepted: something must come of it that is
    /// smaller than the current text.
    fn adopt(&mut self) {
        let Some(run) = &self.run else { return };
        // Its items are asked about one after the other.
        let told = run.fingerprints.iter().take(run.told());
        Arc::make_mut(&mut self.refused).extend(told);
        self.trial = Some(Trial {
            before: Arc::clone(&self.current),
            refused: Arc::clone(&self.refused),
            phase: self.phase,
            answers_left: match self.phase {
                Phase::Proposals => ANSWERS_PER_PROPOSAL,
                _ => ANSWERS_PER_TRIAL,
            },
        });
        self.phase = Phase::ROUND;
        self.commit();
    }

    /// Restores the state before the trial began.
    fn roll_back(&mut self, events: &mut Vec<DeciderEvent>) {
        let Some(trial) = self.trial.take() else { return };
        events.push(DeciderEvent::RolledBack);
        self.current = trial.before;
        self.refused = trial.refused;
        self.phase = trial.phase;
        self.run = None;
    }

    /// Ends the current proposal: the accepted candidate becomes the current text, the other items
    /// count as refused.
    fn finish_run(&mut self) {
        let Some(run) = &self.run else { return };
        let is_won = run.accepted().is_some();
        let mut learnt = BTreeSet::new();
        if is_won && run.pass.name == TEACHER {
            let context = self.current.context(&self.config.language, run.pass.gate, &self.refused);
            learnt.extend(run.applied().flat_map(|item| lessons(&context, item)));
        }
        Arc::make_mut(&mut self.refused).extend(run.refused());
        self.pace.end_proposal(run.demand);
        if run.has_given_up() {
            self.phase.step();
        }
        match run.accepted() {
            Some(accepted) if run.is_survey() => self.stall.win_by_survey(accepted.tokens),
            None if run.is_repair() => self.stall.repair_in_vain(self.current.tokens),
            _ => {}
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
        self.trial.take_if(|trial| trial.before.is_clearly_beaten_by(language, accepted));
        let text = Arc::clone(&accepted.text);
        drop(run);
        let limits = self.current.limits();
        let read = self.read.take().filter(|read| **read.text() == *text);
        self.current = Arc::new(match read {
            Some(tree) => limits.hold(Arc::unwrap_or_clone(tree)),
            None => limits.apply(language, &self.current.tree, &text),
        });
    }

    /// Reads a candidate that fails, with its tokens as its own tree has them. `None` if it is
    /// refused after all.
    fn read_again(
        &mut self,
        candidate: Arc<Rendered>,
        events: &mut Vec<DeciderEvent>,
    ) -> Option<Arc<Rendered>> {
        let run = self.run.as_mut().expect("questions come from a run");
        let (pass, language) = (run.pass.name, &self.config.language);
        let is_large = is_large(&candidate);
        let tree =
            (!is_large).then(|| language.parser.parse_after(&self.current.tree, &candidate.text));
        if self.config.reads_later(&candidate)
            && !run.reads_well(&self.current, &self.config, &candidate, tree.as_ref())
        {
            events.push(DeciderEvent::Infeasible { pass });
            run.tell(language, Outcome::Unresolved, None);
            self.judge_proposal(Finding::Infeasible);
            return None;
        }
        // The tokens of large candidates are those of the leaves that stay.
        let Some(tree) = tree else { return Some(candidate) };
        let tokens = tree.tokens(NodeId::ROOT).into();
        self.read = Some(Arc::new(tree));
        let candidate = match tokens == candidate.tokens {
            true => candidate,
            false => Arc::new(Rendered { tokens, ..(*candidate).clone() }),
        };
        if run.is_worth_it(&self.current, &self.config, &candidate) {
            return Some(candidate);
        }
        events.push(DeciderEvent::NotSmaller { pass });
        run.tell(language, Outcome::Pass, None);
        self.judge_proposal(Finding::TooLarge);
        self.certificate.larger += u64::from(self.phase.is_sweep() && !self.tries_new);
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
        if self.verifies {
            events.push(DeciderEvent::Stop(StopReason::StillReducible));
        }
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

/// The proposal of a pass.
struct Proposed {
    proposal: Option<Proposal>,
    /// Whether all items that were taken out had been refused before: then nothing new is left.
    all_known: bool,
}
