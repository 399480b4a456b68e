//! Exit codes: a promise to scripts. Knows nothing of what led to them.

use std::process::ExitCode;

/// How minirepro ends. The numbers never change their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// A result is there: reduced, or found to be minimal already, or stopped by a budget.
    Reduced = 0,
    /// The command line or the input is wrong; nothing was tested.
    Usage = 1,
    /// The test does not reproduce on the input, or does so only at times, or accepts nothing.
    NotReproduced = 2,
    /// The test cannot be run. The best result so far is written.
    BrokenTest = 3,
    /// The result could not be written where it should be.
    NotWritten = 4,
    /// `replay`: the journal does not lead to the result that it says. `verify`: the file is not
    /// minimal.
    DoesNotHold = 5,
    /// Ctrl-C or SIGTERM. The best result so far is written.
    Interrupted = 130,
}

/// The same for people, shown by `--help`.
pub const HELP: &str = "\
Exit codes of TEST:
  0    the failure is reproduced
  125  unresolved: nothing can be said about this candidate
  124  unresolved: it took too long
  126, 127  the test itself is broken: minirepro stops
  any other, or death by a signal: not reproduced

Exit codes of minirepro:
  0    done, or stopped by a budget (--max-tests, --max-time, --stop-at)
  1    wrong usage, or the input cannot be read
  2    the test does not reproduce on FILE, is flaky, or accepts an empty file
  3    the test cannot be run
  4    the result cannot be written
  5    replay and verify: it does not hold
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
