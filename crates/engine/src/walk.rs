//! The one path that a session takes: a deterministic machine from answers to questions.
//!
//! A walk can be cloned cheaply, so the engine can look ahead by assuming answers. It must not know
//! jobs, memory of answers, time, or budget.

use std::collections::HashSet;
use std::sync::Arc;

use minirepro_passes::{Input, Item, Pass, Proposal, Strategy};
use minirepro_search::{Algorithm, Outcome};
use minirepro_syntax::{Language, Rendered};

use crate::Granularity;
use crate::estimate::Stage;
use crate::event::{Certificate, EditKind};
use crate::kept::Kept;
use crate::pass_run::{Base, PassRun, Verdict, is_read_later};
use crate::transaction::Transaction;

/// What does not change during a walk.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub language: Arc<Language>,
    pub algorithm: Algorithm,
    pub allow_broken: bool,
    /// Whether what is broken is allowed at the end, once nothing else is left.
    pub broken_at_end: bool,
    pub granularity: Granularity,
    pub kept: Kept,
    pub passes: Vec<&'static Pass>,
    /// Passes whose edits may make the text larger.
    pub growing: Vec<&'static Pass>,
}

/// Where in the order of passes the walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Running the passes; whether this round has won anything.
    Round {
        pass: usize,
        won: bool,
    },
    /// Trying every single edit of every pass again; whether one of them won anything.
    Sweep {
        pass: usize,
        won: bool,
    },
    /// Looking for a larger text to go on from.
    Growth {
        pass: usize,
    },
    Done,
}

/// What one step of a walk led to.
#[derive(Clone, Debug)]
pub(crate) enum Advance {
    /// The oracle is asked.
    Asks(Question),
    /// There was something to do or to answer without the oracle.
    Moved,
    /// The walk is done.
    Done,
}

/// A question for the oracle.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub pass: &'static str,
    pub candidate: Arc<Rendered>,
    /// Nothing but a test of this very text can refuse it.
    pub exact: bool,
}

/// What the walk did on its own between two questions.
#[derive(Clone, Debug)]
pub(crate) enum Note {
    Pass {
        name: &'static str,
        edits: usize,
    },
    Infeasible {
        pass: &'static str,
    },
    NotSmaller {
        pass: &'static str,
    },
    /// A candidate was accepted (after [`Walk::tell`]).
    Accepted {
        pass: &'static str,
        candidate: Arc<Rendered>,
    },
    /// The walk goes on from a candidate that is no new best (after [`Walk::tell`]).
    Adopted,
}

#[derive(Clone)]
pub(crate) struct Walk {
    setting: Arc<Setting>,
    base: Arc<Base>,
    phase: Phase,
    rounds: u32,
    run: Option<PassRun>,
    pending: Option<Arc<Rendered>>,
    refused: Arc<HashSet<u64>>,
    certificate: Certificate,
    transaction: Option<Transaction>,
    /// Only the sweep is wanted.
    verifies: bool,
}

impl Walk {
    pub(crate) fn new(setting: Arc<Setting>, input: Arc<[u8]>) -> Self {
        let base = Arc::new(Base::new(&setting.language, &input));
        Self {
            setting,
            base,
            phase: Phase::Round { pass: 0, won: false },
            rounds: 0,
            run: None,
            pending: None,
            refused: Arc::default(),
            certificate: Certificate::default(),
            transaction: None,
            verifies: false,
        }
    }

    /// A walk that only tries every single edit of `result`, which an earlier walk has made of
    /// `input`.
    pub(crate) fn verify(setting: Arc<Setting>, input: Arc<[u8]>, result: Arc<[u8]>) -> Self {
        let walk = Self::new(Arc::clone(&setting), input);
        let base = Arc::new(walk.base.limits().apply(&setting.language, &result));
        Self { base, phase: Phase::Sweep { pass: 0, won: false }, verifies: true, ..walk }
    }

    /// How many bytes the next [`advance`](Self::advance) has to look at beside those of a candidate.
    pub(crate) fn bytes_to_read(&self) -> usize {
        match &self.run {
            _ if self.pending.is_some() => 0,
            Some(run) if run.ask().is_some() => 0,
            Some(run) => run.accepted().map_or(0, |accepted| accepted.text.len()),
            None => self.base.text.len(),
        }
    }

    /// How far it is.
    pub(crate) fn stage(&self) -> Stage {
        let rounds = self.rounds;
        let part = |pass: usize| pass as f64 / self.setting.passes.len().max(1) as f64;
        match self.phase {
            Phase::Round { pass, won } => Stage { rounds, done: part(pass), sweep: false, won },
            // The number is that of the next pass.
            Phase::Sweep { pass, won } => {
                Stage { rounds, done: part(pass.saturating_sub(1)), sweep: true, won }
            }
            Phase::Growth { .. } | Phase::Done => {
                Stage { rounds, done: 1.0, sweep: true, won: false }
            }
        }
    }

