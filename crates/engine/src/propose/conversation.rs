//! What proposers say to try for one text: each is asked once.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use crate::propose::consultation::Said;

/// The candidates proposed for the best text so far. A new best text begins it anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversation {
    /// The text that it is about.
    text: Option<Arc<[u8]>>,
    /// How many proposers were asked.
    asked: usize,
    /// Candidates that are still to be tried.
    queue: VecDeque<Arc<[u8]>>,
    /// All candidates.
    proposed: HashSet<Arc<[u8]>>,
    /// Proposers that cannot be asked again.
    gone: Vec<usize>,
}

/// The next step of a conversation.
pub(crate) enum Step {
    /// This candidate is tried.
    Try(Arc<[u8]>),
    /// The proposer of this number is asked.
    Ask(usize),
    /// Nobody has more to say.
    Over,
}

/// At most this many candidates of one proposer are tried for one text without success.
const MOST_CANDIDATES: usize = 500;

impl Conversation {
    /// Returns the next step for this text, with this number of proposers.
    pub(crate) fn next(&mut self, text: &Arc<[u8]>, proposers: usize) -> Step {
        if self.text.as_ref() != Some(text) {
            let gone = std::mem::take(&mut self.gone);
            *self = Self { text: Some(Arc::clone(text)), gone, ..Self::default() };
        }
        if let Some(candidate) = self.queue.pop_front() {
            return Step::Try(candidate);
        }
        while self.asked < proposers {
            self.asked += 1;
            if !self.gone.contains(&(self.asked - 1)) {
                return Step::Ask(self.asked - 1);
            }
        }
        Step::Over
    }

    /// Notes what the proposer has said.
    pub(crate) fn hear(&mut self, said: Said) {
        match said {
            Said::Candidates(texts) => {
                let new = texts.into_iter().filter(|text| self.proposed.insert(Arc::clone(text)));
                self.queue.extend(new.take(MOST_CANDIDATES));
            }
            Said::Gone(_) => self.gone.push(self.asked - 1),
            Said::Messages(_) | Said::Unreferenced(_) => {}
        }
    }
}
