//! Exit codes: a promise to scripts.

use std::process::ExitCode;

/// How minirepro ends. The numbers never change their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The end of `--help`.
pub const HELP: &str = "\
Exit codes of TEST:
  0    the failure is reproduced
  125  unresolved: nothing can be said about this candidate
  124  unresolved: it took too long
  126, 127  the test itself is broken: minirepro stops
  any other, or death by a signal: not reproduced

Exit codes of minirepro:
  0    done, or stopped by a budget (--max-tests, --max-time, --until-size)
  1    wrong usage, or the input cannot be read
  2    the test does not reproduce on FILE, is flaky, or accepts an empty file
  3    the test cannot be run
  4    the result cannot be written
  5    verify: the result is not minimal; report: the journal does not lead to it
  6    batch: there are bugs, with --new-since new ones
  130  interrupted; the best result so far is written

For example
  $ cat test.sh
  #!/bin/sh
  gcc -O2 -c \"$1\" 2>&1 | grep -q 'internal compiler error: in foo'
  $ minirepro ./test.sh crash.c
or, without a script,
  $ minirepro crash.c -- gcc -O2 -c @@";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
