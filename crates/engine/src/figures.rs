//! The figures of a session, as plain data.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::StopReason;

/// The figures of a session. Those that count answers are the same for any number of jobs, except
/// for `started`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Tokens before and after (0 in isolations, which count none).
    #[serde(serialize_with = "change")]
    pub tokens: (u64, u64),
    /// Bytes before and after (0 in isolations).
    #[serde(serialize_with = "change")]
    pub bytes: (u64, u64),
    /// Questions answered by running the oracle.
    pub tests: u64,
    /// Tests started, including those that were only speculation.
    pub started: u64,
    /// Questions answered Unresolved because infeasible.
    pub infeasible: u64,
    /// Questions answered from memory.
    pub remembered: u64,
    /// How often an informant was asked.
    pub consulted: u64,
    /// The certificate of a reduction; `None` if it ended early.
    pub certificate: Option<Certificate>,
    /// Why the session ended early, if it did.
    pub stopped: Option<StopReason>,
    /// The figures of each pass, in order of first use.
    #[serde(serialize_with = "named")]
    pub passes: Vec<(&'static str, PassStats)>,
    /// The figures of the levels of an isolation that had more than one circumstance.
    pub levels: Vec<LevelStats>,
}

impl Summary {
    /// Adds the figures of a session that went on from the result of this one.
    pub fn go_on(&mut self, next: &Self) {
        self.tokens.1 = next.tokens.1;
        self.bytes.1 = next.bytes.1;
        self.tests += next.tests;
        self.started += next.started;
        self.infeasible += next.infeasible;
        self.remembered += next.remembered;
        self.consulted += next.consulted;
        self.certificate.clone_from(&next.certificate);
        self.stopped = next.stopped;
        for (name, stats) in &next.passes {
            match self.passes.iter_mut().find(|(other, _)| other == name) {
                Some((_, ours)) => ours.add(stats),
                None => self.passes.push((name, stats.clone())),
            }
        }
        self.levels.extend(next.levels.iter().cloned());
    }
}

impl PassStats {
    fn add(&mut self, other: &Self) {
        self.told += other.told;
        for (ours, theirs) in self.tested.iter_mut().zip(other.tested) {
            *ours += theirs;
        }
        self.infeasible += other.infeasible;
        self.remembered += other.remembered;
        self.not_smaller += other.not_smaller;
        self.tokens_won += other.tokens_won;
        self.bytes_won += other.bytes_won;
        self.time += other.time;
    }
}

/// The figures of an isolation.
pub type Findings = Summary;

/// The figures of one pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PassStats {
    /// Questions answered in any way.
    pub told: u64,
    /// Answers by running the oracle: Fail, Pass, Unresolved.
    pub tested: [u64; 3],
    /// Questions answered Unresolved because infeasible.
    pub infeasible: u64,
    /// Questions answered from memory.
    pub remembered: u64,
    /// Questions answered Pass because the candidate was not smaller.
    pub not_smaller: u64,
    /// Tokens removed.
    pub tokens_won: u64,
    /// Bytes removed (negative where tokens were bought with bytes).
    pub bytes_won: i64,
    /// Time between the pass's questions and their answers.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub time: Duration,
}

/// The figures of one level of an isolation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LevelStats {
    /// The kind of its circumstances.
    pub name: &'static str,
    /// How many circumstances there were.
    pub circumstances: usize,
    /// How many are left: of the difference when isolating, of the failing side when minimising.
    pub left: usize,
    /// Questions answered by running the oracle.
    pub tests: u64,
    /// Questions answered Unresolved because infeasible.
    pub infeasible: u64,
    /// Tests whose outcome was Unresolved.
    pub unresolved: u64,
    /// Whether no single one of those left can be removed, or added to the passing side.
    pub minimal: bool,
}

/// States that the result is 1-minimal with respect to these kinds of edits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// The kinds of edits that were all refused on the final result, one for each pass.
    pub edit_kinds: Vec<EditKind>,
    /// How many single edits there were, each refused.
    pub refused: u64,
    /// How many of these the oracle answered Unresolved (not Pass).
    pub unresolved: u64,
    /// How many single edits reproduce with fewer bytes but more tokens, and were therefore not
    /// made.
    pub larger: u64,
}

/// One kind of edits in a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EditKind {
    /// The pass that proposes them.
    pub name: &'static str,
    /// The edits in words.
    pub edits: &'static str,
    /// How many of them the final result has, including those that the grammar rules out.
    pub count: usize,
}

/// Writes a number before and after.
///
/// # Errors
/// If the serializer fails.
pub fn change<S: Serializer>(change: &(u64, u64), to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Change {
        before: u64,
        after: u64,
    }
    Change { before: change.0, after: change.1 }.serialize(to)
}

/// Writes a time in seconds.
///
/// # Errors
/// If the serializer fails.
pub fn seconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(time.as_secs_f64())
}

fn named<S: Serializer>(all: &[(&str, PassStats)], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Named<'a> {
        name: &'a str,
        #[serde(flatten)]
        stats: &'a PassStats,
    }
    to.collect_seq(all.iter().map(|(name, stats)| Named { name, stats }))
}
