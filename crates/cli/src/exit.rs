//! Exit codes: a promise to scripts.

use std::process::ExitCode;

/// How minirepro ends. The numbers never change their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
pub enum Exit {
    /// There is a result: reduced, found to be minimal already, or stopped by a budget. No error
    /// ends like this.
    Done = 0,
    /// The command line is wrong, or the input cannot be read; nothing was tested.
    Usage = 1,
    /// The test does not reproduce on the input, or only at times, or accepts an empty input, or
    /// there was no time to find that out.
    NotReproduced = 2,
    /// The test cannot be run. The best result so far is written.
    BrokenTest = 3,
    /// The result could not be written where it should be.
    NotWritten = 4,
    /// `verify`: the result is not minimal. `report`: the journal does not lead to the result that
    /// it says.
    DoesNotHold = 5,
    /// `batch`: there are bugs, with --new-since new ones.
    Bugs = 6,
    /// Ctrl-C or SIGTERM. The best result so far is written.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
