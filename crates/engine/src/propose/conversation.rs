//! The conversation with proposers about one text: who is asked, what was proposed, what became of
//! it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::propose::consultation::{DescribedNode, Finding, Refused, Said, Verdict};

/// The candidates proposed for the best text so far. A new best text begins it anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversation {
    /// The text that it is about.
    text: Option<Arc<[u8]>>,
    /// The description of the text's tree.
    pub nodes: Arc<Vec<DescribedNode>>,
    /// What the sweep has seen refused.
    pub refused: Arc<Vec<Refused>>,
    /// Who is asked now.
    pub proposer: usize,
    /// What the proposer that is asked now has proposed, and what became of it.
    pub verdicts: Arc<Vec<Verdict>>,
    /// Everything that was proposed for the text before this one.
    pub earlier: Arc<Vec<Verdict>>,
    /// Everything that was proposed for this text by those who were asked before.
    others: Vec<Verdict>,
    /// Candidates that are still to be tried.
    queue: VecDeque<Arc<[u8]>>,
    /// Whether it has no more candidates than those in the queue.
    has_finished: bool,
    /// How often it was asked.
    asked: u32,
    /// Proposers that cannot be asked again.
    gone: Vec<usize>,
}

/// The next step of a conversation.
pub(crate) enum Step {
    /// This candidate is tried.
    Try(Arc<[u8]>),
    /// The proposer is asked.
    Ask,
    /// Nobody has more to say.
    Over,
}

/// A proposer is asked at most this often about one text. Each answer may hold several candidates.
const MOST_QUESTIONS: u32 = 1000;

/// At most this many candidates of one proposer are tried for one text without success.
const MOST_CANDIDATES: usize = 500;

impl Conversation {
    /// Begins anew if there is a new text.
    pub(crate) fn about(
        &mut self,
        text: &Arc<[u8]>,
        describe: impl FnOnce() -> Vec<DescribedNode>,
    ) {
        if self.text.as_ref() != Some(text) {
            self.next_proposer();
            *self = Self {
                text: Some(Arc::clone(text)),
                nodes: Arc::new(describe()),
                refused: std::mem::take(&mut self.refused),
                earlier: Arc::new(std::mem::take(&mut self.others)),
                gone: std::mem::take(&mut self.gone),
                ..Self::default()
            };
        }
    }

    /// Notes that a new sweep begins.
    pub(crate) fn begin_sweep(&mut self) {
        self.refused = Arc::default();
    }

    /// Notes what a sweep has seen refused.
    pub(crate) fn refuse(&mut self, refused: Refused) {
        Arc::make_mut(&mut self.refused).push(refused);
    }

    /// Returns the next step, with this number of proposers.
    pub(crate) fn next(&mut self, proposers: usize) -> Step {
        loop {
            if self.proposer >= proposers {
                return Step::Over;
            }
            let is_at_end = self.asked >= MOST_QUESTIONS || self.verdicts.len() >= MOST_CANDIDATES;
            if is_at_end || self.gone.contains(&self.proposer) {
                self.next_proposer();
                continue;
            }
            let Some(candidate) = self.queue.pop_front() else {
                if self.has_finished {
                    self.next_proposer();
                    continue;
                }
                self.asked += 1;
                return Step::Ask;
            };
            let is_known = self.verdicts.iter().any(|known| known.candidate == candidate);
            if !is_known {
                return Step::Try(candidate);
            }
        }
    }

    /// Notes what the proposer has said.
    pub(crate) fn hear(&mut self, said: Said) {
        match said {
            Said::Candidates { texts, more } => {
                self.queue.extend(texts);
                self.has_finished = !more;
            }
            Said::Idle | Said::Messages(_) | Said::Unreferenced(_) => self.next_proposer(),
            Said::Gone(_) => {
                self.gone.push(self.proposer);
                self.next_proposer();
            }
        }
    }

    fn next_proposer(&mut self) {
        self.proposer += 1;
        self.asked = 0;
        self.has_finished = false;
        self.queue.clear();
        self.others.extend(self.verdicts.iter().cloned());
        self.verdicts = Arc::default();
    }

    /// Notes what became of a candidate.
    pub(crate) fn judge(&mut self, candidate: Arc<[u8]>, finding: Finding) {
        Arc::make_mut(&mut self.verdicts).push(Verdict { candidate, finding });
    }
}
