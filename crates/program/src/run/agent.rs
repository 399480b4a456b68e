//! The other end of a worker: this program as the one that runs tests for a run elsewhere.

use std::io::{Read, Write};
use std::os::fd::AsFd;

use minirepro_runner::CancelToken;
use minirepro_workers::{AgentError, serve};

/// The version that agents and runs must have in common.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs tests for a run that speaks through `input` and listens to `output`, `jobs` at a time,
/// until the input ends or `stop` is set. Nothing of a test is left then.
///
/// # Errors
/// If the input or the output fails or makes no sense. All tests are ended in that case, too.
pub fn serve_as_agent<I, O>(
    input: I,
    output: O,
    jobs: usize,
    stop: &CancelToken,
) -> Result<(), AgentError>
where
    I: Read + AsFd,
    O: Write + Send,
{
    serve(input, output, jobs, VERSION, stop)
}
