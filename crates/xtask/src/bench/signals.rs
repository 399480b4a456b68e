//! Names of the signals that crashes end with.

/// Returns the name of a signal without `SIG`; any that is not listed counts as `SEGV`.
pub(super) fn name(signal: i32) -> &'static str {
    match signal {
        4 => "ILL",
        6 => "ABRT",
        7 => "BUS",
        8 => "FPE",
        _ => "SEGV",
    }
}
