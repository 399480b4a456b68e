//! The order of a reduction: rounds of passes until nothing is won, pumps, the sweep. Whatever can
//! win comes before the sweep, because each success in the sweep means another one.

use minirepro_passes::Pass;

use crate::reduce::config::ReducerConfig;

/// Where in its order a reduction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Running the passes; `won` if this round has reduced anything.
    Round { pass: usize, won: bool },
    /// Trying every single edit of every pass again; `won` if one of them has reduced anything.
    Sweep { pass: usize, won: bool },
    /// Looking for a larger text to go on from.
    Pumps { pass: usize },
    /// Trying what proposers say.
    Proposals,
    /// Nothing is left to try.
    Done,
}

/// The facts that decide which phase follows when all passes of one had their turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation {
    /// A larger text is being tried out.
    pub is_pumped: bool,
    /// Only the sweep is wanted.
    pub verifies: bool,
    /// Broken candidates become allowed once nothing else is left to try.
    pub broken_at_end: bool,
    /// There are proposers to ask.
    pub proposes: bool,
}

/// The continuation after a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another phase.
    Enter(Phase),
    /// The larger text led to nothing smaller: back to where it was made.
    RollBack,
    /// Everything is tried again with broken candidates.
    AllowBroken,
}

impl Phase {
    /// The first phase of a reduction, and that after every success.
    pub(crate) const ROUND: Self = Self::Round { pass: 0, won: false };
    /// The beginning of the sweep.
    pub(crate) const SWEEP: Self = Self::Sweep { pass: 0, won: false };

    /// Returns the pass whose turn it is; `None` at the end of the phase.
    pub(crate) fn pass(self, config: &ReducerConfig) -> Option<Pass> {
        match self {
            Self::Round { pass, .. } => config.passes.get(pass).copied(),
            Self::Sweep { pass, .. } => config.sweep.get(pass).copied(),
            Self::Pumps { pass } => config.pumps.get(pass).copied(),
            Self::Proposals | Self::Done => None,
        }
    }

    /// Returns whether every single edit is tried on its own, so that a refusal is part of the
    /// certificate.
    pub(crate) fn is_sweep(self) -> bool {
        matches!(self, Self::Sweep { .. })
    }

    /// Lets the next pass have its turn.
    pub(crate) fn step(&mut self) {
        match self {
            Self::Round { pass, .. } | Self::Sweep { pass, .. } | Self::Pumps { pass } => {
                *pass += 1
            }
            Self::Proposals | Self::Done => {}
        }
    }

    /// Notes that something was reduced.
    pub(crate) fn win(&mut self) {
        if let Self::Round { won, .. } | Self::Sweep { won, .. } = self {
            *won = true;
        }
    }

    /// Returns whether something was reduced.
    pub(crate) fn has_won(self) -> bool {
        match self {
            Self::Round { won, .. } | Self::Sweep { won, .. } => won,
            Self::Pumps { .. } | Self::Proposals | Self::Done => false,
        }
    }

    /// Returns what follows when all passes of this phase had their turn.
    pub(crate) fn next(self, situation: Situation) -> Next {
        let Situation { is_pumped, verifies, broken_at_end, proposes } = situation;
        match self {
            Self::Round { won: true, .. } => Next::Enter(Self::ROUND),
            Self::Round { .. } if is_pumped => Next::RollBack,
            Self::Round { .. } => Next::Enter(Self::Pumps { pass: 0 }),
            Self::Sweep { .. } if verifies => Next::Enter(Self::Done),
            // The certificate is for the final result only: reduce again, then sweep again.
            Self::Sweep { won: true, .. } => Next::Enter(Self::ROUND),
            Self::Pumps { .. } => Next::Enter(Self::SWEEP),
            Self::Sweep { .. } if broken_at_end => Next::AllowBroken,
            Self::Sweep { .. } if proposes => Next::Enter(Self::Proposals),
            Self::Sweep { .. } | Self::Proposals | Self::Done => Next::Enter(Self::Done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other_until_nothing_is_won() {
        let plain =
            Situation { is_pumped: false, verifies: false, broken_at_end: false, proposes: false };
        let won = |phase: Phase| {
            let mut phase = phase;
            phase.win();
            phase
        };
        let pumps = Phase::Pumps { pass: 0 };
        for (phase, situation, next) in [
            (won(Phase::ROUND), plain, Next::Enter(Phase::ROUND)),
            (Phase::ROUND, plain, Next::Enter(pumps)),
            (Phase::ROUND, Situation { is_pumped: true, ..plain }, Next::RollBack),
            (won(Phase::SWEEP), plain, Next::Enter(Phase::ROUND)),
            (won(Phase::SWEEP), Situation { verifies: true, ..plain }, Next::Enter(Phase::Done)),
            (pumps, plain, Next::Enter(Phase::SWEEP)),
            (Phase::SWEEP, Situation { broken_at_end: true, ..plain }, Next::AllowBroken),
            (Phase::SWEEP, plain, Next::Enter(Phase::Done)),
            (Phase::SWEEP, Situation { proposes: true, ..plain }, Next::Enter(Phase::Proposals)),
            (Phase::Proposals, plain, Next::Enter(Phase::Done)),
        ] {
            assert_eq!(phase.next(situation), next, "{phase:?} {situation:?}");
        }
    }
}