    /// Tokens of the input or of the best result that is the base of the current pass.
    pub(crate) fn base_tokens(&self) -> u64 {
        self.base.tokens
    }

    /// The certificate, once the walk is done.
    pub(crate) fn certificate(&self) -> Option<&Certificate> {
        (self.phase == Phase::Done).then_some(&self.certificate)
    }

    /// Does one thing on the way to the next question. Answers that need no oracle are noted.
    pub(crate) fn advance(&mut self, notes: &mut Vec<Note>) -> Advance {
        if let (Some(candidate), Some(run)) = (&self.pending, &self.run) {
            let candidate = Arc::clone(candidate);
            let exact = matches!(self.phase, Phase::Sweep { .. });
            return Advance::Asks(Question { pass: run.pass.name, candidate, exact });
        }
        if self.transaction.as_ref().is_some_and(Transaction::is_spent) {
            self.roll_back();
        }
        let Some(run) = &mut self.run else {
            if self.phase == Phase::Done {
                return Advance::Done;
            }
            self.next_run(notes);
            return Advance::Moved;
        };
        let Some(kept) = run.ask() else {
            self.finish_run();
            return Advance::Moved;
        };
        let pass = run.pass.name;
        match run.candidate(&self.base, &self.setting, &kept) {
            Verdict::Ask(candidate) => self.pending = Some(candidate),
            Verdict::Infeasible => {
                notes.push(Note::Infeasible { pass });
                run.tell(Outcome::Unresolved, None);
            }
            Verdict::NotSmaller => {
                notes.push(Note::NotSmaller { pass });
                run.tell(Outcome::Pass, None);
            }
        }
        Advance::Moved
    }

    /// Answers the question that [`advance`](Self::advance) gave.
    pub(crate) fn tell(&mut self, outcome: Outcome, notes: &mut Vec<Note>) {
        let candidate = self.pending.take().expect("a question was asked");
        let run = self.run.as_mut().expect("questions come from a run");
        if outcome == Outcome::Fail {
            if is_read_later(&candidate) && !run.reads_well(&self.base, &self.setting, &candidate) {
                notes.push(Note::Infeasible { pass: run.pass.name });
                run.tell(Outcome::Unresolved, None);
                return;
            }
            let best = self.transaction.as_ref().map_or(&self.base, Transaction::before);
            notes.push(if best.is_beaten_by(&self.setting.language, &candidate) {
                Note::Accepted { pass: run.pass.name, candidate: Arc::clone(&candidate) }
            } else {
                Note::Adopted
            });
        } else if matches!(self.phase, Phase::Sweep { .. }) {
            self.certificate.refused += 1;
            self.certificate.unresolved += u64::from(outcome == Outcome::Unresolved);
        }
        if let Some(transaction) = &mut self.transaction {
            transaction.count();
        }
        let adopts = run.grows() && outcome == Outcome::Fail;
        run.tell(outcome, Some(&candidate));
        if adopts {
            self.adopt();
        }
    }

    /// The pass that comes now, and whether this is the sweep; `None` where a phase ends.
    fn next_pass(&mut self) -> Option<(&'static Pass, bool)> {
        let passes = &self.setting.passes;
        Some(match self.phase {
            Phase::Round { pass, won } if pass == passes.len() => {
                self.rounds += 1;
                self.phase = if won {
                    Phase::Round { pass: 0, won: false }
                } else if self.transaction.is_some() {
                    self.roll_back();
                    return None;
                } else {
                    self.certificate = Certificate::default();
                    Phase::Sweep { pass: 0, won: false }
                };
                return None;
            }
            Phase::Sweep { pass, won } if pass == passes.len() => {
                // The certificate is for the final result only: reduce again, then sweep again.
                self.phase = if self.verifies {
                    Phase::Done
                } else if won {
                    Phase::Round { pass: 0, won: false }
                } else {
                    Phase::Growth { pass: 0 }
                };
                return None;
            }
            Phase::Growth { pass } if pass == self.setting.growing.len() => {
                self.phase = if self.setting.broken_at_end {
                    self.allow_broken();
                    Phase::Round { pass: 0, won: false }
                } else {
                    Phase::Done
                };
                return None;
            }
            Phase::Growth { pass } => (self.setting.growing[pass], false),
            Phase::Round { pass, .. } => (passes[pass], false),
            Phase::Sweep { pass, .. } => (passes[pass], true),
            Phase::Done => return None,
        })
    }

