//! The command of a test, run beside it for its messages. It decides nothing: whether a candidate
//! fails, only the test says.

use minirepro_engine::{Gone, Said};

use crate::test::messages::messages;
use crate::{CancelToken, CommandTest, Informant};

/// A command that is run beside the test for what it prints.
#[derive(Debug)]
pub struct InformingCommand(CommandTest);

impl InformingCommand {
    /// Asks this command.
    pub fn new(command: CommandTest) -> Self {
        Self(command)
    }
}

impl Informant for InformingCommand {
    fn consult(&self, candidate: &[u8], stop: &CancelToken) -> Option<Said> {
        let printed = self.0.output(candidate, stop);
        if stop.is_set() {
            return None;
        }
        Some(match printed {
            Ok(output) => Said::Messages(messages(&output, self.0.words().1)),
            Err(_) => Said::Gone(Gone::NotStarted),
        })
    }
}
