//! How the processes of one test are told from others.

use std::path::Path;

/// The variable that marks every process of a test, unless it wipes its environment. Its value is
/// the run's name, a slash, and the name of the test's directory.
pub(crate) const MARK: &str = "MINIREPRO_TEST";

/// What the processes of one test have in common.
#[cfg_attr(
    any(not(target_os = "linux"), feature = "portable"),
    expect(dead_code, reason = "only Linux tells whose a process is")
)]
pub(crate) struct Mark<'a> {
    /// The value of [`MARK`] in their environment.
    pub value: &'a str,
    /// They work in here.
    pub directory: &'a Path,
}