    /// What a pass proposes, without what is too fine or takes away what must stay; and whether all of
    /// that was known.
    fn propose(&mut self, pass: &'static Pass, sweep: bool) -> (Option<Proposal>, bool) {
        let mut known = true;
        let language = &self.setting.language;
        let input = if sweep {
            Input::sweep(&self.base.tree, language, pass.gate, &self.refused)
        } else {
            Input::new(&self.base.tree, language, pass.gate, &self.refused)
        };
        let mut proposal = (pass.propose)(&input);
        let Setting { granularity, kept, .. } = &*self.setting;
        let tree = &self.base.tree;
        let mut out = Vec::new();
        if let Some(proposal) = &mut proposal {
            out = granularity.sift(proposal, tree, language);
            out.extend(kept.sift(proposal, tree));
        }
        let keys: Vec<u64> = out.iter().map(|item| input.key(item)).collect();
        if !sweep && !keys.is_empty() {
            // What must not be counts as refused, so that the pass goes on to something else.
            let refused = Arc::make_mut(&mut self.refused);
            keys.into_iter().for_each(|key| known &= !refused.insert(key));
        }
        (proposal, known)
    }

    /// Starts the next proposal, or moves on in the order of passes.
    fn next_run(&mut self, notes: &mut Vec<Note>) {
        let Some((pass, sweep)) = self.next_pass() else { return };
        let (proposal, known) = self.propose(pass, sweep);
        if sweep {
            if !pass.is_part_of_another() {
                let count = proposal.as_ref().map_or(0, |proposal| proposal.items.len());
                let kind = EditKind { name: pass.name, edits: pass.edits, count };
                self.certificate.edit_kinds.push(kind);
            }
            if let Phase::Sweep { pass, .. } = &mut self.phase {
                *pass += 1;
            }
        }
        match proposal {
            Some(proposal) if !proposal.items.is_empty() => {
                notes.push(Note::Pass { name: pass.name, edits: proposal.items.len() });
                let proposal = if sweep {
                    Proposal { strategy: Strategy::Single, ..proposal }
                } else {
                    proposal
                };
                self.run = Some(PassRun::new(pass, proposal, self.setting.algorithm));
            }
            _ => {
                if let (Phase::Round { pass, .. } | Phase::Growth { pass }, true) =
                    (&mut self.phase, known)
                {
                    *pass += 1;
                }
            }
        }
    }

    /// Everything is tried again, now also what the grammar cannot form: an early broken text would
    /// keep passes that need the grammar from what they could do.
    fn allow_broken(&mut self) {
        let setting = (*self.setting).clone();
        self.setting = Arc::new(Setting { allow_broken: true, broken_at_end: false, ..setting });
        self.refused = Arc::default();
    }

    /// Goes on from the larger candidate that was just accepted: what comes of it must be smaller than
    /// what there was.
    fn adopt(&mut self) {
        let Some(run) = &self.run else { return };
        let input =
            Input::new(&self.base.tree, &self.setting.language, run.pass.gate, &self.refused);
        // Its items are asked about one after the other.
        let keys: Vec<u64> = run.items.iter().take(run.told()).map(|i| input.key(i)).collect();
        Arc::make_mut(&mut self.refused).extend(keys);
        let transaction =
            Transaction::new(Arc::clone(&self.base), Arc::clone(&self.refused), self.phase);
        self.transaction = Some(transaction);
        self.phase = Phase::Round { pass: 0, won: false };
        self.commit();
    }

    /// Nothing smaller came of the larger text: everything is as it was before.
    fn roll_back(&mut self) {
        let Some(transaction) = self.transaction.take() else { return };
        (self.base, self.refused, self.phase) = transaction.into_parts();
        self.run = None;
    }

    /// Ends the current proposal: what was accepted becomes the base, the rest is refused.
    fn finish_run(&mut self) {
        let Some(run) = &self.run else { return };
        let Base { tree, .. } = &*self.base;
        let input = Input::new(tree, &self.setting.language, run.pass.gate, &self.refused);
        let keys: Vec<u64> = run.refused().map(|item: &Item| input.key(item)).collect();
        Arc::make_mut(&mut self.refused).extend(keys);
        if run.accepted().is_some()
            && let Phase::Round { won, .. } | Phase::Sweep { won, .. } = &mut self.phase
        {
            *won = true;
        }
        self.commit();
    }

    fn commit(&mut self) {
        let Some(run) = self.run.take() else { return };
        if let Some(accepted) = run.accepted() {
            let (text, language) = (Arc::clone(&accepted.text), &self.setting.language);
            self.transaction.take_if(|t| t.before().is_beaten_by(language, accepted));
            drop(run);
            // The old tree goes before there is a new one: they may be most of our memory.
            let limits = self.base.limits();
            self.base = Arc::new(Base::parsed(language, b""));
            self.base = Arc::new(limits.apply(language, &text));
        }
    }
}
