//! Who is asked something that is no test, and when: proposers, an informant, an analyser.

use std::sync::Arc;

use minirepro_syntax::Rendered;

use crate::propose::conversation::{Conversation, Step};
use crate::reduce::stall::Stall;
use crate::{Consultation, Whom};

/// The question that waits for an answer, and what those who are asked have said before.
#[derive(Clone)]
pub(crate) struct Advisers {
    /// The candidates of proposers for the best text.
    pub conversation: Conversation,
    /// Whether an informant is worth asking.
    pub stall: Stall,
    has_informant: bool,
    has_analyser: bool,
    asked: Option<Asked>,
}

/// A question.
#[derive(Clone)]
pub(crate) struct Asked {
    pub consultation: Arc<Consultation>,
    /// The candidate about which an informant is asked.
    pub candidate: Option<Arc<Rendered>>,
}

impl Advisers {
    /// Begins with a text of this size.
    pub(crate) fn new(tokens: u64, is_informed: bool) -> Self {
        Self {
            conversation: Conversation::default(),
            stall: Stall::new(tokens),
            has_informant: is_informed,
            has_analyser: is_informed,
            asked: None,
        }
    }

    /// Returns the question that waits for an answer.
    pub(crate) fn asked(&self) -> Option<&Arc<Consultation>> {
        self.asked.as_ref().map(|asked| &asked.consultation)
    }

    /// Takes it, since there is an answer.
    pub(crate) fn take(&mut self) -> Option<Asked> {
        self.asked.take()
    }

    /// Asks an informant or an analyser about a candidate.
    pub(crate) fn ask(&mut self, whom: Whom, language: &str, candidate: Arc<Rendered>) {
        let text = Arc::clone(&candidate.text);
        let consultation = Arc::new(Consultation { whom, text, language: language.into() });
        self.asked = Some(Asked { consultation, candidate: Some(candidate) });
    }

    /// Returns what a proposer says that is still to be tried, or that there is nothing; or asks
    /// one.
    pub(crate) fn next_proposal(
        &mut self,
        proposers: usize,
        language: &str,
        text: &Arc<[u8]>,
    ) -> Step {
        let step = self.conversation.next(text, proposers);
        if let Step::Ask(number) = step {
            let (whom, text) = (Whom::Proposer(number), Arc::clone(text));
            let consultation = Arc::new(Consultation { whom, text, language: language.into() });
            self.asked = Some(Asked { consultation, candidate: None });
        }
        step
    }

    /// Notes that somebody cannot be asked again. Who has no analyser may still have an informant.
    pub(crate) fn lose(&mut self, whom: Whom) {
        match whom {
            Whom::Analyser => self.has_analyser = false,
            Whom::Informant => self.has_informant = false,
            Whom::Proposer(_) => {}
        }
    }

    /// Returns whether a search that asks them is worth while for a text of this size, and whether
    /// an analyser is asked first. Then it counts as asked.
    pub(crate) fn are_due(&mut self, tokens: u64) -> Option<bool> {
        if !self.has_informant {
            return None;
        }
        let surveys = self.has_analyser && self.stall.is_survey_due(tokens);
        match surveys {
            true => self.stall.survey(tokens),
            false if self.stall.is_due(tokens) => self.stall.ask(tokens),
            false => return None,
        }
        Some(surveys)
    }
}
