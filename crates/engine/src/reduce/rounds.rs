//! The order of a reduction: rounds of passes until nothing is won, pumps, the sweep. Whatever can
//! win comes before the sweep, because each success in the sweep means another one.

use std::collections::HashSet;
use std::sync::Arc;

use minirepro_passes::Pass;

use crate::reduce::config::ReducerConfig;
use crate::reduce::pace::Pace;

/// The kinds of turns that passes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Each pass proposes edits.
    Round,
    /// Looking for a larger text to go on from.
    Pumps,
    /// Trying every single edit of every pass again.
    Sweep,
    /// Trying what proposers say.
    Proposals,
    /// Nothing is left to try.
    Done,
}

/// Where in its order a reduction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub phase: Phase,
    /// The number of the pass whose turn it is.
    pub pass: usize,
    /// Whether something was reduced since the phase began.
    pub won: bool,
}

impl Turn {
    /// Returns the first turn of a phase.
    pub(crate) fn of(phase: Phase) -> Self {
        Self { phase, pass: 0, won: false }
    }
}

/// Whose turn it is, how much they win, and what is not tried again.
#[derive(Clone)]
pub(crate) struct Rounds {
    pub turn: Turn,
    pub pace: Pace,
    /// Fingerprints of the items that were refused.
    pub refused: Arc<HashSet<u64>>,
}

impl Rounds {
    /// Begins with the first round.
    pub(crate) fn new(pace: Pace) -> Self {
        let turn = Turn::of(Phase::Round);
        Self { turn, pace, refused: Arc::default() }
    }

    /// Returns the pass whose turn it is; `None` at the end of the phase, or if those with large
    /// edits run again although a round is not over.
    pub(crate) fn pass(&self, config: &ReducerConfig, tokens: u64) -> Option<Pass> {
        let passes = match self.turn.phase {
            Phase::Round => &config.passes,
            Phase::Sweep => &config.sweep,
            Phase::Pumps => &config.pumps,
            Phase::Proposals | Phase::Done => return None,
        };
        let pass = *passes.get(self.turn.pass)?;
        let before = self.turn.pass.checked_sub(1).and_then(|before| passes.get(before));
        let is_cut = self.turn.phase == Phase::Round
            && self.turn.won
            && self.pace.cuts_round(&pass, before, tokens);
        (!is_cut).then_some(pass)
    }

    /// Returns whether every single edit is tried on its own, so that a refusal is part of the
    /// certificate.
    pub(crate) fn is_sweep(&self) -> bool {
        self.turn.phase == Phase::Sweep
    }

    /// Lets the next pass have its turn.
    pub(crate) fn step(&mut self) {
        self.turn.pass += 1;
    }

    /// Enters a phase with a text of this size.
    pub(crate) fn enter(&mut self, phase: Phase, tokens: u64) {
        self.turn = Turn::of(phase);
        self.pace.begin_phase(tokens);
        if phase == Phase::Round && self.pace.forgets(tokens) {
            self.refused = Arc::default();
        }
    }

    /// Counts items as refused. Returns whether all of them were before.
    pub(crate) fn refuse(&mut self, items: impl IntoIterator<Item = u64>) -> bool {
        let refused = Arc::make_mut(&mut self.refused);
        let mut are_known = true;
        for item in items {
            are_known &= !refused.insert(item);
        }
        are_known
    }
}
