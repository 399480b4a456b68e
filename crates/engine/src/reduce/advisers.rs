//! Who is asked something that is no test, and when: proposers, an informant, an analyser.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use minirepro_syntax::Rendered;

use crate::reduce::stall::Stall;
use crate::{Consultation, Said, Whom};

/// The question that waits for an answer, and what those who are asked have said before.
#[derive(Clone)]
pub(crate) struct Advisers {
    /// Whether an informant is worth asking.
    pub stall: Stall,
    /// Those that cannot be asked again. Who has no analyser may still have an informant.
    pub lost: Vec<Whom>,
    pub asked: Option<Asked>,
    /// The text that proposers are asked about: each once.
    text: Arc<[u8]>,
    /// How many were.
    proposers: usize,
    /// Their candidates that are still to be tried.
    queue: VecDeque<Arc<[u8]>>,
    /// All their candidates for this text.
    proposed: HashSet<Arc<[u8]>>,
}

/// A question.
#[derive(Clone)]
pub(crate) struct Asked {
    pub consultation: Arc<Consultation>,
    /// The candidate about which an informant is asked.
    pub candidate: Option<Arc<Rendered>>,
}

/// At most this many candidates of one proposer are tried for one text without success.
const MOST_CANDIDATES: usize = 500;

impl Advisers {
    /// Begins with a text of this size.
    pub(crate) fn new(tokens: u64, is_informed: bool) -> Self {
        let nobody = [Whom::Informant, Whom::Analyser];
        Self {
            stall: Stall::new(tokens),
            lost: if is_informed { Vec::new() } else { nobody.into() },
            asked: None,
            text: Arc::default(),
            proposers: 0,
            queue: VecDeque::new(),
            proposed: HashSet::new(),
        }
    }

    /// Asks somebody about a text, which may be a candidate.
    pub(crate) fn ask(
        &mut self,
        whom: Whom,
        language: &str,
        text: Arc<[u8]>,
        candidate: Option<Arc<Rendered>>,
    ) {
        let consultation = Arc::new(Consultation { whom, text, language: language.into() });
        self.asked = Some(Asked { consultation, candidate });
    }

    /// Returns the next candidate for the best text so far, or asks for one; otherwise nobody has
    /// more to say.
    pub(crate) fn next_proposal(
        &mut self,
        proposers: usize,
        language: &str,
        text: &Arc<[u8]>,
    ) -> Option<Arc<[u8]>> {
        if self.text != *text {
            (self.text, self.proposers) = (Arc::clone(text), 0);
            self.queue.clear();
            self.proposed.clear();
        }
        let next = self.queue.pop_front();
        while next.is_none() && self.asked.is_none() && self.proposers < proposers {
            let whom = Whom::Proposer(self.proposers);
            self.proposers += 1;
            if !self.lost.contains(&whom) {
                self.ask(whom, language, Arc::clone(text), None);
            }
        }
        next
    }

    /// Notes what a proposer has said.
    pub(crate) fn hear(&mut self, whom: Whom, said: Said) {
        match said {
            Said::Candidates(texts) => {
                let new = texts.into_iter().filter(|text| self.proposed.insert(Arc::clone(text)));
                self.queue.extend(new.take(MOST_CANDIDATES));
            }
            Said::Gone(_) => self.lost.push(whom),
            Said::Messages(_) | Said::Unreferenced(_) => {}
        }
    }

    /// Returns whether a search that asks an informant is worth while for a text of this size, and
    /// whether an analyser is asked first. Then it counts as asked.
    pub(crate) fn are_due(&mut self, tokens: u64) -> Option<bool> {
        if self.lost.contains(&Whom::Informant) {
            return None;
        }
        self.stall.asks(tokens, !self.lost.contains(&Whom::Analyser))
    }
}
