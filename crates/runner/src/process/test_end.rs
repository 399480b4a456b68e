//! How a test ends.

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestEnd {
    /// It ended with this exit code.
    Exited(i32),
    /// It was killed by this signal, which we did not send.
    Signaled(i32),
    /// We ended it because its time was up.
    TimedOut,
    /// It was ended because it used too much.
    Exceeded(Excess),
    /// We ended it because its answer is no longer wanted.
    Stopped,
}

/// A resource of which a test used too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Excess {
    /// It wrote more to its standard output or standard error than [`Limits::output`].
    ///
    /// [`Limits::output`]: crate::Limits::output
    Output,
    /// It used more memory than its control group allows.
    Memory,
}
