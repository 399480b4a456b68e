//! A test that has come from another machine, ready to be run on this one.

use crate::journal::format::Word;
use crate::spec::description::{Description, Program};
use crate::spec::launch::Launcher;
use crate::{CancelToken, CommandTest, Observation, Oracle, OracleError, Script, Signature};

/// A test by its description.
#[derive(Debug)]
pub enum SentTest {
    /// A script that was sent.
    Script(Box<Script>),
    /// A command whose words were sent.
    Command(Box<CommandTest>),
}

impl SentTest {
    /// Gets ready to run it.
    ///
    /// # Errors
    /// If it cannot be run here, with the reason in words.
    pub fn new(description: &Description, body: &[u8]) -> Result<Self, String> {
        let Description { program, name, form, executable, limits, .. } = description;
        let (script, beside) = description.unpack(body).map_err(|error| error.to_string())?;
        let launcher = Launcher::of_form(*form, *executable, &name.to_os(), *limits);
        let mut launcher = launcher.map_err(|error| error.to_string())?;
        launcher.within = description.within.as_ref().map(|within| within.to_os().into());
        launcher.environment = description.environment();
        launcher.provide_contents(&beside).map_err(|error| error.to_string())?;
        match program {
            Program::Script { path, arguments, .. } => {
                let arguments = arguments.iter().map(Word::to_os).collect();
                let script = Script::sent(path.to_os().as_ref(), script, arguments, launcher);
                Ok(Self::Script(Box::new(script.map_err(|error| error.to_string())?)))
            }
            Program::Command { .. } => {
                Ok(Self::Command(Box::new(CommandTest::sent(program, launcher)?)))
            }
        }
    }

    /// Tests a candidate; also returns how it failed if it is another failure.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn look(
        &self,
        candidate: &[u8],
        stop: &CancelToken,
    ) -> Result<(Observation, Option<Signature>), OracleError> {
        match self {
            Self::Script(script) => script.test(candidate, stop).map(|seen| (seen, None)),
            Self::Command(command) => command.look(candidate, stop),
        }
    }

    /// Tests once more and returns the last lines that the test wrote.
    pub fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        match self {
            Self::Script(script) => script.explain(candidate, stop),
            Self::Command(command) => command.explain(candidate, stop),
        }
    }
}
