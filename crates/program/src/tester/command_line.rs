//! Command lines as tests whose candidates are choices of their own words.

use minirepro_circumstances::Choice;
use minirepro_runner::{CancelToken, CommandTest, Fingerprint, Limits, Signature, Template};

use crate::error::{BadRequest, Error};
use crate::fingerprint;
use crate::tester::command::{Criteria, ReadyCommand, by_hand, know_failure};
use crate::tester::subject::{Subject, Test, Tester};

/// A command line with words that can be there or not.
#[derive(Clone, Debug)]
pub struct CommandLine {
    /// The words.
    pub template: Template,
    /// What counts as the failure.
    pub criteria: Criteria,
}

impl CommandLine {
    /// Makes a test of a command line, whose failure is learnt.
    pub fn new(template: Template) -> Self {
        Self { template, criteria: Criteria::default() }
    }

    /// Sets what counts as the failure.
    #[must_use]
    pub fn criteria(mut self, criteria: Criteria) -> Self {
        self.criteria = criteria;
        self
    }
}

impl CommandLine {
    /// Runs the command line with the words at these places and returns how it fails.
    ///
    /// # Errors
    /// If it cannot be run, or does not fail.
    pub fn failure_with(
        &self,
        places: &[usize],
        limits: Limits,
        stop: &CancelToken,
    ) -> Result<Signature, Error> {
        let mut oracle =
            CommandTest::of_options(self.template.clone(), self.criteria.frames, limits)
                .map_err(|error| Error::Command { error, reproduce: None })?;
        let reproduce = by_hand(&oracle, None);
        let learnt = oracle.learn_failure(&Choice::text(places.iter().copied()), None, stop);
        learnt.map_err(|error| Error::Command { error, reproduce })
    }
}

impl Test for CommandLine {
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error> {
        if !self.criteria.guards.is_empty() {
            return Err(BadRequest::GuardWithoutFile.into());
        }
        let template = self.template.clone();
        let mut oracle = CommandTest::of_options(template, self.criteria.frames, subject.limits)
            .map_err(|error| Error::Command { error, reproduce: None })?;
        let known = know_failure(&mut oracle, &self.criteria, None, subject)?;
        let words = oracle.words().0.iter().map(|word| word.as_os_str());
        let facts = Fingerprint::from([
            ("the words".to_owned(), format!("{:?} {:?}", oracle.words().0, self.template.names())),
            ("--stack-frames".to_owned(), self.criteria.frames.to_string()),
            ("the failure".to_owned(), known),
            ("a file or program of the command".to_owned(), fingerprint::of_files(words)),
        ]);
        let reproduce = by_hand(&oracle, None);
        Ok(Box::new(ReadyCommand { oracle, reproduce, facts }))
    }
}
